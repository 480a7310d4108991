"""What samples prove is true, and as much as they can."""

import numpy as np
import pytest
from scipy.stats import binom

from nomdeplume.audit.evidence import Places, Samples, provable, proven_loss, strongest


def places(outcomes):
    flat = np.zeros((outcomes, 1), dtype=np.float32)
    return Places(flat, flat[0], flat[0])


def drawn(p, n, rng):
    return rng.choice(len(p), size=(n, 1), p=p)


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.02), (0.1, 0.1), (0.2, 0.05), (1.0, 0.4)])
def test_a_proven_loss_is_a_true_one(p, q, rng):
    """Over all counts, weighed by their chances: the bound fails as rarely as it says."""
    trials, alpha = 200, 0.05
    x, y = np.meshgrid(np.arange(trials + 1), np.arange(trials + 1), indexing="ij")
    chances = binom(trials, p).pmf(x) * binom(trials, q).pmf(y)
    fails = proven_loss(x, y, trials, alpha=alpha) > np.log(p / q)

    assert chances.sum() == pytest.approx(1)
    assert chances[fails].sum() <= alpha
    tight = proven_loss(x, y, trials, alpha=0.5) > np.log(p / q)
    assert chances[tight].sum() > 0.01  # and it is not vacuous


def test_nothing_hit_proves_nothing():
    assert proven_loss(0, 0, 100, alpha=1e-3) == -np.inf
    assert proven_loss(100, 100, 100, alpha=1e-3) < 0


def test_more_samples_can_prove_more():
    few, many = (provable(n, alpha=1e-6) for n in (1_000, 100_000))

    assert 4 < few < many < np.log(100_000)
    assert proven_loss(99_999, 1, 100_000, alpha=1e-6) < many


def test_the_best_event_comes_near_the_loss(rng):
    """Between (½, ½·e⁻³, …) and its mirror image all but a little of 3 nats is proven."""
    small = 0.5 * np.exp(-3)
    p, q = np.array([0.5, small, 0.5 - small]), np.array([small, 0.5, 0.5 - small])
    samples = Samples(drawn(p, 200_000, rng), drawn(q, 200_000, rng))
    found = strongest(samples, 3, places(3), alpha=1e-6)

    assert 2.8 < found <= 3


def test_what_was_learnt_by_heart_is_not_proven(rng):
    """Of one law of 5,000 outcomes a test on its own training samples would prove a loss."""
    law = np.full(5_000, 1 / 5_000)
    both = [Samples(drawn(law, 4_000, rng), drawn(law, 4_000, rng)) for _ in range(40)]

    assert sum(strongest(each, 5_000, places(5_000), alpha=0.01) > 0 for each in both) <= 3


def test_words_outside_the_table_are_outcomes_too(rng):
    """The last outcome is no word and has no place; a release that shows it tells all."""
    known = np.zeros((3, 1), dtype=np.float32)
    x, y = np.full((2_000, 1), 3), np.zeros((2_000, 1), dtype=np.int64)
    found = strongest(Samples(x, y), 4, Places(known, known[0], known[0]), alpha=1e-6)

    assert found == pytest.approx(provable(1_000, alpha=1e-6))


def test_a_direction_in_which_noise_leans_is_seen(rng):
    """Among ever new outcomes, counts and distances say nothing; the direction does."""
    vectors = np.sort(rng.standard_normal((4_000, 1)), axis=0).astype(np.float32)
    x, y = rng.integers(0, 3_000, (4_000, 1)), rng.integers(1_000, 4_000, (4_000, 1))
    same = Places(vectors, vectors[0], vectors[0])

    assert strongest(Samples(x, y), 4_000, same, alpha=1e-6) > 0.1
