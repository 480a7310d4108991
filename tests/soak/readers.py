"""Every reader of the program: a name, the bytes it begins with, and how it is handed some.

A reader that a part of the program grows belongs here, with a seed of its own.
"""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache, partial

from nomdeplume import Table
from nomdeplume.cli.main import cli
from nomdeplume.cli.mechanisms import open_weights, open_words
from nomdeplume.engine.folders import Local
from nomdeplume.engine.manifest import names
from nomdeplume.engine.state import State
from nomdeplume.evaluate.report import page
from nomdeplume.evaluate.store import Store, read
from nomdeplume.features import Features
from nomdeplume.formats.decode import decode
from nomdeplume.formats.reading import open_inputs
from nomdeplume.formats.records import Fields
from nomdeplume.formats.shards import MANIFEST, SUCCESS, amiss
from nomdeplume.formats.spool import Found
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.privacy.certificate import Certificate
from nomdeplume.privacy.ledger import Ledger, Price
from nomdeplume.privacy.verify import verify
from nomdeplume.table.shelf import partial as part
from nomdeplume.table.shelf.archive import open_published
from nomdeplume.table.shelf.provenance import Origin, Provenance
from nomdeplume.table.shelf.sources import Source
from nomdeplume.vocabulary import Vocabulary
from tests.soak import seeds
from tests.soak.oracle import clear

PLAIN, KEPT = Fields(), Fields(keep=("topic",))
SOURCE = Source("t", "t.zip", "https://example.org", "t.txt", "en", 5, 2, 1, "none", "none")


def put(folder, name, data):
    """A file of its own each time: what was mapped before may still be looked at."""
    path = folder / name
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    return path


def taken(inputs):
    """Read all records; what is withheld is said to people too."""
    for record in inputs.records:
        if not record.unreadable:
            _ = record.text.encode("utf-8", "replace"), dict(record.fields)
        said = record.remark if not record.unreadable else record.unreadable
        clear(f"{record.place}: {said or 'read'}")


def texts(data, folder, name="in.txt", fields=PLAIN, packing=bytes, **told):
    taken(open_inputs([str(put(folder, name, packing(data)))], fields, **told))


def piped(data, folder):
    taken(open_inputs(["-"], Fields(), io.BytesIO(data)))


def decoded(data, folder):
    _ = decode(data).text.encode("utf-8", "replace")


@cache
def vocabulary():
    return Vocabulary.of(seeds.table(), "none")


@cache
def unproven(name):
    """A certificate that is not proven again, so that only the release is looked at."""
    found = Certificate.from_json(seeds.released()[f"{name}.certificate.json"].decode())
    return replace(found, kept_fingerprint="another")


def release(data, folder, name):
    for check in verify(unproven(name), vocabulary(), put(folder, name, data)):
        clear(f"{check.name}: {check.found}")


def frame(data, folder, name):
    """The same as a frame that somebody saved."""
    stated = unproven(name)
    stated = replace(stated, output=replace(stated.output, kind="frame"))
    verify(stated, vocabulary(), put(folder, name, data))


def certificate(data, folder):
    path = put(folder, "c.json", data)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    repr(Certificate.from_json(text))


def command(data, folder, arguments, name="file"):
    """What a command does with a FILE, where the TABLE is beside it."""
    places = {"FILE": put(folder, name, data), "TABLE": folder / "t.txt"}
    put(folder, "t.txt", seeds.GLOVE)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        cli([str(places.get(each, each)) for each in arguments.split()], standalone_mode=False)


def opened(data, folder, name="t.any", beside=b"", packing=bytes, **given):
    """A table, with its list of words beside it, and what is asked of it before a release."""
    put(folder, "t.txt", beside) if beside else (folder / "t.txt").unlink(missing_ok=True)
    table = Table.open(put(folder, name, packing(data)), **given)
    _ = table.fingerprint, list(table.words), table.vectors[:].shape, repr(table)


def listed(data, folder, name):
    """A list of words that goes with an array."""
    path = put(folder, name, data)
    opened(seeds.npy(seeds.VECTORS), folder, "v.npy", words=path)


def headed(data, folder, body, name="t.any", **more):
    """A container whose header is given: its length is told right."""
    opened(len(data).to_bytes(8, "little") + data + body, folder, name, **more)


def model(data, folder):
    """A model2vec folder, of which the tensors are given."""
    inner = folder / "model"
    inner.mkdir(exist_ok=True)
    put(inner, "tokenizer.json", seeds.TOKENIZER)
    put(inner, "model.safetensors", data)
    table = Table.open(inner)
    _ = table.fingerprint, list(table.words)


def published(data, folder):
    bench = folder / "bench"
    bench.mkdir(exist_ok=True)
    open_published(put(folder, "t.zip", data), SOURCE, bench)


def sources(data, folder):
    path = put(folder, "sources.json", data)
    found = Provenance(path)
    found.origin("t.zip")
    found.hold("t.zip", Origin("00", 9, "https://example.org", "2026-11-02"))


def note(data, folder):
    target = folder / "t.zip"
    put(folder, part.places(target)[1].name, data)
    with part.Partial(target) as found:
        _ = found.continuable


def charged(data, folder):
    """What a release does with a ledger; SQLite's own files of the case before are not its."""
    path = put(folder, "a.ledger", data)
    _beside(folder, path, seeds.ledger()[1])
    with Ledger(path) as ledger:
        price = Price(20.0, "distances of a table", "W₁", "mean", "kept", 200.0, 1, 10)
        ledger.charge(price, [(ledger.claims.by_id(1),)])
        _ = list(ledger.accounts(authors=True)), ledger.overall(), ledger.limits()


def shown(data, folder):
    _beside(folder, folder / "file", seeds.ledger()[1])
    command(data, folder, "ledger show FILE")


def key(data, folder):
    _beside(folder, put(folder, "a.ledger", seeds.ledger()[0]), data)
    Ledger.reading(folder / "a.ledger").close()


def _beside(folder, path, key):
    for left in ("-wal", "-shm"):
        (folder / f"{path.name}{left}").unlink(missing_ok=True)
    put(folder, f"{path.name}.key", key).chmod(0o600)


def spool(data, folder):
    found = Found.read(io.BytesIO(data))
    assert found.end <= len(data)


def manifest(data, folder):
    """Beside shards: what --force goes by, and what a certificate is held against."""
    put(folder, SUCCESS, b"")
    path = put(folder, MANIFEST, data)
    clear(amiss(folder, "0" * 64, 1) or "as listed")
    names(path.read_text(encoding="utf-8", errors="replace"))


def shards(data, folder):
    """What an interrupted run has left of its shards."""
    inner = folder / ".out.resume"
    inner.mkdir(mode=0o700, exist_ok=True)
    run = json.dumps({"digest": "d", "runs": [""], "sources": ["a", "b"]}).encode()
    first, second = (run, data) if data.startswith(b'{"number') else (data, seeds.ENTRY)
    put(inner, "run.json", first)
    put(inner, "00001.json", second)
    State.open(Local(folder / "out"), "d", "r", resume=True).close()


def features(data, folder):
    path = put(folder, "f.json", data)
    found = Features.open(path)
    _ = found.origin, found.fitted_on("rain"), found.along(seeds.table(), 1)
    Vocabulary.of(seeds.table(), "none", features=found)


def remembered(data, folder):
    inner = folder / "calibrations"
    inner.mkdir(exist_ok=True)
    put(inner, f"{seeds.KEY}.json", data)
    _ = Memory(inner).number(seeds.KEY), Memory(inner).recall(seeds.KEY)


def results(data, folder):
    path = put(folder, "r.json", data)
    Store.open(path, "q")
    if (found := read(path).results) is not None:
        page(found)


def stop_list(data, folder):
    Vocabulary.of(seeds.table(), str(put(folder, "stop.txt", data)))


def output_words(data, folder):
    open_words(put(folder, "words.txt", data), vocabulary())


def weights(data, folder):
    open_weights(str(put(folder, "weights.txt", data)), vocabulary())


LIST = "\n".join(seeds.WORDS).encode()
_, BODY = seeds.header_of(seeds.native())
_, CODED = seeds.header_of(seeds.native("int8"))
_, OTHER = seeds.header_of(seeds.container(v=seeds.VECTORS))
CHECK = "certificate FILE --table TABLE --stop-words none"

READERS = {
    # texts
    "text": texts,
    "text, packed": partial(texts, name="in.txt.gz"),
    "text, within gzip": partial(texts, name="in.txt.gz", packing=seeds.packed),
    "text, within zstd": partial(texts, name="in.txt.zst", packing=seeds.zstd),
    "text, sniffed": partial(texts, name="in"),
    "text, piped": piped,
    "text, decoded": decoded,
    # records
    "jsonl": partial(texts, name="in.jsonl", fields=KEPT),
    "jsonl, packed": partial(texts, name="in.jsonl.gz", fields=KEPT),
    "jsonl, within gzip": partial(texts, name="in.jsonl.gz", packing=seeds.packed),
    "jsonl, zstd": partial(texts, name="in.jsonl.zst"),
    "csv": partial(texts, name="in.csv", fields=KEPT),
    "csv, delimiter told": partial(texts, name="in.csv", delimiter=","),
    "csv, tabs": partial(texts, name="in.tsv"),
    "csv, packed": partial(texts, name="in.csv.gz"),
    "parquet": partial(texts, name="in.parquet", fields=KEPT),
    "arrow": partial(texts, name="in.arrow", fields=KEPT),
    "arrow, stream": partial(texts, name="in.arrows", fields=KEPT),
    "arrow, feather": partial(texts, name="in.feather", fields=KEPT),
    # certificates, and releases held against them
    "certificate": certificate,
    "certificate, checked": partial(command, arguments=CHECK),
    "release, text": partial(release, name="out.txt"),
    "release, jsonl": partial(release, name="out.jsonl"),
    "release, csv": partial(release, name="out.csv"),
    "release, parquet": partial(release, name="out.parquet"),
    "release, arrow": partial(release, name="out.arrow"),
    "release, frame": partial(frame, name="out.parquet"),
    # tables
    "table, glove": partial(opened, name="t.txt"),
    "table, word2vec text": partial(opened, name="t.vec"),
    "table, word2vec binary": partial(opened, name="t.bin"),
    "table, fasttext": partial(opened, name="t.bin"),
    "table, packed": partial(opened, name="t.gz"),
    "table, within gzip": partial(opened, packing=seeds.packed),
    "table, native": opened,
    "table, native header": partial(headed, body=BODY),
    "table, native codes": partial(headed, body=CODED),
    "table, safetensors": partial(opened, name="t.safetensors", beside=LIST),
    "table, safetensors header": partial(headed, body=OTHER, name="t.safetensors", beside=LIST),
    "table, model2vec": model,
    "table, npy": partial(opened, name="t.npy", beside=LIST),
    "table, npz": partial(opened, name="t.npz", beside=LIST),
    "table, list of words": partial(listed, name="words.txt"),
    "table, tokenizer": partial(listed, name="tokenizer.json"),
    "table, published": published,
    "table, sources": sources,
    "table, part of a download": note,
    # ledgers, and what an interrupted run left
    "ledger": charged,
    "ledger, shown": shown,
    "ledger, its key": key,
    "spool": spool,
    "manifest": manifest,
    "shards": shards,
    # what else is read
    "features": features,
    "features, shown": partial(command, arguments="features show FILE"),
    "calibrations": remembered,
    "results": results,
    "stop words": stop_list,
    "output words": output_words,
    "weights": weights,
}
