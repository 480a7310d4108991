"""The meter has seen every byte when the reading is done, whatever is read."""

import gzip

import pytest

from nomdeplume.formats.reading import open_inputs
from nomdeplume.formats.records import Fields

LINES = b'{"id": 1, "text": "rain"}\n' * 3000


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "letters").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "letters" / name).write_bytes(b"rain on the harbour\n" * 5000)
    (tmp_path / "in.jsonl").write_bytes(LINES)
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(LINES))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "kind", "count"),
    [
        ("letters", "folder", 2),
        ("letters/a.txt", "text", 1),
        ("in.jsonl", "jsonl", 3000),
        ("in.jsonl.gz", "jsonl", 3000),
    ],
)
def test_progress_reaches_the_end(folder, name, kind, count):
    inputs = open_inputs([str(folder / name)], Fields())

    assert inputs.kind == kind
    assert len(list(inputs.records)) == count
    assert inputs.meter.bytes == inputs.total > 0
