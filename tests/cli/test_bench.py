"""`nomdeplume bench` and `--index`: real runs on small tables; no figure is a test."""

import json
import re

import numpy as np
import pytest

from nomdeplume import Table
from nomdeplume.bench import Bench
from nomdeplume.errors import InputError
from nomdeplume.vocabulary import Vocabulary
from tests.cli.conftest import here


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of 5,000 words of letters, and a text of some of them."""
    place = tmp_path_factory.mktemp("bench")
    digits = str.maketrans("0123456789", "abcdefghij")
    words = [f"x{i}".translate(digits) for i in range(5000)]
    vectors = np.random.default_rng(1).standard_normal((5000, 12)) * 2
    Table(words, vectors, "small").save(place / "small.safetensors")
    (place / "letter.txt").write_text(" ".join(words[::50]), encoding="utf-8")
    return place


def test_it_says_what_it_timed_and_beside_what(folder):
    done = here(folder, "bench", "--table", "small.safetensors", "--words", "300", "--json")
    found = json.loads(done.stdout)

    names = [speed["name"] for speed in found["speeds"]]
    assert names[:2] == ["float32 product alone", "exact"]
    assert {"scan", "Laplace noise", "texts by laplace", "texts by mean"} <= set(names)
    assert found["words"] == 5000
    assert all(speed["rate"] > 0 for speed in found["speeds"])
    assert all(bool(speed["beside"]) == (speed["ratio"] is not None) for speed in found["speeds"])
    assert done.returncode == 0


def test_people_read_it_as_lines(folder):
    done = here(folder, "bench", "--table", "small.safetensors", "--words", "300", "--threads", "1")

    assert done.stdout.startswith("5,000 words × 12 of small, 1 core\n")
    assert re.search(r"^exact +[\d,]+ words +.*of the product|× the product", done.stdout, re.M)


@pytest.mark.parametrize("option", ["--epsilon=0", "--words=3", "--threads=-1"])
def test_bad_numbers_are_refused(folder, option):
    done = here(folder, "bench", "--table", "small.safetensors", option)

    assert done.returncode == 2
    assert option[2:].partition("=")[0] in done.stderr


def test_in_python_its_speeds_can_be_asked_for_one_by_one(folder):
    bench = Bench(Vocabulary.of(Table.open(folder / "small.safetensors"), "none"), words=200)

    assert bench.noise().unit == "words"
    assert bench.exact.beside == "the product"
    with pytest.raises(InputError, match="words must be"):
        Bench(bench.vocabulary, words=1)


def released(folder, index):
    """A seeded release by an index."""
    return here(
        folder, "obfuscate", "letter.txt", "--table", "small.safetensors", "--epsilon", "3",
        "--index", index, "--size", "20", "-o", f"{index}.txt", "--seed", "5", "--force",
    )  # fmt: skip


@pytest.mark.parametrize("index", ["auto", "exact", "scan"])
def test_an_index_is_chosen_by_name(folder, index):
    target, done = f"{index}.txt", released(folder, index)
    stated = json.loads((folder / f"{target}.certificate.json").read_text(encoding="utf-8"))

    assert done.returncode == 0
    assert stated["settings"].get("index", "exact") == ("scan" if index == "scan" else "exact")
    assert (stated["agreement"] is not None) == (index == "scan")
    read = here(folder, "certificate", f"{target}.certificate.json", "--release", target,
                "--table", "small.safetensors")  # fmt: skip
    assert read.returncode == 0, read.stdout + read.stderr
    assert ("noisy words the nearest was found" in " ".join(read.stdout.split())) == (
        index == "scan"
    )


def test_auto_and_exact_release_the_same_words(folder):
    assert released(folder, "auto").returncode == released(folder, "exact").returncode == 0
    texts = [(folder / f"{name}.txt").read_text(encoding="utf-8") for name in ("auto", "exact")]

    assert texts[0] == texts[1]


def test_an_index_without_a_search_is_refused(folder):
    done = here(folder, "obfuscate", "letter.txt", "--index", "scan", "--budget", "20")

    assert done.returncode == 2
    assert "decoded by nearest or rank" in done.stderr
