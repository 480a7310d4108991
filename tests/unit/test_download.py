import io
import json
import random
from threading import Thread
from urllib.request import Request

import pytest
from tests.server import cut, etag, plain, serving, whole
from tests.waiting import PATIENCE, until

from nomdeplume import TableError
from nomdeplume.table.shelf.download import _Guarded, fetch

CONTENT = random.Random(1).randbytes(300_000)
NEWER = random.Random(2).randbytes(310_000)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    with serving() as server:
        server.files["/file"] = CONTENT
        yield server


@pytest.fixture
def target(tmp_path):
    return tmp_path / "file"


def bring(server, target, path="/file", tries=1, **how):
    fetch(server.url(path), target, tries=tries, pause=0.001, timeout=PATIENCE, **how)


def left(target):
    return sorted(path.name for path in target.parent.iterdir())


def test_a_whole_file_arrives_and_nothing_else(server, target):
    steps = []
    bring(server, target, advance=lambda *step: steps.append(step))

    assert target.read_bytes() == CONTENT
    assert left(target) == ["file"]
    assert steps[0] == (0, 300_000)
    assert steps[-1] == (300_000, 300_000)
    assert steps == sorted(steps)
    assert server.log[0].agent.startswith("nomdeplume/")


def test_a_cut_download_is_continued_where_it_stopped(server, target):
    server.acts = [cut(100_000)]
    with pytest.raises(TableError, match=r"0\.1 MB of 0\.3 MB.*0\.1 MB are kept.*same command"):
        bring(server, target)
    assert left(target) == [".file.partial", ".file.partial.json"]
    bring(server, target)

    assert target.read_bytes() == CONTENT
    assert left(target) == ["file"]
    again = server.log[1]
    assert (again.range, again.condition) == ("bytes=100000-", etag(CONTENT))
    assert (again.status, again.sent) == (206, 200_000)


def test_lost_connections_are_taken_up_within_one_call(server, target):
    server.acts = [cut(1_000), cut(50_000), plain(503), cut(0)]
    bring(server, target, tries=5)

    assert target.read_bytes() == CONTENT
    starts = ["bytes=1000-", "bytes=51000-", "bytes=51000-", "bytes=51000-"]
    assert [asked.range for asked in server.log] == [None, *starts]


def test_tries_are_counted(server, target):
    server.acts = [cut(10)] * 3
    with pytest.raises(TableError, match="3 tries"):
        bring(server, target, tries=3)

    assert len(server.log) == 3


@pytest.mark.parametrize("obedient", [True, False], ids=["told so", "seen by the ETag"])
def test_a_file_that_changed_meanwhile_is_fetched_from_its_start(server, target, obedient):
    server.acts = [cut(100_000)]
    with pytest.raises(TableError):
        bring(server, target)
    server.files["/file"] = NEWER
    server.acts = [lambda handler, content: whole(handler, content, obey=obedient)]
    bring(server, target, tries=2)

    assert target.read_bytes() == NEWER
    assert left(target) == ["file"]


def test_a_file_that_shrank_meanwhile_is_fetched_from_its_start(server, target):
    server.acts = [cut(100_000, tag='"same"')]
    with pytest.raises(TableError):
        bring(server, target)
    server.files["/file"] = NEWER[:5_000]
    server.acts = [lambda handler, content: whole(handler, content, tag='"same"')] * 2
    bring(server, target, tries=2)

    assert [asked.status for asked in server.log] == [200, 416, 200]
    assert target.read_bytes() == NEWER[:5_000]


def test_a_server_that_ignores_ranges_sends_all_again(server, target):
    server.acts = [cut(100_000), plain(200, CONTENT, Content_Length=300_000)]
    bring(server, target, tries=2)

    assert server.log[1].range == "bytes=100000-"
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_a_file_of_no_stated_version_is_not_continued(server, target, tag):
    server.acts = [cut(100_000, tag=tag)]
    with pytest.raises(TableError, match="nothing is kept"):
        bring(server, target)
    assert left(target) == []
    server.acts = [cut(100_000, tag=tag)]
    bring(server, target, tries=2)

    assert [asked.range for asked in server.log] == [None, None, None]
    assert target.read_bytes() == CONTENT


def test_a_date_of_change_is_a_version(server, target):
    date = "Sat, 15 Nov 2025 10:00:00 GMT"
    lengths = {"Content_Length": 300_000, "Last_Modified": date}
    rest = {"Content_Range": "bytes 7-299999/300000", "Content_Length": 299_993}
    server.acts = [plain(200, CONTENT[:7], **lengths), plain(206, CONTENT[7:], **rest)]
    bring(server, target, tries=2)

    assert (server.log[1].range, server.log[1].condition) == ("bytes=7-", date)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("stated", "length", "body"),
    [
        ("bytes 0-299999/300000", 300_000, CONTENT),
        ("bytes 99999-299999/300000", 200_001, CONTENT[99_999:]),
        ("bytes 150000-299999/300000", 150_000, CONTENT[150_000:]),
        ("bytes 100000-299999/300001", 200_000, CONTENT[100_000:]),
        ("bytes 100000-299999/300000", 150_000, CONTENT[150_000:]),
        ("bytes 100000-300000/300000", None, CONTENT[100_000:] + b"."),
        ("bytes 100000-299999/300000", None, CONTENT[100_000:] + b"."),
        ("bytes */300000", 200_000, CONTENT[100_000:]),
        ("", 200_000, CONTENT[100_000:]),
    ],
)
def test_an_answer_that_contradicts_itself_is_refused(server, target, stated, length, body):
    lengths = {} if length is None else {"Content_Length": length}
    server.acts = [cut(100_000), plain(206, body, Content_Range=stated, **lengths)]
    with pytest.raises(TableError, match="must"):
        bring(server, target, tries=5)

    assert len(server.log) == 2
    assert left(target) == []


def test_a_part_that_nobody_asked_for_is_refused(server, target):
    server.acts = [plain(206, CONTENT[5:], Content_Range="bytes 5-299999/300000")]
    with pytest.raises(TableError, match="got HTTP 206"):
        bring(server, target)

    assert left(target) == []


def test_a_part_of_another_address_is_refused(server, target):
    part = {"Content_Range": "bytes 100000-299999/300000", "Content_Length": 200_000}
    server.acts = [cut(100_000), plain(206, CONTENT[100_000:], **part)]
    with pytest.raises(TableError, match="kept"):
        bring(server, target)
    with pytest.raises(TableError, match="got HTTP 206"):
        bring(server, target, "/mirror")

    assert left(target) == []


def test_a_shorter_part_than_asked_for_is_continued(server, target):
    part = {"Content_Range": "bytes 100000-199999/300000", "Content_Length": 100_000}
    server.acts = [cut(100_000), plain(206, CONTENT[100_000:200_000], **part)]
    bring(server, target, tries=3)

    assert server.log[2].range == "bytes=200000-"
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("status", [403, 404, 410])
def test_a_file_that_is_not_there_is_said_in_one_line(server, target, status):
    server.acts = [cut(1_000), plain(status)]
    with pytest.raises(TableError) as told:
        bring(server, target, tries=5)

    assert f"HTTP {status}" in str(told.value)
    assert server.url("/file") in str(told.value)
    assert "\n" not in str(told.value)
    assert len(server.log) == 2
    assert left(target) == []


def test_a_server_in_trouble_is_asked_again_and_then_named(server, target):
    server.acts = [plain(503)] * 3
    with pytest.raises(TableError, match="HTTP 503 Service Unavailable"):
        bring(server, target, tries=3)

    assert len(server.log) == 3
    assert left(target) == []


def test_nobody_there_is_an_error_of_one_line(server, target):
    url = server.url("/file").replace(str(server.port), "1")
    with pytest.raises(TableError, match="refused"):
        fetch(url, target, tries=2, pause=0.001)

    assert left(target) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/file",
        "http://127.0.0.1.example.org/file",
        "http://localhost@example.org/file",
        "https://name:secret@example.org/file",
        "https:///file",
        "https://exa mple.org/",
        "https://[::1/file",
        "ftp://127.0.0.1/file",
        "file:///etc/passwd",
        "glove.6B.zip",
        "",
    ],
)
def test_only_https_is_fetched_or_http_on_this_machine(target, url):
    with pytest.raises(TableError, match="must begin with https"):
        fetch(url, target, tries=1)

    assert left(target) == []


def test_redirects_are_followed_and_continued(server, target):
    to = server.url("/file")
    server.acts = [plain(302, Location=to), cut(9), plain(302, Location=to)]
    bring(server, target, "/moved", tries=2)

    assert [asked.range for asked in server.log] == [None, None, "bytes=9-", "bytes=9-"]
    assert target.read_bytes() == CONTENT


def test_a_redirect_to_an_unsafe_address_is_refused(server, target):
    server.acts = [plain(302, Location="http://example.org/file")]
    with pytest.raises(TableError, match=r"https.*example\.org"):
        bring(server, target)

    assert left(target) == []


@pytest.mark.parametrize("start", ["https", "http"])
def test_no_redirect_leads_from_https_to_http(start):
    request, to = Request(f"{start}://127.0.0.1/file"), "http://127.0.0.1/file"
    arguments = (request, io.BytesIO(), 302, "Found", {}, to)
    if start == "http":
        assert _Guarded().redirect_request(*arguments).full_url == to
    else:
        with pytest.raises(TableError, match="https"):
            _Guarded().redirect_request(*arguments)


def test_another_address_begins_again(server, target):
    server.files["/mirror"] = CONTENT
    server.acts = [cut(100_000)]
    with pytest.raises(TableError):
        bring(server, target)
    bring(server, target, "/mirror")

    assert server.log[1].range is None
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("note", ["", "[]", '{"url": 1, "version": 2, "total": 3}', "{"])
def test_a_part_without_a_whole_note_is_fetched_again(server, target, note):
    target.with_name(".file.partial").write_bytes(b"something else")
    target.with_name(".file.partial.json").write_text(note)
    bring(server, target)

    assert server.log[0].range is None
    assert target.read_bytes() == CONTENT


def test_what_was_complete_already_is_not_asked_for(server, target):
    note = {"url": server.url("/file"), "version": etag(CONTENT), "total": 300_000}
    target.with_name(".file.partial").write_bytes(CONTENT)
    target.with_name(".file.partial.json").write_text(json.dumps(note))
    bring(server, target)

    assert server.log == []
    assert target.read_bytes() == CONTENT
    assert left(target) == ["file"]


def test_a_second_download_of_the_same_file_is_refused_meanwhile(server, target):
    server.acts = [server.stall(100_000)]
    first = Thread(target=bring, args=(server, target))
    first.start()
    part = target.with_name(".file.partial")
    until(lambda: part.exists() and part.stat().st_size >= 100_000)
    try:
        with pytest.raises(TableError, match="only one download of file"):
            bring(server, target)
    finally:
        server.going_on.set()
        first.join()

    assert target.read_bytes() == CONTENT
    assert len(server.log) == 1


def test_a_chunked_answer_that_ends_early_is_not_taken_for_whole(server, target):
    def chunked(handler, content):
        handler.protocol_version = "HTTP/1.1"
        body = b"3e8\r\n" + content[:1000] + b"\r\n3e8\r\n" + content[1000:1500]
        handler.answer(200, body, Transfer_Encoding="chunked", Connection="close")
        handler.close_connection = True

    server.acts = [chunked]
    with pytest.raises(TableError, match="must be sent to its end"):
        bring(server, target)

    assert left(target) == []
