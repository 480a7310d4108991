"""What all charts are drawn with: a frame of two axes, marks, whiskers and reference lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil, sqrt

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.wording import name, safe_lines
from nomdeplume.picture.axis import Axis
from nomdeplume.picture.writing import safe

COLOURS, SHAPES, DASHES = 7, 6, 4  # they repeat at different places: 84 looks in all
HIT = 12  # px around a point that belong to it
SIZE = 5.5  # px, about half a mark's width


@dataclass(frozen=True)
class Frame:
    """The paper of a chart: its size and the axes upon it."""

    width: int
    height: int
    x: Axis
    y: Axis
    head: float = 16  # where it says what its upright axis is of

    def svg(self, label: str, parts: Iterable[str]) -> str:
        box = f'viewBox="0 0 {self.width} {self.height}"'
        drawn = "\n".join(parts)
        return f'<svg {box} class="chart" role="group" aria-label="{safe(label)}">\n{drawn}\n</svg>'

    def grid(
        self,
        names: tuple[str, str],
        write: tuple[Callable[[float], str], Callable[[float], str]],
        most: int = 6,
    ) -> Iterator[str]:
        """Levels and marks with their numbers, and what the two axes are of."""
        x, y = self.x, self.y
        for tick in y.ticks(most):
            at = y.at(tick)
            yield f'<path class="grid" d="M{x.start:g},{at:.1f}H{x.end:g}"/>'
            yield text(x.start - 7, at + 4, write[1](tick), "soft", "end")
        for tick in x.ticks(most):
            at = x.at(tick)
            yield f'<path class="tick" d="M{at:.1f},{y.start:g}v5"/>'
            yield text(at, y.start + 20, write[0](tick), "soft", "middle")
        yield f'<path class="axis" d="M{x.start:g},{y.start:g}H{x.end:g}"/>'
        yield text((x.start + x.end) / 2, self.height - 8, names[0], "", "middle")
        yield text(2, self.head, names[1], "", "start")


def share(value: float) -> str:
    """A share along an axis."""
    return f"{100 * value:g} %"


def brief(value: float) -> str:
    """A large number along an axis."""
    for unit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{sign}"
    return f"{value:g}"


def upto(values: Iterable[float]) -> float:
    """The end of an axis of shares that holds all values: a round number, 1 at most."""
    most = min(1.0, max(values, default=1.0))
    step = 0.2 if most > 0.5 else 0.1
    return min(1.0, max(0.1, step * ceil(most / step - 1e-9)))


def look(place: int) -> str:
    """Classes that give a mechanism its colour and its dashes."""
    return f"s{place % COLOURS} d{(place + place // COLOURS) % DASHES}"


def mark(place: int, x: float, y: float, size: float = SIZE) -> str:
    """A mark's outline: circle, square, triangle, diamond, triangle upside down, cross."""
    r, kind = size, place % SHAPES
    if kind == 0:
        return f"M{x - r:.1f},{y:.1f}a{r},{r} 0 1 0 {2 * r},0a{r},{r} 0 1 0 {-2 * r},0z"
    corners = {
        1: ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
        2: ((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
        3: ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
        4: ((0, 1.2), (1.15, -0.9), (-1.15, -0.9)),
        5: tuple((a * r_, b * r_) for a, b, r_ in _plus()),
    }[kind]
    return "M" + "L".join(f"{x + r * a:.1f},{y + r * b:.1f}" for a, b in corners) + "z"


def _plus() -> Iterator[tuple[float, float, float]]:
    """The corners of a cross on its side."""
    arm, turn = 0.42, sqrt(0.5)
    outline = ((-arm, -1.3), (arm, -1.3), (arm, -arm), (1.3, -arm), (1.3, arm), (arm, arm))
    half = [*outline, (arm, 1.3)]
    corners = [*half, *((-a, -b) for a, b in half[1:])][:-1]
    for a, b in corners:
        yield (a - b) * turn, (a + b) * turn, 1.0


def whiskers(frame: Frame, across: Figure | None, along: Figure | None) -> str:
    """The intervals of a point: one level, one upright; nothing where there is no width."""
    if across is None or along is None:
        return ""
    x, y = frame.x, frame.y
    parts = []
    if across.wide:
        parts.append(f"M{x.at(across.low):.1f},{y.at(along.value):.1f}H{x.at(across.high):.1f}")
    if along.wide:
        parts.append(f"M{x.at(across.value):.1f},{y.at(along.low):.1f}V{y.at(along.high):.1f}")
    return f'<path class="whisker" d="{"".join(parts)}"/>' if parts else ""


def point(at: tuple[float, float], parts: tuple[str, str], said: str, kind: str) -> str:
    """A mark and its whiskers that say their numbers, pointed at nearby or reached by keys."""
    shape, whisker = parts
    near = f'<circle class="hit" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{HIT}"/>'
    return (
        f'<g class="tip {kind}"><title>{safe_lines(said)}</title>{near}{whisker}'
        f'<path class="mark" d="{shape}"/></g>'
    )


def line(places: list[tuple[float, float]], kind: str) -> str:
    if len(places) < 2:
        return ""
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<path class="line {kind}" d="M{path}"/>'


def legend(mechanisms: dict[str, int], others: str = "") -> str:
    """Which mark is which mechanism; it stands in the page, so it wraps where it is narrow."""
    rows = "".join(
        f"<li>{glyph(place)}{name(title, 40)}</li>" for title, place in mechanisms.items()
    )
    return f'<ul class="legend">{rows}{others}</ul>'


def glyph(place: int) -> str:
    """A mechanism's line and mark, as small as a letter."""
    return (
        f'<svg class="glyph {look(place)}" viewBox="0 0 30 14" aria-hidden="true">'
        f'<path class="line {look(place)}" d="M1,7H29"/>'
        f'<path class="mark" d="{mark(place, 15, 7, 4.6)}"/></svg>'
    )


def text(x: float, y: float, text: str, kind: str, anchor: str) -> str:
    looks = f' class="{kind}"' if kind else ""
    return f'<text{looks} text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">{safe(text)}</text>'
