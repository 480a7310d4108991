"""Whether a release is the one its certificate speaks of."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import file_digest, sha256
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError, PrivacyError, got
from nomdeplume.formats.kinds import named
from nomdeplume.formats.released import records
from nomdeplume.formats.shards import MANIFEST, SUCCESS, amiss
from nomdeplume.formats.writing import line_of
from nomdeplume.mechanism import MECHANISMS, Recipe
from nomdeplume.mechanism.contract import STANDIN, VECTOR, BagOfWords, Requirement
from nomdeplume.nearest import checked
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.accountant.sums import TOLERANCE
from nomdeplume.privacy.beside import Beside
from nomdeplume.privacy.certificate import EMPTY, Certificate
from nomdeplume.privacy.promise import OneWord, Promise
from nomdeplume.privacy.random import KEYED
from nomdeplume.privacy.shuffled import Shuffled
from nomdeplume.vocabulary import Vocabulary

if TYPE_CHECKING:
    from nomdeplume.mechanism.tight import Tell

UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OSError, csv.Error)
FINER = TOLERANCE / 16  # of a loss up to δ: what was stated on a coarser grid is no less
FOUND = {"stretch": 1e-6}  # to how many digits it can be found again elsewhere
# in the version, or in last digits
VARIES = ("program", "unchanged", "agreement", "promises", "settings", "shuffled")


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and whether it is as the certificate says."""

    name: str
    holds: bool
    found: str


def verify(
    certificate: Certificate,
    vocabulary: Vocabulary,
    release: Path | None,
    *,
    outputs: tuple[str, ...] | None = None,
    weights: NDArray[np.float64] | None = None,
    library: str = "",
    tell: Tell | None = None,
) -> list[Check]:
    """Hold a certificate against its own parameters and, if there is one, against the release.

    Words that may come out, weights of words and a library are given again where a release had
    them.
    `tell` is told how many words are done while an exact calibration is proven again.
    """
    if certificate.settings.get("index") == "scan":
        checked("scan")  # without it nothing can be told
    checks = [_table(certificate, vocabulary), _kept(certificate, vocabulary)]
    requirements, beside = _usual(certificate, vocabulary), Beside(certificate)
    if all(check.holds for check in checks):
        try:
            recipe = recipe_of(certificate, outputs, weights, library)
            mechanism = recipe.make(vocabulary, tell=tell)
            size = certificate.size if certificate.form == "words" else 1
            obfuscator = Obfuscator(vocabulary, mechanism, size, certificate.reduction)
            checks += [_statements(certificate, obfuscator), _promises(certificate, obfuscator)]
            form = obfuscator.documents.form
            requirements, beside.grid = form.requirements, form.grid
            beside.sources = form.sources
        except PrivacyError:
            return [*checks, Check("promises", holds=False, found="cannot be proven")]
        except InputError:
            return [*checks, Check("statements", holds=False, found="no such release can be made")]
    if release is not None:
        checks += _release(certificate, requirements, beside, release)
    return checks


def _usual(certificate: Certificate, vocabulary: Vocabulary) -> Sequence[Requirement]:
    """Requirements on documents of any kept words, for a mechanism that cannot be made again."""
    return BagOfWords(vocabulary, certificate.size, vocabulary.ids).requirements


def _table(certificate: Certificate, vocabulary: Vocabulary) -> Check:
    found, due = vocabulary.table.fingerprint, certificate.table_fingerprint
    return _compare("table", f"fingerprint {found[:16]}…", f"{due[:16]}…", holds=found == due)


def _kept(certificate: Certificate, vocabulary: Vocabulary) -> Check:
    found, due = vocabulary.fingerprint, certificate.kept_fingerprint
    text = f"{len(vocabulary):,} words, fingerprint {found[:16]}…"
    return _compare("kept vocabulary", text, f"{due[:16]}…", holds=found == due)


def _compare(name: str, found: str, due: str, *, holds: bool) -> Check:
    return Check(name, holds, found if holds else f"{found}, the certificate says {due}")


def _statements(certificate: Certificate, obfuscator: Obfuscator) -> Check:
    """Whatever follows from the parameters is stated as it follows."""
    withheld = certificate.empty_documents == EMPTY["withhold"]
    due = obfuscator.certify(
        certificate.generator,
        certificate.documents,
        certificate.output,
        empty="withhold" if withheld else "public",
        id_field=certificate.id_field,
        kept_fields=certificate.kept_fields,
        unit_field=certificate.unit_field,
        max_per_author=certificate.max_per_author,
        vectors=certificate.vectors,
        delta=None if certificate.shuffled is None else certificate.shuffled.delta,
    )
    names = [field.name for field in fields(due) if field.name not in VARIES]
    wrong = [name for name in names if getattr(due, name) != getattr(certificate, name)]
    wrong += [] if _alike(due.settings, certificate.settings) else ["settings"]
    wrong += ["documents"] if certificate.documents < 0 else []
    unit, kept = certificate.unit_field, set(certificate.kept_fields)
    wrong += ["kept_fields"] if unit and kept - {unit} else []
    by_ticket = obfuscator.documents.by_ticket is not None
    wrong += ["generator"] if certificate.generator == KEYED and not by_ticket else []
    drawn = certificate.max_per_author
    wrong += ["max_per_author"] if drawn < 0 or (unit and drawn) else []
    wrong += [] if _shuffled_agrees(due, certificate) else ["shuffled"]
    wrong += [] if _close(certificate.unchanged, due.unchanged) else ["unchanged"]
    wrong += [] if _close(certificate.agreement, due.agreement) else ["agreement"]
    wrong += [] if re.fullmatch(r"nomdeplume \d+\.\d+\.\d+", certificate.program) else ["program"]
    found = "follow from the parameters" if not wrong else f"do not follow: {', '.join(wrong)}"
    return Check("statements", not wrong, found)


def _promises(certificate: Certificate, obfuscator: Obfuscator) -> Check:
    """The stated promises are those that follow from the stated parameters."""
    due, stated = obfuscator.stated(tolerance=FINER), certificate.promises
    same = len(due) == len(stated) and all(map(_agree, due, stated))
    return Check("promises", same, f"computed again: {'the same' if same else 'not the same'}")


def _agree(due: Promise, stated: Promise) -> bool:
    """Whether two promises are one, but for the last digits of distances.

    A loss up to δ may be stated a little higher than it is due, as coarser grids find it, and
    no lower: it could not be proven.
    """
    plain = {"odds": (), "one_word": None}
    words = replace(due, **plain) == replace(stated, **plain)  # type: ignore[arg-type]
    words = words and _one_word_agrees(due.one_word, stated.one_word)
    pairs = zip(due.odds, stated.odds, strict=False)
    near = all(
        x.pair == y.pair
        and isclose(x.loss, y.loss, rel_tol=1e-6)
        and (1 - 1e-6) * x.loss_at_delta <= y.loss_at_delta <= (1 + 1e-3) * x.loss_at_delta
        and isclose(x.distance, y.distance, rel_tol=1e-6)
        for x, y in pairs
    )
    return words and near and len(due.odds) == len(stated.odds)


def _one_word_agrees(due: OneWord | None, stated: OneWord | None) -> bool:
    """Return True if the losses agree up to their last digits and the sentence says them."""
    if due is None or stated is None:
        return due is stated
    return (
        isclose(due.any, stated.any, rel_tol=1e-6)
        and isclose(due.usual, stated.usual, rel_tol=1e-6)
        and stated == OneWord.of(stated.any, stated.usual, size=due.size, drawn=due.drawn)
    )


def _shuffled_agrees(due: Certificate, stated: Certificate) -> bool:
    """Return True if documents had no order, one author each, and the loss is no less than due."""
    if due.shuffled is None or stated.shuffled is None:
        return due.shuffled is stated.shuffled
    loss, delta = stated.shuffled.loss, stated.shuffled.delta
    return (
        not (stated.id_field or stated.kept_fields or stated.vectors)
        and stated.unit_field != ""
        and stated.generator != KEYED
        and (1 - 1e-6) * due.shuffled.loss <= loss <= (1 + 1e-3) * due.shuffled.loss
        and stated.shuffled == Shuffled.of(loss, delta, stated.documents)
    )


def _close(stated: float | None, due: float | None) -> bool:
    if stated is None or due is None:
        return stated is due
    return abs(stated - due) <= 0.01


def _alike(due: Mapping[str, float | str], stated: Mapping[str, float | str]) -> bool:
    """Whether settings are the same, but for the last digits of what was found."""
    if set(due) != set(stated):
        return False
    return all(
        value == stated[name]
        or (
            not (isinstance(value, str) or isinstance(stated[name], str))
            and isclose(value, float(stated[name]), rel_tol=FOUND.get(name, 1e-9))
        )
        for name, value in due.items()
    )


def recipe_of(
    certificate: Certificate,
    outputs: tuple[str, ...] | None = None,
    weights: NDArray[np.float64] | None = None,
    library: str = "",
) -> Recipe:
    """The recipe that a certificate describes. What was found for it is proven again."""
    if certificate.mechanism not in MECHANISMS:
        raise InputError(f"this program knows no mechanism {got(certificate.mechanism)}.")
    return Recipe.stated(
        certificate.mechanism,
        certificate.epsilon,
        certificate.settings,
        outputs=outputs,
        weights=weights,
        library=library,
    )


def _release(
    certificate: Certificate, requirements: Sequence[Requirement], beside: Beside, path: Path
) -> list[Check]:
    """Hash, number and form of the released documents, in one pass."""
    if not path.exists():
        raise InputError(f"no release at {path}.")
    framed = certificate.output.kind == "frame"
    sharded = path.is_dir() and certificate.output.kind not in ("frame", "folder")
    hashed = _hash_of_words(path, certificate) if framed else hash_of(path, sharded=sharded)
    due = certificate.output.sha256
    unlike = f"{due[:16]}…: it is not byte for byte what was released"
    checks = [_compare("hash", f"SHA-256 {hashed[:16]}…", unlike, holds=hashed == due)]
    if sharded:
        wrong = amiss(path, certificate.output.sha256, certificate.documents)
        checks.append(Check("shards", not wrong, wrong or "all there, as listed"))
    documents, met = 0, [0] * len(requirements)
    before, ordered = "", 0
    try:
        for record in _documents(path, certificate):
            text = _text_of(record, certificate)
            beside.look(record)
            documents += 1
            if text is None or not _names(record, certificate, beside.sources.get(text)):
                continue  # it has a field that nobody speaks of, or names another text
            before, ordered = text, ordered + (before <= text)
            met = [n + each.met(text) for n, each in zip(met, requirements, strict=True)]
    except UNREADABLE:
        return [*checks, Check("documents", holds=False, found="cannot be read to the end")]
    number = certificate.documents
    if certificate.vectors:
        checks.append(_all("vectors", beside.means, documents, "with a noisy mean on the grid"))
    if certificate.shuffled and certificate.output.kind != "folder":  # whose files have numbers
        checks.append(_all("order", ordered, documents, "in alphabetical order"))
    if beside.kept_unit:
        checks.append(_all("units", beside.units, documents, "of a unit that no other has"))
    return [
        *checks,
        _compare("documents", f"{documents:,} found", f"{number:,}", holds=documents == number),
        *(
            _all(each.name, n, documents, each.wording)
            for each, n in zip(requirements, met, strict=True)
        ),
    ]


def _all(name: str, good: int, documents: int, what: str) -> Check:
    return Check(name, good == documents, f"{good:,} of {documents:,} {what}")


def hash_of(path: Path, *, sharded: bool = False) -> str:
    """SHA-256 of a release, as certificates state it."""
    if path.is_dir():
        found = _in(path, sharded=sharded)
        lines = [line_of(hash_of(file), file.relative_to(path).as_posix()) for file in found]
        return sha256(b"".join(sorted(lines))).hexdigest()
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _hash_of_words(path: Path, certificate: Certificate) -> str:
    """SHA-256 of the words line by line: a frame is whatever file it was saved as."""
    found = sha256()
    try:
        for record in _documents(path, certificate):
            found.update(f"{_text_of(record, certificate) or ''}\n".encode())
    except UNREADABLE:
        return "nothing"
    return found.hexdigest()


def texts_of(release: Path, certificate: Certificate) -> Iterator[str]:
    """The released texts, in order."""
    return (_text_of(record, certificate) or "" for record in _documents(release, certificate))


def _documents(path: Path, certificate: Certificate) -> Iterator[Mapping[str, Any]]:
    """The record of each released document; the mark of a seeded release is none of them."""
    kind: str = certificate.output.kind
    kind = named(path) or "text" if kind == "frame" else kind
    sharded = kind not in ("text", "folder")
    for file in _in(path, sharded=sharded) if path.is_dir() else [path]:
        for record in records(file, kind, ours=certificate.output.kind != "frame"):
            plain = kind in ("text", "folder")
            marked = plain and certificate.seeded and record["text"].startswith("# NOT PRIVATE")
            if not marked:
                yield record


def _text_of(record: Mapping[str, Any], certificate: Certificate) -> str | None:
    """The text of a record; none if it holds a field that the certificate does not speak of."""
    beside = {certificate.id_field, *certificate.kept_fields}
    beside |= {"warning"} if certificate.seeded else set()
    beside |= {VECTOR} if certificate.vectors else set()
    beside |= {STANDIN} if certificate.form == "text" else set()
    names = sorted(set(record) - beside)
    if certificate.output.kind != "frame" and names != ["text"]:
        return None
    return str(record[names[0]]) if len(names) == 1 else None  # a frame's text has any name


def _names(record: Mapping[str, Any], certificate: Certificate, source: str | None) -> bool:
    """True if the id of the public text that a record names, if any, is that of its text."""
    return STANDIN in certificate.kept_fields or record.get(STANDIN, source) == source


def is_release(folder: Path, certificate: Path) -> bool:
    """Whether a folder is what its certificate says was released into it, and nothing more."""
    try:
        stated = Certificate.from_json(certificate.read_text(encoding="utf-8")).output
    except (OSError, ValueError):
        return False
    return stated.kind == "folder" and stated.sha256 == hash_of(folder)


def _in(folder: Path, *, sharded: bool = False) -> list[Path]:
    """All files of a folder; of one with shards, but for what it says of them."""
    beside = {folder / MANIFEST, folder / SUCCESS} if sharded else set()
    return sorted(path for path in folder.rglob("*") if path.is_file() and path not in beside)
