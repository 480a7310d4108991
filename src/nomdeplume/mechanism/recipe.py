"""Recipes: everything public that a mechanism is made of, by name. One place makes them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.decode import DECODERS, Bayes, Decoder, Rank
from nomdeplume.errors import InputError, positive, whole
from nomdeplume.mechanism.custext import CusText
from nomdeplume.mechanism.diffractor import Diffractor
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.image import Projection, Unit, imaged
from nomdeplume.mechanism.kinds import Mechanism
from nomdeplume.mechanism.noisy_nearest import NoisyNearest
from nomdeplume.mechanism.ranked import ranked
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.mechanism.santext import SanText
from nomdeplume.mechanism.scores import Plain, Truncated
from nomdeplume.mechanism.syntf import SynTf
from nomdeplume.mechanism.tight import Tell
from nomdeplume.noise import Laplace, Mahalanobis, Noise, PolarLaplace, VonMisesFisher
from nomdeplume.table import Table
from nomdeplume.table.directions import principal_directions
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Kind:
    """A mechanism by name: its settings with their usual values, and what it can be given."""

    make: Callable[[Recipe, Kitchen], Mechanism]
    settings: Mapping[str, float] = field(default_factory=dict)
    noise: Callable[[Table, Recipe], Noise] | None = None
    projected: bool = False  # whether the noise may live in fewer dimensions
    narrowed: bool = True  # whether other words may come out than go in
    weighted: bool = False
    about: str = ""
    epsilon: float = 6.0  # usually


@dataclass(frozen=True, eq=False)
class Kitchen:
    """Where a recipe is made: the kept words, and a memory of what took long to find."""

    vocabulary: Vocabulary
    outputs: Ids
    memory: Memory | None = None
    tell: Tell | None = None


@dataclass(frozen=True, eq=False)
class Recipe:
    """A mechanism by name, its ε, how its noise is decoded, and what else it is made of.

    >>> table = Table(("pear", "apple", "lake"), np.array([[0, 0], [0, 1], [5, 5]]))
    >>> Recipe("tem", 2.0).make(Vocabulary.of(table, "none")).guarantee.formula
    '2 · d′'
    """

    mechanism: str = "laplace"
    epsilon: float = 6.0
    decode: str = ""  # a name in DECODERS; if none is given, the mechanism's own
    dimensions: int | None = None  # in which noise lives, if not in all
    outputs: tuple[str, ...] | None = None  # words that may come out, if not all that are kept
    weights: Floats | None = None  # (V,), of words as answers, or as likely before
    settings: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        if self.mechanism not in MECHANISMS:
            raise InputError(f"mechanism must be one of {', '.join(MECHANISMS)}.")
        if self.decode not in ("", *DECODERS):
            raise InputError(f"decode must be one of {', '.join(DECODERS)}.")
        kind, decode = MECHANISMS[self.mechanism], self.decoding
        if not kind.noise and decode not in ("nearest", "rank"):
            raise InputError(f"{decode} decodes noise, and {self.mechanism} adds none; take rank.")
        if self.mechanism == "vickrey" and decode != "vickrey":
            raise InputError("vickrey is a decoding by itself; take laplace with another.")
        if self.dimensions is not None and not kind.projected:
            raise InputError(f"noise in fewer dimensions is not for {self.mechanism}.")
        if self.outputs is not None and not kind.narrowed:
            raise InputError(f"{self.mechanism} has one vocabulary for what goes in and comes out.")
        if self.weights is not None and not (kind.weighted or decode == "bayes"):
            raise InputError("weights are for exponential, tem and --decode bayes, not for this.")
        if unknown := set(self.settings) - set(self.usual):
            raise InputError(
                f"{self.mechanism} knows no setting {', '.join(sorted(unknown))}; "
                f"it has {', '.join(self.usual) or 'none'}."
            )

    @classmethod
    def usually(cls, mechanism: str, epsilon: float | None = None, **parts: Any) -> Recipe:
        """A recipe whose ε is what is usual for the mechanism, if none is given."""
        if mechanism not in MECHANISMS:
            raise InputError(f"mechanism must be one of {', '.join(MECHANISMS)}.")
        given = MECHANISMS[mechanism].epsilon if epsilon is None else epsilon
        return cls(mechanism, given, **parts)

    @classmethod
    def stated(
        cls, mechanism: str, epsilon: float, settings: Mapping[str, float | str], **parts: Any
    ) -> Recipe:
        """The recipe of a mechanism that states these settings, what was found among them."""
        decode, dimensions = str(settings.get("decode", "")), settings.get("dimensions")
        plain = cls(mechanism, epsilon, decode)
        numbers = {
            name: float(value)
            for name, value in settings.items()
            if name in plain.usual and not isinstance(value, str)
        }
        m = int(dimensions) if isinstance(dimensions, int | float) else None
        return replace(plain, dimensions=m, settings=numbers, **parts)

    @property
    def decoding(self) -> str:
        return self.decode or ("vickrey" if self.mechanism == "vickrey" else "nearest")

    @property
    def usual(self) -> dict[str, float]:
        """All settings, with their usual values."""
        return {**MECHANISMS[self.mechanism].settings, **DECODINGS[self.decoding]}

    def given(self, name: str) -> float:
        return {**self.usual, **self.settings}[name]

    def make(
        self, vocabulary: Vocabulary, *, memory: Memory | None = None, tell: Tell | None = None
    ) -> Mechanism:
        """The mechanism for the kept words of a vocabulary."""
        kitchen = Kitchen(vocabulary, self._outputs(vocabulary), memory, tell)
        made = MECHANISMS[self.mechanism].make(self, kitchen)
        if MECHANISMS[self.mechanism].noise or self.decoding == "nearest":
            return made
        return ranked(made, Rank(self.given("c")))

    def _outputs(self, vocabulary: Vocabulary) -> Ids:
        """Ids of the words that may come out: kept ones, of a list if there is one."""
        if self.outputs is None:
            return vocabulary.ids
        wanted = vocabulary.table.ids(dict.fromkeys(self.outputs))
        kept = np.unique(wanted[np.isin(wanted, vocabulary.ids)])
        if not len(kept):
            raise InputError("none of the words that may come out is a kept word of the table.")
        return kept


def _noisy(recipe: Recipe, kitchen: Kitchen) -> NoisyNearest:
    """Noise of some kind, on vectors or their image, and a decoder."""
    table, features = kitchen.vocabulary.table, kitchen.vocabulary.features
    kind, image = MECHANISMS[recipe.mechanism], None
    if recipe.mechanism == "vmf":
        image = Unit()
    elif recipe.dimensions is not None:
        m = whole("dimensions", recipe.dimensions)
        topical = None if features is None else features.directions
        fits = topical is not None and topical.shape[1] == table.dimensions and m <= len(topical)
        image = Projection(topical[:m] if fits else principal_directions(table, m))  # type: ignore
    make = kind.noise or _laplace
    return NoisyNearest(
        table,
        make(imaged(table, image), recipe),
        kitchen.outputs,
        image=image,
        decoder=_decoder(recipe),
    )


def _decoder(recipe: Recipe) -> Decoder:
    if recipe.decoding == "bayes":
        return Bayes(recipe.weights)
    return DECODERS[recipe.decoding](
        **{name: recipe.given(name) for name in DECODINGS[recipe.decoding]}
    )


def _laplace(table: Table, recipe: Recipe) -> Noise:  # noqa: ARG001
    return Laplace(recipe.epsilon)


def _chosen(recipe: Recipe, kitchen: Kitchen) -> Exponential:
    """A word chosen directly, by a promise that was solved for, or by an `a` that is given."""
    score = Truncated(beta=recipe.given("beta")) if recipe.mechanism == "tem" else Plain()
    vocabulary = kitchen.vocabulary
    parts: dict[str, Any] = {
        "score": score,
        "inputs": vocabulary.ids,
        "outputs": kitchen.outputs,
        "weights": recipe.weights,
    }
    if recipe.given("a"):
        return Exponential.checked(vocabulary.table, recipe.given("a"), recipe.epsilon, **parts)
    return Exponential.of(
        vocabulary.table, recipe.epsilon, **parts, memory=kitchen.memory, tell=kitchen.tell
    )


def _santext(recipe: Recipe, kitchen: Kitchen) -> SanText:
    made = SanText(
        kitchen.vocabulary.table,
        recipe.epsilon,
        kitchen.vocabulary.ids,
        share=recipe.given("share"),
        p=recipe.given("p"),
        a=recipe.given("a"),
        memory=kitchen.memory,
        tell=kitchen.tell,
    )
    _ = made.inner  # calibrated, or refused, now
    return made


def _custext(recipe: Recipe, kitchen: Kitchen) -> CusText:
    table, ids = kitchen.vocabulary.table, kitchen.vocabulary.ids
    return CusText(table, recipe.epsilon, ids, group=_count(recipe, "group"))


def _diffractor(recipe: Recipe, kitchen: Kitchen) -> Diffractor:
    table, ids = kitchen.vocabulary.table, kitchen.vocabulary.ids
    return Diffractor(table, recipe.epsilon, ids, lists=_count(recipe, "lists"))


def _syntf(recipe: Recipe, kitchen: Kitchen) -> SynTf:
    table, ids = kitchen.vocabulary.table, kitchen.vocabulary.ids
    return SynTf(table, recipe.epsilon, ids, outputs=kitchen.outputs)


def _count(recipe: Recipe, name: str) -> int:
    value = recipe.given(name)
    if value != int(value):
        raise InputError(f"{name} must be a whole number, got {value!r}.")
    return int(value)


DECODINGS: dict[str, dict[str, float]] = {
    "nearest": {},
    "vickrey": {"t": 0.5},
    "rank": {"c": 0.02},
    "bayes": {},
}
MECHANISMS: dict[str, Kind] = {
    "laplace": Kind(
        _noisy, noise=_laplace, projected=True, about="noise in all directions alike, then decoded"
    ),
    "vickrey": Kind(
        _noisy, noise=_laplace, projected=True, about="the same, the nearest word or the second"
    ),
    "mahalanobis": Kind(
        _noisy,
        {"mu": 0.8},
        lambda table, recipe: Mahalanobis.of(table, recipe.epsilon, mu=recipe.given("mu")),
        projected=True,
        about="noise of the shape of the table",
    ),
    "vmf": Kind(
        _noisy,
        noise=lambda _, recipe: VonMisesFisher(recipe.epsilon),
        about="noise on the sphere of directions",
    ),
    "polar": Kind(
        _noisy,
        noise=lambda table, recipe: PolarLaplace.of(table, recipe.epsilon),
        about="noise on direction and length apart",
    ),
    "exponential": Kind(
        _chosen, {"a": 0.0}, weighted=True, about="words by their distance, exactly calibrated"
    ),
    "tem": Kind(
        _chosen,
        {"a": 0.0, "beta": 0.001},
        weighted=True,
        about="the same, all words beyond a cap alike",
    ),
    "syntf": Kind(_syntf, about="similar words, under plain differential privacy"),
    "santext+": Kind(
        _santext,
        {"a": 0.0, "share": 0.1, "p": 0.3},
        narrowed=False,
        about="rare words by distance; common ones mostly pass",
    ),
    "custext": Kind(_custext, {"group": 20}, narrowed=False, about="within groups of near words"),
    "diffractor": Kind(
        _diffractor, {"lists": 5}, narrowed=False, about="steps along lists of all words"
    ),
}
