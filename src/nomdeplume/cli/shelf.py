"""`nomdeplume tables list` and `get`: tables that others have published, fetched by name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import rich_click as click

CRAWL = "fasttext-cc-"
INSIDE = ("file", "member")  # of a source, what only matters for building it
COLUMNS = ("name", "words", "dimensions", "language", "size", "state")


@dataclass(frozen=True)
class Row:
    """A table and where it stands: bundled, here on the shelf, damaged, or known and not here."""

    name: str
    state: str
    words: int | None = None
    dimensions: int | None = None
    language: str | None = None
    megabytes: int | None = None  # on the disk; if not here, to be fetched, about
    path: str | None = None
    url: str | None = None
    licence: str | None = None
    page: str | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        words = f"{self.words:,}" if self.words else "-"
        size = f"{self.megabytes:,} MB" if self.megabytes else "-"
        return self.name, words, str(self.dimensions or "-"), self.language or "-", size, self.state


@click.command("list")
@click.option("--all", "every", is_flag=True, help="Name every language of fastText.")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known, as JSON.")
def list_tables(*, every: bool, as_json: bool) -> None:
    """Tables that are bundled, fetched, or known and can be fetched with `tables get`.

    The size is that on the disk, or for a table that is not here about that of its download.
    """
    rows = list(_rows())
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=2))
        return
    lines = [COLUMNS, *(row.cells for row in (rows if every else _grouped(rows)))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for name, words, dimensions, language, size, state in lines:
        numbers = zip((words, dimensions, language, size), widths[1:], strict=False)
        aligned = "  ".join(cell.rjust(width) for cell, width in numbers)
        click.echo(f"{name:<{widths[0]}}  {aligned}  {state}")


@click.command()
@click.argument("name")
@click.option("--mirror", metavar="URL", help="Another address of the same file.")
@click.option("--float32", "dtype", flag_value="float32", help="Store as published. [default]")
@click.option("--float16", "dtype", flag_value="float16", help="Store in half the room.")
@click.option("--int8", "dtype", flag_value="int8", help="Store in a quarter of the room.")
@click.option("--force", is_flag=True, help="Build the table again if it is here.")
@click.pass_context
def get(
    ctx: click.Context, name: str, mirror: str | None, dtype: str | None, *, force: bool
) -> None:
    """Fetch the table NAME and keep it in the native form (`tables list` has the names).

    An interrupted download is continued by the same command. A file that differs
    from its first download is refused.
    """
    from nomdeplume.table.shelf import Shelf, folder
    from nomdeplume.table.shelf.download import megabytes
    from nomdeplume.table.shelf.sources import known

    source, shelf = known(name), Shelf(folder())
    here, recorded = shelf.find(name) is not None and not force, shelf.origin(source)
    try:
        with _bar(source.file, shown=sys.stderr is not None and sys.stderr.isatty()) as advance:
            path = shelf.get(
                source, mirror=mirror, dtype=dtype or "float32", advance=advance, force=force
            )
    except KeyboardInterrupt:
        kept = megabytes(shelf.kept(source))
        click.echo(f"nomdeplume: interrupted; {kept} kept, the same command goes on.", err=True)
        ctx.exit(130)
    click.echo(_description(path) + ("; it was here, --force builds it again" if here else ""))
    if not here and (origin := shelf.origin(source)):
        stand = f"as recorded on {recorded.first_fetched}" if recorded else "recorded now"
        click.echo(f"{source.file}: SHA-256 {origin.sha256}, {stand}")


def _description(path: Path) -> str:
    from nomdeplume.table import Table

    table = Table.open(path)
    return f"{path}: {len(table):,} words × {table.dimensions}, fingerprint {table.seal}"


def _rows() -> Iterator[Row]:
    """The bundled table, those on the shelf, then the known ones that are not."""
    from nomdeplume.table.bundled import NAME, PATH
    from nomdeplume.table.shelf import Shelf, folder
    from nomdeplume.table.shelf.sources import KNOWN

    here = Shelf(folder()).tables()
    yield _row(NAME, PATH, "bundled")
    for name, path in here.items():
        row, origin = _row(name, path, "here"), KNOWN.get(name)
        told = origin and replace(row, url=origin.url, licence=origin.licence, page=origin.page)
        yield told or row
    for name, source in KNOWN.items():
        if name not in here:
            facts = {key: fact for key, fact in asdict(source).items() if key not in INSIDE}
            yield Row(state="known", **facts)


def _row(name: str, path: Path, state: str) -> Row:
    from nomdeplume.errors import TableError
    from nomdeplume.table import Table

    size = max(1, round(path.stat().st_size / 1e6))
    try:
        table = Table.open(path)
    except TableError:
        return Row(name, "damaged", megabytes=size, path=str(path))
    return Row(name, state, len(table), table.dimensions, table.language, size, str(path))


def _grouped(rows: list[Row]) -> Iterator[Row]:
    """The rows, with one for all languages of fastText that are not here."""
    others = [row for row in rows if row.state == "known" and row.name.startswith(CRAWL)]
    for row in rows:
        if row not in others:
            yield row
    if others:
        yield Row(f"{CRAWL}LANG", "known", None, others[0].dimensions, f"{len(others)} (--all)")


@contextmanager
def _bar(file: str, *, shown: bool) -> Iterator[Callable[[int, int | None], None]]:
    """A function that shows how far a download is; on a terminal, else nothing is shown."""
    if not shown:
        yield lambda _, __: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft
    from rich.progress import TransferSpeedColumn as Speed

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), Speed(), TimeLeft())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(file, total=None)

        def advance(done: int, total: int | None) -> None:
            said = "building the table" if done == total else file
            bar.update(task, completed=done, total=total, description=said)

        yield advance
