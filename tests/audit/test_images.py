"""The audit sees what noise is added to and what follows it, for every noise and decoder."""

from dataclasses import replace

import numpy as np
import pytest
from tests.conftest import DECODINGS, NOISES, TINY

from nomdeplume import Laplace, NoisyNearest, Table, seeded
from nomdeplume.audit import inside
from nomdeplume.audit.probe import Share
from nomdeplume.mechanism.image import Projection, Unit
from nomdeplume.noise import VonMisesFisher
from nomdeplume.table.directions import principal_directions

SHARE = Share(1e-6, 0.5, seeded(1))


@pytest.fixture(scope="module")
def words():
    vectors = np.random.default_rng(2).standard_normal((200, 5)) * 3
    return Table([f"w{i}" for i in range(200)], vectors)


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize("decoding", DECODINGS)
def test_right_mechanisms_let_nothing_past_the_noise(name, decoding):
    noise, image = NOISES[name]
    mechanism = NoisyNearest(TINY, noise, image=image, decoder=DECODINGS[decoding])

    assert inside.of_vectors(mechanism, certified=True).ask(SHARE).verdict == "held"
    assert inside.of_interference(mechanism, "table").ask(SHARE).verdict == "held"


@pytest.mark.parametrize("name", NOISES)
def test_a_decoder_that_peeks_is_seen_whatever_the_noise(name):
    class Peeking(NoisyNearest):
        def release(self, ids, rng):
            return np.where(ids == 3, ids, super().release(ids, rng))

    noise, image = NOISES[name]
    peeking = Peeking(TINY, noise, image=image)

    assert inside.of_interference(peeking, "table").ask(SHARE).verdict == "broken"


def test_an_image_that_stretches_is_seen(words):
    class Stretched(Projection):
        def __call__(self, vectors):
            return 2 * super().__call__(vectors)

    directions = principal_directions(words, 2)
    right, wrong = (
        NoisyNearest(words, Laplace(1.0), image=image(directions))
        for image in (Projection, Stretched)
    )

    assert inside.of_vectors(right, certified=True).ask(SHARE).verdict == "held"
    assert inside.of_vectors(wrong, certified=True).ask(SHARE).verdict == "broken"


def test_noise_on_others_than_the_named_image_is_seen(words):
    class Other(NoisyNearest):
        def vectors(self, ids):
            return -super().vectors(ids)

    other = Other(words, VonMisesFisher(9.0), image=Unit())

    assert inside.of_vectors(other, certified=True).ask(SHARE).verdict == "broken"
    assert inside.of_vectors(other, certified=False).ask(SHARE).verdict == "held"  # no farther


def test_watched_noise_is_the_noise(words):
    seen, _ = inside.watched(NoisyNearest(words, Laplace(2.0)), blind=False)
    ids = np.arange(50)
    moved = seen.elsewhere(TINY, 1.0)

    assert (
        seen.release(ids, seeded(1)) == replace(seen, noise=Laplace(2.0)).release(ids, seeded(1))
    ).all()
    assert moved.guarantee.epsilon == 1.0
    assert seen.noise.at(3.0).guarantee.epsilon == 3.0
