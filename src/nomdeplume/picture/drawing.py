"""The plan as SVG: bands as wide as what moves, in the colour of how far it moves."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from nomdeplume.flow import Flow
from nomdeplume.picture.layout import MARGINS, TOP, WIDTH, Bar, Layout
from nomdeplume.picture.writing import apart, ems, fit, number, percent, safe, shade, told

NAMES = ("first text", "second text")
MIDDLE = WIDTH / 2
FONT = "system-ui,'Segoe UI','Helvetica Neue',Arial,'Noto Sans',sans-serif"
STEPS, CELL = 30, 8  # colours that a legend shows and a style sheet names, and the width of each
SHEET = 1600  # px; what is not higher is printed on one
BAR = 8.0  # px
THINNEST = 1.0  # px; a band is never less
ROOMY, FEW = 20.0, 24  # px; a band so wide says its distance, where there are few
SOFT = 'class="soft" fill="#616e7c"'
ANCHORS = ("end", "start")
BOLD = 'font-weight="600"'
OVER = 'class="over" fill="#fff"'  # upon a strong colour


def svg(flow: Flow, *, names: tuple[str, str] = NAMES, note: str = "") -> str:
    """The plan as a picture that stands by itself, with a note at its top if there is one."""
    layout = Layout.of(flow)
    head = f"{flow.metric} {flow.symbol} = {number(flow.distance, 4)}"
    counts = [sum(bar.side == side for bar in layout.bars) for side in (0, 1)]
    below = f"{percent(flow.stay)} of words stay put · distinct words: {counts[0]} and {counts[1]}"
    size = f'width="{WIDTH}" height="{layout.height:.0f}"'
    kind = "short" if layout.height <= SHEET else "long"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {layout.height:.0f}" '
            f'{size} class="{kind}" role="img" aria-label="{safe(head)}" '
            f'font-family="{FONT}" fill="#1f2933">',
            f"<title>{safe(head)}</title>",
            f"<desc>{_description(flow, names)}</desc>",
            f'<rect class="paper" {size} fill="#fff"/>',
            *([_text(MIDDLE, 12, note, letters=11, looks=SOFT)] if note else []),
            _text(MIDDLE, 36, head, letters=21, looks=BOLD),
            _text(MIDDLE, 60, below, looks=SOFT),
            *_legend(layout.longest),
            *_names(names, layout.margin),
            *_bands(layout),
            *(_word(bar, layout) for bar in layout.bars),
            "</svg>\n",
        ]
    )


def _description(flow: Flow, names: tuple[str, str]) -> str:
    first, second = map(safe, names)
    moves = "; ".join(escape(told(move)) for move in flow.moves[:3])
    return (
        f"Words of {first} on the left, of {second} on the right; {percent(flow.stay)} stay put. "
        "A band joins a word to what it becomes: wide where many words move, strong in colour "
        f"where they move far. First of {len(flow.moves)}: {moves}."
    )


def _names(names: tuple[str, str], margin: float) -> Iterator[str]:
    """The two names above their columns, or nearer to the legend where they are long."""
    letters = 15
    for side, name in enumerate(names):
        x = min(MARGINS[1], max(margin, letters * (ems(name) + 1)))
        shown, at = fit(name, x / letters - 1), (x, WIDTH - x)[side]
        yield _text(at, TOP - 25, shown, letters=letters, anchor=ANCHORS[side], looks=BOLD)


def _legend(longest: float) -> Iterator[str]:
    """The colours from 0 to the longest move, with numbers; nothing if no word moves."""
    if not longest:
        return
    start, end, y = MIDDLE - STEPS * CELL / 2, MIDDLE + STEPS * CELL / 2, TOP - 30
    yield _text(MIDDLE, y - 10, "distance of a move", looks=SOFT)
    yield _text(start - 6, y + 4, "0", anchor="end", looks=SOFT)
    yield _text(end + 6, y + 4, number(longest, 3), anchor="start", looks=SOFT)
    yield '<g stroke-width="8" stroke-opacity=".85" shape-rendering="crispEdges">'
    for i in range(STEPS):
        colour = shade((i + 0.5) / STEPS)
        yield f'<path class="t{i}" stroke="{colour}" d="M{start + CELL * i:g},{y}h{CELL}"/>'
    yield "</g>"


def _bands(layout: Layout) -> Iterator[str]:
    """The bands, far moves on top, and above them the distances of the wide ones."""
    left, right = layout.edges
    longest = layout.longest
    yield '<g fill="none" stroke-opacity=".85">'
    for band in sorted(layout.bands, key=lambda band: band.move.distance):
        y, z, strength = band.start, band.end, band.move.distance / (longest or 1)
        yield (
            f'<path class="band t{round(STEPS * strength)}" '
            f'data-ends="{" ".join(bar.key for bar in band.ends)}" '
            f'stroke="{shade(strength)}" stroke-width="{max(THINNEST, band.width):.3f}" '
            f'd="M{left:g},{y:.2f}C{MIDDLE:g},{y:.2f} {MIDDLE:g},{z:.2f} {right:g},{z:.2f}">'
            f"<title>{escape(told(band.move))}</title></path>"
        )
    yield "</g>"
    taken: list[float] = []
    for band in layout.bands if len(layout.bands) <= FEW else ():
        y, amount = (band.start + band.end) / 2, number(band.move.distance, 3)
        if band.width >= ROOMY and all(abs(y - other) > ROOMY for other in taken):
            taken.append(y)
            ink = OVER if 2 * band.move.distance > longest else ""
            yield _text(MIDDLE, y + 4.5, amount, looks=f'pointer-events="none" {ink}')


def _word(bar: Bar, layout: Layout) -> str:
    """A word outside its bar: what does not fit is cut, at the latest by the picture's edge."""
    edge, outward, letters = layout.edges[bar.side], (-1, 1)[bar.side], layout.letters
    height = max(THINNEST, bar.height)
    shown = fit(bar.word, (layout.margin - 14) / letters - 1)
    x, y, anchor = edge + 14 * outward, bar.middle + 0.35 * letters, ANCHORS[bar.side]
    return (
        f'<g class="word" data-key="{bar.key}">'
        f"<title>{escape(apart(bar.word))}: {percent(bar.share)}</title>"
        f'<rect class="bar" fill="#616e7c" x="{edge - BAR * (not bar.side):g}" '
        f'y="{bar.middle - height / 2:.2f}" width="{BAR:g}" height="{height:.2f}" rx="1"/>'
        f"{_text(x, y, shown, letters=letters, anchor=anchor)}</g>"
    )


def _text(
    x: float, y: float, text: str, *, letters: float = 13, anchor: str = "middle", looks: str = ""
) -> str:
    where = f'x="{x:g}" y="{y:.2f}" text-anchor="{anchor}" font-size="{letters:.3g}"'
    return f"<text {where} {looks}>{safe(text)}</text>"
