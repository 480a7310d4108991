"""How often is an author named from one document, from 5 and from 20, released by the mean?

    python benchmarks/several.py ../shared/data [--draws 5]

Authors of newsgroup posts and of books (the private parts of benchmarks/public_parts.py), all of
whom have at least 20 documents, released by the map that ships, so that nothing is fitted. The
figures are those of `nomdeplume evaluate`: the best attacker who learnt from releases, with other
posts of an author, or other chapters of the same books, among what it learnt from. The corpora
are not part of this project.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

import common
from nomdeplume.evaluate import Labelled, evaluate
from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.identification import DOCUMENTS
from public_parts import CORPORA, Record

BUDGETS = (5.0, 20.0, 80.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    found = {}
    for name, parts in CORPORA.items():
        private, _, _ = parts(options.folder)
        found[name] = _attacked(private, options.draws)
    common.record("several", {"draws": options.draws, **found})


def _attacked(records: list[Record], draws: int) -> dict[str, Any]:
    """Figures of clean texts and of releases at each budget, by documents of one author."""
    texts, authors, topics = (
        [record[field] for record in records] for field in ("text", "author", "topic")
    )
    corpus = Labelled.of(texts, authors, topics)
    results = evaluate(corpus, ["mean"], budgets=BUDGETS, draws=draws, seed=1)
    return {
        "authors": results.corpus.authors,
        "documents": results.corpus.documents,
        "topics": len(set(topics)),
        "commonest topic": round(max(map(topics.count, set(topics))) / len(topics), 6),
        "chance": results.chance,
        "topic alone": results.floors and _facts(results.floors.topic_oracle),
        "clean": {str(count): _facts(results.clean.author(count)) for count in DOCUMENTS},
        "releases": [
            {
                "budget": cell.budget,
                "author": {str(count): _facts(cell.author(count)) for count in DOCUMENTS},
            }
            for cell in results.cells
        ],
    }


def _facts(figure: Figure | None) -> dict[str, float] | None:
    return asdict(figure) if figure else None


if __name__ == "__main__":
    main()
