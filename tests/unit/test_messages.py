"""What the library raises carries no text: not said, not shown, not chained."""

import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.cli.leaks import CANARIES, TEXT, world
from tests.conftest import TINY

from nomdeplume import (
    Certificate,
    Distance,
    Features,
    Guarantee,
    InputError,
    Laplace,
    Ledger,
    Obfuscator,
    PlumeError,
    Recipe,
    Table,
    Vocabulary,
    seeded,
)
from nomdeplume.errors import at, got, positive, whole
from nomdeplume.formats.reading import open_inputs
from nomdeplume.formats.records import Fields

SOUND = {"text": ["apple pear"], TEXT: [TEXT]}
BROKEN = pa.array([TEXT.encode() + b"\xff\xfe"]).view(pa.binary()).cast(pa.binary())
CALLS = {
    "bytes": lambda o: o([TEXT.encode()]),
    "no list": lambda o: o(TEXT),
    "numbers among texts": lambda o: o([TEXT, 7]),
    "a text for a generator": lambda o: o([TEXT], TEXT),
    "a surrogate": lambda o: o([TEXT + "\ud800"]) and positive("x", -1),
    "pandas without the column": lambda o: o.frame(pd.DataFrame({TEXT: [TEXT]})),
    "pandas, a column that is a text": lambda o: o.frame(pd.DataFrame(SOUND), text=TEXT + "!"),
    "pandas with a gap": lambda o: o.frame(pd.DataFrame({"text": [TEXT, None]})),
    "pandas of lists": lambda o: o.frame(pd.DataFrame({"text": [[TEXT]]})),
    "pandas, a list kept": lambda o: o.frame(
        pd.DataFrame({"text": ["apple"], TEXT: [{TEXT: 1}]}), keep=[TEXT]
    ),
    "polars without the column": lambda o: o.frame(pl.DataFrame({TEXT: [TEXT]})),
    "polars of structs": lambda o: o.frame(pl.DataFrame({"text": [{TEXT: TEXT}]})),
    "polars, a struct kept": lambda o: o.frame(
        pl.DataFrame({"text": ["apple"], "x": [{TEXT: TEXT}]}), keep=["x"]
    ),
    "polars of lists of names": lambda o: o.frame(
        pl.DataFrame({"text": [[CANARIES[0]]]}, schema={"text": pl.List(pl.Enum([CANARIES[0]]))})
    ),
    "Arrow of structs": lambda o: o.frame(pa.table({"text": [{TEXT: TEXT}]})),
    "Arrow that is no UTF-8": lambda o: o.frame(
        pa.table({"text": pa.Array.from_buffers(pa.string(), 1, BROKEN.buffers())})
    ),
    "an object": lambda o: o.frame({TEXT: [TEXT]}),
    "epsilon": lambda _: Obfuscator.laplace(epsilon=TEXT, vocabulary=TINY),
    "a size": lambda o: Obfuscator(o.vocabulary, o.mechanism, TEXT),
    "a reduction": lambda o: Obfuscator(o.vocabulary, o.mechanism, 3, TEXT),
    "a mechanism": lambda o: Obfuscator.of(Recipe(TEXT), o.vocabulary),
    "a metric": lambda o: Distance(o.vocabulary, TEXT),
    "stop words": lambda _: Vocabulary.of(TINY, TEXT),
    "a noise": lambda _: Laplace(TEXT),
    "a guarantee": lambda _: Guarantee(TEXT),
    "a seed": lambda _: seeded(TEXT),
    "a number": lambda _: positive("epsilon", TEXT),
    "a whole number": lambda _: whole("size", [TEXT]),
    "a certificate": lambda _: Certificate.from_json('{"x": "' + TEXT),
    "a certificate of another": lambda _: Certificate.from_json('{"format": "' + TEXT + '"}'),
    "features": lambda _: Features.from_json('{"x": "' + TEXT),
}
READ = ("a.txt", "utf16.txt", "binary.txt", "in.csv")


@pytest.fixture
def obfuscator(vocabulary):
    return Obfuscator(vocabulary, Obfuscator.laplace(epsilon=3, vocabulary=vocabulary).mechanism, 5)


def carried(error):
    """All that an error brings along, as a crash report would find it."""
    while error is not None:
        yield from (str(error), repr(error), repr(vars(error)), *map(repr, error.args))
        yield from (repr(getattr(error, name, "")) for name in ("object", "doc", "filename"))
        hidden = error.__suppress_context__ or error.__cause__ is not None
        error = error.__cause__ if hidden else error.__context__


def silent(error):
    said = "\n".join([*carried(error), *traceback.format_exception_only(error)]).lower()
    said = said.replace("\\x00", "")  # of UTF-16
    return not [canary for canary in CANARIES if canary in said]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_no_error_carries_a_text(obfuscator, call):
    with pytest.raises((PlumeError, TypeError)) as raised:
        call(obfuscator)

    assert silent(raised.value)


@pytest.mark.parametrize("kind", ["text", "jsonl", "csv", "parquet", "arrow", None])
def test_no_reader_carries_a_text(tmp_path, kind):
    world(tmp_path)
    errors, reasons = [], []
    for number, path in enumerate(sorted(each for each in tmp_path.rglob("*") if each.is_file())):
        plain = path.rename(tmp_path / f"{number}{''.join(path.suffixes)}")
        try:
            records = open_inputs([str(plain)], Fields(), kind=kind).records
            reasons += [each.unreadable for each in records if each.unreadable]
        except PlumeError as error:
            errors.append(error)

    assert errors
    assert all(map(silent, errors))
    assert not [each for each in reasons if any(c in each.lower() for c in CANARIES)]


@pytest.mark.parametrize("opened", [Table.open, Features.open, Ledger.reading], ids=str)
@pytest.mark.parametrize("name", READ)
def test_a_text_in_place_of_another_file_is_not_carried(tmp_path, opened, name):
    world(tmp_path)
    with pytest.raises(PlumeError) as raised:
        opened(tmp_path / name)

    assert silent(raised.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_search_finds_what_is_chained(encoding):
    def chained():
        try:
            (TEXT.encode(encoding)[:-1] + b"\xff").decode("ascii")
        except UnicodeError:
            raise InputError("chained.")  # noqa: B904 - that is what is looked for

    with pytest.raises(InputError) as raised:
        chained()

    assert not silent(raised.value)


def test_names_and_numbers_are_quoted_and_texts_are_not():
    assert [got(each) for each in (3, 2.5, None, "body", TEXT, [TEXT])] == [
        "3",
        "2.5",
        "None",
        "'body'",
        "'…'",
        "list",
    ]
    assert got(np.float64(2)) == repr(np.float64(2))
    assert (at("my letter.txt"), at(TEXT[:90])) == ("my letter.txt", "the name given")
