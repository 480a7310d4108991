"""A progress bar on a terminal, nothing in a pipe; and remarks that do not disturb it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import IO

import rich_click as click

from nomdeplume.formats.records import Inputs

OFTEN = 0.1  # seconds between two looks of a bar
REMARKS = 20  # documents named one by one; the rest is only counted
HINT = "; --withheld FILE lists them all"
Voice = tuple[Callable[[str], None], Callable[[], None]]  # says a remark; counts a document


@contextmanager
def progress(
    source: Inputs,
    *,
    shown: bool,
    listed: IO[str] | None = None,
    hint: str = HINT,
) -> Iterator[Voice]:
    """A function that says a remark, and one that counts a document.

    Where there is a list, remarks go there, all of them; else the first are said.
    """
    with (
        _bar(source) if shown and source.total else _nothing() as (say, advance),
        remarks(listed, say, hint=hint) as tell,
    ):
        yield tell, advance


@contextmanager
def remarks(
    listed: IO[str] | None,
    say: Callable[[str], None] = lambda remark: click.echo(remark, err=True),
    hint: str = HINT,
) -> Iterator[Callable[[str], None]]:
    """A function that says a remark: all of them go to a list, if there is one, else the first."""
    said = 0

    def tell(remark: str) -> None:
        nonlocal said
        said += 1
        if listed:
            listed.write(f"{remark}\n")
        elif said <= REMARKS:
            say(f"nomdeplume: {remark}")

    yield tell
    if said > REMARKS and not listed:
        say(f"nomdeplume: and {said - REMARKS:,} more{hint}.")


@contextmanager
def _nothing() -> Iterator[Voice]:
    yield lambda remark: click.echo(remark, err=True), lambda: None


@contextmanager
def _bar(source: Inputs) -> Iterator[Voice]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    documents = TextColumn("{task.fields[documents]:,} documents, {task.fields[rate]:,.0f}/s")
    console = Console(stderr=True)
    with Progress(
        BarColumn(), TaskProgressColumn(), documents, TimeLeft(), console=console, transient=True
    ) as bar:
        task = bar.add_task("", total=source.total, documents=0, rate=0.0)
        count, shown = 0, 0.0

        def advance() -> None:
            nonlocal count, shown
            count += 1
            if monotonic() - shown < OFTEN:
                return
            shown = monotonic()
            rate = count / max(bar.tasks[0].elapsed or 0.0, 1e-3)
            bar.update(task, completed=source.meter.bytes, documents=count, rate=rate)

        yield lambda remark: console.print(remark, markup=False, highlight=False), advance


@contextmanager
def counted(total: int, unit: str, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """A function that counts what is done, of a total that is known."""
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeLeft())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, advance=done)


@contextmanager
def calibrating(words: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """A function that counts words while a promise is calibrated: twice each, in every pass.

    The bar is there from the first count on: most mechanisms need none.
    """
    with ExitStack() as stack:
        bar: list[Callable[[int], None]] = []
        done = 0

        def tell(count: int) -> None:
            nonlocal done
            if not bar:
                unit = "words compared with all others"
                bar.append(stack.enter_context(counted(2 * words, unit, shown=shown)))
            over = 2 * words if done + count >= 2 * words else 0  # the next pass begins
            done += count - over
            bar[0](count - over)

        yield tell


@contextmanager
def learning(*, shown: bool) -> Iterator[Callable[[int], None]]:
    """A function that counts the steps of a map that is learnt, if one is."""
    from nomdeplume.features.learning import STEPS

    with ExitStack() as stack:
        bar: list[Callable[[int], None]] = []

        def tell(_: int) -> None:
            if not bar:
                bar.append(stack.enter_context(counted(STEPS, "steps learnt", shown=shown)))
            bar[0](1)

        yield tell


@contextmanager
def stepped(
    total: int, *, shown: bool
) -> Iterator[tuple[Callable[[str], None], Callable[[], None]]]:
    """A function that says what is being done, and one that counts a step of a known number."""
    if not shown:
        yield lambda _: None, lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeElapsedColumn as TimeSoFar

    columns = (BarColumn(), MofNCompleteColumn(), TimeSoFar(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda said: bar.update(task, description=said), lambda: bar.advance(task)
