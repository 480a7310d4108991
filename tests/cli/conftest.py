import io
import os
import signal
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from nomdeplume.cli.main import main

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


def here(folder, *arguments):
    """The same command in this process, which spares its start."""
    out, err, handler = io.StringIO(), io.StringIO(), signal.getsignal(signal.SIGTERM)
    with (
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.MonkeyPatch.context() as on,
    ):
        on.setattr(sys, "argv", ["nomdeplume", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
    signal.signal(signal.SIGTERM, handler)
    code = stopped.value.code
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
