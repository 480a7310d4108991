"""The plan as a page that needs nothing else: the picture, then every move in a table."""

from __future__ import annotations

from collections.abc import Sequence

from nomdeplume.flow import Flow, Move
from nomdeplume.picture.drawing import FONT, NAMES, STEPS, svg
from nomdeplume.picture.sheet import sheet
from nomdeplume.picture.writing import DARK, added, number, percent, safe, shade

STYLE = f"""
:root{{color-scheme:light dark;--ink:#1f2933;--soft:#616e7c;--line:#d9dfe5;--paper:#fff}}
body{{margin:2rem auto;max-width:60rem;padding:0 1rem;color:var(--ink);background:var(--paper);
  font:1rem/1.5 {FONT}}}
.warning{{border-left:.3rem solid #c2410c;background:#c2410c1f;padding:.6rem 1rem;font-weight:600}}
.wide{{overflow-x:auto}}
svg{{display:block;width:100%;min-width:36rem;height:auto}}
.paper{{fill:none}}
svg text{{fill:var(--ink)}}
.bar{{fill:var(--soft)}}
svg .soft{{fill:var(--soft)}}
svg .over{{fill:var(--paper)}}
.band:hover{{stroke-opacity:1}}
.near .band:not(.on){{opacity:.1}}
table{{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;margin:2rem 0}}
caption{{text-align:left;color:var(--soft);padding-bottom:.6rem}}
th,td{{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line)}}
td{{overflow-wrap:anywhere}}
:is(th,td):nth-child(n+3){{text-align:right;white-space:nowrap}}
@media print{{
  body{{margin:0;max-width:none}}
  svg{{min-width:0}}
  .short{{max-height:85vh}}
  table{{break-before:page}}
  tr{{break-inside:avoid}}
}}
@media screen and (prefers-color-scheme:dark){{
  :root{{--ink:#e4e7eb;--soft:#9aa5b1;--line:#323f4b;--paper:#12161c}}
  {"".join(f".t{i}{{stroke:{shade(i / STEPS, DARK)}}}" for i in range(STEPS + 1))}
}}
"""
SCRIPT = """
const picture = document.querySelector("svg"), bands = picture.querySelectorAll(".band");
picture.addEventListener("mouseover", ({target}) => {
  const key = target.closest(".word")?.dataset.key;
  picture.classList.toggle("near", !!key);
  bands.forEach(band => band.classList.toggle("on", band.dataset.ends.split(" ").includes(key)));
});
"""
HEADS = ("word", "becomes", "share", "distance", "adds")
CAPTIONS = {
    True: "What becomes of each word. A move adds its share times its distance.",
    False: "What becomes of each word. The longest move is the distance.",
}
WARNING = "This page shows words of both texts. It is not a release: do not publish it."


def html(flow: Flow, *, names: tuple[str, str] = NAMES, notes: Sequence[str] = ()) -> str:
    """The plan as a page that stands by itself; only its own style and script can run in it."""
    title = f"{flow.metric}: {names[0]}, {names[1]}"
    body = f"""<p class="warning" role="note">{WARNING}</p>
<div class="wide">
{svg(flow, names=names)}</div>
{"".join(f"<p>{safe(note)}</p>" for note in notes)}
<table>
<caption>{CAPTIONS[flow.adds]}</caption>
<thead><tr>{"".join(f"<th>{head}</th>" for head in HEADS[: 4 + flow.adds])}</tr></thead>
<tbody>
{"".join(_row(move, adds=flow.adds) for move in flow.moves)}</tbody>
</table>
"""
    return sheet(title, body, style=STYLE, script=SCRIPT)


def _row(move: Move, *, adds: bool) -> str:
    words = "".join(f'<td dir="auto">{safe(word)}</td>' for word in (move.word, move.becomes))
    amounts = [percent(move.share), number(move.distance, 3), *([added(move)] if adds else [])]
    return f"<tr>{words}{''.join(f'<td>{amount}</td>' for amount in amounts)}</tr>\n"
