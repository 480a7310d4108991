import importlib.util
from pathlib import Path
from random import Random

import pytest
from sklearn.metrics import f1_score

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "reproduce" / "pan.py"


@pytest.fixture(scope="module")
def pan():
    spec = importlib.util.spec_from_file_location("pan", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def numbered(authors):
    return dict(enumerate(authors))


def test_the_score_is_the_mean_f1_of_the_authors(pan):
    """Ann: 2 right of 2 own and 3 given, 4/5; Bob: 1 right of 2 own and 1 given, 2/3."""
    assert pan.macro_f1(numbered("AABB"), numbered("AABA")) == pytest.approx((4 / 5 + 2 / 3) / 2)


def test_all_right_is_one_and_all_wrong_is_nothing(pan):
    assert pan.macro_f1(numbered("ABC"), numbered("ABC")) == 1
    assert pan.macro_f1(numbered("ABC"), numbered("BCA")) == 0


def test_authors_who_are_only_told_are_not_averaged(pan):
    """A candidate without a text in the truth costs the text, not a class of its own."""
    assert pan.macro_f1(numbered("AAB"), numbered("AZB")) == pytest.approx((2 / 3 + 1) / 2)


def test_a_text_left_out_is_a_wrong_answer(pan):
    assert pan.macro_f1(numbered("AB"), {0: "A"}) == 0.5


def test_texts_by_nobody_of_the_candidates_are_no_part_of_it(pan):
    truth = {0: "A", 1: "B", 2: pan.UNKNOWN}

    assert pan.macro_f1(truth, {0: "A", 1: "B", 2: "A"}) == 1
    with pytest.raises(ValueError, match="got none"):
        pan.macro_f1({0: pan.UNKNOWN}, {0: "A"})


def test_problems_weigh_the_same_however_large(pan):
    large = (numbered("A" * 9), numbered("A" * 9))
    small = (numbered("A"), numbered("B"))

    assert pan.overall([large, small]) == 0.5


def test_it_is_what_scikit_learn_gives_for_the_labels_of_the_truth(pan):
    random = Random(0)
    for _ in range(50):
        truth, told = (random.choices(letters, k=30) for letters in ("ABCD", "ABCDEF"))
        theirs = f1_score(truth, told, labels=sorted(set(truth)), average="macro", zero_division=0)

        assert pan.macro_f1(numbered(truth), numbered(told)) == pytest.approx(theirs)
