"""A long job on the page: how far it is, and a button that ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from nicegui import ui

from nomdeplume.web.jobs import Cancelled, Job
from nomdeplume.web.latest import said
from nomdeplume.web.panels.parts import complaint, words

AT_ONCE = 2  # jobs of all pages together
PAUSE = 0.1  # seconds between two looks whether there is room
BUSY: set[Running] = set()  # those whose jobs are at work


class Running:
    """One job at a time; leaving the page ends it."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self.wanted = False
        self.row = ui.element("div").classes("np-col").props("role=status aria-live=polite")
        with self.row:
            self.bar = ui.linear_progress(0, show_value=False, size=".6rem").props(
                'rounded aria-label="Progress"'
            )
            with ui.element("div").classes("np-row"):
                self.label = words("", "np-soft")
                ui.button("Cancel", on_click=self.cancel).props("flat dense color=primary")
        self.row.set_visibility(False)
        self.complaint = complaint()
        ui.context.client.on_delete(self.cancel)

    def cancel(self) -> None:
        self.wanted = False
        if self.job is not None:
            self.job.cancel()

    def refuse(self, error: Exception) -> None:
        """Say why nothing is begun."""
        self.complaint.set_text(said(error))

    async def run(self, function: Callable[..., Any], *args: Any) -> Any:
        """What comes of it; nothing if it was cancelled or failed, which is said."""
        if self.wanted:
            return None
        self.complaint.set_text("")
        self.wanted = True
        self._told(0.0, "starting" if _room() else "waiting for another job")
        self.row.set_visibility(True)
        try:
            while self.wanted and not _room():
                await asyncio.sleep(PAUSE)
            if not self.wanted:
                raise Cancelled("cancelled.")
            BUSY.add(self)
            self.job = Job.start(function, *args)
            async for share, what in self.job.progress():
                self._told(share, what)
            return await self.job.result()
        except Cancelled:
            self.complaint.set_text("Cancelled.")
        except Exception as error:  # a page has nobody else to tell
            self.complaint.set_text(said(error))
        finally:
            BUSY.discard(self)
            self.job, self.wanted = None, False
            self.row.set_visibility(False)

    def _told(self, share: float, what: str) -> None:
        self.bar.set_value(round(share, 3))
        self.label.set_text(f"{share:.0%}: {what}")


def _room() -> bool:
    return len(BUSY) < AT_ONCE
