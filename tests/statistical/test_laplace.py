"""The noise has the law that the proof speaks of, and a small error in it would be seen."""

import numpy as np
import pytest
from scipy.stats import beta, gamma, kstest, laplace, spearmanr
from tests.conftest import ALPHA

from nomdeplume import Laplace, secure

DRAWS = 120_000


def noise(k, epsilon, rng, draws=DRAWS):
    return Laplace(epsilon).add(np.zeros((draws, k)), rng)


@pytest.mark.parametrize("epsilon", [0.5, 10.0])
@pytest.mark.parametrize("k", [2, 3, 50])
def test_length_is_gamma(k, epsilon, rng):
    length = np.linalg.norm(noise(k, epsilon, rng), axis=1)

    def fit(error):
        return kstest(length, gamma(k, scale=error / epsilon).cdf).pvalue

    assert fit(1.00) > ALPHA
    assert fit(0.94) < ALPHA  # 6 % too little noise would be seen
    assert fit(1.06) < ALPHA  # and 6 % too much


def test_length_is_not_that_of_one_dimension_less(rng):
    length = np.linalg.norm(noise(50, 1.0, rng), axis=1)

    assert kstest(length, gamma(49).cdf).pvalue < ALPHA


def directions(k, rng):
    """Unit vectors to look along: an axis, the diagonal, and some others."""
    some = rng.standard_normal((3, k))
    along = np.vstack([np.eye(1, k), np.ones((1, k)), some])
    return along / np.linalg.norm(along, axis=1, keepdims=True)


def fits(unit, along):
    """p-values of (1 + U·e)/2 against Beta((k−1)/2, (k−1)/2), one for each e."""
    k = unit.shape[1]
    law = beta((k - 1) / 2, (k - 1) / 2).cdf
    return [kstest((1 + unit @ e) / 2, law).pvalue for e in along]


@pytest.mark.parametrize("k", [2, 3, 50])
def test_direction_is_uniform(k, rng):
    drawn = noise(k, 2.0, rng)
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    assert min(fits(unit, directions(k, rng))) > ALPHA
    assert min(fits(np.abs(unit), directions(k, rng))) < ALPHA  # one orthant would be seen


@pytest.mark.parametrize("k", [2, 50])
def test_a_direction_that_leans_by_six_percent_is_seen(k, rng):
    drawn = noise(k, 2.0, rng)
    drawn[:, 0] += 0.06 * np.linalg.norm(drawn, axis=1) / np.sqrt(k)
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    assert min(fits(unit, directions(k, rng))) < ALPHA


@pytest.mark.parametrize("k", [2, 50])
def test_length_and_direction_are_independent(k, rng):
    drawn = noise(k, 1.0, rng)
    length = np.linalg.norm(drawn, axis=1)
    unit = drawn / length[:, None]

    def dependence(unit):
        """Smallest p-value over U·e and |U·e|, which see a sign or a spread that follows length."""
        seen = [unit @ e for e in directions(k, rng)]
        return min(spearmanr(length, f(x)).pvalue for x in seen for f in (np.asarray, np.abs))

    assert dependence(unit) > ALPHA
    leaning = unit + 0.06 * (length / length.mean() - 1)[:, None]
    assert dependence(leaning) < ALPHA


def test_noise_in_one_dimension_is_the_laplace_distribution(rng):
    drawn = noise(1, 2.0, rng).ravel()

    def fit(error):
        return kstest(drawn, laplace(scale=error / 2.0).cdf).pvalue

    assert fit(1.00) > ALPHA
    assert fit(0.94) < ALPHA
    assert fit(1.06) < ALPHA


def test_secure_noise_has_the_same_law():
    length = np.linalg.norm(noise(20, 3.0, secure()), axis=1)

    assert kstest(length, gamma(20, scale=1 / 3).cdf).pvalue > ALPHA
    assert kstest(length, gamma(20, scale=0.94 / 3).cdf).pvalue < ALPHA
