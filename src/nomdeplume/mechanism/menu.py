"""The catalogue of mechanisms by name: what each can be given, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.compose import COMPOSERS
from nomdeplume.compose.belief import GAIN
from nomdeplume.decode import DECODERS, Bayes, Decoder
from nomdeplume.errors import InputError, got, whole
from nomdeplume.mechanism.contract import DocumentMechanism, Mechanism, Parameter
from nomdeplume.mechanism.image import Projection, Unit, imaged
from nomdeplume.mechanism.maps import mapped, projection
from nomdeplume.mechanism.noisy_mean import NoisyMean
from nomdeplume.mechanism.noisy_nearest import NoisyNearest
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.noise import Laplace, Noise
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

if TYPE_CHECKING:
    from nomdeplume.library import Library
    from nomdeplume.mechanism.custext import CusText
    from nomdeplume.mechanism.diffractor import Diffractor
    from nomdeplume.mechanism.exponential import Exponential
    from nomdeplume.mechanism.recipe import Recipe
    from nomdeplume.mechanism.santext import SanText
    from nomdeplume.mechanism.standin import StandIn
    from nomdeplume.mechanism.syntf import SynTf
    from nomdeplume.mechanism.tight import Tell

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


PER_WORD = Parameter()


@dataclass(frozen=True)
class Kind:
    """A mechanism by name: its settings with their usual values, and what it can be given."""

    make: Callable[[Recipe, Kitchen], Mechanism | DocumentMechanism]
    usual: float = 6.0  # of its parameter; about one common word in ten stays, on the bundled table
    parameter: Parameter = PER_WORD
    settings: Mapping[str, float] = field(default_factory=dict)
    noise: Callable[[Table, Recipe], Noise] | None = None
    projected: bool = False  # whether the noise may live in fewer dimensions
    narrowed: bool = True  # whether other words may come out than go in
    weighted: bool = False
    maps: bool = False  # whether it releases means of what a map makes of words
    libraries: bool = False  # whether it releases texts of a library


@dataclass(frozen=True, eq=False)
class Kitchen:
    """Where a recipe is made: the kept words, and a memory of what took long to find."""

    vocabulary: Vocabulary
    outputs: Ids
    memory: Memory | None = None
    tell: Tell | None = None


def _noisy(recipe: Recipe, kitchen: Kitchen) -> NoisyNearest:
    """Noise of some kind, on vectors or their image, and a decoder."""
    table, features = kitchen.vocabulary.table, kitchen.vocabulary.features
    kind = MECHANISMS[recipe.mechanism]
    image: Unit | Projection | None = None
    if recipe.mechanism == "vmf":
        image = Unit()
    elif recipe.dimensions is not None:
        image = projection(table, features, whole("dimensions", recipe.dimensions))
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
    given: dict[str, Any] = {name: recipe.given(name) for name in DECODINGS[recipe.decoding]}
    if recipe.searches:
        given["index"] = recipe.index
    return DECODERS[recipe.decoding](**given)


def _laplace(table: Table, recipe: Recipe) -> Noise:  # noqa: ARG001
    return Laplace(recipe.epsilon)


def _mahalanobis(table: Table, recipe: Recipe) -> Noise:
    from nomdeplume.noise.mahalanobis import Mahalanobis

    return Mahalanobis.of(table, recipe.epsilon, mu=recipe.given("mu"))


def _von_mises_fisher(table: Table, recipe: Recipe) -> Noise:  # noqa: ARG001
    from nomdeplume.noise.von_mises_fisher import VonMisesFisher

    return VonMisesFisher(recipe.epsilon)


def _polar(table: Table, recipe: Recipe) -> Noise:
    from nomdeplume.noise.polar import PolarLaplace

    return PolarLaplace.of(table, recipe.epsilon)


def _chosen(recipe: Recipe, kitchen: Kitchen) -> Exponential:
    """A word chosen directly, by a promise that was solved for, or by an `a` that is given."""
    from nomdeplume.mechanism.exponential import Exponential
    from nomdeplume.mechanism.scores import Plain, Truncated

    score = Truncated(beta=recipe.given("beta")) if recipe.mechanism == "tem" else Plain()
    vocabulary = kitchen.vocabulary
    parts: dict[str, Any] = {
        "score": score,
        "inputs": vocabulary.ids,
        "outputs": kitchen.outputs,
        "weights": recipe.weights,
    }
    if recipe.given("a"):
        a, epsilon = recipe.given("a"), recipe.epsilon
        return Exponential.checked(vocabulary.table, a, epsilon, kitchen.tell, **parts)
    return Exponential.of(
        vocabulary.table, recipe.epsilon, **parts, memory=kitchen.memory, tell=kitchen.tell
    )


def _mean(recipe: Recipe, kitchen: Kitchen) -> NoisyMean:
    """Noise on the mean of a document's features, and words composed from it."""
    vocabulary = kitchen.vocabulary
    settings = {name: recipe.given(name) for name in COMPOSINGS[recipe.composing]}
    chosen = mapped(recipe.map, vocabulary, recipe.dimensions)
    return NoisyMean(
        vocabulary.table,
        Laplace(recipe.epsilon),
        vocabulary.ids,
        outputs=chosen.outputs if recipe.outputs is None else kitchen.outputs,
        image=chosen.image,
        composer=COMPOSERS[recipe.composing](**settings),
        weights=recipe.weights,
        belief=replace(chosen.belief, gain=recipe.settings.get("gain", chosen.belief.gain)),
        memory=kitchen.memory,
        tell=kitchen.tell,
    )


def _santext(recipe: Recipe, kitchen: Kitchen) -> SanText:
    from nomdeplume.mechanism.santext import SanText

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
    from nomdeplume.mechanism.custext import CusText

    table, ids = kitchen.vocabulary.table, kitchen.vocabulary.ids
    return CusText(table, recipe.epsilon, ids, group=_count(recipe, "group"))


def _diffractor(recipe: Recipe, kitchen: Kitchen) -> Diffractor:
    from nomdeplume.mechanism.diffractor import Diffractor

    table, ids = kitchen.vocabulary.table, kitchen.vocabulary.ids
    return Diffractor(table, recipe.epsilon, ids, lists=_count(recipe, "lists"))


def _syntf(recipe: Recipe, kitchen: Kitchen) -> SynTf:
    from nomdeplume.mechanism.syntf import SynTf

    table, ids = kitchen.vocabulary.table, kitchen.vocabulary.ids
    return SynTf(table, recipe.epsilon, ids, outputs=kitchen.outputs)


def _standin(recipe: Recipe, kitchen: Kitchen) -> StandIn:
    from nomdeplume.library import Library, score_of
    from nomdeplume.mechanism.standin import MOST_ODDS, StandIn

    vocabulary = kitchen.vocabulary
    library = Library.named(recipe.library, vocabulary.table.language)
    if library.model is None and library.language != vocabulary.table.language:
        raise InputError(
            f"library {library.name} is of language {library.language} and is ranked by a table of "
            f"language {vocabulary.table.language}; give a table of its language with --table."
        )
    odds = whole("odds", _whole("odds", recipe.epsilon), least=2, most=MOST_ODDS)
    score = score_of(library, vocabulary)
    score([""])  # a library that cannot be ranked is refused before any private text is read
    best = _count(recipe, "best") or score.best(odds)
    bags = _bags(library, vocabulary) if recipe.given("words") else None
    return StandIn(library, score, best, odds, bags)


def _bags(library: Library, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The kept words of each text; refused unless every text has its own."""
    place: dict[str, str] = {"": ""}
    for passage in library.passages:
        words = vocabulary.words_of(passage.text)
        if words in place:
            other = place[words]
            raise InputError(
                f"text {got(passage.id)} of library {library.name} has "
                f"{f'the kept words of text {got(other)}' if other else 'no kept words'}; "
                "release texts, or use a table that knows them."
            )
        place[words] = passage.id
    return tuple(place)[1:]


def _count(recipe: Recipe, name: str) -> int:
    return _whole(name, recipe.given(name))


def _whole(name: str, value: float) -> int:
    if not float(value).is_integer():
        raise InputError(f"{name} must be a whole number, got {got(value)}.")
    return int(value)


DECODINGS: dict[str, dict[str, float]] = {
    "nearest": {},
    "vickrey": {"t": 0.5},
    "rank": {"c": 0.02},
    "bayes": {},
}
COMPOSINGS: dict[str, dict[str, float]] = {"herding": {"penalty": 3.0}, "maxent": {"ridge": 0.01}}
BUILT_IN = {
    "standin": Kind(
        _standin,
        100.0,
        Parameter("w", "odds", per_word=False),
        {"best": 0.0, "words": 0.0},
        narrowed=False,
        libraries=True,
    ),
    "mean": Kind(
        _mean,
        20.0,
        Parameter("E", "budget", per_word=False),
        {"gain": GAIN},
        projected=True,
        weighted=True,
        maps=True,
    ),
    "laplace": Kind(_noisy, noise=_laplace, projected=True),
    "vickrey": Kind(_noisy, noise=_laplace, projected=True),
    "mahalanobis": Kind(_noisy, 10.0, settings={"mu": 0.8}, noise=_mahalanobis, projected=True),
    "vmf": Kind(_noisy, 40.0, noise=_von_mises_fisher),
    "polar": Kind(_noisy, 10.0, noise=_polar),
    "exponential": Kind(_chosen, 2.0, settings={"a": 0.0}, weighted=True),
    "tem": Kind(_chosen, 2.0, settings={"a": 0.0, "beta": 0.001}, weighted=True),
    "syntf": Kind(_syntf, 40.0),
    "santext+": Kind(_santext, 2.0, settings={"a": 0.0, "share": 0.1, "p": 0.3}, narrowed=False),
    "custext": Kind(_custext, 2.0, settings={"group": 20}, narrowed=False),
    "diffractor": Kind(_diffractor, 0.2, settings={"lists": 5}, narrowed=False),
}


@dataclass(frozen=True)
class Catalogue(Mapping[str, Kind]):
    """The mechanisms of this package, and those of others: entry points of nomdeplume.mechanisms.

    Of an installed package a mechanism is loaded when it is asked for by its name; none of them
    can take the name of one that is built in.
    """

    built_in: Mapping[str, Kind]

    def __getitem__(self, name: str) -> Kind:
        if name in self.built_in:
            return self.built_in[name]
        found: Kind = self._others[name].load()
        return found

    def __iter__(self) -> Iterator[str]:
        return iter((*self.built_in, *self._others))

    def __len__(self) -> int:
        return len(self.built_in) + len(self._others)

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self._others

    @cached_property
    def _others(self) -> dict[str, EntryPoint]:
        others = entry_points(group="nomdeplume.mechanisms")
        return {each.name: each for each in others if each.name not in self.built_in}


MECHANISMS = Catalogue(BUILT_IN)
