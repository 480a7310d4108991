"""Reductions keep to their bag, their size and, if they are without chance, their proportions."""

from unicodedata import category

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nomdeplume import seeded
from nomdeplume.bag import Bag, apportion, sample
from nomdeplume.text import words

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
