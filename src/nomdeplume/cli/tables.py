"""`nomdeplume tables`: look at embedding tables and bring them into the native form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from nomdeplume.cli.options import open_table, typed
from nomdeplume.cli.shelf import get, list_tables
from nomdeplume.errors import InputError, at

if TYPE_CHECKING:
    from nomdeplume.table import Table


@click.group()
def tables() -> None:
    """Fetch embedding tables, look at them, and build native ones."""


tables.add_command(list_tables)
tables.add_command(get)


@tables.command()
@click.argument("table", required=False)
@click.option("--language", metavar="CODE", help="Language of the words, if the file does not say.")
@click.option("--check", is_flag=True, help="Read it all and recompute the fingerprint.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def info(table: str | None, language: str | None, *, check: bool, as_json: bool) -> None:
    """What TABLE is: a file, or a name of `tables list` (the bundled one if none is given).

    Half the distance to the nearest word is the scale of the table: noise much shorter
    changes no word. Kept words are those that a text can contain, less the stop words.
    """
    opened = open_table(table, language)
    facts = _facts(opened, check=check)
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<13} {_shown(value)}")
    if facts["kept_words"] < len(opened) / 2:
        click.echo(
            "\nMost words have capitals, digits or signs, or are stop words, and will not be used;"
            "\n'nomdeplume tables build --lower --alphabetic' makes a smaller table of the others."
        )


def _facts(table: Table, *, check: bool) -> dict[str, Any]:
    import numpy as np

    from nomdeplume.table.neighbours import half_distances, sample

    norms = np.concatenate([np.sqrt((rows**2).sum(axis=1)) for rows in table.blocks()])
    looked_at = sample(table)
    half = half_distances(table, looked_at)
    return {
        "name": table.name,
        "language": table.language,
        "words": len(table),
        "kept_words": _kept(table),
        "dimensions": table.dimensions,
        "norms": _spread(norms),
        "half_distance": {**_spread(half), "words_looked_at": len(looked_at)},
        "fingerprint": table.fingerprint if check or not table.seal else table.seal,
        "checked": check or not table.seal,
    }


def _kept(table: Table) -> int:
    """How many words a release is made of, less the stop words if the language has a list."""
    from nomdeplume.vocabulary import Vocabulary

    for stop_words in ("default", "none"):
        try:
            return len(Vocabulary.of(table, stop_words))
        except InputError:
            continue
    return 0


def _spread(values: Any) -> dict[str, float]:
    if not len(values):
        return {}
    found = {"mean": values.mean(), "least": values.min(), "most": values.max()}
    return {name: round(float(value), 4) for name, value in found.items()}


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        parts = [f"{name.replace('_', ' ')} {_shown(each)}" for name, each in value.items()]
        return ", ".join(parts) or "none"
    if isinstance(value, bool):
        return "yes, the fingerprint is computed" if value else "no, the fingerprint is as stated"
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Options of `nomdeplume tables build`: the kept words and the type of the numbers."""

    output: Path
    language: str | None
    words: int | None
    lower: bool
    alphabetic: bool
    word_list: Path | None
    dtype: str | None
    force: bool


@tables.command()
@click.argument("source")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="A .safetensors file."
)
@click.option("--language", metavar="CODE", help="Language of the words. [default: en]")
@click.option("--words", type=int, metavar="N", help="Keep the first N words, the commonest.")
@click.option("--lower", is_flag=True, help="Write words in lower case; the first of equals stays.")
@click.option("--alphabetic", is_flag=True, help="Drop words that are not of letters only.")
@click.option(
    "--word-list",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Words of an array of bare vectors, one a line. [default: a list beside it]",
)
@click.option(
    "--float32", "dtype", flag_value="float32", help="Store numbers as they are. [default]"
)
@click.option("--float16", "dtype", flag_value="float16", help="Store numbers in half the room.")
@click.option("--int8", "dtype", flag_value="int8", help="Store numbers in a quarter of the room.")
@click.option("--force", is_flag=True, help="Replace output that exists.")
@typed(BuildOptions)
def build(source: str, options: BuildOptions) -> None:
    """Write SOURCE in the native form, which opens in milliseconds whatever its size.

    SOURCE is GloVe text, word2vec text or binary, fastText .vec or .bin (all also gzipped),
    NumPy .npy or .npz, safetensors or a model2vec folder, told by content, or a name of
    `tables list`. The metric of a table is that of its numbers as they are stored.
    """
    from nomdeplume.formats.targets import vacant
    from nomdeplume.selection import select
    from nomdeplume.table import Table
    from nomdeplume.table.readers.gather import stem

    output, dtype = options.output, options.dtype or "float32"
    if output.suffix != ".safetensors":
        raise InputError(
            f"the native form goes to a file named .safetensors, got {at(output.name)}."
        )
    vacant(output, force=options.force)
    opened = open_table(source, options.language, options.word_list)
    chosen = select(
        opened,
        words=options.words,
        lower=options.lower,
        alphabetic=options.alphabetic,
        name=stem(output.name),
    )
    chosen.save(output, dtype=dtype)
    _report(opened, chosen, Table.open(output), output, dtype)


def _report(opened: Table, chosen: Table, built: Table, output: Path, dtype: str) -> None:
    """What was built, what of the source is not in it, and what storing it so costs."""
    from nomdeplume.table.neighbours import overlap, sample

    click.echo(
        f"{output}: {len(built):,} words in {built.dimensions} dimensions, "
        f"language {built.language}, {output.stat().st_size / 1e6:,.1f} MB as {dtype}"
    )
    if opened.left_out:
        click.echo(f"left out: {opened.left_out:,} that are no words (with spaces, or not UTF-8)")
    if len(chosen) < len(opened):
        click.echo(f"left out: {len(opened) - len(chosen):,} of {len(opened):,} as asked")
    if dtype != "float32":
        ids = sample(chosen)
        kept = overlap(chosen, built, ids)
        click.echo(
            f"of a word's ten nearest words {100 * kept:.1f} % stay ({len(ids):,} words looked at)"
        )
    click.echo(f"fingerprint {built.fingerprint}")
