"""A progress bar on a terminal, nothing in a pipe; and remarks beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import rich_click as click

from nomdeplume.formats.reading import Inputs

REMARKS = 20  # documents named one by one; the rest is only counted


@contextmanager
def progress(
    source: Inputs, *, quiet: bool = False
) -> Iterator[tuple[Callable[[str], None], Callable[[], None]]]:
    """A function that says a remark and one that counts a document."""
    said = 0

    def tell(remark: str) -> None:
        nonlocal said
        said += 1
        if said <= REMARKS:
            click.echo(f"nomdeplume: {remark}", err=True)

    if quiet or not sys.stderr.isatty() or not source.total:
        yield tell, lambda: None
    else:
        with _bar(source) as advance:
            yield tell, advance
    if said > REMARKS:
        click.echo(f"nomdeplume: and {said - REMARKS:,} more.", err=True)


@contextmanager
def _bar(source: Inputs) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[documents]:,} documents, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=source.total, documents=0, rate=0.0)
        documents = 0

        def advance() -> None:
            nonlocal documents
            documents += 1
            rate = documents / max(bar.tasks[0].elapsed or 0.0, 1e-3)
            bar.update(task, completed=source.meter.bytes, documents=documents, rate=rate)

        yield advance
