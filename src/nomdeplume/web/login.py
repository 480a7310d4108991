"""A page that asks for the password, where the studio is open to other machines."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from nomdeplume.web.answers import html
from nomdeplume.web.door import Door, same

WAIT = 1.0  # seconds that a wrong guess costs, one after the other
PATIENCE = 10.0  # seconds that a guess may take to arrive
GUESSES = 3  # that may wait for their turn
# Without this a browser hides from where the form is sent, and the door lets nobody in.
REFERRER = (b"referrer-policy", b"same-origin")
FORM = (
    '<form method="post" action="/login"><p><label for="p">Password of this studio</label></p><p>'
    '<input id="p" name="password" type="password" autocomplete="current-password" autofocus '
    "required> <button>Open</button></p>{said}</form>"
    "<p>The password and your texts go to the machine that runs the studio, and are not encrypted "
    "on their way.</p>"
)


@dataclass(frozen=True)
class Login:
    """An ASGI application: a form, and the cookie for who knows the password."""

    door: Door
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waiting: set[object] = field(default_factory=set)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["method"] != "POST":
            await _form(send)
            return
        try:
            body = await asyncio.wait_for(_body(receive), PATIENCE)
        except TimeoutError:
            await _form(send, 408, "That took too long; try it again.")
            return
        if len(self._waiting) >= GUESSES:  # looked at when all is here: nobody gets in line unseen
            await _form(send, 429, "Too many are guessing; try it again in a moment.")
        elif await self._right(body):
            await self._open(send)
        else:
            await _form(send, said="That is not it.")

    async def _right(self, body: bytes) -> bool:
        """Whether the password is right, which takes a while if it is not."""
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        guess = object()
        self._waiting.add(guess)
        try:
            async with self._turn:  # so that nobody guesses many at a time
                right = same(given, self.door.password)
                if not right:
                    await asyncio.sleep(WAIT)
        finally:
            self._waiting.discard(guess)
        return right

    async def _open(self, send: Any) -> None:
        headers = [(b"location", b"/"), self.door.key()]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


async def _form(send: Any, status: int = 401, said: str = "") -> None:
    await html(send, status, "nomdeplume", FORM.format(said=f"<p>{said}</p>"), REFERRER)


async def _body(receive: Any) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)
