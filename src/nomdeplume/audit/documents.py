"""The flow instrument inside the document level: what noise is added to, and how far that moves.

A right mechanism adds noise to one point for each document, the mean of its words' features,
rounded to a public grid, and nothing else of the document goes further. So four things are
looked at: which points these are, whether any two of them are farther apart than words move,
whether documents change where the points are hidden, and whether words are composed from
points of the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit.bags import Ids, Words, bags_of, pairs_of_bags, some_bags
from nomdeplume.audit.finding import HELD, OPEN, Finding, observed
from nomdeplume.audit.inside import Watched, on_grid
from nomdeplume.audit.parts import Instead
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.bag import Bag
from nomdeplume.distance import Cloud, word_mover
from nomdeplume.distance.cloud import distances
from nomdeplume.mechanism.contract import NoisyMeans
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.random import seeded
from nomdeplume.table import Table

Floats = NDArray[np.float64]

SIZE = 3  # words of a document: enough to see what noise it is made of
LEAST = 0.5  # seconds to look for two words
ROWS = 64  # words that are compared with all others at a time
DIGITS = 1e-9  # of a distance, which rounding may add
FLOAT32 = 2.0**-22  # of the largest feature, which rounding to float32 may change
UNWATCHED = "there is no noise to watch"


@dataclass(frozen=True, eq=False)
class Inside:
    """A mechanism of documents, inside its system if there is one, and its noise watched."""

    mechanism: NoisyMeans
    system: Obfuscator | None
    kept: Ids

    @property
    def table(self) -> Table:
        return self.mechanism.table

    @cached_property
    def steepest(self) -> Steepest:
        return Steepest(self)

    def release(self, bags: Sequence[Ids], rng: Generator) -> list[tuple[str, ...]]:
        """The words of the document of each bag of ids, through all that there is."""
        if self.system is None:
            noisy = self.mechanism.noisy([Bag.from_ids(ids) for ids in bags], rng)
            released = self.mechanism.compose(noisy, SIZE, rng)
            return [tuple(self.table.words[i] for i in row) for row in released.tolist()]
        texts = [" ".join(self.table.words[i] for i in ids.tolist()) for ids in bags]
        return [document.words for document in self.system(texts, rng)]

    def watched(self, *, blind: bool) -> tuple[Inside, list[Floats]]:
        """The same with its noise watched, and what was added to."""
        noise = Watched(self.mechanism.noise, blind)
        return self._around(self.mechanism.under(noise)), noise.seen

    def composing(self) -> tuple[Inside, list[Floats]]:
        """Return a copy with a watched composer, and the list of points it composes words from."""
        seen = list[Floats]()

        def compose(noisy: Floats, size: int, rng: Generator) -> Ids:
            seen.append(noisy)
            return self.mechanism.compose(noisy, size, rng)

        spied: Any = Instead(self.mechanism, {"compose": compose})
        return self._around(spied), seen

    def _around(self, spied: NoisyMeans) -> Inside:
        system = self.system and replace(self.system, mechanism=spied, size=SIZE)
        return replace(self, mechanism=spied, system=system)

    def seen(self, bags: Sequence[Ids], rng: Generator) -> Floats | None:
        """What noise is added to for each bag, (n, m), if it is to one point each."""
        spied, seen = self.watched(blind=False)
        spied.release(bags, rng)
        points = np.concatenate(seen) if seen else np.empty((0, 1))
        return points if len(points) == len(bags) else None


def of_means(inside: Inside) -> Probe:
    """Noise is added to the mean features that a certificate speaks of, computed another way."""
    question = "noise is added to the mean of the words' features"

    def ask(share: Share) -> Finding:
        bags = some_bags(Words(inside.table, inside.kept))
        seen = inside.seen(bags, share.rng)
        if seen is None:
            return Finding("flow", question, OPEN, f"not once to each of {len(bags)} documents")
        if "stretch" not in inside.mechanism.settings:
            return Finding("flow", question, OPEN, "it does not say what its map is divided by")
        due, reach = _means(inside.mechanism, bags)
        alike = seen.shape == due.shape
        off = (np.abs(seen - due) > FLOAT32 * reach).any(axis=1).sum() if alike else len(due)
        if not off:
            return observed(question, "all digits that features have", holds=True, samples=len(due))
        evidence = f"to others than it states in {off} of {len(due)} documents"
        if inside.system is None:  # no certificate says so, and the next questions decide
            return Finding("flow", question, OPEN, evidence, len(due))
        return observed(question, evidence, holds=False, samples=len(due))

    return Probe(question, ask, 0.2)


def _means(mechanism: NoisyMeans, bags: Sequence[Ids]) -> tuple[Floats, float]:
    """Means of features over the stated stretch, word by word, and the largest feature."""
    stated = float(mechanism.settings["stretch"])
    distinct = np.unique(np.concatenate(bags))
    features = _features(mechanism, distinct)
    at = dict(zip(distinct.tolist(), features / stated, strict=True))
    due = np.zeros((len(bags), features.shape[1]))
    for n, ids in enumerate(bags):
        for i in ids.tolist():
            due[n] += at[i] / len(ids)
    return due, float(np.abs(features).max(initial=0.0)) / stated


def _features(mechanism: NoisyMeans, ids: Ids) -> Floats:
    """What the map makes of some words, from their vectors if it can: else it says so itself."""
    table, image = mechanism.table, mechanism.image
    vectors = table.vectors[ids].astype(np.float64)
    if image is None:
        return vectors
    if callable(image):
        return np.asarray(image(vectors), dtype=np.float64)
    return image.over(table).vectors[ids].astype(np.float64)


class Steepest:
    """The two words whose points are farthest apart for their distance, as far as time goes.

    Every word that is looked at is compared with all others. A word's steepest partner is
    looked at next: that soon climbs to pairs that no chance would meet.
    """

    def __init__(self, inside: Inside) -> None:
        self._inside, self.pair = inside, np.empty(0, dtype=np.int64)
        self.slope, self.looked, self.words = -1.0, 0, len(inside.kept)

    def __call__(self, share: Share) -> Steepest:
        if self.slope < 0:
            self._search(share)
        return self

    def _search(self, share: Share) -> None:
        kept, table = self._inside.kept, self._inside.table
        spied, seen = self._inside.watched(blind=False)
        one = np.ones(1, dtype=np.int64)
        spied.mechanism.noisy([Bag(kept[i : i + 1], one) for i in range(len(kept))], share.rng)
        points = np.concatenate(seen) if seen else np.empty((0, 1))
        if len(points) != len(kept):
            return
        vectors = table.vectors[kept].astype(np.float64)
        end = monotonic() + max(LEAST, share.seconds)
        left = np.random.default_rng(0).permutation(len(kept))
        rows, done = left[:0], np.zeros(len(kept), dtype=bool)
        while self.looked == 0 or monotonic() < end:
            climbed = rows[~done[rows]]
            rows = climbed if len(climbed) else left[~done[left]][:ROWS]
            if not len(rows):
                return
            slopes = _slopes(vectors, points, rows)
            done[rows], self.looked = True, self.looked + len(rows)
            partners, best = slopes.argmax(axis=1), slopes.max(axis=1)
            if best.max() > self.slope:
                self.slope = float(best.max())
                self.pair = kept[[rows[best.argmax()], partners[best.argmax()]]]
            rows = np.unique(partners)


def _slopes(vectors: Floats, points: Floats, rows: Ids) -> Floats:
    """How far the points of some words are from all others, over how far the words are.

    Words at one place must have one point; if not, nothing bounds it.
    """
    rise, away = (distances(each[rows], each) for each in (points, vectors))
    with np.errstate(divide="ignore"):
        return np.divide(rise, away, out=np.zeros_like(rise), where=rise > 0)


def of_stretch(inside: Inside) -> Probe:
    """No two words are brought farther apart by the map than they are: for documents of one."""
    question = "no two words are farther apart in the features"

    def ask(share: Share) -> Finding:
        found = inside.steepest(share)
        if found.slope < 0:
            return Finding("flow", question, OPEN, UNWATCHED)
        few = found.looked < found.words
        which = f"{found.looked:,} of {found.words:,} words against all" if few else "all pairs"
        evidence = f"{found.slope:.7f} of their distance at most, {which}"
        held = found.slope <= 1 + DIGITS
        return observed(question, evidence, holds=held, samples=found.looked * found.words)

    return Probe(question, ask)


def of_moves(inside: Inside) -> Probe:
    """Whatever two bags: what noise is added to is no farther apart than their words move."""
    question = "means are no farther apart than words move"

    def ask(share: Share) -> Finding:
        words = Words(inside.table, inside.kept, inside.steepest(share).pair)
        pairs = pairs_of_bags(words)
        seen = inside.seen([bag for _, *both in pairs for bag in both], share.rng)
        if seen is None:
            found = f"noise is not added once to each of {2 * len(pairs)} documents"
            return Finding("flow", question, OPEN, found)
        apart = np.linalg.norm(seen[0::2] - seen[1::2], axis=1)
        moved = np.array([_moved(inside.table, x, y) for _, x, y in pairs])
        slack = DIGITS * moved + 1e-12 * float(np.abs(seen).max(initial=0.0))
        beyond = apart - moved - slack
        worst = int(beyond.argmax())
        if beyond[worst] <= 0:
            share_of = float((apart[moved > 0] / moved[moved > 0]).max(initial=0.0))
            said = f"{len(pairs)} pairs of texts, {100 * share_of:.1f} % of W₁ at most"
            return Finding("flow", question, HELD, said, len(pairs))
        times = f"{apart[worst]:.3g} apart where words move {moved[worst]:.3g}"
        said = f"{int((beyond > 0).sum())} of {len(pairs)} pairs: {pairs[worst][0]}, {times}"
        return observed(question, said, holds=False, samples=len(pairs))

    return Probe(question, ask, 0.5)


def _moved(table: Table, x: Ids, y: Ids) -> float:
    bags = map(Bag.from_ids, (x, y))
    one, two = (Cloud(table.vectors[bag.ids].astype(np.float64), bag.counts) for bag in bags)
    return word_mover(one, two)


def of_interference(inside: Inside) -> Probe:
    """Where noise is around 0 whatever a text says, the same documents come out under one stream.

    Texts of other words, of other lengths, and of the words that came out.
    """
    question = "what follows the noise sees nothing else"

    def ask(_: Share) -> Finding:
        spied, seen = inside.watched(blind=True)
        words = Words(inside.table, inside.kept)
        bags = some_bags(words)
        same = [np.resize(inside.kept[:1], 2)] * len(bags)
        first, again = (spied.release(same, seeded(0)) for _ in "ab")
        if not seen:
            return Finding("flow", question, OPEN, UNWATCHED)
        if first != again:
            found = "it draws from another generator than it is given"
            return Finding("flow", question, OPEN, found)
        tried = [bags, bags_of(words, first), bags_of(words, [first[0]] * len(first))]
        unlike = sum(
            one != two
            for others in tried
            for one, two in zip(first, spied.release(others, seeded(0)), strict=True)
        )
        texts = len(tried) * len(bags)
        found = f"{unlike:,} of {texts:,} documents depend on the text"
        return observed(question, found, holds=not unlike, samples=texts)

    return Probe(question, ask, 0.3)


def of_grid(inside: Inside) -> Probe:
    """Words are composed of points of the public grid: others show the digits of the mean."""
    question = "words are composed from points of the public grid"

    def ask(share: Share) -> Finding:
        spied, seen = inside.composing()
        spied.release(some_bags(Words(inside.table, inside.kept)), share.rng)
        return on_grid(question, seen, inside.mechanism.reach)

    return Probe(question, ask, 0.1)
