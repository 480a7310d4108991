"""Whom the best attacker names: probabilities that mean what they say, and only if asked."""

from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation_world import AUTHORS, corpus, vocabulary

from nomdeplume.evaluate.evaluation import Evaluation
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.identification import Identification
from nomdeplume.evaluate.naming import named, probabilities, who
from nomdeplume.evaluate.report import page
from nomdeplume.evaluate.setting import grid
from nomdeplume.mechanism import Recipe

N, LABELS = 3000, 8


def parts(n=N, number=3):
    order = np.arange(n)
    return [Fold(order[order % number != i], order[order % number == i]) for i in range(number)]


def world(sharpness, rng, n=N):
    """True probabilities, and labels drawn by them."""
    logits = sharpness * rng.standard_normal((n, LABELS))
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    codes = np.array([rng.choice(LABELS, p=row) for row in chances])
    return logits, chances, codes


@pytest.mark.parametrize("stretch", [0.02, 7, 900])
@pytest.mark.parametrize("sharpness", [0.5, 2.0])
def test_stretched_logits_come_back_to_true_probabilities(stretch, sharpness, rng):
    logits, chances, codes = world(sharpness, rng)
    scores = (stretch * logits + 40)[None].astype(np.float32)
    found = probabilities(scores, codes, parts())

    assert np.abs(found - chances).max() < 0.05
    assert found.sum(axis=1) == pytest.approx(1)


def test_folds_may_score_on_scales_of_their_own(rng):
    logits, chances, codes = world(1.5, rng)
    scores = logits[None].astype(np.float32)
    scores[:, parts()[0].test] *= 100

    assert np.abs(probabilities(scores, codes, parts()) - chances).max() < 0.06


def test_scores_that_say_nothing_leave_everybody_about_as_likely(rng):
    scores = rng.standard_normal((2, N, LABELS)).astype(np.float32)
    found = probabilities(scores, rng.integers(LABELS, size=N), parts())

    assert np.abs(found - 1 / LABELS).max() < 0.04


def test_scores_that_mislead_are_not_believed(rng):
    logits, _, codes = world(2.0, rng)
    found = probabilities(-logits[None].astype(np.float32), codes, parts())

    assert np.abs(found - 1 / LABELS).max() < 1e-6


def test_who_was_always_right_is_sure_but_not_certain(rng):
    codes = rng.integers(LABELS, size=60)
    scores = np.eye(LABELS, dtype=np.float32)[codes][None]
    sure = probabilities(scores, codes, parts(60)).max(axis=1)

    assert (sure > 0.9).all()
    assert (sure < 0.999).all()


def test_the_label_of_a_text_does_not_make_its_attacker_sure(rng):
    logits, _, codes = world(1.0, rng, n=300)
    scores, other = logits[None].astype(np.float32), codes.copy()
    fold = parts(300)[0].test
    other[fold] = (codes[fold] + 1) % LABELS
    one, two = (probabilities(scores, each, parts(300))[fold] for each in (codes, other))

    assert (one == two).all()


def test_a_given_split_is_calibrated_by_halves(rng):
    logits, chances, codes = world(1.0, rng)
    tested = [Fold(np.arange(N // 2), np.arange(N // 2, N))]
    scores = (7 * logits)[None].astype(np.float32)
    scores[:, : N // 2] = np.nan
    found = probabilities(scores, codes, tested)

    assert np.isnan(found[: N // 2]).all()
    assert np.abs(found - chances)[N // 2 :].max() < 0.08
    assert [place for place, _ in named(Identification(scores, codes, tested))] == list(
        range(N // 2, N)
    )


def evaluation(**more):
    settings = grid([Recipe("laplace")], budgets=[200, 800], sizes=[20])
    asked = {"attackers": "word-svm,informed", "draws": 2, "folds": 3, "seed": 1, **more}
    return Evaluation.of(corpus(), vocabulary(), settings, **asked)


@pytest.fixture(scope="module")
def results():
    return evaluation(naming=True).run()


def without(results, **more):
    """Results without names, and with other parts of cells."""
    cells = tuple(replace(cell, named=(), **more) for cell in results.cells)
    return replace(results, clean=replace(results.clean, named=()), cells=cells)


def test_results_without_names_are_as_ever(results):
    timeless = {"seconds": 0, "certificate": None}  # a certificate has the hour in it

    assert without(evaluation().run(), **timeless) == without(results, **timeless)
    assert without(results) != results
    assert evaluation().question != evaluation(naming=True).question


def test_a_report_does_not_show_them(results):
    assert page(results) == page(without(results))


def test_every_text_has_its_likeliest_authors(results):
    found = who(results, corpus(), 1)
    right = np.mean([each.before[0][0] == each.author for each in found])

    assert [each.place for each in found] == list(range(len(corpus())))
    assert {each.author for each in found} == set(AUTHORS)
    assert right == pytest.approx(results.clean.author().value, abs=1e-5)
    for each in found:
        shares = [share for _, share in each.after]
        assert len(shares) == 5
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) <= 1.001
