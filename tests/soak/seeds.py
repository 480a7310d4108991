"""Small files of every kind that is read, made by what writes them; with canaries among the words.

They are the same each time but where a library's writer changes, so a case can be made again
from the name of its reader and its number.
"""

import gzip
import io
import json
import struct
import zipfile
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from nomdeplume import Table
from nomdeplume.cli.main import cli
from nomdeplume.engine.state import Entry
from nomdeplume.evaluate.results import Label
from nomdeplume.evaluate.store import File, Parts, encoded
from nomdeplume.extras import arrow
from nomdeplume.features import Features
from nomdeplume.mechanism.remembered import FORMAT
from nomdeplume.privacy.ledger import Ledger, Price
from tests.evaluation_results import results as evaluated

TEXT = "Rain on the zyxoquant lake. Wumblegorf, été!\n"
WORDS = ("rain", "lake", "pear", "zyxoquant", "wumblegorf")
VECTORS = np.array([[0, 0], [0, 1], [5, 5], [5, 6], [2, 3.5]], dtype=np.float32)
RECORDS = [
    {"id": 1, "text": "rain on zyxoquant lake", "topic": "a"},
    {"id": 2, "text": 'pear, "wumblegorf"\nété', "topic": "b"},
    {"id": 3, "text": "", "topic": None},
]
JSONL = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in RECORDS).encode()
CSV = (
    'id,text,topic\n1,"rain on zyxoquant lake",a\n2,"pear, ""wumblegorf""\nété",b\n'
    "3,lake rain,a\n4,it's zyxoquant,b\n"
).encode()
GLOVE = "".join(f"{w} {x:g} {y:g}\n" for w, (x, y) in zip(WORDS, VECTORS, strict=True)).encode()
W2V = b"5 2\n" + b"".join(
    w.encode() + b" " + row.astype("<f4").tobytes() + b"\n"
    for w, row in zip(WORDS, VECTORS, strict=True)
)
KEY = "soak"
NUMBER = json.dumps({"format": FORMAT, "key": KEY, "number": 1.5}).encode()
RECALLED = json.dumps(
    {"format": FORMAT, "key": KEY, "a": 2.0, "epsilon": 3.5, "exact": True}
).encode()
ORIGIN = json.dumps({"t.zip": {"sha256": "ab" * 32, "bytes": 9, "url": "https://example.org/t.zip",
                               "first_fetched": "2026-11-01"}}).encode()  # fmt: skip
NOTE = json.dumps({"url": "https://example.org/t", "version": '"1"', "total": 99}).encode()
TOKENIZER = json.dumps(
    {"model": {"vocab": {w: i for i, w in enumerate(WORDS[:4])}},
     "added_tokens": [{"content": WORDS[4], "id": 4}]}
).encode()  # fmt: skip
UNIGRAM = json.dumps({"model": {"vocab": [[w, -1.5] for w in WORDS]}}).encode()


@cache
def results(*, finished=True):
    """The file of an evaluation."""
    found = evaluated(2, 2, settings=((9, 50),), mechanisms=1)
    found = replace(found, authors=(Label("zyxoquant", 9), *found.authors[1:]))
    parts = Parts(found.clean, {"other": found.cells[0]})
    if not finished:
        return encoded(File(question="q", parts=parts)).encode()
    file = File(question="q", complete=True, results=found, keys=("c",), parts=parts)
    return encoded(file).encode()


def table():
    return Table(WORDS, VECTORS, name="t")


def packed(data):
    return gzip.compress(data, 1, mtime=0)


def zstd(data):
    return arrow().compress(data, codec="zstd", asbytes=True)


def native(dtype="float32"):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.safetensors"
        table().save(path, dtype=dtype)
        return path.read_bytes()


def container(**arrays):
    """A safetensors file, as this program's writer has it."""
    from nomdeplume.table.container import serialised

    return b"".join(map(bytes, serialised(arrays, {})))


def header_of(file):
    """The header and the body of a safetensors file."""
    length = int.from_bytes(file[:8], "little")
    return file[8 : 8 + length], file[8 + length :]


def bfloat():
    """A tensor of bfloat16, which NumPy does not have."""
    head = {"v": {"dtype": "BF16", "shape": [5, 2], "data_offsets": [0, 20]}}
    text = json.dumps(head).encode()
    return len(text).to_bytes(8, "little") + text + bytes(range(20))


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def zipped(compression=zipfile.ZIP_DEFLATED, **members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name.replace("_", ".")), data, compression)
    return file.getvalue()


def npz(**arrays):
    return zipped(**{f"{name}_npy": npy(array) for name, array in arrays.items()})


def fasttext(*, longest=3, buckets=4):
    """A fastText model of version 12, by hand."""
    head = struct.pack("<14i", 793712314, 12, 2, 5, 5, 1, 5, 1, 1, 1, buckets, 2, longest, 100)
    head += struct.pack("<d", 1e-4) + struct.pack("<3i2q", 5, 5, 0, 99, -1)
    words = b"".join(word.encode() + b"\0" + struct.pack("<qb", 9, 0) for word in WORDS)
    rows = np.arange(2 * (5 + buckets), dtype="<f4")
    return head + words + struct.pack("<?2q", False, 5 + buckets, 2) + rows.tobytes()


def columns():
    pa = arrow()
    names = ("id", "text", "topic")
    return pa.table({name: [each[name] for each in RECORDS] for name in names})


def parquet(**options):
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(columns(), file, **options)
    return file.getvalue()


def ipc(writer, compression=None, found=None):
    pa = arrow()
    found, file = found or columns(), io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with getattr(pa.ipc, writer)(file, found.schema, options=options) as sink:
        sink.write_table(found)
    return file.getvalue()


def dictionary():
    found = columns()
    return found.set_column(1, "text", found.column("text").dictionary_encode())


def features(**more):
    kept = {"table_fingerprint": table().fingerprint, "kept_fingerprint": "cd" * 32}
    found = Features(
        words=WORDS[2:], method="chi2", topics=2, texts=4, accuracy=0.5, accuracy_all=0.75,
        directions=np.array([[0.6, 0.8]]), anchors=(WORDS[:2], WORDS[2:]),
        values=np.array([[1.0], [2.0], [3.0]]), weights=(1.0, 2.0, 3.0),
        origins={"topics": np.array([0.5])}, seen=np.array([3, 9], dtype=np.uint64), **kept, **more,
    )  # fmt: skip
    return found.to_json().encode()


@cache
def released():
    """Releases of two documents in every kind of file, each with its certificate."""
    kinds = [
        f"out.{kind}" for kind in ["txt", "jsonl", "csv", "tsv", "parquet", "arrow", "feather"]
    ]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "t.txt").write_bytes(GLOVE)
        (folder / "in.jsonl").write_bytes(JSONL)
        (folder / "in.txt").write_bytes(TEXT.encode())
        own = ["--table", str(folder / "t.txt"), "--stop-words", "none", "--quiet", "--size", "4"]
        for kind in kinds:
            source = folder / ("in.txt" if kind == "out.txt" else "in.jsonl")
            given = [str(source), "-o", str(folder / kind), *own, "--seed", "1"]
            mean = ["--vectors"] if kind == "out.jsonl" else ["--epsilon", "6"]
            cli(["obfuscate", *given, *mean], standalone_mode=False)
        return {path.name: path.read_bytes() for path in folder.glob("out.*")}


@cache
def ledger():
    """A ledger with some accounts, and its key."""
    price = Price(20.0, "distances of a table", "W₁", "mean", "kept", 200.0, 1, 10)
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.ledger")
        with Ledger(path, limit=50) as made:
            names = [(made.claims.by_id(n), made.claims.by_author(n % 3)) for n in range(9)]
            made.charge(price, names)
            made.limit = 60
        return path.read_bytes(), path.with_name("a.ledger.key").read_bytes()


def spool():
    lines = [{"digest": "d"}, {"run": "r"}, [1, "rain snow", None, True], [3, "lake", [0.5], False]]
    return b"".join(json.dumps(line).encode() + b"\n" for line in [*lines, {"done": "s"}])


ENTRY = json.dumps(
    asdict(
        Entry(1, "a", 9, "1", "part-00001.jsonl", "r", "0" * 64, 1, [(2, "no")], 0, 1, 0, [], "")
    )
).encode()
STATE = json.dumps({"digest": "d", "runs": ["r"], "sources": ["a"]}).encode()
SHARD = {"name": "part-00001.jsonl", "sha256": "0" * 64, "documents": 1}
MANIFEST = json.dumps({"format": 1, "program": "n", "documents": 1, "shards": [SHARD]}).encode()


def certificates():
    found = released()
    return tuple(data for name, data in sorted(found.items()) if name.endswith("certificate.json"))


def of(name):
    """The seeds of a reader; a name without any has those of what stands before its comma."""
    found = _SEEDS.get(name) or _SEEDS[name.partition(",")[0]]
    return tuple(found() if callable(found) else found)


WIDE = (
    TEXT.encode("utf-16"),
    TEXT.encode("utf-32"),
    TEXT.encode("utf-16-le"),
    TEXT.encode("latin-1"),
)
ROWS = (
    CSV,
    CSV.replace(b",", b";"),
    b"sep=;\n" + CSV.replace(b",", b";"),
    CSV.decode().encode("utf-16"),
)
TABBED = (b"id\ttext\n1\train zyxoquant\n2\t'lake'\n3\t\"wumblegorf\"\n",)
_SEEDS = {
    "text": (TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), *WIDE, JSONL, CSV),
    "text, packed": lambda: map(packed, (TEXT.encode(), *WIDE)),
    "text, within gzip": (TEXT.encode(), *WIDE),
    "text, within zstd": (TEXT.encode(), *WIDE),
    "jsonl": (JSONL, JSONL.decode().encode("utf-16"), JSONL.replace(b"\n", b"\r")),
    "jsonl, packed": lambda: (packed(JSONL), zstd(JSONL)),
    "jsonl, zstd": lambda: (zstd(JSONL),),
    "csv": ROWS,
    "csv, tabs": TABBED,
    "csv, packed": lambda: map(packed, ROWS),
    "parquet": lambda: (
        parquet(compression="none"), parquet(), parquet(compression="zstd", version="1.0"),
        parquet(use_dictionary=False, data_page_version="2.0", compression="gzip"),
    ),
    "arrow": lambda: (ipc("new_file"), ipc("new_file", "lz4"), ipc("new_file", None, dictionary())),
    "arrow, stream": lambda: (ipc("new_stream"), ipc("new_stream", "zstd")),
    "certificate": certificates,
    "release, text": lambda: (released()["out.txt"],),
    "release, jsonl": lambda: (released()["out.jsonl"],),
    "release, csv": lambda: (released()["out.csv"],),
    "release, parquet": lambda: (released()["out.parquet"],),
    "release, arrow": lambda: (released()["out.arrow"], released()["out.feather"]),
    "release, frame": lambda: (released()["out.parquet"], parquet()),
    "table, glove": (
        GLOVE, b"\xef\xbb\xbf" + GLOVE, GLOVE.replace(b" ", b"  "), b"a b 1 2\n" + GLOVE,
    ),
    "table, word2vec text": (b"5 2\n" + GLOVE,),
    "table, word2vec binary": (W2V, W2V.replace(b"\n", b"").replace(b"5 2", b"5 2\n")),
    "table, fasttext": lambda: (fasttext(), fasttext(longest=0, buckets=0)),
    "table, packed": lambda: map(packed, (GLOVE, W2V, fasttext())),
    "table, within gzip": lambda: (GLOVE, W2V, fasttext(), native()),
    "table, native": lambda: (native(), native("float16"), native("int8")),
    "table, native header": lambda: (header_of(native())[0],),
    "table, native codes": lambda: (header_of(native("int8"))[0],),
    "table, safetensors": lambda: (container(v=VECTORS), bfloat()),
    "table, safetensors header": lambda: (header_of(container(v=VECTORS))[0],),
    "table, model2vec": lambda: (
        container(embeddings=VECTORS),
        container(embeddings=VECTORS, weights=np.ones(5, "f4"), mapping=np.arange(5, dtype="u1")),
    ),
    "table, npy": lambda: (npy(VECTORS), npy(VECTORS.astype(">f8").T.copy().T)),
    "table, npz": lambda: (
        npz(v=VECTORS, w=np.array(WORDS)), npz(v=VECTORS.astype("f2")),
        zipped(zipfile.ZIP_LZMA, v_npy=npy(VECTORS)), zipped(zipfile.ZIP_BZIP2, v_npy=npy(VECTORS)),
    ),
    "table, list of words": ("\n".join(WORDS).encode(),),
    "table, tokenizer": (TOKENIZER, UNIGRAM, json.dumps(WORDS).encode()),
    "table, published": lambda: (zipped(t_txt=GLOVE), zipped(zipfile.ZIP_STORED, t_txt=GLOVE)),
    "table, sources": (ORIGIN,),
    "table, part of a download": (NOTE,),
    "features": lambda: (features(), features(leaks=True)),
    "ledger": lambda: (ledger()[0],),
    "ledger, its key": lambda: (ledger()[1],),
    "spool": lambda: (spool(),),
    "manifest": (MANIFEST,),
    "shards": (ENTRY, STATE),
    "calibrations": (NUMBER, RECALLED),
    "results": lambda: (results(), results(finished=False)),
    "stop words": ("# mine\nrain\nzyxoquant été\n".encode(),),
    "output words": (b"rain\nLake\nwumblegorf\n",),
    "weights": (b"rain\t1\nlake\t2.5\nzyxoquant\t1e-3\n",),
}  # fmt: skip
