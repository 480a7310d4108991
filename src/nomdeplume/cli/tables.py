"""`nomdeplume tables`: look at embedding tables and bring them into the native form."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from nomdeplume.cli.options import open_table


@click.group()
def tables() -> None:
    """Look at embedding tables, and build native ones."""


@tables.command()
@click.argument("table", required=False)
@click.option("--check", is_flag=True, help="Read it all and recompute the fingerprint.")
def info(table: str | None, *, check: bool) -> None:
    """Words, dimensions, language and fingerprint of TABLE (the bundled one if none is named)."""
    opened = open_table(table, None)
    stated = opened.fingerprint if check or not opened.seal else opened.seal
    click.echo(f"name         {opened.name}")
    click.echo(f"language     {opened.language}")
    click.echo(f"words        {len(opened):,}")
    click.echo(f"dimensions   {opened.dimensions}")
    click.echo(f"fingerprint  {stated}{' (recomputed)' if check else ''}")


@tables.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="A .safetensors file."
)
@click.option("--language", metavar="CODE", help="Language of the words. [default: en]")
@click.option(
    "--dtype",
    type=click.Choice(["float32", "float16", "int8"]),
    default="float32",
    show_default=True,
    help="How numbers are stored; the metric is that of the stored ones.",
)
@click.option("--force", is_flag=True, help="Replace output that exists.")
def build(source: Path, output: Path, language: str | None, dtype: str, *, force: bool) -> None:
    """Write SOURCE, a GloVe text file, in the native form, which opens in milliseconds."""
    from nomdeplume.formats.targets import vacant
    from nomdeplume.table import Table

    vacant(output, force=force)
    Table.open(source, language=language).save(output, dtype=dtype)
    built = Table.open(output)
    click.echo(f"{output}: {len(built):,} words in {built.dimensions} dimensions")
    click.echo(f"fingerprint {built.fingerprint}")
