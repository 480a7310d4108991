"""A matrix as squares: one path for each shade, so that many authors take little room."""

from __future__ import annotations

from collections.abc import Sequence

from nomdeplume.evaluate.report.matrix import MOST, Matrix
from nomdeplume.evaluate.report.wording import percent
from nomdeplume.picture.writing import fit, safe

NAMED, COUNTED = 40, 10  # up to so many authors get their names, and numbers in squares
SIDE, MARGIN = 480, 130  # px of the squares together, and of the names beside them


def figure(matrix: Matrix, label: str, names: Sequence[str] = ()) -> str:
    """A matrix with what it is called above it; many authors are drawn in groups."""
    hit = percent(sum(matrix.diagonal) / len(matrix))
    small = matrix.grouped(MOST) if len(matrix) > MOST else matrix
    named = len(names) == len(matrix) <= NAMED
    left, unit = MARGIN * named, SIDE / len(small)
    said = f"{label}: on average {hit} of an author’s documents are named rightly"
    parts = [
        f'<path class="diagonal" d="M{left},0l{SIDE},{SIDE}"/>',
        _paths(small, left, unit),
        _numbers(small, left, unit) if len(small) <= COUNTED else "",
        _names(names, unit) if named else "",
        f'<rect class="edge" x="{left}" y="0" width="{SIDE}" height="{SIDE}"/>',
    ]
    box = f'viewBox="-2 -2 {left + SIDE + 4} {SIDE + 4}"'
    return (
        f"<figure><figcaption><bdi>{safe(label)}</bdi><br/><small>mean over authors {hit}</small>"
        f'</figcaption><svg class="matrix" {box} role="img" aria-label="{safe(said)}">'
        f"{''.join(parts)}</svg></figure>"
    )


def _paths(matrix: Matrix, left: int, unit: float) -> str:
    """Runs of squares as thick lines, in units of squares, through the middles of rows."""
    paths = "".join(f'<path class="m{shade}" d="{d}"/>' for shade, d in matrix.shades().items())
    return f'<g transform="translate({left} {unit / 2:.4g}) scale({unit:.6g})">{paths}</g>'


def _names(names: Sequence[str], unit: float) -> str:
    size = min(13.0, 0.86 * unit)
    return "".join(
        f'<text text-anchor="end" font-size="{size:.3g}" x="{MARGIN - 6}" '
        f'y="{_line(i, unit, size)}">{safe(fit(each, (MARGIN - 14) / size))}</text>'
        for i, each in enumerate(names)
    )


def _numbers(matrix: Matrix, left: int, unit: float) -> str:
    size = min(22.0, unit / 3)
    return "".join(
        f'<text class="n{matrix.shade(share)}" text-anchor="middle" font-size="{size:.3g}" '
        f'x="{left + (j + 0.5) * unit:.1f}" y="{_line(i, unit, size)}">{100 * share:.0f}</text>'
        for i, row in enumerate(matrix.rows)
        for j, share in enumerate(row)
    )


def _line(row: int, unit: float, size: float) -> str:
    """Where letters stand so that they are in the middle of a row."""
    return f"{(row + 0.5) * unit + 0.35 * size:.1f}"
