"""The server of the studio: one process, on this machine, that keeps nothing and logs nothing."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, Literal

from nomdeplume import discreet
from nomdeplume.errors import InputError, got
from nomdeplume.extras import installed
from nomdeplume.threads import cores
from nomdeplume.web.door import MOST, Door, Guard, bracketed, is_loopback
from nomdeplume.web.login import Login
from nomdeplume.web.reports import PATH
from nomdeplume.web.reports import serve as report
from nomdeplume.web.studio import Studio

LOGGERS = (
    *("nicegui", "uvicorn", "asyncio", "fastapi", "multipart", "python_multipart"),
    *("socketio", "socketio.server", "engineio", "engineio.server"),  # servers have their own
)
HARMLESS = ("ClientDisconnect",)  # a browser that went away, or sent too much
FROM_A_PAGE = "handle_log_message"  # where NiceGUI repeats what a browser complained about
SHORTEST = 10  # characters of a password
REMEMBERED = 50  # messages to a page, for a connection that breaks for a while
BROKEN = 60.0  # seconds that a page is kept for whose connection broke


LANGUAGE: Literal["en-GB"] = "en-GB"
ENDED = {  # what a page says whose server does not answer
    "connection_lost": "The studio does not answer. Was it ended?",
    "trying_to_reconnect": "A new one has a new address, on its terminal; what was not saved is "
    "gone with the old one.",
}


@dataclass(frozen=True)
class Place:
    """Where the studio listens, and behind which door."""

    socket: socket.socket
    door: Door
    host: str

    @classmethod
    def taken(cls, host: str, port: int, password: str = "") -> Place:
        """A free place; another host than this machine alone needs a password."""
        if password or not is_loopback(host):
            check(password)
        found = _bound(host, port)
        return cls(found, Door.at(host, found.getsockname()[1], password), host)

    @property
    def address(self) -> str:
        """What to open: with the token, unless a password is asked for."""
        plain = f"http://{bracketed(self.host)}:{self.door.port}/"
        return plain if self.door.password else f"{plain}?token={self.door.token}"


def check(password: str) -> None:
    """Refuse a password that is none."""
    if len(password) < SHORTEST:
        raise InputError(
            f"the studio needs a password of at least {SHORTEST} characters where others can "
            "reach it: --password."
        )


def serve(studio: Studio, place: Place, ready: Callable[[], None] = lambda: None) -> None:
    """The page, until it is interrupted; `ready` is called when it can be opened."""
    installed("nicegui", "pages", "web")
    import uvicorn

    quiet()
    door = place.door
    app = Guard(application(studio, shared=bool(door.password)), door, _login(door))
    config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False)
    server = uvicorn.Server(config)
    with closing(place.socket), suppress(KeyboardInterrupt):
        asyncio.run(_run(server, place, ready))


async def _run(server: Any, place: Place, ready: Callable[[], None]) -> None:
    # pictures of many pages at once would wait for each other, and each take memory meanwhile
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(cores()))
    task = asyncio.create_task(server.serve(sockets=[place.socket]))
    while not server.started and not task.done():
        await asyncio.sleep(0.02)
    gc.collect()
    gc.freeze()  # what is there before any page stays: only pages are looked through for what left
    if server.started:
        ready()
    await task


def application(studio: Studio, *, shared: bool = False) -> Any:
    """The page as an ASGI application; what comes through its door is trusted."""
    from fastapi import FastAPI
    from nicegui import ui
    from nicegui.translations import translations
    from starlette.formparsers import MultiPartParser

    from nomdeplume.web.page import draw

    MultiPartParser.spool_max_size = 2 * MOST  # more than the door lets in: nothing is on a disk
    translations[LANGUAGE] = translations[LANGUAGE] | ENDED
    app = FastAPI(openapi_url=None)
    app.get(PATH + "{name}")(report)
    ui.page(
        "/",
        title="nomdeplume studio",
        language=LANGUAGE,
        response_timeout=30,
        reconnect_timeout=BROKEN,
    )(lambda: draw(studio, shared=shared))
    ui.run_with(
        app,
        dark=None,
        tailwind=False,
        gzip_middleware_factory=None,
        show_welcome_message=False,
        message_history_length=REMEMBERED,
        binding_refresh_interval=None,
    )
    return app


def quiet() -> None:
    """Let nobody's logger quote what a page holds: kinds and places of errors are enough."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [Discreet()], False
        logger.setLevel(logging.ERROR)


class Discreet(logging.Handler):
    """Says that something went wrong, and where; never what it was about."""

    def emit(self, record: logging.LogRecord) -> None:
        kind, _, trace = record.exc_info or (None, None, None)
        name = kind.__name__ if kind else "error"
        if name in HARMLESS or record.funcName == FROM_A_PAGE:
            return
        where = discreet.place(trace) if trace else f"{record.filename}:{record.lineno}"
        discreet.tell(f"unexpected {name} at {where}.")


def _login(door: Door) -> Login | None:
    return Login(door) if door.password else None


def _bound(host: str, port: int) -> socket.socket:
    """A socket at a host and port; at any free port if it is 0."""
    plain = host.strip("[]")
    family = socket.AF_INET6 if ":" in plain else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((plain, port))
        found.listen()  # who opens the address early waits, and is not turned away
    except (OSError, OverflowError) as error:
        found.close()
        raise InputError(
            f"nothing can listen at {got(bracketed(host))}, port {port}; take another --port or "
            "--host."
        ) from error
    return found
