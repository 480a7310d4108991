"""What stands beside released words: noisy means on their grid, and units that no two share."""

from dataclasses import replace

import pytest

from nomdeplume import Laplace, NoisyNearest, Obfuscator
from nomdeplume.privacy.beside import Beside


@pytest.fixture
def certificate(vocabulary):
    made = Obfuscator(vocabulary, NoisyNearest(vocabulary.table, Laplace(3.0), vocabulary.ids), 2)
    return replace(made(["pear"])[0].certificate, settings={"dimensions": 2}, vectors=True)


RIGHT = {"numbers": [0.5, -1.25], "a line": "0.5 -1.25", "nothing moved": [0, 0.0]}
WRONG = {
    "none": None,
    "no numbers": "rain snow",
    "one that is no number": [0.5, None],
    "one too few": [0.5],
    "one too many": [0.5, 0.5, 0.5],
    "off the grid": [0.5, 0.3],
    "nearly on the grid": [0.5, 0.25 + 2**-40],
    "not a number": "0.5 nan",
    "without end": "0.5 inf",
    "two spaces": "0.5  0.5",
    "a number alone": 0.5,
}


@pytest.mark.parametrize("vector", RIGHT.values(), ids=RIGHT)
def test_a_vector_on_the_grid_can_be_a_noisy_mean(certificate, vector):
    beside = Beside(certificate, 0.25)
    beside.look({"vector": vector})

    assert beside.means == 1


@pytest.mark.parametrize("vector", WRONG.values(), ids=WRONG)
def test_any_other_vector_cannot(certificate, vector):
    beside = Beside(certificate, 0.25)
    beside.look({"vector": vector})

    assert beside.means == 0


def test_means_are_counted_only_where_vectors_are_stated(certificate):
    stated, silent = Beside(certificate, 0.25), Beside(replace(certificate, vectors=False), 0.25)
    for beside in (stated, silent):
        for vector in ([0.5, 0.25], [1.0, 0.25], None):
            beside.look({"vector": vector} if vector else {})

    assert (stated.means, silent.means) == (2, 0)


def test_without_a_grid_no_vector_is_a_mean(certificate):
    beside = Beside(certificate)
    beside.look({"vector": [0.0, 0.0]})

    assert (beside.grid, beside.means, beside.units) == (0.0, 0, 0)


def test_units_are_told_apart_by_their_kept_field_alone(certificate):
    kept = replace(certificate, unit_field="author", kept_fields=("author",))
    beside, other = Beside(kept), Beside(replace(kept, kept_fields=("topic",)))
    for author in ("Ann", " Ann ", "Bob", 7, "7"):
        beside.look({"author": author, "topic": "sea"})
        other.look({"author": author, "topic": "sea"})

    assert (beside.kept_unit, beside.units) == (True, 3)
    assert (other.kept_unit, other.units) == (False, 0)
    assert Beside(kept).units == 0  # nothing is kept from one look to the next
