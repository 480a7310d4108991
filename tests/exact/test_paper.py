"""The example that shows the paper's algorithm releases words by the law of `--epsilon`."""

import importlib.util
import os
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.conftest import ALPHA

from nomdeplume import Obfuscator, Table, Vocabulary, seeded
from nomdeplume.privacy.exact import bags, laplace_channel, law

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "paper.py"
LETTERS = sorted((ROOT / "examples" / "letters").glob("*.txt"))

WORDS, PLACES = ("apple", "pear", "river", "lake"), np.array([0.0, 1.0, 1.5, 4.0])
LINE = Table(WORDS, PLACES[:, None], name="line")
EPSILON = 1.0
TEXT = "The river, the RIVER by a lake: 7 unknown pears, and quinces at the river."
DRAWN = np.array([0, 0, 3, 1]) / 4  # frequencies of the table's words in the text
DRAWS = 200_000


@pytest.fixture(scope="module")
def paper():
    spec = importlib.util.spec_from_file_location("paper", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def kept():
    return Vocabulary.of(LINE)


@pytest.fixture(params=["the example", "the library"])
def release(request, paper, kept):
    """Both ways to release a text many times, with the same arguments."""

    def library(times, *, size, rng):
        documents = Obfuscator.laplace(kept, epsilon=EPSILON, size=size)([TEXT] * times, rng)
        return [document.words for document in documents]

    def example(times, *, size, rng):
        one = partial(paper.release, TEXT, kept, epsilon=EPSILON, size=size, rng=rng)
        return [tuple(one()) for _ in range(times)]

    return library if request.param == "the library" else example


def one_draw(epsilon=EPSILON, drawn=DRAWN):
    """Chance of each released word for one draw from the text: an exact mixture."""
    return drawn @ laplace_channel(PLACES, epsilon)


def test_words_have_the_exact_chances(release, rng):
    [released] = release(1, size=DRAWS, rng=rng)
    seen = Counter(released)
    counts = np.array([seen[word] for word in WORDS])

    def fit(**world):
        return chisquare(counts, DRAWS * one_draw(**world)).pvalue

    assert fit() > ALPHA
    assert fit(epsilon=1.06) < ALPHA  # an ε 6 % larger would be seen
    assert fit(epsilon=0.94) < ALPHA  # and one 6 % smaller
    assert fit(drawn=np.array([0, 0, 1, 1]) / 2) < ALPHA  # and a bag that forgets counts


def test_bags_have_the_exact_chances(release, rng):
    """Three draws with replacement are independent, and their order is forgotten."""
    trials = 3_000
    seen = Counter(release(trials, size=3, rng=rng))
    outcomes = [tuple(sorted(WORDS[i] for i in each)) for each in bags(4, 3)]
    counts = np.array([seen[each] for each in outcomes])
    due = trials * law([one_draw()], [0, 0, 0])
    fixed = trials * law(laplace_channel(PLACES, EPSILON), [2, 2, 3])  # words not drawn by chance

    assert set(seen) <= set(outcomes)
    assert due.min() > 5  # the χ² approximation needs it
    assert chisquare(counts, due).pvalue > ALPHA
    assert chisquare(counts, fixed).pvalue < ALPHA


@pytest.mark.parametrize("text", [TEXT, "", "Nothing that the table has.", "lake " * 500])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_seed_gives_the_words_of_the_library(paper, kept, text, size):
    for seed in range(5):
        [due] = Obfuscator.laplace(kept, epsilon=EPSILON, size=size)([text], seeded(seed))
        found = paper.release(text, kept, epsilon=EPSILON, size=size, rng=seeded(seed))

        assert tuple(found) == due.words


def run(*arguments):
    """The script as somebody types it."""
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True)


@pytest.mark.parametrize("letter", LETTERS, ids=lambda path: path.stem)
def test_the_script_prints_the_words_of_the_command(letter, starter, tmp_path):
    arguments = [str(letter), "--epsilon", "6", "--seed", "1"]
    command = starter.run(["obfuscate", *arguments], cwd=tmp_path, env=dict(os.environ))
    script = run(*arguments)

    assert command.returncode == 0
    assert script.stdout == command.stdout.decode()
    assert "600 · W₁" in script.stderr
    assert "600 · W∞" in script.stderr


def test_the_script_takes_any_table_and_is_private_by_default(tmp_path):
    letter, line = tmp_path / "letter.txt", tmp_path / "line.txt"
    letter.write_text(TEXT, encoding="utf-8")
    rows = (f"{word} {place}\n" for word, place in zip(WORDS, PLACES, strict=True))
    line.write_text("".join(rows), encoding="utf-8")
    one, two = (
        run(letter, "--table", line, "--epsilon", 1, "--size", 200).stdout.split() for _ in "ab"
    )

    assert len(one) == 200
    assert set(one) <= set(WORDS)
    assert one == sorted(one)
    assert one != two
