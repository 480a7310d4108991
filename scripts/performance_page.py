"""Writes docs/performance.md from benchmarks/results: no figure on it is typed in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "benchmarks" / "results", ROOT / "docs" / "performance.md"

HEAD = """# Performance

Made by `scripts/performance_page.py` from `benchmarks/results/`; every section names the file
that measures it. All on two shared cores of one machine (AMD EPYC with AVX-512 and 8-bit
products), so that ratios mean more than rates: each is against a ceiling or a peer in the same
run. `nomdeplume bench` measures your machine; [the guide](guide/speed.md) says what to choose.
"""


def main() -> None:
    sections = (search, certified, scaling, peers, end_to_end, start, memory)
    PAGE.write_text("\n".join([HEAD, *(section() for section in sections)]), encoding="utf-8")


def search() -> str:
    found = read("nearest")
    rows = [
        (
            table["table"], f"{table['words']:,} × {table['dimensions']}", f"{each['epsilon']:g}",
            percent(each["unchanged"]), rate(each["float32 product, words per second"]),
            rate(each["exact, words per second"]), percent(each["exact, share of the product"]),
            rate(each["auto, words per second"]), times(each["auto, times the product"]),
            rate(each["scan, words per second"]), times(each["scan, times exact"]),
            f"{each['scan, same as exact']:.4f}",
        )
        for table in found["tables"] for each in table["noise"]
    ]  # fmt: skip
    head = (
        "table", "words × dimensions", "ε", "unchanged", "float32 product", "exact",
        "of the product", "auto", "× product", "scan", "× exact", "agreement",
    )  # fmt: skip
    same = min(each["auto, same as exact"] for t in found["tables"] for each in t["noise"])
    return f"""## The search, beside the product it consists of

Words a second, {found["queries"]:,} at a time. The product is the same one in float32, blocked,
without a look at its scores, at its best block. `exact` keeps to float32, `auto` takes 8-bit
products where they are faster, `scan` is compressed. Of the answers of `auto`, {percent(same)}
are those of `exact`; agreement is the share of `scan`'s. (`benchmarks/nearest.py`)

{grid(head, rows)}
"""


def certified() -> str:
    found = read("certified")
    wrong = ", ".join(
        f"{name}: {count}" for name, count in found["farther than the nearest"].items()
    )
    shares = [percent(share) for share in found["unchanged, by epsilon"].values()]
    return f"""## Exact means exact

{found["noisy words"]:,} noisy words among {found["words"]:,} × {found["dimensions"]}, with
{shares[0]} to {shares[-1]} of them unchanged, against float64 brute force. Answers farther than
the nearest word: {wrong}. (`benchmarks/certified.py`)
"""


def scaling() -> str:
    found = read("scaling")
    parts = []
    for title, series in found.items():
        first = next(iter(series.values()))
        rows = [
            (name, rate(each["exact"]), times(each["exact"] / first["exact"]),
             rate(each["auto"]), times(each["auto"] / first["auto"]))
            for name, each in series.items()
        ]  # fmt: skip
        head = (title.partition(",")[0], "exact", "× first", "auto", "× first")
        parts.append(f"{title.capitalize()}:\n\n{grid(head, rows)}")
    joined = "\n".join(parts)
    return f"""## How it scales

`glove-6b-100d`, and its first so many words. Few words at a time leave the product little to
share: a text alone is slower a word than a corpus. (`benchmarks/scaling.py`)

{joined}"""


def peers() -> str:
    found, packages = read("search-peers"), read("peers")
    rows = [
        (table["table"], name, rate(speed), str(table["not the nearest word"][name]))
        for table in found["tables"]
        for name, speed in table["words per second"].items()
    ]
    packaged = [(name, f"{value:,}") for name, value in packages.items() if name != "table"]
    return f"""## Beside others

Searches among all words, on all cores, and how many answers are not the nearest word in
float64. (`benchmarks/search_peers.py`)

{grid(("table", "search", "words a second", "not the nearest"), rows)}
From text to released words, beside the packages nearby (`benchmarks/peers.py`):

{grid(("", "words a second"), packaged)}"""


def end_to_end() -> str:
    said = "JSONL in and out through the installed command, on the bundled table."
    return listed("From end to end", "end-to-end", "benchmarks/end_to_end.py", said)


def start() -> str:
    return listed("Starting", "start", "benchmarks/start.py", "Seconds of whole commands.")


def memory() -> str:
    said = "Peak of releasing one million words, in megabytes."
    return listed("Memory", "memory", "benchmarks/memory.py", said)


def listed(title: str, name: str, file: str, said: str) -> str:
    """A section of plain figures, as the benchmark names them."""
    rows = list(flat(read(name)))
    return f"## {title}\n\n{said} (`{file}`)\n\n{grid(('', ''), rows)}"


def flat(found: Any, before: str = "") -> Iterable[tuple[str, str]]:
    for name, value in found.items():
        said = f"{before}: {name}" if before else name
        if isinstance(value, dict):
            yield from flat(value, said)
        else:
            yield said, f"{value:,}" if isinstance(value, int | float) else str(value)


def read(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def rate(number: float) -> str:
    return f"{number:,.0f}"


def percent(share: float) -> str:
    return (
        f"{100 * share:.0f} %"
        if share in (0, 1) or 0.1 <= share < 0.995
        else f"{100 * share:.1f} %"
    )


def times(ratio: float) -> str:
    return f"{ratio:.2f}"


if __name__ == "__main__":
    main()
