"""The law instrument: whether noise and channels have the law that the promise is proven for.

In many dimensions a release tells far less than its promise allows, so no black box sees
a small error there; the noise itself shows it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom, binomtest, chi2, gamma, kstest, spearmanr

from nomdeplume.audit.finding import BROKEN, HELD, Finding, by_pvalue
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.mechanism import Mechanism
from nomdeplume.noise import Noise
from nomdeplume.privacy.random import keystream
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Channel = Callable[[Ids], Floats]

DRAWS = 200_000  # of noise, at most
RATE = 50_000  # draws that can be looked at in a second, about
RARE = 20  # releases of a word below which it is counted with others
NUMBERS = 1 << 21  # of noise in memory at a time
RELEASES = 3_000_000  # of all words whose chances are compared


@dataclass(frozen=True)
class Draws:
    """What is kept of many draws of noise: their lengths, and cosines that tell directions."""

    dimensions: int
    length: Floats  # (n,), of standard noise
    fixed: Floats  # (n, looks): cosines with directions of interest
    own: Floats  # (n,): with the vector that the noise was added to
    next: Floats  # (n,): with the draw after it

    def __len__(self) -> int:
        return len(self.length)


class Drawn:
    """Noise at the table's own dimensions, drawn by the first probe that asks, for all."""

    def __init__(self, noise: Noise, table: Table) -> None:
        self._noise, self._table = noise, table
        self._along = _looks(table)
        self._draws: Draws | None = None

    def __call__(self, share: Share) -> Draws:
        if self._draws is None:
            parts: list[Floats] = []
            share.samples(partial(self._draw, parts, share), most=self._most(share))
            rows = np.concatenate(parts)
            k = self._table.dimensions
            self._draws = Draws(k, rows[:, 0], rows[:, 3:], rows[:, 1], rows[:, 2])
        return self._draws

    def _most(self, share: Share) -> int:
        return int(np.clip(RATE * share.seconds, 5_000, DRAWS))

    def _draw(self, parts: list[Floats], share: Share, n: int) -> Ids:
        step = max(2, NUMBERS // self._table.dimensions)
        parts += [self._some(min(step, n - start), share) for start in range(0, n, step)]
        return np.empty(0, dtype=np.int64)

    def _some(self, n: int, share: Share) -> Floats:
        ids = np.random.default_rng(n).integers(0, len(self._table), n)  # any words: public
        vectors = self._table.vectors[ids].astype(np.float64)
        noise = self._noise.standard(self._noise.add(vectors, share.rng) - vectors)
        length = np.sqrt(np.einsum("nk,nk->n", noise, noise))
        unit = noise / np.maximum(length, np.finfo(float).tiny)[:, None]
        own = np.einsum("nk,nk->n", unit, _units(vectors - self._table.centre))
        after = np.einsum("nk,nk->n", unit, np.roll(unit, -1, axis=0))
        return np.column_stack((length, own, after, unit @ self._along.T))


def of_noise(noise: Noise, table: Table) -> list[Probe]:
    """Probes of noise at the table's own dimensions, added to its own vectors."""
    drawn = Drawn(noise, table)
    return [
        Probe(lambda share: _mean_length(drawn(share), share.alpha)),
        Probe(lambda share: _length(drawn(share), share.alpha), 0.3),
        Probe(lambda share: _direction(drawn(share), share.alpha), 0.5),
        Probe(lambda share: _independence(drawn(share), share.alpha), 0.5),
        Probe(lambda share: _grain(noise, table.dimensions, share), 0.2),
    ]


def _mean_length(draws: Draws, alpha: float) -> Finding:
    """The sum of n lengths is Gamma(nk): of all tests the one that sees a wrong scale best."""
    law = gamma(len(draws) * draws.dimensions)
    total = draws.length.sum()
    pvalue = 2 * min(law.cdf(total), law.sf(total))
    share = total / law.mean()
    question = f"mean length of the noise, k = {draws.dimensions}"
    return by_pvalue(
        "law", question, pvalue, alpha=alpha, samples=len(draws), what=f"{share:.4f} of k/ε, "
    )


def _length(draws: Draws, alpha: float) -> Finding:
    pvalue = kstest(draws.length, gamma(draws.dimensions).cdf).pvalue
    return by_pvalue(
        "law", "length of the noise is Gamma(k)", pvalue, alpha=alpha, samples=len(draws)
    )


def _direction(draws: Draws, alpha: float) -> Finding:
    looks = [*draws.fixed.T, draws.own]
    pvalue = _least(_uniform(cosines, draws.dimensions) for cosines in looks)
    return by_pvalue(
        "law", "direction of the noise is uniform", pvalue, alpha=alpha, samples=len(draws)
    )


def _independence(draws: Draws, alpha: float) -> Finding:
    """Of length and direction, and of each draw and the next."""
    following = spearmanr(draws.length[:-1], draws.length[1:]).pvalue
    pvalues = [_uniform(draws.next[:-1], draws.dimensions), following]
    seen = np.column_stack((draws.fixed, draws.own))
    if draws.dimensions > 1:  # on a line all sizes are 1
        seen = np.column_stack((seen, np.abs(draws.fixed)))
    pvalues += [spearmanr(draws.length, column).pvalue for column in seen.T]
    question = "noise: length, direction, next draw independent"
    return by_pvalue("law", question, _least(pvalues), alpha=alpha, samples=len(draws))


def _grain(noise: Noise, k: int, share: Share) -> Finding:
    """Noise that was rounded to float32 or less ends in 29 zeros; one in 2²⁹ numbers does."""
    numbers = noise.add(np.zeros((max(1, NUMBERS // k), k)), share.rng).ravel()
    coarse = int((numbers.view(np.int64) & (2**29 - 1) == 0).sum())
    pvalue = float(binom.sf(coarse - 1, len(numbers), 2.0**-29))
    said = f"{coarse:,} of {len(numbers):,} numbers are coarse, "
    return by_pvalue(
        "law",
        "noise is drawn in float64",
        pvalue,
        alpha=share.alpha,
        samples=len(numbers),
        what=said,
    )


def of_channel(mechanism: Mechanism, channel: Channel, ids: Ids, world: str) -> Probe:
    """Released words against the chances that they should have."""

    def ask(share: Share) -> Finding:
        def draw(n: int) -> Ids:
            return mechanism.release(np.tile(ids, n), share.rng).reshape(n, len(ids))

        found = share.samples(draw, most=RELEASES // len(ids))
        pvalue = _least(map(_chi_square, found.T, channel(ids)))
        question = "chances of words are as their formula says"
        fit = by_pvalue("law", question, pvalue, alpha=share.alpha, samples=found.size)
        return replace(fit, world=world)

    return Probe(ask)


def _chi_square(released: Ids, chances: Floats) -> float:
    """p-value of counts under their chances; all rare words together are a test of their own."""
    inside = (released >= 0) & (released < len(chances))
    seen, due = np.bincount(released[inside], minlength=len(chances)), len(released) * chances
    if not inside.all() or seen[chances == 0].any():
        return 0.0  # a word came out that has no chance at all
    often = due >= RARE
    rare, rest = int(seen[~often].sum()), float(np.clip(chances[~often].sum(), 0, 1))
    pvalues = [float(binomtest(rare, len(released), rest).pvalue)]
    if often.sum() > 1:
        total = due[often] * (seen[often].sum() / due[often].sum())
        found = ((seen[often] - total) ** 2 / total).sum()
        pvalues.append(float(chi2.sf(found, often.sum() - 1)))
    return _least(pvalues)


def of_keystream() -> Probe:
    """ChaCha20 under the second test vector of RFC 8439, appendix A.1."""
    due = bytes.fromhex(
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
    )

    def ask(_: Share) -> Finding:
        same = keystream(bytes(32), 1, counter=1) == due
        evidence = "bit for bit" if same else "another keystream"
        return Finding("law", "keystream is ChaCha20", HELD if same else BROKEN, evidence)

    return Probe(ask, 0.01)


def _uniform(cosines: Floats, k: int) -> float:
    """p-value of cosines of uniform directions: (1 + c)/2 is Beta, and a coin in one dimension."""
    if k == 1:
        return float(binomtest(int((cosines > 0).sum()), len(cosines)).pvalue)
    return float(kstest((1 + cosines) / 2, beta((k - 1) / 2, (k - 1) / 2).cdf).pvalue)


def _least(pvalues: Iterable[float]) -> float:
    """One p-value for several: the least of m, times m."""
    several = list(pvalues)
    return min(1.0, len(several) * min(several))


def _units(vectors: Floats) -> Floats:
    """Directions of vectors; the first axis where there is none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    axis = np.eye(1, vectors.shape[1])
    return np.where(lengths > 0, vectors / np.where(lengths > 0, lengths, 1), axis)


def _looks(table: Table) -> Floats:
    """Unit vectors to look along: where words vary most and least, an axis, the diagonal."""
    k = table.dimensions
    words = table.vectors[: 1 << 13].astype(np.float64)
    axes = np.linalg.eigh(np.cov(words.T).reshape(k, k))[1].T if len(words) > 1 else np.eye(k)
    some = np.random.default_rng(1).standard_normal((2, k))
    return _units(np.vstack((axes[-1:], axes[:1], np.eye(1, k), np.ones((1, k)), some)))
