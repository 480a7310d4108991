"""From bags, or texts, to released words: batch after batch, in this process or in several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.random import Generator

from nomdeplume.bag import Bag, Item
from nomdeplume.devices import choose, chosen, on
from nomdeplume.errors import InputError, PlumeError
from nomdeplume.mechanism.contract import DocumentMechanism, Released
from nomdeplume.privacy.random import is_private, secure, seeded
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.workers import ahead
from nomdeplume.workers.isolate import isolated

SIGNS = 1 << 20  # of the texts that a worker gets together, about
LOST = "it could not be released, tried by itself twice."


@dataclass(frozen=True, eq=False)
class Releasing:
    """How bags and texts become released words."""

    vocabulary: Vocabulary
    mechanism: DocumentMechanism

    def here(self, items: Iterable[Item], rng: Generator) -> Iterator[Released]:
        """Batch after batch in this process, while the caller reads the next and uses the last."""
        batches = _by_count(map(self.item, items), self._together(rng))
        for released in ahead(lambda batch: self.batch(batch, rng), batches):
            yield from released

    def in_workers(
        self, items: Iterable[Item], rng: Generator, workers: int
    ) -> Iterator[Released | None]:
        """Batch after batch in worker processes, each with a key of its own.

        If `rng` is not private, it gives a seed, of which each batch has a stream by its
        number: what comes out is then the same, however many workers there are. Nothing comes
        out for what fails, or ends its worker, even by itself.
        """
        from nomdeplume.workers import Pool  # which few runs need

        job = Job.of(self, rng)
        self.prepare()
        with Pool(job, workers) as pool:
            for released in pool.map(job.batches(items), name=Batch.called):
                yield from released

    def prepare(self) -> None:
        """Make what workers can share."""
        with on("cpu"):
            self.batch([""], seeded(0))

    def _together(self, rng: Generator) -> int:
        """Documents of a batch."""
        return self.mechanism.many if is_private(rng) else self.mechanism.batch

    def item(self, item: Item) -> Item:
        """A bag, or what the mechanism needs of a text."""
        if isinstance(item, Bag):
            return item
        if not isinstance(item, str):
            raise InputError(f"a text must be a string, got {type(item).__name__}.")
        return self.mechanism.item(item)

    def batch(self, items: Sequence[Item], rng: Generator) -> list[Released]:
        """Some of them, released together; all are refused if one must be."""
        return self.mechanism.release(list(map(self.item, items)), rng)


@dataclass(frozen=True)
class Batch:
    """Some bags or texts, and their number among all batches."""

    number: int
    items: list[Item]
    before: int  # documents in batches before

    def called(self) -> str:
        """By position: nothing of a text is in its name."""
        return f"documents {self.before + 1:,} to {self.before + len(self.items):,}"


@dataclass(frozen=True, eq=False)
class Job:
    """What a worker does with a batch. It is sent without any generator."""

    releasing: Releasing
    seed: int | None = None

    @classmethod
    def of(cls, releasing: Releasing, rng: Generator) -> Job:
        """With a seed that `rng` gives, unless it is private."""
        seed = None if is_private(rng) else int(rng.integers(2**64, dtype=np.uint64))
        return cls(releasing, seed)

    def __call__(self, batch: Batch) -> list[Released | None]:
        rng = self._secure if self.seed is None else seeded(self.seed, batch.number)
        return isolated(lambda items: self.releasing.batch(items, rng), batch.items)

    def again(self, batch: Batch) -> list[Released | None]:
        """The same, in a process that may end in place of this one."""
        from nomdeplume.workers import Pool

        with Pool(self, 1, tries=1) as child:

            def one(items: Sequence[Item]) -> list[Released | None]:
                return next(child.map([replace(batch, items=list(items))], name=Batch.called))

            return isolated(one, batch.items)

    def batches(self, items: Iterable[Item], number: int = 1) -> Iterator[Batch]:
        """So many together as suits a worker, or fewer long texts; numbered from `number` on."""
        mechanism = self.releasing.mechanism
        most = mechanism.many if self.seed is None else mechanism.batch
        return _batches(items, min(most, mechanism.per_worker), number)

    @cached_property
    def _secure(self) -> Generator:
        """Keyed by the operating system in the process that asks."""
        return secure()

    def __getstate__(self) -> tuple[Releasing, int | None, str]:
        device = chosen()
        return self.releasing, self.seed, device if isinstance(device, str) else "auto"

    def __setstate__(self, state: tuple[Releasing, int | None, str]) -> None:
        releasing, seed, device = state
        choose(device)
        self.__dict__.update(releasing=releasing, seed=seed)


def _by_count(items: Iterable[Item], most: int) -> Iterator[list[Item]]:
    remaining = iter(items)
    while batch := list(islice(remaining, most)):
        yield batch


def complete(found: Iterable[Released | None]) -> Iterator[Released]:
    """What was released for every text; if there is nothing for one, that is an error."""
    for number, each in enumerate(found, start=1):
        if each is None:
            raise PlumeError(f"text {number:,}: {LOST}")
        yield each


def _batches(items: Iterable[Item], most: int, number: int) -> Iterator[Batch]:
    """So many together, or fewer long texts."""
    batch: list[Item] = []
    before = signs = 0
    for item in items:
        batch.append(item)
        signs += len(item) if isinstance(item, str) else 0
        if len(batch) == most or signs >= SIGNS:
            yield Batch(number, batch, before)
            number, before, signs, batch = number + 1, before + len(batch), 0, []
    if batch:
        yield Batch(number, batch, before)
