"""Tables as people have them: every kind is told by content, every fault by its place."""

import gzip
import io
import json
import pickle
import struct
import tracemalloc

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model
from model2vec import StaticModel
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece

from nomdeplume import Table, TableError

WORDS = ["rain", "été", "日本", "don't", "x" * 300]
VECTORS = np.array([[1, -2.5, 3e-5], [0, 0.1, -1e9], [7, 8, 9], [1e-30, 2, 3], [4, 5, 6]], "f4")


@pytest.fixture(scope="module")
def keyed():
    keyed = KeyedVectors(3)
    keyed.add_vectors(WORDS, VECTORS)
    return keyed


def same(table, words=WORDS, vectors=VECTORS):
    assert list(table.words) == list(words)
    assert (table.vectors[:] == vectors).all()
    return True


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("binary", [False, True])
def test_what_gensim_writes_for_word2vec(tmp_path, keyed, binary, packed):
    path = tmp_path / "model.any"
    keyed.save_word2vec_format(str(path), binary=binary)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))

    assert same(Table.open(path))


def test_binary_with_line_feeds_between_words(tmp_path):
    path = tmp_path / "old.bin"
    entries = zip(WORDS, VECTORS, strict=True)
    body = b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in entries)
    path.write_bytes(b"5 3\n" + body)

    assert same(Table.open(path))


def test_a_word_cut_within_a_letter_is_left_out_of_a_binary_table(tmp_path):
    path = tmp_path / "cut.bin"
    row = np.ones(2, "<f4").tobytes()
    path.write_bytes(b"2 2\nrain " + row + "é".encode()[:1] + b" " + row)
    table = Table.open(path)

    assert (list(table.words), table.left_out) == (["rain"], 1)


def text(vectors):
    return "\n".join(
        f"{word} {' '.join(repr(float(x)) for x in row)} "  # with the space that fastText leaves
        for word, row in zip(WORDS, vectors, strict=True)
    )


@pytest.mark.parametrize("start", ["", "5 3\n"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_text_with_trailing_spaces_and_any_line_ends(tmp_path, start, end):
    path = tmp_path / "wiki.vec"
    lines = (start + text(VECTORS) + end).replace("\n", end or "\n")
    path.write_bytes(lines.encode())

    assert same(Table.open(path))


def test_lines_whose_word_has_spaces_are_left_out_and_counted(tmp_path):
    path = tmp_path / "glove.840B.txt"
    path.write_text("rain 1 2\n. . . 3 4\nat name@domain.com 5 6\nsnow 7 8\n", encoding="utf-8")
    table = Table.open(path)

    assert same(table, ["rain", "snow"], [[1, 2], [7, 8]])
    assert table.left_out == 2


def test_tabs_between_words_and_numbers(tmp_path):
    path = tmp_path / "tabs.txt"
    path.write_text("rain\t1 2\nsnow\t3\t4\n", encoding="utf-8")

    assert same(Table.open(path), ["rain", "snow"], [[1, 2], [3, 4]])


@pytest.mark.parametrize("ngrams", [(3, 6), (1, 2), (2, 0)])
@pytest.mark.parametrize("packed", [False, True])
def test_a_fasttext_model_as_gensim_reads_it(tmp_path, ngrams, packed):
    texts = [["été", "rain", "日本語", "straße", "a"], ["snow", "y" * 30, "ÿ", "</s>"]] * 3
    shortest, longest = ngrams
    model = FastText(
        texts, vector_size=6, min_count=1, bucket=50, epochs=1, min_n=shortest, max_n=longest
    )
    path = tmp_path / "cc.fr.bin"
    save_facebook_model(model, str(path))
    theirs = load_facebook_vectors(str(path))
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    table = Table.open(path, language="fr")

    assert list(table.words) == theirs.index_to_key
    plain = [i for i, word in enumerate(table.words) if word != "</s>"]  # where gensim differs
    assert np.abs(table.vectors[plain] - theirs.vectors[plain]).max() < 1e-6
    assert (table.name, table.language) == ("cc.fr", "fr")


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("listed", ["{}.txt", "words.txt", "{}.json", "elsewhere"])
def test_a_numpy_array_with_a_list_of_words(tmp_path, kind, listed):
    vectors = np.clip(VECTORS, -1e4, 1e4).astype(kind)
    np.save(tmp_path / "mine.npy", vectors)
    place = tmp_path / listed.format("mine")
    lines = json.dumps(WORDS) if listed.endswith("json") else "\n".join(WORDS) + "\n"
    place.write_text(lines, encoding="utf-8")
    table = Table.open(tmp_path / "mine.npy", words=place if listed == "elsewhere" else None)

    assert same(table, vectors=vectors.astype(np.float32))


def test_an_npz_with_words_inside(tmp_path):
    np.savez_compressed(tmp_path / "mine.npz", words=np.array(WORDS), vectors=VECTORS)

    assert same(Table.open(tmp_path / "mine.npz"))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_safetensors_of_others_with_a_list_of_words(tmp_path, kind):
    save_file({"embedding.weight": VECTORS.astype(kind)}, tmp_path / "theirs.safetensors")
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")

    assert same(Table.open(tmp_path / "theirs.safetensors"))


def test_safetensors_in_bfloat16(tmp_path):
    header = {"w": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}}
    head = json.dumps(header).encode()
    halves = (np.array([1.5, -2, 0.5, 8], "<f4").view("<u4") >> 16).astype("<u2")
    content = struct.pack("<Q", len(head)) + head + halves.tobytes()
    (tmp_path / "b.safetensors").write_bytes(content)
    (tmp_path / "b.txt").write_text("rain\nsnow\n", encoding="utf-8")

    assert same(Table.open(tmp_path / "b.safetensors"), ["rain", "snow"], [[1.5, -2], [0.5, 8]])


@pytest.fixture
def static():
    tokenizer = Tokenizer(WordPiece({"[UNK]": 0, "rain": 1, "snow": 2}, unk_token="[UNK]"))
    return StaticModel(np.array([[0, 0], [1, 2], [3, 4]], dtype=np.float32), tokenizer)


def test_models_in_memory(keyed, static):
    assert same(Table.of(keyed, name="mine"))
    assert same(Table.of(dict(zip(WORDS, VECTORS, strict=True))))
    assert same(Table.of(static), ["[UNK]", "rain", "snow"], [[0, 0], [1, 2], [3, 4]])


def test_a_trained_model_gives_its_vectors():
    model = FastText([["rain", "snow"]] * 3, vector_size=4, min_count=1, bucket=10, epochs=1)

    assert same(Table.of(model), model.wv.index_to_key, model.wv.vectors)


def test_a_table_does_not_follow_its_model(keyed):
    table = Table.of(keyed)
    before = table.fingerprint
    keyed.vectors[0, 0] += 1
    try:
        assert table.fingerprint == before
        assert table.vectors[0, 0] == VECTORS[0, 0]
    finally:
        keyed.vectors[0, 0] -= 1


def test_a_model2vec_folder(tmp_path, static):
    static.save_pretrained(tmp_path / "potion")
    table = Table.open(tmp_path / "potion")

    assert same(table, ["[UNK]", "rain", "snow"], [[0, 0], [1, 2], [3, 4]])
    assert table.name == "potion"


def test_what_is_no_model_is_refused():
    with pytest.raises(TableError, match="got a list"):
        Table.of([1, 2])


def entries(size, k):
    return b"".join(b"word%d " % i + np.ones(k, "<f4").tobytes() for i in range(size))


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


MODEL = struct.pack("<14id3i2q", 793712314, 12, 2, *[0] * 11, 0.0, 1, 1, 0, 0, -1)
MALFORMED = {
    "a binary table that ends early": (
        b"3 2\n" + entries(2, 2), "the header states 3 words, the file ends in word 3"),
    "a binary table that ends in a number": (
        b"2 2\n" + entries(2, 2)[:-1], "the header states 2 words, the file ends in word 2"),
    "a binary table that goes on": (
        b"1 2\n" + entries(2, 2), "the header states 1 words, but the file goes on"),
    "a binary header that lies": (
        b"3000000000 300\n" + entries(2, 300), r"states 3000000000 words of 300 dim.*cannot hold"),
    "a binary word that never ends": (
        b"2 500\n\x00\x01" + b"w" * 9000, "word 1: expected a word and its numbers, got neither"),
    "a binary number that is none": (
        b"2 1\na " + b"\x00\x00\x80\x3f" + b"b \x00\x00\xc0\x7f", "word 2: expected finite"),
    "a binary word that comes twice": (
        b"2 1\na \x00\x00\x80\x3fa \x00\x00\x80\x3f", "word 2: expected a new word, got the one"),
    "a text header that lies": (
        b"99999999 300\nrain 1 2\n", "line 1: states 99999999 words of 300.*cannot hold"),
    "a text header of nothing": (b"0 5\n", "line 1: states 0 words"),
    "a text header of too many words": (
        b"3 2\nrain 1 2\nsnow 3 4\n", "states 3 words, got 2"),
    "a ragged line": (b"rain 1 2\nsnow 3\n", "line 2: expected a word and 2 numbers, got 1"),
    "a line too long": (b"rain 1 2\nsnow 3 4 5\n", "line 2: expected a word and 2 numbers, got 3"),
    "a line without a word": (b"rain 1 2\n 3 4\n", "line 2: expected a word and 2 numbers"),
    "not a number": (b"rain 1 2\nsnow 3 4x\n", "line 2: expected a word and 2 numbers, got some"),
    "NaN": (b"rain 1 2\nsnow 3 nan\n", "line 2: expected finite numbers, got NaN or inf"),
    "infinity": (b"rain 1 2\nsnow 3 -inf\n", "line 2: expected finite numbers"),
    "beyond float32": (b"rain 1 2\nsnow 3 1e39\n", "line 2: expected finite numbers"),
    "a word that comes twice": (
        b"rain 1 2\nsnow 3 4\nrain 1 2\n", "line 3: expected a new word, got the one of line 1"),
    "a word twice, after a line that is left out": (
        b"rain 1 2\n. . 3 4\nrain 1 2\n", "line 3: expected a new word, got the one of line 1"),
    "an endless line": (b"rain 1\n" + b"x" * 3_000_000, "a line has no end within 1 MiB"),
    "nothing": (b"", "line 1: expected a word and its numbers, got a line of nothing"),
    "a header only": (b"1 1\n", "the header states 1 words, the file ends in word 1|cannot hold"),
    "a web page": (b"<!DOCTYPE html><html>", "is a web page, not a table"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "no table of a known kind"),
    "a pickle": (pickle.dumps({"rain": [1, 2]}), "is a pickle.*convert it: m = gensim"),
    "an array of objects": (npy(np.array([[{}]]), allow_pickle=True), "Python objects"),
    "an array that is cut": (npy(VECTORS)[:-1], "damaged, cut short"),
    "an array in one dimension": (npy(VECTORS[0]), "vectors without words"),
    "an array without words": (npy(VECTORS), "holds vectors without words; put the words"),
    "a fastText model of another time": (
        MODEL.replace(struct.pack("<i", 12), struct.pack("<i", 99)), "version 12, got 99"),
    "a fastText model that is cut": (MODEL + b"rain\0", "damaged or cut short"),
    "a fastText model whose header lies": (
        MODEL + b"rain\0" + b"\0" * 9 + struct.pack("<?2q", 0, 10**12, 2), "damaged or cut short"),
    "a quantised fastText model": (
        MODEL + b"rain\0" + b"\0" * 9 + struct.pack("<?2q", 1, 1, 2), "is a quantised model"),
    "a fastText model of less than no words": (
        struct.pack("<14id3i2q", 793712314, 12, 2, *[0] * 11, 0.0, 1, -1, 0, 0, -1) + b"a" * 99,
        "damaged or cut short"),
    "a header of very long lines": (b"1 1400000\nrain 1 2\n" + b"x" * 2_900_000, "cannot hold"),
    "a word that is not there": (b"rain 1 2\n 1 2\n", "line 2: expected .* got 2 and no word"),
    "commas between numbers": (b"rain,1,2\n", r"got no number \(are they parted by spaces"),
    "a ZIP archive": (b"PK\x03\x04" + b"\0" * 40, "damaged ZIP"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), MALFORMED.values(), ids=MALFORMED.keys())
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzipped"])
def test_a_malformed_table_is_refused_in_one_line(tmp_path, content, message, packed):
    path = tmp_path / "table.any"
    if packed and not content.startswith((b"\x93NUMPY", b"PK")):
        content = gzip.compress(content)
    path.write_bytes(content)

    with pytest.raises(TableError, match=message) as caught:
        Table.open(path)
    assert "\n" not in str(caught.value)


def test_a_gzip_bomb_is_bounded(tmp_path):
    """A quarter of a gigabyte of one line in a quarter of a megabyte; reading stops before."""
    path = tmp_path / "bomb.txt.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(b"rain 1\n")
        for _ in range(60):
            file.write(b"1" * 4_000_000)
    tracemalloc.start()
    with pytest.raises(TableError, match="a line has no end"):
        Table.open(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 60_000_000


def test_a_table_that_packs_too_well_is_refused(tmp_path):
    path = tmp_path / "zeros.txt.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        for i in range(900):
            file.write(b"w%d" % i + (b" 0." + b"0" * 197) * 1_000 + b"\n")

    with pytest.raises(TableError, match="more than 100 times its size"):
        Table.open(path)


def test_a_header_is_refused_before_memory_is_asked_for(tmp_path):
    path = tmp_path / "lie.bin"
    path.write_bytes(b"500000000 300\n" + entries(10, 300))
    tracemalloc.start()
    with pytest.raises(TableError, match="cannot hold"):
        Table.open(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 5_000_000


def test_a_damaged_gzip_file_is_refused(tmp_path):
    path = tmp_path / "t.txt.gz"
    path.write_bytes(gzip.compress(text(VECTORS).encode() * 50)[:-20])

    with pytest.raises(TableError, match="damaged or cut short"):
        Table.open(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "rain\n", "5 vectors, but the list has 1 words"),
        ("a.json", '{"rain": 3}', "JSON list of words"),
        ("a.json", "[1, 2]", "JSON list of words"),
        ("a.txt", "rain\nrain\nb\nc\nd", "1 repeated"),
    ],
)
def test_a_list_that_does_not_fit_is_refused(tmp_path, name, content, message):
    np.save(tmp_path / "a.npy", VECTORS)
    (tmp_path / name).write_text(content, encoding="utf-8")

    with pytest.raises(TableError, match=message):
        Table.open(tmp_path / "a.npy")


def test_the_line_that_converts_a_pickle_works(tmp_path, keyed):
    keyed.save(str(tmp_path / "model.kv"))
    with pytest.raises(TableError, match="convert it: ") as caught:
        Table.open(tmp_path / "model.kv")
    line = str(caught.value).split("convert it: ")[1]
    for name, model in (("model.kv", keyed), ("w2v", FastText([["rain"]], min_count=1, epochs=1))):
        model.save(str(tmp_path / name))
        code = line.replace("FILE", repr(str(tmp_path / name)))
        code = code.replace("table.bin", str(tmp_path / "table.bin"))
        exec(f"import gensim\n{code}", {})
        assert len(Table.open(tmp_path / "table.bin")) >= 1


def test_model2vec_weights_and_mappings_are_obeyed(tmp_path, static):
    vectors = np.array([[0, 0], [1, 2], [3, 4]], dtype=np.float32)
    model = StaticModel(
        vectors, static.tokenizer, weights=np.array([1, 2, 10]), token_mapping=np.array([2, 1, 0])
    )
    model.save_pretrained(tmp_path / "mapped")
    due = [[3, 4], [2, 4], [0, 0]]

    assert same(Table.of(model), ["[UNK]", "rain", "snow"], due)
    assert same(Table.open(tmp_path / "mapped"), ["[UNK]", "rain", "snow"], due)


def test_a_mark_at_the_start_is_no_letter(tmp_path):
    path = tmp_path / "bom.txt"
    path.write_bytes(b"\xef\xbb\xbfrain 1 2\r\nsnow 1 3\r\n\r\n")

    assert list(Table.open(path).words) == ["rain", "snow"]


def test_a_line_is_read_alike_whatever_stands_around_it(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes(b"snow 3 4\nfoo\tbar 1 2\nrain  5 6\n")
    alone = list(Table.open(path).words)
    path.write_bytes(path.read_bytes() + b". . 1 2\n")

    assert alone == list(Table.open(path).words) == ["snow", "rain"]


@pytest.mark.parametrize(
    "content", [b"2 2\nrain\t1\t2\nsnow\t3\t4\n", b"2 2\nat a@b.c 1 2\nx 3 4\n"]
)
def test_text_with_a_header_is_text(tmp_path, content):
    path = tmp_path / "t.vec"
    path.write_bytes(content)
    table = Table.open(path)

    assert len(table) + table.left_out == 2


def test_a_binary_vector_that_looks_like_text_is_not(tmp_path):
    path = tmp_path / "t.bin"
    row = b"1\n" + bytes(range(38))
    path.write_bytes(b"2 10\nrain " + row + b"snow " + row)

    assert list(Table.open(path).words) == ["rain", "snow"]


def test_a_first_word_with_spaces_is_left_out(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes(b"new york 1 2\nrain 3 4\n")

    assert same(Table.open(path), ["rain"], [[3, 4]])


def test_words_of_its_own_need_no_list(tmp_path):
    (tmp_path / "t.txt").write_bytes(b"rain 1\n")
    (tmp_path / "l.txt").write_bytes(b"snow\n")
    with pytest.raises(TableError, match="words of its own"):
        Table.open(tmp_path / "t.txt", words=tmp_path / "l.txt")


def flipped(content, rng):
    """The content with some bytes changed, or cut."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        data[rng.integers(len(data))] = rng.integers(256)
    return bytes(data[: rng.integers(1, len(data))] if rng.random() < 0.3 else data)


@pytest.fixture
def samples(tmp_path, keyed, static):
    """A file of each kind."""
    folder = tmp_path / "samples"
    folder.mkdir()
    keyed.save_word2vec_format(str(folder / "a.bin"), binary=True)
    keyed.save_word2vec_format(str(folder / "a.vec"))
    Table(WORDS, VECTORS).save(folder / "a.safetensors")
    Table(WORDS, VECTORS).save(folder / "b.safetensors", dtype="int8")
    model = FastText([["rain", "été"]] * 3, vector_size=4, min_count=1, bucket=9, epochs=1)
    save_facebook_model(model, str(folder / "ft.bin"))
    np.save(folder / "v.npy", VECTORS)
    (folder / "v.txt").write_text("\n".join(WORDS), encoding="utf-8")
    np.savez_compressed(folder / "z.npz", words=np.array(WORDS), vectors=VECTORS)
    save_file({"w": VECTORS}, folder / "s.safetensors")
    (folder / "s.txt").write_text("\n".join(WORDS), encoding="utf-8")
    return sorted(folder.iterdir())


def test_damaged_files_are_tables_or_refused(samples):
    """Whatever bytes change, a table comes out or one line of refusal; nothing else."""
    rng = np.random.default_rng(7)
    said = {}
    for path in samples:
        content = path.read_bytes()
        for _ in range(120):
            path.write_bytes(flipped(content, rng))
            try:
                _ = Table.open(path).fingerprint
            except TableError as error:
                said[path.name] = str(error)
        path.write_bytes(content)

    assert len(said) >= 8
    assert not [message for message in said.values() if "\n" in message]
