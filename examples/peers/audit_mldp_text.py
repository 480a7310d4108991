"""Audits the mechanisms of mldp-text 0.1.2, each held to ε times the metric of its own paper.

    pip install . mldp-text==0.1.2 "numpy<2"
    python examples/peers/audit_mldp_text.py vickrey --epsilon 1 --seconds 60

The exit code is 3 where a promise is found broken. docs/peers.md tells what was found.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from gensim.models import KeyedVectors

from nomdeplume import Table
from nomdeplume.audit import Audit, Claim

Function = Callable[[list[str]], list[str]]

PAIR = "lake,pond"  # the pair of the table that is tried, besides those of the small worlds
LAMBDA = 0.8  # of Mahalanobis noise; the package's own default is 0.2


def table(**places: float | list[float]) -> Table:
    """Words in the units of 1/ε."""
    return Table(list(places), np.array([np.atleast_1d(place) for place in places.values()]))


# Where each mechanism is tried. Between lake and pond ε·d is 0.5, 0.1, 0.1, 0.2 and 1.
TABLES = {
    "laplace": table(lake=[0, 0], pond=[0.5, 0], river=[1.5, 1], apple=[-2, 1], pear=[-2, -1]),
    "vickrey": table(lake=0, pond=0.1, river=0.12, apple=6),
    "tem": table(lake=0, pond=-0.1, apple=16.55, pear=45),  # 16.6: the cut-off at ε = 1
    "gumbel": table(lake=0, pond=0.2, apple=-1, pear=1.1),
    "mahalanobis": table(lake=[0, 50], pond=[1.34, 50], apple=[-1, 50], pear=[3, 50]),
}


def make(name: str, words: Table, epsilon: float, **options: float) -> Function:
    """A mechanism of the package on any table, one word at a time as it offers it.

    Without its index, which wants 100 words or more; what is not given stays as it has it.
    """
    import mldp_text

    vectors = KeyedVectors(words.dimensions)
    vectors.add_vectors(list(words.words), words.vectors[:].astype(np.float32))
    mechanism = mldp_text.get_mechanism(
        name,
        epsilon=epsilon,
        dim=words.dimensions,
        embedding_matrix=vectors,
        use_faiss=False,
        **options,
    )
    return lambda text: [str(mechanism.replace_word(word)) for word in text]


def gumbel(words: Table, epsilon: float) -> Function:
    """Truncated Gumbel, told the least and largest distance, which by default it cannot find."""
    vectors = words.vectors[:].astype(np.float64)
    apart = np.linalg.norm(vectors[:, None] - vectors, axis=2)
    least, most = float(apart[apart > 0].min()), float(apart.max())
    return make("truncated_gumbel", words, epsilon, min_inter_dist=least, max_inter_dist=most)


def mahalanobis(words: Table) -> Table:
    """The words where Euclidean distance is the regularised Mahalanobis one of the paper.

    There S = λ·C + (1 − λ)·I, with the covariance C scaled to a mean variance of 1, and the
    distance is that of S^(−1/2)·x.
    """
    vectors = words.vectors[:].astype(np.float64)
    covariance = np.cov(vectors, rowvar=False)
    scaled = covariance * words.dimensions / np.trace(covariance)
    values, axes = np.linalg.eigh(LAMBDA * scaled + (1 - LAMBDA) * np.eye(words.dimensions))
    return Table(words.words, vectors @ axes / np.sqrt(values), name=words.name)


def claim(name: str, epsilon: float) -> Claim:
    """What the package claims, on a table whose distances fit ε, and in the small worlds.

    The metric is Euclidean, but for Mahalanobis noise, whose metric depends on the table: it
    is tried on its own table alone.
    """
    unit = TABLES[name]
    vectors = unit.vectors[:].astype(np.float64) / epsilon
    words = Table(unit.words, vectors, name=f"{len(unit)} words")
    if name == "mahalanobis":
        function = make(name, words, epsilon, lambd=LAMBDA)
        return Claim(function, mahalanobis(words), epsilon, f"{name}, λ = {LAMBDA}")
    if name == "gumbel":
        return Claim.made(gumbel, words, epsilon, name)
    called = "multivariate_calibrated" if name == "laplace" else name
    return Claim.made(partial(make, called), words, epsilon, name)


def main() -> int:
    parser = argparse.ArgumentParser(description="Audit a mechanism of mldp-text.")
    parser.add_argument("mechanism", nargs="?", choices=TABLES, default="laplace")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    audit = Audit(seconds=options.seconds, pairs=PAIR)
    report = audit(claim(options.mechanism, options.epsilon))
    sys.stdout.write(f"{report}\n")
    return 3 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
