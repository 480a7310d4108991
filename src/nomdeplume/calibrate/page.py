"""A calibration as a page that needs nothing else: the answer, two pictures, the numbers."""

from __future__ import annotations

from nomdeplume.calibrate.drawing import panels
from nomdeplume.calibrate.report import Report
from nomdeplume.picture.drawing import FONT
from nomdeplume.picture.sheet import sheet
from nomdeplume.picture.writing import safe

STYLE = f"""
:root{{color-scheme:light dark;--ink:#1f2933;--soft:#616e7c;--line:#d9dfe5;--paper:#fff;
  --one:#1d4ed8;--two:#15803d;--three:#c2410c;--four:#7e22ce;--five:#0e7490;--here:#fde68a80}}
body{{margin:1.5rem auto;max-width:62rem;padding:0 1rem;color:var(--ink);background:var(--paper);
  font:1rem/1.5 {FONT}}}
h1{{font-size:1.35rem;line-height:1.3;margin:0 0 .6rem}}
p{{margin:.5rem 0;max-width:46rem}}
code{{font-size:.95em;overflow-wrap:anywhere;background:var(--line);padding:.15em .4em;
  border-radius:.3em}}
.pictures{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));
  gap:1rem;margin:1.2rem 0}}
svg{{display:block;width:100%;height:auto;font-size:13px}}
svg text{{fill:var(--ink)}}
svg .soft{{fill:var(--soft)}}
svg .strong{{font-weight:600}}
.grid{{stroke:var(--line)}}
.tick{{stroke:var(--soft)}}
.here{{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 3}}
.curve path{{fill:none;stroke-width:2.5;stroke-linejoin:round}}
.one{{stroke:var(--one)}}.one circle{{fill:var(--one)}}
.two{{stroke:var(--two);stroke-dasharray:7 4}}.two circle{{fill:var(--two)}}
.three{{stroke:var(--three);stroke-dasharray:2 4}}.three circle{{fill:var(--three)}}
.four{{stroke:var(--four)}}.four circle{{fill:var(--four)}}
.five{{stroke:var(--five);stroke-dasharray:7 4}}.five circle{{fill:var(--five)}}
.curve circle{{stroke:none}}
.wide{{overflow-x:auto}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1rem 0;width:100%}}
th,td{{text-align:right;padding:.25rem .6rem;border-bottom:1px solid var(--line);
  white-space:nowrap}}
.chosen{{background:var(--here);font-weight:600}}
p.soft{{color:var(--soft);font-size:.9rem}}
@media (max-width:36rem){{table{{font-size:.85rem}}th,td{{padding:.25rem .3rem}}}}
@media print{{body{{margin:0;max-width:none}}tr,svg{{break-inside:avoid}}}}
@media screen and (prefers-color-scheme:dark){{
  :root{{--ink:#e4e7eb;--soft:#9aa5b1;--line:#323f4b;--paper:#12161c;--one:#7aa2ff;--two:#5bd08a;
    --three:#ff9466;--four:#c99bff;--five:#5fd0e6;--here:#5b4a1480}}
}}
"""


def page(report: Report) -> str:
    """The page; nothing can run in it, and it asks for nothing from anywhere."""
    shares, spread = panels(report)
    table = report.dial.vocabulary.table
    title = f"Calibration of {report.title}"
    said = "".join(f"<p>{safe(sentence)}</p>\n" for sentence in report.sentences())
    command = f"<p><code>{safe(report.command)}</code></p>\n" if report.command else ""
    likely = "".join(f'<p dir="auto">{safe(str(each))}</p>\n' for each in report.likely)
    body = f"""<h1>{safe(title)}</h1>
{said}{command}{likely}<div class="pictures">
{shares}
{spread}
</div>
<div class="wide">
<table>
{_rows(report)}</table>
</div>
<p class="soft">{safe(report.basis)}</p>
<p class="soft">Table {safe(table.name)}, fingerprint <code>{table.fingerprint}</code></p>
"""
    return sheet(title, body, style=STYLE)


def _rows(report: Report) -> str:
    heads, *rows = report.rows()
    head = "".join(f'<th scope="col">{safe(each)}</th>' for each in heads)
    lines = [f"<thead><tr>{head}</tr></thead>\n<tbody>\n"]
    for point, row in zip(report.curve.points, rows, strict=True):
        chosen = ' class="chosen"' if point is report.answer else ""
        cells = "".join(f"<td>{safe(cell)}</td>" for cell in row)
        lines.append(f"<tr{chosen}>{cells}</tr>\n")
    return "".join([*lines, "</tbody>\n"])
