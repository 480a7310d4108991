"""How much of topic and author stand-ins keep, beside the mean and the paper's mechanism.

    python benchmarks/standins.py ../shared/data [--draws 5] [--attackers full]

The private parts of benchmarks/public_parts.py are released from the library that ships, and from
libraries of the public parts: ranked by topics, and by clusters without topics. The
figures are those of `nomdeplume evaluate`: of its best attacker, of the informed one, and of the
best that learns from releases, without the ensemble that adds both. The corpora are not part of
this project.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import common
from nomdeplume.evaluate import Labelled, evaluate
from nomdeplume.evaluate.attackers import ENSEMBLE, INFORMED
from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.identification import DOCUMENTS
from nomdeplume.evaluate.results import Accuracy, Cell, Clean, accuracy
from nomdeplume.features.seen import among, mark, marks
from nomdeplume.library import Library, Passage
from nomdeplume.library.fitting import fitted
from nomdeplume.library.library import one_line
from nomdeplume.mechanism import Recipe
from public_parts import CORPORA, Record

ODDS = (100, 148)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--attackers", default="fast", help="fast or full, which takes hours")
    options = parser.parse_args()
    found: dict[str, Any] = {"draws": options.draws, "attackers": options.attackers}
    for name, parts in CORPORA.items():
        private, public, _ = parts(options.folder)
        with tempfile.TemporaryDirectory() as folder:
            libraries = _libraries(private, public, Path(folder))
            found[name] = _measured(private, libraries, options.draws, options.attackers)
    name = "standins" if options.attackers == "fast" else f"standins-{options.attackers}"
    common.record(name, found)


def _libraries(private: list[Record], public: list[Record], folder: Path) -> dict[str, str]:
    """Files of the libraries by name; the one that ships has none."""
    known = marks(mark(record["text"]) for record in private)
    distinct = {
        text: r for r in public if (text := one_line(r["text"])) and not among(mark(text), known)
    }
    passages = tuple(
        Passage(str(number), text, field=record["topic"])
        for number, (text, record) in enumerate(distinct.items())
        if text
    )
    plain, files = Library(passages, name="public"), {"shipped": ""}
    for kind in ("topics", "clusters"):
        files[kind] = str(folder / kind)
        made = replace(fitted(plain, kind), name=kind)
        Path(files[kind]).write_text(made.to_jsonl(), encoding="utf-8")
    return files


def _measured(
    records: list[Record], libraries: dict[str, str], draws: int, attackers: str
) -> dict[str, Any]:
    """Figures of clean texts, of the mean, of laplace, and of stand-ins from each library."""
    texts, authors, topics = (
        [record[field] for record in records] for field in ("text", "author", "topic")
    )
    named = {"mean": Recipe.usually("mean"), "laplace": Recipe.usually("laplace")}
    named |= {
        f"{name}, w = {odds}": Recipe("standin", odds, library=path)
        for name, path in libraries.items()
        for odds in ODDS
    }
    corpus = Labelled.of(texts, authors, topics)
    results = evaluate(corpus, list(named.values()), draws=draws, attackers=attackers)
    return {
        "authors": results.corpus.authors,
        "documents": results.corpus.documents,
        "chance": results.chance,
        "topic alone": results.floors and _facts(results.floors.topic_oracle),
        "clean": _told(results.clean),
        "releases": {name: _cell(cell) for name, cell in zip(named, results.cells, strict=True)},
    }


def _told(part: Clean | Cell) -> dict[str, Any]:
    """Topic accuracy, and author accuracy by the number of documents."""
    attackers = part.attackers if isinstance(part, Clean) else part.adaptive
    return {"topic": _facts(part.topic_accuracy), "author": _by_documents(attackers)}


def _by_documents(attackers: Mapping[str, Accuracy]) -> dict[str, Any]:
    """Figures of the best of some attackers by the number of documents."""
    return {str(count): _facts(accuracy(attackers, count)) for count in DOCUMENTS}


def _cell(cell: Cell) -> dict[str, Any]:
    """The same of releases by kinds of attackers, the ceiling, and more on topic and settings.

    `topic read` is the topic as a model of clean texts reads it.
    """
    read = cell.topic.clean_to_release.accuracy if cell.topic else None
    kinds = {
        "informed": {name: each for name, each in cell.adaptive.items() if name == INFORMED},
        "trained": {
            name: each for name, each in cell.adaptive.items() if name not in (INFORMED, ENSEMBLE)
        },
    }
    return {
        **_told(cell),
        **{kind: _by_documents(attackers) for kind, attackers in kinds.items()},
        "ceiling": cell.ceiling,
        "topic read": _facts(read),
        "settings": cell.certificate and cell.certificate["settings"],
    }


def _facts(figure: Figure | None) -> dict[str, float] | None:
    return asdict(figure) if figure else None


if __name__ == "__main__":
    main()
