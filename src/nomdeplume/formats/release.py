"""Records in, documents out: the flow over a whole input, in memory that does not grow with it.

But for units: of each value of a field one bag is held until all texts were read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from nomdeplume.bag import Bag
from nomdeplume.errors import InputError
from nomdeplume.formats.records import Inputs, Record
from nomdeplume.formats.units import Units
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
    units: Units | None = None,
    vectors: bool = False,
    workers: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> Tally:
    """Release every record of `inputs` into `sink`; what cannot be read is told by its place.

    A text is let go as soon as it is a bag, or was sent to one of the `workers`, which make
    bags then; only some batches wait for release. With `units` the bags of each are added
    up, and released when all are there.
    """
    tally = Tally()
    waiting: deque[tuple[Mapping[str, Any], str]] = deque()
    bag = obfuscator.vocabulary.bag

    def items() -> Iterator[Bag | str]:
        for record in inputs.records:
            if isinstance(record, Record):
                if units is None:
                    item = bag(record.text) if workers is None else record.text
                    yield from offered(item, record.fields, record.place)
                elif not units.add(record.fields, bag(record.text)):
                    reason = f"no value in field {units.name!r}."
                    if strict:
                        raise InputError(f"{record.place}: {reason}")
                    withhold(record.place, reason)
                if record.remark:
                    tell(f"{record.place}: {record.remark}.")
            elif strict or inputs.kind == "text":
                raise InputError(f"{record.place}: {record.reason}")
            else:
                withhold(record.place, record.reason)

        for number, (added, fields) in enumerate(units or (), start=1):
            yield from offered(added, fields, f"unit {number}")

    def offered(item: Bag | str, fields: Mapping[str, Any], place: str) -> Iterator[Bag | str]:
        if isinstance(item, str) or len(item) or empty == "public":
            waiting.append((fields, place))
            yield item
        else:
            withhold(place, "no kept words.")

    def withhold(place: str, reason: str) -> None:
        tally.withheld += 1
        tell(f"{place}: withheld: {reason}")

    for released in obfuscator.releases(items(), rng, workers=workers):
        fields, place = waiting.popleft()
        if not released.kept and empty != "public":
            withhold(place, "no kept words.")
            continue
        sink.write(released.text, fields, released.mean if vectors else None)
        tally.fields = tally.fields or tuple(fields)
        tally.released += 1
        tally.without_words += not released.kept
        advance()
    if not tally.released and not tally.withheld:
        raise InputError("the input holds no document.")
    return tally
