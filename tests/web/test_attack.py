"""An attack from dropped bytes to a report: on sixty short texts by three authors."""

import asyncio
import json

import numpy as np
import pytest
from tests.evaluation_results import results, with_cells
from tests.web.texts import written_by

from nomdeplume import InputError
from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.results import Accuracy, Attack, Cell, Clean
from nomdeplume.web.attack import (
    ONE_EACH,
    Asked,
    attack,
    largest_under,
    named_correctly,
)
from nomdeplume.web.jobs import Job

AUTHORS = ("Ann", "Bob", "Cleo")
SMALL = {"budgets": (10,), "chosen": 1000, "size": 20}


@pytest.fixture(scope="module")
def data(bundled):
    return b"".join(written_by(AUTHORS, bundled, 60, own=15, common=15))


@pytest.fixture(scope="module")
def told():
    return []


@pytest.fixture(scope="module")
def attacked(data, told):
    asked = Asked(data, "mine.jsonl", **SMALL)
    return attack(asked, lambda share, said: told.append((share, said)))


def test_the_chosen_budget_is_among_all(attacked):
    budgets = [cell.budget for cell in attacked.results.cells]

    assert budgets == [10, 1000]
    assert attacked.chosen == 1
    assert Asked(budgets=(5, 80), chosen=20).grid == (5, 20, 80)
    assert Asked(chosen=20.0).grid == (5, 10, 20, 40, 80)


def test_no_release_of_a_private_text_is_shown(attacked):
    """A release that is shown is spent, and these were charged to nobody."""
    assert not any(cell.examples or cell.certificate for cell in attacked.results.cells)
    assert 'class="bag"' not in attacked.page
    assert "What a release looks like" not in attacked.page


def test_attackers_are_named_and_right_before_the_release(attacked):
    clean, cell = attacked.results.clean, attacked.results.cells[1]
    right = np.mean([each.before[0][0] == each.author for each in attacked.named])

    assert (attacked.before_attacker, attacked.after_attacker) == (
        clean.best(),
        cell.best(),
    )
    assert len(attacked.named) == 60
    assert {each.topic for each in attacked.named} == {""}
    assert right > 0.9
    assert right == pytest.approx(clean.author().value, abs=1e-5)


def test_the_report_is_a_page_about_these_texts(attacked, data):
    text = json.loads(data.splitlines()[0])["text"]

    assert attacked.page.startswith("<!DOCTYPE html>")
    assert "mine.jsonl" in attacked.page
    assert text not in attacked.page + repr(attacked.results)


def test_progress_rises_and_says_what_is_done(attacked, told):
    shares = [share for share, _ in told]

    assert attacked.page
    assert shares == sorted(shares)
    assert (shares[0], told[0][1]) == (0.0, "reading texts")
    assert 0.7 < shares[-1] < 1
    assert (
        told[1][1],
        next(said for _, said in told if said.startswith("budget")),
    ) == ("texts as they are: word-svm", "budget 10: releases")
    assert told[-1][1] == "writing the report"


def accuracy(**values):
    """Of an attacker, by the number of documents: one=0.1, five=0.2."""
    numbers = {"one": 1, "five": 5}
    known = {numbers[name]: Figure.exact(value) for name, value in values.items()}
    return Accuracy(known, Figure.exact(0.0))


def cell(budget, **values):
    return Cell(budget=budget, attackers={"svm": Attack(accuracy(**values), None)})


def test_single_texts_are_told_with_several_of_one_author():
    clean = Clean(attackers={"svm": accuracy(one=0.46, five=1.0)})

    assert named_correctly(clean, cell(20, one=0.46, five=0.75)).replace("\u00a0", " ") == (
        "from one text 46 % before and 46 % after; from 5 texts of one author 100 % before and "
        "75 % after."
    )
    assert named_correctly(clean, cell(20, one=0.46)).endswith(f"46\u00a0% after. {ONE_EACH}")


def test_the_largest_budget_under_a_share_is_found():
    cells = [cell(10, one=0.2), cell(5, one=0.1), cell(20, one=0.4)]
    found = with_cells(results(settings=()), cells)

    assert largest_under(found, 0.2) == 0
    assert largest_under(found, 1.0) == 2
    assert largest_under(found, 0.05) is None


@pytest.mark.parametrize(
    "bad",
    [{"mechanism": "magic"}, {"size": 0}, {"size": 10**6}, {"chosen": 0}, {"budgets": (-1.0,)}],
)
def test_bad_settings_are_refused_before_anything_is_read(bad):
    told = []
    with pytest.raises(InputError):
        attack(Asked(b"no corpus", "x", **bad), lambda *said: told.append(said))

    assert told == []


def test_the_chosen_budget_is_attacked_as_it_is():
    assert Asked(budgets=(97.4, 390.0, 1560.0), chosen=389.5).grid == (97.4, 389.5, 1560.0)


def test_laplace_shares_a_budget_among_the_words(data):
    asked = Asked(data, "mine", mechanism="laplace", budgets=(), chosen=40, size=10)
    found = attack(asked, lambda *_: None).results.cells

    assert [(each.epsilon, each.budget) for each in found] == [(4, 40)]


def test_stand_ins_are_attacked_over_odds(data):
    asked, told = Asked(data, "mine", mechanism="standin", budgets=(20,), chosen=1000), []
    found = attack(asked, lambda _, said: told.append(said)).results.cells

    assert [(each.symbol, each.budget, each.size) for each in found] == [
        ("w", 20, None),
        ("w", 1000, None),
    ]
    assert "odds 20: releases" in told


def test_an_attack_is_work_for_a_job_and_shows_no_text(data):
    async def run():
        job = Job.start(attack, Asked(data, "mine", budgets=(), chosen=20, size=10))
        told = [each async for each in job.progress()]
        return told, await job.result()

    told, found = asyncio.run(run())
    assert told[-1][0] > 0.5
    assert len(found.named) == 60
    assert "corpus" not in repr(Asked(data, "mine"))
