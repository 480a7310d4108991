"""How the pictures look: rules that take every colour from the page's custom properties."""

from __future__ import annotations

COLOURS = 7  # of marks

PAPER = """
.np{display:block;width:100%;height:auto;font-family:inherit}
.np text{fill:var(--ink)}
.np text.np-soft{fill:var(--soft)}
.np .np-head{font-weight:600}
"""
CLOUD = """
.np text.np-w0{fill:var(--s0)}
.np text.np-w1{fill:var(--s4)}
.np text.np-w2{fill:var(--ink)}
.np text.np-w3{fill:var(--soft)}
"""
MAP = """
.np .np-edge{fill:var(--wash);stroke:var(--line)}
.np .np-off{fill:none;stroke:var(--s2);stroke-width:1.3;stroke-linecap:round;opacity:.8}
.np .np-dot{fill:var(--soft)}
.np .np-came{fill:var(--s2);fill-opacity:.3;stroke:var(--s2);stroke-opacity:.8}
.np .np-near,.np .np-middle{paint-order:stroke;stroke:var(--wash);stroke-width:3px;
  stroke-linejoin:round;pointer-events:none}
.np text.np-near{fill:var(--soft)}
.np text.np-landed{fill:var(--ink)}
.np .np-middle{font-weight:700;stroke-width:4px}
"""
PASSAGES = """
.np text.np-field{fill:var(--soft)}
.np .np-one{fill:none;stroke:var(--soft);stroke-width:2.6;stroke-linecap:round}
.np .np-many{fill:var(--s0)}
.np .np-drawn{fill:var(--s2);fill-opacity:.35;stroke:var(--s2);stroke-width:2.5}
"""
BARS = """
.np .np-rail{fill:var(--line)}
.np .np-name-bar{fill:var(--soft)}
.np .np-mine-bar{fill:var(--risk)}
.np .np-mine{font-weight:700}
.np .np-tag{fill:none;stroke:var(--risk)}
.np text.np-on{fill:var(--risk);font-weight:600}
.np .np-spent{fill:var(--keep)}
.np .np-asked{fill:var(--keep);fill-opacity:.22}
.np .np-asked-hatch{stroke:var(--keep);stroke-width:2;fill:none}
.np .np-over{fill:var(--warn);fill-opacity:.15}
.np .np-over-hatch{stroke:var(--warn);stroke-width:1.6;fill:none}
.np .np-limit{stroke:var(--ink);stroke-width:3}
"""
TRADE = """
.np-trade text.soft{fill:var(--soft)}
.np-trade .strong{font-weight:600}
.np-trade text{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
.np-trade .grid{stroke:var(--line)}
.np-trade .axis,.np-trade .tick{stroke:var(--soft)}
.np-trade .floor{stroke:var(--soft);stroke-width:1.4;fill:none}
.np-trade .f1{stroke-dasharray:6 4}
.np-trade .f2{stroke-dasharray:9 3 2 3}
.np-trade .whisker{fill:none;stroke-width:1.3;opacity:.5}
.np-trade .mark{stroke:var(--paper);stroke-width:1.2}
.np-trade .clean{fill:var(--ink);stroke:var(--ink)}
.np-trade .hit{fill:none;stroke:none;pointer-events:all}
.np-trade .ring{fill:none;stroke:var(--ink);stroke-width:2}
"""
MARKS = "".join(f".np-trade .s{i}{{stroke:var(--s{i});fill:var(--s{i})}}" for i in range(COLOURS))
LINES = "\n.np-trade .line{fill:none;stroke-width:2;stroke-linejoin:round;opacity:.75}\n"
RULES = "".join((PAPER, CLOUD, MAP, PASSAGES, BARS, TRADE, MARKS, LINES))
