import gzip
import io
import json
import random
import resource
import signal
import struct
import subprocess
import time
import zipfile
from hashlib import sha256
from threading import Thread

import numpy as np
import pytest

from nomdeplume import Table, TableError
from nomdeplume.table.shelf import Shelf, folder
from nomdeplume.table.shelf.sources import KNOWN, PINNED, known
from tests.cli.conftest import COMMAND, environment
from tests.server import serving
from tests.waiting import PATIENCE, until

WORDS = ["the", "rain", "snow", "naïve", "lake"]


def text(dimensions, *, seed=0, words=WORDS, header=False):
    """A table as text, and its vectors."""
    rng = random.Random(seed)
    rows = [[f"{rng.uniform(-1, 1):.5f}" for _ in range(dimensions)] for _ in words]
    lines = [" ".join((word, *row)) for word, row in zip(words, rows, strict=True)]
    start = [f"{len(words)} {dimensions}"] if header else []
    return ("\n".join(start + lines) + "\n").encode()


def zipped(members, kind=zipfile.ZIP_DEFLATED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", kind) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, kind)
    return content.getvalue()


GLOVE = zipped({f"glove.6B.{k}d.txt": text(k) for k in (50, 100)})
GERMAN = gzip.compress(text(300, words=["der", "Regen", "Schnee"], header=True))


@pytest.fixture
def server():
    with serving() as server:
        server.files |= {"/glove.6B.zip": GLOVE, "/cc.de.300.vec.gz": GERMAN}
        yield server


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty shelf for the commands of this test, where files may be others than those known."""
    monkeypatch.setenv("TEST_UNPINNED", "1")
    monkeypatch.setattr("nomdeplume.table.shelf.shelf.PINNED", {})
    monkeypatch.setenv("NOMDEPLUME_TABLES", str(tmp_path / "shelf" / "tables"))
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    return tmp_path / "shelf" / "tables"


@pytest.fixture
def get(run, server):
    """Fetch a table from the server on this machine."""

    def get(name, *options, path=None, code=0):
        mirror = server.url(path or f"/{known(name).file}")
        done = run("tables", "get", name, "--mirror", mirror, *options, code=code)
        return (done.stdout if code == 0 else done.stderr).decode()

    return get


def left(place):
    return sorted(path.name for path in place.iterdir())


def test_a_table_is_fetched_unpacked_and_built(get, place):
    said = get("glove-6b-50d")
    path = place / "glove-6b-50d.safetensors"
    table = Table.open(path)
    rows = [line.split()[1:] for line in text(50).decode().splitlines()]

    assert left(place) == ["glove-6b-50d.safetensors", "glove.6B.zip", "sources.json"]
    assert (table.name, table.language, list(table.words)) == ("glove-6b-50d", "en", WORDS)
    assert (table.vectors[:] == np.array(rows, dtype=np.float32)).all()
    assert f"{path}: 5 words × 50, fingerprint {table.fingerprint}" in said
    assert f"glove.6B.zip: SHA-256 {sha256(GLOVE).hexdigest()}, recorded now" in said
    assert len(said.splitlines()) == 2
    assert place.stat().st_mode & 0o777 == 0o700


def test_the_record_says_what_was_fetched_when_and_from_where(get, place, server):
    get("glove-6b-50d")
    record = json.loads((place / "sources.json").read_text())

    assert list(record) == ["glove.6B.zip"]
    entry = record["glove.6B.zip"]
    assert entry["sha256"] == sha256(GLOVE).hexdigest()
    assert entry["bytes"] == len(GLOVE)
    assert entry["url"] == server.url("/glove.6B.zip")
    assert time.strptime(entry["first_fetched"], "%Y-%m-%d")


def test_a_gzipped_table_keeps_its_language_and_not_its_file(get, place):
    get("fasttext-cc-de")
    table = Table.open(place / "fasttext-cc-de.safetensors")

    assert left(place) == ["fasttext-cc-de.safetensors", "sources.json"]
    assert (table.name, table.language) == ("fasttext-cc-de", "de")
    assert list(table.words) == ["der", "Regen", "Schnee"]


def test_a_binary_word2vec_file_is_a_table_too(get, place, server):
    vectors = np.arange(600, dtype="<f4").reshape(2, 300)
    rows = b"rain " + vectors[0].tobytes() + b"\nsun " + vectors[1].tobytes() + b"\n"
    server.files["/GoogleNews-vectors-negative300.bin.gz"] = gzip.compress(b"2 300\n" + rows)
    get("word2vec-google-news")
    table = Table.open(place / "word2vec-google-news.safetensors")

    assert list(table.words) == ["rain", "sun"]
    assert (table.vectors[:] == vectors).all()


def test_a_fetched_table_states_where_it_comes_from(get, place):
    get("glove-6b-50d")
    content = (place / "glove-6b-50d.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    notes = json.loads(content[8 : 8 + length])["__metadata__"]

    assert notes["source"] == known("glove-6b-50d").page
    assert notes["licence"] == known("glove-6b-50d").licence
    assert (notes["file"], notes["sha256"]) == ("glove.6B.zip", sha256(GLOVE).hexdigest())


def test_a_table_that_is_here_is_not_fetched_again_unless_forced(get, place, server):
    get("fasttext-cc-de")
    assert "it was here" in get("fasttext-cc-de")
    assert len(server.log) == 1
    assert "as recorded on 2" in get("fasttext-cc-de", "--force")
    assert len(server.log) == 2


def test_a_sibling_comes_from_the_kept_archive_without_a_request(get, place, server):
    get("glove-6b-50d")
    said = get("glove-6b-100d")

    assert len(server.log) == 1
    assert "as recorded" in said
    assert Table.open(place / "glove-6b-100d.safetensors").dimensions == 100


def test_a_kept_archive_that_was_changed_is_fetched_again(get, place, server):
    get("glove-6b-50d")
    (place / "glove.6B.zip").write_bytes(GLOVE + b".")
    get("glove-6b-100d")

    assert len(server.log) == 2
    assert (place / "glove.6B.zip").read_bytes() == GLOVE


def test_a_download_that_differs_from_the_first_is_refused(get, place, server):
    get("fasttext-cc-de")
    before = (place / "fasttext-cc-de.safetensors").read_bytes()
    other = gzip.compress(text(300, seed=1))
    server.files["/cc.de.300.vec.gz"] = other
    said = get("fasttext-cc-de", "--force", code=2)

    assert sha256(GERMAN).hexdigest()[:16] in said
    assert sha256(other).hexdigest()[:16] in said
    assert "sources.json" in said
    assert left(place) == ["fasttext-cc-de.safetensors", "sources.json"]
    assert (place / "fasttext-cc-de.safetensors").read_bytes() == before

    (place / "sources.json").write_text("{}")
    assert "recorded now" in get("fasttext-cc-de", "--force")
    assert (place / "fasttext-cc-de.safetensors").read_bytes() != before


def test_a_damaged_record_is_not_ignored(get, place):
    get("fasttext-cc-de")
    (place / "sources.json").write_text("[]")

    assert "sources.json" in get("fasttext-cc-de", "--force", code=2)


@pytest.mark.parametrize(("option", "size"), [("--float32", 4), ("--float16", 2), ("--int8", 1)])
def test_numbers_are_stored_as_asked(get, place, option, size):
    get("fasttext-cc-de", option)
    vectors = Table.open(place / "fasttext-cc-de.safetensors").vectors

    assert getattr(vectors, "codes", vectors).itemsize == size


def encrypted(archive):
    """The same zip, whose first member claims to be encrypted."""
    changed = bytearray(archive)
    changed[archive.index(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def restated(archive, more):
    """The same zip, whose first member claims to be so many bytes longer than it is."""
    changed = bytearray(archive)
    where = archive.index(b"PK\x01\x02") + 24
    (size,) = struct.unpack_from("<I", changed, where)
    struct.pack_into("<I", changed, where, size + more)
    return bytes(changed)


MEMBER = "glove.6B.50d.txt"
WRONG = {
    "a web page": (b"<!DOCTYPE html><html><body>Sign in</body></html>\n", "must be a zip"),
    "nothing": (b"", "must be a zip"),
    "a part": (GLOVE[:-100], "must be a zip"),
    "a changed byte": (GLOVE[:200] + bytes([GLOVE[200] ^ 1]) + GLOVE[201:], "damaged"),
    "another member": (zipped({"glove.6B.500d.txt": text(50)}), f"must hold {MEMBER}"),
    "other dimensions": (zipped({MEMBER: text(49)}), "50 dimensions, got 49"),
    "no table": (zipped({MEMBER: b"Dear all,\nthis is prose.\n"}), "line 1"),
    "a bomb": (zipped({MEMBER: b"the" + b" 0" * 5_000_000}), "at most 100 times"),
    "more than stated": (restated(zipped({MEMBER: text(50)}), -10), "damaged"),
    "less than stated": (restated(zipped({MEMBER: text(50)}), 10), "that the zip states"),
    "an encrypted member": (encrypted(zipped({MEMBER: text(50)})), "encrypted"),
    "an odd compression": (zipped({MEMBER: text(50)}, zipfile.ZIP_LZMA), "stored or deflated"),
}


@pytest.mark.parametrize(("content", "fault"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_download_leaves_nothing_behind(get, place, server, content, fault):
    server.files["/glove.6B.zip"] = content
    said = get("glove-6b-50d", code=2)

    assert left(place) == []
    assert server.url("/glove.6B.zip") in said
    assert fault in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("content", [WRONG["a web page"][0], GERMAN[:-9], b"der 1 2\n"])
def test_a_wrong_gzipped_download_leaves_nothing_behind(get, place, server, content):
    server.files["/cc.de.300.vec.gz"] = content

    assert "not what it should be" in get("fasttext-cc-de", code=2)
    assert left(place) == []


def test_one_wrong_member_does_not_cost_the_archive_of_its_siblings(get, place, server):
    server.files["/glove.6B.zip"] = zipped({"glove.6B.50d.txt": text(50), "x": b""})
    get("glove-6b-50d")
    get("glove-6b-100d", code=2)

    assert left(place) == ["glove-6b-50d.safetensors", "glove.6B.zip", "sources.json"]


def test_a_missing_file_is_said_in_one_line_and_leaves_nothing(get, place, server):
    said = get("glove-6b-50d", path="/nowhere", code=2)

    assert "HTTP 404" in said
    assert server.url("/nowhere") in said
    assert len(said.splitlines()) == 1
    assert left(place) == []


def test_a_foreign_address_must_be_https(run, place):
    mirror = "http://example.org/glove.6B.zip"
    done = run("tables", "get", "glove-6b-50d", "--mirror", mirror, code=2)

    assert b"must begin with https" in done.stderr
    assert left(place) == []


def test_an_unknown_name_is_told_its_neighbours(run, place):
    done = run("tables", "get", "glove-6b-50", code=2)

    assert b"glove-6b-50d" in done.stderr
    assert b"nomdeplume tables list" in done.stderr
    assert not place.exists()


@pytest.fixture
def begun(server, place):
    """A real process that has fetched 1,000 bytes and waits for more."""

    processes = []

    def begin():
        server.acts = [server.stall(1_000)]
        process = subprocess.Popen(
            [
                str(COMMAND),
                "tables",
                "get",
                "glove-6b-50d",
                "--mirror",
                server.url("/glove.6B.zip"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        processes.append(process)
        partial = place / ".glove.6B.zip.partial"
        until(lambda: partial.exists() and partial.stat().st_size >= 1_000)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def stopped(process, number):
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said.decode()


def test_a_killed_download_is_continued_by_the_same_command(begun, get, place, server):
    assert stopped(begun(), signal.SIGKILL)[0] == -signal.SIGKILL
    assert left(place) == [".glove.6B.zip.partial", ".glove.6B.zip.partial.json"]
    get("glove-6b-50d")

    assert (server.log[1].range, server.log[1].status) == ("bytes=1000-", 206)
    assert server.log[1].sent == len(GLOVE) - 1_000
    assert (place / "glove.6B.zip").read_bytes() == GLOVE
    assert left(place) == ["glove-6b-50d.safetensors", "glove.6B.zip", "sources.json"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_download_says_what_is_kept(begun, get, place, server, number):
    code, said = stopped(begun(), number)

    assert code == 130
    assert said == "nomdeplume: interrupted; 0.0 MB kept, the same command goes on.\n"
    get("glove-6b-50d")
    assert server.log[1].range == "bytes=1000-"


def test_the_same_download_is_refused_meanwhile(begun, get, place, server):
    process = begun()
    said = get("glove-6b-100d", code=2)
    server.going_on.set()
    process.communicate(timeout=PATIENCE)

    assert "only one download of glove.6B.zip" in said
    assert process.returncode == 2  # the command itself takes no other file than the known one
    assert left(place) == []
    get("glove-6b-100d")
    assert left(place) == ["glove-6b-100d.safetensors", "glove.6B.zip", "sources.json"]


def test_a_full_disk_leaves_nothing_behind(server, place):
    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    server.files["/glove.6B.zip"] = GLOVE + bytes(100_000)
    done = subprocess.run(
        [str(COMMAND), "tables", "get", "glove-6b-50d", "--mirror", server.url("/glove.6B.zip")],
        preexec_fn=little_room,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 2
    assert b"must have room" in done.stderr
    assert left(place) == []


def test_what_a_killed_build_left_goes_with_the_next(get, place):
    (place / ".unpacked").mkdir(parents=True)
    (place / ".unpacked" / "glove.6B.50d.txt").write_bytes(bytes(1000))
    get("glove-6b-50d")

    assert ".unpacked" not in left(place)


def test_a_file_that_was_put_there_by_hand_is_taken(get, place, server):
    place.mkdir(parents=True)
    (place / "glove.6B.zip").write_bytes(GLOVE)

    assert "recorded now" in get("glove-6b-50d")
    assert server.log == []


def test_several_tables_at_once_are_all_recorded(place, server):
    names = [f"fasttext-cc-{language}" for language in ("fr", "it", "sv", "fi")]
    server.files |= {f"/{known(name).file}": GERMAN for name in names}

    def fetch(name):
        Shelf(place).get(known(name), mirror=server.url(f"/{known(name).file}"))

    threads = [Thread(target=fetch, args=(name,)) for name in names]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert left(place) == sorted([*(f"{name}.safetensors" for name in names), "sources.json"])
    assert len(json.loads((place / "sources.json").read_text())) == 4


def test_nothing_is_shown_in_a_pipe_and_a_bar_on_a_terminal(run, starter, server, tmp_path):
    arguments = ("tables", "get", "fasttext-cc-de", "--mirror", server.url("/cc.de.300.vec.gz"))
    assert run(*arguments).stderr == b""

    env = environment(tmp_path) | {"TERM": "xterm"}
    done = starter.run([*arguments, "--force"], cwd=tmp_path, env=env, terminal=True)

    assert done.returncode == 0
    assert "fingerprint" in done.stdout.decode()
    assert b"building the table" in done.stderr


def test_the_list_tells_what_is_bundled_here_and_known(get, run, place):
    get("fasttext-cc-de")
    lines = run("tables", "list").stdout.decode().splitlines()
    states = {line.split()[0]: line.split()[-1] for line in lines[1:]}

    assert lines[0].split() == ["name", "words", "dimensions", "language", "size", "state"]
    assert states["glove-6b-100d-50k"] == "bundled"
    assert states["fasttext-cc-de"] == "here"
    assert states["glove-6b-300d"] == "known"
    assert states["fasttext-cc-LANG"] == "known"
    assert "fasttext-cc-fr" not in states
    assert len({line.rindex("  ") for line in lines}) == 1


def test_the_whole_list_names_every_language_once(run):
    lines = run("tables", "list", "--all").stdout.decode().splitlines()
    names = [line.split()[0] for line in lines[1:]]

    assert sorted(names) == sorted(["glove-6b-100d-50k", *KNOWN])


def test_the_list_as_json(get, run, place):
    get("fasttext-cc-de")
    (place / "broken.safetensors").write_bytes(b"no table")
    rows = {row["name"]: row for row in json.loads(run("tables", "list", "--json").stdout)}

    assert rows["fasttext-cc-de"]["state"] == "here"
    assert rows["fasttext-cc-de"]["words"] == 3
    assert rows["fasttext-cc-de"]["path"] == str(place / "fasttext-cc-de.safetensors")
    assert rows["fasttext-cc-de"]["licence"] == known("fasttext-cc-de").licence
    assert rows["broken"]["state"] == "damaged"
    assert rows["fasttext-cc-fr"]["megabytes"] is None
    assert rows["glove-6b-300d"]["url"] == "https://nlp.stanford.edu/data/glove.6B.zip"


def test_the_list_needs_no_shelf(run, place):
    assert b"glove-6b-300d" in run("tables", "list").stdout
    assert not place.exists()


def test_without_a_chosen_folder_the_shelf_is_among_the_users_data(monkeypatch, tmp_path):
    monkeypatch.delenv("NOMDEPLUME_TABLES")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))

    assert folder().is_relative_to(tmp_path)
    assert folder().name == "tables"


def test_a_shelf_finds_tables_by_name_only(get, place):
    get("glove-6b-50d")
    (place / ".glove-6b-300d.safetensors").write_bytes(b"a part")
    shelf = Shelf(place)

    assert shelf.find("glove-6b-50d") == place / "glove-6b-50d.safetensors"
    assert shelf.find("../tables/glove-6b-50d") is None
    assert shelf.find("glove-6b-100d") is None
    assert list(shelf.tables()) == ["glove-6b-50d"]


def test_a_dtype_is_refused_before_anything_is_fetched(place, server):
    with pytest.raises(TableError, match="float32, float16, int8, got 'float64'"):
        Shelf(place).get(known("glove-6b-50d"), mirror=server.url("/"), dtype="float64")

    assert server.log == []
    assert not place.exists()


def test_known_tables_have_safe_addresses_and_plain_names():
    for source in KNOWN.values():
        assert source.url.startswith("https://")
        assert source.page.startswith("https://")
        assert "/" not in source.file
        assert source.file.endswith(".zip" if source.member else ".gz")
        assert source.name == source.name.lower()
        assert source.licence


def test_a_file_that_is_not_the_known_one_is_refused(get, place, monkeypatch):
    """Also from a mirror, also the first time, and also if it lies there already."""
    monkeypatch.delenv("TEST_UNPINNED")
    said = get("glove-6b-50d", code=2)

    assert "617afb2fe6cbd085" in said
    assert sha256(GLOVE).hexdigest()[:16] in said
    assert left(place) == []
    (place / "glove.6B.zip").write_bytes(GLOVE)
    assert "known" in get("glove-6b-50d", code=2)
    assert left(place) == []


def test_known_files_are_those_of_known_tables():
    assert len(PINNED) == 4
    assert set(PINNED) <= {source.file for source in KNOWN.values()}
    assert all(len(bytes.fromhex(each)) == 32 for each in PINNED.values())
