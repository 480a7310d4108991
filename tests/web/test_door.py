"""The door of the studio over real HTTP: who comes in, who does not, and under which policy."""

import re
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import urlencode

import pytest
from tests.web.opened import PASSWORD, PATIENCE, environment, opened
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from nomdeplume.web.door import MOST, Door

SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
CHUNK = 1 << 20


@pytest.fixture(scope="session")
def cookie(studio):
    """What the address on the terminal is exchanged for."""
    return studio.ask(f"/?token={studio.token}")[1]["set-cookie"].partition(";")[0]


def refused(answer, status=403):
    """Whether an answer is a sentence and nothing of the page."""
    found, headers, body = answer
    return found == status and "</p>" in body and "script" not in body and not headers["set-cookie"]


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/?other=1", "/report/x"])
def test_who_has_no_key_gets_a_sentence(studio, path):
    assert refused(studio.ask(path))
    assert "Open the address that the terminal shows" in studio.ask(path)[2]


def test_a_key_opens_only_the_page_and_only_as_it_is(studio):
    assert refused(studio.ask(f"/report/x?token={studio.token}"))
    assert refused(studio.ask(f"/?token={studio.token.lower()}"))
    assert refused(studio.ask(f"/?token={studio.token}x"))
    assert refused(studio.ask(cookie=f"nomdeplume-{studio.port}={studio.token}"))


def test_the_key_becomes_a_cookie_of_this_port(studio):
    status, headers, body = studio.ask(f"/?token={studio.token}")
    name, *rules = headers["set-cookie"].split("; ")

    assert (status, headers["location"], body) == (303, "/", "")
    assert name.startswith(f"nomdeplume-{studio.port}=")
    assert studio.token not in name
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(rules)
    assert headers["cache-control"] == "no-store"


def test_the_key_leaves_the_address_even_of_those_who_are_in(studio, cookie):
    status, headers, _ = studio.ask(f"/?token={studio.token}", cookie=cookie)

    assert (status, headers["location"]) == (303, "/")


def test_the_cookie_opens_the_page(studio, cookie):
    status, _, body = studio.ask(cookie=cookie)

    assert (status, "nomdeplume studio" in body) == (200, True)
    assert studio.ask(cookie=f"other=1; {cookie}")[0] == 200
    assert refused(studio.ask(cookie=cookie[:-1]))
    assert refused(studio.ask(cookie=cookie.replace(str(studio.port), str(studio.port + 1))))


@pytest.mark.parametrize(
    "host", ["evil.com:{}", "127.0.0.1", "127.0.0.1:1", "evil.127.0.0.1:{}", "192.168.0.1:{}", ""]
)
def test_another_name_is_refused_even_with_the_cookie(studio, cookie, host):
    assert refused(studio.ask(cookie=cookie, host=host.format(studio.port)))


def test_names_of_this_machine_are_known(studio, cookie):
    for name in ("127.0.0.1", "localhost", "LocalHost", "[::1]"):
        assert studio.ask(cookie=cookie, host=f"{name}:{studio.port}")[0] == 200


def test_two_names_or_none_are_refused(studio, cookie):
    assert studio.ask(cookie=cookie, host=[studio.name, "evil.com"])[0] in (400, 403)
    assert studio.ask(cookie=cookie, host=[studio.name, studio.name])[0] in (400, 403)
    assert studio.ask(cookie=cookie, host=None)[0] in (400, 403)


@pytest.mark.parametrize("origin", ["http://evil.com", "null", "https://{}", "http://127.0.0.1:1"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_pages_send_nothing_here(studio, cookie, origin, method):
    given = origin.format(studio.name)

    assert refused(studio.ask("/", method, b"", cookie=cookie, origin=given))


def test_what_changes_something_must_name_its_page(studio, cookie):
    assert refused(studio.ask("/", "POST", b"x", cookie=cookie))
    assert studio.ask("/", "POST", b"x", cookie=cookie, origin=studio.origin)[0] == 405


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_pages_load_nothing_but_may_link_here(studio, cookie, site):
    given = {"cookie": cookie, "sec_fetch_site": site}

    assert refused(studio.ask(**given, sec_fetch_mode="no-cors"))
    assert refused(studio.ask(**given))
    assert studio.ask(**given, sec_fetch_mode="navigate")[0] == 200
    assert studio.ask(cookie=cookie, sec_fetch_site="same-origin")[0] == 200


def joined(studio, **headers):
    """The first word of the server on a websocket, or the status of its refusal."""
    origin = headers.pop("origin", None)
    try:
        with connect(
            f"ws://{studio.name}{SOCKET}",
            origin=origin,
            additional_headers=headers,
            proxy=None,
            open_timeout=PATIENCE,
            close_timeout=5,
        ) as line:
            return line.recv(timeout=PATIENCE)[:1]
    except InvalidStatus as refusal:
        return refusal.response.status_code


def test_a_websocket_is_for_the_own_page_with_its_cookie(studio, cookie):
    assert joined(studio, origin=studio.origin, cookie=cookie) == "0"  # Engine.IO: open
    assert joined(studio, origin=studio.origin) == 403
    assert joined(studio, cookie=cookie) == 403
    for origin in ("http://evil.com", "null", f"https://{studio.name}"):
        assert joined(studio, origin=origin, cookie=cookie) == 403


def test_programs_of_the_page_need_the_cookie_too(studio, cookie):
    page = studio.ask(cookie=cookie)[2]
    paths = set(re.findall(r'["(](/_nicegui/[^")]+\.(?:js|css))[")]', page))

    assert len(paths) > 3
    for path in paths:
        assert refused(studio.ask(path))
        assert studio.ask(path, cookie=cookie)[0] == 200


def test_a_report_that_is_not_there_is_said_to_those_inside(studio, cookie):
    assert refused(studio.ask("/report/unknown", cookie=cookie), 404)
    assert refused(studio.ask("/report/unknown"))


def test_the_page_stands_under_a_strict_policy(studio, cookie):
    _, headers, page = studio.ask(cookie=cookie)
    policy = dict(
        each.strip().partition(" ")[::2] for each in headers["content-security-policy"].split(";")
    )
    [nonce] = re.findall(r"'nonce-([\w-]{20,})'", policy["script-src"])
    scripts = re.findall(r"<script[^>]*>", page)

    assert policy["default-src"] == "'none'"
    assert "unsafe-inline" not in policy["script-src"]
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert scripts
    assert all(f'nonce="{nonce}"' in each for each in scripts)
    assert nonce not in studio.ask(cookie=cookie)[2]  # another one each time
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["server"] is None


def test_refusals_have_the_headers_too(studio):
    _, headers, _ = studio.ask()

    assert headers["x-content-type-options"] == "nosniff"
    assert "script-src" not in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_the_page_asks_for_nothing_elsewhere(studio, cookie):
    page = studio.ask(cookie=cookie)[2]

    assert not re.findall(r'(?:src|href|from|url)\s*[=(]?\s*["\']?https?://', page)


def test_a_body_that_is_said_to_be_too_long_is_refused(studio, cookie):
    given = {"cookie": cookie, "origin": studio.origin}

    assert refused(studio.ask("/", "POST", b"x", **given, content_length=str(MOST + 1)), 413)


def test_a_body_that_turns_out_too_long_is_not_taken(studio, cookie):
    path = re.search(r"/_nicegui/client/[\w-]+/upload/\d+", studio.ask(cookie=cookie)[2])[0]
    head = (
        f"POST {path} HTTP/1.1\r\nhost: {studio.name}\r\ncookie: {cookie}\r\n"
        f"origin: {studio.origin}\r\ncontent-type: multipart/form-data; boundary=b\r\n"
        "transfer-encoding: chunked\r\n\r\n"
    ).encode()
    start = b"--b\r\ncontent-disposition: form-data; name=f; filename=f.txt\r\n\r\n"
    chunk = f"{CHUNK:x}\r\n".encode() + b"x" * CHUNK + b"\r\n"
    answer = b""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE) as line:
        try:
            line.sendall(head + f"{len(start):x}\r\n".encode() + start + b"\r\n")
            for _ in range(MOST // CHUNK + 2):
                line.sendall(chunk)
            line.sendall(b"0\r\n\r\n")
            answer = line.recv(1 << 16)
        except OSError:  # it does not listen any more
            pass

    assert not answer or answer.startswith(b"HTTP/1.1 413")
    assert studio.ask(cookie=cookie)[0] == 200
    assert "unexpected" not in studio.said


def test_a_studio_ends_when_it_is_interrupted(tmp_path):
    with opened(tmp_path) as studio:
        studio.ask()
        studio.process.send_signal(signal.SIGINT)

        assert studio.process.wait(timeout=PATIENCE) == 0
        assert studio.said.endswith("the studio is closed; what was not saved is gone.\n")


def test_a_password_is_asked_for_on_loopback_too(tmp_path):
    with opened(tmp_path, "--password", PASSWORD) as studio:
        assert studio.ask()[0] == 401
        assert studio.token == ""
        assert PASSWORD not in studio.said


@pytest.mark.parametrize("password", ["", "too short"])
def test_others_are_let_in_by_a_password_or_not_at_all(tmp_path, password):
    told = subprocess.run(
        [sys.executable, "-m", "nomdeplume", "studio", "--no-browser", "--host", "0.0.0.0"],
        env=environment(tmp_path) | {"NOMDEPLUME_STUDIO_PASSWORD": password},
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )

    assert told.returncode == 2
    assert (
        b"needs a password of at least 10 characters where others can reach it: --password."
        in told.stderr
    )
    assert password.encode() not in told.stderr or not password


def test_a_studio_for_others_warns_and_prints_no_key(shared):
    assert "others on the network can read" in shared.said
    assert (shared.token, PASSWORD in shared.said) == ("", False)
    assert shared.address == f"http://0.0.0.0:{shared.port}/"


def test_a_password_is_asked_for(shared):
    status, headers, page = shared.ask()

    assert (status, 'type="password"' in page, headers["set-cookie"]) == (401, True, None)
    assert "form-action 'self'" in headers["content-security-policy"]
    assert shared.ask("/?token=")[0] == 401
    assert shared.ask("/report/x")[0] == 401
    assert joined(shared, origin=shared.origin) == 403


def login(studio, password):
    body = urlencode({"password": password}).encode()
    return studio.ask("/login", "POST", body, origin=studio.origin)


def test_a_wrong_password_costs_time_and_the_right_one_opens(shared):
    began = time.monotonic()
    status, headers, page = login(shared, PASSWORD[:-1])
    took = time.monotonic() - began
    assert (status, headers["set-cookie"], "That is not it." in page) == (401, None, True)
    assert took > 0.9

    status, headers, _ = login(shared, PASSWORD)
    assert (status, headers["location"]) == (303, "/")
    assert "HttpOnly; SameSite=Strict" in headers["set-cookie"]
    cookie = headers["set-cookie"].partition(";")[0]
    assert shared.ask(cookie=cookie)[0] == 200
    assert shared.ask(cookie=cookie, host=f"192.168.7.9:{shared.port}")[0] == 200
    assert refused(shared.ask(cookie=cookie, host=f"evil.com:{shared.port}"))


def test_a_password_from_another_page_is_not_looked_at(shared):
    body = urlencode({"password": PASSWORD}).encode()

    assert refused(shared.ask("/login", "POST", body, origin="http://evil.com"))
    assert refused(shared.ask("/login", "POST", body))


@pytest.mark.parametrize(
    ("at", "names", "not_names"),
    [
        ("127.0.0.1", ["127.0.0.1:8", "localhost:8", "[::1]:8"], ["10.0.0.1:8", "::1:8", ":8"]),
        ("127.0.0.2", ["127.0.0.2:8", "localhost:8"], ["127.0.0.3:8"]),
        ("::1", ["[::1]:8", "LOCALHOST:8"], ["[::2]:8", "[::1]", "[::1]:80"]),
        ("::", ["[2001:db8::7]:8", "10.0.0.1:8"], ["evil.com:8", "10.0.0.1.evil.com:8"]),
        ("0.0.0.0", ["10.0.0.1:8", "[fe80::1]:8"], ["evil.com:8", "10.0.0.1:9", "x[::1]:8"]),
        ("fd00::5", ["[fd00::5]:8", "[FD00::5]:8"], ["[fd00::6]:8", "10.0.0.1:8"]),
        ("box.lan", ["box.lan:8", "Box.LAN:8"], ["box.lan.evil.com:8", "10.0.0.1:8"]),
    ],
)
def test_a_door_knows_the_names_of_its_server(at, names, not_names):
    door = Door.at(at, 8, PASSWORD)

    assert [name for name in names if not door.known(name)] == []
    assert [name for name in not_names if door.known(name)] == []


def test_a_door_at_the_usual_port_is_known_without_it():
    door = Door.at("127.0.0.1", 80)

    assert door.known("127.0.0.1")
    assert door.known("[::1]")
    assert door.known("localhost:80")
    assert not door.known("evil.com")
    assert not door.known("")


def asking(host, **more):
    headers = [(name.replace("_", "-").encode(), value.encode()) for name, value in more.items()]
    return {
        "type": "http",
        "method": "GET",
        "headers": [(b"host", host.encode()), *headers],
    }


def test_a_door_compares_where_a_request_comes_from_with_where_it_goes():
    door = Door.at("::1", 8)

    assert not door.refuses(asking("[::1]:8", origin="http://[::1]:8"))
    assert door.refuses(asking("[::1]:8", origin="http://localhost:8"))
    assert door.refuses(asking("[::2]:8"))
    assert door.refuses({**asking("[::1]:8"), "type": "websocket"})
    assert Door.at("0.0.0.0", 8, PASSWORD).refuses(asking("evil.com:8"))


def test_every_door_has_its_own_keys():
    one, other = Door.at("127.0.0.1", 8), Door.at("127.0.0.1", 8)

    assert len({one.token, other.token, one.session, other.session}) == 4
    assert one.token not in repr(one)
    assert one.session not in repr(one)
    assert min(map(len, (one.token, one.session))) >= 43  # 256 bits
