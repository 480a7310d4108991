"""Short texts by authors who can be told apart."""

import json

import numpy as np

from nomdeplume.vocabulary import Vocabulary

EACH = 100  # words of each author, which others write seldom


def written_by(authors, table, count, *, own, common, first=""):
    """Lines of JSONL: each of so many texts has words of its author, and others of all.

    A `first` word, if there is one, begins every text.
    """
    rng, kept = np.random.default_rng(3), Vocabulary.given(table)
    words = np.array(table.words)[kept.ids[: EACH * (len(authors) + 1)]]
    lines = []
    for number in range(count):
        who = number % len(authors)
        his = words[EACH * who : EACH * (who + 1)]
        text = [*first.split(), *rng.choice(his, own), *rng.choice(words, common)]
        lines.append(json.dumps({"text": " ".join(text), "author": authors[who]}))
    return [f"{line}\n".encode() for line in lines]
