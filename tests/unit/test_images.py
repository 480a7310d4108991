"""Maps of words: what they refuse, what they are called by, and how they are fitted elsewhere."""

import numpy as np
import pytest

from nomdeplume import InputError, Table
from nomdeplume.mechanism.image import Anchors, Network, Projection, Values
from nomdeplume.mechanism.image.kinds import imaged

PLANE = Table(["a", "b", "c"], [[0.0, 0.0], [3.0, 4.0], [-3.0, -4.0]])
ANCHORS = Anchors(([[0.0, 0.0]], [[3.0, 4.0], [9.0, 9.0]]), 6.0)
NETWORK = Network(np.eye(2), [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]], [0.5, -1.0, 0], np.ones((2, 3)))
VALUES = Values([0, 2], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])


@pytest.mark.parametrize("image", [ANCHORS, NETWORK, Projection([[0.6, 0.8]])])
def test_vectors_of_other_dimensions_are_refused(image):
    with pytest.raises(InputError, match="dimensions"):
        image(np.zeros((1, 3)))


WRONG = {
    "no subject": lambda: Anchors((), 1.0),
    "a subject without anchors": lambda: Anchors((np.empty((0, 2)), [[0.0, 0.0]]), 1.0),
    "an anchor that is no vector": lambda: Anchors(([0.0, 0.0],), 1.0),
    "anchors of two tables": lambda: Anchors(([[0.0, 0.0]], [[0.0, 0.0, 0.0]]), 1.0),
    "no radius": lambda: Anchors(([[0.0, 0.0]],), 0.0),
    "inner weights of others": lambda: Network(np.eye(2), np.eye(3), [0.0] * 3, np.ones((2, 3))),
    "too few offsets": lambda: Network(np.eye(2), np.ones((3, 2)), [0.0] * 2, np.ones((2, 3))),
    "outer weights of others": lambda: Network(np.eye(2), np.eye(2), [0.0] * 2, np.ones((3, 2))),
    "a line of weights": lambda: Network([1.0, 0.0], np.eye(2), [0.0] * 2, np.ones((1, 2))),
    "nothing out of a network": lambda: Network(
        np.empty((0, 2)), np.eye(2), [0.0] * 2, np.empty((0, 2))
    ),
    "weights without end": lambda: Network(np.eye(2), np.eye(2), [0.0, np.inf], np.eye(2)),
    "a value for each word": lambda: Values([0, 1], [1.0, 2.0]),
    "fewer values than words": lambda: Values([0, 1], [[1.0, 2.0]]),
    "values of no words": lambda: Values([], np.empty((0, 2))),
    "values that are none": lambda: Values([0, 1], [[1.0], [np.nan]]),
    "words twice": lambda: Values([1, 1], [[1.0], [2.0]]),
    "words in another order": lambda: Values([1, 0], [[1.0], [2.0]]),
    "the last words in another order": lambda: Values([0, 2, 1], [[1.0], [2.0], [3.0]]),
    "words that the table has not": lambda: Values([0, 3], [[1.0], [2.0]]).over(PLANE),
}


@pytest.mark.parametrize("make", WRONG.values(), ids=WRONG)
def test_what_is_no_map_is_refused(make):
    with pytest.raises(InputError):
        make()


def test_maps_do_what_they_say():
    vectors = np.array([[0.0, 0.0], [3.0, 4.0], [60.0, 80.0]])

    assert ANCHORS(vectors).tolist() == [[6, 1], [1, 6], [0, 0]]
    assert NETWORK(vectors[:2]).tolist() == [[0.5, 0.5], [3 + 3.5 + 7 + 7, 4 + 3.5 + 7 + 7]]
    assert VALUES.over(PLANE).vectors[:].tolist() == [[1, 2, 3], [0, 0, 0], [4, 5, 6.5]]
    assert imaged(PLANE, Projection([[0.6, 0.8]])).vectors[:].ravel().tolist() == [0, 5, -5]
    assert imaged(PLANE, None) is PLANE


def test_subjects_reach_half_of_the_common_words():
    common = np.array([[1.0, 0.0], [2.0, 0.0], [7.0, 0.0]])

    made = Anchors.fading([np.zeros((1, 2)), np.full((1, 2), 50.0)], common)
    assert (made.radius, made.name) == (2, "")
    assert Anchors.fading([np.zeros((1, 2))], np.zeros((1, 2))).radius == 1  # where none is away


OTHERS = {
    "anchors": [
        ANCHORS,
        Anchors(ANCHORS.sets, 6.5),
        Anchors(ANCHORS.sets[::-1], 6.0),
        Anchors(([[0.0, 0.0], [3.0, 4.0]], [[9.0, 9.0]]), 6.0),
    ],
    "network": [
        NETWORK,
        Network(2 * np.eye(2), NETWORK.inner, NETWORK.offset, NETWORK.outer),
        Network(np.eye(2), NETWORK.inner, NETWORK.offset, 2 * NETWORK.outer),
        Network(np.eye(2), NETWORK.inner, NETWORK.offset + 1, NETWORK.outer),
    ],
    "values": [
        VALUES,
        Values([0, 1], VALUES.rows),
        Values(VALUES.ids, VALUES.rows + 1),
        Values([0], [[1.0, 2.0, 3.0]]),
    ],
}


@pytest.mark.parametrize("maps", OTHERS.values(), ids=OTHERS)
def test_no_two_maps_are_called_alike(maps):
    """A certificate that names one must not pass for another."""
    names = [each.settings["map"] for each in maps]

    assert len(set(names)) == len(names)
    assert all(each.fingerprint in name for each, name in zip(maps, names, strict=True))
    assert all(len(each.fingerprint) == 64 for each in maps)


def test_a_name_that_can_be_said_stands_for_the_hash():
    settings = Anchors(ANCHORS.sets, 6.0, "subjects").settings

    assert settings == {"dimensions": 2, "map": "anchors, subjects", "radius": 6.0}
    assert Values([0], [[1.0, 2.0]], "mine").settings == {"dimensions": 2, "map": "learnt, mine"}
    named = Network(np.eye(1, 2), np.eye(2), [0.0, 0.0], [[1.0, 1.0]], "mine")
    assert named.settings == {"dimensions": 1, "map": "learnt, mine"}
    assert Projection([[1.0, 0.0]], "first").settings == {"dimensions": 1, "directions": "first"}


def test_a_map_for_another_table_is_as_wide_as_that_allows():
    line = Table(["a", "b"], [[1.0], [-1.0]])

    assert len(ANCHORS.fitted(line).sets) == 1
    assert ANCHORS.fitted(PLANE).radius == 3 * PLANE.radius
    assert (ANCHORS.fitted(PLANE)(PLANE.vectors[:].astype(float)) > 0).all()  # all words count
    assert NETWORK.fitted(line)(np.ones((1, 1))).shape == (1, 1)
    assert NETWORK.fitted(PLANE).inner.shape == NETWORK.inner.shape
    assert VALUES.fitted(PLANE).directions.shape == (2, 2)
    assert Projection([[0.6, 0.8]]).fitted(PLANE).directions.shape == (1, 2)
    assert VALUES.fitted(PLANE).name == "principal"
