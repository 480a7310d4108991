"""Drawn words follow the frequencies of their bag."""

import numpy as np
from scipy.stats import chisquare
from tests.conftest import ALPHA

from nomdeplume.bag import Bag, sample


def test_sampling_follows_frequencies(rng):
    bags = [Bag.of({3: 1, 5: 6, 9: 3}), Bag.of({5: 1})]
    drawn = sample(bags, 400_000, rng)
    seen = np.array([(drawn[0] == i).sum() for i in (3, 5, 9)])

    assert seen.sum() == 400_000
    assert chisquare(seen, 400_000 * np.array([0.1, 0.6, 0.3])).pvalue > ALPHA
    assert chisquare(seen, 400_000 * np.array([0.106, 0.6, 0.294])).pvalue < ALPHA
    assert (drawn[1] == 5).all()


def test_draws_of_one_bag_are_independent(rng):
    [drawn] = sample([Bag.of({0: 1, 1: 1})], 100_000, rng)
    pairs = np.bincount(2 * drawn[::2] + drawn[1::2], minlength=4)

    assert chisquare(pairs).pvalue > ALPHA
