"""Units: texts of one value as one document."""

import numpy as np
import pytest

from nomdeplume.bag import Bag
from nomdeplume.formats.units import MANY, Units, added


def bag(**counts):
    return Bag.of({int(name[1:]): n for name, n in counts.items()})


def content(bag):
    return dict(zip(bag.ids.tolist(), bag.counts.tolist(), strict=True))


def test_bags_are_added_up():
    whole = added([bag(w3=2, w1=1), bag(), bag(w3=1, w9=4)])

    assert content(whole) == {1: 1, 3: 3, 9: 4}
    assert whole.ids.tolist() == [1, 3, 9]  # ascending, as in every bag
    assert len(whole) == 8


def test_a_unit_is_seen_if_any_of_its_texts_is():
    seen = Bag.of({1: 1}, seen=True)

    assert added([bag(w1=1), seen]).seen
    assert not added([bag(w1=1), bag(w2=1)]).seen


def test_units_come_in_the_order_of_their_first_texts():
    units = Units("author", keep=True)
    for author, each in [("Bob", bag(w1=1)), ("Ann", bag(w2=1)), ("Bob", bag(w1=2, w3=1))]:
        assert units.add({"author": author, "topic": "sea"}, each)

    assert len(units) == 2
    assert [(content(one), beside) for one, beside, _ in units] == [
        ({1: 3, 3: 1}, {"author": "Bob"}),
        ({2: 1}, {"author": "Ann"}),
    ]


@pytest.mark.parametrize(("keep", "beside"), [(True, {"a"}), (False, set())])
def test_what_stands_beside_a_unit_is_what_was_asked_for(keep, beside):
    units = Units("a", keep)
    units.add({"a": "x", "id": 77, "topic": "sea"}, bag(w1=1))
    [(_, found, _)] = units

    assert set(found) == beside
    assert 77 not in found.values()


@pytest.mark.parametrize("fields", [{}, {"a": None}, {"a": ""}, {"a": "  "}, {"b": "x"}])
def test_a_text_without_a_value_belongs_to_no_unit(fields):
    units = Units("a")

    assert not units.add(fields, bag(w1=1))
    assert len(units) == 0


def test_values_are_one_if_they_read_alike():
    units = Units("a", keep=True)
    for value in (7, "7", " 7 ", 0, False):
        units.add({"a": value}, bag(w1=1))

    assert [(len(one), beside["a"]) for one, beside, _ in units] == [(3, 7), (1, 0), (1, False)]


def test_a_unit_of_many_texts_is_all_of_them(rng):
    """More than wait to be added up at once."""
    units, due = Units("a"), np.zeros(20, dtype=int)
    for _ in range(5 * MANY + 3):
        some = np.unique(rng.integers(0, 20, 6))
        due[some] += 2
        units.add({"a": "x"}, Bag(some, np.full(len(some), 2)))
    [(whole, _, _)] = units

    assert content(whole) == {i: int(n) for i, n in enumerate(due)}


def test_a_unit_claims_what_its_texts_claim():
    units, bag = Units("a"), Bag.from_ids(np.array([1]))
    for name, claim in [("x", (b"1", b"ann")), ("y", (b"2",)), ("x", (b"3", b"ann"))]:
        units.add({"a": name}, bag, claim)

    assert [claim for _, _, claim in units] == [(b"1", b"ann", b"3"), (b"2",)]
