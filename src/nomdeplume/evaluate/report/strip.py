"""A share as a small picture in a line of text: where it is, where it was, what guessing gives."""

from __future__ import annotations

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.wording import shown

WIDTH, HEIGHT, EDGE = 150, 16, 5


def strip(
    figure: Figure | None,
    *,
    before: Figure | None = None,
    floor: float | None = None,
    kind: str = "risk",
) -> str:
    """A dot with its interval, a ring for what was before, an upright line for guessing."""
    if figure is None:
        return ""
    middle = HEIGHT / 2
    parts = [f'<path class="rail" d="M{EDGE},{middle:g}H{WIDTH - EDGE}"/>']
    if floor is not None:
        parts.append(f'<path class="floor" d="M{_at(floor):.1f},1v{HEIGHT - 2}"/>')
    if figure.wide:
        ends = f"M{_at(figure.low):.1f},{middle:g}H{_at(figure.high):.1f}"
        parts.append(f'<path class="span" d="{ends}"/>')
    if before is not None:
        at = _at(before.value)
        parts.append(f'<circle class="before" cx="{at:.1f}" cy="{middle:g}" r="3.6"/>')
    parts.append(f'<circle class="after" cx="{_at(figure.value):.1f}" cy="{middle:g}" r="3.6"/>')
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg class="strip {kind}" {box} aria-hidden="true">{"".join(parts)}</svg>'


def drawn(
    figure: Figure | None,
    *,
    before: Figure | None = None,
    floor: float | None = None,
    kind: str = "risk",
) -> str:
    """A share in numbers, and below them as a strip."""
    return shown(figure) + strip(figure, before=before, floor=floor, kind=kind)


def _at(share: float) -> float:
    return EDGE + min(1.0, max(0.0, share)) * (WIDTH - 2 * EDGE)
