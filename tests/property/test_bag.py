"""Reductions keep to their bag, their size and, if they are without chance, their proportions."""

from unicodedata import category

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nomdeplume import Table, seeded
from nomdeplume.bag import Bag, apportion, sample
from nomdeplume.text import is_word, pieces, words
from nomdeplume.vocabulary import Vocabulary

counts = st.dictionaries(st.integers(0, 50), st.integers(1, 1000), min_size=1, max_size=20)
sizes = st.integers(1, 200)
ORDER = np.random.default_rng(5).permutation(51)


@given(st.lists(counts, min_size=1, max_size=5), sizes, st.integers(0, 99))
def test_a_sample_stays_within_each_bag(many, size, seed):
    bags = [Bag.of(each) for each in many]
    drawn = sample(bags, size, seeded(seed))

    assert drawn.shape == (len(bags), size)
    assert all(set(row) <= set(bag.ids) for row, bag in zip(drawn, bags, strict=True))


@given(counts, sizes)
def test_apportioned_counts_are_within_one_of_their_share(each, size):
    bag = Bag.of(each)
    [ids] = apportion([bag], size, ORDER)
    seats = np.array([(ids == i).sum() for i in bag.ids])

    assert len(ids) == size
    assert seats.sum() == size
    assert (np.abs(seats - bag.counts * size / len(bag)) < 1).all()


@given(counts, sizes, st.integers(1, 9))
def test_apportioning_sees_frequencies_not_lengths(each, size, times):
    once = apportion([Bag.of(each)], size, ORDER)
    often = apportion([Bag.of({i: n * times for i, n in each.items()})], size, ORDER)

    assert (once == often).all()


@given(st.text(max_size=300))
def test_any_text_gives_clean_words(text):
    for word in words(text):
        assert word == word.lower()
        assert words(word) == {word: 1}
        assert {category(sign)[0] for sign in word} <= set("LMC")


@given(
    st.lists(st.sampled_from(["rain", "sun", "Don't", "l'eau", "x9", "—"]), max_size=30),
    st.randoms(),
)
def test_order_does_not_matter(pieces, random):
    shuffled = random.sample(pieces, len(pieces))

    assert words(" ".join(pieces)) == words(" ".join(shuffled))


ODD = [
    "Don't",
    "l'eau",
    "U.S.A.",
    "e.g",
    "snake_case",
    "x9",
    "हिन्दी",
    "Größe",
    "can't've",
    "a.b",
    "ﬁ",
]
texts = st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=12)), max_size=12).map(" ".join)


@given(texts, st.sampled_from(["en", "fr", "hi"]), st.sampled_from([1, 2, 3]))
def test_a_bag_is_made_of_the_words_that_are_kept(text, language, every):
    """The quick way from segments to ids against the plain one by words."""
    found = sorted(word for word in words(text, language) if is_word(word, language))
    kept = [*found[::every], "harbour"]
    table = Table(
        dict.fromkeys(kept), np.arange(2.0 * len(set(kept))).reshape(-1, 2), "t", language
    )
    vocabulary = Vocabulary.of(table, "none")
    counts = {table.words.index(w): n for w, n in words(text, language).items() if w in vocabulary}
    bag, plain = vocabulary.bag(text), Bag.of(counts)

    assert bag.ids.tolist() == plain.ids.tolist()
    assert bag.counts.tolist() == plain.counts.tolist()
    assert bag.ids.dtype == bag.counts.dtype == np.int64


@given(st.lists(st.integers(0, 30)))
def test_ids_are_counted(ids):
    bag = Bag.from_ids(np.array(ids, dtype=np.int64))
    expected = np.unique(np.array(ids, dtype=np.int64), return_counts=True)

    assert (bag.ids.tolist(), bag.counts.tolist()) == tuple(each.tolist() for each in expected)


@given(st.text("ab.'_1é-", min_size=1, max_size=8), st.sampled_from(["en", "fr"]))
def test_pieces_are_letters_between_other_signs(word, language):
    """Sign by sign, as Unicode has them."""
    if any(category(sign)[0] == "N" for sign in word):
        assert pieces(word, language) == []
        return
    for piece in pieces(word, language):
        assert piece.isalpha()
        assert piece in word.replace(".", "")
        assert len(piece) > 1 or "'" not in word or language == "en"
