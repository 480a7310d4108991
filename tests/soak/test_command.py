"""The command itself on damaged files: exit code 2, and one line on standard error."""

import gzip
import json

import pytest

from tests.soak import seeds
from tests.soak.oracle import clear

OWN = ("--table", "t.txt", "--stop-words", "none")


def certificate(**fields):
    whole = json.loads(seeds.released()["out.csv.certificate.json"])
    return json.dumps({**whole, **fields}).encode()


def half(data):
    return data[: len(data) // 2]


TEXTS = {
    "in.parquet": lambda: half(seeds.parquet()),
    "a.parquet": lambda: b"PAR1" + bytes(40) + b"PAR1",
    "in.arrow": lambda: half(seeds.ipc("new_file")),
    "a.arrow": lambda: seeds.ipc("new_file").replace(b"text", b"taxt"),
    "in.arrows": lambda: half(seeds.ipc("new_stream")),
    "in.feather": lambda: b"FEA1" + bytes(99),
    "in.jsonl.gz": lambda: half(seeds.packed(seeds.JSONL)),
    "a.jsonl.gz": lambda: gzip.compress(seeds.packed(seeds.JSONL)),
    "in.jsonl.zst": lambda: half(seeds.zstd(seeds.JSONL)),
    "in.jsonl": lambda: b'{"zyxoquant": 1, "wumblegorf": 2}',
    "a.jsonl": lambda: b'{"id": 1, "text": ["zyxoquant"]}',
    "in.csv": lambda: b"zyxoquant,wumblegorf\nrain,lake\n",
    "a.csv": lambda: b"id,id,text\n1,2,zyxoquant\n",
    "b.csv": lambda: b"\x89PNG\r\n\x1a\n" + bytes(99),
    "in.csv.gz": lambda: half(seeds.packed(seeds.CSV)),
    "in": lambda: b'[{"text": "zyxoquant"},\n {"text": "rain"}]',
    "in.pdf": lambda: b"%PDF-1.7 zyxoquant",
}
TABLES = {
    "empty": lambda: b"",
    "text": lambda: half(seeds.GLOVE) + b" x",
    "word2vec text": lambda: b"9 2\n" + seeds.GLOVE,
    "word2vec binary": lambda: half(seeds.W2V),
    "huge": lambda: b"999999999999 999999\n" + seeds.W2V,
    "fasttext": lambda: half(seeds.fasttext()),
    "native": lambda: half(seeds.native()),
    "header": lambda: b"\x09\0\0\0\0\0\0\0{" + b"[" * 99,
    "npy": lambda: half(seeds.npy(seeds.VECTORS)),
    "npz": lambda: half(seeds.npz(v=seeds.VECTORS)),
    "gzip": lambda: half(seeds.packed(seeds.GLOVE)),
    "bomb": lambda: gzip.compress(bytes(1 << 27)),
    "zip": lambda: seeds.zipped(t_txt=seeds.GLOVE),
}
FILES = {
    "certificate": lambda: half(certificate()),
    "a certificate that is not UTF-8": lambda: certificate(program="é").replace(
        b"\\u00e9", b"\xe9"
    ),
    "a certificate of another format": lambda: certificate(format=99),
    "a certificate that is a list": lambda: b"[]",
    "a certificate of another table": lambda: certificate(table="zyxoquant"[:4]),
    "a certificate of other features": lambda: certificate(features="x\ny" * 300),
}


def one_line(done):
    said = done.stderr.decode()
    assert said.startswith("nomdeplume: ")
    clear(said.removesuffix("\n"))
    return done.stdout == b""


@pytest.mark.parametrize("name", TEXTS)
def test_texts(run, tmp_path, name):
    (tmp_path / name).write_bytes(TEXTS[name]())
    (tmp_path / "t.txt").write_bytes(seeds.GLOVE)

    assert one_line(run("obfuscate", name, *OWN, "--quiet", "--strict", code=2))


@pytest.mark.parametrize("kind", TABLES)
def test_tables(run, tmp_path, kind):
    (tmp_path / "table").write_bytes(TABLES[kind]())

    assert one_line(run("tables", "info", "table", code=2))


@pytest.mark.parametrize("kind", FILES)
def test_certificates(run, tmp_path, kind):
    (tmp_path / "c.json").write_bytes(FILES[kind]())
    (tmp_path / "t.txt").write_bytes(seeds.GLOVE)

    assert one_line(run("certificate", "c.json", "--table", "t.txt", code=2))


@pytest.mark.parametrize("fields", [{"words": 1}, {"seen": "?"}, {"speaking": ["\ud800"]}])
def test_features(run, tmp_path, fields):
    whole = json.loads(seeds.features())
    (tmp_path / "f.json").write_text(json.dumps({**whole, **fields}), encoding="utf-8")

    assert one_line(run("features", "show", "f.json", code=2))
