"""Audits on engines: the same questions, and the same answers."""

from dataclasses import replace
from pathlib import Path

import pytest

from nomdeplume import (
    Audit,
    Claim,
    InputError,
    Laplace,
    NoisyNearest,
    Obfuscator,
    PlumeError,
    secure,
)
from nomdeplume.audit import asking
from nomdeplume.audit.asking import LEAST, Asker, Clock, Task
from nomdeplume.audit.finding import INSTRUMENTS
from nomdeplume.audit.probe import Share
from nomdeplume.decode import Rank
from nomdeplume.engine.pool import LocalPool
from nomdeplume.engine.ray import OnRay
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.ranked import Ranked
from tests.audit.patience import patiently
from tests.engine import brought

POOL = LocalPool(2)


@pytest.fixture(autouse=True)
def _found(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])  # where workers find functions


@pytest.fixture
def passing(monkeypatch):
    """A time that passes when it is told to."""
    now = [100.0]
    monkeypatch.setattr(asking, "monotonic", lambda: now[0])

    def passing(seconds):
        now[0] += seconds

    return passing


def test_a_right_system_is_asked_the_same_and_not_called_broken(vocabulary):
    system = Obfuscator(vocabulary, NoisyNearest(vocabulary.table, Laplace(1.0)), size=20)
    said = []
    one = Audit(seconds=1)(system)
    two = Audit(seconds=2, engine=POOL)(system, said.append)

    assert not two.broken
    assert [each.title for each in two.findings] == [each.title for each in one.findings]
    assert sorted(said) == sorted(each.question for each in two.findings)
    assert [each.verdict for each in two.findings if "certificate" in each.question] == ["held"]


def test_a_broken_mechanism_is_found(table):
    def audited(seconds):
        return Audit(seconds=seconds, engine=POOL)(Claim(brought.same, table, 1.0))

    report = patiently(audited, 2, lambda report: report.strongest.ratio > 3)
    broken = [finding.title for finding in report.broken]

    assert {"table, apple and pear", "no unknown word comes out"} <= set(broken)
    assert report.strongest.ratio > 3


def test_random_pairs_are_drawn_once_for_all_workers(table):
    audit = Audit(seconds=1, pairs="random", instruments=("loss",), engine=POOL)
    found = [each.question for each in audit(Claim(brought.same, table, 1.0)).findings]

    assert len(found) == len(set(found)) == 3  # two pairs, and bags of the first
    assert found[2] == f"{found[0]} in bags of 4"


def test_every_question_has_an_equal_part_of_alpha(table):
    """Whatever a question finds, it is broken only below its part."""
    report = Audit(alpha=0.999, seconds=1, engine=POOL)(NoisyNearest(table, Laplace(1.0)))
    tested = [finding for finding in report.findings if finding.pvalue is not None]

    assert len(tested) > 5
    for finding in tested:
        assert (finding.verdict == "broken") == (finding.pvalue < 0.999 / len(report.findings))


def test_an_error_in_a_worker_is_told_without_words(table):
    with pytest.raises(InputError, match=r"fails on words of table tiny: KeyError\."):
        Audit(seconds=1, engine=POOL)(Claim(brought.fails, table, 1.0))


@pytest.mark.parametrize("engine", [POOL, OnRay(2)])
def test_what_cannot_be_sent_is_refused(table, engine):
    """A function that nobody can import, and a mechanism that holds a secure generator."""
    refused = pytest.raises(InputError, match="what is audited cannot be sent to other processes")
    with refused:
        Audit(engine=engine)(Claim(lambda words: words, table, 1.0))
    with refused:
        Audit(engine=engine)(brought.Holds(table, Laplace(1.0), rng=secure()))


def subjects(table, vocabulary):
    mechanism = Exponential(table, 1.0)
    return {
        "noise": Obfuscator(vocabulary, NoisyNearest(vocabulary.table, Laplace(1.0)), size=4),
        "chances": mechanism,
        "steps": Ranked(mechanism, Rank()),
        "means": Obfuscator.mean(vocabulary, budget=5.0, size=4),
        "a function": Claim(brought.same, table, 1.0),
    }


@pytest.mark.parametrize("kind", ["noise", "chances", "steps", "means", "a function"])
def test_findings_have_the_questions_of_their_probes(table, vocabulary, kind):
    asker = Asker(Audit()._questions(subjects(table, vocabulary)[kind]), INSTRUMENTS)
    share = Share(1e-6, 0.01, secure())
    quick = [probe for probe in asker.probes if "stream" not in probe.question]
    found = [(probe.question, probe.ask(share).question) for probe in quick]

    assert len(found) > 3
    assert [one for one, _ in found] == [two for _, two in found]


def test_a_worker_with_other_questions_refuses(table):
    asker = Asker(Audit()._questions(NoisyNearest(table, Laplace(1.0))), ("law",))
    probes = asker.probes
    task = Task(1, len(probes), probes[1].question, 1e-6, 0.01)

    assert asker(task)[0] == 1
    for other in (replace(task, probes=len(probes) + 1), replace(task, question="how are you?")):
        with pytest.raises(PlumeError, match="must have the same nomdeplume"):
            asker(other)


def test_one_worker_shares_out_what_is_left(passing):
    clock = Clock(100.0, 8.0, [1, 1, 2])
    first = clock.begin(0)
    passing(4)  # twice as long as it should
    clock.end(0)
    second = clock.begin(1)
    passing(20)
    clock.end(1)

    assert first == 2
    assert second == pytest.approx(4 / 3)
    assert clock.begin(2) == pytest.approx(LEAST * 4)


def test_several_workers_have_as_many_times_the_share(passing):
    clock = Clock(100.0, 8.0, [1] * 8, workers=2)
    begun = [clock.begin(0), clock.begin(1)]
    for number in (2, 4, 6):
        passing(2)
        clock.end(number - 2)
        clock.end(number - 1)
        begun += [clock.begin(number), clock.begin(number + 1)]

    assert begun == pytest.approx([2] * 8)


def test_no_probe_gets_more_than_is_left(passing):
    clock = Clock(100.0, 8.0, [1, 1, 1], workers=16)
    begun = [clock.begin(0), clock.begin(1)]
    passing(3)

    assert begun == [8, 8]
    assert clock.begin(2) == 5
