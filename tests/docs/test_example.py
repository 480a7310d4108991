"""The worked example says what the bundled table says now."""

import importlib.util
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def example():
    path = ROOT / "scripts" / "worked_example.py"
    spec = importlib.util.spec_from_file_location("worked_example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sums(plan):
    return [sum(row) for row in plan], [sum(column) for column in zip(*plan, strict=True)]


def cost(plan, costs):
    return sum(
        float(share) * far
        for row, fars in zip(plan, costs, strict=True)
        for share, far in zip(row, fars, strict=True)
    )


def test_the_page_is_what_the_script_makes(example):
    assert (ROOT / "docs" / "example.md").read_text(encoding="utf-8") == example.page()


def test_the_picture_is_what_the_script_makes(example):
    drawn = (ROOT / "docs" / "pictures" / "worked-example.svg").read_text(encoding="utf-8")

    assert drawn == example.picture()


def test_whole_words_flow_between_equal_lengths(example):
    plan = example.flow_of_equals(example.distances(example.FIRST, example.SECOND))

    assert {share for row in plan for share in row} == {Fraction(0), Fraction(1, 3)}
    assert sums(plan) == ([Fraction(1, 3)] * 3, [Fraction(1, 3)] * 3)


def test_words_are_split_between_unequal_lengths(example):
    plan = example.flow_of_any(example.distances(example.FIRST[:2], example.SECOND))

    assert sums(plan) == ([Fraction(1, 2)] * 2, [Fraction(1, 3)] * 3)
    assert Fraction(1, 6) in {share for row in plan for share in row}


@pytest.mark.parametrize("words", [2, 3])
def test_a_plan_of_units_costs_the_distance_that_the_library_finds(example, words):
    first, second = example.FIRST[:words], example.SECOND
    costs = example.distances(first, second)
    found = example.word_mover(example.vectors(first), example.vectors(second))

    assert cost(example.flow_of_any(costs), costs) == pytest.approx(found, rel=1e-9)


def test_the_best_pairing_is_as_good_as_any_plan(example):
    costs = example.distances(example.FIRST, example.SECOND)

    assert example.flow_of_equals(costs) == example.flow_of_any(costs)
