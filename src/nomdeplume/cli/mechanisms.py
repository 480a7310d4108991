"""Options that say what releases words: a mechanism, what it is made of, and what it spends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from nomdeplume.errors import InputError, got

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nomdeplume.mechanism import Recipe
    from nomdeplume.vocabulary import Vocabulary

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """Options of a release: ε or the budget, and the number of words."""

    epsilon: float | None
    budget: float | None
    size: int | None
    reduction: str | None


@dataclass(frozen=True, kw_only=True)
class MechanismOptions:
    """Options of a mechanism and its parts."""

    mechanism: str | None
    map: str | None
    compose: str | None
    index: str
    decode: str | None
    dimensions: int | None
    output_words: Path | None
    weights: str | None
    settings: tuple[str, ...]
    odds: int | None
    library: str | None
    as_words: str | None

    def recipe(
        self,
        vocabulary: Vocabulary,
        *,
        epsilon: float | None = None,
        budget: float | None = None,
        size: int | None = None,
        reduction: str | None = None,
        words: bool = False,
    ) -> Recipe:
        """The recipe that the options name, spending what is usual if nothing is given.

        `words` says that something is given that is for released words alone.
        """
        from nomdeplume.mechanism import Recipe

        if self.as_words and self.mechanism not in (None, "standin"):
            raise InputError("--as is for stand-ins; other mechanisms release words.")
        as_words = {"words": 1.0} if self.as_words == "words" else {}
        return Recipe.asked(
            self.mechanism or ("standin" if self.as_words else None),
            epsilon,
            budget,
            size,
            reduction or "",
            odds=self.odds,
            words=words or vocabulary.features is not None,
            library=self.library or "",
            map=self.map or "",
            compose=self.compose or "",
            decode=self.decode or "",
            index=self.index,
            dimensions=self.dimensions,
            outputs=open_words(self.output_words, vocabulary),
            weights=open_weights(self.weights, vocabulary),
            settings=dict(map(_setting, self.settings)) | as_words,
        )


def release_options(epsilon: str, budget: str) -> Callable[[Command], Command]:
    """--epsilon and --budget, with their help, --size and --reduction."""
    options = (
        click.option(
            "--reduction",
            type=click.Choice(["sample", "apportion"]),
            help="Word by word: draw the words by chance, or apportion them without. "
            "[default: sample]",
        ),
        click.option("--size", type=int, help="Words in each document, of words. [default: 100]"),
        click.option(
            "--budget",
            type=float,
            metavar="E",
            help="Per document and unit of distance; smaller hides more. Word by word, epsilon "
            f"becomes E / SIZE. {budget}",
        ),
        click.option("--epsilon", type=float, help=epsilon),
    )

    def add(command: Command) -> Command:
        for option in options:
            command = option(command)
        return command

    return add


def mechanism_options(command: Command) -> Command:
    """What a mechanism is made of, each part an option."""
    for option in (
        click.option(
            "--setting",
            "settings",
            multiple=True,
            metavar="NAME=NUMBER",
            help="Of a mechanism or decoding, such as mu=0.5; repeatable.",
        ),
        click.option(
            "--weights",
            metavar="zipf|features|FILE",
            help="Public weights of words, for mean, exponential, tem and --decode bayes: by their "
            "place in the table, by how often the public texts of --features hold them, or lines "
            "of a word, a tab and a number; words without a line have the least.",
        ),
        click.option(
            "--vocabulary",
            "output_words",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Public words that may come out, one a line. [default: all kept words; of mean "
            "topic words, or words that read like subjects]",
        ),
        click.option(
            "--dimensions",
            type=int,
            metavar="M",
            help="Noise in the table's M main directions only, or those of --features; of mean "
            "with --map principal, subjects or topics.",
        ),
        click.option(
            "--decode",
            type=click.Choice(["nearest", "vickrey", "rank", "bayes"]),
            help="Word by word, from noise to a word; rank follows any mechanism. "
            "[default: nearest]",
        ),
        click.option(
            "--index",
            type=click.Choice(["auto", "exact", "scan"]),
            default="auto",
            show_default=True,
            help="How the word nearest to a noisy vector is found: auto and exact always find it, "
            "auto the fastest way that this machine has; scan looks through compressed vectors "
            "and misses it now and then, which the certificate counts.",
        ),
        click.option(
            "--odds",
            type=int,
            metavar="W",
            help="Of standin: nobody's odds between any two texts change by more than W to 1. "
            "[default: 100]",
        ),
        click.option(
            "--library",
            metavar="NAME|FILE",
            help="Of standin: the public texts of which one comes out. [default: those that ship, "
            "subjects-en]",
        ),
        click.option(
            "--as",
            "as_words",
            type=click.Choice(["text", "words"]),
            help="Of standin: the public text, or its kept words in alphabetical order. "
            "[default: text]",
        ),
        click.option(
            "--compose",
            type=click.Choice(["herding", "maxent"]),
            help="Of mean, from its noise to words. [default: herding]",
        ),
        click.option(
            "--map",
            type=click.Choice(["vectors", "principal", "subjects", "topics", "anchors", "learnt"]),
            help="Of mean, from words to what the mean is taken of. [default: what --features "
            "hold, else subjects for English and principal for other tables]",
        ),
        click.option(
            "--mechanism",
            metavar="NAME",
            help="standin, mean, or word by word laplace, vickrey, mahalanobis, vmf, polar, "
            "exponential, tem, syntf, santext+, custext or diffractor; the guide says which. "
            "[default: standin; mean with --budget or another option for words; laplace with "
            "--epsilon, --decode or --reduction]",
        ),
    ):
        command = option(command)
    return command


def open_words(path: Path | None, vocabulary: Vocabulary) -> tuple[str, ...] | None:
    """The words of a file, one a line; in lower case those that are not known as they are."""
    if path is None:
        return None
    lines = (line.strip() for line in _lines(path))
    words = (line if line in vocabulary else line.lower() for line in lines if line)
    return tuple(dict.fromkeys(words))


def open_weights(given: str | None, vocabulary: Vocabulary) -> NDArray[np.float64] | None:
    """A weight for each word of the table: by its place, by features, or of a file.

    Words without one have the least.
    """
    if given is None:
        return None
    import numpy as np

    from nomdeplume.decode import zipf

    if given == "zipf":
        return zipf(vocabulary.table)
    if given == "features":
        return _weights_of(vocabulary)
    path = Path(given)
    if not path.is_file():
        raise InputError(f"--weights must be features, zipf or a file, got {got(given)}.")
    pairs = [line.rpartition("\t")[::2] for line in _lines(path) if line.strip()]
    try:
        known = {word.strip(): float(number) for word, number in pairs}
    except ValueError:
        known = {}
    if not known or "" in known or not all(0 < weight < np.inf for weight in known.values()):
        raise InputError(f"{path} must hold lines of a word, a tab and a number above 0.")
    words, least = vocabulary.table.words, min(known.values())
    if known.keys().isdisjoint(words):
        raise InputError(f"no word of {path} is in table {vocabulary.table.name}.")
    return np.array([known.get(word, least) for word in words])


def _weights_of(vocabulary: Vocabulary) -> NDArray[np.float64]:
    """How often public texts hold the words of features."""
    import numpy as np

    features = vocabulary.features
    if features is None or not features.weights:
        raise InputError("--weights features needs --features that were fitted on public texts.")
    found = np.full(len(vocabulary.table), min(features.weights))
    words = features.words or features.speaking
    for word, weight in zip(words, features.weights, strict=True):
        found[vocabulary.table.ids([word])] = weight
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path} must be UTF-8 text; it is not.") from None


def _setting(given: str) -> tuple[str, float]:
    name, _, number = given.partition("=")
    try:
        value = float(number) if name.strip() else None
    except ValueError:
        value = None
    if value is None:
        raise InputError("--setting must be NAME=NUMBER, mu=0.5 say; this is none.")
    return name.strip(), value
