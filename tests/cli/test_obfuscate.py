"""The main job through the installed command: real processes, real files."""

import contextlib
import gzip
import json
import os
import pty
import random
import signal
import stat
import subprocess

import pytest

from nomdeplume import Obfuscator
from nomdeplume.formats.spool import Spool
from nomdeplume.library import Library
from nomdeplume.vocabulary import Vocabulary
from tests.cli.conftest import COMMAND, environment
from tests.waiting import PATIENCE, stopping, until, until_stopped

TEXT = "The harbour was closed in winter; boats waited, and fishermen mended nets by the fire."
READ, WRITTEN = (
    f"nomdeplume.formats.release:{name}" for name in ("Reading._checked", "Writing._write")
)


@pytest.fixture(scope="module")
def kept(request):
    return Vocabulary.of(request.getfixturevalue("bundled"))


@pytest.fixture
def small(tmp_path):
    """A table of few words, on which a certificate is soon proven again."""
    words = ("harbour", "winter", "boats", "fishermen", "nets", "fire", "rain", "snow")
    rows = "".join(f"{word} {i} {i * i % 7}\n" for i, word in enumerate(words))
    (tmp_path / "t.txt").write_text(rows, encoding="utf-8")
    return ["--table", "t.txt"]


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def corpus(path, count=5, **more):
    records = [
        {"id": i, "text": f"{TEXT} {i}", "author": "Ann", "topic": "sea", **more}
        for i in range(count)
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def test_a_letter_just_works(installed, tmp_path, kept):
    (tmp_path / "letter.txt").write_text(TEXT, encoding="utf-8")
    done = installed("obfuscate", "letter.txt", "--budget", "20")
    words = done.stdout.decode().rstrip("\n").split(" ")

    assert len(words) == 100
    assert words == sorted(words)
    assert all(word in kept for word in words)
    assert "exp(20 · W₁)" in done.stderr.decode()
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["letter.txt"]


def test_the_installed_command_tells_by_its_exit_code(installed, tmp_path, small):
    given = corpus(tmp_path / "in.jsonl")
    given.write_text(given.read_text(encoding="utf-8") + "no record\n", encoding="utf-8")
    installed("obfuscate", "in.jsonl", "-o", "out.jsonl", *small, code=4)
    check = ("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl", *small)
    installed(*check)
    (tmp_path / "out.jsonl").write_text('{"id": 1, "text": "rain"}\n', encoding="utf-8")

    assert installed(*check, code=3).stderr
    assert b"no file" in installed("obfuscate", "nowhere.txt", code=2).stderr
    assert installed("--version").stdout.startswith(b"nomdeplume")


def test_it_says_the_same_however_it_is_started(run, installed):
    for arguments in (["obfuscate", "--seed", "3"], ["obfuscate", "--help"]):
        one, other = (way(*arguments, stdin=TEXT.encode()) for way in (run, installed))

        assert (one.stdout, one.stderr) == (other.stdout, other.stderr)


def test_an_epsilon_for_each_word_is_the_word_level(run):
    done = run("obfuscate", "--epsilon", "6", stdin=TEXT.encode())

    assert len(done.stdout.split()) == 100
    assert "600 · W∞" in done.stderr.decode()


@pytest.mark.parametrize("arguments", [["-"], []])
def test_a_pipe(run, arguments):
    done = run("obfuscate", *arguments, "--size", "7", stdin=TEXT.encode())

    assert len(done.stdout.split()) == 7


def test_two_runs_differ_and_two_seeded_runs_do_not(run):
    noisy = ("obfuscate", "--budget", "1")  # of 80,000 pairs, all differ in 24 words or more
    secure = {run(*noisy, stdin=TEXT.encode()).stdout for _ in range(2)}
    seeded = {run("obfuscate", "--seed", "3", stdin=TEXT.encode()).stdout for _ in range(2)}

    assert len(secure) == 2
    assert len(seeded) == 1
    assert seeded.pop().startswith(b"# NOT PRIVATE")


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
def test_jsonl_releases_only_what_is_asked_for(run, tmp_path, small, name):
    corpus(tmp_path / "in.jsonl")
    asked = ["--keep", "topic", "--size", "12", "--epsilon", "6", *small]
    run("obfuscate", "in.jsonl", "-o", name, *asked)
    content = (tmp_path / name).read_bytes()
    content = gzip.decompress(content) if name.endswith("gz") else content
    records = [json.loads(line) for line in content.splitlines()]

    assert [record["id"] for record in records] == list(range(1, 6))
    assert all(set(record) == {"id", "topic", "text"} for record in records)
    assert all(len(record["text"].split()) == 12 for record in records)
    run("certificate", f"{name}.certificate.json", "--release", name, *small)


def test_jsonl_from_a_pipe_and_from_gzip(run, tmp_path):
    content = corpus(tmp_path / "in.jsonl").read_bytes()
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(content))
    piped = run("obfuscate", "-", stdin=content).stdout.splitlines()
    packed = run("obfuscate", "in.jsonl.gz").stdout.splitlines()

    assert len(piped) == len(packed) == 5
    assert {tuple(json.loads(line)) for line in piped + packed} == {("id", "text", "standin")}


def test_other_field_names(run, tmp_path):
    (tmp_path / "in.jsonl").write_text(
        json.dumps({"key": "a7", "body": TEXT, "text": "another"}) + "\n", encoding="utf-8"
    )
    done = run(
        "obfuscate", "in.jsonl", "--text-field", "body", "--id-field", "key", "--keep", "key"
    )
    record = json.loads(done.stdout)

    assert set(record) == {"key", "text", "standin"}
    assert record["key"] == "a7"
    assert record["text"] != "another"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--keep", "text"],
        ["--keep", "body", "--text-field", "body"],
        ["--id-field", "text"],
    ],
)
def test_the_private_text_cannot_be_kept(run, tmp_path, arguments):
    corpus(tmp_path / "in.jsonl", body=TEXT)

    assert b"field" in run("obfuscate", "in.jsonl", *arguments, code=2).stderr


def test_a_folder_becomes_a_folder(run, tmp_path, small):
    (tmp_path / "letters/old").mkdir(parents=True)
    (tmp_path / "letters/one.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "letters/old/two.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "letters/.hidden").write_text("x", encoding="utf-8")
    run("obfuscate", "letters", "-o", "released", "--keep", "name", "--epsilon", "6", *small)
    found = sorted(
        p.relative_to(tmp_path / "released").as_posix()
        for p in (tmp_path / "released").rglob("*.*")
    )

    assert found == ["old/two.md", "one.txt"]
    assert len((tmp_path / "released/one.txt").read_text(encoding="utf-8").split()) == 100
    check = ("certificate", "released.certificate.json", "--release", "released", *small)
    run(*check)
    (tmp_path / "released/one.txt").write_text("rain", encoding="utf-8")
    assert b"hash" in run(*check, code=3).stderr


def test_names_of_files_are_released_only_if_kept(run, tmp_path):
    """A corpus in folders named after authors must not tell them."""
    for name in ("AnnSmith/1.txt", "BobJones/1.txt.gz"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(gzip.compress(TEXT.encode()) if name.endswith("gz") else TEXT.encode())
    run("obfuscate", "in", "-o", "out")
    run("obfuscate", "in", "-o", "out.jsonl")
    run("obfuscate", "in", "-o", "named.jsonl", "--keep", "name")

    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "document-0001.txt",
        "document-0002.txt",
    ]
    assert [record["id"] for record in lines(tmp_path / "out.jsonl")] == [1, 2]
    assert [record["name"] for record in lines(tmp_path / "named.jsonl")] == [
        "AnnSmith/1.txt",
        "BobJones/1.txt",
    ]
    assert b"Ann" not in (tmp_path / "out.jsonl").read_bytes()
    assert b"only 'name'" in run("obfuscate", "in", "--keep", "author", code=2).stderr


def test_force_replaces_an_earlier_release_and_nothing_else(run, tmp_path):
    for folder in ("in", "project/letters", "precious"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.txt").write_text(TEXT, encoding="utf-8")
    run("obfuscate", "in", "-o", "out")
    run("obfuscate", "in", "-o", "out", "--force")
    run("obfuscate", "in", "-o", "precious", "--force", code=2)
    run("obfuscate", "project/letters", "-o", "project", "--force", code=2)

    assert (tmp_path / "precious/a.txt").exists()
    assert (tmp_path / "project/letters/a.txt").exists()
    assert not list(tmp_path.glob(".*"))


def test_a_certificate_destroys_nothing_either(run, tmp_path):
    for folder in ("in", "precious"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "any.json").write_text("{}", encoding="utf-8")
    for output, certificate in (
        ("precious", "any.json"),
        ("out", "in/a.txt"),
        ("out", "out/c.json"),
    ):
        run("obfuscate", "in", "-o", output, "--certificate", certificate, "--force", code=2)

    assert (tmp_path / "precious/a.txt").read_text(encoding="utf-8") == TEXT
    assert (tmp_path / "in/a.txt").read_text(encoding="utf-8") == TEXT


def test_an_earlier_release_that_was_changed_is_not_replaced(run, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text(TEXT, encoding="utf-8")
    run("obfuscate", "in", "-o", "out")
    (tmp_path / "out/thesis.txt").write_text("mine", encoding="utf-8")
    run("obfuscate", "in", "-o", "out", "--force", code=2)

    assert (tmp_path / "out/thesis.txt").exists()


def test_an_output_that_appears_meanwhile_is_not_replaced(tmp_path):
    process = subprocess.Popen(
        [COMMAND, "obfuscate", "-o", "out.txt"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(b"rain\n" * 2000)
    process.stdin.flush()
    until(lambda: list(tmp_path.glob(".out.txt.*")))
    (tmp_path / "out.txt").write_text("mine", encoding="utf-8")
    process.communicate(b"rain", timeout=PATIENCE)

    assert process.returncode == 2
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "mine"


def test_what_a_folder_holds_is_read_or_named(run, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "in/dangling.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "in/link").symlink_to(tmp_path / "tmp")
    done = run("obfuscate", "in", "-o", "out", code=4)

    assert b"document 2 of 3: withheld" in done.stderr
    assert b"Released 1 of 3 documents" in done.stderr


@pytest.mark.parametrize("name", ["", "x" * 5000, "a secret diary\nof many lines"])
def test_a_text_in_place_of_a_name_is_not_quoted(run, name):
    done = run("obfuscate", name, code=2)

    assert b"no file or folder at" in done.stderr
    assert b"secret" not in done.stderr
    assert len(done.stderr) < 200


def test_odd_targets(run, tmp_path):
    (tmp_path / "in.txt").write_text(TEXT, encoding="utf-8")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "real.txt").write_text("old", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    for output in ("fifo", ".", "", "/dev/null"):
        run("obfuscate", "in.txt", "-o", output, "--force", code=2)
    run("obfuscate", "in.txt", "-o", "dangling", code=2)
    run("obfuscate", "in.txt", "-o", "link.txt", "--force", "--size", "100")

    assert (tmp_path / "link.txt").is_symlink()
    assert len((tmp_path / "real.txt").read_text(encoding="utf-8").split()) == 100


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_closed_streams_are_bad_input(tmp_path, closed):
    done = subprocess.run(
        f"{COMMAND} obfuscate - {closed}", shell=True, cwd=tmp_path, capture_output=True,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip

    assert done.returncode == 2
    assert b"is closed" in done.stderr


def test_a_terminal_without_greek(tmp_path):
    done = subprocess.run(
        [COMMAND, "obfuscate", "-", "--budget", "600"], input=b"rain", capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=True,
    )  # fmt: skip

    assert b"600" in done.stderr


def test_naming_a_file_first_says_what_to_do(run, tmp_path):
    (tmp_path / "letter.txt").write_text(TEXT, encoding="utf-8")

    assert b"nomdeplume obfuscate letter.txt" in run("letter.txt", code=2).stderr


def test_a_folder_can_become_jsonl_or_lines(run, tmp_path):
    (tmp_path / "letters").mkdir()
    for name in ("b.txt", "a.txt"):
        (tmp_path / "letters" / name).write_text(TEXT, encoding="utf-8")
    run("obfuscate", "letters", "-o", "out.jsonl")

    assert [record["id"] for record in lines(tmp_path / "out.jsonl")] == [1, 2]
    assert len(run("obfuscate", "letters").stdout.splitlines()) == 2


def test_nothing_is_overwritten_without_force(run, tmp_path):
    corpus(tmp_path / "in.jsonl")
    (tmp_path / "out.jsonl").write_text("mine", encoding="utf-8")

    assert b"--force" in run("obfuscate", "in.jsonl", "-o", "out.jsonl", code=2).stderr
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == "mine"
    run("obfuscate", "in.jsonl", "-o", "out.jsonl", "--force")
    assert len(lines(tmp_path / "out.jsonl")) == 5
    run("obfuscate", "in.jsonl", "-o", "out.jsonl", "--force")


@pytest.mark.parametrize("arguments", [["-o", "in.txt"], ["-o", "x.txt", "--certificate", "x.txt"]])
def test_the_input_is_never_replaced(run, tmp_path, arguments):
    (tmp_path / "in.txt").write_text(TEXT, encoding="utf-8")
    run("obfuscate", "in.txt", "--force", *arguments, code=2)

    assert (tmp_path / "in.txt").read_text(encoding="utf-8") == TEXT


def test_word_by_word_budget_is_epsilon_times_size(run, tmp_path):
    (tmp_path / "in.txt").write_text(TEXT, encoding="utf-8")
    spent = ["--mechanism", "laplace", "--budget", "90", "--size", "30"]
    run("obfuscate", "in.txt", "-o", "out.txt", *spent)
    certificate = json.loads((tmp_path / "out.txt.certificate.json").read_text(encoding="utf-8"))

    assert certificate["epsilon"] == pytest.approx(3.0)
    assert certificate["budget"] == pytest.approx(90)
    assert run("obfuscate", "in.txt", "--budget", "9", "--epsilon", "1", code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nowhere.txt"],
        ["in.txt", "--epsilon", "0"],
        ["in.txt", "--epsilon", "nan"],
        ["in.txt", "--epsilon", "-3"],
        ["in.txt", "--epsilon", "1e308"],
        ["in.txt", "--budget", "inf"],
        ["in.txt", "--size", "0"],
        ["in.txt", "--size", "2.5"],
        ["in.txt", "--seed", "-1"],
        ["in.txt", "--language", "fr"],
        ["in.txt", "--table", "nowhere"],
        ["in.txt", "--stop-words", "nowhere"],
        ["in.txt", "-o", "no/such/folder.txt"],
        ["in.txt", "-", "-o", "x.txt"],
        ["in.txt", "--reduction", "guess"],
        ["empty-folder"],
    ],
)
def test_bad_input_is_exit_2_in_one_line(run, tmp_path, arguments):
    (tmp_path / "in.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "empty-folder").mkdir()
    done = run("obfuscate", *arguments, code=2)

    assert done.stdout == b""
    assert done.stderr.strip()
    assert b"Traceback" not in done.stderr


def test_a_text_without_kept_words_is_released_like_any_other(run):
    done = run("obfuscate", "--budget", "20", stdin=b"12 !! \xe2\x98\x94 the of and")

    assert len(done.stdout.split()) == 100
    text = run("obfuscate", stdin=b"12 !! \xe2\x98\x94 the of and").stdout.decode()
    assert text.strip() in Library.shipped("en").texts


def test_withholding_is_declared(run, tmp_path):
    records = [{"id": 1, "text": TEXT}, {"id": 2, "text": "?"}, {"id": 3, "text": TEXT}]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    done = run(
        "obfuscate",
        "in.jsonl",
        "-o",
        "out.jsonl",
        "--keep",
        "id",
        "--size",
        "9",
        "--empty",
        "withhold",
        code=4,
    )
    certificate = json.loads((tmp_path / "out.jsonl.certificate.json").read_text(encoding="utf-8"))

    assert b"line 2: withheld" in done.stderr
    assert [record["id"] for record in lines(tmp_path / "out.jsonl")] == [1, 3]
    assert certificate["documents"] == 2
    assert "withheld" in certificate["empty_documents"]


BROKEN = [
    b'{"id": 1, "text": "rain on the harbour"}',
    b'{"id": 2, "text": ',
    b'{"id": 3, "text": null}',
    b"[1, 2]",
    b'{"id": 5}',
    b'{"id": {"a": 1}, "text": "rain"}',
    b'{"id": 7, "text": "rain", "x": NaN}',
    b"",
    b'{"id": 9, "text": "snow on the harbour"}',
]


def test_unreadable_documents_are_withheld_by_position(run, tmp_path):
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(BROKEN))
    done = run("obfuscate", "in.jsonl", "-o", "out.jsonl", "--keep", "id", code=4)

    assert [record["id"] for record in lines(tmp_path / "out.jsonl")] == [1, 9]
    for number, reason in (
        (2, "not valid JSON"),
        (3, "field 'text' is not a string"),
        (4, "not an object"),
        (5, "field 'text' is missing"),
        (6, "field 'id' is nested"),
        (7, "not valid JSON"),
    ):
        assert f"line {number}: withheld: {reason}" in done.stderr.decode().replace(
            "JSON, but ", ""
        )
    assert b"Released 2 of 8 documents" in done.stderr


def test_strict_stops_and_writes_nothing(run, tmp_path):
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(BROKEN))
    done = run("obfuscate", "in.jsonl", "-o", "out.jsonl", "--strict", code=2)

    assert b"line 2" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "tmp"]


def test_a_missing_text_field_lists_the_fields(run, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "body": "rain", "year": 3}', encoding="utf-8")
    done = run("obfuscate", "in.jsonl", code=2)

    assert b"id, body, year" in done.stderr
    assert b"rain" not in done.stderr


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n" + b"\0" * 50, random.Random(1).randbytes(4000), b"%PDF-1.7"]
)
def test_binary_is_refused(run, tmp_path, content):
    (tmp_path / "photo").write_bytes(content)

    assert b"expected text" in run("obfuscate", "photo", code=2).stderr


@pytest.mark.parametrize(
    ("content", "remark"),
    [
        ("rain été".encode("utf-8-sig"), b""),
        ("rain été".encode("utf-16"), b""),
        ("rain in the old harbour".encode("utf-16-le"), b"UTF-16"),
        ("rain \xe9t\xe9 don\x92t".encode("latin-1"), b"Latin-1"),
        (b"rain\0rain", b""),
    ],
)
def test_encodings(run, tmp_path, small, content, remark):
    (tmp_path / "in.txt").write_bytes(content)
    done = run("obfuscate", "in.txt", "--epsilon", "1000", "--size", "60", *small)

    assert b"rain" in done.stdout
    assert (remark in done.stderr) if remark else (b"read as" not in done.stderr)


def encoded(encoding):
    text = "".join(
        json.dumps({"id": name, "text": "rain in the harbour"}, ensure_ascii=False) + "\r\n"
        for name in ("é1", "é2")
    )
    return text.encode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
def test_jsonl_in_any_encoding(run, tmp_path, encoding):
    (tmp_path / "in.jsonl").write_bytes(encoded(encoding))
    kept = ["--keep", "id", "--allow-identifying-ids"]
    done = run("obfuscate", "in.jsonl", "-o", "out.jsonl", *kept)

    assert [record["id"] for record in lines(tmp_path / "out.jsonl")] == ["é1", "é2"]
    assert (b"Latin-1" in done.stderr) == (encoding == "latin-1")


JSON_LINES = '{"id": 1, "author": "Ann", "text": "rain"}\n{"id": 2, "text": "snow"}\n'
ODD_STARTS = {
    "mark": (JSON_LINES.encode("utf-8-sig"), 0),
    "utf-16": (JSON_LINES.encode("utf-16"), 0),
    "blank line": (b"\n\n" + JSON_LINES.encode(), 0),
    "broken first line": (b'{"id": 0, "text":\n' + JSON_LINES.encode(), 4),
}


@pytest.mark.parametrize("start", ODD_STARTS.values(), ids=ODD_STARTS.keys())
def test_records_are_never_taken_for_a_letter(run, tmp_path, start):
    """Whatever they begin with, from a pipe or under another name."""
    content, code = start
    (tmp_path / "export.txt").write_bytes(content)
    piped = run("obfuscate", "-", "--size", "3", stdin=content, code=code).stdout
    named = run("obfuscate", "export.txt", "--size", "3", code=code).stdout

    for released in (piped, named):
        records = [json.loads(line) for line in released.splitlines()]
        assert [record["id"] for record in records] == [1, 2]
        assert all(set(record) == {"id", "text"} for record in records)


@pytest.mark.parametrize("text", ['[{"text": "rain"}]', '{\n  "text": "rain"\n}'])
def test_other_json_is_refused(run, tmp_path, text):
    (tmp_path / "export.txt").write_text(text, encoding="utf-8")

    assert b"looks like JSON" in run("obfuscate", "-", stdin=text.encode(), code=2).stderr
    assert b"looks like JSON" in run("obfuscate", "export.txt", code=2).stderr


def test_a_letter_may_begin_with_a_bracket(run):
    done = run("obfuscate", "-", "--size", "100", stdin=b"[The editor writes:] rain {sic}")

    assert len(done.stdout.split()) == 100


def test_fields_are_kept_only_where_they_can_be(run, tmp_path):
    (tmp_path / "in.txt").write_text(TEXT, encoding="utf-8")
    piped = run("obfuscate", "--keep", "author", stdin=b"rain", code=2)
    plain = run("obfuscate", "in.txt", "--keep", "name", code=2)
    mark = run("obfuscate", "in.txt", "--keep", "warning", code=2)

    assert b"no fields to keep" in piped.stderr
    assert b"cannot hold kept fields" in plain.stderr
    assert b"of its own" in mark.stderr


def test_records_under_another_name_are_still_records(run, tmp_path):
    corpus(tmp_path / "export.txt", count=3)
    done = run("obfuscate", "export.txt", "--size", "4")

    assert [set(json.loads(line)) for line in done.stdout.splitlines()] == [{"id", "text"}] * 3


@pytest.mark.parametrize("name", ["t.json", "t.html"])
def test_tables_and_pages_are_not_released_as_letters(run, tmp_path, name):
    (tmp_path / name).write_text("rain on the harbour", encoding="utf-8")

    assert b"expected text, got" in run("obfuscate", name, code=2).stderr


def test_kept_fields_come_out_as_valid_json(run, tmp_path):
    (tmp_path / "in.jsonl").write_text(
        '{"id": null, "text": "rain", "x": "\\ud800é"}', encoding="utf-8"
    )
    done = run("obfuscate", "in.jsonl", "-o", "out.jsonl", "--keep", "id", "--keep", "x")

    assert lines(tmp_path / "out.jsonl")[0] | {"text": "", "standin": ""} == {
        "id": None,
        "x": "\ud800é",
        "text": "",
        "standin": "",
    }
    assert b"as they are: id, x" in b" ".join(done.stderr.split())


@pytest.mark.parametrize("arguments", [["--keep", "tpoic"], ["--id-field", "key"]])
def test_misspelt_fields_are_refused(run, tmp_path, arguments):
    (tmp_path / "in.jsonl").write_text('broken\n{"id": 1, "text": "rain"}', encoding="utf-8")

    assert b"it has id, text" in run("obfuscate", "in.jsonl", *arguments, code=2).stderr


def test_a_dash_is_standard_output(run, tmp_path):
    words = run("obfuscate", "-", "-o", "-", "--size", "7", stdin=b"rain").stdout.split()
    assert len(words) == 7
    assert [path.name for path in tmp_path.iterdir()] == ["tmp"]


def test_a_release_does_not_go_where_it_would_be_read_again(run, tmp_path):
    (tmp_path / "letters").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "letters" / name).write_text(TEXT, encoding="utf-8")

    assert b"hold one another" in run("obfuscate", "letters", "-o", "letters/out", code=2).stderr
    assert b"folder" in run("obfuscate", "letters", "-o", "two.txt", code=2).stderr
    assert b"device" in run("obfuscate", "/dev/zero", code=2).stderr


def on_a_terminal(folder, *arguments):
    """What somebody at a terminal sees of a run."""
    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, "obfuscate", *arguments],
        cwd=folder,
        env=environment(folder) | {"TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody is left on it
        while piece := os.read(mine, 65_536):
            seen += piece
    os.close(mine)
    assert process.wait() == 0
    return seen.decode()


def test_progress_on_a_terminal_where_nothing_else_shows(tmp_path):
    corpus(tmp_path / "in.jsonl", count=2000)
    (tmp_path / "in.txt").write_text(TEXT, encoding="utf-8")

    shown = on_a_terminal(tmp_path, "in.jsonl", "-o", "out.jsonl", "--size", "30")
    assert "documents," in shown
    assert "/s" in shown
    assert "━" not in on_a_terminal(tmp_path, "in.txt", "--size", "5")


def test_apportion_without_noise_is_the_reduced_bag(run):
    done = run(
        "obfuscate", "--reduction", "apportion", "--size", "4", "--epsilon", "10000",
        stdin=b"snow Rain rain RAIN the",
    )  # fmt: skip

    assert done.stdout.decode().split() == ["rain", "rain", "rain", "snow"]
    assert b"40000 \xc2\xb7 W\xe2\x82\x81" in done.stderr  # 40000 · W₁


def test_own_table_and_stop_words(run, tmp_path):
    (tmp_path / "t.txt").write_text("rain 0 0\nsnow 0 9\nsun 9 0\n", encoding="utf-8")
    (tmp_path / "stop.txt").write_text("sun", encoding="utf-8")
    run("tables", "build", "t.txt", "-o", "t.safetensors")
    for table in ("t.txt", "t.safetensors"):
        done = run(
            "obfuscate", "--table", table, "--stop-words", "stop.txt", "--epsilon", "0.1",
            stdin=b"rain sun snow",
        )  # fmt: skip
        assert set(done.stdout.decode().split()) == {"rain", "snow"}


def test_output_is_private_until_it_is_whole(tmp_path):
    """Killed after some documents: no file under the output's name, the partial one is hidden."""
    corpus(tmp_path / "in.jsonl", count=2000)
    command = [str(COMMAND), "obfuscate", "in.jsonl", "-o", "out.jsonl"]
    for written in (1, 700, 1999):
        env = os.environ | stopping(tmp_path, WRITTEN, written)
        process = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.DEVNULL)
        until_stopped(process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not (tmp_path / "out.jsonl").exists()
        assert not (tmp_path / "out.jsonl.certificate.json").exists()
        partial = list(tmp_path.glob(".out.jsonl.*"))
        assert partial
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in partial)
        for path in partial:
            path.unlink()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("place", "kept"),
    [(READ, set()), (WRITTEN, {".out.jsonl.resume"})],
    ids=["before a document is released", "after"],
)
def test_interrupted_runs_clean_up(tmp_path, sent, place, kept):
    corpus(tmp_path / "in.jsonl", count=50)
    command = [str(COMMAND), "obfuscate", "in.jsonl", "-o", "out.jsonl"]
    env = os.environ | stopping(tmp_path, place, 1)
    process = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE)
    until_stopped(process)
    process.send_signal(sent)
    process.send_signal(signal.SIGCONT)
    _, stderr = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert b"no file was written" in stderr
    assert (b"--resume" in stderr) == bool(kept)
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "site", *kept}


def test_a_spool_that_was_only_begun_does_not_stay(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Spool, "_put", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Spool(tmp_path / "out.jsonl", "digest", "run", resume=False)
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_stops_early_is_no_error(run, tmp_path):
    corpus(tmp_path / "in.jsonl", count=4000)
    done = subprocess.run(
        f"{COMMAND} obfuscate in.jsonl --size 5 --quiet | head -n 1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )

    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == b""


def test_the_command_and_the_library_agree(run, bundled):
    from nomdeplume import seeded

    for made, given in ((Obfuscator.mean, []), (Obfuscator.laplace, ["--epsilon", "6"])):
        [document] = made(bundled, size=30)([TEXT], seeded(5))
        done = run("obfuscate", "--size", "30", "--seed", "5", *given, stdin=TEXT.encode())

        assert done.stdout.decode().splitlines()[1] == document.text
