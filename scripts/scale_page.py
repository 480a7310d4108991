"""Writes docs/scale.md and its picture from benchmarks/results and tests/soak/results."""
# ruff: noqa: E501

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS, SOAK = ROOT / "benchmarks" / "results", ROOT / "tests" / "soak" / "results"
PAGE, PICTURE = ROOT / "docs" / "scale.md", ROOT / "docs" / "pictures" / "engines-memory.svg"

WIDTH, HEIGHT, LEFT, FOOT = 760, 300, 60, 40
STEADY, WHOLE = "of the pool's rate, without the start", "of the pool's rate, whole run"
COLOURS = ("#4269d0", "#efb118", "#ff725c", "#3ca951")

HEAD = """# At scale

Made by `scripts/scale_page.py`; the figures in its tables are read from what was measured. [Engines](guide/engines.md) shows how
to use them; this page says how fast they are, what they cost, what limits them, and how to run a cluster.
"""

LIMITS = """## What limits at 10¹⁰ documents

| what | how far it goes | what to do then |
|---|---|---|
| workers | nothing is shared between them: shards are read, released and written where they are | more of them |
| the driver, without a ledger | it writes one small entry and gives one name for each shard | shards of 100,000 documents: 10¹⁰ are 10⁵ shards |
| the driver, with a ledger | it reads no shard; it charges some 14,000 documents a second ([trust](trust.md)): 10¹⁰ documents take eight days | a ledger for each part of the corpus (by author, so that an author's documents add up in one), and a run for each |
| memory of the driver, with a ledger | what identifies each document of a shard, and positions and reasons of all that were withheld | smaller shards; fewer to withhold |
| `--resume` | the driver reads every released shard again, for its checksum | larger shards gain nothing; go on from near the store |
| memory of a worker | the table, what the mechanism made of it, and one part of a shard (1,024 rows, 16 MB) | it does not grow with shards; with a ledger a shard over 64 MB waits in a nameless file until it is charged |
| a store that cannot rename | a shard is copied within the store when it is published | local or shared disks rename |
| locks | a shared file system must know `flock`; at addresses two runs on one output are told apart by a lease, which each looks at before it publishes | one driver for one output |
| Spark with a ledger | the private columns are held by the executors while they are charged; ids pass through the driver | the command, on files |

Losses do not average out over a large corpus: every document has its own promise, as [the guarantee](guarantee.md) says, and whoever
wrote m of them can lose m times as much. Ask for `--author-field` where that matters.
"""

BOOKS = """## Run book: a Ray cluster

1. The same Python, `nomdeplume[ray]` and `s3fs` (or what else the store needs) on every machine: in the image, or by
   `ray start` in the same environment. Versions must be equal: workers are sent Python objects.
2. Start it with a token, so that nobody else can send it work: `RAY_AUTH_MODE=token RAY_AUTH_TOKEN=… ray start --head`, then `ray start
   --address HEAD:6379` elsewhere with the same two variables.
3. The driver runs where the ledger is; it needs no card. `RAY_AUTH_MODE=token RAY_AUTH_TOKEN=… nomdeplume obfuscate s3://texts/2026 -o
   s3://released/2026 --engine ray --address HEAD:6379 --ledger texts.ledger --limit 40`. Run it in tmux, or as a job.
4. One actor for each CPU, or for each GPU with `--device cuda`; `--workers N` takes fewer.
5. It stopped? Look at the last line it said, mend that, and say the same again with `--resume`. A machine that is lost costs the
   shards it was at; a killed driver, at most two shards for each worker, which are charged again.
6. Done is when `_SUCCESS` is there and `nomdeplume certificate NAME.certificate.json --release FOLDER` says so on a copy of it.
7. Workers bring shards from a store into nameless files under `TMPDIR`, and so does the driver if `--keep` releases ids: let that be an
   encrypted disk or memory. Ray's own logs and object store hold no texts of such a run; with a ledger, messages to the driver hold
   SHA-256 digests of ids, authors or kept words.

## Run book: a Spark cluster

1. Java 17, the same Python and `nomdeplume[spark]` on every executor (`--archives env.tar.gz#env` and
   `PYSPARK_PYTHON=./env/bin/python`, or in the image).
2. `released = obfuscate(df, text="body", keep=[…], budget=20)`; `released.write.parquet(…)`. It is computed in the first of these
   lines. `spark.speculation` must be off.
3. Memory: each Python worker holds the table and what the mechanism made of it (see below); set
   `spark.executor.memoryOverhead` to that times the cores of an executor. Released words stay with the executors until they are
   written (memory, then local disk). With a ledger the private rows do too, until they are released:
   `spark.io.encryption.enabled=true` encrypts what is spilled.
4. `spark.sql.execution.arrow.maxRecordsPerBatch` (10,000) sets what a Python worker has at a time; the default is fine.
5. A task that fails is tried again with more care: a document that ends a process is found and left out. `spark.task.maxFailures` must
   be 2 or more for that (it is 4 on a cluster, and 1 in `local[N]`).
6. There is no certificate for a frame; write Parquet by the command where one is needed.
"""


def main() -> None:
    sections = [engines(), scaling(), costs(), kills(), LIMITS, BOOKS]
    PAGE.write_text("\n".join([HEAD, *sections]), encoding="utf-8")
    PICTURE.write_text(curve(read("engines")["runs"]), encoding="utf-8")


def engines() -> str:
    found = read("engines")
    rows = [
        (
            name, f"{each['seconds']:,} s", f"{each['documents a second']:,}",
            f"{each['documents a second, without the start']:,}",
            f"{each[STEADY]:.2f}", f"{each[WHOLE]:.2f}", f"{each['MiB at most']:,} MiB",
            f"{each['last third over the middle one']:.2f}",
        )
        for name, each in found["runs"].items()
    ]  # fmt: skip
    head = (
        "engine", "whole run", "documents a second", "without the start",
        "of the pool's rate, without the start", "of the pool's rate, whole run", "memory at most",
        "memory in the last third over the middle one",
    )  # fmt: skip
    return f"""## {found["documents"]:,} short documents on every engine

Parquet in {found["shards"]} shards, 12 words a document, 20 released at once, on {found["cores"]} cores of one machine, all in one go
(`benchmarks/engines.py`). Memory is that of all processes together, the table and Java included, what they share counted once.

{grid(head, rows)}

Spark and its Python workers take about nine seconds to start, within which memory still rises; released rows wait on the disks of its
executors (Spark 3 keeps them in memory as long as there is room).
{longer(found["longer"])}

![memory of each engine over time](pictures/engines-memory.svg)
"""


def longer(found: dict[str, Any]) -> str:
    share = found["last third over the middle one"]
    return (
        f"Given {found['documents']:,} documents ({found['seconds']:g} s) Spark takes "
        f"{found['MiB at most']:,} MiB at most, and in the last third {share:.2f} times what it "
        "takes in the middle one."
    )


def scaling() -> str:
    rows = []
    for name in ("here", "h200"):
        found = read(f"engine-scaling-{name}")
        for run, rates in found["documents a second"].items():
            first = rates["1"]
            each = ", ".join(f"{n}: {rate:,} ({rate / first:.1f} ×)" for n, rate in rates.items())
            beside = " and an H200" if run.endswith("card") else ""
            rows.append((f"{found['cores']} cores{beside}", run, each))
    card = read("gpu-end-to-end")
    for run in ("--epsilon 6", "mean"):
        each = ", ".join(
            f"{name.removeprefix('--workers ')}: {rate['words a second'] // 100:,}"
            for name, rate in card[run].items()
        )
        rows.append(
            (f"{card['cores']} cores and an H200", f"{run}, 100 words of texts of 319", each)
        )
    return f"""## More workers

Documents a second by the number of workers, as much work for each of them, without the start (`benchmarks/engine_scaling.py`). The
last two rows, a single JSONL file and not shards, are those of `benchmarks/gpu_end_to_end.py`.

{grid(("machine", "what", "workers: documents a second"), rows)}
"""


def costs() -> str:
    """Core hours and card hours for a million documents of 100 released words."""
    search, card = read("nearest"), read("gpu-search")
    rows = []
    for table in search["tables"]:
        noise = table["noise"][0]
        words = max(noise["auto, words per second"], noise["exact, words per second"])
        rows.append((table["table"], size(table), "a core", hours(1e8 / (words / 2))))
    for table in card["tables"]:
        words = table["noise"][0]["with noise, from ids to ids, words per second"]
        rows.append((table["table"], size(table), "an H200", hours(1e8 / words)))
    texts = read("documents")
    reading, default = texts["reading alone, documents/s"], "subjects, 8 features"
    rate = "documents/s, from text to words"
    slowest = min(each[rate] for each in texts.values() if isinstance(each, dict) and rate in each)
    slowest /= texts[default][rate]
    mean = read("end-to-end")["mean"]["words a second, two workers"] / 2
    rows.append(("any, `mean`", "", "a core", hours(1e8 / mean)))
    return f"""## What a million documents cost

Hours of one core, or of one card, for 100 released words of each, word by word (ε as in [performance](performance.md)), by the search
alone; for `mean`, which searches nothing, by a run without its start, on texts of about 319 words, of which about 143 are kept. Making bags of a
million texts of 600 words, of which 300 are kept, takes a core about {hours(1e6 / reading)} hours, whatever follows, so that a card wants many cores beside it. Multiply by
what an hour costs you.

{grid(("table", "words × dimensions", "on", "hours for a million documents"), rows)}

A search costs words × dimensions; a table twice as large takes twice as long. Other maps of `mean` and `--compose maxent` cost
up to {100 * (1 - slowest):.0f} % of the documents a second ([documents](guide/documents.md)).
"""


def kills() -> str:
    found = json.loads((SOAK / "shards.json").read_text(encoding="utf-8"))
    rows = [
        (
            engine, ", ".join(f"{count:,} {what}" for what, count in each["kills"].items()),
            f"{each['stories']:,}", f"{each['documents']:,}", f"{each['in_vain']:,}", "0",
        )
        for engine, each in found.items()
    ]  # fmt: skip
    head = (
        "engine", "killed", "folders", "documents", "charged in vain, and said",
        "twice, missing or uncharged",
    )  # fmt: skip
    return f"""## Killed at random moments

`python -m tests.soak.shards`: SIGKILL for a worker, the driver or the whole run, then `--resume`, until the folder is released.
It stops at the first document that is there twice, is missing, or was not charged.

{grid(head, rows)}
"""


def curve(runs: dict[str, Any]) -> str:
    """Memory over the share of a run that is done, one line for each engine."""
    most = max(each["MiB at most"] for each in runs.values()) * 1.05
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="16">MiB, all processes together</text>',
        f'<text x="{WIDTH - 10}" y="{HEIGHT - 8}" text-anchor="end">share of the run, from start to end</text>',
    ]
    for tick in range(0, int(most), 500):
        y = place(tick / most)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{tick:,}</text>')
    for (name, each), colour in zip(runs.items(), COLOURS, strict=True):
        wide = WIDTH - LEFT - 180
        points = " ".join(
            f"{LEFT + wide * seconds / each['seconds']:.1f},{place(memory / most)}"
            for seconds, memory in each["memory"]
        )
        y = place(each["MiB at most"] / most) + 4
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(
            f'<text x="{LEFT + wide + 8}" y="{y}" fill="{colour}">{name}, {each["seconds"]:g} s</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def place(share: float) -> float:
    return round(HEIGHT - FOOT - (HEIGHT - FOOT - 30) * share, 1)


def size(table: dict[str, Any]) -> str:
    return f"{table['words']:,} × {table['dimensions']}"


def hours(seconds: float) -> str:
    found = seconds / 3600
    return f"{found:.2g}" if found < 10 else f"{found:,.0f}"


def read(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
