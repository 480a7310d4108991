"""A page that is closed is gone from the memory of its server, with all that was typed into it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_nothing_is_left_of_a_page_that_was_closed(tmp_path):
    told = subprocess.run(
        [sys.executable, "-m", "tests.web.left", tmp_path, "a quiet zyzzyva in the harbour"],
        cwd=ROOT,
        capture_output=True,
        check=False,
        timeout=900,
    )
    assert (told.returncode, told.stderr) == (0, b"")
    open_page, closed = told.stdout.decode().splitlines()
    objects, texts = map(int, open_page.split())

    assert objects > 5
    assert texts > 1
    assert closed == "0 0"
