"""Documents without order, enumerated: the stated loss holds for every corpus and is near."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import comb, exp, log

import numpy as np
import pytest
from scipy.stats import binom, multinomial

from nomdeplume import InputError
from nomdeplume.privacy import shuffled
from nomdeplume.privacy.exact import law
from nomdeplume.privacy.shuffled import MOST, SAFE, Among, Blanket, at_least, usual_delta

LOSSES = (0.0, 0.05, 0.3, 0.8, 1.5, 2.5)
SMALL = [(4, 1, 3), (4, 2, 2), (4, 2, 10), (4, 3, 3), (4, 3, 30), (5, 2, 8), (3, 1, 20)]


def channel(blanket):
    """The probability of each public text for each set S, and the sets."""
    sets = list(combinations(range(blanket.texts), blanket.best))
    rows = np.ones((len(sets), blanket.texts))
    for row, best in zip(rows, sets, strict=True):
        row[list(best)] = blanket.odds
    return rows / rows.sum(axis=1, keepdims=True), sets


def hockey_stick(p, q, epsilon):
    return np.maximum(p - exp(epsilon) * q, 0).sum()


def true_delta(blanket, documents, epsilon):
    """The largest δ over all pairs of sets and all sets of the other documents."""
    chances, sets = channel(blanket)
    found = 0.0
    for others in combinations_with_replacement(range(len(sets)), documents - 1):
        laws = [law(chances, [own, *others]) for own in range(len(sets))]
        found = max(found, *(hockey_stick(laws[0], q, epsilon) for q in laws[1:]))
    return found


def revealed_delta(blanket, documents, epsilon, common):
    """δ if all but the blanket's draws are known: N of them, of which one is the victim's.

    S and S′ have `common` texts in common. Independent of the program: it goes by N, and takes
    the expectation under the releases of S.
    """
    m, k, w = blanket.texts, blanket.best, blanket.odds
    gamma, apart = m / (k * w + m - k), k - common
    shares = np.array([apart, apart, common, m - 2 * apart - common]) / m
    found = 0.0
    for many in range(1, documents + 1):
        chance = binom.pmf(many - 1, documents - 1, gamma)
        for counts in product(range(many + 1), repeat=4):
            if sum(counts) == many:
                a, b, both, _ = counts
                p = gamma / many * (many + (w - 1) * (a + both))
                q = gamma / many * (many + (w - 1) * (b + both))
                drawn = multinomial.pmf(counts, many, shares)
                found += chance * drawn * max(p - exp(epsilon) * q, 0)
    return found


@pytest.mark.parametrize(("texts", "best", "odds"), SMALL)
def test_no_corpus_loses_more_than_is_stated(texts, best, odds):
    blanket = Blanket(texts, best, odds)
    shares = []
    for documents in (1, 2, 3):
        for epsilon in LOSSES:
            stated = Among(blanket, documents).delta(epsilon)
            true = true_delta(blanket, documents, epsilon)
            assert true <= stated + 1e-12
            shares += [true / stated] if true > 1e-9 else []

    assert max(shares) > 0.999  # one document alone loses just that
    assert np.median(shares) > 0.4


@pytest.mark.parametrize(("texts", "best", "odds"), SMALL)
def test_delta_is_that_of_the_blanket_and_the_least_overlap_is_the_worst(texts, best, odds):
    blanket = Blanket(texts, best, odds)
    least = max(0, 2 * best - texts)
    for epsilon in LOSSES:
        stated = Among(blanket, 4).delta(epsilon)
        by_overlap = [revealed_delta(blanket, 4, epsilon, j) for j in range(least, best + 1)]
        assert stated == pytest.approx(by_overlap[0], rel=1e-6, abs=1e-12)
        assert stated >= by_overlap[0] * (1 - 1e-12)
        assert by_overlap == sorted(by_overlap, reverse=True)


def reached_delta(blanket, documents, epsilon):
    """δ of a corpus whose other documents all have one set, apart from S and S′."""
    m, k, w = blanket.texts, blanket.best, blanket.odds
    total, n = k * w + m - k, documents - 1
    a, b = np.arange(-1, n + 1), np.arange(-1, n + 1)[:, None]

    def others(a, b):
        chance = binom.pmf(a + b, n, 2 * k / total) * binom.pmf(a, a + b, 0.5)
        return np.where((a >= 0) & (b >= 0) & (a + b <= n), np.nan_to_num(chance), 0)

    def of(one, two):
        in_s, in_other, neither = others(a, b + 1), others(a + 1, b), others(a + 1, b + 1)
        return (k * one * in_s + k * two * in_other + (total - k * (w + 1)) * neither) / total

    return hockey_stick(of(w, 1), of(1, w), epsilon)


@pytest.mark.parametrize(("documents", "odds"), [(30, 5), (300, 20), (1000, 20), (1000, 100)])
def test_large_corpora_nearly_reach_the_loss(documents, odds):
    blanket = Blanket(1000, 50, odds)
    loss = blanket.loss(documents, 1e-6)

    assert 1e-7 < reached_delta(blanket, documents, loss) <= 1e-6
    assert reached_delta(blanket, documents, 0.95 * loss) > 1e-6  # no loss much smaller holds


@pytest.mark.parametrize(
    ("odds", "losses"),
    [(20, (0.56, 0.17, 0.05)), (55, (1.34, 0.36, 0.11)), (148, (2.96, 0.70, 0.20))],
)
def test_figures_of_an_independent_enumeration(odds, losses):
    found = [Blanket(1000, 50, odds).loss(10**power, 1e-6) for power in (3, 4, 5)]

    assert all(0.9 * most < loss <= most for loss, most in zip(found, losses, strict=True))


def test_the_loss_falls_with_documents_and_rises_with_odds_and_certainty():
    def loss(documents=1000, delta=1e-6, odds=20):
        return Blanket(899, 40, odds).loss(documents, delta)

    for name, values in {
        "documents": (10**6, 10**5, 3000, 1000, 100, 10, 1),
        "delta": (1e-3, 1e-6, 1e-9, 1e-12),
        "odds": (2, 5, 20, 100, 1000),
    }.items():
        found = [loss(**{name: value}) for value in values]
        assert found == sorted(found)
    deltas = [Among(Blanket(899, 40, 20), 1000).delta(each / 10) for each in range(30)]
    assert deltas == sorted(deltas, reverse=True)


@pytest.mark.parametrize("best", [1, 449, 450, 898])
@pytest.mark.parametrize("odds", [2, 150, 10**6])
@pytest.mark.parametrize("documents", [1, 2, 500, 10**6])
def test_every_setting_has_a_loss_of_at_most_the_local_one(best, odds, documents):
    blanket = Blanket(899, best, odds)
    loss = blanket.loss(documents, 1e-6)

    assert 0 < loss <= log(odds)
    assert loss == log(odds) or Among(blanket, documents).delta(loss) <= 1e-6
    assert Among(blanket, documents).delta(log(odds)) <= 1e-7  # rounded up


def test_coarser_cells_state_no_smaller_loss(monkeypatch):
    cases = [(Blanket(1000, 50, 100), 3000), (Blanket(100, 70, 20), 10**5)]
    usual = [blanket.loss(documents, 1e-7) for blanket, documents in cases]
    monkeypatch.setattr(shuffled, "CELLS", (700, 350))
    fine = [blanket.loss(documents, 1e-7) for blanket, documents in cases]
    monkeypatch.setattr(shuffled, "CELLS", (20, 10))
    coarse = [blanket.loss(documents, 1e-7) for blanket, documents in cases]

    assert all(f <= u <= 1.01 * f for f, u in zip(fine, usual, strict=True))
    assert all(u < c for u, c in zip(usual, coarse, strict=True))


def test_more_documents_than_are_counted_lose_no_more():
    blanket = Blanket(899, 40, 100)

    assert blanket.loss(10 * MOST, 1e-9) == blanket.loss(MOST, 1e-9)


@pytest.mark.parametrize("many", [7, 1000, 51_000])
@pytest.mark.parametrize("deviations", [-9, 0, 3, 6, 12, 30])
def test_binomial_tails_are_as_exact_as_assumed(many, deviations):
    count = min(max(1, int(many / 2 + deviations * many**0.5 / 2)), many)
    term = total = comb(many, count)
    for j in range(count, many):
        term = term * (many - j) // (j + 1)
        total += term
    true = float(Fraction(total, 2**many))

    assert at_least(count, many, 0.5) == pytest.approx(true, rel=SAFE / 100)


def test_binomial_tails_of_rare_draws_are_as_exact_as_assumed():
    p, many = Fraction(1, 40), 3000
    for count in (1, 60, 75, 120, 200):
        terms = (comb(many, j) * p**j * (1 - p) ** (many - j) for j in range(count, 700))
        assert at_least(count, many, float(p)) == pytest.approx(float(sum(terms)), rel=SAFE / 100)
    assert at_least(np.array([-1, 0, 6]), 5, 0.3).tolist() == [1, 1, 0]


@pytest.mark.parametrize(("documents", "delta"), [(0, 1e-6), (10, 0), (10, 1), (10, float("nan"))])
def test_impossible_numbers_are_refused(documents, delta):
    with pytest.raises(InputError):
        Blanket(10, 2, 5).loss(documents, delta)


def test_the_usual_delta_is_a_tenth_of_a_share_or_less():
    found = {n: usual_delta(n) for n in (0, 1, 2, 10**5, 10**5 + 1, 10**6, 10**9)}

    assert list(found.values()) == [1e-6, 1e-6, 1e-6, 1e-6, 1e-7, 1e-7, 1e-10]
    assert all(10 * n * delta <= 1 + 1e-9 for n, delta in found.items())
