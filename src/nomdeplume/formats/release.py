"""Records in, documents out: the flow over a whole input, in memory that does not grow with it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from nomdeplume.bag import Bag
from nomdeplume.errors import InputError
from nomdeplume.formats.records import Inputs, Record
from nomdeplume.formats.writing import Sink
from nomdeplume.obfuscator import Obfuscator


@dataclass
class Tally:
    """How many documents were released, how many were not, and what stands beside the words."""

    released: int = 0
    withheld: int = 0
    without_words: int = 0  # released as the public bag
    fields: tuple[str, ...] = ()  # of the first record


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

    def bags() -> Iterator[Bag]:
        for record in inputs.records:
            if isinstance(record, Record):
                bag = obfuscator.vocabulary.bag(record.text)
                if len(bag) or empty == "public":
                    tally.without_words += not len(bag)
                    tally.fields = tally.fields or tuple(record.fields)
                    waiting.append(record.fields)
                    yield bag
                else:
                    withhold(record.place, "no kept words.")
                if record.remark:
                    tell(f"{record.place}: {record.remark}.")
            elif strict or inputs.kind == "text":
                raise InputError(f"{record.place}: {record.reason}")
            else:
                withhold(record.place, record.reason)

    def withhold(place: str, reason: str) -> None:
        tally.withheld += 1
        tell(f"{place}: withheld: {reason}")

    for words in obfuscator.release(bags(), rng):
        sink.write(" ".join(words), waiting.popleft())
        tally.released += 1
        advance()
    if not tally.released and not tally.withheld:
        raise InputError("the input holds no document.")
    return tally
