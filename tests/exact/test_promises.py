"""The promises enumerated, in a world of four words on a line where every chance is known."""

import importlib.util
import sys
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.conftest import ALPHA

from nomdeplume import InputError, Laplace, NoisyNearest
from nomdeplume.distance import Cloud, bottleneck, word_mover
from nomdeplume.privacy.exact import law, loss

SCRIPT = Path(__file__).parents[2] / "scripts" / "enumeration.py"
spec = importlib.util.spec_from_file_location("enumeration", SCRIPT)
world = sys.modules["enumeration"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(world)
world.STATEMENTS = {  # enumerated once, for the page too
    name: (*said, cache(statement)) for name, (*said, statement) in world.STATEMENTS.items()
}

CHANNEL, EPSILON, PLACES, WORD = world.CHANNEL, world.EPSILON, world.PLACES, world.WORD


def column(bag):
    return PLACES[bag][:, None]


def test_the_code_releases_with_these_chances(rng):
    mechanism = NoisyNearest(world.LINE, Laplace(EPSILON))
    for word in range(4):
        released = mechanism.release(np.full(40_000, word), rng)
        seen = np.bincount(released, minlength=4)
        assert chisquare(seen, 40_000 * CHANNEL[word]).pvalue > ALPHA
    assert chisquare(seen, 40_000 * CHANNEL[2]).pvalue < ALPHA


@pytest.mark.parametrize("name", world.STATEMENTS)
def test_every_statement_holds_and_is_nearly_reached(name):
    _, proof, statement = world.STATEMENTS[name]
    found = statement()

    assert found.spent <= 1 + 1e-9
    assert found.spent > 0.999
    assert proof in found.proofs


def test_the_page_of_the_enumeration_is_up_to_date():
    assert world.PAGE.read_text(encoding="utf-8") == world.page()


def test_a_promise_a_tenth_too_small_would_be_seen(monkeypatch):
    """The enumeration can fail: every statement is broken by 0.9 of its epsilon."""
    small = Laplace(0.9 * EPSILON).guarantee
    monkeypatch.setattr(world, "WORD", small)

    assert all(anew.__wrapped__().spent > 1 for *_, anew in world.STATEMENTS.values())


def test_epsilon_alone_is_no_promise_for_a_bag():
    """The factor `size` is needed: printing ε·W₁ would be a lie."""
    x, y = [2, 2, 2], [3, 3, 3]

    assert loss(law(CHANNEL, x), law(CHANNEL, y)) > EPSILON * word_mover(column(x), column(y))


def sampled(text, size):
    """Law of the ordered release of `size` draws from a text's frequencies."""
    one = np.asarray(text) @ CHANNEL
    return np.array([np.prod(one[list(out)]) for out in product(range(4), repeat=size)])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_word_mover_promise_does_not_survive_sampling(size):
    """A tenth of a far word costs more than a tenth of its loss."""
    spent = loss(sampled([0.9, 0, 0, 0.1], size), sampled([1.0, 0, 0, 0], size))
    x, y = Cloud.of(column([0, 3]), [9, 1]), Cloud.of(column([0]))

    assert size * EPSILON * word_mover(x, y) < spent <= WORD.over_samples(size).loss(x, y)


def test_sampled_texts_of_any_sizes_keep_the_bottleneck_promise():
    """Over all texts of up to four words, of unequal sizes too."""
    texts = [list(bag) for n in range(1, 5) for bag in world.bags(4, n)]
    found = world.enumerated(
        WORD.over_samples(2), map(column, texts), map(world.drawn(CHANNEL, 2), texts)
    )

    assert 0.99 < found.spent <= 1 + 1e-9


def test_the_word_mover_promise_of_means_does_not_hold_for_bags():
    """E·W₁ is what noise on the mean gives: the words of a bag, released one by one, lose more."""
    found = world.enumerated(
        WORD.over_means(), map(world.cloud, world.BAGS), [law(CHANNEL, bag) for bag in world.BAGS]
    )

    assert found.spent == pytest.approx(3, abs=0.1)


def test_deleting_words_is_not_covered_by_the_distance_before():
    """Near before a stop word goes, far after it: the promise must be about kept words."""
    x, y = Cloud.of(column([0, 2]), [99, 1]), Cloud.of(column([0, 3]), [99, 1])
    kept = loss(CHANNEL[2], CHANNEL[3])

    assert kept > 50 * EPSILON * word_mover(x, y)
    assert kept <= WORD.over_bags(1).loss(column([2]), column([3]))


def test_order_would_leak():
    """Two orders of one bag are at distance 0, yet a release that kept order tells them apart."""
    x, y = [0, 3], [3, 0]
    kept = [
        np.array([np.prod(CHANNEL[bag, out]) for out in product(range(4), repeat=2)])
        for bag in (x, y)
    ]

    assert WORD.over_bags(2).loss(column(x), column(y)) == 0
    assert loss(*kept) > 1
    assert loss(law(CHANNEL, x), law(CHANNEL, y)) == pytest.approx(0)


def test_the_bottleneck_is_at_least_the_mean_move():
    x, y = column([0, 1, 3]), column([1, 2, 2])

    assert word_mover(x, y) <= bottleneck(x, y)


def test_losses_say_their_factor():
    found = WORD.over_bags(3).loss(column([0, 0, 1]), column([0, 1, 1]))

    assert found == pytest.approx(1)
    assert found.factor == "2.72"
    assert WORD.over_releases(3000).loss([0.0], [1.0]).factor.startswith("e^3000")


def test_a_bag_of_another_size_has_no_promise():
    """Releases of two and of three words are told apart by counting."""
    with pytest.raises(InputError, match="about bags of 3 words, got one of 2"):
        WORD.over_bags(3).loss(column([0, 0, 0]), column([0, 0]))
    assert WORD.over_means().loss(column([0, 0, 0]), column([0, 0])) == 0


def test_no_loss_is_beyond_numbers():
    with pytest.raises(InputError, match="cannot be stated"):
        Laplace(1e300).guarantee.loss([0.0], [1e30])


def test_a_text_in_the_wrong_place_is_not_quoted():
    for guarantee in (WORD, WORD.over_bags(3), WORD.over_samples(3), WORD.over_means()):
        with pytest.raises(InputError) as caught:
            guarantee.loss("zyxoquant", "wumblegorf")
        assert "zyxoquant" not in str(caught.value)


def test_a_word_is_one_vector():
    with pytest.raises(InputError, match="places of two words"):
        WORD.loss(column([0, 1]), column([1, 2]))
    with pytest.raises(InputError, match="places of two words"):
        WORD.loss([0.0], [0.0, 1.0])


def test_an_authors_documents_add_up():
    author = WORD.over_bags(2).over_documents(3)
    documents = [column([0, 1]), column([1, 1]), column([2, 3])]
    others = [column([0, 0]), column([1, 1]), column([3, 3])]

    assert author.formula == "2 · ΣW₁"
    assert author.loss(documents, others) == pytest.approx(1 + 0 + 2.5)
    assert author.proofs == ("laplace", "bags", "adding")


@pytest.mark.parametrize("documents", [[], [[[0.0]]], "abc"])
def test_documents_are_compared_one_against_one(documents):
    with pytest.raises(InputError, match="2 documents on each side"):
        WORD.over_bags(1).over_documents(2).loss(documents, [[[0.0]], [[1.0]]])


@pytest.mark.parametrize("way", ["over_bags", "over_samples", "over_means", "projected"])
def test_what_follows_from_words_does_not_follow_from_bags(way):
    """A guarantee over bags of bags would be a number without a proof."""
    argument = {"over_bags": [2], "over_samples": [2], "projected": [np.eye(2)]}.get(way, [])

    with pytest.raises(InputError, match=r"between (two words only|any two vectors)"):
        getattr(WORD.over_bags(3), way)(*argument)


def test_a_stretching_map_costs_its_stretch():
    assert WORD.projected([[3.0, 4.0]]).epsilon == pytest.approx(5 * EPSILON)
    assert WORD.projected(np.eye(3)[:2]).epsilon == EPSILON
    assert WORD.projected([[0.5, 0.0]]).epsilon == EPSILON / 2
    assert WORD.contracted(0.25).proofs == ("laplace", "contraction")
    for none in ([[np.nan]], [[0.0, 0.0]], [[1.0], [1.0, 2.0]]):
        with pytest.raises(InputError, match=r"finite|not all of them 0"):
            WORD.projected(none)


@pytest.mark.parametrize("count", [0, -1, 1.5, True])
def test_counts_of_documents_and_releases_are_whole(count):
    with pytest.raises(InputError, match="whole number"):
        WORD.over_bags(2).over_documents(count)
    with pytest.raises(InputError, match="whole number"):
        WORD.over_releases(count)
