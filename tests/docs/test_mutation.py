"""The page of mutants says what its results say, and they are what was asked for."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import mutation_page as made  # noqa: E402

KEPT = json.loads(made.KEPT.read_text(encoding="utf-8"))


def test_the_page_is_up_to_date():
    assert made.PAGE.read_text(encoding="utf-8") == made.page(KEPT)


@pytest.mark.parametrize("package", ["bag", "noise", "privacy", "mechanism"])
def test_nine_of_ten_mutants_are_seen(package):
    assert made.score(made.packages(KEPT)[package], less=True) >= 0.9


def test_modules_add_up():
    for counts in KEPT["modules"].values():
        tried = counts.get("tried", 0)
        assert tried <= counts["mutants"]
        assert tried == sum(counts.get(each, 0) for each in ("killed", "survived"))


def test_every_kind_of_survivor_is_told():
    told = json.loads(made.TOLD.read_text(encoding="utf-8"))

    assert {each["why"] for each in KEPT["survivors"]} - {None} <= set(told["kinds"])
    assert set(told["explained"]) <= set(told["kinds"])
