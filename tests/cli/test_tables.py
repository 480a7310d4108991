import gzip
import json

import numpy as np
import pytest

from nomdeplume import Table


@pytest.fixture
def weather(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("rain 0 0\nsnow 0 9\n", encoding="utf-8")
    return path


def test_info_of_the_bundled_table(run, bundled):
    said = run("tables", "info").stdout.decode()

    assert "50,000" in said
    assert "half distance" in said
    assert bundled.fingerprint in said


def test_info_as_json(run, weather):
    said = json.loads(run("tables", "info", "t.txt", "--json").stdout)

    assert (said["words"], said["kept_words"], said["dimensions"]) == (2, 2, 2)
    assert said["half_distance"] == {"mean": 4.5, "least": 4.5, "most": 4.5, "words_looked_at": 2}
    assert said["norms"] == {"mean": 4.5, "least": 0.0, "most": 9.0}
    assert said["checked"]


def test_check_recomputes_the_fingerprint(run, tmp_path, weather):
    run("tables", "build", "t.txt", "-o", "t.safetensors")
    assert b"as stated" in run("tables", "info", "t.safetensors").stdout
    assert b"is computed" in run("tables", "info", "t.safetensors", "--check").stdout

    path = tmp_path / "t.safetensors"
    content = bytearray(path.read_bytes())
    content[-12] ^= 1
    path.write_bytes(content)
    run("tables", "info", "t.safetensors")
    assert b"changed" in run("tables", "info", "t.safetensors", "--check", code=2).stderr
    assert b"changed" in run("obfuscate", "--table", "t.safetensors", stdin=b"rain", code=2).stderr


def test_build_refuses_to_overwrite_and_to_guess(run, tmp_path, weather):
    run("tables", "build", "t.txt", "-o", "t.txt", code=2)
    assert b"named .safetensors" in run("tables", "build", "t.txt", "-o", "t.bin", code=2).stderr
    run("tables", "build", "nowhere", "-o", "x.safetensors", code=2)
    (tmp_path / "bad.txt").write_text("rain 0 0\nsnow 0\n", encoding="utf-8")

    assert b"line 2" in run("tables", "build", "bad.txt", "-o", "x.safetensors", code=2).stderr
    assert not (tmp_path / "x.safetensors").exists()


CASED = "The 9 9\nRain 0 1\nrain 0 2\n2024 5 5\nsnow 3 3\nco-op 4 4\nSnow 3 4\nwind 7 7\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ["The", "Rain", "rain", "2024", "snow", "co-op", "Snow", "wind"]),
        (["--words", "2"], ["The", "Rain"]),
        (["--lower"], ["the", "rain", "2024", "snow", "co-op", "wind"]),
        (["--alphabetic"], ["rain", "snow", "wind"]),
        (["--lower", "--alphabetic", "--words", "3"], ["the", "rain", "snow"]),
    ],
)
def test_build_keeps_the_words_asked_for(run, tmp_path, options, words):
    (tmp_path / "cased.txt").write_text(CASED, encoding="utf-8")
    said = run("tables", "build", "cased.txt", "-o", "mine.safetensors", *options).stdout.decode()
    built = Table.open(tmp_path / "mine.safetensors")

    assert list(built.words) == words
    assert (built.name, f"{len(words)} words" in said) == ("mine", True)
    assert ("left out" in said) == (len(words) < 8)
    if "--lower" in options:
        assert built.vectors[words.index("rain")].tolist() == [0, 1]  # of the commoner one


def test_nothing_left_is_said(run, tmp_path):
    (tmp_path / "loud.txt").write_text("RAIN 1\nSNOW 2\n", encoding="utf-8")
    done = run("tables", "build", "loud.txt", "-o", "x.safetensors", "--alphabetic", code=2)

    assert b"words in capitals need --lower" in done.stderr
    assert b"--lower --alphabetic" in run("tables", "info", "loud.txt").stdout


@pytest.mark.parametrize(("dtype", "width"), [("--int8", 1), ("--float16", 2), ("--float32", 4)])
def test_build_reports_what_storing_costs(run, tmp_path, dtype, width):
    vectors = np.random.default_rng(1).standard_normal((300, 40)).astype(np.float32)
    Table([f"word{i}" for i in range(300)], vectors).save(tmp_path / "full.safetensors")
    said = run("tables", "build", "full.safetensors", "-o", "o.safetensors", dtype).stdout.decode()
    size = (tmp_path / "o.safetensors").stat().st_size

    assert 0 < size - 300 * 40 * width < 5000
    assert ("% stay (300 words looked at)" in said) == (dtype != "--float32")


def test_build_takes_vectors_and_a_list_of_words(run, tmp_path):
    np.save(tmp_path / "v.npy", np.eye(2))
    (tmp_path / "listed").write_text("rain\nsnow\n", encoding="utf-8")
    without = run("tables", "build", "v.npy", "-o", "x.safetensors", code=2)
    run("tables", "build", "v.npy", "-o", "x.safetensors", "--word-list", "listed")

    assert b"vectors without words" in without.stderr
    assert list(Table.open(tmp_path / "x.safetensors").words) == ["rain", "snow"]


def test_any_kind_of_table_can_be_released_with(run, tmp_path):
    (tmp_path / "cc.vec.gz").write_bytes(gzip.compress(b"2 2\nrain 0 0 \nsnow 0 1 \n"))
    done = run("obfuscate", "--table", "cc.vec.gz", "--size", "5", stdin=b"rain today")

    assert set(done.stdout.decode().split()) <= {"rain", "snow"}


def test_a_pickle_is_refused_with_the_line_that_converts_it(run, tmp_path):
    (tmp_path / "model.kv").write_bytes(b"\x80\x04\x95")
    done = run("obfuscate", "--table", "model.kv", stdin=b"rain", code=2)

    assert b"can run any program" in done.stderr
    assert b"save_word2vec_format" in done.stderr


def test_help_and_version(run):
    assert b"obfuscate" in run("--help").stdout
    assert b"--epsilon" in run("obfuscate", "-h").stdout
    assert b"0.1.0" in run("--version").stdout
