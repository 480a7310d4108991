"""The account against laws that are known exactly, and against another accountant on a line."""

import importlib.util
import sys
from functools import cache
from itertools import combinations
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution

from nomdeplume import Account, InputError
from nomdeplume.distance import Cloud, word_mover
from nomdeplume.privacy.exact import law
from nomdeplume.reduction import REDUCTIONS
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

SCRIPT = Path(__file__).parents[2] / "scripts" / "enumeration.py"
spec = importlib.util.spec_from_file_location("enumeration_for_accounts", SCRIPT)
world = sys.modules["enumeration_for_accounts"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(world)

VOCABULARY = Vocabulary(world.LINE, StopWords("none", frozenset()))
SHARES = np.array([0.02, 0.2, 0.5, 0.9])  # of the pure loss


def true_delta(p, q, loss):
    """The least δ at a loss, between two laws that are known."""
    return max(np.maximum(one - exp(loss) * two, 0).sum() for one, two in ((p, q), (q, p)))


@cache
def deltas(account, pure):
    return np.array([account.delta(loss) for loss in SHARES * pure])


def texts_and_laws(reduction):
    """All texts of three words, the law of a release of two of them, and its account."""
    way = REDUCTIONS[reduction]
    texts = [world.text(bag) for bag in world.BAGS]
    if reduction == "sample":
        return way, texts, [world.drawn(world.CHANNEL, 2)(bag) for bag in world.BAGS]
    bags = [VOCABULARY.bag(text) for text in texts]
    reduced = way.reduce(bags, 2, VOCABULARY, np.random.default_rng(0))
    return way, texts, [law(world.CHANNEL, bag) for bag in reduced]


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_no_two_texts_lose_more_than_their_account_says(reduction):
    """At every loss, for all pairs of texts, against the law of what is released."""
    way, texts, laws = texts_and_laws(reduction)
    seen, caught = 0, 0
    for (x, p), (y, q) in combinations(zip(texts, laws, strict=True), 2):
        account = way.account((world.EPSILON, VOCABULARY.table.dimensions), 2, VOCABULARY, x, y)
        if not account.pure:
            assert p == pytest.approx(q, rel=1e-9)
            continue
        promise = way.guarantees(world.WORD, 2, VOCABULARY)[-1]
        assert account.pure == pytest.approx(promise.loss(x, y), rel=1e-12)
        due = np.array([true_delta(p, q, loss) for loss in SHARES * account.pure])
        less = way.account((0.97 * world.EPSILON, VOCABULARY.table.dimensions), 2, VOCABULARY, x, y)
        assert (due <= deltas(account, account.pure)).all()
        seen, caught = seen + 1, caught + bool((due > deltas(less, account.pure)).any())
    assert seen > 100
    assert caught >= 5  # 3 % less noise than there is would be seen


def test_the_mean_move_is_no_account_of_drawn_words():
    """A tenth of a far word loses more than the word that is a tenth as far."""
    x, y = np.array([0.9, 0, 0, 0.1]), np.array([1.0, 0, 0, 0])
    p, q = x @ world.CHANNEL, y @ world.CHANNEL
    mean = Account.of_bags(1.0, [word_mover(Cloud.of([[0.0], [4.0]], [9, 1]), [[0.0]])], 1)
    right = Account.of_draws(1.0, [([0.0, 4.0], [0.9, 0.1])], 1, 1)

    assert true_delta(p, q, 0.35) > mean.delta(0.35)
    assert true_delta(p, q, 0.35) <= right.delta(0.35)


@pytest.mark.parametrize("s", [0.01, 0.5, 3.0, 20.0])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_word_on_a_line_has_a_closed_form(s, share):
    """δ(ε) = 1 − e^((ε−s)/2), and so total variation 1 − e^(−s/2) at ε = 0."""
    account, loss = Account.of_bags(s, [1.0], 1), share * s
    due, more = -np.expm1((loss - s) / 2), -np.expm1((loss - 1.001 * s) / 2)

    assert due <= account.delta(loss) <= more
    assert account.loss(due) == pytest.approx(loss, abs=1e-3 * s)
    assert account.loss(due) >= loss - 1e-12
    assert Account.of_bags(0.97 * s, [1.0], 1).delta(loss) < due  # 3 % too little would be seen


@pytest.mark.parametrize(("s", "count"), [(1.0, 10), (0.1, 100), (3.0, 5), (0.5, 1000)])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-10])
def test_words_on_a_line_lie_between_the_bounds_of_another_accountant(s, count, delta):
    low, high = (
        privacy_loss_distribution.from_laplace_mechanism(
            1 / s, pessimistic_estimate=safe, value_discretization_interval=s * 1e-3
        )
        .self_compose(count)
        .get_epsilon_for_delta(delta)
        for safe in (False, True)
    )
    found = Account.of_bags(1.0, [s] * count, 1).loss(delta)

    assert low <= found <= high * 1.001
    assert Account.of_bags(0.97, [s] * count, 1).loss(delta) < low  # 3 % too little would be seen


def test_different_words_on_a_line_lie_between_the_bounds_of_another_accountant():
    moves = [0.3, 0.8, 1.1, 2.0]
    bounds = []
    for safe in (False, True):
        one, *others = (
            privacy_loss_distribution.from_laplace_mechanism(
                1 / s, pessimistic_estimate=safe, value_discretization_interval=1e-3
            )
            for s in moves
        )
        for other in others:
            one = one.compose(other)
        bounds.append(one.get_epsilon_for_delta(1e-2))

    assert bounds[0] <= Account.of_bags(1.0, moves, 1).loss(1e-2) <= bounds[1] * 1.001


def test_theory_has_its_two_examples():
    """Ten times below the pure bound, and 2.7 times."""
    many = Account.of_bags(1.0, [10.0] * 100, 100)
    few = Account.of_bags(1.0, [5.0] * 100, 10)

    assert many.pure / many.loss(1e-6) == pytest.approx(10.38, abs=0.05)
    assert few.pure / few.loss(1e-6) == pytest.approx(2.71, abs=0.02)


def test_a_release_of_two_answers_is_the_worst_of_its_pure_loss():
    """What is too small or too large to be computed is bounded by randomised response."""
    for s in (1e-12, 1e-10, 1e7):
        account = Account.of_bags(s, [1.0], 2)
        assert account.loss(1e-30) <= account.pure == s
        assert account.delta(s / 2) == pytest.approx(-np.expm1(-s / 2) / (1 + exp(-s)), rel=1e-6)
    assert Account.of_bags(1e7, [1.0], 2).loss(0.25) == pytest.approx(1e7 + log(0.75), rel=1e-11)
    assert Account.of_bags(1e-10, [1.0], 2).loss(1e-9) == 0


@pytest.mark.parametrize("delta", [0, 1, -1e-6, 2.0, float("nan"), True, "1e-6"])
def test_delta_is_between_0_and_1(delta):
    with pytest.raises(InputError, match="between 0 and 1"):
        Account.of_bags(1.0, [1.0], 2).loss(delta)
