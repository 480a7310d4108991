import json

import pytest

WORDS = ["--epsilon", "6"]  # word by word: for these it is the quicker to prove again
PLACES = "the 9 9\nrain 0 0\nsnow 0 9\nold 4 4\nharbour 9 0\nzulu 7 2\n"


@pytest.fixture
def own(tmp_path):
    """A table of few words, whose promises are proven again in no time."""
    (tmp_path / "t.txt").write_text(PLACES, encoding="utf-8")
    return ["--table", "t.txt"]


@pytest.fixture
def released(run, tmp_path, own):
    (tmp_path / "in.txt").write_text("rain on the old harbour", encoding="utf-8")
    run("obfuscate", "in.txt", "-o", "out.txt", *WORDS, *own)
    return tmp_path


def test_it_is_read_in_plain_words_and_checked(run, tmp_path):
    (tmp_path / "in.txt").write_text("rain on the old harbour", encoding="utf-8")
    run("obfuscate", "in.txt", "-o", "out.txt", *WORDS)
    said = run("certificate", "out.txt.certificate.json", "--release", "out.txt").stdout.decode()

    assert "600 · W∞" in said
    assert said.count("✓") == 9
    assert "All 9 checks passed" in said
    assert "✗" not in said


CHANGES = {
    "hash": lambda words: ["zulu"] * len(words),  # right in all but the words drawn
    "size": lambda words: words[:-1],
    "order": lambda words: words[::-1],
    "vocabulary": lambda words: [*words[:-1], "zyxoquant"],
    "documents": lambda words: [*words, "\n", *words],
}


@pytest.mark.parametrize("wrong", CHANGES)
def test_a_changed_release_is_exit_3(run, released, own, wrong):
    path = released / "out.txt"
    words = path.read_text(encoding="utf-8").split()
    path.write_text(" ".join(CHANGES[wrong](words)) + "\n", encoding="utf-8")
    done = run("certificate", "out.txt.certificate.json", "--release", "out.txt", *own, code=3)

    assert f"✗ {wrong}" in done.stdout.decode()


def test_a_changed_certificate_is_exit_3(run, released, own):
    path = released / "out.txt.certificate.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, "epsilon": 0.5}), encoding="utf-8")

    assert b"promises" in run("certificate", path.name, *own, code=3).stderr


@pytest.mark.parametrize("content", [b"", b"rain", b"\xff\xfe", b'{"format": 99, "promises": 1}'])
def test_other_files_are_exit_2(run, released, content):
    (released / "x.json").write_bytes(content)

    assert b"certificate" in run("certificate", "x.json", code=2).stderr


def test_own_table_and_stop_words_are_given_again(run, tmp_path):
    (tmp_path / "t.txt").write_text("rain 0 0\nsnow 0 9\nsun 9 0\n", encoding="utf-8")
    (tmp_path / "stop.txt").write_text("sun", encoding="utf-8")
    (tmp_path / "in.txt").write_text("rain", encoding="utf-8")
    own = ["--table", "t.txt", "--stop-words", "stop.txt"]
    run("obfuscate", "in.txt", "-o", "out.txt", *own)
    run("certificate", "out.txt.certificate.json", "--release", "out.txt", *own)

    certificate = "out.txt.certificate.json"
    assert b"for table 't'" in run("certificate", certificate, *own[2:], code=2).stderr
    assert b"for the stop words" in run("certificate", certificate, *own[:2], code=2).stderr


@pytest.mark.parametrize("stop", ["iso", "none"])
def test_named_stop_lists_need_not_be_given_again(run, tmp_path, own, stop):
    (tmp_path / "in.txt").write_text("rain on the old harbour", encoding="utf-8")
    run("obfuscate", "in.txt", "-o", "out.txt", "--stop-words", stop, *WORDS, *own)
    done = run("certificate", "out.txt.certificate.json", "--release", "out.txt", *own)

    assert b"All 9 checks passed" in done.stdout


@pytest.mark.parametrize("name", ["out.txt", "out.jsonl"])
def test_a_seeded_release_cannot_pass_as_private(run, tmp_path, own, name):
    (tmp_path / "in.txt").write_text("rain", encoding="utf-8")
    run("obfuscate", "in.txt", "-o", name, "--seed", "1", *WORDS, *own)
    said = run("certificate", f"{name}.certificate.json", "--release", name, *own).stdout.decode()
    path = tmp_path / f"{name}.certificate.json"
    forged = json.loads(path.read_text(encoding="utf-8")) | {
        "private": True, "seeded": False, "warning": "",
        "generator": "ChaCha20, keyed by the operating system",
    }  # fmt: skip
    path.write_text(json.dumps(forged), encoding="utf-8")

    assert said.startswith("NOT PRIVATE")
    alone = run("certificate", path.name, *own)
    beside = run("certificate", path.name, "--release", name, *own, code=3)
    assert "All 4 checks" in alone.stdout.decode()  # it looks fine
    assert "✗ size" in beside.stdout.decode()


def test_a_field_that_was_not_stated_is_found(run, tmp_path, own):
    """An author column that slipped into a release cannot hide behind its certificate."""
    record = {"id": 1, "author": "Ann", "text": "rain"}
    (tmp_path / "in.jsonl").write_text(json.dumps(record), encoding="utf-8")
    run("obfuscate", "in.jsonl", "-o", "out.jsonl", "--keep", "author", *WORDS, *own)
    run("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl", *own)
    path = tmp_path / "out.jsonl.certificate.json"
    forged = json.loads(path.read_text(encoding="utf-8")) | {"kept_fields": []}
    path.write_text(json.dumps(forged), encoding="utf-8")

    done = run("certificate", path.name, "--release", "out.jsonl", *own, code=3)
    assert "✗ size: 0 of 1" in done.stdout.decode()


@pytest.mark.parametrize("damage", [slice(0, 40), slice(1, None)])
def test_a_damaged_release_is_exit_3(run, tmp_path, own, damage):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "text": "rain"}', encoding="utf-8")
    run("obfuscate", "in.jsonl", "-o", "out.jsonl.gz", *WORDS, *own)
    path = tmp_path / "out.jsonl.gz"
    path.write_bytes(path.read_bytes()[damage])
    checked = ["certificate", f"{path.name}.certificate.json", "--release", path.name]
    done = run(*checked, *own, code=3)

    assert "✗ hash" in done.stdout.decode()
    assert "✗ documents: cannot be read" in done.stdout.decode()


def test_no_release_there_is_exit_2(run, released, own):
    done = run("certificate", "out.txt.certificate.json", "--release", "nowhere", *own, code=2)

    assert b"no release at nowhere" in done.stderr
