"""Full reports, for whoever made them: in memory, under a name that nobody guesses."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from nomdeplume.web.answers import OWN, PLAIN

PATH = "/report/"
GONE = "<p>This report went with the page that made it.</p>"
PAGES: dict[str, str] = {}  # of all open pages


@dataclass
class Reports:
    """Those of one page, which go with it."""

    names: list[str] = field(default_factory=list)

    @classmethod
    def here(cls) -> Reports:
        """The reports of the page that is being made."""
        from nicegui import ui

        found = cls()
        ui.context.client.on_delete(found.forget)
        return found

    def put(self, page: str) -> str:
        """Keep the newest one; its address."""
        self.forget()
        name = secrets.token_urlsafe()
        self.names.append(name)
        PAGES[name] = page
        return f"{PATH}{name}"

    def forget(self) -> None:
        for name in self.names:
            PAGES.pop(name, None)
        self.names.clear()


def serve(name: str) -> Any:
    """The answer to who asks for a report."""
    from starlette.responses import HTMLResponse

    page = PAGES.get(name)
    if page is None:
        return HTMLResponse(GONE, 404, {"content-security-policy": PLAIN})
    return HTMLResponse(page, headers={"content-security-policy": OWN})
