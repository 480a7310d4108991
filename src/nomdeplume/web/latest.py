"""Work for a page that goes on while it is asked for: only the newest request counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nomdeplume import discreet
from nomdeplume.errors import PlumeError

REST = 0.3  # seconds after which what can wait is looked at: pictures come first


@dataclass
class Latest:
    """A function that runs in a thread, and what is shown of its result, or of its failure.

    While it runs, requests replace each other: whoever drags a slider gets the picture of
    where it stands, and nobody waits for those in between.
    """

    work: Callable[..., Any]
    show: Callable[[Any], object]
    fail: Callable[[str], object]
    rest: float = 0.0  # seconds without a request before one is looked at: for what can wait
    _waiting: tuple[Any, ...] | None = None
    _running: asyncio.Task[None] | None = None

    def __call__(self, *asked: Any) -> None:
        self._waiting = asked
        if self._running is None:
            self._running = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            await self._all()
        finally:
            self._running = None

    async def _all(self) -> None:
        while self._waiting is not None:
            asked, self._waiting = self._waiting, None
            await asyncio.sleep(self.rest)
            if self.rest and self._waiting is not None:
                continue
            try:
                self.show(await asyncio.to_thread(self.work, *asked))
            except Exception as error:  # a page has nobody else to tell
                self.fail(said(error))


def said(error: BaseException) -> str:
    """A failure as a sentence: in its own words if they are ours, else by its kind and place."""
    if isinstance(error, PlumeError):
        text = str(error)
        return text[:1].upper() + text[1:]
    return (
        f"Unexpected {type(error).__name__} at {discreet.place(error.__traceback__)}; "
        "please report it."
    )
