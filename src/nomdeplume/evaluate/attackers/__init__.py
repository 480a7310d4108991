"""Attackers on authorship, by name; all are scikit-learn classifiers of texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from nomdeplume.errors import InputError, got
from nomdeplume.evaluate.reader import Reader

INFORMED = "informed"  # who knows the mechanism; the evaluation makes him itself
ENSEMBLE = "ensemble"  # of all the others


@dataclass(frozen=True)
class Kind:
    """How an attacker is made, given who reads texts, and what he looks at.

    `make` can be sent to other processes: a function of a module, or a partial one.
    """

    make: Callable[[Reader], Any]
    about: str


def _word_svm(_: Reader) -> Any:
    return import_module("nomdeplume.evaluate.attackers.words").word_svm()


def _mean_lda(reader: Reader) -> Any:
    return import_module("nomdeplume.evaluate.attackers.vectors").mean_vectors(reader)


def _delta(metric: str, words: int, _: Reader) -> Any:
    return import_module("nomdeplume.evaluate.attackers.delta").Delta(metric, words)


def _informed(reader: Reader) -> Any:
    return import_module("nomdeplume.evaluate.attackers.informed").Informed(reader)


def _characters(name: str, _: Reader) -> Any:
    return getattr(import_module("nomdeplume.evaluate.attackers.characters"), name)()


def _style(_: Reader) -> Any:
    return import_module("nomdeplume.evaluate.attackers.style").Stylometric()


def _imposters(_: Reader) -> Any:
    return import_module("nomdeplume.evaluate.attackers.imposters").Imposters()


def _compression(_: Reader) -> Any:
    return import_module("nomdeplume.evaluate.attackers.compression").Compression()


ATTACKERS: Mapping[str, Kind] = {
    "word-svm": Kind(_word_svm, "tf-idf of words, linear support vector machine"),
    "mean-lda": Kind(_mean_lda, "mean of the words' vectors, linear discriminants"),
    "cosine-delta": Kind(
        partial(_delta, "cosine", 2000), "Delta by angles, on the 2,000 commonest words"
    ),
    INFORMED: Kind(
        _informed,
        "knows the mechanism: Bayes over authors by what becomes of their words or texts; of the "
        "mean as if the noisy mean were released too",
    ),
    "delta": Kind(partial(_delta, "burrows", 500), "Burrows's Delta on the 500 commonest words"),
    "char-svm": Kind(
        partial(_characters, "char_svm"), "runs of 2 to 4 signs, words and pairs; support vectors"
    ),
    "char-logistic": Kind(
        partial(_characters, "char_logistic"), "runs of signs, logistic regression"
    ),
    "style": Kind(_style, "lengths, punctuation, richness, function words; discriminants"),
    "imposters": Kind(_imposters, "Koppel: nearest under random halves of the features"),
    "ppm": Kind(_compression, "compression by prediction: who makes the text shortest"),
}
FAST = ("word-svm", "mean-lda", "cosine-delta", INFORMED)
ABOUT = {name: kind.about for name, kind in ATTACKERS.items()}
ABOUT[ENSEMBLE] = "the scores of the others added, chosen by what works on other texts"


def chosen(given: str) -> dict[str, Kind]:
    """The attackers of a list: `fast`, `full`, names, or `module:function` of one's own."""
    found: dict[str, Kind] = {}
    for name in (each.strip() for each in given.split(",") if each.strip()):
        if name == "fast":
            found |= {each: ATTACKERS[each] for each in FAST}
        elif name == "full":
            found |= ATTACKERS
        elif name in ATTACKERS:
            found[name] = ATTACKERS[name]
        elif ":" in name:
            found[name] = _imported(name)
        else:
            raise InputError(
                f"no attacker {got(name)}; there are fast, full, {', '.join(ATTACKERS)}, "
                "and one's own as module:function."
            )
    if not found:
        raise InputError("name at least one attacker: fast, full, or names between commas.")
    return found


def brought(makes: Mapping[str, Callable[[], Any]]) -> dict[str, Kind]:
    """One's own attackers: functions without arguments that make scikit-learn classifiers."""
    if not makes or not all(map(callable, makes.values())):
        raise InputError("attackers must be functions that make classifiers, by name.")
    return {name: _own(name, make) for name, make in makes.items()}


def _own(name: str, make: Callable[[], Any]) -> Kind:
    return Kind(partial(_brought, name, make), f"{name}, brought along")


def _brought(name: str, make: Callable[[], Any], _: Reader) -> Any:
    return import_module("nomdeplume.evaluate.attackers.attacker").Brought(name, make())


def _imported(name: str) -> Kind:
    """One's own attacker: a function without arguments that gives a scikit-learn classifier."""
    module, _, function = name.partition(":")
    try:
        make = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"no attacker at {got(name)}: {type(error).__name__}.") from None
    if not callable(make):
        raise InputError(f"{got(name)} must be a function or class that makes a classifier.")
    return _own(name, make)
