"""Whether a release is the one its certificate speaks of."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from math import isclose
from pathlib import Path
from typing import cast

from nomdeplume.errors import InputError
from nomdeplume.formats.reading import GZIP
from nomdeplume.formats.writing import listed
from nomdeplume.mechanism import NoisyNearest
from nomdeplume.noise import Laplace
from nomdeplume.obfuscator import Obfuscator, Reduction
from nomdeplume.privacy.certificate import Certificate, Promise
from nomdeplume.vocabulary import Vocabulary


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and whether it is as the certificate says."""

    name: str
    holds: bool
    found: str


def verify(certificate: Certificate, vocabulary: Vocabulary, release: Path | None) -> list[Check]:
    """Hold a certificate against its own parameters and, if there is one, against the release."""
    checks = [_table(certificate, vocabulary), _kept(certificate, vocabulary)]
    if all(check.holds for check in checks):
        checks.append(_promises(certificate, vocabulary))
    if release is not None:
        checks += _release(certificate, vocabulary, release)
    return checks


def _table(certificate: Certificate, vocabulary: Vocabulary) -> Check:
    found = vocabulary.table.fingerprint
    return Check("table", found == certificate.table_fingerprint, f"fingerprint {found[:16]}…")


def _kept(certificate: Certificate, vocabulary: Vocabulary) -> Check:
    found = vocabulary.fingerprint
    text = f"{len(vocabulary):,} words, fingerprint {found[:16]}…"
    return Check("kept vocabulary", found == certificate.kept_fingerprint, text)


def _promises(certificate: Certificate, vocabulary: Vocabulary) -> Check:
    """The stated promises are those that follow from the stated parameters."""
    due = obfuscator_of(certificate, vocabulary).promises
    stated = certificate.promises
    same = len(due) == len(stated) and all(map(_agree, due, stated))
    return Check("promises", same, "computed again from the parameters")


def _agree(due: Promise, stated: Promise) -> bool:
    """Whether two promises are one, but for the last digits of distances."""
    words = replace(due, odds=()) == replace(stated, odds=())
    pairs = zip(due.odds, stated.odds, strict=False)
    near = all(isclose(x.loss, y.loss, rel_tol=1e-6) and x.pair == y.pair for x, y in pairs)
    return words and near and len(due.odds) == len(stated.odds)


def obfuscator_of(certificate: Certificate, vocabulary: Vocabulary) -> Obfuscator:
    """The obfuscator that a certificate describes."""
    if certificate.mechanism != "laplace":
        raise InputError(f"this program knows no mechanism {certificate.mechanism!r}.")
    mechanism = NoisyNearest(vocabulary.table, Laplace(certificate.epsilon), vocabulary.ids)
    reduction = cast(Reduction, certificate.reduction)
    return Obfuscator(vocabulary, mechanism, certificate.size, reduction)


def _release(certificate: Certificate, vocabulary: Vocabulary, path: Path) -> list[Check]:
    """Hash, number, size, vocabulary and order of the released documents, in one pass."""
    if not path.exists():
        raise InputError(f"no release at {path}.")
    hashed = _hash(path)
    documents = sizes = known = ordered = 0
    for words in _documents(path, certificate.output.kind):
        documents += 1
        sizes += len(words) == certificate.size
        known += all(word in vocabulary for word in words)
        ordered += words == sorted(words)
    of = f"of {documents:,} documents"
    return [
        Check("hash", hashed == certificate.output.sha256, f"SHA-256 {hashed[:16]}…"),
        Check("documents", documents == certificate.documents, f"{documents:,} found"),
        Check("size", sizes == documents, f"{sizes:,} {of} have {certificate.size} words"),
        Check("vocabulary", known == documents, f"{known:,} {of} hold kept words only"),
        Check("order", ordered == documents, f"{ordered:,} {of} are in alphabetical order"),
    ]


def _hash(path: Path) -> str:
    if path.is_dir():
        lines = [listed(file.read_bytes(), file.relative_to(path).as_posix()) for file in _in(path)]
        return sha256("".join(sorted(lines)).encode()).hexdigest()
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _documents(path: Path, kind: str) -> Iterator[list[str]]:
    """The words of each released document; a line that warns is none."""
    for file in _in(path) if path.is_dir() else [path]:
        with file.open("rb") as raw:
            packed = raw.read(2) == GZIP
            raw.seek(0)
            for line in gzip.GzipFile(fileobj=raw) if packed else raw:
                if kind == "jsonl":
                    yield _words_of(line)
                elif not line.startswith(b"# NOT PRIVATE"):
                    yield line.decode("utf-8", "replace").removesuffix("\n").split(" ")


def _words_of(line: bytes) -> list[str]:
    try:
        return str(json.loads(line)["text"]).split(" ")
    except (ValueError, KeyError, TypeError):
        raise InputError("the release must be JSONL with a field 'text'; it is not.") from None


def _in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
