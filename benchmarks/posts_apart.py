"""How far apart real texts are: the loss of a default release between them, for E = 1.

    python benchmarks/posts_apart.py ../shared/data [--pairs 20000]

Random pairs of texts by two authors, on one topic and on two: by the means of the map that ships
(E·‖Δf‖). docs/guarantee.md states the medians, so that nobody takes two versions of one letter,
the nearest reference texts, for two texts on one topic.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import common
from nomdeplume import Obfuscator
from nomdeplume.mechanism import NoisyMean
from public_parts import Record, read

CORPORA = ("newsgroups_authors", "gutenberg", "r8")
SHARES = (0.05, 0.5, 0.95)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=20_000)
    options = parser.parse_args()
    made = Obfuscator.mean(budget=1.0)
    found = {name: _apart(made, read(options.folder, name), options.pairs) for name in CORPORA}
    common.record("posts-apart", {"pairs": options.pairs, **found})


def _apart(made: Obfuscator, records: list[Record], pairs: int) -> dict[str, Any]:
    """Quantiles of the losses between random pairs of texts."""
    mechanism, kept = made.mechanism, made.vocabulary
    assert isinstance(mechanism, NoisyMean)
    bags = list(kept.bags(each["text"] for each in records))
    means = mechanism.means([kept.or_public(bag) for bag in bags])
    authors = np.array([str(each.get("author", number)) for number, each in enumerate(records)])
    topics = np.array([each["topic"] for each in records])
    one, two = np.random.default_rng(0).integers(0, len(records), (2, 20 * pairs))
    found: dict[str, Any] = {
        "texts": len(records),
        "median of kept words": float(np.median([bag.counts.sum() for bag in bags])),
    }
    for name, alike in (("one topic", True), ("two topics", False)):
        chosen = (authors[one] != authors[two]) & ((topics[one] == topics[two]) == alike)
        x, y = one[chosen][:pairs], two[chosen][:pairs]
        losses = np.linalg.norm(means[x] - means[y], axis=1)
        found[name] = {f"{share:g}": float(np.quantile(losses, share)) for share in SHARES}
    return found


if __name__ == "__main__":
    main()
