"""Bars: whom an attacker names before and after a release, and how a budget is spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from nomdeplume.picture.writing import ems, fit
from nomdeplume.web.pictures.paper import NARROW, WIDE, share, svg, text
from nomdeplume.web.ways import amount

MOST = 5  # names of a column
LETTERS, HEAD = 14.0, 15.0
ROW, BAR = 42.0, 10.0  # from one name to the next, and the height of its bar
TOP = 30.0  # where the first name begins, below the head
BETWEEN = 28.0  # two columns
MARK = "author"
GAUGE, INSET = 30.0, 2.0  # height of the bar of a budget, and its distance from the edge
STEP = 9.0  # between the strokes of a hatch
Named = Sequence[tuple[str, float]]


def names(before: Named, after: Named, *, author: str, narrow: bool = False) -> str:
    """Whom an attacker names, with what probability, before and after a release."""
    width = NARROW if narrow else WIDE
    column = width if narrow else (width - BETWEEN) / 2
    sides = (("before the release", before[:MOST]), ("after the release", after[:MOST]))
    heights = [TOP + ROW * max(1, len(named)) + _foot(named, author) for _, named in sides]
    second = (0.0, heights[0] + 14) if narrow else (column + BETWEEN, 0.0)
    height = sum(heights) + 14 if narrow else max(heights)
    parts = [
        part
        for (head, named), at in zip(sides, ((0.0, 0.0), second), strict=True)
        for part in _column(head, named, author, at, column)
    ]
    told = "; ".join(f"{head}: {_told(named, author)}" for head, named in sides)
    return svg((width, height), f"Whom the attacker names {told}", parts)


def _foot(named: Named, author: str) -> float:
    return 0.0 if _is_named(named, author) else LETTERS + 10


def _is_named(named: Named, author: str) -> bool:
    return not author or any(name == author for name, _ in named)


def _told(named: Named, author: str) -> str:
    said = [
        f"{name}{', the author,' if name == author else ''} {share(part)}" for name, part in named
    ]
    return ", ".join(said) or "nobody"


def _column(
    head: str, named: Named, author: str, at: tuple[float, float], width: float
) -> Iterator[str]:
    x, y = at
    yield text((x, y + HEAD), head, "np-head", letters=HEAD, anchor="start")
    y += TOP
    for name, part in named:
        yield from _bar(name, part, (x, y), width, mine=name == author)
        y += ROW
    if not named:
        yield text((x, y + LETTERS), "nobody", "np-soft", letters=LETTERS, anchor="start")
        y += ROW
    if not _is_named(named, author):
        said = f"the {MARK} is not among them"
        yield text((x, y + LETTERS), said, "np-soft", letters=LETTERS, anchor="start")


def _bar(
    name: str, part: float, at: tuple[float, float], width: float, *, mine: bool
) -> Iterator[str]:
    """A name and its probability, and below them a bar; the author is said to be one."""
    (x, y), amount = at, share(part)
    kind, low = "np-mine" if mine else "np-name", y + LETTERS + 4
    tag = (ems(MARK) + 1) * (LETTERS - 2) if mine else 0.0
    shown = fit(name, (width - tag) / LETTERS - ems(amount) - 2)
    base = y + LETTERS - 1
    yield text((x, base), shown, kind, letters=LETTERS, anchor="start", title=name)
    yield text((x + width, base), amount, kind, letters=LETTERS, anchor="end")
    if mine:
        end = x + width - (ems(amount) + 1.1) * LETTERS
        yield (
            f'<rect class="np-tag" x="{end - tag:.1f}" y="{y:.1f}" width="{tag:.1f}" '
            f'height="{LETTERS + 3:g}" rx="8"/>'
        )
        yield text((end - tag / 2, base - 1), MARK, "np-on", letters=LETTERS - 2)
    filled = max(0.0, min(1.0, part)) * width
    yield f'<rect class="np-rail" x="{x:g}" y="{low:g}" width="{width:g}" height="{BAR:g}" rx="3"/>'
    yield (
        f'<rect class="{kind}-bar" x="{x:g}" y="{low:g}" width="{filled:.1f}" height="{BAR:g}" '
        'rx="3"/>'
    )


def gauge(spent: float, limit: float, asked: float = 0) -> str:
    """A budget: what is spent, what this release would add, and what is left."""
    over = spent + asked > limit
    whole = max(limit, spent + asked) or 1.0
    room = WIDE - 2 * INSET
    here, there, end = (INSET + room * part / whole for part in (spent, spent + asked, limit))
    top, low = INSET, GAUGE - INSET
    kind = "np-over" if over else "np-asked"
    hatch = _hatch(here, there, top, low) + (_hatch(here, there, low, top) if over else "")
    parts = [
        _rect("np-rail", INSET, WIDE - INSET, 4),
        _rect("np-spent", INSET, here, 4) if spent > 0 else "",
        _rect(kind, here, there, 0) if asked > 0 else "",
        f'<path class="{kind}-hatch" d="{hatch}"/>' if asked > 0 else "",
        f'<path class="np-limit" d="M{end:.1f},0V{GAUGE:g}"/>' if over else "",
    ]
    return svg((WIDE, GAUGE), budget(spent, limit, asked), parts)


def budget(spent: float, limit: float, asked: float = 0) -> str:
    """The same in words."""
    if limit == inf:
        return f"{amount(spent)} spent, without a limit"
    left = limit - spent
    said = f"{amount(spent)} of {amount(limit)} spent, {amount(max(0.0, left))} left"
    if asked > left:
        over = amount(asked - left)
        return f"{said}; this release asks for {amount(asked)}, which is {over} too much"
    return f"{said}; this release would add {amount(asked)}" if asked else said


def _rect(kind: str, left: float, right: float, round_: float) -> str:
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{INSET:g}" width="{max(0.0, right - left):.1f}" '
        f'height="{GAUGE - 2 * INSET:g}" rx="{round_:g}"/>'
    )


def _hatch(left: float, right: float, start: float, end: float) -> str:
    """Slanting strokes from one level to another, each cut where the box ends."""
    height, parts = abs(end - start), []
    down = 1 if end > start else -1
    x = left - height + STEP / 2
    while x < right:
        begin, stop = max(0.0, left - x), min(height, right - x)
        if stop > begin:
            parts.append(
                f"M{x + begin:.1f},{start + down * begin:.1f}L{x + stop:.1f},"
                f"{start + down * stop:.1f}"
            )
        x += STEP
    return "".join(parts)
