"""One studio for all tests of the page, and browsers; each test has a profile of its own."""

import shutil

import pytest
from playwright.sync_api import sync_playwright
from tests.web.opened import PASSWORD, opened
from tests.web.visits import visiting


@pytest.fixture(scope="session")
def studio(tmp_path_factory):
    """A studio on this machine, with an empty ledger."""
    with opened(tmp_path_factory.mktemp("studio")) as found:
        yield found


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A studio that other machines could reach."""
    folder = tmp_path_factory.mktemp("shared")
    with opened(folder, "--host", "0.0.0.0", NOMDEPLUME_STUDIO_PASSWORD=PASSWORD) as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    """A real Chromium, which shows nothing.

    It ends with its module: its event loop would stand in the way of other tests.
    """
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("these tests need a browser: apt-get install chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def visit(studio, browser):
    """The page in a browser; it may complain about nothing, and ask nobody else."""
    with visiting(browser, studio.address) as found:
        yield found
        assert (found.errors, found.elsewhere) == ([], [])
