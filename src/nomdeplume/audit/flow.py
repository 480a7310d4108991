"""The flow instrument: what leaves the program by other ways than through the noise."""

from __future__ import annotations

import string
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from nomdeplume.audit.claim import Claim
from nomdeplume.audit.finding import BROKEN, HELD, OPEN, Finding, by_pvalue
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.errors import InputError
from nomdeplume.mechanism import Mechanism, Movable
from nomdeplume.noise import Noise
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.random import seeded
from nomdeplume.table.table import digest

Floats = NDArray[np.float64]

CANARIES = 40
DOCUMENTS = 20
WORDS = 500


def _said(question: str, evidence: str, *, holds: bool, samples: int = 0) -> Finding:
    return Finding("flow", question, HELD if holds else BROKEN, evidence, samples)


def canaries(known: Any) -> list[str]:
    """Words that no table knows: if one comes out, it was passed through."""
    rng = np.random.default_rng(0)
    letters = np.array(list(string.ascii_lowercase))
    made = ("".join(rng.choice(letters, 14)) for _ in range(CANARIES))
    return [word for word in made if word not in known]


def of_canaries(system: Obfuscator) -> Probe:
    return Probe(lambda share: _canaries(system, share), 0.5)


def _canaries(system: Obfuscator, share: Share) -> Finding:
    """Texts with unknown words, stop words, digits and capitals: only kept words may come out."""
    vocabulary = system.vocabulary
    secrets = canaries(vocabulary)
    known = [vocabulary.table.words[i] for i in vocabulary.ids[:20]]
    strange = [*secrets, "The", "AND", "12345", "don't", "x@y.org"]
    texts = [" ".join([*known, *strange]), " ".join(secrets)] * (DOCUMENTS // 2)
    documents = system(texts, share.rng)
    certificate = documents[0].certificate.to_json().lower()
    error = _error(system, [secrets[0], 5], share)
    question = "no unknown word comes out"
    leaks = {
        "a word that is not kept was released": any(
            word not in vocabulary for document in documents for word in document.words
        ),
        "the certificate holds a word of the text": any(word in certificate for word in secrets),
        "an error quotes the text": secrets[0] in error,
    }
    found = [what for what, leaked in leaks.items() if leaked]
    evidence = "; ".join(found) or f"{len(secrets)} canaries in {len(texts)} texts, none seen"
    samples = sum(len(document.words) for document in documents)
    return _said(question, evidence, holds=not found, samples=samples)


def _error(system: Obfuscator, texts: Any, share: Share) -> str:
    try:
        system(texts, share.rng)
    except InputError as error:
        return str(error)
    return ""


def of_strangers(claim: Claim) -> Probe:
    """Unknown words, handed to somebody's function: none of them may come out."""

    def ask(_: Share) -> Finding:
        question, secrets = "no unknown word comes out", canaries(set(claim.table.words))
        try:
            released = list(claim.function(secrets))
        except Exception as error:
            return _said(question, f"refused, with {type(error).__name__}", holds=True)
        passed = len(set(released) & set(secrets))
        said = f"{passed} of {len(secrets)} canaries came out"
        return _said(question, said, holds=not passed, samples=len(secrets))

    return Probe(ask, 0.1)


def of_order(system: Obfuscator) -> Probe:
    return Probe(lambda share: _order(system, share), 0.5)


def _order(system: Obfuscator, share: Share) -> Finding:
    """A text and its reverse: nothing about the order of words may show in that of the release."""
    table, ids = system.vocabulary.table, system.vocabulary.ids[:1000]
    vectors = table.vectors[ids].astype(np.float64)
    far = int(np.linalg.norm(vectors - vectors[0], axis=1).argmax())
    a, b = table.words[ids[0]], table.words[ids[far]]
    half = max(1, system.size // 2)
    texts = [" ".join([a] * half + [b] * half), " ".join([b] * half + [a] * half)] * DOCUMENTS
    question, samples = "order tells nothing", len(texts) * system.size
    if all(sorted(document.words) == list(document.words) for document in system(texts, share.rng)):
        return _said(question, "alphabetical", holds=True, samples=samples)
    released = [document.words for document in _quiet(system)(texts, share.rng)]
    lean = [_lean(words, table, vectors[0] - vectors[far]) for words in released]
    pvalue = float(mannwhitneyu(lean[0::2], lean[1::2]).pvalue)
    return by_pvalue(
        "flow", question, pvalue, alpha=share.alpha, samples=samples, what="not alphabetical, "
    )


def _quiet(system: Any) -> Any:
    """The same system with hardly any noise, if it can be made, so that an order would show."""
    mechanism = system.mechanism
    if not (isinstance(mechanism, Movable) and is_dataclass(mechanism)):
        return system
    loud = 1e4 * mechanism.table.dimensions / mechanism.table.radius
    moved: Any = mechanism.elsewhere(mechanism.table, loud)
    return replace(system, mechanism=replace(moved, outputs=mechanism.outputs))


def _lean(words: tuple[str, ...], table: Any, along: Floats) -> float:
    """How much more the first half of the words points along a direction than the second."""
    projected = table.vectors[table.ids(words)].astype(np.float64) @ along
    first, second = np.array_split(projected, 2)
    return float(first.mean() - second.mean()) if len(second) else 0.0


def of_fingerprint(system: Obfuscator) -> Probe:
    """The certificate's table against the one that is there, and that gets the noise."""

    def ask(share: Share) -> Finding:
        table = system.vocabulary.table
        [document] = system([table.words[int(system.vocabulary.ids[0])]], share.rng)
        stated, found = document.certificate.table_fingerprint, digest(table.words, table.vectors)
        question = "the table is that of the certificate"
        if stated != found or system.mechanism.table is not table:
            return _said(question, "its fingerprint is another one", holds=False)
        return _said(question, f"fingerprint {found[:16]}…", holds=True, samples=len(table))

    return Probe(ask, 0.2)


@dataclass(frozen=True)
class _Watched:
    """Noise that remembers what it is added to, and sees only zeros if it is blind."""

    noise: Noise
    blind: bool = False
    seen: list[Floats] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.noise.name

    @property
    def guarantee(self) -> Guarantee:
        return self.noise.guarantee

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        self.seen.append(np.array(vectors))
        return self.noise.add(np.zeros_like(vectors) if self.blind else vectors, rng)

    def at(self, epsilon: float) -> _Watched:
        return replace(self, noise=self.noise.at(epsilon))

    def standard(self, noise: Floats) -> Floats:
        return self.noise.standard(noise)


def watched(mechanism: Any, *, blind: bool) -> tuple[Mechanism, list[Floats]] | None:
    """The mechanism with its noise watched, if it is made of noise and something after it."""
    if not (is_dataclass(mechanism) and hasattr(mechanism, "noise")):
        return None
    noise = _Watched(mechanism.noise, blind)
    spied: Any = replace(mechanism, noise=noise)  # type: ignore[type-var]
    return spied, noise.seen


def of_vectors(mechanism: Mechanism) -> Probe:
    """Noise is added to the vectors of the table that is named, as they are."""

    def ask(share: Share) -> Finding:
        question = "noise is added to the table's own vectors"
        ids = np.random.default_rng(1).integers(0, len(mechanism.table), WORDS)
        if not (spied := watched(mechanism, blind=False)):
            return Finding("flow", question, OPEN, "there is no noise to watch")
        spied[0].release(ids, share.rng)
        due = mechanism.table.vectors[ids].astype(np.float64)
        seen = np.concatenate(spied[1]) if spied[1] else np.empty((0, 0))
        same = seen.shape == due.shape and bool((seen == due).all())
        said = "bit for bit" if same else "it is added to other vectors"
        return _said(question, said, holds=same, samples=WORDS)

    return Probe(ask, 0.1)


def of_interference(mechanism: Mechanism) -> Probe:
    """What comes after the noise sees nothing of the word: noise around 0 hides it entirely."""

    def ask(_: Share) -> Finding:
        question = "what follows the noise sees nothing else"
        if not (spied := watched(mechanism, blind=True)):
            return Finding("flow", question, OPEN, "there is no noise to watch")
        first = spied[0].release(np.zeros(WORDS, dtype=np.int64), seeded(0))
        often = np.bincount(first).argsort()[::-1][:3]
        others = [spied[0].release(np.full(WORDS, i), seeded(0)) for i in often]
        unlike = int(sum((first != other).sum() for other in others))
        said = f"{unlike:,} of {WORDS * len(others):,} releases depend on the word"
        return _said(question, said, holds=not unlike, samples=WORDS * (1 + len(others)))

    return Probe(ask, 0.2)
