"""Recipes: everything public that a mechanism is made of, by name. One place makes them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp, floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.compose import COMPOSERS
from nomdeplume.decode import DECODERS, Rank
from nomdeplume.errors import InputError, positive, whole
from nomdeplume.mechanism.contract import DocumentMechanism, Mechanism, Parameter
from nomdeplume.mechanism.maps import MAPS, PROJECTIONS
from nomdeplume.mechanism.menu import COMPOSINGS, DECODINGS, MECHANISMS, Kitchen
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.nearest import checked
from nomdeplume.vocabulary import Vocabulary

if TYPE_CHECKING:
    from nomdeplume.mechanism.tight import Tell

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

SIZE = 100  # words of a document, if a mechanism releases words
MOST_EPSILON = 13.8  # of a whole text, odds of a million to 1


@dataclass(frozen=True, eq=False)
class Recipe:
    """A mechanism by name, its ε, how its noise is decoded, and what else it is made of.

    >>> from nomdeplume import Table
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
    map: str = ""  # a name in MAPS: from words to features whose mean is taken
    compose: str = ""  # a name in COMPOSERS: from a noisy mean to words
    index: str = "auto"  # a name in INDEXES: how the nearest word is found
    library: str = ""  # a file of public texts to release; the one that ships if empty
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
        self._check_level()
        if self.map not in ("", *MAPS):
            raise InputError(f"map must be one of {', '.join(MAPS)}.")
        if self.compose not in ("", *COMPOSERS):
            raise InputError(f"compose must be {' or '.join(COMPOSERS)}.")
        if self.outputs is not None and not kind.narrowed:
            raise InputError(f"{self.mechanism} has one vocabulary for what goes in and comes out.")
        if self.weights is not None and not (kind.weighted or decode == "bayes"):
            raise InputError(
                "weights are for mean, exponential, tem and --decode bayes, not for this."
            )
        if unknown := set(self.settings) - set(self.usual):
            raise InputError(
                f"{self.mechanism} knows no setting {', '.join(sorted(unknown))}; "
                f"it has {', '.join(self.usual) or 'none'}."
            )

    def _check_level(self) -> None:
        """Refuse what is for words alone where documents are released at once, and otherwise."""
        if not MECHANISMS[self.mechanism].maps and (self.map or self.compose):
            how = "releases words one by one" if self.parameter.per_word else "has no map"
            raise InputError(f"{self.mechanism} {how}; take mean.")
        if self.library and not MECHANISMS[self.mechanism].libraries:
            raise InputError(f"{self.mechanism} releases no texts of a library; take standin.")
        if self.at_once and self.decode:
            raise InputError(
                f"{self.mechanism} releases a document as a whole; it decodes no word alone."
            )
        if checked(self.index) != "auto" and not self.searches:
            raise InputError(
                "an index is for noise that is decoded by nearest or rank; take laplace, say."
            )

    @classmethod
    def usually(cls, mechanism: str, epsilon: float | None = None, **parts: Any) -> Recipe:
        """A recipe whose ε is what is usual for the mechanism, if none is given."""
        if mechanism not in MECHANISMS:
            raise InputError(f"mechanism must be one of {', '.join(MECHANISMS)}.")
        given = MECHANISMS[mechanism].usual if epsilon is None else epsilon
        return cls(mechanism, given, **parts)

    @classmethod
    def asked(
        cls,
        mechanism: str | None,
        epsilon: float | None,
        budget: float | None,
        size: int | None = None,
        reduction: str = "",
        *,
        odds: int | None = None,
        words: bool = False,
        **parts: Any,
    ) -> Recipe:
        """The recipe of what was asked for, if anything was.

        Without a mechanism it is the one that `meant` tells; `words` says that something else
        was given that is for released words, such as features. A budget is for a document: mean
        spends it at once, others in equal parts on `size` words. Odds are those of a whole text;
        an ε of one is rounded down to the next whole odds.
        """
        if epsilon is not None and budget is not None:
            raise InputError("give epsilon or budget, not both: the budget is epsilon times size.")
        if odds is not None and (epsilon is not None or budget is not None):
            raise InputError("give odds alone: they are exp(epsilon) for a whole text.")
        by_word = epsilon is not None or parts.get("decode") or reduction
        numbers = budget, size, *map(parts.get, ("dimensions", "outputs", "weights"))
        mapped = parts.get("map") or parts.get("compose")
        bags = words or mapped or any(each is not None for each in numbers)
        texts = odds is not None or parts.get("library")
        name = mechanism or meant(texts=bool(texts), by_word=bool(by_word), bags=bool(bags))
        option = MECHANISMS[name].parameter.option if name in MECHANISMS else ""
        if odds is not None and option != "odds":
            raise InputError(f"{name} has no odds; they are for standin.")
        if option == "odds" and (size is not None or reduction):
            raise InputError(f"{name} releases whole texts; a size and a reduction are for words.")
        if option == "odds" and budget is not None:
            raise InputError(f"{name} has odds, and no budget: odds of 100 to 1 are usual.")
        if option == "odds" and epsilon is not None:
            odds = floor(exp(min(positive("epsilon", epsilon), MOST_EPSILON)))
            if odds < 2:
                raise InputError(f"epsilon must be at least ln 2 = 0.69 for {name}.")
        given = epsilon if odds is None else whole("odds", odds, least=2)
        if budget is not None:
            size = SIZE if size is None else whole("size", size)
            given = positive("budget", budget) / (1 if at_once(name) else size)
        elif odds is None and epsilon is not None and at_once(name) and option != "epsilon":
            raise InputError(f"{name} has a budget for each document, and no epsilon for a word.")
        return cls.usually(name, given, **parts)

    @classmethod
    def stated(
        cls, mechanism: str, epsilon: float, settings: Mapping[str, float | str], **parts: Any
    ) -> Recipe:
        """The recipe of a mechanism that states these settings, what was found among them."""
        decode, compose, named = (str(settings.get(n, "")) for n in ("decode", "compose", "map"))
        dimensions = settings.get("dimensions")
        index = str(settings.get("index", "auto"))
        plain = cls(
            mechanism, epsilon, decode, map=named.partition(",")[0], compose=compose, index=index
        )
        numbers = {
            name: float(value)
            for name, value in settings.items()
            if name in plain.usual and not isinstance(value, str)
        }
        m = int(dimensions) if isinstance(dimensions, int | float) else None
        m = m if plain.map in ("", *PROJECTIONS) else None  # others have as many as they have
        return replace(plain, dimensions=m, settings=numbers, **parts)

    @property
    def decoding(self) -> str:
        return self.decode or ("vickrey" if self.mechanism == "vickrey" else "nearest")

    @property
    def searches(self) -> bool:
        """Whether the nearest word is looked for."""
        return bool(MECHANISMS[self.mechanism].noise) and self.decoding in ("nearest", "rank")

    @property
    def title(self) -> str:
        """The mechanism, how it decodes, and what else was given; but not ε."""
        parts = [self.mechanism]
        if self.decoding not in ("nearest", self.mechanism):
            parts.append(f"decoded by {self.decoding}")
        parts += [f"of {self.map}"] if self.map else []
        parts += [f"composed by {self.compose}"] if self.compose else []
        parts += [f"of {Path(self.library).stem}"] if self.library else []
        if self.dimensions:
            parts.append(f"in {self.dimensions} dimensions")
        if self.outputs is not None:
            parts.append("of a list of words")
        if self.weights is not None:
            parts.append("with weights")
        return ", ".join([*parts, *(f"{name} = {v:g}" for name, v in self.settings.items())])

    @property
    def usual(self) -> dict[str, float]:
        """All settings, with their usual values."""
        kind = MECHANISMS[self.mechanism]
        if kind.maps:
            return {**kind.settings, **COMPOSINGS[self.composing]}
        return {**kind.settings, **(DECODINGS[self.decoding] if kind.parameter.per_word else {})}

    @property
    def parameter(self) -> Parameter:
        """The parameter of the mechanism, whose value is `epsilon` here."""
        return MECHANISMS[self.mechanism].parameter

    @property
    def at_once(self) -> bool:
        """True if a document is released as a whole: ε is then its budget."""
        return at_once(self.mechanism)

    @property
    def composing(self) -> str:
        return self.compose or "herding"

    def given(self, name: str) -> float:
        return {**self.usual, **self.settings}[name]

    def make(
        self, vocabulary: Vocabulary, *, memory: Memory | None = None, tell: Tell | None = None
    ) -> Mechanism | DocumentMechanism:
        """The mechanism for the kept words of a vocabulary."""
        kitchen = Kitchen(vocabulary, self._outputs(vocabulary), memory, tell)
        made = MECHANISMS[self.mechanism].make(self, kitchen)
        if self.at_once or MECHANISMS[self.mechanism].noise or self.decoding == "nearest":
            return made
        from nomdeplume.mechanism.ranked import Ranked

        return Ranked(words_of(made.documents(vocabulary, 1, "")), Rank(self.given("c")))

    def words(
        self, vocabulary: Vocabulary, *, memory: Memory | None = None, tell: Tell | None = None
    ) -> Mechanism:
        """The mechanism that releases single words; refused if there is none."""
        made = self.make(vocabulary, memory=memory, tell=tell)
        return words_of(made.documents(vocabulary, 1, ""))

    def _outputs(self, vocabulary: Vocabulary) -> Ids:
        """Ids of the words that may come out: kept ones, of a list if there is one."""
        if self.outputs is None:
            return vocabulary.ids
        wanted = vocabulary.table.ids(dict.fromkeys(self.outputs))
        kept = np.unique(wanted[np.isin(wanted, vocabulary.ids)])
        if not len(kept):
            raise InputError("none of the words that may come out is a kept word of the table.")
        return kept


def words_of(documents: DocumentMechanism) -> Mechanism:
    """The word mechanism by which documents are made; refused if there is none."""
    if documents.words is None:
        raise InputError(f"{documents.name} releases whole texts, so there is no word to look at.")
    return documents.words


def meant(*, texts: bool = False, by_word: bool = False, bags: bool = False) -> str:
    """The mechanism that is used if none is named, by what else was given.

    `texts`: something that is for stand-ins alone, odds or a library. `by_word`: an ε, a
    decoding or a reduction. `bags`: a budget, or anything else that is for released words.
    """
    if texts or not (by_word or bags):
        return "standin"
    return "laplace" if by_word else "mean"


def at_once(mechanism: str) -> bool:
    """True if a mechanism releases whole documents, False if word after word."""
    return mechanism in MECHANISMS and not MECHANISMS[mechanism].parameter.per_word
