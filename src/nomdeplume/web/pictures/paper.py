"""The paper that every picture is drawn on, and what stands upon it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from nomdeplume.picture.writing import safe

WIDE, NARROW = 640, 360  # units across: a screen's, and a phone's, where a unit is a pixel


class Box(NamedTuple):
    """The room that something takes: its middle and half of its size."""

    x: float
    y: float
    across: float
    along: float

    def meets(self, other: Box) -> bool:
        """Whether the two have room in common."""
        return (
            abs(self.x - other.x) < self.across + other.across
            and abs(self.y - other.y) < self.along + other.along
        )


def svg(size: tuple[float, float], label: str, parts: Iterable[str], *, told: str = "") -> str:
    """A picture as wide as its place, which says in words what it shows."""
    more = f"<desc>{safe(told)}</desc>\n" if told else ""
    drawn = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:g} {size[1]:g}" '
        f'width="100%" class="np" role="img" aria-label="{safe(label)}">\n{more}{drawn}\n</svg>'
    )


def text(
    at: tuple[float, float],
    words: str,
    kind: str,
    *,
    letters: float,
    anchor: str = "middle",
    title: str = "",
) -> str:
    """A line of words, with more of them where it is pointed at."""
    more = f"<title>{safe(title)}</title>" if title else ""
    where = f'x="{at[0]:.1f}" y="{at[1]:.1f}" font-size="{letters:.3g}"'
    return f'<text class="{kind}" {where} text-anchor="{anchor}">{more}{safe(words)}</text>'


def share(value: float) -> str:
    """A share in hundredths, as many digits as tell something."""
    if 0 < value < 0.0005:
        return "under 0.1\u00a0%"
    return f"{100 * value:.{0 if value >= 0.0995 else 1}f}\u00a0%"
