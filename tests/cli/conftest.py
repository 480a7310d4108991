import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("nomdeplume")


@pytest.fixture
def run(tmp_path):
    """The installed command in an empty folder, with a temporary folder that can be looked at."""
    (tmp_path / "tmp").mkdir()

    def run(*arguments, stdin=None, code=0):
        done = subprocess.run(
            [str(COMMAND), *map(str, arguments)],
            cwd=tmp_path,
            input=stdin if stdin is not None else b"",
            capture_output=True,
            env={**os.environ, "TMPDIR": str(tmp_path / "tmp"), "NO_COLOR": "1", "COLUMNS": "100"},
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stderr.decode()
        return done

    return run
