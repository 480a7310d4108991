"""What is written in any form is read back as it was; numbers are read as `float` reads them."""

import gzip
import json

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nomdeplume import Table
from nomdeplume.table.readers.decimals import decimals

letters = st.characters(exclude_categories=("Cs", "Cc", "Z"))
word = st.text(letters, min_size=1, max_size=12).filter(lambda word: not word.isdigit())
numbers = st.floats(-(2.0**99), 2.0**99, width=32, allow_subnormal=False)


@st.composite
def tables(draw):
    words = draw(st.lists(word, min_size=1, max_size=20, unique=True))
    k = draw(st.integers(1, 6))
    return Table(words, draw(arrays(np.float32, (len(words), k), elements=numbers)), "drawn", "fr")


def as_text(table, path, number=repr, start=""):
    rows = zip(table.words, table.vectors[:], strict=True)
    lines = [f"{word} {' '.join(number(float(x)) for x in row)}\n" for word, row in rows]
    path.write_text(start + "".join(lines), encoding="utf-8")


def as_word2vec(table, path, *, binary):
    keyed = KeyedVectors(table.dimensions)
    keyed.add_vectors(list(table.words), np.array(table.vectors))
    keyed.save_word2vec_format(str(path), binary=binary)


def as_npy(table, path):
    with path.open("wb") as file:
        np.save(file, table.vectors[:])
    path.with_name("words.txt").write_text("\n".join(table.words), encoding="utf-8")


def as_gzip(table, path):
    as_word2vec(table, path, binary=True)
    path.write_bytes(gzip.compress(path.read_bytes()))


def as_npz(table, path):
    with path.open("wb") as file:
        np.savez(file, words=np.array(list(table.words)), vectors=table.vectors[:])


def as_json_list(table, path):
    as_npy(table, path)
    path.with_name("words.txt").unlink()
    path.with_name("vocab.json").write_text(json.dumps({w: i for i, w in enumerate(table.words)}))


WAYS = {
    "native": lambda table, path: table.save(path),
    "GloVe text": as_text,
    "GloVe text in nine digits": lambda table, path: as_text(table, path, "{:.9g}".format),
    "text with a header": lambda table, path: as_text(
        table, path, start=f"{len(table)} {table.dimensions}\n"
    ),
    "word2vec text": lambda table, path: as_word2vec(table, path, binary=False),
    "word2vec binary": lambda table, path: as_word2vec(table, path, binary=True),
    "word2vec binary, gzipped": as_gzip,
    "NumPy with a list": as_npy,
    "NumPy with a numbered list": as_json_list,
    "npz": as_npz,
}


@pytest.mark.parametrize("write", WAYS.values(), ids=WAYS.keys())
@settings(max_examples=40, deadline=None)
@given(table=tables())
def test_every_form_gives_the_table_back(tmp_path_factory, write, table):
    path = tmp_path_factory.mktemp("table") / "table.any"
    write(table, path)
    opened = Table.open(path)

    assert list(opened.words) == list(table.words)
    assert (opened.vectors[:] == table.vectors[:]).all()


def test_words_that_a_tokenizer_gives_a_meaning_are_words(tmp_path):
    table = Table(("added_tokens", "model", "vocab"), np.eye(3))
    as_json_list(table, tmp_path / "table.any")

    assert list(Table.open(tmp_path / "table.any").words) == ["added_tokens", "model", "vocab"]


written = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e9, 1e9).map("{:.5f}".format),
    st.floats(-10, 10).map("{:.9g}".format),
    st.floats(-1e-6, 1e-6).map("{:.8f}".format),
    st.integers(-(10**12), 10**12).map(str),
    st.from_regex(r"[+-]?\d{1,12}\.\d{0,12}", fullmatch=True).filter(str.isascii),
    st.sampled_from(["0", "-0.0", "-.5", "5.", "1e-05", "+1.5", "9999999.99999999", "1E5"]),
)


@settings(max_examples=300)
@given(st.lists(written, min_size=1, max_size=40))
def test_decimals_are_read_as_float_reads_them(texts):
    with np.errstate(over="ignore"):
        due = np.array([float(text) for text in texts]).astype(np.float32)
    found = decimals(" ".join(texts).encode())

    assert found.tobytes() == due.tobytes()


@settings(max_examples=300)
@given(st.lists(st.text("0123456789.-+e_ \t", max_size=8), min_size=1, max_size=5))
def test_what_is_no_number_is_refused(texts):
    def read(text):
        if "_" in text or text != text.strip():
            raise ValueError
        return float(text)

    joined = " ".join(texts)
    try:
        due = [read(text) for text in joined.split(" ")] if joined else []
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011
            decimals(joined.encode())
    else:
        with np.errstate(over="ignore"):
            assert decimals(joined.encode()).tobytes() == np.float32(due).tobytes()
