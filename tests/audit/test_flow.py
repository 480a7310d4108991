"""What leaves by other ways than through the noise, asked question by question."""

from string import ascii_lowercase

import numpy as np
import pytest
from tests.audit.planted import planted
from tests.conftest import NOISES, TINY

from nomdeplume import Laplace, NoisyNearest, Obfuscator, Table, secure, seeded
from nomdeplume.audit import charges, flow, inside
from nomdeplume.audit.documents import Inside, of_grid
from nomdeplume.audit.finding import BROKEN, HELD, OPEN
from nomdeplume.audit.probe import Share
from nomdeplume.audit.questions import Questions
from nomdeplume.audit.worlds import World
from nomdeplume.decode import Nearest, Vickrey
from nomdeplume.distance import word_mover
from nomdeplume.mechanism import Exponential, NoisyMean

SHARE = Share(1e-8, 0.1, seeded(1))


def system(kind=Obfuscator, reduction="sample", size=20):
    names = [f"word{letter}" for letter in ascii_lowercase]
    words = Table(names, [[i % 6, i // 6] for i in range(len(names))], name="some")
    return kind.laplace(words, epsilon=1.0, size=size, reduction=reduction)


def verdict(probe):
    return probe.ask(SHARE).verdict


# the order of released words


def in_order(system):
    questions = Questions(system.mechanism, system, system.vocabulary.ids, [], secure)
    [probe] = questions._in_order(system)
    return verdict(probe)


def test_released_words_in_the_order_of_ids_are_found():
    assert in_order(system(planted.Unsorted, "apportion")) == BROKEN


@pytest.mark.parametrize("reduction", ["sample", "apportion"])
def test_sorted_words_of_the_same_texts_hold(reduction):
    assert in_order(system(reduction=reduction)) == HELD


def test_the_words_of_two_texts_are_near_each_other_in_reverse():
    world = World(1, 2.0)
    one, two = (sorted(world.table.ids(text.split())) for text in world.crossed)
    x, y = (2.0 * world.table.vectors[ids].astype(float) for ids in (one, two))

    assert 2 * word_mover(x, y) == pytest.approx(0.4)  # nats, of which all that is promised is made
    assert abs(x - y).sum() == pytest.approx(6.2)  # and what an order would tell


# documents of all lengths


def test_long_texts_without_noise_are_found():
    finding = flow.of_lengths(system(planted.LongTextsBare)).ask(SHARE)

    assert (finding.verdict, finding.evidence) == (BROKEN, "not at 1,000, 5,000 words")


@pytest.mark.parametrize("reduction", ["sample", "apportion"])
def test_right_texts_of_all_lengths_hold(reduction):
    assert verdict(flow.of_lengths(system(reduction=reduction))) == HELD


def test_mechanisms_without_noise_are_tried_at_all_lengths():
    words = system().vocabulary
    chosen = Exponential.of(words.table, 1.0, outputs=words.ids[3:5])

    assert verdict(flow.of_lengths(Obfuscator(words, chosen))) == HELD
    assert verdict(flow.of_lengths(planted.LongTextsBare(words, chosen))) == BROKEN


# the public grid


@pytest.mark.parametrize("decoder", [Nearest(), Vickrey()], ids=["nearest", "vickrey"])
@pytest.mark.parametrize("name", NOISES)
def test_noisy_vectors_of_every_noise_are_on_the_grid(name, decoder):
    noise, image = NOISES[name]
    mechanism = NoisyNearest(TINY, noise, image=image, decoder=decoder)

    assert verdict(inside.of_grid(mechanism)) == HELD


def test_vectors_that_are_not_on_the_grid_are_found():
    assert verdict(inside.of_grid(planted.OffGrid(TINY, Laplace(1.0)))) == BROKEN


def test_a_grid_that_is_as_fine_as_floats_is_found():
    class Fine(NoisyMean):
        grid = 2.0**-40

    watched = [Inside(kind(TINY, Laplace(1.0)), None, np.arange(4)) for kind in (NoisyMean, Fine)]

    assert [verdict(of_grid(each)) for each in watched] == [HELD, BROKEN]


def test_a_decoder_that_cannot_be_watched_is_open():
    assert verdict(inside.of_grid(planted.OtherTable(TINY, Laplace(1.0)))) == OPEN


# what is charged


def charged(system):
    return charges.of_charges(system).ask(SHARE)


@pytest.mark.parametrize("reduction", ["sample", "apportion"])
def test_right_charges_hold(reduction):
    assert charged(system(reduction=reduction)).verdict == HELD


@pytest.mark.parametrize("budget", [0.07, 20.0, 12345.678])
def test_right_charges_of_means_hold(budget):
    words = system().vocabulary

    assert charged(Obfuscator(words, NoisyMean(words.table, Laplace(budget)))).verdict == HELD


def test_a_price_of_half_the_budget_is_found():
    finding = charged(system(planted.HalfPrice))

    assert finding.verdict == BROKEN
    assert finding.evidence == "a document: 10 where 20 are due; a text: 10 where 20 are due"


def test_units_at_half_their_price_are_found():
    with planted.units_at_half_price():
        finding = charged(system())

    assert finding.verdict == BROKEN
    assert finding.evidence == (
        "a text of a unit: 10 where 20 are due; an author: 10 where 20 are due"
    )
    assert charged(system()).verdict == HELD


class Free(Obfuscator):
    """A ledger is taken and not charged."""

    def __call__(self, texts, rng=None, *, ledger=None, ids=None, authors=None):
        return super().__call__(texts, rng)


class NoLedger(Obfuscator):
    def __call__(self, texts, rng=None):
        return super().__call__(texts, rng)


def test_a_system_that_charges_nothing_is_found():
    assert "a document: 0 where 20 are due" in charged(system(Free)).evidence


def test_what_cannot_be_charged_is_open():
    words = system().vocabulary
    huge = Obfuscator(words, NoisyMean(words.table, Laplace(1e12)))

    assert charged(system(NoLedger)).verdict == OPEN
    assert charged(huge).verdict == OPEN
