"""What the reproductions share: corpora of a folder, their command line, and a printed table."""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common import ROOT, record
from nomdeplume import Vocabulary

Record = dict[str, Any]


def arguments(description: str) -> argparse.Namespace:
    """`--quick`, and the folder of corpora, which lies beside the repository."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds; stores nothing")
    parser.add_argument("--data", type=Path, default=ROOT / ".." / "shared" / "data")
    return parser.parse_args()


def corpus(folder: Path, name: str) -> list[Record]:
    """The records of a corpus that are as their authors usually write."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [each for each in records if each.get("kind", "sample") == "sample"]


def by_author(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Records of every author, in order."""
    found: dict[str, list[Record]] = {}
    for each in records:
        found.setdefault(each["author"], []).append(each)
    return found


def kept_words(vocabulary: Vocabulary, texts: Iterable[str]) -> list[str]:
    """Kept words of each text in alphabetical order: a release without noise."""
    words = vocabulary.table.words
    every = (np.repeat(bag.ids, bag.counts).tolist() for bag in vocabulary.bags(texts))
    return [" ".join(sorted(words[i] for i in ids)) for ids in every]


def keep(name: str, quick: bool, result: dict[str, Any]) -> None:
    """Keep what was measured under results/; a quick look replaces nothing there."""
    if not quick:
        record(name, result)


def shown(rows: Sequence[Mapping[str, object]]) -> None:
    """Print rows under the names of their columns."""
    lines = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
