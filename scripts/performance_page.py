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
that measures it. All but the sections on cards on two shared cores of one machine (AMD EPYC with
AVX-512 and 8-bit products), so that ratios mean more than rates: each is against a ceiling or a
peer in the same run. `nomdeplume bench` measures your machine; [the guide](guide/speed.md) says
what to choose.
"""


def main() -> None:
    here = [search, certified, scaling, peers, end_to_end, start, memory, studio]
    sections = [*here, card_search, card_certified, card_others, card_end_to_end]
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


def studio() -> str:
    said = (
        "In Debian's chromium, from the key that moves a slider to the frame that is drawn; then "
        "twenty browsers that move sliders, change words and load the page again."
    )
    return listed("The studio", "studio", "benchmarks/studio.py", said)


def card_search() -> str:
    found = read("gpu-search")
    rows = [
        (
            table["table"], f"{table['words']:,} × {table['dimensions']}", f"{each['epsilon']:g}",
            percent(each["unchanged"]), millions(each["product of bfloat16, words per second"]),
            millions(each["8 bits, words per second"]), times(each["8 bits, share of the product"]),
            f"{100 * each['8 bits, tiles looked at again']:.2f} %",
            millions(each["bfloat16, words per second"]),
            times(each["bfloat16, share of the product"]),
            millions(each["torch float32, words per second"]),
            millions(each["with noise, from ids to ids, words per second"]),
        )
        for table in found["tables"] for each in table["noise"]
    ]  # fmt: skip
    head = (
        "table", "words × dimensions", "ε", "unchanged", "bfloat16 product", "8 bits", "× product",
        "tiles twice", "bfloat16", "× product", "torch float32", "with noise",
    )  # fmt: skip
    ways = ("8 bits", "bfloat16", "torch float32")
    same = min(e[f"{w}, same answers"] for t in found["tables"] for e in t["noise"] for w in ways)
    return f"""## The search on a card

{found["card"]}, torch {found["torch"]}. Millions of words a second whose nearest word is found,
certified; {percent(same)} of the answers are the same in all ways. The product is a large square
one of bfloat16 in the same run, as many words as if scores were that and nothing else. The first
look is by 8 bits or by bfloat16; tiles twice is the share that the second one sees; torch float32
is the same search without our kernels. With noise is all of it, from ids to ids. The synthetic
table has the norms and near duplicates of the one of 33,860 words. (`benchmarks/gpu_search.py`)

{grid(head, rows)}"""


def card_certified() -> str:
    found = read("gpu-certified")
    rows = []
    for table in found["tables"]:
        shares = list(table["unchanged, by epsilon"].values())
        rows.append(
            (
                table["table"], f"{table['words']:,} × {table['dimensions']}",
                f"{table['queries']:,}", f"{table['of these between two words or on one']:,}",
                f"{table['more than one word in question']:,}",
                f"{percent(min(shares))} to {percent(max(shares))}",
                *(f"{wrong:,}" for wrong in table["not the answer of brute force"].values()),
            )
        )  # fmt: skip
    head = (
        "table", "words × dimensions", "queries", "ties", "rounding left several", "unchanged",
        "wrong, 8 bits", "wrong, bfloat16",
    )  # fmt: skip
    return f"""## Exact means exact on a card too

Against float64 brute force on {found["card"]}; each table has 2,000 copies and 2,000 words a hair
apart planted, and some queries lie on words or between two. (`benchmarks/gpu_certified.py`)

{grid(head, rows)}"""


def card_others() -> str:
    found = read("gpu-others")
    rows = [
        (name, *(f"{value:,}" for value in each.values()))
        for name, each in found.items()
        if isinstance(each, dict)
    ]
    head = ("", "seconds on the cores", "on the card", "times as fast", "the same")
    return f"""## What else runs on a card

On the bundled table, {found["cores"]} cores beside the card of the sections above; and the share
of results that agree. (`benchmarks/gpu_others.py`)

{grid(head, rows)}"""


def card_end_to_end() -> str:
    said = "JSONL in and out with `--device cuda`, on the bundled table: reading is what limits."
    return listed(
        "From end to end with a card", "gpu-end-to-end", "benchmarks/gpu_end_to_end.py", said
    )


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


def millions(number: float) -> str:
    return f"{number / 1e6:.2f}"


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
