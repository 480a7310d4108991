"""What a word may become: its likeliest substitutes, and the chance that it stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nomdeplume.errors import InputError
from nomdeplume.mechanism import Mechanism
from nomdeplume.privacy.random import seeded
from nomdeplume.vocabulary import Vocabulary

TOP = 10
DRAWS = 4_000


@dataclass(frozen=True)
class Substitutes:
    """A public word, the chance that it stays, and the likeliest other words with theirs."""

    word: str
    unchanged: float
    likely: tuple[tuple[str, float], ...]
    draws: int  # 0 where chances are known exactly

    def __str__(self) -> str:
        others = ", ".join(f"{word} {share(chance)}" for word, chance in self.likely)
        return f"{self.word}: stays {share(self.unchanged)}; {others or 'nothing else'}"


def substitutes(
    mechanism: Mechanism,
    vocabulary: Vocabulary,
    words: Sequence[str],
    *,
    top: int = TOP,
    draws: int = DRAWS,
) -> list[Substitutes]:
    """What each of some kept words may become; by draws of a public stream if need be."""
    unknown = [word for word in words if word not in vocabulary]
    if unknown:
        raise InputError(
            f"words must be kept words of table {vocabulary.table.name}, in lower case and no "
            f"stop words; {len(unknown)} of {len(words)} are not."
        )
    told, found = mechanism.declaration.channel, []
    for word in words:
        ids = vocabulary.table.ids([word])
        if told:
            chances = told(ids)[0]
        else:
            released = mechanism.release(np.repeat(ids, draws), seeded(0))
            chances = np.bincount(released, minlength=len(vocabulary.table)) / draws
        stays = float(chances[ids[0]])
        chances[ids[0]] = 0
        best = np.argsort(-chances, kind="stable")[:top]
        pairs = [(vocabulary.table.words[i], float(chances[i])) for i in best if chances[i] > 0]
        found.append(Substitutes(word, stays, tuple(pairs), 0 if told else draws))
    return found


def share(value: float) -> str:
    """A share as a percentage of two digits or so: what is tiny is said to be."""
    if 0 < value < 5e-5:
        return "< .01 %"
    return f"{100 * value:.3g} %" if value >= 0.0995 else f"{100 * value:.2g} %"
