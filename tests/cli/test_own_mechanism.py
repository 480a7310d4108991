"""A mechanism of an installed package: every command takes it, and no file of src knows it."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from math import exp
from pathlib import Path

import numpy as np
import pytest

import nomdeplume
from nomdeplume import Audit, Laplace, NoisyNearest, Obfuscator, seeded
from nomdeplume.evaluate.store import read
from nomdeplume.mechanism import WordByWord
from nomdeplume.mechanism.contract import PublicTexts, Released
from nomdeplume.vocabulary import Vocabulary
from tests import evaluation_world as world
from tests.audit.patience import patiently
from tests.contract import two_texts
from tests.contract.two_texts import TEXTS, TwoTexts

from .conftest import COMMAND, PATIENCE, environment

POSTS = [
    {"id": "a", "author": "Ann", "text": "The dough is in the oven."},
    {"id": "b", "author": "Bob", "text": "The ferry was late again."},
    {"id": "c", "author": "Ann", "text": "qqq"},
]


@pytest.fixture
def command(tmp_path):
    """The command, where a package with the mechanism is installed."""
    site = tmp_path / "site"
    about = site / "two_texts-1.0.dist-info"
    about.mkdir(parents=True)
    shutil.copy(two_texts.__file__, site / "two_texts.py")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: two-texts\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[nomdeplume.mechanisms]\ntwo-texts = two_texts:KIND\n")
    (tmp_path / "tmp").mkdir()
    env = environment(tmp_path) | {"PYTHONPATH": os.pathsep.join([str(site)])}

    def command(*arguments, code=0):
        done = subprocess.run(
            [str(COMMAND), *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            env=env,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    return command


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written(path, records):
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")


def test_no_file_of_src_knows_it():
    sources = Path(nomdeplume.__file__).parent.rglob("*.py")
    names = ("two-texts", "two_texts", "TwoTexts")
    known = [each for each in sources if any(name in each.read_text() for name in names)]

    assert known == []


def test_texts_come_out_at_the_promised_odds():
    made = Obfuscator(world.vocabulary(), TwoTexts(1.5))
    documents = made(["dough"] * 20_000, seeded(1))
    fitting = sum(each.text == TEXTS[1] for each in documents) / len(documents)

    assert {each.text for each in documents} == set(TEXTS)
    assert fitting == pytest.approx(0.8176, abs=0.02)
    assert made.guarantee.loss("dough", "ferry") == 1.5
    assert documents[0].certificate.promises[0].odds[-1].factor == "4.49"


def test_a_run_is_released_certified_charged_and_checked(command, tmp_path):
    written(tmp_path / "in.jsonl", POSTS)
    spends = ["--mechanism", "two-texts", "--budget", "2"]
    ledger = ["--ledger", "l", "--limit", "5", "--author-field", "author"]
    said = command("obfuscate", "in.jsonl", "-o", "out.jsonl", *spends, *ledger).stderr

    assert {each["text"] for each in lines(tmp_path / "out.jsonl")} <= set(TEXTS)
    assert "any two texts change by more than 7.39 to 1" in " ".join(said.split())
    checked = command("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl").stdout
    assert "public texts: 3 of 3" in checked
    assert "kept words" not in checked.split("Nobody")[1]

    changed = (tmp_path / "out.jsonl").read_text().replace("ferry", "boat").replace("dough", "bun")
    (tmp_path / "out.jsonl").write_text(changed)
    found = command("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl", code=3)
    assert "✗ public texts: 0 of 3" in found.stdout

    shown = command("ledger", "show", "l", "--author", "Ann").stdout
    assert "Budgets count in any two texts" in shown
    again = command("obfuscate", "in.jsonl", "-o", "again.jsonl", *spends, *ledger, code=3).stderr
    assert "had no room left and were refused" in again.replace("\n", " ")
    other = command(
        "obfuscate", "in.jsonl", "-o", "other.jsonl", "--budget", "9", "--ledger", "l", code=3
    ).stderr
    assert "this ledger counts in any two texts" in other


def test_shards_and_workers_release_it(command, tmp_path):
    (tmp_path / "in").mkdir()
    written(tmp_path / "in/a.jsonl", POSTS)
    written(tmp_path / "in/b.jsonl", POSTS)
    spends = ["--mechanism", "two-texts", "--budget", "2"]
    command("obfuscate", "in", "-o", "out", "--engine", "pool", "--workers", "2", *spends)
    command("certificate", "out.certificate.json", "--release", "out")
    command("obfuscate", "in/a.jsonl", "-o", "one.jsonl", "--workers", "2", *spends)

    released = [*lines(tmp_path / "out/part-00001.jsonl"), *lines(tmp_path / "one.jsonl")]
    assert {each["text"] for each in released} <= set(TEXTS)
    assert len(released) == 6


def test_it_is_evaluated_as_texts(command, tmp_path):
    corpus = world.corpus()
    labels = [[each.names[code] for code in each.codes] for each in (corpus.author, corpus.topic)]
    records = zip(corpus.texts, *labels, strict=True)
    names = ("text", "author", "topic")
    written(tmp_path / "c.jsonl", [dict(zip(names, each, strict=True)) for each in records])
    rows = zip(world.table().words, world.table().vectors[:].tolist(), strict=True)
    table = "".join(f"{word} {' '.join(map(str, vector))}\n" for word, vector in rows)
    (tmp_path / "t.txt").write_text(table, encoding="utf-8")
    ask = ["--table", "t.txt", "--stop-words", "none", "--mechanism", "two-texts", "--budget", "2"]
    few = ["--folds", "4", "--draws", "2", "--attackers", "word-svm,informed"]
    said = command("evaluate", "c.jsonl", *ask, *few, "-o", "report.html").stdout
    [cell] = read(tmp_path / "report.json").results.cells

    assert cell.size is None
    assert cell.certificate["form"] == "text"
    assert {each.words for each in cell.examples} <= set(TEXTS)
    most = exp(2) / (exp(2) + 5)  # of six authors alike
    assert cell.ceiling == pytest.approx(most, abs=1e-6)
    assert f"nobody names more than {100 * most:.0f} % of single" in " ".join(said.split())
    assert f"at most {100 * most:.1f}" in (tmp_path / "report.html").read_text(encoding="utf-8")


def audited(obfuscator, enough):
    """The report of an audit that had the time for enough."""
    return patiently(lambda seconds: Audit(seconds=seconds)(obfuscator), 4, enough)


def broken(report):
    return {each.question for each in report.broken}


def test_an_audit_comes_near_its_promise_and_finds_a_false_one():
    class Louder(TwoTexts):
        """It releases at odds of e³ to 1 and promises e^1.5 to 1."""

        def release(self, items, rng):
            return TwoTexts(3.0).release(items, rng)

    def close(report):
        return report.strongest.proven > 0.5 * report.strongest.promise

    kept, pair = Vocabulary.given(None), "public texts, pair 1"
    right = audited(Obfuscator(kept, TwoTexts(1.5)), close)
    wrong = audited(Obfuscator(kept, Louder(1.5)), lambda report: pair in broken(report))

    assert not right.broken
    assert close(right)
    assert pair in broken(wrong)


def test_texts_of_a_unit_are_released_as_one(command, tmp_path):
    written(tmp_path / "in.jsonl", POSTS)
    ask = ["--mechanism", "two-texts", "--unit-field", "author", "--keep", "author"]
    command("obfuscate", "in.jsonl", *ask, "-o", "out.jsonl")

    found = lines(tmp_path / "out.jsonl")
    assert [each["author"] for each in found] == ["Ann", "Bob"]
    assert {each["text"] for each in found} <= set(TEXTS)


def test_an_audit_finds_a_mechanism_that_passes_its_text_through():
    class Echo(TwoTexts):
        """It says nothing of what may come out."""

        def release(self, items, rng):
            return [Released(str(item)) for item in items]

    found = Audit(seconds=2, instruments=["flow"])(
        Obfuscator(world.vocabulary(), Echo(1.5, form=NoRequirements()))
    ).broken

    assert "a word that nobody knows was released" in str([each.evidence for each in found])


@dataclass(frozen=True)
class NoRequirements(PublicTexts):
    texts: tuple[str, ...] = TEXTS
    requirements = ()


def test_an_audit_tries_the_documents_that_are_given_not_only_their_words():
    class Bare(WordByWord):
        """The words of the text itself come out."""

        def release(self, items, rng):
            ids = [self.vocabulary.or_public(bag).ids for bag in self.vocabulary.bagged(items)]
            words = self.vocabulary.table.words
            rows = ([words[i] for i in np.resize(each, self.size)] for each in ids)
            return [Released(" ".join(sorted(row))) for row in rows]

    kept = Vocabulary.given(None)
    words = NoisyNearest(kept.table, Laplace(0.01), kept.ids)
    system, pair = (
        Obfuscator(kept, Bare(words, kept, 10, "apportion"), 10),
        "two versions of one letter",
    )

    assert pair in broken(audited(system, lambda report: pair in broken(report)))
