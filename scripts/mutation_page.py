"""What became of the mutants: tests/soak/results/mutation.json, and docs/mutation.md from it.

    python scripts/mutation_page.py --collect   # from build/mutation, and then the page
    python scripts/mutation_page.py             # the page from the results that are kept

Why a survivor is no hole is told in tests/soak/mutants.json, by what was changed and how.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from importlib.metadata import version
from math import sqrt
from pathlib import Path
from platform import python_version
from typing import Any

ROOT = Path(__file__).parents[1]
TOLD = ROOT / "tests" / "soak" / "mutants.json"
KEPT = ROOT / "tests" / "soak" / "results" / "mutation.json"
PAGE = ROOT / "docs" / "mutation.md"
NUMBERS = ("mutants", "tried", "killed", "by new tests", "survived", "explained")
Z = 1.96  # of an interval of 95 %


def collect(command: str) -> dict[str, Any]:
    """All that the page says, in one value."""
    from mutants import mutants
    from mutation import CONTROL, COVERED, TREE, files, results

    told = {
        (file, each["before"], each["after"]): kind
        for kind, listed in json.loads(TOLD.read_text(encoding="utf-8"))["explained"].items()
        for each in listed
        for file in [each["file"]]
    }
    modules: dict[str, Counter[str]] = {}
    for file in files():
        made = mutants(TREE, file)
        wording = sum(each.wording for each in made)
        modules[file] = Counter(mutants=len(made) - wording, wording=wording)
    new = json.loads(TOLD.read_text(encoding="utf-8"))["new tests"]
    survivors = []
    for row in sorted(results(), key=lambda row: (row["file"], row["number"])):
        dead = row["status"] == "killed"  # no end in time is no proof
        modules[row["file"]]["tried"] += 1
        modules[row["file"]]["killed" if dead else "survived"] += 1
        modules[row["file"]]["by new tests"] += any(each in row["by"] for each in new)
        if not dead:
            change = {name: row[name] for name in ("file", "line", "kind", "before", "after")}
            why = told.get((row["file"], row["before"], row["after"]))
            modules[row["file"]]["explained"] += why is not None
            survivors.append(change | {"why": why})
    tests = json.loads(COVERED.read_text(encoding="utf-8"))["seconds"]
    return {
        "made with": {"mutmut": version("mutmut"), "python": python_version()},
        "command": command,
        "tests": len(tests),
        "control": json.loads(CONTROL.read_text(encoding="utf-8")),
        "modules": {file: dict(counts) for file, counts in modules.items() if counts["mutants"]},
        "survivors": survivors,
    }


def packages(kept: dict[str, Any]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for file, counts in kept["modules"].items():
        found[file.split("/")[2].removesuffix(".py")].update(counts)
    return found


def score(counts: Counter[str], *, less: bool) -> float:
    """The share of mutants that a test minds; `less` leaves out survivors that are explained."""
    return counts["killed"] / max(1, counts["tried"] - (counts["explained"] if less else 0))


def interval(counts: Counter[str], *, less: bool) -> tuple[float, float]:
    """Wilson's, for what all mutants would score; none is needed where all were tried."""
    p, n = score(counts, less=less), counts["tried"] - (counts["explained"] if less else 0)
    if counts["tried"] == counts["mutants"]:
        return p, p
    middle, half = p + Z**2 / (2 * n), Z * sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    return (middle - half) / (1 + Z**2 / n), (middle + half) / (1 + Z**2 / n)


def over_all(kept: dict[str, Any], *, less: bool) -> tuple[float, float]:
    """The score over all packages, each by its number of mutants, and its standard error."""
    found = packages(kept)
    total = sum(counts["mutants"] for counts in found.values())
    mean, variance = 0.0, 0.0
    for counts in found.values():
        share, p = counts["mutants"] / total, score(counts, less=less)
        n = counts["tried"] - (counts["explained"] if less else 0)
        mean += share * p
        left = 1 - counts["tried"] / counts["mutants"]
        variance += share**2 * p * (1 - p) / max(1, n) * left
    return mean, sqrt(variance)


def without_new(kept: dict[str, Any]) -> dict[str, Any]:
    """The same as if the tests that survivors led to had not been written."""
    modules = {}
    for file, counts in kept["modules"].items():
        new = counts.get("by new tests", 0)
        modules[file] = counts | {"killed": counts.get("killed", 0) - new}
    return kept | {"modules": modules}


def percent(number: float) -> str:
    return f"{100 * number:.1f} %"


def page(kept: dict[str, Any]) -> str:
    told = json.loads(TOLD.read_text(encoding="utf-8"))
    (bare, off), (less, off_less) = (over_all(kept, less=less) for less in (False, True))
    kinds = Counter(each["why"] for each in kept["survivors"] if each["why"])
    unchanged = sum(kept["control"].values())
    killed, late = (kept["control"].get(each, 0) for each in ("killed", "timeout"))
    about = {"unchanged": unchanged, "mistaken": killed, "late": late}
    lines = [HEAD.format(**kept, **about, mutmut=kept["made with"]["mutmut"]).rstrip(), ""]
    lines += ["## Scores", "", *_head("package", "score", "score without the explained")]
    for name, counts in packages(kept).items():
        scores = (_scored(counts, less=less) for less in (False, True))
        lines.append(_row(f"`{name}`", counts, *scores))
    lines += [
        "",
        "Over all mutants, each package by how many it has:",
        f"**{percent(bare)}** (± {percent(Z * off)}) of all that were tried, and",
        f"**{percent(less)}** (± {percent(Z * off_less)}) without the survivors explained below.",
    ]
    before, off_before = over_all(without_new(kept), less=True)
    lines += [
        "",
        "Tests were written for survivors of this very sample, so it flatters them. Without all",
        f"that they killed the score is **{percent(before)}** (± {percent(Z * off_before)}),",
        "explained ones left out: mutants that nobody has looked at would score between the two.",
        *_fresh(kept.get("fresh")),
    ]
    lines += ["", "## Modules", "", *_head("module", "only wording, not tried")]
    for file, numbers in kept["modules"].items():
        name = file.removeprefix("src/nomdeplume/")
        lines.append(_row(f"`{name}`", Counter(numbers), str(numbers.get("wording", 0))))
    lines += [
        "",
        "## Survivors that are no holes",
        "",
        "| kind | how many | why |",
        "|---|---:|---|",
    ]
    for kind, why in told["kinds"].items():
        if kinds[kind]:
            lines.append(f"| {kind} | {kinds[kind]} | {why} |")
    lines += ["", "## Survivors that are left", ""]
    left = [_told(each) for each in kept["survivors"] if not each["why"]]
    lines += left or ["None of those that were tried."]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _fresh(found: dict[str, Any] | None) -> list[str]:
    """A sample that no test was written for before it was drawn."""
    if not found:
        return []
    share, shown = (
        percent(found["killed"] / found["tried"]),
        f"{found['killed']} of {found['tried']}",
    )
    return [
        "",
        f"A second sample (seed {found['seed']}, a first look of {found['seconds']} s each), drawn",
        f"after that: {shown} were killed, **{share}**, nothing subtracted;",
        "the first had as many before tests were written for it. The ledger, which is in neither:",
        f"{found['ledger killed']} of {found['ledger tried']}, in the same way.",
    ]


def _told(each: dict[str, Any]) -> str:
    name = each["file"].removeprefix("src/nomdeplume/")
    return f"- `{name}`: `{each['before']}` → `{each['after']}`"


def _head(first: str, *more: str) -> list[str]:
    titles = (first, *NUMBERS, *more)
    return [f"| {' | '.join(titles)} |", "|---" + "|---:" * (len(titles) - 1) + "|"]


def _scored(counts: Counter[str], *, less: bool) -> str:
    low, high = interval(counts, less=less)
    within = f" ({100 * low:.0f}–{100 * high:.0f})" if low < high else ""
    return percent(score(counts, less=less)) + within


def _row(name: str, counts: Counter[str], *more: str) -> str:
    return f"| {' | '.join([name, *(str(counts[each]) for each in NUMBERS), *more])} |"


COMMAND = """$ python scripts/mutation.py cover
$ python scripts/mutation.py run --sample 700 --seed 1 --most 3            # as far as time allowed
$ python scripts/mutation.py run --sample 700 --seed 1 --most 12 --again   # and then --most 60
$ python scripts/mutation.py control --sample 12 --seed 3 --most 3
$ python scripts/mutation_page.py --collect"""
HEAD = """# Mutants

The code that privacy rests on is changed, one small thing at a time, and the tests that run
the changed line are run. If none of them fails, the mutant has survived: a test is missing, or the
change makes no difference. `make mutation` does it; `scripts/mutation_page.py` makes this page
of `tests/soak/results/mutation.json`.

- Changes are made by the operators of mutmut {mutmut}: other operators and comparisons, other
  constants, arguments lost, assignments of nothing, branches forced. `scripts/mutants.py` adds
  conditions turned round, results lost, and calls and refusals left out; and it looks into
  properties, cached functions and constants, which mutmut passes over
  ([decision 41](decisions/0041-mutants-by-mutmut-tried-by-a-runner-of-ours.md)).
- A mutant is tried in a process of its own, which has imported nothing of ours before, under a
  limit of time, against {tests:,} quick tests, doctests among them: those that run its
  line, the quick and special ones first, for some seconds. Survivors are tried again with
  more of them.
- Mutants that change nothing are tried in the same way, drawn at random: of
  {unchanged}, {mistaken} were killed and {late} had no end in time. No mutant is counted as
  killed for its time alone.
- Six mutants whose tests had no end in time were put down as survivors by hand. Why a
  survivor is no hole is argued by a reader of the code, and in no way proved.
- What only changes the words of an error is counted, and not tried.
- Where not all mutants were tried, those that were are drawn at random from their package,
  all alike, and brackets hold 95 %.

```console
{command}
```

"""

if __name__ == "__main__":
    if "--collect" in sys.argv:
        made = collect(COMMAND)
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(json.loads(KEPT.read_text(encoding="utf-8"))), encoding="utf-8")
