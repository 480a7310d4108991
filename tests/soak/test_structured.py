"""Files that are sound in form and lie in content: records, cells, headers, certificates."""

import csv
import io
import json
import struct

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.soak import seeds
from tests.soak.oracle import outcome
from tests.soak.readers import READERS

MANY = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
NUMBERS = st.integers(-(2**70), 2**70) | st.sampled_from([10**400, -(10**400)])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
RECORDS = st.dictionaries(st.sampled_from(["id", "text", "topic", "author", "x y"]), VALUES)
COUNTS = st.sampled_from([0, 1, 5, -1, 255, 2**15, 2**31 - 1, -(2**31)])
LONGS = COUNTS | st.sampled_from([2**40, 2**62, 2**63 - 1, -(2**63)])
ENDS = ("accepted", "refused")


def dumped(value):
    return json.dumps(value).encode("utf-8", "surrogatepass")


@MANY
@given(st.lists(RECORDS, max_size=4))
def test_records_of_any_shape(tmp_path_factory, records):
    data = b"\n".join(map(dumped, records))
    folder = tmp_path_factory.mktemp("records")

    for name in ("jsonl", "text, piped", "release, jsonl"):
        assert outcome(READERS[name], data, folder) in ENDS


@MANY
@given(
    st.lists(st.lists(st.text(max_size=12), max_size=4), max_size=5),
    st.sampled_from(",;\t|"),
    st.sampled_from(["id,text,topic\n", "text\n", ""]),
)
def test_cells_of_any_text(tmp_path_factory, rows, delimiter, head):
    file = io.StringIO(head.replace(",", delimiter))
    file.seek(0, io.SEEK_END)
    csv.writer(file, delimiter=delimiter, escapechar="\\").writerows(rows)
    data = file.getvalue().encode("utf-8", "replace")
    folder = tmp_path_factory.mktemp("cells")

    for name in ("csv", "csv, delimiter told", "release, csv"):
        assert outcome(READERS[name], data, folder) in ENDS


@MANY
@given(st.lists(COUNTS, min_size=12, max_size=12), st.lists(LONGS, min_size=4, max_size=4))
def test_counts_of_a_fasttext_model_that_lie(tmp_path_factory, counts, longs):
    """The kind of file stays; each count after it may be anything."""
    data = bytearray(seeds.fasttext())
    for i, count in enumerate(counts):
        if count:  # else it stays
            struct.pack_into("<i", data, 8 + 4 * i, count)
    for i, long in enumerate(longs):
        if long:
            struct.pack_into("<q", data, (64, 76, 84, len(data) - 88)[i], long)

    assert outcome(READERS["table, fasttext"], bytes(data), tmp_path_factory.mktemp("t")) in ENDS


@MANY
@given(st.integers(0, 10**30), st.integers(0, 10**30), st.binary(max_size=40))
def test_headers_of_word2vec_that_lie(tmp_path_factory, words, dimensions, rest):
    data = b"%d %d\n" % (words, dimensions) + rest + seeds.W2V
    folder = tmp_path_factory.mktemp("w2v")

    assert outcome(READERS["table, word2vec binary"], data, folder) in ENDS
    assert outcome(READERS["table, within gzip"], data, folder) in ENDS


@MANY
@given(
    st.sampled_from(["F64", "F32", "F16", "BF16", "I8", "U8", "C64", "", None, 7]),
    st.lists(LONGS, max_size=3) | VALUES,
    st.lists(LONGS, max_size=3) | VALUES,
    st.dictionaries(st.text(max_size=9), VALUES, max_size=2) | VALUES,
)
def test_headers_of_containers_that_lie(tmp_path_factory, kind, shape, offsets, notes):
    entry = {"dtype": kind, "shape": shape, "data_offsets": offsets}
    data = dumped({"v": entry, "__metadata__": notes})
    folder = tmp_path_factory.mktemp("header")

    for name in ("table, safetensors header", "table, native header"):
        assert outcome(READERS[name], data, folder) in ENDS


@MANY
@given(st.integers(0, 6), st.data(), VALUES)
def test_a_certificate_with_one_field_changed(tmp_path_factory, which, data, value):
    whole = json.loads(seeds.certificates()[which])
    name = data.draw(st.sampled_from(sorted(whole)))
    whole[name] = value

    folder = tmp_path_factory.mktemp("certificate")
    assert outcome(READERS["certificate"], dumped(whole), folder) in ENDS


@MANY
@given(st.data(), VALUES)
def test_features_with_one_field_changed(tmp_path_factory, data, value):
    whole = json.loads(seeds.features())
    whole[data.draw(st.sampled_from(sorted(whole)))] = value

    assert outcome(READERS["features"], dumped(whole), tmp_path_factory.mktemp("f")) in ENDS
