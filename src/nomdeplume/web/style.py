"""The look of the page: colours of light and dark ground, and a layout from phones to walls."""

from __future__ import annotations

from nomdeplume.evaluate.report.colours import DARK, LIGHT, variables
from nomdeplume.picture.drawing import STEPS
from nomdeplume.picture.writing import DARK as DIM
from nomdeplume.picture.writing import shade

WALLS = {1800: 1.15, 2400: 1.4, 3200: 1.75}  # px from which all of it is larger, and how much
LARGER = "\n".join(
    f"@media (min-width:{width}px){{.q-layout,.q-menu>*,.q-notifications__list{{zoom:{zoom}}}}}"
    for width, zoom in WALLS.items()
)

RULES = f"""
body{{{variables(LIGHT)};--q-primary:{LIGHT["link"]}!important;--q-positive:#15803d!important;
  --q-warning:#9a3412!important;background:var(--paper);color:var(--ink)}}
body.body--dark{{{variables(DARK)};--q-primary:{DARK["link"]}!important;background:var(--paper);
  color:var(--ink)}}
body,.q-field,.q-btn,.q-tab{{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
  font-size:1rem;letter-spacing:normal}}
.q-btn,.q-tab{{text-transform:none}}
@layer overrides{{.body--dark .q-btn.bg-primary{{color:{DARK["paper"]}!important}}}}
.q-header.np-head{{background:var(--wash)!important;color:var(--ink);
  border-bottom:1px solid var(--line);box-shadow:none;padding:.2rem 0 0;gap:0}}
.np-bar{{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem 1rem;width:100%;
  max-width:80rem;margin:0 auto;padding:0 1rem}}
.np-bar h1{{font-size:1.15rem;line-height:1.4;font-weight:650;margin:0;letter-spacing:.01em}}
.np-col>.q-btn{{align-self:flex-start}}
.np-bar .np-soft{{flex:1;min-width:10rem}}
.nicegui-content{{padding:0!important}}
.np-page{{width:100%;max-width:80rem;margin:0 auto;padding:0 1rem 3rem;display:block}}
.q-tab-panels,.q-tab-panel{{background:transparent!important;padding:0}}
.q-tab-panel{{padding:1rem 0}}
.q-tabs{{width:100%}}
.np-two{{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,7fr);gap:1.6rem 2.4rem;
  width:100%;align-items:start}}
.np-even{{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}
.np-page>.q-tab-panels,.q-tab-panel{{overflow:visible}}
.np-col{{display:flex;flex-direction:column;gap:.9rem;min-width:0}}
.np-row{{display:flex;flex-wrap:wrap;gap:.7rem;align-items:center}}
.np-card{{background:var(--wash);border:1px solid var(--line);border-radius:.6rem;
  padding:1rem 1.2rem;min-width:0;display:flow-root}}
.np-card>*+*{{margin-top:.6rem}}
.np-card>h3{{margin-top:1rem}}
h2,.np-h2{{font-size:1.15rem;font-weight:650;line-height:1.35;margin:0 0 .3rem}}
h3{{font-size:1rem;font-weight:650;line-height:1.4;margin:.6rem 0 .2rem}}
p{{margin:.35rem 0;line-height:1.5;max-width:46rem}}
.np-soft{{color:var(--soft);font-size:.92rem}}
.np-warn{{color:var(--warn);font-weight:600}}
.np-big{{font-size:1.35rem;font-weight:650;line-height:1.3}}
.np-ends{{display:flex;justify-content:space-between;gap:1rem;color:var(--soft);font-size:.88rem;
  line-height:1.3}}
.np-ends span:last-child{{text-align:right}}
.np-words{{line-height:1.7;overflow-wrap:anywhere;font-size:.98rem;max-width:none}}
.np-title{{font-weight:650}}
.np-odds{{border-collapse:collapse;margin:.5rem 0;width:100%}}
.np-odds caption{{text-align:left;color:var(--soft);font-size:.9rem;padding-bottom:.2rem}}
.np-odds th{{text-align:left;font-weight:400;padding:.25rem .6rem .25rem 0}}
.np-odds td{{text-align:right;font-variant-numeric:tabular-nums;font-weight:600}}
.np-odds tr{{border-bottom:1px solid var(--line)}}
sup{{font-size:.72em;line-height:0;vertical-align:.5em}}
details summary{{cursor:pointer;color:var(--link)}}
.np-picture svg{{display:block;width:100%;height:auto;max-height:78vh}}
.np-picture{{width:100%;min-height:2rem}}
.np-flow{{overflow-x:auto}}
.np-flow svg{{min-width:34rem;max-height:none;border-radius:.4rem}}
.np-flow .paper{{fill:none}}
.np-flow text{{fill:var(--ink)}}
.np-flow .soft{{fill:var(--soft)}}
.np-flow .bar{{fill:var(--soft)}}
.np-flow .over{{fill:var(--paper)}}
{"".join(f".body--dark .np-flow .t{i}{{stroke:{shade(i / STEPS, DIM)}}}" for i in range(STEPS + 1))}
.np-curves{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));
  gap:1rem}}
.np-curves svg{{font-size:13px;fill:var(--ink)}}
.np-curves .soft{{fill:var(--soft)}}
.np-curves .strong{{font-weight:600}}
.np-curves .grid{{stroke:var(--line)}}
.np-curves .tick{{stroke:var(--soft)}}
.np-curves .here{{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 3}}
.np-curves .curve path{{fill:none;stroke-width:2.5;stroke-linejoin:round}}
.np-curves .curve circle{{stroke:none}}
.np-curves .one{{stroke:var(--s0)}}.np-curves .one circle{{fill:var(--s0)}}
.np-curves .two{{stroke:var(--s1);stroke-dasharray:7 4}}.np-curves .two circle{{fill:var(--s1)}}
.np-curves .three{{stroke:var(--s2);stroke-dasharray:2 4}}.np-curves .three circle{{fill:var(--s2)}}
.np-curves .four{{stroke:var(--s3)}}.np-curves .four circle{{fill:var(--s3)}}
.np-curves .five{{stroke:var(--s4);stroke-dasharray:7 4}}.np-curves .five circle{{fill:var(--s4)}}
a{{color:var(--link)}}
.q-field__label,.q-field__native,.q-field__messages,.q-uploader,.q-field__bottom,.q-item,
.q-select__dropdown-icon{{color:var(--ink)!important}}
.q-field__label,.q-field__messages,.q-field__bottom{{color:var(--soft)!important}}
.q-field--outlined .q-field__control:before{{border-color:var(--soft)!important}}
.q-uploader{{width:100%;background:transparent;border:1px dashed var(--soft);border-radius:.5rem;
  box-shadow:none;max-height:none}}
.q-uploader__header{{background:transparent!important;color:var(--ink)!important}}
.q-uploader__list{{display:none}}
.q-uploader__subtitle{{display:none}}
.q-menu,.q-card{{background:var(--paper)!important;color:var(--ink)!important}}
:focus-visible{{outline:3px solid var(--link);outline-offset:2px;border-radius:.2rem}}
.np-slider{{width:100%;height:1.6rem;margin:0;accent-color:var(--link);cursor:pointer}}
.np-skip{{position:absolute;left:-99rem}}
.np-skip:focus{{left:1rem;top:.5rem;background:var(--paper);padding:.4rem .8rem;z-index:9999}}
@media (max-width:60rem){{.np-two,.np-even{{grid-template-columns:minmax(0,1fr)}}}}
@media (max-width:30rem){{.np-page{{padding:0 .7rem 2rem}}.np-card{{padding:.8rem}}
  .np-bar .np-soft{{display:none}}.q-tab{{padding:0 .2rem;flex:1 1 0;min-width:0}}
  .q-tab__label{{font-size:.84rem;line-height:1.15;white-space:normal}}
  .q-tabs__arrow{{display:none!important}}}}
{LARGER}
@media (prefers-reduced-motion:reduce){{*{{transition:none!important;animation:none!important}}}}
"""
