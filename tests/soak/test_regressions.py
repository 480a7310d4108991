"""Files that once crashed a reader, hung it, filled the memory or made it talk."""

import gzip
import json
import re
import struct

import numpy as np
import pytest

from nomdeplume import InputError, Table, TableError
from nomdeplume.extras import arrow
from nomdeplume.formats import columnar, csv_dialect, streams
from nomdeplume.formats.reading import open_inputs
from nomdeplume.formats.records import Fields
from nomdeplume.table.readers.text import is_number
from tests.soak import seeds
from tests.soak.oracle import outcome
from tests.soak.readers import READERS

LONG = b"1" * 5000
NPY = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (%s)}%s\n"


def headed(**entry):
    whole = {"v": {"dtype": "F32", "shape": [5, 2], "data_offsets": [0, 40], **entry}}
    return json.dumps(whole).encode()


def changed(name, **fields):
    whole = json.loads(seeds.released()[f"out.{name}.certificate.json"])
    return json.dumps({**whole, **fields}).encode()


def featured(**fields):
    return json.dumps({**json.loads(seeds.features()), **fields}).encode()


def _misplaced():
    """An Arrow release whose first text ends far outside of it."""
    data = seeds.released()["out.arrow"]
    column = arrow().ipc.open_file(data).read_all().column("text").chunk(0)
    offsets = column.buffers()[1].to_pybytes()[:12]
    assert data.count(offsets) == 1
    return data.replace(offsets, offsets[:4] + b"\xff\xff\xff\x7f" + offsets[8:])


KEPT = {
    "a native table that states no fingerprint": (
        "table, native header",
        lambda: re.sub(rb'"fingerprint":"\w+"', b'"fingerprint":"\\\\n"', _native()),
    ),
    "a native table with a long name": (
        "table, native header",
        lambda: _native().replace(b'"name":"t"', b'"name":"%s"' % (b"t" * 900)),
    ),
    "a shape that is a number": ("table, safetensors header", lambda: headed(shape=5)),
    "a shape that is nothing": ("table, safetensors header", lambda: headed(shape=None)),
    "an array larger than numbers go": (
        "table, npy",
        lambda: NPY % (b"5, 9223372036854775807", b" " * 40),
    ),
    "an array of a strange kind": (
        "table, npy",
        lambda: seeds.npy(np.zeros(5, dtype=[(f"{i:_>90}", "f4") for i in range(9)])),
    ),
    "a sign beyond Unicode": (
        "table, npz",
        lambda: seeds.npz(v=seeds.VECTORS, w=np.full(5, 0x110000, "<u4").view("<U1")),
    ),
    "an archive of arrays, packed by lzma": (
        "table, npz",
        lambda: seeds.zipped(14, v_npy=seeds.npy(seeds.VECTORS)),
    ),
    "a zip that begins before its file": (
        "table, published",
        lambda: seeds.zipped(t_txt=seeds.GLOVE)[20:],
    ),
    "a day that is none": ("table, sources", lambda: seeds.ORIGIN.replace(b"2026-11", b"\\n")),
    "a hash that is none": ("table, sources", lambda: seeds.ORIGIN.replace(b"abab", b"zyxoquant")),
    "half a letter": ("features", lambda: featured(speaking=["\ud800"])),
    "features shown": ("features, shown", lambda: featured(speaking=["\ud800"])),
    "settings beyond all numbers": (
        "certificate, checked",
        lambda: changed("jsonl", settings={"gain": 10**400}),
    ),
    "stop words that are a file": (
        "certificate, checked",
        lambda: changed("csv", stop_words="/etc/hostname"),
    ),
    "features at length": ("certificate, checked", lambda: changed("csv", features="x\n" * 300)),
    "a table at length": ("certificate, checked", lambda: changed("csv", table="x" * 900)),
    "a word for a column": ("csv", lambda: b'a,"zyxoquant",x\n'),
    "words for keys": ("jsonl", lambda: b'{"zyxoquant": 2, "wumblegorf": 1}\n'),
    "a word for one of the keys": ("jsonl", lambda: b'{"text": "", "zyxoquant": 1}\n'),
    "many columns": ("csv", lambda: b",".join(b"text%d" % i for i in range(500))),
    "weights beyond all numbers": (
        "table, model2vec",
        lambda: seeds.container(v=seeds.VECTORS, weights=np.full(5, 3e38, "f4")),
    ),
    "a number that cannot be": ("table, word2vec text", lambda: b"1 1\n" + b"\r" + b"1 " * 9000),
}
TAKEN = {
    "an id of many digits": (
        "csv",
        lambda: b"id,text,topic\n" + b"".join(b"%d,rain,a\n" % i for i in range(30))
        + b'"x"y\n' + LONG + b",rain,a\n",
    ),
    "a calibration beyond all numbers": (
        "calibrations",
        lambda: seeds.NUMBER.replace(b"1.5", b"1" * 400),
    ),
    "a note that is nested": ("table, part of a download", lambda: b"[" * 100_000),
    "a mean beyond all numbers": (
        "release, jsonl",
        lambda: b'{"id": 1, "text": "rain", "vector": [1%s]}\n' % (b"0" * 400),
    ),
    "a release whose strings end elsewhere": (
        "release, arrow",
        _misplaced,
    ),
}  # fmt: skip


def _native():
    return seeds.header_of(seeds.native())[0]


@pytest.mark.parametrize(("name", "data"), KEPT.values(), ids=KEPT.keys())
def test_what_once_broke_a_reader_is_refused(tmp_path, name, data):
    assert outcome(READERS[name], data(), tmp_path) == "refused"


@pytest.mark.parametrize(("name", "data"), TAKEN.values(), ids=TAKEN.keys())
def test_what_once_broke_a_reader_is_passed_over(tmp_path, name, data):
    assert outcome(READERS[name], data(), tmp_path) == "accepted"


def test_vectors_that_overflow_are_refused_without_a_warning(tmp_path):
    codes = np.full((2, 2), 127, dtype=np.int8)
    tensors = {"codes": codes, "scale": np.full((2, 1), 3e38, "f4"),
               "words": np.frombuffer(b"a\nb", np.uint8)}  # fmt: skip
    from nomdeplume.table.container import serialised

    notes = {"format": "nomdeplume table 1", "fingerprint": "0" * 64}
    (tmp_path / "t").write_bytes(b"".join(map(bytes, serialised(tensors, notes))))
    with pytest.raises(TableError, match="finite"):
        _ = Table.open(tmp_path / "t").fingerprint


def test_an_empty_text_beside_one_that_is_not_utf8_is_a_text(tmp_path):
    pa = arrow()
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(struct.pack("<3i", 0, 0, 1)), pa.py_buffer(b"\xe9")]
    )
    (tmp_path / "in.arrow").write_bytes(seeds.ipc("new_file", None, pa.table({"text": broken})))
    found = list(open_inputs([str(tmp_path / "in.arrow")], Fields()).records)

    assert [record.text for record in found] == ["", "é"]


@pytest.mark.parametrize("name", ["in.txt.gz", "in.txt.zst", "in.jsonl.gz"])
def test_a_file_that_unpacks_without_end_is_not_unpacked(tmp_path, monkeypatch, name):
    monkeypatch.setattr(streams, "FREE", 1 << 10)
    pack = seeds.zstd if name.endswith("zst") else gzip.compress
    (tmp_path / name).write_bytes(pack(b"rain " * (1 << 22)))
    said = []
    try:
        said += [each.unreadable for each in open_inputs([str(tmp_path / name)], Fields()).records]
    except InputError as error:
        said.append(str(error))

    assert len(said) == 1
    assert "more than 200 times its size" in said[0]


def test_quotes_that_never_close_take_no_time_squared(tmp_path, monkeypatch):
    """Each line reads all others in vain: a million would take days."""
    monkeypatch.setattr(csv_dialect, "WASTED", 1 << 22)
    (tmp_path / "in.csv").write_bytes(b"id,text\n" + b'",x","\n' * 5000)
    with pytest.raises(InputError, match="is a quote open that never closes"):
        list(open_inputs([str(tmp_path / "in.csv")], Fields()).records)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_text_that_many_rows_share_is_held_once(tmp_path, monkeypatch, kind):
    """A file of a few kB could else fill the memory: its rows point to one long text."""
    import pyarrow.parquet as pq

    pa = arrow()
    one = pa.DictionaryArray.from_arrays(pa.array([0] * 900, pa.int32()), ["rain " * 200_000])
    path, table = tmp_path / f"in.{kind}", pa.table({"text": one})
    if kind == "parquet":
        pq.write_table(table, path, store_schema=False, compression="zstd")
    else:
        path.write_bytes(seeds.ipc("new_file", "zstd", table))
    before = pa.total_allocated_bytes()
    most = 0
    for record in open_inputs([str(path)], Fields()).records:
        assert not record.unreadable
        most = max(most, pa.total_allocated_bytes() - before)

    assert most < 4 * columnar.BYTES


def test_a_word_has_no_endless_number_of_n_grams(tmp_path):
    (tmp_path / "t.bin").write_bytes(seeds.fasttext(longest=2**31 - 1))
    with pytest.raises(TableError, match="damaged or cut short"):
        Table.open(tmp_path / "t.bin")


def test_tensors_that_share_their_bytes_are_refused(tmp_path):
    entry = {"dtype": "BF16", "shape": [500, 2], "data_offsets": [0, 2000]}
    for number, said in ((400, "share their bytes"), (600, "got 600 tensors")):
        text = json.dumps({str(i): entry for i in range(number)}).encode()
        (tmp_path / "t").write_bytes(len(text).to_bytes(8, "little") + text + bytes(2000))
        with pytest.raises(TableError, match=said):
            Table.open(tmp_path / "t")


def test_a_map_of_words_makes_no_table_larger_than_its_file(tmp_path):
    arrays = {"v": np.ones((1, 5000), "f4"), "mapping": np.zeros(10_000, np.uint8)}
    (tmp_path / "model.safetensors").write_bytes(seeds.container(**arrays))
    with pytest.raises(TableError, match="more than 100 times what it holds"):
        Table.open(tmp_path)


def test_a_number_is_one_number():
    numbers = [b"1", b"-0.5", b"1e-5", b"nan", b"5."]
    others = [b"", b".", b"-", b"1_0", b"1 2", b" 1", b"x", b"0x1"]

    assert all(map(is_number, numbers))
    assert not any(map(is_number, others))
