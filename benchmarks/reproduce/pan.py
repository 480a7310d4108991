"""How PAN-18 scores closed-set attribution: macro-averaged F1, problem by problem.

The rules of its cross-domain task: only authors that occur in the truth are averaged; a text
that is left out, or given to somebody else, is a wrong answer; a text whose author is none of
the candidates is no part of the score. All problems weigh the same, however large they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from statistics import fmean

UNKNOWN = "<UNK>"  # nobody of the candidates

Attribution = Mapping[Hashable, str]  # from a text's name to an author


def macro_f1(truth: Attribution, told: Attribution) -> float:
    """Mean of F1 over the authors of a problem that occur in its truth.

    F1 = 2·right / (own + given): harmonic mean of right/given and right/own, and 0 where an
    author is never right, also if nothing was given to them.
    """
    known = {text: author for text, author in truth.items() if author != UNKNOWN}
    if not known:
        raise ValueError("a problem needs a text by one of its candidates, got none.")
    own = Counter(known.values())
    given = Counter(told.get(text, UNKNOWN) for text in known)
    right = Counter(author for text, author in known.items() if told.get(text) == author)
    return fmean(2 * right[author] / (own[author] + given[author]) for author in own)


def overall(problems: Iterable[tuple[Attribution, Attribution]]) -> float:
    """Mean over problems, each a truth and what was told."""
    return fmean(macro_f1(truth, told) for truth, told in problems)
