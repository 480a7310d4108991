"""The curves of a calibration as SVG: two panels over one logarithmic axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nomdeplume.calibrate.dial import Point
from nomdeplume.calibrate.report import Report, amount
from nomdeplume.picture.axis import Axis
from nomdeplume.picture.writing import safe

WIDTH, HEIGHT = 480, 320
LEFT, RIGHT, TOP, BOTTOM = 58, 436, 64, 262
Pairs = list[tuple[float, float]]


def panels(report: Report) -> tuple[str, str]:
    """What becomes of words, and how far and how wide they are spread."""
    points = report.curve.points
    xs = [place(report, point) for point in points]
    axis = Axis(min(xs), max(xs) * (1 + 1e-12), LEFT, RIGHT, logarithmic=True)
    return _shares(report, axis, xs), _spread(report, axis, xs)


def place(report: Report, point: Point) -> float:
    """Where a point stands: at its ε, or its a if not every ε is known."""
    known = report.curve.exact and point.epsilon is not None
    return float(point.epsilon or point.value) if known else point.value


def _shares(report: Report, x: Axis, xs: Sequence[float]) -> str:
    y = Axis(0, 1, BOTTOM, TOP)
    lines = [
        ("unchanged", "one", [point.effect.unchanged for point in report.curve.points]),
        ("near", "two", [point.effect.near for point in report.curve.points]),
        ("far", "three", [point.effect.far for point in report.curve.points]),
    ]
    drawn = [_line(list(zip(xs, ys, strict=True)), x, y, kind, name) for name, kind, ys in lines]
    grid = [_level(y.at(tick), f"{100 * tick:.0f} %") for tick in (0, 0.25, 0.5, 0.75, 1)]
    legend = _legend([(name, kind) for name, kind, _ in lines])
    title = "Shares of words that stay, become near or far words"
    return _panel(title, report, x, [*_below(report, x), *grid], [*drawn, *legend])


def _spread(report: Report, x: Axis, xs: Sequence[float]) -> str:
    supports = [point.effect.support for point in report.curve.points]
    moves = [point.effect.moved for point in report.curve.points]
    left = Axis(1, max(10.0, *supports), BOTTOM, TOP, logarithmic=True)
    right = Axis(0, max(moves) * 1.05 or 1.0, BOTTOM, TOP)
    grid = [_level(left.at(tick), amount(tick)) for tick in left.ticks(6)]
    grid += [
        f'<text class="soft" x="{RIGHT + 6}" y="{right.at(tick) + 4:.1f}">{tick:g}</text>'
        for tick in right.ticks()
    ]
    drawn = [
        _line(list(zip(xs, supports, strict=True)), x, left, "four", "support"),
        _line(list(zip(xs, moves, strict=True)), x, right, "five", "moved"),
    ]
    legend = _legend([("support (left)", "four"), ("moved (right)", "five")])
    title = "How wide and how far words are spread"
    return _panel(title, report, x, [*_below(report, x), *grid], [*drawn, *legend])


def _panel(title: str, report: Report, x: Axis, under: list[str], above: list[str]) -> str:
    """A panel: grid and numbers, the answer across them, and curves above all."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="{safe(title)}">',
            f"<title>{safe(title)}</title>",
            *under,
            *_answer(report, x),
            *above,
            "</svg>",
        ]
    )


def _below(report: Report, x: Axis) -> Iterator[str]:
    """The axis that both panels have, and what it is of."""
    for tick in x.ticks():
        at = f"{x.at(tick):.1f}"
        yield f'<path class="tick" d="M{at},{BOTTOM}v4"/>'
        yield f'<text class="soft" text-anchor="middle" x="{at}" y="{BOTTOM + 18}">{tick:g}</text>'
    name = "ε" if report.curve.exact else "a (ε is between a and 2a)"
    middle = (LEFT + RIGHT) / 2
    yield f'<text text-anchor="middle" x="{middle:g}" y="{HEIGHT - 16}">{safe(name)}</text>'


def _answer(report: Report, x: Axis) -> Iterator[str]:
    if report.answer is None or report.answer.epsilon is None:
        return
    at = x.at(place(report, report.answer))
    anchor = "start" if at < LEFT + 50 else "end" if at > RIGHT - 50 else "middle"
    yield f'<path class="here" d="M{at:.1f},{BOTTOM}V{TOP - 8}"/>'
    yield (
        f'<text class="strong" text-anchor="{anchor}" x="{at:.1f}" y="{TOP - 14}">'
        f"ε = {report.answer.epsilon:g}</text>"
    )


def _line(pairs: Pairs, x: Axis, y: Axis, kind: str, name: str) -> str:
    """A curve through its points, each of which says its numbers."""
    at = [(x.at(one), y.at(two)) for one, two in pairs]
    path = "L".join(f"{one:.1f},{two:.1f}" for one, two in at)
    dots = "".join(
        f'<circle cx="{one:.1f}" cy="{two:.1f}" r="3"><title>{safe(name)} {value:.4g} at '
        f"{number:.4g}</title></circle>"
        for (one, two), (number, value) in zip(at, pairs, strict=True)
    )
    return f'<g class="curve {kind}"><path d="M{path}"/>{dots}</g>'


def _level(y: float, label: str) -> str:
    return (
        f'<path class="grid" d="M{LEFT},{y:.1f}H{RIGHT}"/>'
        f'<text class="soft" text-anchor="end" x="{LEFT - 6}" y="{y + 4:.1f}">{label}</text>'
    )


def _legend(names: list[tuple[str, str]]) -> list[str]:
    """Lines as they are drawn, and what they are."""
    width = (RIGHT - LEFT) / len(names)
    return [
        f'<g class="curve {kind}"><path d="M{LEFT + width * i:.0f},18h26"/></g>'
        f'<text x="{LEFT + width * i + 32:.0f}" y="22">{safe(name)}</text>'
        for i, (name, kind) in enumerate(names)
    ]
