"""Options as typed values, and those that several commands share: a table, and how to read.

A command takes its options as one frozen dataclass. A field is an option of the command, or a
dataclass of options that several commands share:

    @click.command()
    @click.option("--quiet", is_flag=True)
    @table_options
    @typed(Options)
    def show(options: Options) -> None: ...
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import rich_click as click

from nomdeplume.errors import InputError, at, got
from nomdeplume.formats.kinds import KINDS, Kind

if TYPE_CHECKING:
    from nomdeplume.formats.records import Fields, Inputs
    from nomdeplume.table import Table
    from nomdeplume.vocabulary import Vocabulary

Command = TypeVar("Command", bound=Callable[..., Any])
T = TypeVar("T")


def typed(options: type[T]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the values of its options as one value of the dataclass `options`."""

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def called(**values: Any) -> Any:
            taken = dict(values)
            built = _built(options, taken)
            return command(**taken, options=built)  # with its arguments, which are left

        return called

    return decorated


def _built(options: type[T], values: dict[str, Any]) -> T:
    """The dataclass from those of the values that are its fields, which are taken out."""
    kinds = get_type_hints(options)
    found: dict[str, Any] = {}
    for each in fields(options):  # type: ignore[arg-type]
        kind = kinds[each.name]
        if is_dataclass(kind):
            found[each.name] = _built(kind, values)  # type: ignore[arg-type]
        elif each.name in values:
            found[each.name] = values.pop(each.name)
    return options(**found)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """Options of the vocabulary: the table, its language, stop words and topic words."""

    table_name: str | None
    language: str | None
    stop_words: tuple[str, ...]
    features: Path | None = None

    def vocabulary(self) -> Vocabulary:
        """The vocabulary that the options name."""
        from nomdeplume.vocabulary import Vocabulary

        table = open_table(self.table_name, self.language)
        if self.features is None:
            return Vocabulary.of(table, *self.stop_words)
        from nomdeplume.features import Features

        return Vocabulary.of(table, *self.stop_words, features=Features.open(self.features))


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """Options of reading: the fields of the text and the id, and the kind of the file."""

    text_field: str = "text"
    id_field: str = "id"
    kind: Kind | None = None
    delimiter: str | None = None

    def opened(self, inputs: tuple[str, ...], fields: Fields) -> Inputs:
        """The records of the inputs."""
        from nomdeplume.formats.reading import open_inputs

        return open_inputs(inputs, fields, kind=self.kind, delimiter=sign(self.delimiter))


def bar_shown(*, quiet: bool) -> bool:
    """True if progress is shown: on a terminal, unless the command is to be quiet."""
    return sys.stderr.isatty() and not quiet


def table_options(command: Command) -> Command:
    """--table, --language, --stop-words, --device and --features."""
    features = click.option(
        "--features",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Keep only the topic words that 'features fit' chose on public texts.",
    )
    return bare_table_options(features(command))


def bare_table_options(command: Command) -> Command:
    """--table, --language, --stop-words, and --device, which holds for all that follows."""
    for option in (
        click.option(
            "--device",
            type=click.Choice(["auto", "cpu", "cuda"]),
            default="auto",
            show_default=True,
            expose_value=False,
            callback=_on_device,
            help="Where large products run: on the cores or on a graphics card; auto takes a card "
            "where it pays.",
        ),
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


def _on_device(ctx: click.Context, _: click.Parameter, name: str) -> None:
    if name != "auto":
        from nomdeplume.devices import on

        ctx.with_resource(on(name))


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
        raise InputError("the delimiter must be one sign, or tab; this is none.")
    return found


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
        raise InputError(f"a language must be a code such as en or fr, got {got(language)}.")
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
    raise InputError(
        f"no table at {at(name)}, and none of that name; see 'nomdeplume tables list'."
    )
