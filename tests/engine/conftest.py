"""Folders of shards, and a small table to release them with."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import installed, run  # noqa: F401 - fixtures

WORDS = ["rain", "harbour", "bread", "snow", "lake", "river", "pear", "apple", "stone", "garden"]
CANARY = "zyxoquant"  # in every text; no table knows it
WITH = ["--table", "table.txt", "--language", "en", "--keep", "id", "--size", "5", "--epsilon", "2"]
EACH = 40  # documents of a shard


@pytest.fixture
def table_file(tmp_path):
    return written_table(tmp_path / "table.txt")


def written_table(path):
    path.write_text("".join(f"{word} {i % 4} {i // 4}\n" for i, word in enumerate(WORDS)))
    return path


def document(number):
    text = f"{CANARY} {WORDS[number % 10]} by the {WORDS[number * 7 % 10]}"
    return {"id": number, "author": f"writer{number % 9}", "topic": "sea", "text": text}


def shards(folder, count=4, kind="parquet", each=EACH, change=lambda record: record):
    """A folder of files that hold documents, numbered through."""
    folder.mkdir()
    for i in range(count):
        records = [change(document(i * each + j)) for j in range(each)]
        path = folder / f"{'zyxw'[i % 4]}{i}.{kind}"
        if kind == "parquet":
            pq.write_table(pa.Table.from_pylist(records), path, row_group_size=16)
        else:
            path.write_text("".join(f"{json.dumps(each)}\n" for each in records))
    return folder


def released(folder):
    """All records of a release, shard after shard."""
    found = []
    for path in sorted(folder.glob("part-*")):
        if path.suffix == ".parquet":
            found += pq.read_table(path).to_pylist()
        else:
            found += map(json.loads, path.read_text().splitlines())
    return found
