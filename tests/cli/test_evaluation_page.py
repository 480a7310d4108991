"""The page of an evaluation in a real browser, where there is one."""

import re
import shutil
import subprocess

import pytest

from nomdeplume.evaluate.report import page
from nomdeplume.evaluate.report.script import SCRIPT
from tests.evaluation_results import elsewhere, results
from tests.waiting import PATIENCE

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions")
KINDS = {
    "many": results(),
    "two": results(2, 2, mechanisms=1),
    "topics": results(0),
    "elsewhere": elsewhere(),
}


def opened(source, folder):
    """What a browser makes of a page, and what it complains about; without one, what is written."""
    if BROWSER is None:
        return source.replace("<html", '<html class="scripted"', 1), ""
    path = folder / "report.html"
    path.write_text(source, encoding="utf-8")
    profile = f"--user-data-dir={folder / 'profile'}"
    logs = ("--enable-logging=stderr", "--v=0", profile)
    done = subprocess.run(
        [BROWSER, *QUIET, *logs, "--virtual-time-budget=2000", "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout, "\n".join(re.findall(r".*CONSOLE.*", done.stderr))


@pytest.mark.parametrize("kind", KINDS)
def test_the_script_runs_and_nothing_is_refused(kind, tmp_path):
    dom, complaints = opened(page(KINDS[kind]), tmp_path)

    assert complaints == ""
    assert 'class="scripted"' in dom
    assert dom.count("<section") >= 6
    if BROWSER:  # titles became tooltips, and every group of marks can be reached by keys
        marks = len(re.findall(r'class="tip[ "]', dom))
        assert marks == dom.count("data-tip=")
        assert marks > 0
        assert dom.count('tabindex="0" data-tip') + dom.count('tabindex="0"') > 0
        assert 'id="tip"' in dom


def test_a_browser_refuses_what_the_page_does_not_own(tmp_path):
    stranger = "<script>document.documentElement.id = 'taken';</script></body>"
    dom, complaints = opened(page(KINDS["two"]).replace("</body>", stranger), tmp_path)

    if BROWSER:
        assert "Content Security Policy" in complaints
        assert 'id="taken"' not in dom
    else:
        assert stranger in dom


def test_a_page_prints(tmp_path):
    if BROWSER is None:
        assert "@media print" in page(KINDS["two"])
        return
    path, target = tmp_path / "report.html", tmp_path / "report.pdf"
    path.write_text(page(KINDS["two"]), encoding="utf-8")
    command = [
        BROWSER,
        *QUIET,
        f"--user-data-dir={tmp_path / 'profile'}",
        f"--print-to-pdf={target}",
    ]
    subprocess.run([*command, path.as_uri()], capture_output=True, timeout=PATIENCE, check=True)

    assert target.read_bytes().startswith(b"%PDF")
    assert len(target.read_bytes()) > 20_000


def test_the_script_makes_no_markup_and_asks_for_nothing():
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|eval|fetch|XMLHttp|import", SCRIPT)
    assert "textContent" in SCRIPT
