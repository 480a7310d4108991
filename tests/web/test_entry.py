"""Who comes in: by a password in a real browser, and not as another user of the machine."""

import os
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect
from tests.web.opened import PASSWORD, PATIENCE

from nomdeplume.web import peer
from nomdeplume.web.login import GUESSES, WAIT
from nomdeplume.web.peer import is_somebody_else, owners

MANY = 5 * GUESSES  # at a time: many more than may wait
NOBODY = 65534  # a user whom every Linux has
ASK = """exec 3<>/dev/tcp/127.0.0.1/$1
printf 'GET /?token=%s HTTP/1.0\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n' "$2" "$1" >&3
cat <&3"""


def test_a_password_opens_the_page_in_a_browser(shared, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(shared.origin)
    page.get_by_label("Password of this studio").fill("wrong as can be")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_text("That is not it.")).to_be_visible()
    page.get_by_label("Password of this studio").fill(PASSWORD)
    page.get_by_role("button", name="Open").click()

    expect(page.get_by_role("heading", name="nomdeplume studio")).to_be_visible()
    assert page.url == f"{shared.origin}/"
    context.close()


def test_those_who_guess_are_not_let_queue_for_ever(shared):
    body = urlencode({"password": "wrong as can be"}).encode()

    def guess(_):
        return shared.ask("/login", "POST", body, origin=shared.origin, patience=PATIENCE)[0]

    begun = time.monotonic()
    with ThreadPoolExecutor(MANY) as pool:
        answers = list(pool.map(guess, range(MANY)))
    took = time.monotonic() - begun

    assert set(answers) == {401, 429}
    assert GUESSES <= answers.count(401) <= took / WAIT  # one after the other


def test_those_who_hold_back_the_end_of_a_guess_get_no_place_in_the_line(shared):
    body = urlencode({"password": "wrong as can be"}).encode()
    head = (
        f"POST /login HTTP/1.1\r\nhost: {shared.name}\r\norigin: {shared.origin}\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    ).encode()
    with ExitStack() as open_lines:
        lines = [
            open_lines.enter_context(socket.create_connection(("127.0.0.1", shared.port), PATIENCE))
            for _ in range(MANY)
        ]
        for line in lines:
            line.sendall(head + body[:-1])
        right = urlencode({"password": PASSWORD}).encode()  # of somebody who comes after them
        opened = shared.ask("/login", "POST", right, origin=shared.origin)[0]
        begun = time.monotonic()
        for line in lines:
            line.sendall(body[-1:])
        answers = [line.recv(1 << 12).split()[1] for line in lines]
        took = time.monotonic() - begun

    assert opened == 303
    assert set(answers) == {b"401", b"429"}
    assert GUESSES <= answers.count(b"401") <= GUESSES + took / WAIT


def test_whose_connection_it_is_can_be_told():
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        with closing(socket.create_connection(server.getsockname())) as line:
            ports = (line.getsockname()[1], server.getsockname()[1])
            assert owners(*ports) == {os.geteuid()}
            scope = {"client": ("127.0.0.1", ports[0]), "server": ("127.0.0.1", ports[1])}
            assert not is_somebody_else(scope)
        assert owners(ports[1], ports[1]) == set()
    assert not is_somebody_else({"client": None, "server": None})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_of_the_machine_is_refused_with_the_very_key(studio):
    def ask(**who):
        command = ["bash", "-c", ASK, "ask", str(studio.port), studio.token]
        return subprocess.run(
            command, capture_output=True, check=True, timeout=PATIENCE, **who
        ).stdout

    assert ask().startswith(b"HTTP/1.1 303")
    refusal = ask(user=NOBODY)
    assert refusal.startswith(b"HTTP/1.1 403")
    assert b"another user" in refusal
    assert b"set-cookie" not in refusal.lower()


def test_where_nobody_tells_whose_they_are_nobody_is_somebody_else(monkeypatch):
    """As on other systems than Linux."""
    monkeypatch.setattr(peer, "LISTS", ("no-such-list",))

    assert owners(1, 2) == set()
