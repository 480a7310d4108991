"""Stand-ins, ticket by ticket: the promise is kept and reached in every small library."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from nomdeplume import InputError, PrivacyError, seeded
from nomdeplume.evaluate.attackers.informed import by_documents
from nomdeplume.evaluate.floors import ceiling
from nomdeplume.evaluate.folds import Fold
from nomdeplume.library import Library, Passage
from nomdeplume.library.counts import counts
from nomdeplume.mechanism.contract import Released
from nomdeplume.mechanism.standin import StandIn

ALPHA = 1e-6


def library(size: int) -> Library:
    return Library(tuple(Passage(str(i), f"public text number {i}") for i in range(size)))


@dataclass(frozen=True)
class Written:
    """A score that is written in the text: "3 1 2" scores three texts."""

    name: str = "written"

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[float(each) for each in text.split()] for text in texts])


def standin(size, best, odds, score=None):
    return StandIn(library(size), score or Written(), best, odds)


def chances(mechanism, text):
    """P(place | text) by going through all tickets."""
    drawn = np.arange(mechanism.tickets)
    nearest = np.repeat(mechanism._nearest([text]), len(drawn), axis=0)
    held = np.bincount(mechanism._holders(nearest, drawn), minlength=len(mechanism.library))
    return [Fraction(int(each), mechanism.tickets) for each in held]


def worst(mechanism, texts):
    """The largest ratio of two chances of one release."""
    laws = [chances(mechanism, text) for text in texts]
    pairs = [pair for p in laws for q in laws for pair in zip(p, q, strict=True) if any(pair)]
    return max(a / b if b else inf for a, b in pairs)


@st.composite
def worlds(draw):
    """A size, a number of best texts, odds, and a few texts that score anything."""
    size = draw(st.integers(3, 40))
    best, odds = draw(st.integers(1, size - 1)), draw(st.integers(2, 300))
    score = st.sampled_from(["0", "1", "2", "-1", "nan", "inf", "-inf", "1e300"])
    text = st.lists(score, min_size=size, max_size=size).map(" ".join)
    return (
        size,
        best,
        odds,
        draw(st.lists(text | st.just("fails") | st.just(""), min_size=2, max_size=4)),
    )


@given(worlds())
@settings(max_examples=1000, deadline=None)
def test_odds_never_exceed_w_whatever_texts_say(world):
    size, best, odds, texts = world
    mechanism = standin(size, best, odds)
    laws = [chances(mechanism, text) for text in texts]

    for law in laws:
        assert sum(law) == 1
        assert sorted(set(law)) == [
            Fraction(1, mechanism.tickets),
            Fraction(odds, mechanism.tickets),
        ]
        assert sum(each * mechanism.tickets == odds for each in law) == best
    assert worst(mechanism, texts) in (1, odds)


def test_the_promise_is_reached():
    mechanism = standin(5, 2, 100)

    assert worst(mechanism, ["5 4 3 2 1", "1 2 3 4 5"]) == 100
    assert mechanism.guarantees[0].epsilon == log(100)


def test_ties_and_failures_go_to_the_first_places():
    mechanism = standin(5, 2, 10)
    texts = ["1 1 1 1 1", "nan nan nan nan nan", "fails", "", "nan 0 nan 7 7"]

    assert mechanism._nearest(texts).tolist() == [[0, 1]] * 4 + [[3, 4]]


def test_one_failing_text_leaves_the_others_alone():
    mechanism = standin(4, 1, 10)

    assert mechanism._nearest(["1 2 3 4", "fails", "9 2 3 4"]).tolist() == [[3], [0], [0]]


def test_places_are_drawn_by_their_chances():
    mechanism = standin(6, 2, 9)
    texts = mechanism.library.texts
    released = mechanism.release(["0 5 0 0 4 0"] * 50_000, seeded(3))
    counts = [sum(each.text == text for each in released) for text in texts]

    def fit(odds):
        expected = np.array([float(each) for each in chances(standin(6, 2, odds), "0 5 0 0 4 0")])
        return chisquare(counts, expected * len(released)).pvalue

    assert fit(9) > ALPHA
    assert fit(8) < ALPHA  # odds that are a little smaller would be seen


@dataclass(frozen=True, eq=False)
class FromAll(StandIn):
    """The planted fault: the other tickets are for all texts, the best ones too."""

    def _holders(self, nearest, drawn):
        first = self.best * self.odds
        inside = nearest[np.arange(len(drawn)), np.minimum(drawn, first - 1) // self.odds]
        return np.where(drawn < first, inside, (drawn - first) % len(self.library))


@dataclass(frozen=True, eq=False)
class OneMore(StandIn):
    """The planted fault: one ticket too many for each of the best."""

    def _holders(self, nearest, drawn):
        held = np.minimum(drawn // (self.odds + 1), self.best - 1)
        return super()._holders(
            nearest, np.where(drawn < self.best * (self.odds + 1), held * self.odds, drawn)
        )


@pytest.mark.parametrize("fault", [FromAll, OneMore])
def test_planted_faults_break_the_promise(fault):
    mechanism = fault(library(6), Written(), 2, 10)

    assert worst(mechanism, ["6 5 4 3 2 1", "1 2 3 4 5 6"]) > 10


def test_a_library_that_holds_a_private_text_is_refused():
    mechanism = standin(4, 1, 10, score=lambda texts: np.zeros((len(texts), 4)))
    public = "Public, text number two of the four that are in this library"
    mechanism = StandIn(
        Library((*library(3).passages, Passage("two", public))), mechanism.score, 1, 10
    )

    with pytest.raises(PrivacyError, match="holds a text"):
        mechanism.item("of the four that are in this LIBRARY public text number two")
    assert mechanism.item("something else that nobody has written yet")


@pytest.mark.parametrize(("best", "odds"), [(0, 100), (6, 100), (2, 1), (2, 10**7), (2, 2.5)])
def test_impossible_numbers_are_refused(best, odds):
    with pytest.raises(InputError):
        standin(6, best, odds)


def test_counts_are_right_on_average_and_their_intervals_hold():
    fields = ["sea"] * 3 + ["land"] * 9
    some = Library(
        tuple(Passage(str(i), f"text {i}", field=field) for i, field in enumerate(fields))
    )
    mechanism = StandIn(some, Written(), 3, 8)
    sea, mixed = " ".join("1" * 3 + "0" * 9), " ".join("011100000000")
    texts = [sea] * 300 + [mixed] * 600  # on the sea: 300 + 600·2/3
    estimates, held = [], 0
    for seed in range(300):
        released = [each.text for each in mechanism.release(texts, seeded(seed))]
        [at_sea, _] = counts(some, released, best=3, odds=8)
        estimates.append(at_sea.estimate)
        held += at_sea.low <= 700 <= at_sea.high
    deviation = np.std(estimates, ddof=1)

    assert abs(np.mean(estimates) - 700) < 5 * deviation / np.sqrt(len(estimates))
    assert deviation <= mechanism.tickets * np.sqrt(len(texts)) / (2 * 3 * 7)
    assert held > 0.9 * 300
    assert (
        abs(np.mean([sum(text in some.texts[:3] for text in released)]) - 700) > 100
    )  # as they are


# The attacker who knows the chances, by enumeration: two authors of three texts each

ANN = ["9 8 0 0 0 0", "9 0 8 0 0 0", "0 9 8 1 0 0"]
BOB = ["0 0 8 9 0 0", "0 0 0 9 8 0", "8 0 0 0 0 9"]
AUTHORS = np.repeat([0, 1], 3)


def named_right(mechanism, texts, known=None):
    """The share that the attacker names right, over all texts and releases by their chances.

    It takes releases to be made by `known`. Draw y releases library text y for every text.
    """
    known, n, size = known or mechanism, len(texts), len(mechanism.library)
    released = [Released(text) for text in mechanism.library.texts for _ in texts]
    everything = Fold(np.arange(n), np.arange(n))

    def law(places):
        return known.log_chances(released, [texts[place] for place in places])

    scores = by_documents(law, AUTHORS, [everything], size)[0]
    named = scores[:, 0].argmax(axis=1)
    laws = np.array([chances(mechanism, text) for text in texts])
    return laws[named == AUTHORS[:, None]].sum() / n


def best_possible(mechanism, texts):
    """Naming the author for whom a release is likelier: Σ max of both chances, over two authors."""
    laws = np.array([chances(mechanism, text) for text in texts])
    return sum(max(laws[:3, y].sum(), laws[3:, y].sum()) for y in range(len(laws[0]))) / len(texts)


@pytest.mark.parametrize("odds", [2, 10, 100])
@pytest.mark.parametrize("best", [1, 2, 3])
def test_who_knows_the_chances_names_as_many_as_anyone_can(best, odds):
    mechanism = standin(6, best, odds)

    assert named_right(mechanism, ANN + BOB) == best_possible(mechanism, ANN + BOB) > 0.5
    assert float(best_possible(mechanism, ANN + BOB)) <= ceiling(log(odds), 1 / 2)


def test_nobody_names_more_than_the_ceiling_and_some_name_as_many():
    mechanism = standin(6, 3, 10)
    apart = ["9 8 7 0 0 0"] * 3 + ["0 0 0 7 8 9"] * 3

    assert named_right(mechanism, apart) == Fraction(10, 10 + 2 - 1)
    assert ceiling(log(10), 1 / 2) == pytest.approx(10 / 11)
    assert ceiling(log(10), 1 / 34) == pytest.approx(10 / (10 + 34 - 1))


def test_who_is_wrong_about_the_order_of_the_library_names_fewer():
    mechanism = standin(6, 2, 100)
    texts = mechanism.library.texts
    shuffled = Library(tuple(Passage(text, text) for text in (*texts[3:], *texts[:3])))
    wrong = StandIn(shuffled, Written(), 2, 100)

    assert named_right(mechanism, ANN + BOB, wrong) < 0.5 < named_right(mechanism, ANN + BOB)
    with pytest.raises(InputError, match="not one of library"):
        mechanism.log_chances([Released("a text of somebody else")], ANN)
