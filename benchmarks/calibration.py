"""The exact promise of the exponential mechanism beside the textbook's, and what it buys.

    python benchmarks/calibration.py

ε*(a) over all pairs of the 4,000 commonest words of the bundled table, as others have it for
GloVe-300d, and of all its kept words; plain, and with Zipf's law as public weights.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from common import record
from nomdeplume import Exponential, Table, Vocabulary
from nomdeplume.decode import zipf

EXPONENTS = (0.5, 1.5, 3.0, 5.0)
PUBLISHED = {0.5: 0.73, 1.5: 1.85, 3.0: 3.18, 5.0: 5.04}  # 4,000 words of GloVe-840B-300d
WEIGHTED = {1.5: 2.47, 3.0: 4.36, 5.0: 6.37}


def row(mechanism: Exponential) -> dict[str, Any]:
    began = perf_counter()
    found = mechanism.tight
    return {
        "a": mechanism.a,
        "exact": round(found.epsilon, 4),
        "textbook": found.textbook,
        "ratio": round(found.textbook / found.epsilon, 3),
        "seconds": round(perf_counter() - began, 1),
    }


def main() -> None:
    table = Table.bundled()
    common = Table(table.words[:4000], table.vectors[:4000], name="4,000 commonest")
    kept = Vocabulary.of(table).ids
    plain = [row(Exponential(common, a)) for a in EXPONENTS]
    weighted = [row(Exponential(common, a, weights=zipf(common))) for a in EXPONENTS]
    everything = [row(Exponential(table, a, inputs=kept, outputs=kept)) for a in EXPONENTS]
    few = np.arange(0, 4000, 4)
    narrow = [row(Exponential(common, a, outputs=few)) for a in EXPONENTS]
    record(
        "calibration",
        {
            "4,000 commonest words, 100 dimensions": plain,
            "published, GloVe-840B-300d": PUBLISHED,
            "with Zipf weights": weighted,
            "published with Zipf weights": WEIGHTED,
            "every fourth word may come out, a bound where not exact": narrow,
            f"all {len(kept):,} kept words": everything,
        },
    )


if __name__ == "__main__":
    main()
