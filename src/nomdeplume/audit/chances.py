"""The law instrument where there is no noise to look at: released words and their chances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from nomdeplume.audit.finding import BROKEN, HELD, Finding, by_pvalue, least
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.mechanism import Mechanism
from nomdeplume.privacy.random import keystream

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Channel = Callable[[Ids], Floats]

RELEASES = 3_000_000  # of all words together, at most
RARE = 20  # releases of a word below which it is counted with others


def of_channel(mechanism: Mechanism, channel: Channel, ids: Ids, world: str) -> Probe:
    """Released words against the chances that they should have."""
    question = "chances of words are as their formula says"

    def ask(share: Share) -> Finding:
        def draw(n: int) -> Ids:
            return mechanism.release(np.tile(ids, n), share.rng).reshape(n, len(ids))

        found = share.samples(draw, most=RELEASES // len(ids))
        pvalue = least([fit(*row) for row in zip(found.T, channel(ids), strict=True)])
        finding = by_pvalue("law", question, pvalue, alpha=share.alpha, samples=found.size)
        return replace(finding, world=world)

    return Probe(question, ask)


def fit(released: Ids, chances: Floats) -> float:
    """p-value of counts under their chances: of each word, and of all rare ones together."""
    inside = (released >= 0) & (released < len(chances))
    seen = np.bincount(released[inside], minlength=len(chances))
    if not inside.all() or seen[chances == 0].any():
        return 0.0  # a word came out that has no chance at all
    often = len(released) * chances >= RARE
    counts = np.append(seen[often], seen[~often].sum())
    due = np.clip(np.append(chances[often], chances[~often].sum()), 0, 1)
    pairs = zip(counts.tolist(), due.tolist(), strict=True)
    return least([float(binomtest(n, len(released), p).pvalue) for n, p in pairs])


def of_keystream() -> Probe:
    """ChaCha20 under the second test vector of RFC 8439, appendix A.1."""
    due = bytes.fromhex(
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
    )

    question = "keystream is ChaCha20"

    def ask(_: Share) -> Finding:
        same = keystream(bytes(32), 1, counter=1) == due
        evidence = "bit for bit" if same else "another keystream"
        return Finding("law", question, HELD if same else BROKEN, evidence)

    return Probe(question, ask, 0.01)
