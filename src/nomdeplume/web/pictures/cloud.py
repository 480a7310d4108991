"""A bag of words as a cloud: the more often a word occurs, the larger and more central it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from nomdeplume.picture.writing import ems, fit
from nomdeplume.web.pictures.paper import NARROW, WIDE, Box, svg, text

MOST = 80  # words that are shown
LINE, GAP = 1.1, 0.35  # height of a word and room beside it, in letters
EDGE = 6.0  # units left free all around
CELL = (6.0, 4.0)  # units: words stand on a grid
SHADES = (0.75, 0.5, 0.3)  # of the largest letters, above which a word is of the next colour


@dataclass(frozen=True)
class Sizes:
    """How wide a cloud is, what its words should cover, and its letters."""

    width: float
    area: float
    flat: float  # its height over its width, where it is free to choose
    least: float  # letters of the rarest words, at the least
    plain: float  # and at the most
    most: float  # letters of any word


SCREEN = Sizes(WIDE, 640 * 230, 0.45, 15, 32, 54)
PHONE = Sizes(NARROW, 360 * 300, 0.9, 12.5, 22, 36)


@dataclass(frozen=True)
class Placed:
    """A word in its place, with its letters."""

    word: str
    count: int
    letters: float
    box: Box


def cloud(counts: Mapping[str, int], *, label: str, narrow: bool = False) -> str:
    """The cloud of a bag; words beyond the commonest 80 are only counted."""
    sizes = PHONE if narrow else SCREEN
    placed = arranged(counts, sizes)
    left = len(counts) - len(placed)
    low = max((each.box.y + each.box.along for each in placed), default=0) + EDGE
    more = f"and {left:,} more" if left else "" if placed else "no words"
    height = low + (2 * sizes.least if more else 0)
    foot = text((sizes.width / 2, height - EDGE - 2), more, "np-soft", letters=max(sizes.least, 13))
    return svg((sizes.width, height), _label(label, placed, len(counts)), [
        *_words(placed), foot if more else "",
    ])  # fmt: skip


def _label(label: str, placed: list[Placed], words: int) -> str:
    first = ", ".join(f"{each.word} {each.count}" for each in placed[:5])
    return f"{label}: {words:,} words" + (f", the commonest {first}" if placed else "")


def _words(placed: list[Placed]) -> list[str]:
    """Words in the colour of their count; those of one count are all plain."""
    most = max((each.count for each in placed), default=1)
    alike = all(each.count == most for each in placed)
    return [
        text(
            (each.box.x, each.box.y + 0.34 * each.letters),
            fit(each.word, each.box.across * 2 / each.letters - GAP + 0.01),
            "np-w2" if alike else f"np-w{_shade(each.count / most)}",
            letters=each.letters,
            title=f"{each.word}: {each.count}",
        )
        for each in placed
    ]


def _shade(part: float) -> int:
    return sum(part**0.5 < least for least in SHADES)


def arranged(counts: Mapping[str, int], sizes: Sizes) -> list[Placed]:
    """The commonest words, each at the free place nearest to the middle, largest first."""
    chosen = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST]
    if not chosen:
        return []
    letters = _letters(chosen, sizes)
    most = int((sizes.width - 2 * EDGE) / CELL[0])
    cells = [
        (ceil(LINE * size / CELL[1]), min(most, ceil((ems(word) + GAP) * size / CELL[0])))
        for (word, _), size in zip(chosen, letters, strict=True)
    ]
    corners = _packed(cells, most, sizes.flat)
    first = min(row for row, _ in corners)
    left = (sizes.width - most * CELL[0]) / 2
    return [
        Placed(
            word,
            count,
            size,
            Box(
                left + CELL[0] * (column + across / 2),
                EDGE + CELL[1] * (row - first + high / 2),
                CELL[0] * across / 2,
                CELL[1] * high / 2,
            ),
        )
        for (word, count), size, (row, column), (high, across) in zip(
            chosen, letters, corners, cells, strict=True
        )
    ]


def _letters(chosen: list[tuple[str, int]], sizes: Sizes) -> list[float]:
    """Letters as the roots of counts, as large as the area allows; large ones give way first."""
    rarest = chosen[-1][1]
    roots = np.sqrt([count / rarest for _, count in chosen])
    wide = np.array([ems(word) + GAP for word, _ in chosen]) * LINE
    unit = float(np.clip(sqrt(sizes.area / (wide @ roots**2)), sizes.least, sizes.plain))
    letters = np.minimum(sizes.most, unit * roots)
    for most in np.arange(sizes.most, 2 * unit, -2.0):
        letters = np.minimum(most, unit * roots)
        if wide @ letters**2 <= sizes.area:
            break
    return [float(each) for each in letters]


def _packed(cells: list[tuple[int, int]], columns: int, flat: float) -> list[tuple[int, int]]:
    """Top left cells of boxes that do not meet; as many rows as they turn out to need."""
    rows = max(high for high, _ in cells) + 2 * ceil(sum(h * a for h, a in cells) / columns)
    while (found := _within(cells, rows, columns, flat)) is None:
        rows *= 2
    return found


def _within(
    cells: list[tuple[int, int]], rows: int, columns: int, flat: float
) -> list[tuple[int, int]] | None:
    """The same in so many rows, None if there is no room.

    Sums of taken cells from the top left tell at once how many are taken in any box: each
    box goes where none is, nearest to the middle.
    """
    sums = np.zeros((rows + 1, columns + 1), dtype=np.int32)
    down, right = (np.arange(n + 1, dtype=np.int32) for n in (rows, columns))
    found = []
    for high, across in cells:
        inside = sums[high:, across:] + sums[:-high, :-across]
        inside -= sums[high:, :-across]
        inside -= sums[:-high, across:]
        y = CELL[1] / flat * (down[: rows - high + 1] + (high - rows) / 2)
        x = CELL[0] * (right[: columns - across + 1] + (across - columns) / 2)
        far = np.where(inside == 0, (y**2)[:, None] + x**2, np.inf)
        row, column = (int(each) for each in np.unravel_index(far.argmin(), far.shape))
        if far[row, column] == np.inf:
            return None
        found.append((row, column))
        sums += np.outer(np.clip(down - row, 0, high), np.clip(right - column, 0, across))
    return found
