"""The promises enumerated, in a world of four words on a line where every chance is known.

On a line Laplace noise has a closed law, so the chance of each released word is
the mass of its cell, and the law of a released bag is a sum over orders.
"""

from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest
from scipy.stats import chisquare, laplace
from tests.conftest import ALPHA

from nomdeplume import Laplace, NoisyNearest, Table
from nomdeplume.distance import bottleneck, word_mover

EPSILON, SIZE = 1.0, 3
PLACES = np.array([0.0, 1.0, 1.5, 4.0])
LINE = Table(("apple", "pear", "river", "lake"), PLACES[:, None])
WORD = NoisyNearest(LINE, Laplace(EPSILON)).guarantee


@pytest.fixture(scope="module")
def channel():
    """channel[x, y] = chance that word x is released as word y."""
    edges = np.concatenate([[-np.inf], (PLACES[1:] + PLACES[:-1]) / 2, [np.inf]])
    return np.diff(laplace.cdf(edges, loc=PLACES[:, None], scale=1 / EPSILON), axis=1)


def law(channel, bag):
    """Chance of every released bag: a sum over the distinct orders of its words."""
    bags = combinations_with_replacement(range(4), len(bag))
    orders = (set(permutations(released)) for released in bags)
    return np.array([sum(np.prod(channel[bag, order]) for order in each) for each in orders])


def bags(size=SIZE):
    return [list(bag) for bag in combinations_with_replacement(range(4), size)]


def loss(p, q):
    """The largest shift of the log-odds that any outcome gives."""
    return np.log(p / q).max()


def test_the_code_releases_with_these_chances(channel, rng):
    mechanism = NoisyNearest(LINE, Laplace(EPSILON))
    for word in range(4):
        released = mechanism.release(np.full(40_000, word), rng)
        seen = np.bincount(released, minlength=4)
        assert chisquare(seen, 40_000 * channel[word]).pvalue > ALPHA
    assert chisquare(seen, 40_000 * channel[2]).pvalue < ALPHA


def test_word_promise_holds_and_is_reached(channel):
    spent = [
        loss(channel[x], channel[y]) / WORD.loss(PLACES[[x]], PLACES[[y]])
        for x, y in permutations(range(4), 2)
    ]

    assert max(spent) <= 1 + 1e-9
    assert max(spent) > 0.99


def test_the_law_of_a_bag_sums_to_one_and_forgets_order(channel):
    assert law(channel, [0, 1, 3]).sum() == pytest.approx(1)
    assert law(channel, [3, 0, 1]) == pytest.approx(law(channel, [0, 1, 3]))


def test_bag_promise_holds_and_is_nearly_reached(channel):
    promise = WORD.over_bags(SIZE)
    laws = {tuple(bag): law(channel, bag) for bag in bags()}
    spent = [
        loss(laws[tuple(x)], laws[tuple(y)]) / promise.loss(PLACES[x][:, None], PLACES[y][:, None])
        for x, y in permutations(bags(), 2)
    ]

    assert max(spent) <= 1 + 1e-9
    assert max(spent) > 0.99


def test_epsilon_alone_is_no_promise_for_a_bag(channel):
    """The factor `size` is needed: printing ε·W₁ would be a lie."""
    x, y = [2, 2, 2], [3, 3, 3]

    assert loss(law(channel, x), law(channel, y)) > EPSILON * word_mover(
        PLACES[x][:, None], PLACES[y][:, None]
    )


def sampled(channel, text, size):
    """Law of the ordered release of `size` draws from a text's frequencies."""
    one = np.asarray(text) @ channel
    return np.array([np.prod(one[list(out)]) for out in product(range(4), repeat=size)])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_word_mover_promise_does_not_survive_sampling(channel, size):
    """A tenth of a far word costs more than a tenth of its loss."""
    x, y = [0.9, 0, 0, 0.1], [1.0, 0, 0, 0]
    spent = loss(sampled(channel, x, size), sampled(channel, y, size))
    counts = [9, 1], [1]
    points = PLACES[[0, 3], None], PLACES[[0], None]
    promised_texts = WORD.over_samples(size).loss(*points, *counts)
    promised_bags = WORD.over_bags(size).loss(*points, *counts)

    assert promised_bags < spent <= promised_texts


def test_sampled_texts_keep_the_bottleneck_promise(channel):
    """Over all texts of up to four words: held for every pair, and reached by some."""
    promise = WORD.over_samples(2)
    texts = [np.bincount(bag, minlength=4) for n in range(1, 5) for bag in bags(n)]
    spent = []
    for x, y in permutations(texts, 2):
        i, j = np.flatnonzero(x), np.flatnonzero(y)
        bound = promise.loss(PLACES[i, None], PLACES[j, None], x[i], y[j])
        if bound:
            laws = (sampled(channel, text / text.sum(), 2) for text in (x, y))
            spent.append(loss(*laws) / bound)

    assert max(spent) <= 1 + 1e-9
    assert max(spent) > 0.99


def test_order_would_leak(channel):
    """Two orders of one bag are at distance 0, yet a release that kept order tells them apart."""
    x, y = [0, 3], [3, 0]
    kept = [
        np.array([np.prod(channel[bag, out]) for out in product(range(4), repeat=2)])
        for bag in (x, y)
    ]

    assert WORD.over_bags(2).loss(PLACES[x][:, None], PLACES[y][:, None]) == 0
    assert loss(*kept) > 1
    assert loss(law(channel, x), law(channel, y)) == pytest.approx(0)


def test_the_bottleneck_is_at_least_the_mean_move():
    x, y = PLACES[[0, 1, 3], None], PLACES[[1, 2, 2], None]

    assert word_mover(x, y) <= bottleneck(x, y)
