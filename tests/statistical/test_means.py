"""Noise on means has the law of its own m dimensions, on features divided by their stretch."""

import numpy as np
import pytest
from scipy.stats import beta, gamma, kstest
from tests.conftest import ALPHA

from nomdeplume import Laplace, Table, secure
from nomdeplume.bag import Bag
from nomdeplume.mechanism import Anchors, Network, NoisyMean, Projection

DRAWS, K = 120_000, 12
VECTORS = np.random.default_rng(8).standard_normal((40, K)) * 2
TABLE = Table([f"w{i}" for i in range(40)], VECTORS)
SOME = np.random.default_rng(9)
IMAGES = {  # by the dimensions that they have
    "vectors": (None, K),
    "projection": (Projection(0.5 * np.eye(K)[:4]), 4),
    "anchors": (Anchors(tuple(VECTORS[:6, None]), 20.0), 6),
    "network": (
        Network(3 * np.eye(K)[:2], SOME.standard_normal((9, K)), np.ones(9), np.ones((2, 9))),
        2,
    ),
}
BUDGET = 3.0
BAG = Bag.of({1: 3, 7: 1, 20: 12})


@pytest.fixture(scope="module", params=IMAGES)
def kind(request):
    return request.param


def noise(kind, rng, budget=BUDGET):
    """What is added to the mean of a bag, by the whole way that a document takes."""
    image, m = IMAGES[kind]
    mechanism = NoisyMean(TABLE, Laplace(budget), image=image)
    rows = VECTORS.astype(np.float32).astype(np.float64)
    features = rows if image is None else image(rows)
    due = np.average(features[BAG.ids], axis=0, weights=BAG.counts) / mechanism.stretch
    drawn = mechanism.noisy([BAG] * DRAWS, rng) - due

    assert drawn.shape == (DRAWS, m)
    return drawn


@pytest.mark.parametrize("budget", [0.5, 20.0])
def test_length_is_gamma_in_the_dimensions_of_the_features(kind, budget, rng):
    m = IMAGES[kind][1]
    length = np.linalg.norm(noise(kind, rng, budget), axis=1)

    def fit(error, dimensions=m):
        return kstest(length, gamma(dimensions, scale=error / budget).cdf).pvalue

    assert fit(1.00) > ALPHA
    assert fit(0.94) < ALPHA  # 6 % too little noise would be seen
    assert fit(1.06) < ALPHA  # and 6 % too much
    assert fit(1.00, m + 1) < ALPHA  # and that of another number of dimensions
    assert fit(1.00, K if m < K else m - 1) < ALPHA


def test_direction_is_uniform_around_the_divided_mean(kind, rng):
    drawn, m = noise(kind, rng), IMAGES[kind][1]
    along = np.vstack([np.eye(1, m), np.ones((1, m)), rng.standard_normal((2, m))])
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    law = beta((m - 1) / 2, (m - 1) / 2).cdf

    def fit(drawn):
        unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        return min(kstest((1 + unit @ e) / 2, law).pvalue for e in along)

    leaning = drawn + 0.06 * np.linalg.norm(drawn, axis=1)[:, None] * along[1] / np.sqrt(m)
    assert fit(drawn) > ALPHA
    assert fit(leaning) < ALPHA  # a mean that is 6 % of a radius off would be seen


def test_features_that_are_not_divided_would_be_seen(rng):
    """The noise is right around φ/L, and around nothing else."""
    image, m = IMAGES["projection"]
    mechanism = NoisyMean(TABLE, Laplace(BUDGET), image=image)
    rows = VECTORS.astype(np.float32).astype(np.float64)
    plain = np.average(image(rows)[BAG.ids], axis=0, weights=BAG.counts)
    length = np.linalg.norm(mechanism.noisy([BAG] * DRAWS, rng) - plain, axis=1)

    assert mechanism.stretch < 0.51  # the directions are half as long as they might be
    assert kstest(length, gamma(m, scale=1 / BUDGET).cdf).pvalue < ALPHA


def test_secure_noise_on_means_has_the_same_law():
    length = np.linalg.norm(noise("projection", secure()), axis=1)

    assert kstest(length, gamma(4, scale=1 / BUDGET).cdf).pvalue > ALPHA
    assert kstest(length, gamma(4, scale=0.94 / BUDGET).cdf).pvalue < ALPHA


def test_documents_get_noise_of_their_own(rng):
    """Two documents of one batch have noise that is not alike, nor has one released twice."""
    mechanism = NoisyMean(TABLE, Laplace(BUDGET), image=IMAGES["projection"][0])
    drawn = mechanism.noisy([BAG] * 2000, rng)

    assert len(np.unique(drawn, axis=0)) == 2000
    assert abs(np.corrcoef(drawn[:-1, 0], drawn[1:, 0])[0, 1]) < 0.12
