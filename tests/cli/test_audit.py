"""`nomdeplume audit`: what it prints, and its exit codes."""

import json

import pytest

from tests.audit.patience import patiently

MINE = """
import random
def same(words): return words
def nothing(words): return ["lake"] * len(words)
def shorter(words): return words[:1]
def make(table, epsilon): return lambda words: [table.words[0]] * len(words)
number = 5
"""


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(MINE, encoding="utf-8")
    return file


def test_the_program_keeps_its_promise(run):
    done = run("audit", "--seconds", "3", "--mechanism", "laplace")

    said = done.stdout.decode()
    assert said.startswith("Audit of laplace, ε = 6, on glove-6b-100d-50k (50,000 words × 100)")
    assert "Strongest evidence of loss: " in said
    assert "No promise was found broken." in said
    assert done.stderr == b""


def test_json_for_machines(run, tmp_path):
    (tmp_path / "t.txt").write_text("river 0 0\nlake 0 1\nrain 5 5\n", encoding="utf-8")
    asked = ["--pairs", "river,lake", "--epsilon", "20", "--table", "t.txt"]
    done = run("audit", "--seconds", "2", "--json", *asked)
    facts = json.loads(done.stdout)

    assert facts["broken"] is False
    assert any(each["question"] == "river and lake" for each in facts["findings"])


def test_a_function_of_ones_own(run, mine):
    """The identity tells every word: exit code 3, and the word on standard error."""
    done = run("audit", "--mechanism", f"{mine}:same", "--epsilon", "1", "--seconds", "2", code=3)

    said = done.stdout.decode()
    assert said.startswith("Audit of same, ε = 1, on ")
    assert "BROKEN: " in said
    assert done.stderr == b"nomdeplume: the promise is broken.\n"


def test_a_function_that_makes_others_is_tried_in_worlds(run, mine):
    held = "✓ loss  line, two words 3/ε apart"

    def audited(seconds):
        asked = ("--mechanism", f"{mine}:make", "--seconds", seconds, "--instrument", "loss")
        return run("audit", *asked).stdout.decode()

    said = patiently(audited, 2, lambda said: held in said)

    assert held in said
    assert "flow" not in said


def test_quiet_says_it_by_the_exit_code(run, mine):
    done = run("audit", "--mechanism", f"{mine}:nothing", "--seconds", "1", "--quiet")

    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--mechanism", "gauss"], "diffractor, or FILE:FUNCTION"),
        (["--mechanism", "nowhere.py:f"], "no file nowhere.py"),
        (["--alpha", "2"], "alpha"),
        (["--seconds", "0"], "seconds"),
        (["--epsilon", "-1"], "epsilon"),
        (["--epsilon", "3", "--pairs", "river"], "near, random, or two words"),
        (["--epsilon", "3", "--pairs", "river,zyxoquant"], "both words must be kept words"),
    ],
)
def test_bad_options_are_explained(run, arguments, said):
    assert said in run("audit", *arguments, code=2).stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--decode", "rank"], "--decode: for mechanisms by name"),
        (["--dimensions", "0"], "--dimensions: for mechanisms by name"),
        (["--weights", "zipf", "--setting", "mu=1"], "--weights, --setting: for mechanisms"),
        (["--vocabulary", "mine.py"], "--vocabulary: for mechanisms by name"),
        (["--epsilon", "0"], "epsilon must be"),
    ],
)
def test_what_is_for_mechanisms_by_name_is_refused_for_a_function(run, mine, arguments, said):
    done = run("audit", "--mechanism", f"{mine}:nothing", "--seconds", "1", *arguments, code=2)

    assert said in done.stderr.decode()


def test_bad_functions_are_explained(run, mine, tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0", encoding="utf-8")
    for name, said in {
        f"{mine}:absent": "has no function absent",
        f"{mine}:number": "has no function number",
        f"{mine}:shorter": "one word for each word",
        f"{tmp_path / 'broken.py'}:f": "could not be run: ZeroDivisionError",
    }.items():
        done = run("audit", "--mechanism", name, "--seconds", "1", code=2)
        assert said in done.stderr.decode()
