"""Records in, documents out: the flow over a whole input, in memory that does not grow with it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from nomdeplume.bag import Bag
from nomdeplume.errors import InputError
from nomdeplume.formats.reading import Inputs, Record, Withheld
from nomdeplume.formats.writing import Sink
from nomdeplume.obfuscator import Obfuscator


@dataclass
class Tally:
    """How many documents were released, and how many were not."""

    released: int = 0
    withheld: int = 0


def release(
    inputs: Inputs,
    sink: Sink,
    obfuscator: Obfuscator,
    rng: Generator,
    *,
    empty: str = "public",
    strict: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> Tally:
    """Release every record of `inputs` into `sink`; what cannot be read is told by its place.

    A text is let go as soon as it is a bag; only a batch of bags waits for release.
    """
    tally = Tally()
    waiting: deque[Mapping[str, Any]] = deque()

    def withhold(place: str, reason: str) -> None:
        if strict or inputs.kind == "text":
            raise InputError(f"{place}: {reason}")
        tally.withheld += 1
        tell(f"{place}: withheld: {reason}")

    def bags() -> Iterator[Bag]:
        for record in inputs.records:
            if isinstance(record, Withheld):
                withhold(record.place, record.reason)
                continue
            bag = _bag(record)
            if len(bag) or empty == "public":
                waiting.append(record.fields)
                yield bag
            else:
                tally.withheld += 1
                tell(f"{record.place}: withheld: no kept words.")

    def _bag(record: Record) -> Bag:
        if record.remark:
            tell(f"{record.place}: {record.remark}.")
        return obfuscator.vocabulary.bag(record.text)

    for words in obfuscator.release(bags(), rng):
        sink.write(" ".join(words), waiting.popleft())
        tally.released += 1
        advance()
    if not tally.released and not tally.withheld:
        raise InputError("the input holds no document.")
    return tally
