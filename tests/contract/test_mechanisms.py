"""What every mechanism signs."""

from dataclasses import replace
from math import inf, log

import numpy as np
import pytest
from scipy.stats import beta
from tests.conftest import ALPHA, MAPPED, MEANS

from nomdeplume import InputError, Laplace, NoisyNearest, Table, seeded
from nomdeplume.bag import Bag
from nomdeplume.compose import Herding
from nomdeplume.decode import Nearest
from nomdeplume.mechanism import NoisyMean


def proven_loss(hits_x, hits_y, trials, *, alpha=ALPHA):
    """A loss between x and y that the counts prove, wrong with probability ≤ alpha."""
    p = beta.ppf(alpha / 2, hits_x, trials - hits_x + 1) if hits_x else 0.0
    q = beta.isf(alpha / 2, hits_y + 1, trials - hits_y) if hits_y < trials else 1.0
    return log(p / q) if p > 0 else -inf


def proven(mechanism, table, rng, trials=40_000):
    """Largest loss between the first two words that any single output word proves.

    It sees gross faults only; tests/statistical sees an error of 6 % in the noise.
    """
    inputs = np.repeat([[0], [1]], trials, axis=1)
    x, y = (np.bincount(mechanism.release(i, rng), minlength=len(table)) for i in inputs)
    return max(proven_loss(int(a), int(b), trials) for a, b in zip(x, y, strict=True))


def test_release_keeps_shape_and_range(mechanism, table, rng):
    ids = np.array([0, 1, 2, 3, 0])
    released = mechanism.release(ids, rng)

    assert released.shape == ids.shape
    assert set(released) <= set(range(len(table)))


def test_nothing_in_nothing_out(mechanism, rng):
    assert mechanism.release(np.empty(0, dtype=np.int64), rng).shape == (0,)


def test_release_leaves_its_input_alone(mechanism, rng):
    ids = np.array([0, 1])
    mechanism.release(ids, rng)

    assert list(ids) == [0, 1]


def test_same_stream_same_release(mechanism):
    ids = np.zeros(50, dtype=np.int64)
    one, two = (mechanism.release(ids, seeded(7)) for _ in "ab")

    assert (one == two).all()


def test_other_stream_other_release(mechanism):
    ids = np.arange(400) % 4
    one, two = (mechanism.release(ids, seeded(seed)) for seed in (7, 8))

    assert (one != two).any()


def test_no_event_beats_the_guarantee(mechanism, table, rng):
    ids = np.arange(2)
    places = mechanism.guarantee.metric.places(table.vectors[ids].astype(float), ids)

    assert proven(mechanism, table, rng) <= mechanism.guarantee.loss(*places)


def test_a_liar_is_caught(table, rng):
    """A mechanism with a tenth of the noise it claims is found out."""
    claimed = NoisyNearest(table, Laplace(0.5)).guarantee
    actual = NoisyNearest(table, Laplace(5.0))

    assert proven(actual, table, rng) > claimed.loss(*table.vectors[:2])


def test_decoders_see_points_of_the_public_grid_only(mechanism, rng):
    if isinstance(mechanism, NoisyMean):
        return  # composers do: below
    if not isinstance(mechanism, NoisyNearest):
        assert not hasattr(mechanism, "noise")
        return
    handed = []

    class Watched(Nearest):
        def over(self, *_):
            return lambda noisy, _: handed.append(noisy) or np.zeros(len(noisy), dtype=np.int64)

    replace(mechanism, decoder=Watched()).release(np.arange(4).repeat(50), rng)
    steps = np.concatenate(handed) / mechanism.places.grid

    assert len(steps) == 200
    assert (steps == np.rint(steps)).all()


@pytest.mark.parametrize("mechanism", MEANS.values(), ids=MEANS.keys())
def test_composers_see_points_of_the_public_grid_only(mechanism, rng):
    handed = []

    class Watched(Herding):
        def over(self, *_):
            return lambda noisy, size, _: handed.append(noisy) or np.zeros((len(noisy), size), int)

    watched = replace(mechanism, composer=Watched(), belief=None)
    watched.release(np.arange(4).repeat(200), rng)
    steps = np.concatenate(handed) / mechanism.grid

    assert steps.shape == (800, mechanism.dimensions)
    assert (steps == np.rint(steps)).all()


def test_large_requests_are_cut_into_blocks(table, rng):
    released = NoisyNearest(table, Laplace(1.0)).release(np.zeros(20_000, dtype=np.int64), rng)

    assert released.shape == (20_000,)


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 1e-300, 1e-9])
def test_impossible_epsilons_are_refused(table, epsilon):
    with pytest.raises(InputError, match="epsilon"):
        NoisyNearest(table, Laplace(epsilon))


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf"), 1e-300, 1e-9])
def test_impossible_budgets_are_refused(table, budget):
    with pytest.raises(InputError, match=r"epsilon|the budget must be at least"):
        NoisyMean(table, Laplace(budget))


@pytest.mark.parametrize("image", MAPPED.values(), ids=MAPPED.keys())
def test_a_mean_under_a_huge_budget_is_the_mean(table, rng, image):
    mean = NoisyMean(table, Laplace(1e12), image=image)
    bags = [Bag.of({0: 2, 3: 1}), Bag.of({1: 7})]
    vectors = table.vectors[:].astype(float)
    features = (vectors if image is None else image(vectors)) / mean.stretch

    found = [(2 * features[0] + features[3]) / 3, features[1]]
    assert np.allclose(mean.noisy(bags, rng), found, atol=2 * mean.grid)


def test_huge_epsilon_leaves_words_alone(table, rng):
    released = NoisyNearest(table, Laplace(1e300)).release(np.arange(4), rng)

    assert released.tolist() == [0, 1, 2, 3]


def test_it_can_be_made_for_another_small_world(mechanism, rng):
    """An audit tries a mechanism on tables of its own, and must try the same mechanism."""
    world = Table(("sea", "wind", "sand"), [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    made = mechanism.elsewhere(world, 1.0)

    assert (type(made), made.name) == (type(mechanism), mechanism.name)
    assert made.table.words == world.words
    assert set(made.release(np.repeat([0, 1, 2], 200), rng)) <= {0, 1, 2}
