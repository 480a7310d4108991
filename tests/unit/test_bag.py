from hashlib import blake2b

import numpy as np
import pytest

from nomdeplume.bag import Bag, apportion, sample
from nomdeplume.vocabulary import Vocabulary


def test_a_bag_forgets_order_and_unknown_words(vocabulary):
    one, two = vocabulary.bag("Pear, lake & moon: pear!"), vocabulary.bag("lake moon pear pear")

    assert one.ids.tolist() == two.ids.tolist() == [1, 3]
    assert one.counts.tolist() == two.counts.tolist() == [2, 1]
    assert len(one) == 3


def test_apportioning_gives_each_word_its_share():
    order = np.arange(10)

    [ids] = apportion([Bag.of({1: 6, 2: 3, 5: 1})], 10, order)
    assert np.bincount(ids).tolist() == [0, 6, 3, 0, 0, 1]


def test_the_largest_remainders_get_the_last_words():
    [ids] = apportion([Bag.of({0: 5, 1: 3, 2: 2})], 4, np.arange(3))  # shares 2, 1.2, 0.8

    assert np.bincount(ids).tolist() == [2, 1, 1]


def test_ties_are_settled_by_the_public_order():
    bag = Bag.of({0: 1, 1: 1, 2: 1})

    assert apportion([bag], 2, np.array([2, 0, 1])).tolist() == [[1, 2]]
    assert apportion([bag], 2, np.array([0, 1, 2])).tolist() == [[0, 1]]


def test_the_tie_order_is_that_of_a_public_hash(vocabulary):
    """Pinned: the order of BLAKE2b digests of apple, pear, river, lake."""
    digests = [blake2b(word.encode()).hexdigest() for word in ("apple", "pear", "river", "lake")]

    assert vocabulary.tie_order.tolist() == [sorted(digests).index(each) for each in digests]
    assert vocabulary.tie_order.tolist() != [0, 2, 3, 1]  # the alphabet would do otherwise


def test_the_tie_order_depends_on_the_words_only(bundled):
    vocabulary = Vocabulary.of(bundled)
    order = vocabulary.tie_order[vocabulary.ids]

    assert sorted(order.tolist()) == list(range(len(vocabulary)))
    assert abs(np.corrcoef(order, np.arange(len(order)))[0, 1]) < 0.03  # no favour to common words


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_reductions_have_the_size_asked_for(size, rng):
    bags = [Bag.of({3: 2, 4: 1}), Bag.of({9: 5})]

    assert sample(bags, size, rng).shape == (2, size)
    assert apportion(bags, size, np.arange(10)).shape == (2, size)


def test_a_bag_was_fitted_on_only_if_it_says_so():
    ids = np.array([1, 1, 2])

    for bag in (Bag(ids[1:], np.array([2, 1])), Bag.of({1: 2, 2: 1}), Bag.from_ids(ids)):
        assert bag.seen is False
    for bag in (Bag.of({1: 2}, seen=True), Bag.from_ids(ids, seen=True)):
        assert bag.seen is True


def test_a_bag_of_nothing_still_holds_whole_numbers():
    for bag in (Bag.of({}), Bag.from_ids(np.empty(0, np.int64))):
        assert (bag.ids.dtype, bag.counts.dtype, len(bag)) == (np.int64, np.int64, 0)
