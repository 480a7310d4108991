"""Some documents of each author are drawn, all sets of as many with the same probability."""

from collections import Counter
from itertools import combinations, product
from math import log

import pytest

from nomdeplume import InputError, Obfuscator, seeded
from nomdeplume.formats.drawn import Drawn
from nomdeplume.formats.records import Record
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.loss import Loss


class Told:
    """Gives numbers that are known, and checks that each could have been drawn."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def integers(self, below):
        number = self.numbers.pop(0)
        assert 0 <= number < below
        return number


def records(*authors):
    return [Record(f"line {n}", "text", {"by": by}) for n, by in enumerate(authors, start=1)]


@pytest.mark.parametrize(("most", "documents"), [(1, 4), (2, 5), (3, 5), (4, 5)])
def test_all_sets_of_documents_are_drawn_equally_often(most, documents):
    """Over all numbers that can be drawn, exactly."""
    found = Counter(
        tuple(sorted(Drawn.of(records(*["Ann"] * documents), "by", most, Told(numbers)).authors))
        for numbers in product(*map(range, range(most + 1, documents + 1)))
    )

    assert set(found) == set(combinations(range(1, documents + 1), most))
    assert len(set(found.values())) == 1


def test_authors_are_drawn_of_apart():
    authors = ["Ann", "Bob", "Ann", "Ann", "Cid", "Bob"]
    seen = {tuple(Drawn.of(records(*authors), "by", 1, seeded(n)).authors) for n in range(200)}

    assert {tuple(sorted(each)) for each in seen} == {
        tuple(sorted((ann, bob, 5))) for ann in (1, 3, 4) for bob in (2, 6)
    }


def test_authors_of_few_documents_keep_all():
    drawn = Drawn.of(records("Ann", "Bob", "Ann"), "by", 2, Told([]))

    assert all(drawn.has(number, {"by": by}) for number, by in [(1, "Ann"), (2, "Bob"), (3, "Ann")])


def test_an_author_is_one_in_every_form_of_a_value():
    drawn = Drawn.of(records(7, "7", 7.0, " 7 "), "by", 1, Told([0, 0, 1]))

    assert list(drawn.authors) == [3]


@pytest.mark.parametrize("value", [None, "", "  ", float("nan")])
def test_a_record_without_an_author_is_neither_drawn_nor_left_out(value):
    drawn = Drawn.of(records("Ann", value), "by", 1, Told([]))

    assert list(drawn.authors) == [1]
    assert drawn.has(2, {"by": value}) is None
    assert drawn.has(2, {"by": "Ann"}) is False


def test_a_record_that_cannot_be_read_counts_for_nobody():
    some = [Record("line 1", fields={"by": "Ann"}, unreadable="torn"), *records("Ann")]

    assert list(Drawn.of(some, "by", 1, Told([])).authors) == [2]


def test_an_input_that_changed_meanwhile_is_refused():
    drawn = Drawn.of(records("Ann", "Bob"), "by", 1, Told([]))

    with pytest.raises(InputError, match="changed while documents were drawn"):
        drawn.has(1, {"by": "Bob"})


@pytest.mark.parametrize(
    ("odds", "most", "said"),
    [(20, 1, "20"), (20, 2, "400"), (10, 3, "e^6.91 (about 10^3)"), (5, 4, "625")],
)
def test_the_bound_on_all_texts_of_an_author_is_exact(odds, most, said):
    made = Obfuscator.standin(odds=odds)
    stated = made.certify("seeded", 9, Output("jsonl", "0"), max_per_author=most)

    assert f"nobody's odds by more than {said} to 1." in stated.several_documents
    assert stated.several_documents.startswith("At most one" if most == 1 else f"At most {most}")


def test_a_bound_without_useful_numbers_states_none(bundled):
    stated = Obfuscator.mean(bundled).certify("seeded", 9, Output("jsonl", "0"), max_per_author=3)

    assert "3 times what is stated here, with 3 times δ" in stated.several_documents
    assert "factor" not in stated.several_documents


def test_many_releases_lose_a_number_that_is_found_at_once():
    assert Loss(log(100)).times(10**12) == pytest.approx(1e12 * log(100))


def test_whole_odds_are_multiplied_as_whole_numbers():
    assert [Loss(log(w)).times(m) for w, m in [(10, 3), (3, 5), (100, 5)]] == [
        log(10**3),
        log(3**5),
        log(100**5),
    ]
    assert Loss(2.5).times(3) == 7.5
    assert Loss(900.0).times(2) == 1800.0
