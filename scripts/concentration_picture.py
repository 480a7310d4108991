"""Draws docs/pictures/concentration.svg from benchmarks/results/concentration.json."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULT = ROOT / "benchmarks" / "results" / "concentration.json"
PICTURE = ROOT / "docs" / "pictures" / "concentration.svg"
LEFT, TOP, WIDTH, HEIGHT = 62, 44, 560, 260
LOW, HIGH = 1.0, 18.0
CURVES = {
    "laplace": ("#c2410c", "", 10.6, 0.13),
    "laplace, rank": ("#c2410c", "7 4", 5.4, 0.60),
    "exponential, exact": ("#1d4ed8", "", 1.04, 0.08),
    "exponential, exact, rank": ("#1d4ed8", "7 4", 2.55, 0.8),
}


def place(epsilon: float, share: float) -> tuple[float, float]:
    across = (log(epsilon) - log(LOW)) / (log(HIGH) - log(LOW))
    return LEFT + across * WIDTH, TOP + (1 - share) * HEIGHT


def main() -> None:
    curves = json.loads(RESULT.read_text(encoding="utf-8"))["bundled table"]["curves"]
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = place(LOW, share)
        parts.append(f'<line class="grid" x1="{x}" x2="{x + WIDTH}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{100 * share:.0f} %</text>')
    for epsilon in (1, 2, 3, 4, 6, 8, 10, 16):
        x, y = place(epsilon, 0)
        parts.append(f'<text x="{x:.1f}" y="{y + 20}" text-anchor="middle">{epsilon}</text>')
    for name, (colour, dashes, at, high) in CURVES.items():
        points = [place(point["epsilon"], point["near"]) for point in curves[name]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        style = f'fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dashes}"'
        parts.append(f'<polyline points="{path}" {style}/>')
        x, y = place(at, high)
        parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" style="fill:{colour};font-weight:600">{name}</text>'
        )
    title = "Share of all words released as one of their 100 nearest others"
    below = "ε per word and unit of distance"
    x, y = place(4.2, 0)
    wide, tall = LEFT + WIDTH + 20, TOP + HEIGHT + 52
    PICTURE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" '
        f'role="img"><title>{title}</title><style>text{{font:13px sans-serif;fill:#616e7c}}'
        ".grid{stroke:#d9dfe5}.head{font-weight:600;fill:#1f2933}</style>"
        '<rect width="100%" height="100%" fill="#fff"/>'
        f'<text class="head" x="{LEFT}" y="24">{title}</text>{"".join(parts)}'
        f'<text x="{x:.1f}" y="{y + 42}" text-anchor="middle">{below}</text></svg>\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
