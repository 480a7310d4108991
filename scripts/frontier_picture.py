"""Draws docs/pictures/frontier-*.svg from benchmarks/results/frontier-*.json: two panels each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nomdeplume.picture.axis import Axis
from nomdeplume.picture.writing import safe

ROOT = Path(__file__).parents[1]
PANEL, GAP, LEFT, TOP, TALL = 380, 70, 58, 46, 300
CURVES = {
    "mean, 500 kept words": ("#1d4ed8", ""),
    "mean, all words": ("#0891b2", ""),
    "mean, shipped subjects, all words": ("#059669", ""),
    "laplace, 500 kept words": ("#c2410c", "7 4"),
    "exponential, 500 kept words": ("#be185d", "7 4"),
    "laplace, all words": ("#d97706", "7 4"),
    "the paper's setting": ("#6b7280", "2 3"),
}
TITLES = {"newsgroups_authors": "Newsgroups, 34 authors", "gutenberg": "Books, 5 authors"}


def main() -> None:
    for path in sorted((ROOT / "benchmarks" / "results").glob("frontier-*.json")):
        name = path.stem.removeprefix("frontier-")
        result = json.loads(path.read_text(encoding="utf-8"))
        target = ROOT / "docs" / "pictures" / f"frontier-{name}.svg"
        target.write_text(picture(TITLES[name], result["frontier"]), encoding="utf-8")


def picture(title: str, families: dict[str, list[dict[str, Any]]]) -> str:
    """Topic by budget, and author by topic."""
    points = [point for some in families.values() for point in some]
    low = max(0.0, min(point["topic"]["low"] for point in points))
    high = min(1.0, max(point["topic"]["high"] for point in points))
    budgets = [point["budget"] for point in points]
    first = Axis(min(budgets), max(budgets), LEFT, LEFT + PANEL, logarithmic=True)
    up = Axis(low, high, TOP + TALL, TOP)
    second = Axis(low, high, LEFT + PANEL + GAP, LEFT + 2 * PANEL + GAP)
    away = Axis(0, max(point["author"]["high"] for point in points), TOP + TALL, TOP)
    parts = [*_grid(first, up, "budget E of a document", "topic told"), *_legend()]
    parts += _grid(second, away, "topic told", "author named")
    for name, (colour, dashes) in CURVES.items():
        some = families[name]
        across = [(first.at(p["budget"]), p["topic"], up) for p in some]
        parts += _curve([(x, f, y) for x, f, y in across], name, colour, dashes)
        beside = sorted(some, key=lambda p: float(p["topic"]["value"]))
        parts += _curve(
            [(second.at(p["topic"]["value"]), p["author"], away) for p in beside],
            name,
            colour,
            dashes,
        )
    wide, tall = LEFT + 2 * PANEL + GAP + 20, TOP + TALL + 118
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" role="img">'
        f"<title>{title}</title><style>text{{font:13px sans-serif;fill:#616e7c}}"
        ".grid{stroke:#d9dfe5}.head{font-weight:600;fill:#1f2933}</style>"
        '<rect width="100%" height="100%" fill="#fff"/>'
        f'<text class="head" x="{LEFT}" y="20">{title}</text>{"".join(parts)}</svg>\n'
    )


def _grid(x: Axis, y: Axis, below: str, beside: str) -> list[str]:
    found = []
    for tick in y.ticks():
        at = y.at(tick)
        found.append(
            f'<line class="grid" x1="{x.start:.0f}" x2="{x.end:.0f}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text x="{x.start - 8:.0f}" y="{at + 4:.1f}" text-anchor="end">'
            f"{100 * tick:.0f} %</text>"
        )
    for tick in x.ticks():
        share = x.logarithmic
        label = f"{tick:g}" if share else f"{100 * tick:.0f} %"
        found.append(
            f'<text x="{x.at(tick):.1f}" y="{TOP + TALL + 18}" text-anchor="middle">{label}</text>'
        )
    middle = (x.start + x.end) / 2
    found.append(
        f'<text x="{middle:.0f}" y="{TOP + TALL + 38}" text-anchor="middle">{below}</text>'
    )
    found.append(f'<text x="{x.start:.0f}" y="{TOP - 10}">{beside}</text>')
    return found


def _curve(points: list[tuple[float, Any, Axis]], name: str, colour: str, dashes: str) -> list[str]:
    """A line through the figures, and their intervals as thin bars."""
    at = [(x, y.at(figure["value"])) for x, figure, y in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    bars = "".join(
        f'<path d="M{x:.1f},{y.at(f["low"]):.1f}V{y.at(f["high"]):.1f}" stroke="{colour}" '
        'opacity=".45"/>'
        for x, f, y in points
    )
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in at)
    line = f'fill="none" stroke="{colour}" stroke-width="2.2" stroke-dasharray="{dashes}"'
    return [f'<g><title>{safe(name)}</title>{bars}<polyline points="{path}" {line}/>{dots}</g>']


def _legend() -> list[str]:
    found = []
    for place, (name, (colour, dashes)) in enumerate(CURVES.items()):
        x, y = LEFT + 280 * (place % 3), TOP + TALL + 66 + 22 * (place // 3)
        found.append(
            f'<line x1="{x}" x2="{x + 28}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" '
            f'stroke-width="2.5" stroke-dasharray="{dashes}"/>'
            f'<text x="{x + 36}" y="{y}">{safe(name)}</text>'
        )
    return found


if __name__ == "__main__":
    main()
