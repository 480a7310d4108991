"""Options that several commands share: which table, language and stop words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from nomdeplume.errors import InputError

if TYPE_CHECKING:
    from nomdeplume.table import Table
    from nomdeplume.vocabulary import Vocabulary

Command = TypeVar("Command", bound=Callable[..., Any])


def table_options(command: Command) -> Command:
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
            help="Native table or GloVe text. [default: glove-6b-100d-50k]",
        ),
    ):
        command = option(command)
    return command


def open_vocabulary(options: dict[str, Any]) -> Vocabulary:
    """The vocabulary that the table options name."""
    from nomdeplume.vocabulary import Vocabulary

    table = open_table(options["table_name"], options["language"])
    return Vocabulary.of(table, *options["stop_words"])


def open_table(name: str | None, language: str | None) -> Table:
    """The bundled table, by name or by default, or the one at a path."""
    from nomdeplume.table import Table
    from nomdeplume.table.bundled import NAME

    if name not in (None, NAME):
        return Table.open(Path(str(name)), language=language)
    table = Table.bundled()
    if language not in (None, table.language):
        raise InputError(
            f"the bundled table holds words of language {table.language}, asked was {language}; "
            "give a table of that language with --table."
        )
    return table
