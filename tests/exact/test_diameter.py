"""The diameter of a set of points against brute force over all pairs."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from nomdeplume import Laplace, Table, Vocabulary
from nomdeplume.distance import diameter
from nomdeplume.distance import diameter as function
from nomdeplume.mechanism import NoisyMean, Projection
from nomdeplume.text import StopWords


def clouds(rng):
    ball = rng.standard_normal((3_000, 5))
    return {
        "a Gaussian cloud": ball,
        "heavy tails": ball * rng.pareto(1.5, (3_000, 1)),
        "a sphere, where all radii are one": ball / np.linalg.norm(ball, axis=1)[:, None],
        "off centre": ball + 1e5,
        "one outlier": np.vstack([ball, 50 * np.ones(5)]),
        "a line": np.linspace(0, 1, 400)[:, None],
        "a triangle, whose diameter misses the farthest point": [[0.0, 3], [-2.9, -1], [2.9, -1]],
        "one point": [[1.0, 2.0]],
        "one place": np.ones((300, 3)),
        "float32": ball.astype(np.float32),
    }


CLOUDS = clouds(np.random.default_rng(3))


@pytest.mark.parametrize("kind", CLOUDS)
def test_the_diameter_is_the_largest_distance_of_all_pairs(kind):
    rows = np.array(CLOUDS[kind])
    brute = pdist(rows.astype(np.float64)).max(initial=0.0)

    found = diameter(rows, np.arange(len(rows)))

    assert brute <= found <= brute * (1 + 1e-10)


def test_only_the_named_rows_count():
    rows = np.array([[0.0], [1.0], [9.0], [3.0]])

    assert diameter(rows, np.array([0, 1, 3])) == pytest.approx(3)


def test_where_the_search_would_take_too_long_the_answer_is_no_less(monkeypatch):
    module = __import__(function.__module__, fromlist=["WORK"])
    rows = CLOUDS["heavy tails"]
    ids, brute = np.arange(len(rows)), pdist(rows).max()
    radius = np.linalg.norm(rows - rows.mean(axis=0), axis=1).max()

    monkeypatch.setattr(module, "WORK", 0)

    assert brute < diameter(rows, ids) == pytest.approx(2 * radius)


def test_a_vocabulary_measures_kept_words_and_a_mechanism_their_features(rng):
    vectors = rng.standard_normal((60, 4)).astype(np.float32)
    table = Table([f"w{'abcdefghij'[i // 10]}{'abcdefghij'[i % 10]}" for i in range(60)], vectors)
    vocabulary = Vocabulary(table, StopWords("some", frozenset(table.words[:30])))
    kept = vectors[30:].astype(np.float64)
    image = Projection(np.eye(4)[:2])
    mechanism = NoisyMean(table, Laplace(1.0), vocabulary.ids, image=image)

    assert vocabulary.ids.tolist() == list(range(30, 60))
    assert vocabulary.diameter == pytest.approx(pdist(kept).max())
    features = mechanism.features.vectors[30:].astype(np.float64) / mechanism.stretch
    assert mechanism.diameter == pytest.approx(pdist(features).max())
