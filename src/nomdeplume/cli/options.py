"""Options that several commands share: which table, language and stop words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from nomdeplume.errors import InputError
from nomdeplume.formats.kinds import KINDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nomdeplume.features import Features
    from nomdeplume.mechanism import Recipe
    from nomdeplume.table import Table
    from nomdeplume.vocabulary import Vocabulary

Command = TypeVar("Command", bound=Callable[..., Any])


def table_options(command: Command) -> Command:
    """--table, --language, --stop-words and --features."""
    features = click.option(
        "--features",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Keep only the topic words that 'features fit' chose on public texts.",
    )
    return bare_table_options(features(command))


def bare_table_options(command: Command) -> Command:
    """--table, --language and --stop-words."""
    for option in (
        click.option(
            "--stop-words",
            multiple=True,
            default=("default",),
            metavar="NAME|FILE",
            help="short (English), iso (58 languages), none, or a file; repeatable. "
            "[default: short for English, else iso]",
        ),
        click.option(
            "--language", metavar="CODE", help="Language of the texts; must be the table's."
        ),
        click.option(
            "--table",
            "table_name",
            metavar="NAME|PATH",
            help="A table's file, or a name of 'tables list'. [default: glove-6b-100d-50k]",
        ),
    ):
        command = option(command)
    return command


def release_options(epsilon: str) -> Callable[[Command], Command]:
    """--epsilon, with its help, --budget, --size and --reduction."""
    options = (
        click.option(
            "--reduction",
            type=click.Choice(["sample", "apportion"]),
            default="sample",
            show_default=True,
            help="Draw the words by chance, or apportion them without.",
        ),
        click.option(
            "--size", type=int, default=100, show_default=True, help="Words in each document."
        ),
        click.option("--budget", type=float, help="Per document: epsilon becomes BUDGET / SIZE."),
        click.option("--epsilon", type=float, help=epsilon),
    )

    def add(command: Command) -> Command:
        for option in options:
            command = option(command)
        return command

    return add


def mechanism_options(command: Command) -> Command:
    """--mechanism, --decode, --dimensions, --vocabulary, --weights and --setting."""
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
            metavar="zipf|FILE",
            help="Public weights of words, for exponential, tem and --decode bayes: by their "
            "place in the table, or lines of a word, a tab and a number; words without a line "
            "have the least.",
        ),
        click.option(
            "--vocabulary",
            "output_words",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Public words that may come out, one a line. [default: all kept words]",
        ),
        click.option(
            "--dimensions",
            type=int,
            metavar="M",
            help="Noise in the table's M main directions only, or those of --features.",
        ),
        click.option(
            "--decode",
            type=click.Choice(["nearest", "vickrey", "rank", "bayes"]),
            help="From noise to a word; rank follows any mechanism. [default: nearest]",
        ),
        click.option(
            "--mechanism",
            default="laplace",
            show_default=True,
            metavar="NAME",
            help="laplace, vickrey, mahalanobis, vmf, polar, exponential, tem, syntf, santext+, "
            "custext or diffractor; the guide says which.",
        ),
    ):
        command = option(command)
    return command


def reading_options(command: Command) -> Command:
    """--text-field, --id-field, --from and --delimiter."""
    for option in (
        click.option(
            "--delimiter", metavar="SIGN", help="Between CSV fields. [default: , ; | or tab]"
        ),
        click.option(
            "--from",
            "kind",
            type=click.Choice(KINDS),
            help="What the input is. [default: told by name and content]",
        ),
        click.option("--id-field", default="id", show_default=True, help="Field of the id."),
        click.option("--text-field", default="text", show_default=True, help="Field of the text."),
    ):
        command = option(command)
    return command


def sign(delimiter: str | None) -> str | None:
    """The sign between CSV fields, which shells make hard to type if it is a tab."""
    found = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    if found is not None and (len(found) != 1 or found in '\n\r"'):
        raise InputError(f"the delimiter must be one sign, or tab; got {delimiter!r:.20}.")
    return found


def open_vocabulary(options: dict[str, Any]) -> Vocabulary:
    """The vocabulary that the table options name."""
    from nomdeplume.vocabulary import Vocabulary

    table = open_table(options["table_name"], options["language"])
    return Vocabulary.of(table, *options["stop_words"], features=_features(options))


def open_recipe(options: dict[str, Any], vocabulary: Vocabulary, epsilon: float | None) -> Recipe:
    """The recipe that the mechanism options name, with what is usual for its ε if none is given."""
    from nomdeplume.mechanism import Recipe

    return Recipe.usually(
        options["mechanism"],
        epsilon,
        decode=options["decode"] or "",
        dimensions=options["dimensions"],
        outputs=open_words(options["output_words"], vocabulary),
        weights=open_weights(options["weights"], vocabulary),
        settings=dict(map(_setting, options["settings"])),
    )


def open_words(path: Path | None, vocabulary: Vocabulary) -> tuple[str, ...] | None:
    """The words of a file, one a line; in lower case those that are not known as they are."""
    if path is None:
        return None
    lines = (line.strip() for line in _lines(path))
    words = (line if line in vocabulary else line.lower() for line in lines if line)
    return tuple(dict.fromkeys(words))


def open_weights(given: str | None, vocabulary: Vocabulary) -> NDArray[np.float64] | None:
    """A weight for each word of the table: by its place, or of a file, the least where none is."""
    if given is None:
        return None
    import numpy as np

    from nomdeplume.decode import zipf

    if given == "zipf":
        return zipf(vocabulary.table)
    path = Path(given)
    if not path.is_file():
        raise InputError(f"--weights must be zipf or a file, got {given!r:.40}.")
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
        raise InputError(f"--setting must be NAME=NUMBER, got {given!r:.40}.")
    return name.strip(), value


def _features(options: dict[str, Any]) -> Features | None:
    from nomdeplume.features import Features

    path = options.get("features")
    return None if path is None else Features.open(path)


def open_table(name: str | None, language: str | None, words: Path | None = None) -> Table:
    """The bundled table, by name or by default, a fetched one by name, or the one at a path."""
    from nomdeplume.table import Table
    from nomdeplume.table.bundled import NAME

    language = language and _code(language)
    if name not in (None, NAME):
        return Table.open(_place(str(name)), language=language, words=words)
    table = Table.bundled()
    if language not in (None, table.language):
        raise InputError(
            f"the bundled table holds words of language {table.language}, asked was {language}; "
            "give a table of that language with --table."
        )
    return table


def _code(language: str) -> str:
    """The code of a language: of en-GB and EN it is en."""
    code = language.lower().replace("_", "-").partition("-")[0]
    if not (code.isascii() and code.isalpha() and 2 <= len(code) <= 3):
        raise InputError(f"a language must be a code such as en or fr, got {language!r:.20}.")
    return code


def _place(name: str) -> Path:
    """Where a table is: a path, or a name that was fetched under."""
    from nomdeplume.table.shelf import Shelf, folder
    from nomdeplume.table.shelf.sources import KNOWN

    path, found = Path(name), Shelf(folder()).find(name)
    if path.is_file() or (path.is_dir() and not found):
        return path
    if found:
        return found
    if name in KNOWN:
        raise InputError(f"table {name} is not here yet; fetch it: nomdeplume tables get {name}")
    raise InputError(f"no table at {name}, and none of that name; see 'nomdeplume tables list'.")
