"""Figures and names as the page writes them: one way for each, everywhere."""

from __future__ import annotations

from nomdeplume.evaluate.figures import Figure
from nomdeplume.picture.writing import clean, fit, safe

NONE = '<span class="none" title="not measured">–</span>'
SPACE = "\u00a0"  # between a number and its sign: they stay on one line


def percent(share: float) -> str:
    """A share in hundredths, to one decimal; what is less than that says so."""
    if 0 < share < 0.0005:
        return f"under{SPACE}0.1{SPACE}%"
    return f"{100 * share:.1f}{SPACE}%"


def between(figure: Figure) -> str:
    """An interval in hundredths, without their sign."""
    return f"{100 * figure.low:.1f}–{100 * figure.high:.1f}"


def told(figure: Figure | None) -> str:
    """A share and its interval, for a tooltip."""
    if figure is None:
        return "not measured"
    return percent(figure.value) + (f" ({between(figure)})" if figure.wide else "")


def shown(figure: Figure | None) -> str:
    """A share and its interval, for a table."""
    if figure is None:
        return NONE
    apart = f' <span class="iv">{between(figure)}</span>' if figure.wide else ""
    return f"{percent(figure.value)}{apart}"


def measured(figure: Figure | None) -> str:
    """A number that is no share, and its interval."""
    if figure is None:
        return NONE
    apart = f' <span class="iv">{figure.low:.3g}–{figure.high:.3g}</span>' if figure.wide else ""
    return f"{figure.value:.3g}{apart}"


def safe_lines(said: str) -> str:
    """Lines of a tooltip, in an attribute or in a title."""
    return "&#10;".join(safe(each) for each in said.split("\n"))


def looks(kind: str) -> str:
    """The attribute that gives something its looks, if it has any of its own."""
    return f' class="{kind}"' if kind else ""


def points(difference: float) -> str:
    """A difference of two shares, in percentage points and with its sign."""
    value = round(100 * difference, 1) + 0.0
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{abs(value):.1f}"


def times(value: float, chance: float | None) -> str:
    """A share as a multiple of chance."""
    return f"{value / chance:.1f} × chance" if chance else ""


def count(value: int, one: str, many: str = "") -> str:
    """A number of things, with the right word for them."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def listed(names: list[str]) -> str:
    """Names in a row: a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def name(text: str, room: float = 24) -> str:
    """A name that stays in its place: cut where it is long, alone in its direction of writing."""
    cut = fit(text, room)
    whole = f' title="{safe(text)}"' if cut != clean(text) else ""
    return f"<bdi{whole}>{safe(cut)}</bdi>"
