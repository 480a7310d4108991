"""What Python says by itself of errors and warnings: of what type and where, never with what.

A message or a local variable may hold a text. Nobody is there to catch what goes wrong in a
thread, in a finalizer or at the very end, and Python would print all of it.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
import warnings
from types import TracebackType
from typing import TextIO


def install() -> None:
    """From now on, in this process; for programs, not for libraries, whose streams these are."""
    sys.excepthook = _uncaught
    sys.unraisablehook = lambda said: _say(said.exc_type, said.exc_traceback)
    threading.excepthook = lambda said: _say(said.exc_type, said.exc_traceback)
    warnings.showwarning = _warned


def place(trace: TracebackType | None) -> str:
    """The file and line where an error was raised."""
    frames = traceback.extract_tb(trace)
    return f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "its end"  # noqa: PTH119


def tell(said: str) -> None:
    """A sentence to whoever runs the program."""
    if sys.stderr is not None:
        sys.stderr.write(f"nomdeplume: {said}\n")


def _uncaught(kind: type[BaseException], _: BaseException, trace: TracebackType | None) -> None:
    _say(kind, trace)


def _say(kind: type[BaseException], trace: TracebackType | None) -> None:
    if not issubclass(kind, SystemExit):
        tell(f"unexpected {kind.__name__} at {place(trace)}.")


def _warned(  # noqa: PLR0917 - the signature of Python
    message: Warning | str,  # noqa: ARG001 - which may quote anything
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,  # noqa: ARG001
) -> None:
    if stream := file or sys.stderr:
        name = os.path.basename(filename)  # noqa: PTH119
        stream.write(f"nomdeplume: {category.__name__} at {name}:{lineno}.\n")
