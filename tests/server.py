"""A real web server on this machine that can be told to misbehave."""

import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Asked:
    """One request, and what was sent for it."""

    path: str
    range: str | None
    condition: str | None
    agent: str
    status: int = 0
    sent: int = 0


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server.owner
        headers = self.headers
        self.asked = Asked(self.path, headers["Range"], headers["If-Range"], headers["User-Agent"])
        server.log.append(self.asked)
        act = server.acts.pop(0) if server.acts else whole
        act(self, server.files.get(self.path))

    def answer(self, status, body=b"", **headers):
        """Send headers and a body, which need not agree."""
        self.asked.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)
        self.asked.sent = len(body)

    def log_message(self, *_):
        pass


class Http(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a client that leaves is part of the tests


def etag(content):
    return f'"{hash(content):x}"'


def whole(handler, content, *, most=None, tag=None, obey=True):
    """Answer as a good server does; with `most`, send only so many bytes and hang up."""
    if content is None:
        handler.answer(404)
        return
    tag = etag(content) if tag is None else tag
    named = {"ETag": tag} if tag else {}
    wanted = re.fullmatch(r"bytes=(\d+)-", handler.headers["Range"] or "")
    same = not obey or handler.headers["If-Range"] in (None, tag)
    start = int(wanted[1]) if wanted and same else 0
    if wanted and same and start >= len(content):
        handler.answer(416)
        return
    if start:
        named["Content_Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
    rest = content[start:]
    handler.answer(206 if start else 200, rest[:most], Content_Length=len(rest), **named)


def cut(most, **how):
    """Hang up after so many bytes of the body."""
    return lambda handler, content: whole(handler, content, most=most, **how)


def plain(status, body=b"", **headers):
    """An answer that is the same whatever is asked."""
    return lambda handler, content: handler.answer(status, body, **headers)


@dataclass
class Server:
    """Files by path, what to do with the next requests, and what was asked so far."""

    port: int
    files: dict = field(default_factory=dict)
    acts: list = field(default_factory=list)
    log: list = field(default_factory=list)
    going_on: threading.Event = field(default_factory=threading.Event)

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def stall(self, most):
        """Send so many bytes, then nothing until `going_on` is set, then the rest."""

        def act(handler, content):
            handler.asked.status = 200
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(content)))
            handler.send_header("ETag", etag(content))
            handler.end_headers()
            handler.wfile.write(content[:most])
            handler.wfile.flush()
            self.going_on.wait()
            handler.wfile.write(content[most:])

        return act


@contextmanager
def serving():
    http = Http(("127.0.0.1", 0), Handler)
    http.owner = server = Server(http.server_address[1])
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.going_on.set()
        http.shutdown()
        thread.join()
        http.server_close()
