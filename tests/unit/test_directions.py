import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nomdeplume import InputError, Table, Vocabulary, principal_directions, topic_directions
from nomdeplume.table.directions import covariance


def made(vectors, name="made"):
    return Table([f"w{chr(97 + i)}" for i in range(len(vectors))], vectors, name=name)


@pytest.fixture
def flat(rng):
    """Words that vary 9, 3 and hardly at all along three skew directions."""
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    return made(rng.standard_normal((26, 3)) * [9, 3, 0.01] @ turn + 50), turn


@pytest.fixture(scope="module")
def common():
    """The 5,000 commonest words of the bundled table."""
    bundled = Table.bundled()
    return Table(bundled.words[:5000], bundled.vectors[:5000], name="common")


def orthonormal(directions):
    return np.allclose(directions @ directions.T, np.eye(len(directions)), atol=1e-13)


def test_principal_directions_are_those_that_vary_most(flat):
    table, turn = flat
    found = principal_directions(table, 2)

    assert orthonormal(found)
    assert abs(found[0] @ turn[0]) > 0.9
    assert np.linalg.norm(found @ turn[2]) < 0.01  # about the centre, not about zero
    assert (np.take_along_axis(found, np.abs(found).argmax(axis=1)[:, None], 1) > 0).all()


def test_covariance_is_that_of_all_blocks(common):
    vectors = common.vectors[:].astype(np.float64)

    assert np.allclose(covariance(common), np.cov(vectors.T, bias=True), atol=1e-9)


@pytest.mark.parametrize("m", [0, -1, 3, 1.5, True, None])
def test_a_number_of_directions_that_there_are_not_is_refused(table, m):
    with pytest.raises(InputError, match=f"from 1 to 2, .* got {m}"):
        principal_directions(table, m)


def test_a_projected_table_has_the_same_words_under_another_name(table):
    image = table.project([[0.6, 0.8]])

    assert image.words == table.words
    assert (image.name, image.language) == ("tiny in 1 direction", "en")
    assert np.allclose(image.vectors[:, 0], table.vectors @ [0.6, 0.8])
    assert image.fingerprint != table.fingerprint


def test_all_directions_change_no_distance(common):
    image = common.project(principal_directions(common, 100))
    apart = [
        np.linalg.norm(each.vectors[:500] - each.vectors[1], axis=1) for each in (common, image)
    ]

    assert image.name == "common in 100 directions"
    assert np.allclose(*apart, rtol=1e-5)


WRONG = {
    "2 wide": [[1.0, 0.0, 0.0]],
    "one row": [1.0, 0.0],
    "none": np.empty((0, 2)),
    "1.41421": [[1.0, 1.0]],
    "finite": [[np.nan, 0.0]],
    "numbers": [["a", "b"]],
    "equally": [[1.0, 0.0], [1.0]],
}


@pytest.mark.parametrize("directions", WRONG.values(), ids=WRONG)
def test_what_is_no_contraction_is_refused(table, directions):
    with pytest.raises(InputError, match="directions"):
        table.project(directions)


def test_the_stretch_is_said(table):
    with pytest.raises(InputError, match=r"singular value is 1\.4142"):
        table.project([[1.0, 1.0]])


@given(
    arrays(np.float32, (6, 4), elements=st.floats(-100, 100, width=32)),
    arrays(np.float64, (3, 4), elements=st.floats(-1, 1)),
)
def test_projected_words_are_no_farther_apart(vectors, directions):
    longest = np.linalg.norm(directions, ord=2)
    image = made(vectors).project(directions / max(longest, 1))
    before, after = (
        np.linalg.norm(each.astype(np.float64)[:, None] - each.astype(np.float64), axis=2)
        for each in (vectors, image.vectors)
    )

    assert (after <= before * (1 + 1e-9) + 1e-4).all()  # images are stored in float32


PUBLIC = ["rain snow storm", "snow wind rain rain", "bread cheese apple", "cheese bread butter"] * 3
TOPICS = ["weather", "weather", "food", "food"] * 3


@pytest.mark.parametrize("m", [1, 2, 25, 100])
def test_topic_directions_are_orthonormal_beyond_the_topics_too(common, m):
    found = topic_directions(PUBLIC, TOPICS, m, Vocabulary.of(common))

    assert found.shape == (m, 100)
    assert orthonormal(found)


def test_the_first_topic_direction_parts_the_topics(common):
    """New words fall on their side: along it two topics are farther apart than they are wide."""
    [across] = topic_directions(PUBLIC, TOPICS, 1, Vocabulary.of(common))
    one = common.vectors[common.ids(["fog", "thunder", "hurricane"])] @ across
    other = common.vectors[common.ids(["soup", "meat", "tomato"])] @ across

    assert min(one) > max(other) or min(other) > max(one)


def test_topics_decide_and_not_what_varies_most():
    """Along x words vary most, along y topics differ: the topic direction is y."""
    words = ("north", "nord", "south", "sud")
    table = Table(words, np.array([[-9, 1], [9, 1], [-9, -1], [9, -1]]))
    texts = ["north", "nord", "north nord", "south", "sud", "south sud"]
    found = topic_directions(texts, list("nnnsss"), 1, Vocabulary.of(table, "none"))

    assert np.allclose(np.abs(found), [[0, 1]], atol=1e-6)
    assert np.allclose(principal_directions(table, 1), [[1, 0]])


def test_texts_without_kept_words_have_no_directions(vocabulary):
    with pytest.raises(InputError, match="2 topics must have kept words"):
        topic_directions(["pear", "xyz"], ["a", "b"], 1, vocabulary)
