"""Does memory stay flat while a large corpus is released? Are all rows there, in order?

    python benchmarks/streams.py [--rows 2000000] [--gigabytes 5]

A Parquet and a CSV file of as many rows, and a CSV file of as many gigabytes, go through
the command line with a small table. The memory of the process is read every half
second; results/streams.svg is its curve.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from common import RESULTS, record
from nomdeplume import Table

COMMAND = Path(sys.executable).with_name("nomdeplume")
BLOCK = 10_000  # rows made together
Curve = list[tuple[float, float]]  # seconds, MB


def small_table(path: Path) -> list[str]:
    """A thousand words in twenty dimensions."""
    bundled = Table.bundled()
    words = bundled.words[300:1300]
    Table(words, bundled.vectors[300:1300][:, :20], "small").save(path)
    return list(words)


def blocks(words: list[str], rows: int, length: int) -> Iterator[pa.Table]:
    """Rows of `length` words each."""
    known = np.array(words, dtype=object)
    rng = np.random.default_rng(0)
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        texts = [" ".join(known[row]) for row in rng.integers(0, len(words), (size, length))]
        ids = pa.array(range(start, start + size), pa.int64())
        authors = [f"author {i % 50}" for i in range(size)]
        yield pa.table({"id": ids, "author": authors, "text": texts})


def write_csv(path: Path, words: list[str], rows: int, length: int) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "author", "text"])
        for block in blocks(words, rows, length):
            writer.writerows(zip(*(column.to_pylist() for column in block.columns), strict=True))


def write_parquet(path: Path, words: list[str], rows: int, length: int) -> None:
    made = blocks(words, rows, length)
    first = next(made)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for block in made:
            writer.write_table(block)


def watched(source: Path, target: Path, table: Path) -> Curve:
    """The memory of the command while it releases `source`."""
    options = ["--table", str(table), "--size", "10", "--keep", "id", "--quiet"]
    process = subprocess.Popen([COMMAND, "obfuscate", source, "-o", target, *options])
    status = Path(f"/proc/{process.pid}/status")
    began, curve = time.perf_counter(), []
    while process.poll() is None:
        lines = status.read_text(encoding="utf-8").splitlines()
        resident = [int(line.split()[1]) for line in lines if line.startswith("VmRSS")]
        if resident:
            curve.append((time.perf_counter() - began, resident[0] / 1024))
        time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"the command failed on {source.name}")
    return curve


def ids(path: Path) -> Iterator[int]:
    if path.suffix == ".parquet":
        for batch in pq.ParquetFile(path).iter_batches(columns=["id"]):
            yield from batch.column(0).to_pylist()
        return
    with path.open(encoding="utf-8", newline="") as file:
        yield from (int(row["id"]) for row in csv.DictReader(file))


def judged(curve: Curve, source: Path, target: Path, rows: int) -> dict[str, Any]:
    tenth = curve[len(curve) // 10 : len(curve) // 5]
    last = curve[-len(curve) // 5 :]
    growth = max(mb for _, mb in last) / max(mb for _, mb in tenth) - 1
    found = list(ids(target))
    return {
        "input, MB": round(source.stat().st_size / 1e6),
        "rows": rows,
        "seconds": round(curve[-1][0]),
        "peak, MB": round(max(mb for _, mb in curve)),
        "growth from the second tenth to the last, %": round(100 * growth, 1),
        "rows and ids complete and in order": found == list(range(rows)),
    }


def picture(curves: dict[str, Curve]) -> str:
    """The curves as an SVG: share of the run to the right, MB upwards."""
    top = 1.25 * max(mb for curve in curves.values() for _, mb in curve)
    colours = ("#1b6ca8", "#c0392b", "#2e8b57")
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 330" font-size="12">',
        '<rect width="720" height="330" fill="white"/>',
        '<text x="60" y="20">Memory of nomdeplume obfuscate over the run, MB</text>',
    ]
    for i in range(5):
        y, label = 280 - 60 * i, top * i / 5
        parts.append(f'<line x1="60" x2="700" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="52" y="{y + 4}" text-anchor="end">{label:.0f}</text>')
    for (name, curve), colour in zip(curves.items(), colours, strict=False):
        end = curve[-1][0]
        points = " ".join(f"{60 + 640 * s / end:.1f},{280 - 300 * mb / top:.1f}" for s, mb in curve)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        x = 60 + 230 * list(curves).index(name)
        parts.append(f'<text x="{x}" y="318" fill="{colour}">{name}, {end:.0f} s</text>')
    parts.append('<text x="700" y="298" text-anchor="end">end of the run</text>')
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=int, default=2_000_000)
    arguments.add_argument("--gigabytes", type=float, default=5.0)
    options = arguments.parse_args()
    long_rows = int(options.gigabytes * 1e9 / 7_300)
    results: dict[str, Any] = {}
    curves: dict[str, Curve] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "small.safetensors"
        words = small_table(table)
        for title, file, write, rows, length in (
            (f"Parquet, {options.rows:,} rows", "rows.parquet", write_parquet, options.rows, 12),
            (f"CSV, {options.rows:,} rows", "rows.csv", write_csv, options.rows, 12),
            (f"CSV, {options.gigabytes:g} GB", "long.csv", write_csv, long_rows, 1000),
        ):
            source, target = folder / file, folder / f"out-{file}"
            write(source, words, rows, length)
            curves[title] = watched(source, target, table)
            results[title] = judged(curves[title], source, target, rows)
            print(title, results[title], flush=True)
            source.unlink()
            target.unlink()
    (RESULTS / "streams.svg").write_text(picture(curves), encoding="utf-8")
    record("streams", results)


if __name__ == "__main__":
    main()
