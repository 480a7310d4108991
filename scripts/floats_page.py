"""What float arithmetic does to the promise, measured; writes the figures of docs/floats.md.

    python scripts/floats_page.py

Words that are chosen directly are drawn by comparing sums of weights with uniform numbers,
multiples of 2⁻⁵³. Which of these lead to which word is found by halving, on the program
itself, so its law is counted and not estimated. Beside it stands the law that the mathematics
asks for, in decimal arithmetic of 60 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume import Laplace, NoisyNearest, Table, seeded
from nomdeplume.mechanism.custext import CusText
from nomdeplume.mechanism.diffractor import Diffractor
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.santext import SanText
from nomdeplume.mechanism.scores import Truncated
from nomdeplume.mechanism.syntf import SynTf
from nomdeplume.noise import to_grid

PAGE = Path(__file__).parents[1] / "docs" / "floats.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
STEPS = 1 << 53  # of a uniform number
DIGITS = 60
LIKELY = Decimal(2) ** -30  # chances that ratios are taken of
CLOSE = 10  # nats, of promises that are looked at by themselves
ASKED = 6  # words that are compared, at most

Rows = list[list[Decimal]]
Ids = NDArray[np.int64]


def table(places: Sequence[Sequence[float]], name: str) -> Table:
    words = [f"w{number:03}" for number in range(len(places))]
    return Table(words, np.array(places, dtype=np.float32), name=name)


NEAR = table([[0, 0], [0.75, 1], [-1, 0], [2, 2.5], [3, 4], [0.5, -0.25]], "near")
FAR = table([[0.0, 0], [1, 0], [2, 0], [30, 0], [60, 0]], "far")
MANY = table([[i % 12 / 4, i // 12 / 2] for i in range(70)], "many")  # more than a tile
MAKERS: dict[str, Callable[[Table], Any]] = {
    "exponential": lambda where: Exponential.of(where, 1.0),
    "tem": lambda where: Exponential.of(where, 1.0, score=Truncated()),
    "santext+": lambda where: SanText(where, 1.0, share=0.2),
    "syntf": lambda where: SynTf(where, 8.0),
    "custext": lambda where: CusText(where, 4.0),
}


class Given:
    """Stands in for a generator: its uniform numbers are those that it is given."""

    def __init__(self, *uniforms: Any) -> None:
        self._left = [np.asarray(each, dtype=np.float64) for each in uniforms]

    def random(self, shape: Any) -> NDArray[np.float64]:
        return self._left.pop(0).reshape(shape)


def released(mechanism: Any, ids: Ids, first: Ids, second: Ids) -> Ids:
    """What is released for uniform numbers of so many steps: of a tile, and within it."""
    uniforms = first / STEPS, second / STEPS
    if isinstance(mechanism, CusText):
        return np.asarray(mechanism.release(ids, Given(uniforms[1])))  # type: ignore[arg-type]
    both = Given(np.stack(uniforms))
    if isinstance(mechanism, SanText):
        return np.asarray(mechanism.inner.choice.draw(ids, both))  # type: ignore[arg-type]
    return np.asarray(mechanism.release(ids, both))


def counted(goes: Callable[[Ids], Ids], count: int) -> list[int]:
    """How many steps lead to each of `count` places, which steps reach in ascending order."""
    low, high = np.zeros(count, dtype=np.int64), np.full(count, STEPS)
    while (low < high).any():  # the first step that leads beyond each place
        middle = (low + high) // 2
        beyond = goes(np.minimum(middle, STEPS - 1)) > np.arange(count)
        high, low = np.where(beyond, middle, high), np.where(beyond, low, middle + 1)
    ends = np.minimum(low, STEPS).tolist()
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


def drawn(mechanism: Any, word: int) -> list[Fraction]:
    """The law by which a word is really released: numbers of steps."""
    n = len(mechanism.table)
    where = _answers(mechanism)
    tiles = -(-len(where) // 64)
    found = [Fraction(0)] * n

    def places(first: Ids, second: Ids) -> Ids:
        ids = np.full(len(first), word)
        return np.searchsorted(where, released(mechanism, ids, first, second))

    ahead = 0
    sizes = counted(lambda steps: places(steps, 0 * steps) // 64, tiles)
    for tile, size in enumerate(sizes):
        if not size:
            continue
        some, at, start = where[64 * tile :][:64], ahead, 64 * tile
        within = counted(lambda s, a=at, b=start: places(0 * s + a, s) - b, len(some))  # type: ignore[misc]
        for answer, steps in zip(some.tolist(), within, strict=True):
            found[answer] = Fraction(size, STEPS) * Fraction(steps, STEPS)
        ahead += size
    return _kept(mechanism, word, found)


def _answers(mechanism: Any) -> Ids:
    if isinstance(mechanism, SanText):
        return mechanism.covered
    return np.arange(len(mechanism.table))


def _kept(mechanism: Any, word: int, found: list[Fraction]) -> list[Fraction]:
    """SanText+ keeps a common word if a first uniform number is not below p."""
    if not isinstance(mechanism, SanText) or word in mechanism.covered:
        return found
    again = Fraction(-(-Fraction(mechanism.p) * STEPS // 1), STEPS)
    found = [again * chance for chance in found]
    found[word] += 1 - again
    return found


def exact(mechanism: Any, word: int) -> list[Decimal]:
    """The law that the mathematics asks for, with the parameters that the program found."""
    if isinstance(mechanism, SanText):
        law = _law(mechanism, word, mechanism.covered.tolist())
        if word in mechanism.covered:
            return law
        p = Decimal(mechanism.p)
        return [p * chance + (1 - p) * (y == word) for y, chance in enumerate(law)]
    return _law(mechanism, word, list(range(len(mechanism.table))))


def _law(mechanism: Any, word: int, answers: list[int]) -> list[Decimal]:
    logs = {y: _log_weight(mechanism, word, y) for y in answers}
    weights = {y: log.exp() for y, log in logs.items()}
    total = sum(weights.values(), start=Decimal(0))
    return [weights.get(y, Decimal(0)) / total for y in range(len(mechanism.table))]


def _log_weight(mechanism: Any, x: int, y: int) -> Decimal:
    where = mechanism.table
    if isinstance(mechanism, SynTf):
        return -Decimal(mechanism.epsilon) / 4 * (1 - _cosine(where, x, y))
    if isinstance(mechanism, CusText):
        farthest = max(apart(where, x, other) for other in range(len(where)))
        return -Decimal(mechanism.epsilon) / 2 * apart(where, x, y) / farthest
    chosen = mechanism.inner if isinstance(mechanism, SanText) else mechanism
    distance = apart(where, x, y)
    gamma = chosen.choice.score.settings.get("gamma")
    return -Decimal(chosen.a) * (distance if gamma is None else min(distance, Decimal(gamma)))


def apart(where: Table, x: int, y: int) -> Decimal:
    one, two = ([Decimal(float(v)) for v in where.vectors[i]] for i in (x, y))
    return sum(((a - b) ** 2 for a, b in zip(one, two, strict=True)), start=Decimal(0)).sqrt()


def _cosine(where: Table, x: int, y: int) -> Decimal:
    rows = []
    for i in (x, y):
        row = [Decimal(float(v)) for v in where.vectors[i]]
        length = sum((v * v for v in row), start=Decimal(0)).sqrt()
        rows.append([v / length for v in row] if length else [Decimal(1), *[Decimal(0)] * 9])
    return sum((a * b for a, b in zip(*rows, strict=False)), start=Decimal(0))


@dataclass(frozen=True)
class Figures:
    """How far the law of the program is from what is asked for, and from what is promised."""

    name: str
    where: str
    ratio: float  # largest |ln| of a chance over what it should be, of likely words
    excess: float  # largest loss beyond what is promised, nats, of likely words
    close: float  # least δ at which promises of up to 10 nats hold, for all words
    delta: float  # the same of all promises
    never: float  # largest chance of a word that never comes out though it should
    loss: float  # largest promise


def measured(name: str, where: Table) -> Figures:
    """All pairs of the first words, and all words that can come out."""
    mechanism = MAKERS[name](where)
    words, guarantee = range(min(len(where), ASKED)), mechanism.guarantee
    answers = range(len(where))
    with localcontext() as context:
        context.prec = DIGITS
        due = [exact(mechanism, word) for word in words]
        got = [[_decimal(chance) for chance in drawn(mechanism, word)] for word in words]
        ratio = max(
            abs((q / p).ln()) for P, Q in zip(due, got, strict=True)
            for p, q in zip(P, Q, strict=True) if p >= LIKELY
        )  # fmt: skip
        ids = np.arange(len(where))
        places = guarantee.metric.places(where.vectors[ids].astype(np.float64), ids)
        away = guarantee.metric.apart(places, places)
        excess, close, delta, most = Decimal("-Infinity"), Decimal(0), Decimal(0), 0.0
        for x in words:
            for y in words:
                if x == y or not np.isfinite(away[x, y]):
                    continue
                promised = _promised(mechanism, where, x, y)
                most = max(most, float(promised))
                one, two = got[x], got[y]
                likely = [i for i in answers if min(due[x][i], due[y][i]) >= LIKELY]
                excess = max([excess, *((one[i] / two[i]).ln() - promised for i in likely)])
                factor = promised.exp()
                over = (max(Decimal(0), one[i] - factor * two[i]) for i in answers)
                added = sum(over, start=Decimal(0))
                delta = max(delta, added)
                close = max(close, added) if promised <= CLOSE else close
        lost = [
            p for P, Q in zip(due, got, strict=True) for p, q in zip(P, Q, strict=True) if not q
        ]
        never = max(lost, default=Decimal(0))
    found = [float(each) for each in (ratio, excess, close, delta, never, most)]
    return Figures(name, where.name, *found)


def _promised(mechanism: Any, where: Table, x: int, y: int) -> Decimal:
    """ε times the distance, exactly."""
    epsilon = Decimal(mechanism.guarantee.epsilon)
    if isinstance(mechanism, SynTf | CusText):
        return epsilon
    limit = getattr(mechanism.guarantee.metric, "limit", None)
    distance = apart(where, x, y)
    return epsilon * (distance if limit is None else min(distance, Decimal(limit)))


def _decimal(chance: Fraction) -> Decimal:
    return Decimal(chance.numerator) / Decimal(chance.denominator)


def lists(where: Table = FAR, epsilon: float = 0.5) -> float:
    """The largest |ln| of a chance that Diffractor states over what it should be."""
    mechanism = Diffractor(where, epsilon, lists=3)
    words, stated = range(len(where)), mechanism.channel(np.arange(len(where)))
    last = len(where) - 1
    with localcontext() as context:
        context.prec = DIGITS
        a, worst = (-Decimal(epsilon)).exp(), Decimal(0)
        for x in words:
            for y in words:
                due = Decimal(0)
                for place in mechanism.positions.T.tolist():
                    inside = 1 if place[y] in (0, last) else 1 - a
                    due += a ** abs(place[x] - place[y]) * inside
                due /= mechanism.lists * (1 + a)
                worst = max(worst, abs((Decimal(float(stated[x, y])) / due).ln()))
    return float(worst)


@dataclass(frozen=True)
class OnGrid:
    """What rounding to the public grid does, on a line."""

    step: float
    moved: float  # largest change of a loss between two words, nats
    excess: float  # largest loss beyond what is promised, with the grid
    before: tuple[float, float]  # share of noisy numbers with digits too fine for the other word
    after: tuple[float, float]  # the same once on the grid


def on_grid(epsilon: float = 1.0, draws: int = 100_000) -> OnGrid:
    """Laplace noise on a line: cells end where the program decides, among points of the grid."""
    line = table([[0.0], [1.0], [1.5], [4.0]], "line")
    mechanism = NoisyNearest(line, Laplace(epsilon))
    step, places = mechanism.places.grid, line.vectors[:, 0].astype(np.float64)
    middles = (places[1:] + places[:-1]) / 2
    edges = [_edge(mechanism, float(middle), i, step) for i, middle in enumerate(middles)]
    with localcontext() as context:
        context.prec = DIGITS
        plain = _losses(places, [Decimal(float(m)) for m in middles], epsilon)
        rounded = _losses(places, edges, epsilon)
        moved = max(abs(plain[pair] - rounded[pair]) for pair in plain)
        excess = max(
            rounded[i, j] - Decimal(epsilon) * Decimal(abs(float(places[i] - places[j])))
            for i, j in rounded
        )
    noisy = [mechanism.noise.add(np.full((draws, 1), x), seeded(5)) for x in (0.0, 4.0)]
    before = tuple(_fine(each) for each in noisy)
    after = tuple(_fine(to_grid(each, step)) for each in noisy)
    return OnGrid(step, float(moved), float(round(excess, 50)), before, after)  # type: ignore[arg-type]


def _edge(mechanism: NoisyNearest, middle: float, number: int, step: float) -> Decimal:
    """Where rounding changes from points of one cell to points of the next."""
    points = (np.rint(middle / step) + np.arange(-4, 5)) * step
    words = mechanism.decode(points[:, None], seeded(1))
    first = points[np.argmax(words > number)]
    return Decimal(float(first)) - Decimal(step) / 2


def _losses(places: Any, edges: list[Decimal], epsilon: float) -> dict[tuple[int, int], Decimal]:
    """The largest log-ratio between any two words, over all that can come out."""
    rate = Decimal(epsilon)

    def below(x: Decimal, edge: Decimal) -> Decimal:
        away = rate * (edge - x)
        return 1 - (-away).exp() / 2 if away > 0 else away.exp() / 2

    laws = []
    for x in places:
        ends = [Decimal(0), *(below(Decimal(float(x)), edge) for edge in edges), Decimal(1)]
        laws.append([high - low for low, high in pairwise(ends)])
    words = range(len(laws))
    return {
        (i, j): max((p / q).ln() for p, q in zip(laws[i], laws[j], strict=True))
        for i in words for j in words if i != j
    }  # fmt: skip


def _fine(noisy: Any) -> float:
    """Share of numbers that are no multiple of 2⁻⁵²: sums with 4 that end near 0 all are."""
    near = noisy[np.abs(noisy) < 0.25]
    return float((near * 2.0**52 != np.rint(near * 2.0**52)).mean()) if len(near) else 0.0


SHOWN = [(name, where) for where in (NEAR, FAR) for name in MAKERS] + [("exponential", MANY)]


def rows() -> list[Figures]:
    return [measured(name, where) for name, where in SHOWN]


def block() -> str:
    """The figures of the page."""
    lines = [
        "| mechanism | words | largest promise | ratio | beyond | δ, near | δ, all | never |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in rows():
        cells = (each.ratio, each.excess, each.close, each.delta, each.never)
        shown = " | ".join(f"{value:.1e}" if value else "0" for value in cells)
        lines.append(f"| {each.name} | {each.where} | {each.loss:.3g} | {shown} |")
    grid = on_grid()
    lines += [
        "",
        "| on a line, ε = 1 | |",
        "|---|---|",
        f"| step of the grid | {grid.step:.1e} |",
        f"| largest change of a loss | {grid.moved:.1e} |",
        f"| largest loss beyond the promise | {grid.excess or 0:.1g} |",
        f"| numbers near 0 too fine for a sum with 4: from 0, from 4 | "
        f"{100 * grid.before[0]:.0f} %, {100 * grid.before[1]:.0f} % |",
        f"| the same on the grid | {100 * grid.after[0]:.0f} %, {100 * grid.after[1]:.0f} % |",
        f"| Diffractor's stated chances: ratio | {lists():.1e} |",
    ]
    return "\n".join(lines)


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(f"{text[:start]}\n{block()}\n{text[end:]}", encoding="utf-8")
    print(block())


if __name__ == "__main__":
    main()
