"""Canaries, a world that is full of them, and a search of everything that a run leaves.

Three kinds of words: those that no table knows, in texts, columns, metadata and names of files,
which may get out nowhere; those that the table knows, which only a release may say; and ids and
authors, which get out where that was asked for.
"""

import gzip
import hashlib
import json
import random
import shlex
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

CANARIES = ("zyxoquant", "wumblegorf", "canary@secret", "qx7canary", "vorplique")
NAMES = ("zyxoquant", "vorplique")  # of these, what files are called
KNOWN = ("penguin", "accordion")
IDS, AUTHORS = ("idoquant",), ("autoquant",)
EVERY = {"unknown": CANARIES, "known": KNOWN, "ids": IDS, "authors": AUTHORS}
TEXT = "Rain on zyxoquant harbour. Wumblegorf canary@secret.org Qx7Canary l'vorplique boats."
LONG = f"{TEXT} penguin accordion rain harbour snow"
PUBLIC = [f"{a}{b}" for a in ("rain", "snow", "lake", "stone") for b in ("", "fall", "field")]
WORDS = (*KNOWN, "harbour", "boats", "bread", "garden", "letter", "winter", *PUBLIC)


@dataclass(frozen=True)
class Case:
    """A command line, how it ends, and the places where words, ids and authors may stand.

    A place is stdout, stderr, or how the name of a file begins.
    """

    line: str
    code: int = 0
    known: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    stdin: str = ""
    terminal: bool = False
    plant: str = ""
    umask: bool = False
    said: str = ""
    first: str = ""  # what is run before
    names: tuple[str, ...] = ()  # places that may tell what private files are called

    @property
    def arguments(self):
        return split(self.line)


def split(line):
    return [TEXT if each == "TEXT" else each for each in shlex.split(line)]


def world(folder):
    """A table and texts of every kind; their names, less what they begin with."""
    rng = random.Random(7)
    rows = [f"{word} " + " ".join(f"{rng.gauss(0, 1):.3f}" for _ in range(3)) for word in WORDS]
    records = [
        {
            "id": f"idoquant{i}",
            "text": f"{LONG} {WORDS[i]} {WORDS[i + 1]}",
            "author": f"autoquant{i % 2}",
            "topic": ("sea", "land")[i // 2 % 2],
            "thread": f"wumblegorf{i // 4}",
            "note": TEXT,
            TEXT: "a key",
        }
        for i in range(12)
    ]
    lines = "\n".join(map(json.dumps, records))
    table = pa.Table.from_pylist(records).replace_schema_metadata({"note": TEXT})
    quoted = [",".join(json.dumps(cell) for cell in row.values()) for row in records]
    texts = {
        "t.txt": "\n".join(rows),
        "a.txt": LONG,
        "b.txt": f"{LONG} {LONG} bread garden letter",
        "in.jsonl": lines,
        "in.csv": "\n".join([f'id,text,author,topic,thread,note,"{TEXT}"', *quoted]),
        "public.jsonl": "\n".join(
            json.dumps({"id": i, "text": " ".join(PUBLIC[i % 2 :: 2]), "topic": "ab"[i % 2]})
            for i in range(12)
        ),
        "broken.jsonl": f"{lines}\n{lines[:90]}",
        "broken.csv": f"id,text\n1,{TEXT},x,y\n2,rain\n",
        "bare.csv": f'1,"{TEXT}",vorplique\n2,zyxoquant,wumblegorf\n',
        "mine.py": "def release(words):\n    return words\n",
        "words": "\n".join(PUBLIC),
        "weights": "\n".join(f"{word}\t2" for word in PUBLIC),
    }
    for name, text in texts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")
    (folder / "in.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "binary.txt").write_bytes(TEXT.encode() + bytes(range(9)) * 99)
    (folder / "utf16.txt").write_bytes(b"\xff\xfe" + TEXT.encode() + b"\x00\xd8")
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(lines.encode())[:-20])
    pq.write_table(table, folder / "in.parquet")
    (folder / "cut.parquet").write_bytes((folder / "in.parquet").read_bytes()[:-30] + b"PAR1")
    with pa.ipc.new_file(folder / "in.arrow", table.schema) as file:
        file.write_table(table)
    (folder / "texts").mkdir()
    (folder / "texts" / "zyxoquant one.txt").write_text(LONG, encoding="utf-8")
    (folder / "texts" / "wumblegorf.txt").write_bytes((folder / "binary.txt").read_bytes())
    (folder / "texts" / "vorplique.txt").symlink_to("nowhere")
    for kind in ("jsonl", "parquet"):
        (folder / f"many-{kind}").mkdir()
        whole = (folder / f"in.{kind}").read_bytes()
        (folder / f"many-{kind}" / f"a zyxoquant.{kind}").write_bytes(whole)
        (folder / f"many-{kind}" / f"vorplique.{kind}").write_bytes(whole[:-30])
    (folder / "gone").mkdir()
    (folder / "gone" / "zyxoquant.jsonl").symlink_to("nowhere")
    return digests(folder)


def digests(folder):
    """What is there, by name: what a run has changed is not what it was."""
    return {
        path: hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def played(starter, folder, case, env):
    """Run it; what it said."""
    plant = ("import os; os.umask(0)\n" if case.umask else "") + case.plant
    more = {"NOMDEPLUME_PLANT": plant, "TERM": "xterm"}
    if case.first:
        assert not starter.run(split(case.first), cwd=folder, env=env).returncode
    stdin = (folder / case.stdin).read_bytes() if case.stdin else b""
    return starter.run(
        case.arguments, cwd=folder, env={**env, **more}, stdin=stdin, terminal=case.terminal
    )


def places(done, folder, before):
    """Everything that a run has left, by place: what it said, new files and their names."""
    found = {"stdout": done.stdout, "stderr": done.stderr}
    for path, digest in digests(folder).items():
        if before.get(path) != digest:
            name = path.relative_to(folder).as_posix()
            found[name] = content(path) + b"\n" + name.encode()
    return found


def content(path):
    """What a file holds, unpacked and in every way that it may hold it."""
    data = path.read_bytes() if path.is_file() else b""
    if data.startswith(b"\x1f\x8b"):
        return data + gzip.decompress(data)
    if data.startswith(b"PAR1") and data.endswith(b"PAR1"):
        table = pq.read_table(path)
        return data + f"{table.schema.metadata} {table.to_pydict()}".encode()
    if data.startswith(b"ARROW1"):
        table = pa.ipc.open_file(path).read_all()
        return data + f"{table.schema.metadata} {table.to_pydict()}".encode()
    return data


def hits(case, found):
    """Where canaries stand that may not, and how many were looked for in how many places."""
    wrong, searched = [], 0
    for place, data in found.items():
        said = [data.lower(), data.lower().replace(b"\0", b"")]  # UTF-16 too
        for kind, canaries in EVERY.items():
            allowed = any(map(place.startswith, getattr(case, kind, ())))
            for canary in () if allowed else canaries:
                if canary in NAMES and any(map(place.startswith, case.names)):
                    continue
                searched += 1
                if any(canary.encode() in each for each in said):
                    wrong.append(f"{canary} in {place}")
    return wrong, searched
