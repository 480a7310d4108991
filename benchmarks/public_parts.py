"""Corpora in two parts by other authors: one to release and attack, one that is public."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def newsgroups(folder: Path) -> tuple[list[Record], list[Record], str]:
    """Authors with at least 20 posts; public are posts by whoever is not among these."""
    ours = read(folder, "newsgroups_authors")
    many = Counter(record["author"] for record in ours)
    known = set(many)
    public = [each for each in read(folder, "newsgroups") if each["author"] not in known]
    return [each for each in ours if many[each["author"]] >= 20], public, ""


def gutenberg(folder: Path) -> tuple[list[Record], list[Record], str]:
    """Every second author is public; the others are tested on unseen books."""
    records = read(folder, "gutenberg")
    public = set(sorted({record["author"] for record in records})[::2])
    private = [each for each in records if each["author"] not in public]
    return private, [each for each in records if each["author"] in public], "pg"


def read(folder: Path, name: str) -> list[Record]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


CORPORA = {"newsgroups_authors": newsgroups, "gutenberg": gutenberg}
