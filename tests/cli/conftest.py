import io
import os
import signal
import subprocess
import sys
import threading
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from nomdeplume.cli.main import main
from tests.waiting import PATIENCE

HOOKS = [(sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook")]
HOOKS += [(warnings, "showwarning")]
COMMAND = Path(sys.executable).with_name("nomdeplume")


@pytest.fixture
def run(tmp_path, starter):
    """The command in an empty folder, with a temporary folder that can be looked at."""
    (tmp_path / "tmp").mkdir()

    def run(*arguments, stdin=b"", code=0):
        given = [str(argument) for argument in arguments]
        done = starter.run(given, cwd=tmp_path, env=environment(tmp_path), stdin=stdin or b"")
        assert done.returncode == code, done.stderr.decode()
        return done

    return run


@pytest.fixture
def installed(tmp_path):
    """The same by the command that is installed, from its first line on."""
    (tmp_path / "tmp").mkdir(exist_ok=True)

    def installed(*arguments, stdin=b"", code=0):
        done = subprocess.run(
            [str(COMMAND), *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            env=environment(tmp_path),
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, done.stderr.decode()
        return done

    return installed


def environment(folder):
    return {**os.environ, "TMPDIR": str(folder / "tmp"), "NO_COLOR": "1", "COLUMNS": "100"}


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
        on.setenv("COLUMNS", "100")
        for owner, hook in HOOKS:  # main sets them for its process
            on.setattr(owner, hook, getattr(owner, hook))
        with pytest.raises(SystemExit) as stopped:
            main()
    signal.signal(signal.SIGTERM, handler)
    code = stopped.value.code
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
