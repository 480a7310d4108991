"""The flow instrument: what leaves the program by other ways than through the noise."""

from __future__ import annotations

import string
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from nomdeplume.audit.claim import Function
from nomdeplume.audit.finding import Finding, by_pvalue, observed
from nomdeplume.audit.inside import Still
from nomdeplume.audit.parts import released_as
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.errors import InputError
from nomdeplume.mechanism.contract import Mechanism
from nomdeplume.mechanism.recipe import words_of
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.random import described, is_private
from nomdeplume.table import Table
from nomdeplume.table.table import digest

Floats = NDArray[np.float64]

CANARIES = 40
DOCUMENTS = 20
LENGTHS = (1, 60, 300, 1_000, 5_000)  # words of a text
REVERSED = 32  # texts in each order: enough to prove that it matters


def canaries(known: Any) -> list[str]:
    """Words that no table knows: if one comes out, it was passed through."""
    rng = np.random.default_rng(0)
    letters = np.array(list(string.ascii_lowercase))
    made = ("".join(rng.choice(letters, 14)) for _ in range(CANARIES))
    return [word for word in made if word not in known]


def of_canaries(system: Obfuscator) -> Probe:
    question = "no unknown word comes out"
    return Probe(question, lambda share: _canaries(question, system, share), 0.5)


def _canaries(question: str, system: Obfuscator, share: Share) -> Finding:
    """Texts with unknown words, stop words, digits and capitals: only kept words may come out."""
    vocabulary = system.vocabulary
    secrets = canaries(vocabulary)
    known = [vocabulary.table.words[i] for i in vocabulary.ids[:20]]
    strange = [*secrets, "The", "AND", "12345", "don't", "x@y.org"]
    texts = [" ".join([*known, *strange]), " ".join(secrets)] * (DOCUMENTS // 2)
    documents = system(texts, share.rng)
    certificate = documents[0].certificate.to_json().lower()
    error = _error(system, [secrets[0], 5], share)
    leaks = {
        "a word that nobody knows was released": any(
            secret in document.text for document in documents for secret in secrets
        ),
        "something that may not come out was released": not all(
            each.met(document.text)
            for each in system.documents.form.requirements
            if each.about_outputs
            for document in documents
        ),
        "the certificate holds a word of the text": any(word in certificate for word in secrets),
        "an error quotes the text": secrets[0] in error,
    }
    found = [what for what, leaked in leaks.items() if leaked]
    evidence = "; ".join(found) or f"{len(secrets)} canaries in {len(texts)} texts, none seen"
    samples = sum(len(document.words) for document in documents)
    return observed(question, evidence, holds=not found, samples=samples)


def _error(system: Obfuscator, texts: Any, share: Share) -> str:
    try:
        system(texts, share.rng)
    except InputError as error:
        return str(error)
    return ""


def of_strangers(function: Function, table: Table) -> Probe:
    """Unknown words, handed to somebody's function: none of them may come out."""
    question = "no unknown word comes out"

    def ask(_: Share) -> Finding:
        secrets = canaries(set(table.words))
        try:
            released = list(function(secrets))
        except (Exception, SystemExit) as error:
            return observed(question, f"refused, with {type(error).__name__}", holds=True)
        passed = len(set(released) & set(secrets))
        evidence = f"{passed} of {len(secrets)} canaries came out"
        return observed(question, evidence, holds=not passed, samples=len(secrets))

    return Probe(question, ask, 0.1)


def of_lengths(system: Obfuscator) -> Probe:
    """Ask if texts of all lengths give one document when every word is released as one word."""
    question = "documents hold released words only, at any length"

    def ask(share: Share) -> Finding:
        kept, mechanism = system.vocabulary, words_of(system.documents)
        outputs = mechanism.outputs
        fixed = int((kept.ids if outputs is None else outputs)[0])
        same = released_as(mechanism, lambda ids: np.full(len(ids), fixed))
        rng, words = np.random.default_rng(3), kept.table.words
        texts = [" ".join(words[i] for i in rng.choice(kept.ids, n)) for n in LENGTHS]
        documents = replace(system, mechanism=same)(texts, share.rng)
        due = (words[fixed],) * system.size
        lengths = [n for n, one in zip(LENGTHS, documents, strict=True) if one.words != due]
        tried = f"texts of {LENGTHS[0]} to {LENGTHS[-1]:,} words"
        evidence = f"not at {', '.join(map('{:,}'.format, lengths))} words" if lengths else tried
        return observed(question, evidence, holds=not lengths, samples=len(texts))

    return Probe(question, ask, 0.1)


def of_order(system: Obfuscator) -> Probe:
    question = "order tells nothing"
    return Probe(question, lambda share: _order(question, system, share), 0.5)


def _order(question: str, system: Obfuscator, share: Share) -> Finding:
    """A text and its reverse: nothing about the order of words may show in that of the release."""
    table, ids = system.vocabulary.table, system.vocabulary.ids[:1000]
    vectors = table.vectors[ids].astype(np.float64)
    far = int(np.linalg.norm(vectors - vectors[0], axis=1).argmax())
    a, b = table.words[ids[0]], table.words[ids[far]]
    half = max(1, system.size // 2)
    texts = [" ".join([a] * half + [b] * half), " ".join([b] * half + [a] * half)] * REVERSED
    samples = len(texts) * system.size
    if all(sorted(document.words) == list(document.words) for document in system(texts, share.rng)):
        return observed(question, "alphabetical", holds=True, samples=samples)
    quiet = replace(system, mechanism=_quiet(words_of(system.documents)))
    released = [document.words for document in quiet(texts, share.rng)]
    lean = [_lean(words, table, vectors[0] - vectors[far]) for words in released]
    distinct = len(set(lean))
    way = "asymptotic" if distinct < len(lean) else "exact"
    test = mannwhitneyu(lean[0::2], lean[1::2], method=way) if distinct > 1 else None
    pvalue = float(test.pvalue) if test else 1.0
    return by_pvalue(
        "flow", question, pvalue, alpha=share.alpha, samples=samples, what="not alphabetical, "
    )


def _quiet(mechanism: Mechanism) -> Mechanism:
    """A mechanism that lets every word stay, so that the order of words shows.

    A mechanism releases words one by one, and their order is the system's doing. One that
    composes other words from a mean shows their order only without noise.
    """
    if means := mechanism.declaration.means:
        return means.under(Still(means.noise))
    quiet: Mechanism = released_as(mechanism, np.copy)
    return quiet


def _lean(words: tuple[str, ...], table: Any, along: Floats) -> float:
    """How much more the first half of the words points along a direction than the second."""
    projected = table.vectors[table.ids(words)].astype(np.float64) @ along
    first, second = np.array_split(projected, 2)
    return float(first.mean() - second.mean()) if len(second) else 0.0


def of_certificate(system: Obfuscator) -> Probe:
    """What a certificate states against what is there: the table above all."""
    question = "the certificate says what was done"

    def ask(share: Share) -> Finding:
        table, mechanism = system.vocabulary.table, system.documents
        documents = system([table.words[int(system.vocabulary.ids[0])]] * 2, share.rng)
        certificate = documents[0].certificate
        lines = "".join(f"{document.text}\n" for document in documents)
        due = {
            "table_fingerprint": digest(table.words, table.vectors),
            "table_words": len(table),
            "table_dimensions": table.dimensions,
            "kept_fingerprint": system.vocabulary.fingerprint,
            "mechanism": mechanism.name,
            "settings": dict(mechanism.settings),
            "epsilon": mechanism.value,
            "size": mechanism.form.size,
            "reduction": system.reduction,
            "budget": system.guarantee.epsilon,
            "promises": system.promises,
            "generator": described(share.rng),
            "private": is_private(share.rng),
            "documents": len(documents),
            "output": Output("text", sha256(lines.encode()).hexdigest()),
        }
        wrong = [name for name, value in due.items() if getattr(certificate, name) != value]
        words = mechanism.words
        wrong += ["table"] if words is not None and words.table is not table else []
        evidence = f"not so: {', '.join(wrong)}" if wrong else f"{len(due)} statements, all true"
        return observed(question, evidence, holds=not wrong)

    return Probe(question, ask, 0.2)
