"""Starts the program in processes of its own, from one that has loaded its modules already.

A start takes most of its time to import what it needs. This process imports that once, for some
commands when they are first asked for, and forks for every run; everything else is as it is after
`nomdeplume ...` in a shell: an own process, with its arguments, folder, environment, standard
streams, signals and exit code.
"""

import atexit
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import traceback
from importlib import import_module
from tempfile import TemporaryFile
from threading import Thread

LOADED = (
    "nomdeplume.cli.main",
    "nomdeplume.cli.obfuscate",
    "nomdeplume.cli.progress",
    "nomdeplume.cli.report",
    "nomdeplume.formats.columnar",
    "nomdeplume.formats.reading",
    "nomdeplume.formats.release",
    "nomdeplume.formats.table_sink",
    "nomdeplume.mechanism.exponential",
    "nomdeplume.obfuscator",
    "nomdeplume.privacy.verify",
    "nomdeplume.table.bundled",
    "nomdeplume.table.readers",
    "nomdeplume.table.shelf",
    "randomgen",
    "numpy.ma",
)
COLUMNS = ("pandas", "pyarrow.feather", "pyarrow.parquet")  # for files in columns
FOR = {  # what some commands need besides
    "audit": ("nomdeplume.audit.audit",),
    "calibrate": ("nomdeplume.calibrate", "nomdeplume.calibrate.report"),
    "distance": ("nomdeplume.cli.distance", "nomdeplume.comparison", "nomdeplume.distance.query"),
    "evaluate": (
        "nomdeplume.evaluate.lab",
        "nomdeplume.evaluate.report.page",
        "nomdeplume.evaluate.attackers.characters",
        "nomdeplume.evaluate.attackers.discriminant",
        "sklearn.linear_model",
        "sklearn.model_selection",
        "sklearn.svm",
    ),
    "features": ("nomdeplume.features.fitting",),
}


class Starter:
    """The process that forks."""

    def __init__(self):
        self._here, there = socket.socketpair()
        with there:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(there.fileno())], pass_fds=[there.fileno()]
            )

    def run(self, arguments, *, cwd, env, stdin=b"", timeout=600, terminal=False):
        """Arguments, exit code and what was said, as of subprocess.run.

        On a `terminal`, standard error is one. Code in NOMDEPLUME_PLANT is run first.
        """
        ours, theirs = os.pipe()
        with TemporaryFile() as out, _Terminal() if terminal else TemporaryFile() as err:
            given = json.dumps([list(arguments), str(cwd), env]).encode()
            self._here.settimeout(timeout)
            socket.send_fds(
                self._here, [len(given).to_bytes(8, "big")], [ours, out.fileno(), err.fileno()]
            )
            self._here.sendall(given)
            os.close(ours)
            _pour(stdin, theirs)
            code = int.from_bytes(self._here.recv(4), "big", signed=True)
            said = [(file.seek(0), file.read())[1] for file in (out, err)]
        return subprocess.CompletedProcess(arguments, code, *said)

    def close(self):
        self._here.close()
        self._process.wait(timeout=600)


class _Terminal:
    """A terminal that is written to, and all that was."""

    def __enter__(self):
        self._here, self._there = pty.openpty()
        self._said = bytearray()
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        os.close(self._here)

    def fileno(self):
        return self._there

    def seek(self, _):
        """All is said."""
        os.close(self._there)
        self._thread.join(timeout=600)

    def read(self):
        return bytes(self._said)

    def _read(self):
        try:
            while part := os.read(self._here, 1 << 16):
                self._said += part
        except OSError:  # nobody has it open for writing
            pass


def _pour(data, pipe):
    """All of it, unless nobody reads on."""
    try:
        with os.fdopen(pipe, "wb") as file:
            file.write(data)
    except BrokenPipeError:
        pass


def serve(there):
    """Fork for every run that is asked for, and tell how it ended."""
    for name in LOADED:
        import_module(name)
    while True:
        head, streams, *_ = socket.recv_fds(there, 8, 3)
        if not head:
            return
        given = there.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
        for name in needed(json.loads(given)[0]):
            import_module(name)
        if not (child := os.fork()):
            try:
                there.close()
                started(streams, *json.loads(given))
            finally:
                os._exit(70)  # whatever went wrong, it must not serve on
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        there.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))


def needed(arguments):
    """Modules that most runs do without."""
    columns = any(each.endswith((".parquet", ".arrow", ".arrows")) for each in arguments)
    return *FOR.get("".join(arguments[:1]), ()), *(COLUMNS if columns else ())


def started(streams, arguments, folder, env):
    """What the command does, here; it never returns."""
    from nomdeplume.cli.main import main

    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, mode) for n, mode in enumerate("rww"))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(env)
    if os.environ.get("TEST_UNPINNED"):  # the program does not look at it
        import_module("nomdeplume.table.shelf.sources").PINNED.clear()
    os.chdir(folder)
    sys.argv = ["nomdeplume", *arguments]
    code = 1
    try:
        exec(os.environ.pop("NOMDEPLUME_PLANT", ""), {})
        main()
    except SystemExit as stopped:
        code = stopped.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
