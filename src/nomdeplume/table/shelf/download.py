"""A file from the web: continued where it stopped, refused where the answer contradicts itself."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from email.message import Message
from http.client import HTTPException, HTTPResponse, InvalidURL
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from nomdeplume._version import __version__
from nomdeplume.errors import TableError, got
from nomdeplume.table.shelf.partial import Lost, Note, Partial

CHUNK = 1 << 20  # bytes in memory at a time
HERE = ("localhost", "127.0.0.1", "::1")
PASSING = (408, 425, 429, 500, 502, 503, 504)  # what a server answers that may soon do better
RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")

Extent = tuple[int | None, int | None]  # where an answer ends, and where the file does
Advance = Callable[[int, int | None], None]  # is told the bytes that are there, and those in all


def silent(_: int, __: int | None) -> None:
    """Advance without telling anybody."""


def fetch(
    url: str,
    target: Path,
    *,
    advance: Advance = silent,
    tries: int = 5,
    pause: float = 1.0,
    timeout: float = 60.0,
) -> None:
    """Bring the file at `url` to `target`, where it appears whole or not at all.

    A lost connection is taken up again where it ended, `tries` times in all and by the
    next call; but only if the server says that the file is still the same.
    """
    safe(url)
    with Partial(target) as partial:
        lost = ""
        for number in range(tries):
            time.sleep(pause * (2**number - 1))
            try:
                _take_up(partial, url, timeout, advance)
            except Lost as error:
                lost = str(error)
            else:
                partial.publish()
                return
        kept = f"{megabytes(partial.size)} are kept, and the same command goes on from there."
        none = "nothing is kept, as there is no telling whether the file stays the same."
        raise Lost(
            f"{url} must be sent to its end, got {lost} ({tries} tries); "
            f"{kept if partial.continuable else none if partial.size else 'try again later.'}"
        )


def safe(url: str, *, referrer: str = "http") -> None:
    """Refuse an address that is not https; http is for this machine, and not from an https page."""
    try:
        parts = urlsplit(url)
        local = parts.scheme == "http" == referrer and parts.hostname in HERE
        fine = (parts.scheme == "https" or local) and parts.hostname and parts.username is None
    except ValueError:
        fine = False
    if not fine or not url.isascii() or not url.isprintable() or " " in url:
        raise TableError(
            "the address must begin with https:// (or be http:// on this machine) and hold "
            f"neither spaces nor a password, got {got(url)}."
        )


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


class _Guarded(HTTPRedirectHandler):
    """Follows redirects to safe addresses only."""

    def redirect_request(  # noqa: PLR0917 - urllib's signature
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        try:
            safe(newurl, referrer=req.type)
        except TableError:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _take_up(partial: Partial, url: str, timeout: float, advance: Advance) -> None:
    """Ask once for what is missing, and append it."""
    note = partial.note if partial.continuable else None
    if note and note.url == url and note.total == partial.size:
        return
    request = Request(url, headers={"User-Agent": f"nomdeplume/{__version__}"})  # noqa: S310 - safe
    if note and note.url == url:
        request.add_header("Range", f"bytes={partial.size}-")
        request.add_header("If-Range", note.version)
    with _answer(request, partial, timeout) as response:
        end, total = _agree(response, partial, request)
        advance(partial.size, total)
        while piece := _piece(response):
            if end is not None and partial.size + len(piece) > end:
                raise TableError(f"{url} must end after {end:,} bytes, got more; try a mirror.")
            partial.append(piece)
            advance(partial.size, total)
    if total is not None and partial.size < total:
        raise Lost(f"{megabytes(partial.size)} of {megabytes(total)}")


def _answer(request: Request, partial: Partial, timeout: float) -> HTTPResponse:
    """The server's answer; one that says no is an error."""
    try:
        answer: HTTPResponse = build_opener(_Guarded).open(request, timeout=timeout)
    except HTTPError as error:
        error.close()
        if error.code == 416:  # there is no such part
            partial.restart(None)
        said = f"HTTP {error.code} {error.reason}"
        if error.code in (416, *PASSING):
            raise Lost(said) from None
        raise TableError(f"{request.full_url} must be a file to fetch, got {said}.") from None
    except (InvalidURL, UnicodeError) as error:
        raise TableError(f"the address must be one of the web, got {error}.") from None
    except (OSError, HTTPException) as error:
        raise Lost(_cause(error)) from None
    return answer


def _agree(response: HTTPResponse, partial: Partial, request: Request) -> Extent:
    """Where this answer will end and how long the file is; the partial begins again if it must."""
    version = _version(response.headers)
    if response.status == 200:
        total = response.length
        partial.restart(Note(request.full_url, version, total) if version else None)
        return total, total
    stated = RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status != 206 or not stated or not partial.note or not request.has_header("Range"):
        raise TableError(f"{request.full_url} must be a file, got HTTP {response.status}.")
    if version not in (None, partial.note.version):
        partial.restart(None)
        raise Lost("another version of the file")
    start, end, total = int(stated[1]), int(stated[2]) + 1, int(stated[3])
    length = end - start if response.length is None else response.length
    whole = total if partial.note.total is None else partial.note.total
    if start != partial.size or not start < end <= total == whole or length != end - start:
        raise TableError(
            f"{request.full_url} must go on at byte {partial.size:,} of {whole:,}, "
            f"got {stated[0]!r}; nothing is kept, fetch again or try a mirror."
        )
    return end, total


def _version(headers: Message) -> str | None:
    """What tells this version of a file from others: a strong ETag, or else the date of change."""
    etag = headers.get("ETag", "")
    return etag if etag.startswith('"') else headers.get("Last-Modified")


def _piece(response: HTTPResponse) -> bytes:
    """Some bytes as they arrive, none at the end."""
    try:
        return response.read1(CHUNK)
    except (OSError, HTTPException) as error:
        raise Lost(_cause(error)) from None


def _cause(error: Exception) -> str:
    return str(getattr(error, "reason", error)) or type(error).__name__
