"""The law instrument passes what is right and sees small errors, in any number of dimensions."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import gamma
from tests.audit.patience import patiently
from tests.conftest import ALPHA

from nomdeplume import Laplace, NoisyNearest, Table, seeded
from nomdeplume.audit import chances, law
from nomdeplume.audit.finding import BROKEN
from nomdeplume.audit.probe import Share
from nomdeplume.privacy.exact import laplace_channel


def share(alpha=ALPHA, seconds=0.5):
    return Share(alpha, seconds, seeded(3))


def table(k, words=300):
    vectors = np.random.default_rng(k).standard_normal((words, k)) * np.geomspace(1, 3, k)
    return Table([f"w{i}" for i in range(words)], vectors + 2)


def verdicts(noise, k, seconds=0.5):
    probes = law.of_noise(noise, table(k))
    return {
        finding.question.split(",")[0].split(":")[0]: finding.verdict
        for finding in (probe.ask(share(seconds=seconds)) for probe in probes)
    }


@dataclass(frozen=True)
class Bent(Laplace):
    """Laplace noise that something is done to."""

    bend: object = None

    def add(self, vectors, rng):
        noise = super().add(np.zeros_like(vectors), rng)
        return vectors + self.bend(noise, vectors)


@pytest.mark.parametrize("k", [1, 2, 3, 50])
def test_laplace_noise_holds(k):
    assert set(verdicts(Laplace(2.0), k).values()) == {"held"}


@pytest.mark.parametrize("k", [1, 2, 50])
@pytest.mark.parametrize("scale", [0.94, 1.06])
def test_six_percent_too_little_or_too_much_is_seen(k, scale):
    assert sees(Bent(2.0, bend=lambda noise, _: scale * noise), k, "mean length of the noise")


def sees(noise, k, question):
    """Whether an error is seen, given the time that it takes."""

    def verdict(seconds):
        return verdicts(noise, k, seconds)[question]

    return patiently(verdict, 0.5, BROKEN.__eq__) == BROKEN


@pytest.mark.parametrize("k", [1, 8, 100])
def test_a_percent_too_little_noise_is_seen_in_any_number_of_dimensions(k):
    """At the alpha of one of forty questions, and however little time there is."""

    def verdict(scale):
        noise = Bent(2.0, bend=lambda noise, _: scale * noise)
        [probe, *_] = law.of_noise(noise, table(k))
        return probe.ask(share(alpha=ALPHA / 40, seconds=1e-3)).verdict

    assert (verdict(0.99), verdict(1.0), verdict(1.01)) == ("broken", "held", "broken")


def lean(noise, _):
    return noise + 0.06 * np.linalg.norm(noise, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("k", "question"),
    [
        (1, "noise"),  # longer to one side than to the other
        (2, "direction of the noise is uniform"),
        (50, "direction of the noise is uniform"),
    ],
)
def test_noise_that_leans_is_seen(k, question):
    assert sees(Bent(2.0, bend=lean), k, question)


@pytest.mark.parametrize("k", [2, 50])
def test_noise_that_follows_its_vector_is_seen(k):
    def towards(noise, vectors):
        """Every second draw is turned so that it points the way its vector does."""
        along = np.einsum("nk,nk->n", noise, vectors - vectors.mean(axis=0))
        turned = (along < 0) & (np.arange(len(along)) % 2 == 0)
        return np.where(turned[:, None], -noise, noise)

    assert sees(Bent(2.0, bend=towards), k, "direction of the noise is uniform")


@pytest.mark.parametrize("k", [1, 2, 50])
def test_noise_that_is_used_twice_is_seen(k):
    assert sees(Bent(2.0, bend=lambda noise, _: noise[np.arange(len(noise)) // 2]), k, "noise")


@pytest.mark.parametrize("k", [1, 50])
def test_noise_that_is_used_again_later_is_seen(k):
    """However far apart the two are."""

    def again(noise, _):
        return noise[np.arange(len(noise)) % max(1, len(noise) - 20)]

    assert sees(Bent(2.0, bend=again), k, "noise")


def test_a_tail_that_is_cut_off_is_seen():
    """Noise that is never long has no finite loss."""

    def clipped(noise, _):
        length = np.linalg.norm(noise, axis=1, keepdims=True)
        return noise * np.minimum(1, gamma(50, scale=1 / 2.0).ppf(0.999) / length)

    def verdict(seconds):
        return verdicts(Bent(2.0, bend=clipped), 50, seconds)["length of the noise is Gamma(k)"]

    assert patiently(verdict, 4, BROKEN.__eq__) == BROKEN


def test_one_coordinate_without_noise_is_seen():
    weak = np.where(np.arange(50) == 37, 0.01, 1.0)
    bent = Bent(2.0, bend=lambda noise, _: noise * weak)

    assert sees(bent, 50, "direction of the noise is uniform")


def test_a_public_grid_is_no_coarse_noise():
    """Rounding what is noisy is right; rounding the noise is not."""

    class OnGrid(Laplace):
        def add(self, vectors, rng):
            return np.rint(super().add(vectors, rng) * 2**20) / 2**20

    assert verdicts(OnGrid(2.0), 3)["noise is drawn in float64"] == "held"


@pytest.mark.parametrize("epsilon", [1e-3, 1e9, 1e16])
def test_noise_much_shorter_than_vectors_holds(epsilon):
    assert set(verdicts(Laplace(epsilon), 3).values()) == {"held"}


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_coarse_noise_is_seen(kind):
    bent = Bent(2.0, bend=lambda noise, _: noise.astype(kind).astype(float))

    assert sees(bent, 3, "noise is drawn in float64")


def test_chances_of_words_are_compared_with_their_formula():
    places = np.array([0.0, 1.0, 1.5, 4.0])
    line = Table(list("abcd"), places[:, None])
    ids = np.array([0, 2])

    def verdict(factor, seconds):
        mechanism = NoisyNearest(line, Laplace(1.0))
        probe = chances.of_channel(
            mechanism, lambda ids: laplace_channel(places, factor, places[ids]), ids, "line"
        )
        return probe.ask(share(seconds=seconds)).verdict

    assert verdict(1.0, 0.5) == "held"
    for factor in (0.94, 1.06):
        assert patiently(partial(verdict, factor), 0.5, BROKEN.__eq__) == BROKEN


def test_a_word_without_a_chance_breaks_a_channel():
    line = Table(list("ab"), [[0.0], [1.0]])
    never = chances.of_channel(
        NoisyNearest(line, Laplace(1.0)), lambda ids: np.eye(2)[ids], np.array([0]), "line"
    )

    assert never.ask(share()).pvalue == 0


def test_the_rare_are_tested_together():
    """None of 100 words is released as often as chi-square needs; that all are missing shows."""
    due = np.append(0.99, np.full(100, 1e-4))
    released = np.zeros(10_000, dtype=np.int64)
    right = np.random.default_rng(0).choice(101, 10_000, p=due / due.sum())

    assert chances.fit(released, due) < ALPHA
    assert chances.fit(right, due) > ALPHA


def test_the_keystream_is_the_standards(monkeypatch):
    assert chances.of_keystream().ask(share()).verdict == "held"
    monkeypatch.setattr(chances, "keystream", lambda *_, **__: bytes(64))
    assert chances.of_keystream().ask(share()).verdict == "broken"


def test_time_bounds_the_draws():
    quick = replace(share(), seconds=0.01)
    drawn = quick.samples(lambda n: np.zeros(n, dtype=np.int64), most=1000)

    assert len(drawn) == 1000
    assert len(quick.samples(lambda n: np.zeros(n, dtype=np.int64))) > 1000
