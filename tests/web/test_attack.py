"""An attack from dropped bytes to a report: on sixty short texts by three authors."""

import asyncio
import json

import numpy as np
import pytest
from tests.web.texts import written_by

from nomdeplume import InputError
from nomdeplume.web.attack import (
    ONE_EACH,
    RELEASES,
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
    budgets = [cell["budget"] for cell in attacked.results["cells"]]

    assert budgets == [10, 1000]
    assert attacked.chosen == 1
    assert Asked(budgets=(5, 80), chosen=20).grid == (5, 20, 80)
    assert Asked(chosen=20.0).grid == (5, 10, 20, 40, 80)


def test_no_release_of_a_private_text_is_shown(attacked):
    """A release that is shown is spent, and these were charged to nobody."""
    shown = {key for cell in attacked.results["cells"] for key in cell} & set(RELEASES)

    assert shown == set()
    assert 'class="bag"' not in attacked.page
    assert "What a release looks like" not in attacked.page


def test_attackers_are_named_and_right_before_the_release(attacked):
    clean, cell = attacked.results["clean"], attacked.results["cells"][1]
    right = np.mean([each.before[0][0] == each.author for each in attacked.named])

    assert (attacked.before_attacker, attacked.after_attacker) == (
        clean["best"],
        cell["best"]["1"],
    )
    assert len(attacked.named) == 60
    assert {each.topic for each in attacked.named} == {""}
    assert right > 0.9
    assert right == pytest.approx(
        clean["attackers"][attacked.before_attacker]["accuracy"]["1"]["value"], abs=1e-5
    )


def test_the_report_is_a_page_about_these_texts(attacked, data):
    text = json.loads(data.splitlines()[0])["text"]

    assert attacked.page.startswith("<!DOCTYPE html>")
    assert "mine.jsonl" in attacked.page
    assert text not in attacked.page + json.dumps(attacked.results)


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


def cell(budget, value):
    accuracy = {"1": {"value": value}}
    return {
        "budget": budget,
        "best": {"1": "svm"},
        "attackers": {"svm": {"adaptive": {"accuracy": accuracy}}},
    }


def test_single_texts_are_told_with_several_of_one_author():
    told = {"1": {"value": 0.46}, "5": {"value": 0.75}, "20": None}
    clean = {"attackers": {"svm": {"accuracy": {**told, "5": {"value": 1.0}}}}}
    many = cell(20, 0.46) | {"best": {"1": "svm", "5": "svm", "20": None}}
    many["attackers"]["svm"]["adaptive"]["accuracy"] = told

    assert named_correctly(clean, many).replace("\u00a0", " ") == (
        "from one text 46 % before and 46 % after; from 5 texts of one author 100 % before and "
        "75 % after."
    )
    assert named_correctly(clean, cell(20, 0.46)).endswith(f"46\u00a0% after. {ONE_EACH}")


def test_the_largest_budget_under_a_share_is_found():
    results = {"cells": [cell(5, 0.1), cell(10, 0.2), cell(20, 0.4)]}

    assert largest_under(results, 0.2) == 10
    assert largest_under(results, 1.0) == 20
    assert largest_under(results, 0.05) is None


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
    found = attack(asked, lambda *_: None).results["cells"]

    assert [(each["epsilon"], each["budget"]) for each in found] == [(4, 40)]


def test_an_attack_is_work_for_a_job_and_shows_no_text(data):
    async def run():
        job = Job.start(attack, Asked(data, "mine", budgets=(), chosen=20, size=10))
        told = [each async for each in job.progress()]
        return told, await job.result()

    told, found = asyncio.run(run())
    assert told[-1][0] > 0.5
    assert len(found.named) == 60
    assert "corpus" not in repr(Asked(data, "mine"))
