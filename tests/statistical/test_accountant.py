"""The account against simulations with the noise itself, and a small error in it would be seen."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import kstest, norm
from tests.conftest import ALPHA

from nomdeplume import Account, Laplace, Obfuscator, Table
from nomdeplume.bag import sample
from nomdeplume.privacy.accountant import LossLaw
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

DRAWS = 100_000
DEVIATIONS = norm.isf(ALPHA)


def losses(k, epsilon, moves, rng, draws=DRAWS):
    """Losses of releases of words that are moved by noise, between a bag and its match."""
    total = np.zeros(draws)
    for move in moves:
        z = Laplace(epsilon).add(np.zeros((draws, k)), rng)
        near = np.linalg.norm(z, axis=1)
        z[:, 0] -= move
        total += epsilon * (np.linalg.norm(z, axis=1) - near)
    return total


def limits(seen, loss):
    """Between these δ lies, but for a chance of 2·ALPHA: the mean of (1 − e^(loss−L))₊."""
    each = -np.expm1(np.minimum(loss - seen, 0))
    beside = DEVIATIONS * each.std() / np.sqrt(len(seen))
    return each.mean() - beside, each.mean() + beside


@pytest.mark.parametrize(("k", "s"), [(2, 1.0), (3, 4.0), (10, 5.0), (50, 12.0)])
def test_the_loss_of_real_noise_has_this_law(k, s, rng):
    seen = losses(k, 2.0, [s / 2], rng)

    def fit(error):
        at = np.linspace(-error * s, error * s, 2001)
        chance = 1 - LossLaw(k, error * s).above(at)
        return kstest(seen, lambda x: np.interp(x, at, chance)).pvalue

    assert fit(1.00) > ALPHA
    assert fit(0.94) < ALPHA  # 6 % less would be seen
    assert fit(1.06) < ALPHA  # and 6 % more


BAGS = [
    (1, 0.7, [1.0, 2.0, 0.3]),
    (2, 2.0, [1.0]),
    (3, 3.0, [0.5, 0.5, 0.2, 0.9]),
    (10, 1.5, [2.0, 3.0, 1.0, 2.5, 2.0]),
    (20, 6.0, [0.8] * 8),
    (50, 1.0, [8.0, 2.0, 4.0]),
]


@pytest.mark.parametrize(("k", "epsilon", "moves"), BAGS)
def test_the_account_of_a_bag_is_what_simulation_finds(k, epsilon, moves, rng):
    account = Account.of_bags(epsilon, moves, k)
    seen = losses(k, epsilon, moves, rng)
    seen_less = []
    for chance in (0.3, 0.8, 0.97):
        loss = float(np.clip(np.quantile(seen, chance), 0, 0.97 * account.pure))
        low, high = limits(seen, loss)
        assert low <= account.delta(loss) <= high * 1.002
        less = Account.of_bags(0.97 * epsilon, moves, k)
        seen_less.append(less.delta(loss) < low)
    assert any(seen_less)  # 3 % too little would be seen


@pytest.fixture
def plane():
    """Six words in the plane, with nothing left out."""
    places = [[0, 0], [1, 0], [0, 1], [3, 3], [4, 3], [2, 0]]
    words = ("apple", "pear", "plum", "lake", "river", "sea")
    return Vocabulary(Table(words, np.array(places, float)), StopWords("none", frozenset()))


TEXTS = [
    ("apple pear plum", "lake river sea"),
    ("apple apple apple apple apple apple apple apple apple lake", "apple"),
    ("apple pear", "pear plum plum"),
]


def drawn_losses(vocabulary, x, y, rng, *, epsilon, size):
    """Losses of releases of words drawn from x, seen as noisy vectors: all that there is to see."""
    bags, vectors = [vocabulary.bag(text) for text in (x, y)], vocabulary.table.vectors
    ids = sample([bags[0]] * DRAWS, size, rng).ravel()
    noisy = Laplace(epsilon).add(vectors[ids].astype(float), rng)

    def log_density(bag):
        far = np.linalg.norm(noisy[:, None] - vectors[bag.ids], axis=2)
        return logsumexp(np.log(bag.counts / len(bag)) - epsilon * far, axis=1)

    return (log_density(bags[0]) - log_density(bags[1])).reshape(DRAWS, size).sum(axis=1)


@pytest.mark.parametrize(("x", "y"), TEXTS)
@pytest.mark.parametrize("size", [1, 4])
def test_drawn_texts_lose_no_more_than_their_account_says(plane, x, y, size, rng):
    epsilon = 0.8
    account = Obfuscator.laplace(plane, epsilon=epsilon, size=size).account(x, y)
    for one, other in ((x, y), (y, x)):
        seen = drawn_losses(plane, one, other, rng, epsilon=epsilon, size=size)
        assert seen.max() <= account.pure + 1e-9
        for loss in (0.0, 0.3 * account.pure, 0.6 * account.pure):
            assert limits(seen, loss)[0] <= account.delta(loss)


def test_where_a_plan_is_no_choice_drawn_texts_lose_what_their_account_says(rng):
    """One word against one word: then drawing is no chance, and the account is exact."""
    table = Table(("apple", "lake"), np.array([[0.0, 0.0], [2.0, 0.0]]))
    vocabulary = Vocabulary(table, StopWords("none", frozenset()))
    account = Obfuscator.laplace(vocabulary, epsilon=1.0, size=3).account("apple", "lake")
    seen = drawn_losses(vocabulary, "apple", "lake", rng, epsilon=1.0, size=3)
    low, high = limits(seen, 2.0)

    assert low <= account.delta(2.0) <= high * 1.002


def test_the_mean_move_would_be_optimistic_for_drawn_texts(plane, rng):
    """What W₁ alone would say: simulation finds more, so it must not be said."""
    x, y = TEXTS[1]
    seen = drawn_losses(plane, x, y, rng, epsilon=2.0, size=1)
    mean = Account.of_bags(2.0, [np.sqrt(18) / 10], 2)

    assert limits(seen, 0.7)[0] > mean.delta(0.7)
