"""How the page looks: on a screen and a phone, in the dark, and on paper."""

from __future__ import annotations

from nomdeplume.evaluate.report.colours import DARK, GLOW, LIGHT, WARM, heat, variables
from nomdeplume.picture.drawing import FONT

DASHES = ("none", "8 4", "2 4", "9 3 2 3")
TEXT = f"""
:root{{color-scheme:light dark;{variables(LIGHT)}}}
*{{box-sizing:border-box}}
body{{margin:0 auto;max-width:74rem;padding:2.5rem 1.5rem 5rem;color:var(--ink);
  background:var(--paper);font:1rem/1.55 {FONT}}}
h1{{font-size:clamp(1.6rem,4.5vw,2.4rem);line-height:1.15;margin:0;letter-spacing:-.015em;
  text-wrap:balance}}
h2{{font-size:1.4rem;line-height:1.25;margin:0 0 .8rem;letter-spacing:-.01em}}
h3{{font-size:1rem;margin:1.4rem 0 .4rem;overflow-wrap:anywhere}}
p{{margin:.5rem 0;max-width:46rem;overflow-wrap:anywhere}}
a{{color:var(--link)}}
:focus-visible{{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}}
.eyebrow{{color:var(--soft);font-size:.85rem;margin:0 0 .6rem}}
.corpus{{color:var(--soft);margin:.5rem 0 1.6rem}}
.lead{{font-size:1.25rem;line-height:1.5}}
.soft,.iv,.set,.none,.caption,small{{color:var(--soft)}}
p.soft{{font-size:.9rem}}
.iv{{font-size:.82em;white-space:nowrap}}
.mind{{margin:1.5rem 0;max-width:46rem;padding:.1rem 1.2rem .5rem;background:var(--wash);
  border-radius:.6rem}}
.mind ul{{margin:.3rem 0;padding-left:1.1rem}}
.mind h2{{font-size:1rem;letter-spacing:0;margin:.8rem 0 .2rem}}
.warning{{border-left:.3rem solid var(--warn);padding:.5rem 1rem;font-weight:600;color:var(--warn);
  background:var(--wash)}}
.keepto{{font-size:.9rem;color:var(--soft);border-left:.3rem solid var(--line);
  padding:.1rem 0 .1rem 1rem;margin:0 0 1.5rem}}
nav ul{{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:.8rem 0;margin:2rem 0 0;
  list-style:none;border:solid var(--line);border-width:1px 0;font-size:.9rem}}
nav a{{text-decoration:none;display:inline-block;padding:.15rem 0}}
nav a:hover{{text-decoration:underline}}
section{{margin:3.2rem 0 0;scroll-margin-top:1rem}}
dl{{display:grid;grid-template-columns:minmax(7rem,max-content) minmax(0,1fr);gap:.3rem 1.2rem;
  margin:.5rem 0;max-width:56rem}}
dt{{font-weight:600;overflow-wrap:anywhere}}
dd{{margin:0;overflow-wrap:anywhere}}
.small{{font-size:.92rem}}
.code{{font-family:ui-monospace,monospace;font-size:.85em}}
details{{margin:1rem 0}}
summary{{cursor:pointer;color:var(--link);padding:.3rem 0}}
figure{{margin:0}}
.bag{{background:var(--wash);border-radius:.6rem;padding:.8rem 1.2rem;margin:.8rem 0;
  max-width:56rem}}
.bag p{{max-width:none;margin:.2rem 0;font-family:Georgia,'Times New Roman',serif;line-height:1.6}}
.bag figcaption{{font-size:.85rem;color:var(--soft)}}
"""
CARDS = """
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:1rem;
  margin:1.2rem 0 2rem}
.card{background:var(--wash);border-radius:.8rem;padding:1.1rem 1.3rem 1rem}
.card h3{margin:0;display:flex;flex-wrap:wrap;justify-content:space-between;gap:.2rem .8rem}
.card small{font-weight:400}
.card p{margin:.2rem 0;font-size:.88rem;color:var(--soft)}
.card .big{font-size:1.7rem;line-height:1.25;margin:.5rem 0 0;color:var(--ink);
  font-variant-numeric:tabular-nums;letter-spacing:-.02em}
.was{color:var(--soft)}
.card.risk .big b{color:var(--risk)}
.card.keep .big b{color:var(--keep)}
sup{line-height:0}
.card .strip{width:100%;max-width:22rem;height:auto;margin:.4rem 0}
.strip{display:block;width:150px;height:16px}
.rail{stroke:var(--line);stroke-width:2}
.strip .floor{stroke:var(--ink);stroke-width:1.2;opacity:.65}
.span{stroke-width:3;opacity:.45}
.before{fill:var(--paper);stroke:var(--soft);stroke-width:1.4}
.risk .span{stroke:var(--risk)}.risk .after{fill:var(--risk)}
.keep .span{stroke:var(--keep)}.keep .after{fill:var(--keep)}
"""
TABLES = """
.wide{overflow-x:auto;margin:.4rem 0 1.2rem;max-width:100%}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
.caption{margin:1.6rem 0 .4rem;font-size:.9rem}
th,td{text-align:left;padding:.4rem .9rem .4rem 0;border-bottom:1px solid var(--line);
  vertical-align:top;white-space:nowrap}
thead th{font-weight:600;font-size:.92em;vertical-align:bottom;white-space:normal;min-width:5.5rem}
tbody th{font-weight:500;min-width:11rem}
thead th:first-child{min-width:11rem}
.set{display:block;font-size:.85em;font-weight:400;white-space:nowrap}
.star{display:inline-block;margin-left:.4em;white-space:nowrap;font-size:.75em;
  font-weight:600;padding:0 .5em;border-radius:1em;border:1px solid var(--soft);color:var(--soft)}
tr.chosen th,tr.chosen td:not(.tip){background:var(--here)}
tr.group th{padding-top:.9rem;font-weight:600;border-bottom:2px solid var(--line)}
tr.first th,tr.first td{border-bottom:2px solid var(--line);font-weight:600}
.people tbody th{min-width:9rem}
.heat{border-collapse:separate;border-spacing:2px}
.heat th{border:0;padding:.3rem .8rem .3rem .3rem}
.heat thead th{min-width:4.6rem;padding:.3rem;text-align:center}
.heat thead th:first-child{text-align:left}
.heat td{border:0;border-radius:.3rem;text-align:center;padding:.5rem;vertical-align:middle;
  cursor:default}
.heat tbody th{position:sticky;left:0;background:var(--paper);z-index:1}
.heat tr.chosen th{background:var(--here);border-radius:.3rem}
.heat .best{font-weight:700}
.scale{display:flex;align-items:center;flex-wrap:wrap;gap:2px;font-size:.85rem;color:var(--soft)}
.scale span:empty{width:1.5rem;height:.9rem;border-radius:2px;
  box-shadow:inset 0 0 0 1px var(--line)}
.scale span:not(:empty){margin:0 .6rem 0 .4rem}
.switch input{position:absolute;opacity:0}
.switch label{display:inline-block;padding:.3rem .9rem;border:1px solid var(--line);
  border-radius:2rem;margin:0 .2rem .4rem 0;cursor:pointer;font-size:.92rem}
.switch input:checked+label{background:var(--ink);color:var(--paper);border-color:var(--ink);
  font-weight:600}
.switch input:focus-visible+label{outline:3px solid var(--link);outline-offset:2px}
.ask{margin-right:.6rem}
.panel{display:none}
"""
SWITCH = "".join(f"input.k{i}:checked~.panel.k{i}{{display:block}}" for i in range(4))
CHARTS = """
.chart,.matrix{display:block;width:100%;height:auto}
.chart{font-size:13px;overflow:visible}
svg text{fill:var(--ink)}
svg text.soft{fill:var(--soft)}
svg .strong{font-weight:600}
.chart text{paint-order:stroke;stroke:var(--paper);stroke-width:5px;stroke-linejoin:round}
.grid{stroke:var(--line)}
.axis,.tick{stroke:var(--soft)}
.chart .floor{stroke:var(--soft);stroke-width:1.3;fill:none}
.f0{stroke-dasharray:2 3}.f1{stroke-dasharray:6 3}.f2{stroke-dasharray:8 3 2 3}
.line{fill:none;stroke-width:2;stroke-linejoin:round;opacity:.75}
.whisker{fill:none;stroke-width:1.3;opacity:.5}
.mark{stroke:var(--paper);stroke-width:1.2}
.clean{fill:var(--ink);stroke:var(--ink)}
.hit{fill:none;stroke:none;pointer-events:all}
.ring{fill:none;stroke:var(--ink);stroke-width:1.5}
.chart .tip{cursor:default;outline-offset:4px}
.chart .tip:hover .mark,.chart .tip:focus .mark{stroke:var(--ink);stroke-width:2}
.glyph{width:30px;height:14px;margin-right:.45rem;vertical-align:-.1em;display:inline-block}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;list-style:none;padding:0;margin:.5rem 0 1rem;
  font-size:.9rem}
.plots{display:grid;grid-template-columns:minmax(0,1.75fr) minmax(0,1fr);gap:1.5rem 2.5rem;
  align-items:end;margin:1rem 0}
.plots>.beside:first-child{grid-column:1/-1;gap:1.5rem 2.5rem;
  grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),26rem))}
.beside{display:grid;gap:1rem}
.below{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),26rem));
  gap:1.5rem 2.5rem;margin:1.5rem 0}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));
  gap:1.5rem 2rem;margin:1rem 0;max-width:66rem}
.pair figcaption{margin:0 0 .5rem;font-weight:600;min-height:3em;overflow-wrap:anywhere}
.pair small{font-weight:400}
.swatch{width:24px;height:14px;display:block}
.swatch path{stroke-width:14;fill:none}
.matrix g path{stroke-width:1.02;fill:none}
.edge{fill:none;stroke:var(--soft)}
.diagonal{stroke:var(--line);stroke-width:1.5}
.live{display:none}
.scripted .live{display:block}
select{font:inherit;max-width:100%;padding:.3rem .5rem;color:inherit;background:var(--paper);
  border:1px solid var(--soft);border-radius:.4rem}
#tip{position:absolute;z-index:9;max-width:min(22rem,94vw);padding:.5rem .8rem;border-radius:.5rem;
  background:var(--ink);color:var(--paper);font-size:.85rem;line-height:1.4;white-space:pre-line;
  pointer-events:none;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
"""
MARKS = "".join(f".s{i}{{stroke:var(--s{i});fill:var(--s{i})}}" for i in range(7)) + "".join(
    f".line.d{i}{{fill:none;stroke-dasharray:{dash}}}" for i, dash in enumerate(DASHES)
)
MEDIA = f"""
@media (max-width:56rem){{.plots{{grid-template-columns:minmax(0,1fr)}}
  .beside{{grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr))}}}}
@media (max-width:36rem){{body{{padding:1.2rem 1rem 3rem}}.lead{{font-size:1.1rem}}
  section{{margin-top:2.4rem}}dl{{grid-template-columns:minmax(0,1fr);gap:0}}dd{{margin:0 0 .6rem}}
  .large .chart{{font-size:20px}}.chart{{font-size:15px}}tbody th{{min-width:9rem}}
  tbody th{{white-space:normal}}.heat tbody th{{min-width:7.5rem;max-width:8rem}}
  .pair figure{{overflow-x:auto}}.matrix{{min-width:28rem}}}}
@media (prefers-reduced-motion:no-preference){{html{{scroll-behavior:smooth}}}}
@media screen{{{heat(WARM)}}}
@media screen and (prefers-color-scheme:dark){{:root{{{variables(DARK)}}}{heat(GLOW)}}}
@media print{{@page{{size:A4;margin:16mm 14mm}}
  {heat(WARM)}
  body{{padding:0;max-width:none}}html{{font-size:9.2pt}}nav,#tip,.ask,.switch input,.switch label,
  .scripted .live,.scale{{display:none}}
  .panel{{display:block}}td,th,.heat td{{color:#000;background:none}}
  .heat td{{border:1px solid #bbb}}
  .card,.mind,.bag{{border:1px solid #bbb;background:none}}.warning{{background:none}}
  .wide{{overflow:visible}}table{{font-size:.86rem}}thead{{display:table-header-group}}
  tr,figure,.card,.chart,.bag,.caption{{break-inside:avoid}}h2,h3,.caption{{break-after:avoid}}
  #frontier,#attackers,#topic,#confusion,#people,#guarantee{{break-before:page}}
  .plots{{grid-template-columns:1.75fr 1fr}}th,td{{padding:.25rem .5rem .25rem 0;
  white-space:normal}}.heat td{{padding:.25rem}}
  tbody th,thead th,thead th:first-child{{min-width:0}}.strip{{width:80px;height:11px}}
  .pair,.below{{grid-template-columns:1fr 1fr}}.cards{{grid-template-columns:repeat(3,1fr)}}
  section{{margin-top:1.6rem}}.chart{{font-size:14px}}tr.group{{break-after:avoid}}}}
"""
STYLE = "".join((TEXT, CARDS, TABLES, SWITCH, CHARTS, MARKS, MEDIA))
