"""The law instrument: whether noise has the law that its promise is proven for.

In many dimensions a release tells far less than its promise allows, so no black box sees
a small error there; the noise itself shows it at once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom, binomtest, gamma, kstest, spearmanr

from nomdeplume.audit.draws import NUMBERS, Drawn, Draws, suited
from nomdeplume.audit.finding import Finding, by_pvalue, least
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.distance import Euclidean
from nomdeplume.noise import Noise
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Test = Callable[[str, Draws, float], Finding]

TAILS = (1e-4, 1e-3, 0.01, 0.1, 0.9, 0.99, 0.999, 0.9999)
CLOSE = 1e-12  # lengths nearer than this are as good as equal


def of_noise(noise: Noise, table: Table) -> list[Probe]:
    """Probes of noise at the table's own dimensions, added to its own vectors."""
    drawn, grain = Drawn(noise, table), "noise is drawn in float64"
    mean = f"mean length of the noise, k = {drawn.dimensions}"

    def of(question: str, test: Test, weight: float = 1.0) -> Probe:
        return Probe(question, lambda share: test(question, drawn(share), share.alpha), weight)

    return [
        Probe(mean, lambda share: _mean_length(mean, drawn, share), 0.2),
        of("length of the noise is Gamma(k)", _length),
        of("direction of the noise is uniform", _direction, 0.5),
        of("noise: length, direction, draws independent", _independence, 0.5),
        Probe(grain, lambda share: _grain(grain, noise, table.dimensions, share), 0.2),
    ]


def _mean_length(question: str, drawn: Drawn, share: Share) -> Finding:
    """The sum of n lengths is Gamma(nk): of all tests the one that sees a wrong scale best.

    It has draws of its own, which take less time than those of which more is kept.
    """
    length = drawn.lengths(share)
    law, total = gamma(len(length) * drawn.dimensions), length.sum()
    pvalue = 2 * min(law.cdf(total), law.sf(total))
    said = f"{total / law.mean():.4f} of k/ε, "
    return by_pvalue("law", question, pvalue, alpha=share.alpha, samples=len(length), what=said)


def _length(question: str, draws: Draws, alpha: float) -> Finding:
    """All of the law at once, and its tails, which that hardly sees."""
    law = gamma(draws.dimensions)
    below = [int((draws.length < law.ppf(tail)).sum()) for tail in TAILS]
    tails = [binomtest(n, len(draws), p).pvalue for n, p in zip(below, TAILS, strict=True)]
    pvalue = least([kstest(draws.length, law.cdf).pvalue, *tails])
    return by_pvalue("law", question, pvalue, alpha=alpha, samples=len(draws))


def _direction(question: str, draws: Draws, alpha: float) -> Finding:
    """Along some directions all of the law, and along every axis its sign and its spread."""
    looks = [_uniform(cosines, draws.dimensions) for cosines in (*draws.fixed.T, draws.own)]
    counts = draws.axes if draws.dimensions > 1 else draws.axes[:1]  # on a line all sizes are 1
    axes = 2 * binom(len(draws), 0.5).sf(np.abs(counts - len(draws) / 2) + len(draws) / 2 - 1)
    pvalue = least([*looks, *np.minimum(1, axes).ravel().tolist()])
    return by_pvalue("law", question, pvalue, alpha=alpha, samples=len(draws))


def _independence(question: str, draws: Draws, alpha: float) -> Finding:
    """Of length and direction, of each draw and the next, and of all draws from each other."""
    following = spearmanr(draws.length[:-1], draws.length[1:]).pvalue
    pvalues = [_uniform(draws.next[:-1], draws.dimensions), following, _repeated(draws)]
    seen = np.column_stack((draws.fixed, draws.own))
    if draws.dimensions > 1:
        seen = np.column_stack((seen, np.abs(draws.fixed)))
    pvalues += [spearmanr(draws.length, column).pvalue for column in seen.T]
    return by_pvalue("law", question, least(pvalues), alpha=alpha, samples=len(draws))


def _repeated(draws: Draws) -> float:
    """A bound on the p-value of lengths that are all but equal, wherever they were drawn.

    Lengths have a density of at most 1, so two are so close with a chance of 2·CLOSE. Among
    m close neighbours are j ≥ m/2 pairs without a common draw; sets of j such pairs are
    (n²·CLOSE)ʲ/j! or fewer on average, and one is there with no more than that chance.
    """
    pairs = -(-int((np.diff(np.sort(draws.length)) < CLOSE).sum()) // 2)
    return min(1.0, exp(pairs * log(len(draws) ** 2 * CLOSE) - lgamma(pairs + 1)))


def _grain(question: str, noise: Noise, k: int, share: Share) -> Finding:
    """Noise that was rounded to float32 or less ends in 29 zeros; one in 2²⁹ numbers does.

    If noisy vectors end so wherever they started, they were put on a public grid after the
    noise was added: that is no fault.
    """
    noisy = noise.add(suited(noise, np.zeros((max(1, NUMBERS // k), k))), share.rng)
    if not isinstance(noise.guarantee.metric, Euclidean):
        noisy = noisy[noisy.any(axis=1), 1:]  # the first is near 1, and what is cut off is 0
    coarse = _coarse(noisy)
    pvalue = float(binom.sf(coarse - 1, noisy.size, 2.0**-29))
    said = f"{coarse:,} of {noisy.size:,} numbers are coarse, "
    if pvalue < share.alpha:
        anywhere = suited(noise, np.random.default_rng(2).standard_normal((100, k)))
        on_grid = _coarse(noise.add(anywhere, share.rng)) == anywhere.size
        pvalue, said = (1.0, "on a public grid, ") if on_grid else (pvalue, said)
    return by_pvalue("law", question, pvalue, alpha=share.alpha, samples=noisy.size, what=said)


def _coarse(numbers: Floats) -> int:
    return int((np.ascontiguousarray(numbers).view(np.int64) & (2**29 - 1) == 0).sum())


def _uniform(cosines: Floats, k: int) -> float:
    """p-value of cosines of uniform directions: (1 + c)/2 is Beta, and a coin in one dimension."""
    if k == 1:
        return float(binomtest(int((cosines > 0).sum()), len(cosines)).pvalue)
    return float(kstest((1 + cosines) / 2, beta((k - 1) / 2, (k - 1) / 2).cdf).pvalue)
