"""The neighbourhood of a word: what is near it, and where its releases land."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from nomdeplume import Laplace, Table, seeded
from nomdeplume.calibrate.neighbourhood import Landing, Neighbourhood, wilson
from nomdeplume.errors import InputError
from nomdeplume.mechanism import Declaration, Exponential, NoisyMean
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.web.panels.understand import spread

DRAWS = 40_000


@dataclass(frozen=True)
class Silent:
    """A mechanism that draws as another does, and does not say its chances."""

    inner: Exponential

    @property
    def name(self):
        return self.inner.name

    @property
    def table(self):
        return self.inner.table

    @property
    def outputs(self):
        return self.inner.outputs

    @property
    def guarantee(self):
        return self.inner.guarantee

    @property
    def declaration(self):
        return Declaration()

    def release(self, ids, rng):
        return self.inner.release(ids, rng)


@dataclass(frozen=True)
class Counting:
    """A mechanism that never releases the same word twice."""

    table: Table
    outputs: None = None
    declaration: Declaration = Declaration()  # noqa: RUF009 - frozen

    def release(self, ids, rng):
        return np.arange(len(ids))


@pytest.fixture
def scattered():
    vectors = seeded(3).standard_normal((400, 7)).astype(np.float32)
    words = tuple(f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400))
    return Vocabulary(Table(words, vectors), StopWords("some", frozenset({"waa", "wab"})))


@pytest.fixture
def chosen(table):
    return Exponential.of(table, 0.7)


def test_the_nearest_kept_words_are_those_of_brute_force(scattered):
    found = Neighbourhood.of(scattered, "wcd", near=20)
    vectors = scattered.table.vectors.astype(np.float64)
    apart = np.linalg.norm(vectors - vectors[found.id], axis=1)
    others = [i for i in np.argsort(apart) if i in scattered.ids and i != found.id]

    assert found.ids.tolist() == others[:20]
    assert found.distances == pytest.approx(apart[others[:20]])


def test_the_map_has_the_word_at_its_origin_and_never_stretches(scattered):
    found = Neighbourhood.of(scattered, "wcd", near=30)

    assert found.placed(np.array([found.id])) == pytest.approx(np.zeros((1, 2)))
    assert (np.linalg.norm(found.places, axis=1) <= found.distances + 1e-9).all()
    assert found.placed(found.ids[:3]) == pytest.approx(found.places[:3])


def test_the_map_tells_the_share_of_the_spread_that_it_shows(scattered):
    found = Neighbourhood.of(scattered, "wcd", near=30)
    near = scattered.table.vectors[found.ids].astype(np.float64)
    shown = found.places.var(axis=0).sum() / near.var(axis=0).sum()

    assert found.told == pytest.approx(shown)
    assert 2 / 7 < found.told < 1


def test_a_map_of_two_dimensions_shows_all_of_a_plane(vocabulary):
    found = Neighbourhood.of(vocabulary, "apple")

    assert found.told == pytest.approx(1)
    assert len(found.ids) == 3
    assert np.linalg.norm(found.places, axis=1) == pytest.approx(found.distances)


def test_a_single_word_has_an_empty_map():
    alone = Vocabulary(Table(("apple",), np.ones((1, 3))), StopWords("none", frozenset()))
    found = Neighbourhood.of(alone, "apple")

    assert found.places.shape == (0, 2)
    assert found.told == 1


def test_an_unknown_word_is_refused_and_not_quoted(scattered):
    reasons = {
        "secretive": "table unnamed does not have this word",
        "waa": "has this word, but it is a stop word",
        "secretive waa": "one word must be given",
    }
    for word, reason in reasons.items():
        with pytest.raises(InputError, match=reason) as refused:
            Neighbourhood.of(scattered, word)
        assert word not in str(refused.value)


def test_shares_are_chances_where_a_mechanism_knows_them(vocabulary, chosen, rng):
    around = Neighbourhood.of(vocabulary, "apple", near=1)
    landing = Landing.of(chosen, around, rng)
    chances = chosen.channel(np.array([0]))[0]

    assert landing.exact
    assert landing.stays == pytest.approx(chances[0])
    assert landing.interval == (landing.stays, landing.stays)
    assert landing.near == pytest.approx(chances[1])
    assert landing.elsewhere == pytest.approx(chances[2:].sum())
    assert landing.substitutes == pytest.approx(1 / (chances**2).sum())
    assert dict(landing.commonest) == pytest.approx(
        dict(zip(vocabulary.table.words, chances, strict=True))
    )


def test_draws_tell_the_same_as_chances(vocabulary, chosen):
    around = Neighbourhood.of(vocabulary, "apple", near=1)
    known = Landing.of(chosen, around, seeded(1))
    drawn = Landing.of(Silent(chosen), around, seeded(2), draws=DRAWS)

    assert not drawn.exact
    for name in ("stays", "near", "elsewhere"):
        assert getattr(drawn, name) == pytest.approx(getattr(known, name), abs=0.02)
    assert drawn.substitutes == pytest.approx(known.substitutes, rel=0.03)
    assert drawn.interval[0] < drawn.stays < drawn.interval[1]
    assert drawn.stays + drawn.near + drawn.elsewhere == pytest.approx(1)


def test_the_number_of_substitutes_has_no_bias_of_few_draws(vocabulary, chosen):
    around = Neighbourhood.of(vocabulary, "apple")
    exact = Landing.of(chosen, around, seeded(0)).substitutes
    few = [
        1 / Landing.of(Silent(chosen), around, seeded(i), draws=10).substitutes for i in range(600)
    ]

    assert np.mean(few) == pytest.approx(1 / exact, rel=0.05)


def test_counts_are_of_all_draws_commonest_first(vocabulary, chosen, rng):
    around = Neighbourhood.of(vocabulary, "apple", near=1)
    landing = Landing.of(Silent(chosen), around, rng, draws=300)
    counts = dict(zip(landing.ids.tolist(), landing.counts.tolist(), strict=True))

    assert landing.counts.sum() == 300
    assert (np.diff(landing.counts) <= 0).all()
    assert landing.missed == counts.get(2, 0) + counts.get(3, 0)
    assert landing.elsewhere == pytest.approx(landing.missed / 300)


def test_draws_that_are_all_different_cannot_tell_how_many_there_are(scattered, rng):
    landing = Landing.of(
        Counting(scattered.table), Neighbourhood.of(scattered, "wcd"), rng, draws=9
    )

    assert not landing.repeats
    assert landing.substitutes == 36  # as many as there are pairs


def test_a_mechanism_of_documents_has_no_word_to_look_at(vocabulary, rng):
    mean = NoisyMean(vocabulary.table, Laplace(0.7))

    with pytest.raises(InputError, match="documents, not words"):
        Landing.of(mean, Neighbourhood.of(vocabulary, "apple"), rng)


def test_wilsons_interval_is_that_of_the_textbook():
    assert wilson(0.1, 50) == pytest.approx((0.0435, 0.2136), abs=1e-4)
    assert wilson(0.0, 50)[0] == pytest.approx(0)
    assert wilson(1.0, 50)[1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("told", "said"),
    [((8317.0, 15), "<b>8,000</b>"), ((71.3, 1750), "<b>71</b>"), ((71.3, 39), "<b>70</b>"),
     ((1.3, 90_000), "<b>1.3</b>"), ((1.001, 124_000), "<b>one</b>"), ((9.0, 0), "No two draws")],
)  # fmt: skip
def test_no_more_digits_are_told_than_draws_tell(vocabulary, chosen, rng, told, said):
    landing = Landing.of(Silent(chosen), Neighbourhood.of(vocabulary, "apple"), rng)
    substitutes, repeats = told

    assert said in spread(replace(landing, substitutes=substitutes, repeats=repeats))
