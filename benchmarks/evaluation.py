"""How strong are the attackers and the topic models on clean texts, beside published baselines?

    python benchmarks/evaluation.py ../shared/data [--attackers full]

Each corpus under the protocol that is stated with its baseline: authors with at least 20 posts
in five stratified folds, unseen books, a given split. The corpora are not part of this project.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

import common
from nomdeplume import Vocabulary
from nomdeplume.evaluate import Labelled
from nomdeplume.evaluate.evaluation import Evaluation

CORPORA: dict[str, dict[str, Any]] = {  # baselines: a word or a character SVM, as published
    "newsgroups_authors": {"least": 20, "author": 0.871, "topic": 0.855},
    "gutenberg": {"group": "pg", "author": 0.392, "topic": 0.728},
    "c50": {"split": "split", "author": 0.737},
    "r8": {"topic": 0.950},
}


def read(folder: Path, name: str, facts: dict[str, Any]) -> Labelled:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    labels = {
        kind: [record.get(facts.get(kind, kind)) for record in records] if kind in facts else None
        for kind in ("group", "split")
    }
    author, topic = (
        [record.get(kind) for record in records] if kind in facts else None
        for kind in ("author", "topic")
    )
    corpus = Labelled.of(
        [record["text"] for record in records],
        author,
        topic,
        groups=labels["group"],
        split=labels["split"],
    )
    return corpus.with_at_least(facts.get("least", 2))


def measured(corpus: Labelled, attackers: str) -> dict[str, Any]:
    started = monotonic()
    found = Evaluation.of(corpus, Vocabulary.given(None), attackers=attackers).run().clean
    author, topic = found.author(), found.topic_accuracy
    return {
        "documents": len(corpus),
        "author": author and asdict(author),
        "attacker": found.best() or None,
        "all": {name: each.accuracy[1].value for name, each in found.attackers.items()},
        "topic": topic and asdict(topic),
        "seconds": round(monotonic() - started, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--attackers", default="word-svm,mean-lda,char-svm,style")
    parser.add_argument("--corpora", default=",".join(CORPORA))
    given = parser.parse_args()
    results: dict[str, Any] = {}
    for name in given.corpora.split(","):
        facts = CORPORA[name]
        found = results[name] = measured(read(given.data, name, facts), given.attackers)
        for kind in ("author", "topic"):
            if found[kind]:
                value = found[kind]["value"]
                found[f"{kind}_baseline"] = facts[kind]
                ratio = value / facts[kind]
                print(f"{name:20} {kind:7} {value:.3f}  baseline {facts[kind]:.3f}  ×{ratio:.2f}")
        print(f"{'':20} {found['attacker']}: {found['all']}", file=sys.stderr)
    common.record("evaluation", results)


if __name__ == "__main__":
    main()
