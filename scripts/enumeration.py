"""Every statement of the algebra of guarantees against the exact law, in a world of four words.

Writes docs/enumeration.md. Words lie on a line, where Laplace noise has a closed law, so
the loss between any two inputs is known and not estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume import Guarantee, Laplace, Table, Vocabulary
from nomdeplume.distance import Cloud
from nomdeplume.privacy.exact import bags, laplace_channel, law, loss
from nomdeplume.reduction import REDUCTIONS
from nomdeplume.text import StopWords

Floats = NDArray[np.float64]

PAGE = Path(__file__).parents[1] / "docs" / "enumeration.md"
EPSILON, SIZE = 1.0, 3
WORDS = ("apple", "pear", "river", "lake")
PLACES = np.array([0.0, 1.0, 1.5, 4.0])
PLANE = np.array([[0.0, 0.0], [1.0, 1.0], [1.5, -2.0], [4.0, 0.5]])
LINE = Table(WORDS, PLACES[:, None])
WORD = Laplace(EPSILON).guarantee
CHANNEL = laplace_channel(PLACES, EPSILON)
BAGS = list(bags(len(WORDS), SIZE))


@dataclass(frozen=True)
class Enumerated:
    """How many pairs of inputs were looked at, and the largest share of its promise any lost."""

    pairs: int
    spent: float
    proofs: tuple[str, ...]


def enumerated(guarantee: Guarantee, inputs: Iterable[Any], laws: Iterable[Floats]) -> Enumerated:
    """The exact loss of every ordered pair of inputs over what is promised for it.

    Where nothing may be lost, inputs must have one law.
    """
    known = list(zip(inputs, laws, strict=True))
    spent = []
    for (x, p), (y, q) in permutations(known, 2):
        promised, lost = guarantee.loss(x, y), loss(p, q)
        spent.append(lost / promised if promised else 0.0 if lost < 1e-12 else np.inf)
    return Enumerated(len(spent), max(spent), guarantee.proofs)


def cloud(bag: Iterable[int], vectors: Floats = PLACES[:, None]) -> Cloud:
    return Cloud.of(vectors[list(bag)])


def text(bag: Iterable[int]) -> str:
    return " ".join(WORDS[i] for i in bag)


def words() -> Enumerated:
    return enumerated(WORD, PLACES[:, None], CHANNEL)


def fixed_bags() -> Enumerated:
    laws = [law(CHANNEL, bag) for bag in BAGS]
    return enumerated(WORD.over_bags(SIZE), map(cloud, BAGS), laws)


def drawn(channel: Floats, size: int) -> Callable[[Iterable[int]], Floats]:
    """The law of a release of `size` draws from a bag: each is a draw from its mixture."""

    def of(bag: Iterable[int]) -> Floats:
        mixture = channel[list(bag)].mean(axis=0)
        return law(mixture[None], [0] * size)

    return of


def sampled_texts() -> Enumerated:
    laws = map(drawn(CHANNEL, SIZE), BAGS)
    return enumerated(WORD.over_samples(SIZE), map(cloud, BAGS), laws)


def reduced_texts() -> Enumerated:
    """Texts of three words, reduced to two by the program itself."""
    vocabulary = Vocabulary(LINE, StopWords("none", frozenset()))
    way = REDUCTIONS["apportion"]
    [promise] = way.guarantees(WORD, 2, vocabulary)
    given = [vocabulary.bag(text(bag)) for bag in BAGS]
    reduced = way.reduce(given, 2, vocabulary, np.random.default_rng(0))
    return enumerated(promise, map(text, BAGS), [law(CHANNEL, bag) for bag in reduced])


def kept_words() -> Enumerated:
    """Texts of three words of which pear is a stop word; only kept words are released."""
    vocabulary = Vocabulary(LINE, StopWords("pear", frozenset({"pear"})))
    *_, promise = REDUCTIONS["sample"].guarantees(WORD, SIZE, vocabulary)
    channel = laplace_channel(PLACES[vocabulary.ids], EPSILON, inputs=PLACES)
    kept = [[i for i in bag if i in vocabulary.ids] or [int(vocabulary.ids[0])] for bag in BAGS]
    return enumerated(promise, map(text, BAGS), map(drawn(channel, SIZE), kept))


def means() -> Enumerated:
    """Noise on the mean of a bag of one to three words, then the nearest word."""
    some = [bag for size in range(1, SIZE + 1) for bag in bags(len(WORDS), size)]
    middle = [PLACES[list(bag)].mean() for bag in some]
    laws = laplace_channel(PLACES, EPSILON, inputs=middle)
    return enumerated(WORD.over_means(), map(cloud, some), laws)


def authors() -> Enumerated:
    """Two documents of two words by each author, released one by one."""
    small = list(bags(len(WORDS), 2))
    pairs = list(product(small, repeat=2))
    laws = [np.outer(law(CHANNEL, one), law(CHANNEL, two)).ravel() for one, two in pairs]
    promise = WORD.over_bags(2).over_documents(2)
    return enumerated(promise, ([cloud(one), cloud(two)] for one, two in pairs), laws)


def releases() -> Enumerated:
    """One bag, released twice with fresh noise."""
    laws = [np.outer(law(CHANNEL, bag), law(CHANNEL, bag)).ravel() for bag in BAGS]
    return enumerated(WORD.over_bags(SIZE).over_releases(2), map(cloud, BAGS), laws)


def projections() -> Enumerated:
    """Words in the plane, noise on their shadows on a line, the nearest shadow."""
    direction = np.array([[0.6, -0.8]])
    channel = laplace_channel((PLANE @ direction.T).ravel(), EPSILON)
    promise = WORD.projected(direction).over_bags(SIZE)
    inputs = (cloud(bag, PLANE) for bag in BAGS)
    return enumerated(promise, inputs, [law(channel, bag) for bag in BAGS])


STATEMENTS: dict[str, tuple[str, str, Callable[[], Enumerated]]] = {
    "per word": ("ε · d", "laplace", words),
    "per fixed bag": ("N·ε · W₁", "bags", fixed_bags),
    "per sampled text": ("N·ε · W∞", "sampling", sampled_texts),
    "per reduced text": ("N·ε · W₁ after the reduction", "kept", reduced_texts),
    "restricted to kept words": ("N·ε · W∞ of what is kept", "kept", kept_words),
    "document level": ("E · W₁", "mean", means),
    "two documents of one author": ("N·ε · ΣW₁", "adding", authors),
    "two releases of one document": ("2·N·ε · W₁", "adding", releases),
    "after a projection": ("N·ε · W₁ before it", "contraction", projections),
}


def page() -> str:
    rows = []
    for name, (formula, proof, statement) in STATEMENTS.items():
        found = statement()
        held = "yes" if found.spent <= 1 + 1e-9 else "NO"
        link = f"[{proof}](proofs/{proof}.md)"
        rows.append(
            f"| {name} | {formula} | {found.pairs:,} | {held} | {found.spent:.4f} | {link} |"
        )
    return "\n".join(
        [
            "# The promises, enumerated",
            "",
            "*Made by `scripts/enumeration.py`; `tests/exact/test_promises.py` holds it to this.*",
            "",
            "A promise that holds by a mile may be wrong by a mile and nobody sees it. So every",
            "statement of the [algebra of guarantees](guarantee.md) is compared with the exact law",
            f"in a world of four words on a line (at {', '.join(f'{p:g}' for p in PLACES)}; ε = "
            f"{EPSILON:g}): over all bags of",
            "three words, all ordered pairs of them, and all that can come out. *Reached* is the",
            "largest share of its promise that any pair loses: 1 means that no smaller promise",
            "could be made.",
            "",
            "| statement | loss at most | pairs | held | reached | proof |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            "Reduced texts have three words and are brought to two; among texts of which *pear* is",
            "a stop word, those of pears alone are released as the public bag; the document level",
            "compares bags of one to three words with each other; an author has two documents of",
            "two words; the projection is one of the plane on a line, and its metric that of the",
            "plane. How the law is computed: [law](proofs/law.md).",
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))
