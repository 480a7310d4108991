"""What the studio sends and takes: answers under a strict policy, and bodies of bounded length."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from nomdeplume.picture.writing import safe

# NiceGUI makes functions of the page's own attributes, which is eval to a browser; what somebody
# puts into the page still cannot run: scripts need a nonce, and none comes from elsewhere.
POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
PLAIN = (  # of small pages without a script
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
OWN = f"script-src 'unsafe-inline'; {PLAIN}"  # of reports, which name their script by hash
HEADERS = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
STYLE = (
    "body{margin:20vh auto;max-width:32rem;padding:0 1rem;font:1.1rem/1.5 system-ui,sans-serif;"
    "color:#1f2933;background:#fff}input,button{font:inherit;padding:.4rem .7rem}"
    "@media(prefers-color-scheme:dark){body{color:#e4e7eb;background:#14181d}}"
)


@dataclass
class Answered:
    """`send` of ASGI, with the headers that every answer has, and the nonce in every script."""

    scope: dict[str, Any]
    send: Any
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    _start: dict[str, Any] | None = None  # of a page, until all of it is there
    _page: bytes = b""

    async def __call__(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": self._headers(message)}
            if self._is_page(message):
                self._start = message
                return
        elif message["type"] == "http.response.body" and self._start is not None:
            self._page += message.get("body", b"")
            if not message.get("more_body"):
                await self._all()
            return
        await self.send(message)

    async def _all(self) -> None:
        start, self._start = self._start, None
        page = self._page.replace(b"<script", b'<script nonce="%s"' % self.nonce.encode())
        headers = [(k, v) for k, v in (start or {})["headers"] if k != b"content-length"]
        headers.append((b"content-length", str(len(page)).encode()))
        await self.send({**(start or {}), "headers": headers})
        await self.send({"type": "http.response.body", "body": page})

    def _headers(self, message: dict[str, Any]) -> list[tuple[bytes, bytes]]:
        given = [(key.lower(), value) for key, value in message.get("headers", [])]
        names = {key for key, _ in given}
        more = HEADERS | {"content-security-policy": POLICY.format(nonce=self.nonce)}
        if not self.scope["path"].startswith("/_nicegui/"):  # which holds nothing but programs
            more["cache-control"] = "no-store"
        return given + [
            (key.encode(), value.encode())
            for key, value in more.items()
            if key.encode() not in names
        ]

    def _is_page(self, message: dict[str, Any]) -> bool:
        """Whether it is the page that scripts of NiceGUI stand in."""
        return (b"x-nicegui-content", b"page") in message["headers"]


@dataclass
class Limited:
    """`receive` of ASGI, which ends where a body is longer than it may be."""

    receive: Any
    most: int
    seen: int = 0

    @property
    def over(self) -> bool:
        """Whether it was cut off."""
        return self.seen > self.most

    def too_long(self, length: str) -> bool:
        """Whether it is said to be so."""
        return length.isdigit() and int(length) > self.most

    async def __call__(self) -> dict[str, Any]:
        message: dict[str, Any] = await self.receive()
        if message["type"] == "http.request":
            self.seen += len(message.get("body", b""))
            if self.over:
                return {"type": "http.disconnect"}
        return message


async def refusal(answered: Answered, status: int, reason: str) -> None:
    """A sentence; of a websocket, its end."""
    if answered.scope["type"] == "websocket":
        await answered.send({"type": "websocket.close", "code": 4403})
        return
    await html(answered, status, "nomdeplume", f"<p>{safe(reason)}</p>")


async def html(answered: Any, status: int, title: str, body: str, *headers: Any) -> None:
    """A small page of our own."""
    head = f'<meta charset="utf-8"><title>{safe(title)}</title><style>{STYLE}</style>'
    look = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    page = f'<!doctype html><html lang="en"><head>{head}{look}</head><body>{body}</body></html>'
    data = page.encode()
    given = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(data)).encode()),
        (b"content-security-policy", PLAIN.encode()),
    ]
    await answered({"type": "http.response.start", "status": status, "headers": [*given, *headers]})
    await answered({"type": "http.response.body", "body": data})
