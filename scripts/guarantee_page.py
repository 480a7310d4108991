"""Writes the tables of docs/guarantee.md: the promises in numbers.

    python scripts/guarantee_page.py

Every number is what the program states for the bundled table, or the median over public
newsgroup posts that benchmarks/posts_apart.py measured (benchmarks/results/posts-apart.json).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nomdeplume import Obfuscator
from nomdeplume.privacy.loss import Loss
from nomdeplume.privacy.promise import Promise

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "guarantee.md"
APART = ROOT / "benchmarks" / "results" / "posts-apart.json"
BUDGETS = (20.0, 5.0, 1.0, 0.5)
WORDS = (10, 30, 100, 300, 1000)
BEGIN, END = "<!-- {}: begin -->\n", "<!-- {}: end -->"


def main() -> None:
    made = {budget: Obfuscator.mean(budget=budget) for budget in BUDGETS}
    parts = {
        "one word": one_word(made[20.0].promises[0]),
        "budgets": budgets({budget: each.promises[0] for budget, each in made.items()}),
        "delta": delta(made),
    }
    page = PAGE.read_text(encoding="utf-8")
    for name, text in parts.items():
        begin, end = BEGIN.format(name), END.format(name)
        around = re.compile(f"(?<={re.escape(begin)}).*?(?={re.escape(end)})", re.DOTALL)
        if not around.search(page):
            raise SystemExit(f"docs/guarantee.md must hold {begin.strip()} and {end}.")
        page = around.sub(lambda _, text=text: text, page)  # type: ignore[misc]
    PAGE.write_text(page, encoding="utf-8")


def one_word(promise: Promise) -> str:
    """The factor of one changed word by the mean, by the number of kept words."""
    found = promise.one_word
    assert found is not None
    rows = [(f"{m:,}", Loss(found.any / m).factor, Loss(found.usual / m).factor) for m in WORDS]
    head = ("kept words of the text", "any other word", "a word at the usual distance")
    return table(head, rows)


def budgets(promises: dict[float, Promise]) -> str:
    """Return the factors that the mean promises, at some budgets."""
    apart: dict[str, Any] = json.loads(APART.read_text(encoding="utf-8"))["newsgroups_authors"]
    rows = []
    for budget, promise in promises.items():
        found, odds = promise.one_word, {each.pair: each.loss for each in promise.odds}
        assert found is not None
        losses = (
            found.any / 100,
            odds["near"],
            odds["typical"],
            budget * apart["one topic"]["0.5"],
            budget * apart["two topics"]["0.5"],
            odds["any"],
        )
        rows.append((f"{budget:g}", *(plain(loss) for loss in losses)))
    head = (
        "E",
        "one word of 100 changed",
        "two versions of one letter",
        "a letter and a notice",
        "two posts on one topic (median)",
        "on two topics (median)",
        "any two texts",
    )
    return table(head, rows)


def delta(made: dict[float, Obfuscator]) -> str:
    """The pure factor between any two texts, and the factor up to δ, for some settings."""
    settings = {
        "the mean, E = 20 (8 dimensions)": made[20.0].promises[0],
        "the mean, E = 0.5": made[0.5].promises[0],
        "`--map vectors`, E = 0.5 (100 dimensions)": Obfuscator.mean(
            budget=0.5, map="vectors"
        ).promises[0],
        "word by word, ε = 6, N = 100": words_at(6.0),
        "word by word, ε = 0.005, N = 100 (E = 0.5)": words_at(0.005),
    }
    rows = []
    for name, promise in settings.items():
        odds = {each.pair: each for each in promise.odds}
        rows.append(
            (
                name,
                *(
                    cell
                    for pair in ("near", "any")
                    for cell in (plain(odds[pair].loss), plain(odds[pair].loss_at_delta))
                ),
            )
        )
    head = ("setting", "two versions of one letter", "up to δ", "any two texts", "up to δ")
    return table(head, rows)


def words_at(epsilon: float) -> Promise:
    return Obfuscator.laplace(epsilon=epsilon).promises[-1]


def plain(loss: float) -> str:
    """A factor as the program says it, without the power of ten."""
    return Loss(loss).factor.partition(" ")[0]


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    main()
