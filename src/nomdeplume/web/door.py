"""The door of the studio: who may come in, and under which rules a browser shows the page.

Other pages in the same browser can send requests to this machine too. So every request must
name this server as it is called (or a foreign name could be made to point here), come from its
own page, and bring the cookie that the address on the terminal, or the password, was given for.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from hmac import compare_digest
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs

from nomdeplume.web.answers import Answered, Limited, refusal
from nomdeplume.web.peer import is_somebody_else

MOST = 32 << 20  # bytes that somebody may send at once
TOO_LONG = f"Files may have up to {MOST >> 20} MB here."
COOKIE = "nomdeplume"
USUAL = 80  # the port that browsers leave out
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

Scope = dict[str, Any]


@dataclass(frozen=True)
class Door:
    """The names of this server, and what lets a browser in: a token, or else a password."""

    port: int
    names: frozenset[str]
    any_address: bool = False  # whether numbers of any kind are names too, as on 0.0.0.0
    password: str = field(default="", repr=False)
    token: str = field(default_factory=secrets.token_urlsafe, repr=False)
    session: str = field(default_factory=secrets.token_urlsafe, repr=False)

    @classmethod
    def at(cls, host: str, port: int, password: str = "") -> Door:
        """The door of a server that listens at a host."""
        names = frozenset({*LOOPBACK, bracketed(host)})
        if is_loopback(host):
            return cls(port, names, password=password)
        anywhere = host in ("0.0.0.0", "::", "")  # noqa: S104 - asked for, and behind a password
        return cls(port, names, anywhere, password)

    @property
    def cookie(self) -> str:
        """Cookies of one machine are shared by its ports: each server has its own."""
        return f"{COOKIE}-{self.port}"

    def refuses(self, scope: Scope) -> str:
        """Why a request is not let in, whoever sends it; nothing if it may come."""
        host = [value for name, value in scope["headers"] if name == b"host"]
        if len(host) != 1 or not self.known(host[0].decode("latin-1")):
            return "This server has another name; open the address that the terminal shows."
        origin, site = _header(scope, b"origin"), _header(scope, b"sec-fetch-site")
        if origin and origin != f"http://{host[0].decode('latin-1')}":
            return "Other pages may not send requests here."
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if changes and not origin:
            return "Only its own page may send something here."
        foreign = site in ("cross-site", "same-site")  # another port is the same site
        if foreign and (changes or _header(scope, b"sec-fetch-mode") != "navigate"):
            return "Other pages may not load anything from here."
        return ""

    def known(self, host: str) -> bool:
        """Whether a Host header names this server."""
        host = host.lower()
        if self.port == USUAL and not host.endswith(f":{USUAL}"):
            host = f"{host}:{USUAL}"
        name, _, port = host.rpartition(":")
        if not name or port != str(self.port):
            return False
        return name in self.names or (self.any_address and _is_number(name))

    def admits(self, scope: Scope) -> bool:
        """Whether the request brings the cookie of this session."""
        pairs = (part.strip().partition("=") for part in _header(scope, b"cookie").split(";"))
        values = [value for name, _, value in pairs if name == self.cookie]
        return any(same(value, self.session) for value in values)

    def opened_by(self, scope: Scope) -> bool:
        """Whether the request brings the token, as the address on the terminal does."""
        if self.password or scope["type"] != "http" or scope["path"] != "/":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        return same(given[0], self.token)

    def key(self) -> tuple[bytes, bytes]:
        """The header that hands a browser its cookie."""
        value = f"{self.cookie}={self.session}; Path=/; HttpOnly; SameSite=Strict"
        return b"set-cookie", value.encode()


@dataclass(frozen=True)
class Guard:
    """An ASGI application behind a door."""

    app: Any
    door: Door
    login: Any = None  # an ASGI application that asks for the password, if there is one

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        answered = Answered(scope, send)
        if reason := self.door.refuses(scope):
            await refusal(answered, 403, reason)
        elif self.door.opened_by(scope):
            if is_somebody_else(scope):
                await refusal(answered, 403, "The studio is another user's of this machine.")
            else:
                await _moved(answered, self.door.key())
        elif self.door.admits(scope):
            limited = Limited(receive, MOST)
            if limited.too_long(_header(scope, b"content-length")):
                await refusal(answered, 413, TOO_LONG)
            else:
                await self.app(scope, limited, Within(answered, limited))
        elif self.login is not None and scope["type"] == "http":
            await self.login(scope, Limited(receive, 1 << 12), answered)
        else:
            await refusal(answered, 403, "Open the address that the terminal shows: it has a key.")


@dataclass
class Within:
    """`send` for an application that may have been cut off: what it says then is not sent."""

    answered: Answered
    limited: Limited
    refused: bool = False

    async def __call__(self, message: dict[str, Any]) -> None:
        if not self.limited.over:
            await self.answered(message)
        elif not self.refused:
            self.refused = True
            await refusal(self.answered, 413, TOO_LONG)


async def _moved(send: Any, *headers: tuple[bytes, bytes]) -> None:
    """To the page itself, without the token in its address."""
    start = {"type": "http.response.start", "status": 303}
    await send({**start, "headers": [(b"location", b"/"), *headers]})
    await send({"type": "http.response.body", "body": b""})


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach a host."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def bracketed(host: str) -> str:
    """A host as addresses have it."""
    return f"[{host.strip('[]')}]".lower() if ":" in host else host.lower()


def same(one: str, other: str) -> bool:
    """Whether two secrets are one, in as much time whatever they have in common."""
    return compare_digest(one.encode(), other.encode())


def _is_number(name: str) -> bool:
    """Whether a host is an address by itself: nobody can make that point elsewhere."""
    try:
        return bool(ip_address(name.strip("[]")))
    except ValueError:
        return False


def _header(scope: Scope, name: bytes) -> str:
    found: Iterable[bytes] = (value for key, value in scope["headers"] if key == name)
    return b";".join(found).decode("latin-1")
