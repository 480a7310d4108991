import gzip
import json
import struct
from hashlib import sha256

import numpy as np
import pytest
from safetensors.numpy import load_file

from nomdeplume import Obfuscator, Table, TableError
from nomdeplume.mechanism.image import Values
from nomdeplume.mechanism.stretch import features_of
from nomdeplume.selection import select
from nomdeplume.table.bundled import NAME, PATH
from nomdeplume.table.neighbours import half_distances, nearest, overlap
from nomdeplume.table.packed import Packed, usable


def test_ids_leave_unknown_words_out(table):
    assert table.ids(["lake", "moon", "apple"]).tolist() == [3, 0]


def test_a_table_cannot_be_changed(table):
    with pytest.raises(ValueError, match="read-only"):
        table.vectors[0, 0] = 1


@pytest.mark.parametrize(
    ("words", "vectors", "message"),
    [
        (["a", "b"], [[1.0]], "2 words need"),
        (["a"], [1.0], "1 words need"),
        ([], np.empty((0, 3)), "at least one word"),
        (["a"], np.empty((1, 0)), "1 words need"),
        (["a", "a"], [[1.0], [2.0]], "1 repeated"),
        (["a", "b c"], [[1.0], [2.0]], "spaces"),
        (["a", ""], [[1.0], [2.0]], "empty"),
        (["a"], [[np.nan]], "finite"),
        (["a"], [[np.inf]], "finite"),
    ],
)
def test_what_is_no_table_is_refused(words, vectors, message):
    with pytest.raises(TableError, match=message):
        Table(words, np.array(vectors))


@pytest.mark.parametrize(
    "words", [["a", "b"], ["é", "b"], ["a", ""], ["", "a"], [""], ["a b", "c"], [" a", "b"]]
)
def test_packed_words_are_usable_if_each_is(words):
    assert Packed.of(words).usable == all(map(usable, words))


def test_packed_words_are_as_many_as_was_said():
    with pytest.raises(TableError, match="must hold 3 words, got 2"):
        _ = Packed(Packed.of(["a", "b"]).joined, 3).usable


def test_words_with_one_vector_have_one_feature_whatever_begins_alike():
    vectors = np.array([[1, 2, 3], [1, 2, 4], [0, 2, 3], [1, 2, 3], [-0.0, 2, 3]])
    table = Table([f"w{i}" for i in range(5)], vectors)
    image = Values(np.arange(5), np.arange(10.0).reshape(5, 2), "drawn")
    found = features_of(table, image, np.arange(5)).vectors[:]

    assert (found[3] == found[0]).all()
    assert (found[4] == found[2]).all()
    assert len(np.unique(found, axis=0)) == 3


def test_the_fingerprint_is_of_words_and_vectors(table):
    def changed(**parts):
        return Table(**{"words": table.words, "vectors": table.vectors, **parts}).fingerprint

    assert changed(name="other") == table.fingerprint
    assert changed(words=("apple", "pear", "river", "sea")) != table.fingerprint
    assert changed(vectors=table.vectors[:] + 1) != table.fingerprint
    assert changed(vectors=table.vectors[::-1]) != table.fingerprint


def test_centre_and_radius(table):
    assert table.centre == pytest.approx([2.5, 3.0])
    assert table.radius == pytest.approx(np.hypot(2.5, 3.0))


@pytest.mark.parametrize(("scale", "step"), [(1.0, 2.0**-22), (1024.0, 2.0**-12), (0.0, 2.0**-23)])
def test_the_grid_follows_the_size_of_the_table(table, scale, step):
    assert Table(table.words, table.vectors[:] * scale).grid == step


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_native_form_round_trip(tmp_path, dtype):
    vectors = np.random.default_rng(0).standard_normal((300, 7)).astype(np.float32)
    table = Table([f"w{i}é" for i in range(300)], vectors, "mine", "fr")
    table.save(tmp_path / "t.safetensors", dtype=dtype)
    opened = Table.open(tmp_path / "t.safetensors")
    assert opened.fingerprint == opened.seal

    assert list(opened.words) == list(table.words)
    assert (opened.name, opened.language) == ("mine", "fr")
    assert np.abs(opened.vectors[:] - vectors).max() <= {"float32": 0, "float16": 2e-3}.get(
        dtype, 0.02
    )
    assert opened.vectors[[3, 5]].dtype == np.float32
    assert (opened.fingerprint == table.fingerprint) == (dtype == "float32")
    assert Table(opened.words, opened.vectors[:]).fingerprint == opened.fingerprint


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_native_files_are_safetensors_and_the_same_every_time(tmp_path, table, dtype):
    paths = [tmp_path / name for name in ("one", "two")]
    for path in paths:
        table.save(path, dtype=dtype, source="here", licence="none")
    tensors = load_file(paths[0])

    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert tensors["words"].tobytes().decode().split("\n") == list(table.words)
    assert len(tensors["codes" if dtype == "int8" else "vectors"]) == len(table)


@pytest.fixture
def changed(tmp_path, table):
    """A native table with one bit that is not as it was written."""
    path = tmp_path / "changed.safetensors"
    table.save(path)
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    path.write_bytes(content)
    return Table.open(path)


def test_a_changed_native_file_is_found_out(changed):
    with pytest.raises(TableError, match="changed"):
        _ = changed.fingerprint


def test_nothing_is_released_with_a_changed_table(changed):
    with pytest.raises(TableError, match="changed"):
        Obfuscator.laplace(changed)


def safetensors(path, header, data=b""):
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"__metadata__": {"format": "something else"}},
        {"__metadata__": {"format": "nomdeplume table 1", "fingerprint": "0" * 64}},
        {
            "__metadata__": {"format": "nomdeplume table 1", "fingerprint": "0" * 64},
            "words": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
            "vectors": {"dtype": "F32", "shape": [10**9, 300], "data_offsets": [1, 4]},
        },
        {"__metadata__": ["format"]},
        {
            "__metadata__": {"format": "nomdeplume table 1", "fingerprint": "0" * 64},
            "words": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
            "codes": {"dtype": "I8", "shape": [1, 3], "data_offsets": [1, 4]},
        },
        {
            "__metadata__": {"format": "nomdeplume table 1", "fingerprint": "0" * 64},
            "words": {"dtype": "OBJECT", "shape": [1], "data_offsets": [0, 1]},
        },
    ],
)
def test_a_header_that_lies_is_refused(tmp_path, header):
    path = tmp_path / "t.safetensors"
    safetensors(path, header, b"abcd")

    with pytest.raises(TableError):
        Table.open(path)


def test_words_that_are_not_unicode_are_refused(tmp_path):
    path = tmp_path / "t.safetensors"
    header = {
        "__metadata__": {"format": "nomdeplume table 1", "fingerprint": "0" * 64},
        "words": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
        "vectors": {"dtype": "F32", "shape": [1, 1], "data_offsets": [1, 5]},
    }
    safetensors(path, header, b"\xff0000")

    with pytest.raises(TableError, match="UTF-8"):
        list(Table.open(path).words)


def test_a_cut_native_file_is_refused(tmp_path, table):
    path = tmp_path / "t.safetensors"
    table.save(path)
    path.write_bytes(path.read_bytes()[:-4])

    with pytest.raises(TableError, match="shorter"):
        Table.open(path)


GLOVE = "apple 0 0.5\npear -1e-2 1\n"


@pytest.mark.parametrize("start", ["", "2 2\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_glove_text(tmp_path, start, packed):
    path = tmp_path / "glove.tiny.txt"
    content = (start + GLOVE).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    table = Table.open(path, language="fr")

    assert list(table.words) == ["apple", "pear"]
    assert table.vectors[:].tolist() == pytest.approx(np.array([[0, 0.5], [-0.01, 1]]))
    assert (table.name, table.language) == ("glove.tiny", "fr")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a line of nothing"),
        (b"apple\n", "line 1: expected a word and its numbers, got no number"),
        (b"apple 1 2\npear 1\n", "line 2: expected a word and 2 numbers, got 1"),
        (b"apple 1 2\npear 1 2 3\n", "line 2: expected a word and 2 numbers, got 3"),
        (b"apple 1 2\npear 1 x\n", "line 2: expected a word and 2 numbers, got something else"),
        (b"apple 1 2\n\npear 1 2\n", "line 2"),
        (b"apple 1 2\np\xff\xfear 1 2\n", "line 2: expected UTF-8"),
        (b"2 2\napple 1 2\npear 1\n", "line 3"),
        (b"3 2\napple 1 2\npear 1 2\n", "3 words, got 2"),
        (b"apple 1 2\napple 1 3\n", "line 2: expected a new word, got the one of line 1 again"),
        (b"apple 1 2\npear 1 nan\n", "line 2: expected finite"),
    ],
)
def test_malformed_text_says_where(tmp_path, content, message):
    path = tmp_path / "table.txt"
    path.write_bytes(content)

    with pytest.raises(TableError, match=message):
        Table.open(path)


def test_a_missing_table_is_refused(tmp_path):
    with pytest.raises(TableError, match="found none"):
        Table.open(tmp_path / "none.txt")


def test_the_bundled_table_is_what_its_source_says(bundled):
    stated = (PATH.parent / "SOURCE-glove.txt").read_text(encoding="utf-8")

    assert bundled.fingerprint in stated
    assert sha256(PATH.read_bytes()).hexdigest() in stated
    assert (bundled.name, len(bundled), bundled.dimensions) == (NAME, 50_000, 100)
    assert PATH.stat().st_size < 6_000_000
    assert bundled.words[0] == "the"


def test_opening_reads_neither_words_nor_vectors(tmp_path, table):
    table.save(tmp_path / "t.safetensors")
    opened = Table.open(tmp_path / "t.safetensors")

    assert isinstance(opened.vectors, np.memmap)
    assert vars(opened.words).keys() == {"joined", "size"}
    assert isinstance(opened.words.joined, np.memmap)


def test_nobody_can_change_a_table_through_its_array():
    array = np.array([[1, 2]], dtype=np.float32)
    view = array[:]
    array.flags.writeable = False
    table = Table(["rain"], array)
    view[0, 0] = 9

    assert table.vectors[0, 0] == 1


def test_a_changed_table_is_not_built_into_a_sound_one(changed, tmp_path):
    with pytest.raises(TableError, match="changed"):
        changed.save(tmp_path / "again.safetensors")
    with pytest.raises(TableError, match="changed"):
        select(changed, words=2)


@pytest.mark.parametrize(
    ("words", "vectors", "message"),
    [
        (["a", "b"], [[1], [1, 2]], "equally many numbers"),
        (["a"], [["x"]], "must be numbers"),
        (["a"], [[1j]], "must be numbers"),
        (["\ud800"], [[1]], "in Unicode"),
        (["a"], [[1e300]], "finite"),
    ],
)
def test_odd_arrays_are_refused(words, vectors, message):
    with pytest.raises(TableError, match=message):
        Table(words, vectors)


@pytest.mark.parametrize("notes", [{"year": 2024}, {"source": "x" * 2_000_000}])
def test_notes_that_could_not_be_read_are_not_written(tmp_path, table, notes):
    with pytest.raises(TableError, match="notes"):
        table.save(tmp_path / "t.safetensors", **notes)
    assert list(tmp_path.iterdir()) == []


def test_numbers_too_large_to_store_are_refused(tmp_path):
    huge = Table(["a", "b"], [[3e38, 1], [1, 2]])
    for dtype in ("int8", "float16"):
        with pytest.raises(TableError, match=f"too large for {dtype}"):
            huge.save(tmp_path / "t.safetensors", dtype=dtype)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2, 2], "data_offsets": [-16, 0]},
        {"dtype": "F32", "shape": [1.5, 2], "data_offsets": [0, 16]},
        {"dtype": [], "shape": [2, 2], "data_offsets": [0, 16]},
        {"dtype": "F32", "shape": "22", "data_offsets": [0, 16]},
    ],
)
def test_tensors_that_lie_about_their_place_are_refused(tmp_path, entry):
    safetensors(tmp_path / "t.safetensors", {"v": entry}, b"0" * 16)
    (tmp_path / "t.txt").write_text("a\nb\n", encoding="utf-8")

    with pytest.raises(TableError, match="cannot be read"):
        Table.open(tmp_path / "t.safetensors")


def test_a_native_table_of_another_version_is_not_taken_for_a_foreign_one(tmp_path, table):
    path = tmp_path / "t.safetensors"
    table.save(path)
    path.write_bytes(path.read_bytes().replace(b"nomdeplume table 1", b"nomdeplume table 9"))
    (tmp_path / "t.txt").write_text("a\nb\nc\nd\n", encoding="utf-8")

    with pytest.raises(TableError, match="another version"):
        Table.open(path)


@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e19, 1e25])
def test_neighbours_are_those_of_brute_force(scale):
    rng = np.random.default_rng(3)
    vectors = (rng.standard_normal((300, 8)) * scale).astype(np.float32)
    table = Table([f"w{i}" for i in range(300)], vectors)
    ids = np.arange(0, 300, 7)
    found, distances = nearest(table, ids, 3)
    apart = np.linalg.norm(vectors[ids][:, None].astype(float) - vectors.astype(float), axis=2)
    apart[np.arange(len(ids)), ids] = np.inf

    assert (found == np.argsort(apart, axis=1)[:, :3]).all()
    assert distances == pytest.approx(np.sort(apart, axis=1)[:, :3])


def test_tiny_tables_have_neighbours_too():
    one, two = Table(["a"], [[1.0]]), Table(["a", "b"], [[1.0], [3.0]])

    assert len(half_distances(one, np.array([0]))) == 0
    assert half_distances(two, np.array([0, 1])).tolist() == [1, 1]
    assert overlap(one, one, np.array([0])) == overlap(two, two, np.array([0, 1])) == 1


def test_words_of_an_opened_table_equal_those_that_were_saved(tmp_path, table):
    table.save(tmp_path / "t.safetensors")
    opened = Table.open(tmp_path / "t.safetensors")

    assert opened.words == table.words
    assert opened.words[1:3] == table.words[1:3]
    assert opened.words != ("pear",)
    assert "lake" in opened.words
