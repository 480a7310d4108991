"""Where words and bands stand: two columns, level block by block, with few crossings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from nomdeplume.flow import Flow, Move
from nomdeplume.picture.writing import ems

WIDTH, TOP = 860, 130  # of it all, and where the columns begin
LETTERS = 11.0, 16.0  # the smallest and the largest
MARGINS = 150.0, 260.0  # least and most that words get beside the bands
Node = tuple[int, str]  # side and word
Near = dict[Node, list[Node]]


@dataclass(frozen=True)
class Bar:
    """A word of one side: its height is its share of the text."""

    side: int
    word: str
    key: str
    share: Fraction
    middle: float
    height: float


@dataclass(frozen=True)
class Band:
    """A move: from a place on one bar to a place on another, as wide as its share."""

    move: Move
    ends: tuple[Bar, Bar]
    start: float
    end: float
    width: float


@dataclass(frozen=True)
class Layout:
    """Bars and bands in place, letters small enough for all rows, and the height of it all."""

    bars: tuple[Bar, ...]
    bands: tuple[Band, ...]  # as the moves of the flow
    letters: float
    margin: float
    height: float

    @classmethod
    def of(cls, flow: Flow) -> Layout:
        words = max(len({_ends(move)[side] for move in flow.moves}) for side in (0, 1))
        letters = min(LETTERS[1], max(LETTERS[0], 17 - words / 20))
        unit = min(8000.0, 160 + 0.85 * letters * words)  # height of a whole text without gaps
        bars = _bars(flow.moves, 1.35 * letters, unit)
        bands = _bands(flow.moves, bars, unit)
        low = max(bar.middle + max(bar.height, letters) / 2 for bar in bars.values())
        longest = letters * max(ems(bar.word) for bar in bars.values())
        margin = round(min(MARGINS[1], max(MARGINS[0], longest + 30)))
        return cls(tuple(bars.values()), bands, letters, margin, low + 24)

    @property
    def edges(self) -> tuple[float, float]:
        """Where bands start and end, from left to right."""
        return self.margin, WIDTH - self.margin

    @property
    def longest(self) -> float:
        return max(band.move.distance for band in self.bands)


def _ends(move: Move) -> tuple[Node, Node]:
    return (0, move.word), (1, move.becomes)


def _bars(moves: Sequence[Move], row: float, unit: float) -> dict[Node, Bar]:
    """A bar for each word; the shorter side of a block is spread over the other's height."""
    shares: defaultdict[Node, Fraction] = defaultdict(Fraction)
    near: defaultdict[Node, list[Node]] = defaultdict(list)
    for move in moves:
        one, other = _ends(move)
        for node, neighbour in ((one, other), (other, one)):
            shares[node] += move.share
            near[node].append(neighbour)
    slots = {node: max(row, unit * share + 4) for node, share in shares.items()}
    bars: dict[Node, Bar] = {}
    top = float(TOP)
    for block in _blocks(near):
        columns = [[node for node in block if node[0] == side] for side in (0, 1)]
        heights = [sum(slots[node] for node in column) for column in columns]
        for column, height in zip(columns, heights, strict=True):
            spare = (max(heights) - height) / len(column)
            y = top
            for node in column:
                slot, share = slots[node] + spare, shares[node]
                bars[node] = Bar(*node, f"w{len(bars)}", share, y + slot / 2, unit * share)
                y += slot
        top += max(heights)
    return bars


def _blocks(near: Near) -> Iterator[list[Node]]:
    """Words that moves join, block by block, in an order in which few bands cross.

    A cheapest plan can be a forest. A tree is walked from an end of its longest path,
    short branches first: where all branches are single words, no two bands cross.
    """
    seen: set[Node] = set()
    for start in near:
        if start not in seen:
            end = list(_reached(near, start))[-1]
            block = _walk(_reached(near, end))
            seen.update(block)
            yield block


def _reached(near: Near, root: Node) -> dict[Node, Node]:
    """What is joined to `root`, nearest first, each with the node from which it was reached."""
    parents, queue = {root: root}, [root]
    for node in queue:
        fresh = [other for other in dict.fromkeys(near[node]) if other not in parents]
        parents |= dict.fromkeys(fresh, node)
        queue += fresh
    return parents


def _walk(parents: dict[Node, Node]) -> list[Node]:
    """The nodes of a tree, each followed by its branches, short ones first."""
    root, *others = parents
    depth = dict.fromkeys(parents, 0)
    branches: defaultdict[Node, list[Node]] = defaultdict(list)
    for node in reversed(others):
        branches[parents[node]].append(node)
        depth[parents[node]] = max(depth[parents[node]], depth[node] + 1)
    order, stack = [], [root]
    while stack:
        order.append(node := stack.pop())
        stack += sorted(branches[node], key=depth.__getitem__, reverse=True)
    return order


def _bands(moves: Sequence[Move], bars: dict[Node, Bar], unit: float) -> tuple[Band, ...]:
    """A band for each move; along a bar they lie in the order of their other ends."""
    at: list[dict[int, float]] = [{}, {}]
    for side in (0, 1):
        edge = {node: bar.middle - bar.height / 2 for node, bar in bars.items()}
        others = [bars[_ends(move)[1 - side]].middle for move in moves]
        for i in sorted(range(len(moves)), key=others.__getitem__):
            node, width = _ends(moves[i])[side], unit * moves[i].share
            at[side][i] = edge[node] + width / 2
            edge[node] += width
    return tuple(
        Band(move, (bars[one], bars[other]), at[0][i], at[1][i], unit * move.share)
        for i, move in enumerate(moves)
        for one, other in [_ends(move)]
    )
