"""Counts of fields among private texts, estimated from their stand-ins without bias."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from nomdeplume.errors import InputError
from nomdeplume.library.library import Library

NORMAL = 1.96  # deviations within which 95 % of estimates lie


@dataclass(frozen=True)
class Count:
    """The estimated number of private texts of a field, and about its 95 % interval.

    A text counts for a field by the share of its k best passages that are of the field.
    """

    field: str
    released: int  # stand-ins of the field
    estimate: float
    low: float
    high: float


def counts(library: Library, texts: Iterable[str], *, best: int, odds: int) -> list[Count]:
    """The counts of all fields of a library, from released stand-ins at these odds.

    A stand-in is of field t with the probability ((w − 1)·|S(x) ∩ t| + |t|)/Z. So for C of n
    stand-ins of t, (Z·C − n·|t|)/(k·(w − 1)) is right on average (docs/proofs/standin.md).
    """
    seen = Counter(library.holding(text).field for text in texts)
    n, tickets = seen.total(), best * odds + len(library) - best
    if not n:
        raise InputError("the release holds no document.")
    scale = best * (odds - 1)
    found = []
    for field, size in library.fields.items():
        estimate = (tickets * seen[field] - n * size) / scale
        share = (seen[field] + 1) / (n + 2)  # never 0 or 1, so that no interval is a point
        wide = NORMAL * tickets * sqrt(n * share * (1 - share)) / scale
        low, high = (min(max(0.0, end), float(n)) for end in (estimate - wide, estimate + wide))
        found.append(Count(field, seen[field], estimate, low, high))
    return found
