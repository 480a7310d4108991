"""What the tests share: small worlds, a repeatable generator, and no silent skips."""

import os

import numpy as np
import pytest

from nomdeplume import Laplace, NoisyNearest, Table, seeded
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

ALPHA = 1e-6  # chance that a right sampler fails one of the statistical tests

TINY = Table(
    ("apple", "pear", "river", "lake"),
    np.array([[0, 0], [0, 1], [5, 5], [5, 6]], dtype=np.float32),
    name="tiny",
)
MECHANISMS = {
    "laplace, ε=0.5": NoisyNearest(TINY, Laplace(0.5)),
    "laplace, ε=3": NoisyNearest(TINY, Laplace(3.0)),
    "laplace, ε=0.5, two outputs": NoisyNearest(TINY, Laplace(0.5), np.array([1, 3])),
}


@pytest.fixture
def table():
    """Four words in the plane: two fruits side by side, two waters far from them."""
    return TINY


@pytest.fixture
def vocabulary(table):
    return Vocabulary(table, StopWords("none", frozenset()))


@pytest.fixture(params=MECHANISMS.values(), ids=MECHANISMS.keys())
def mechanism(request):
    """Every mechanism: a new one joins MECHANISMS and is held to the same contract."""
    return request.param


@pytest.fixture(scope="session")
def bundled():
    return Table.bundled()


@pytest.fixture
def rng():
    return seeded(20_261_115)


def pytest_terminal_summary(terminalreporter):
    """End with what was skipped; -rs above says why."""
    skipped = terminalreporter.stats.get("skipped", [])
    terminalreporter.write_line(f"skipped: {len(skipped) or 'nothing'}")


def pytest_sessionfinish(session):
    """A skipped test fails a run that asks for it, unless the test needs a GPU."""
    if not os.environ.get("NOMDEPLUME_NO_SKIPS") or hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if any("gpu" not in report.keywords for report in reporter.stats.get("skipped", [])):
        reporter.write_line("a test was skipped that needs no GPU: that is a failure here")
        session.exitstatus = 1
