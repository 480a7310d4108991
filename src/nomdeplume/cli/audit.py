"""`nomdeplume audit`: try to break a promise, and say how far that came."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from nomdeplume.cli.engines import EngineOptions, engine_options, its_engine, workers_option
from nomdeplume.cli.mechanisms import MechanismOptions, mechanism_options
from nomdeplume.cli.options import TableOptions, bar_shown, table_options, typed
from nomdeplume.errors import InputError, at

if TYPE_CHECKING:
    from nomdeplume.audit.audit import Subject


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Options of `nomdeplume audit`: the mechanism, the time and the instruments."""

    table: TableOptions
    mechanism: MechanismOptions
    engine: EngineOptions
    epsilon: float | None
    budget: float | None
    pairs: str
    alpha: float
    seconds: float
    instruments: tuple[str, ...]
    as_json: bool
    quiet: bool

    @property
    def shown(self) -> bool:
        """True if progress is shown."""
        return bar_shown(quiet=self.quiet)

    @property
    def only_by_name(self) -> list[str]:
        """The given options that a function of one's own has no use for."""
        made = self.mechanism
        given = {
            "--budget": self.budget,
            "--map": made.map,
            "--compose": made.compose,
            "--decode": made.decode,
            "--dimensions": made.dimensions,
            "--weights": made.weights,
            "--vocabulary": made.output_words,
            "--setting": made.settings,
        }
        return [option for option, value in given.items() if value not in (None, ())]


@click.command()
@click.option(
    "--epsilon", type=float, help="What is promised or claimed for each word. [default: usual]"
)
@click.option(
    "--budget", type=float, metavar="E", help="What mean promises for each document. [default: 20]"
)
@mechanism_options
@click.option(
    "--pairs",
    default="near",
    show_default=True,
    metavar="near|random|A,B",
    help="Pairs of the table's words to tell apart; the nearest tell most.",
)
@click.option(
    "--alpha",
    type=float,
    default=1e-6,
    show_default=True,
    help="Chance that a right mechanism is called broken, over all tests.",
)
@click.option("--seconds", type=float, default=60.0, show_default=True, help="Time to take.")
@click.option(
    "--instrument",
    "instruments",
    type=click.Choice(["law", "loss", "flow"]),
    multiple=True,
    help="Use this one only; repeatable. [default: all]",
)
@table_options
@engine_options("several questions at a time")
@workers_option
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--quiet", is_flag=True, help="Say nothing; the exit code tells.")
@typed(AuditOptions)
def audit(options: AuditOptions) -> int:
    """Try to break the promise of a mechanism. Exit code 3: it is broken.

    Three instruments: law (noise, chances and keystream against their formulas, at the
    table's own dimensions), loss (a black box that trains on half of its samples to tell
    two inputs apart and proves on the other half how well it does), and flow (repeated
    streams, unknown words, order, and whatever sees more than it may). No text is needed.
    --mechanism FILE:FUNCTION audits your own: a Python file and a function in it, from a list
    of words to one, or from a table and an epsilon to such a function. An engine asks several
    questions at a time, each for longer: --seconds stays the time that all of it takes.

    \b
    nomdeplume audit --budget 20
    nomdeplume audit --epsilon 6
    nomdeplume audit --table glove-300d.safetensors --epsilon 12 --pairs river,lake
    nomdeplume audit --mechanism tem --epsilon 3
    nomdeplume audit --mechanism mine.py:release --epsilon 5 --seconds 120
    nomdeplume audit --budget 20 --engine pool --workers 4
    """
    from nomdeplume.audit import Audit
    from nomdeplume.audit.finding import INSTRUMENTS

    engine = its_engine(options.engine)
    subject = _subject(options)
    chosen = Audit(
        alpha=options.alpha,
        seconds=options.seconds,
        pairs=options.pairs,
        instruments=options.instruments or INSTRUMENTS,
        engine=engine,
    )
    with redirect_stdout(sys.stderr):  # what somebody's function prints is not the report
        report = chosen(subject, _line if options.shown else None)
    if options.shown:
        click.echo("\r\033[K", nl=False, err=True)
    if not options.quiet:
        click.echo(report.to_json() if options.as_json else str(report), nl=not options.as_json)
    if report.broken and not options.quiet:
        click.echo("nomdeplume: the promise is broken.", err=True)
    return 3 if report.broken else 0


def _line(question: str) -> None:
    """What was looked at last, on one line of the terminal."""
    click.echo(f"\r\033[K{question[:70]}", nl=False, err=True)


def _subject(options: AuditOptions) -> Subject:
    from nomdeplume.audit import Claim
    from nomdeplume.cli.progress import calibrating
    from nomdeplume.mechanism import MECHANISMS
    from nomdeplume.obfuscator import Obfuscator

    name, vocabulary = options.mechanism.mechanism or "", options.table.vocabulary()
    file, _, function = name.rpartition(":")
    if not file and name not in ("", *MECHANISMS):
        raise InputError(f"mechanism must be one of {', '.join(MECHANISMS)}, or FILE:FUNCTION.")
    if not file:
        recipe = options.mechanism.recipe(
            vocabulary, epsilon=options.epsilon, budget=options.budget
        )
        with calibrating(len(vocabulary), shown=options.shown) as tell:
            return Obfuscator.of(recipe, vocabulary, tell=tell)
    if given := options.only_by_name:
        raise InputError(
            f"{', '.join(given)}: for mechanisms by name, not for a function of one's own."
        )
    epsilon = 6.0 if options.epsilon is None else options.epsilon
    loaded = _loaded(Path(file), function)
    if _needs_two(loaded):
        return Claim.made(loaded, vocabulary.table, epsilon, function)
    return Claim(loaded, vocabulary.table, epsilon, function)


def _needs_two(function: Callable[..., Any]) -> bool:
    """Whether it must be given a table and an ε, and makes a function of words."""
    try:
        parameters = signature(function).parameters.values()
    except ValueError:
        return False
    needed = [each for each in parameters if each.default is each.empty]
    return len([each for each in needed if each.kind is each.POSITIONAL_OR_KEYWORD]) == 2


def _loaded(path: Path, name: str) -> Callable[..., Any]:
    """A function of a Python file, which is run to get it."""
    import importlib.util

    if not path.is_file():
        raise InputError(f"no file {at(path)}.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{at(path)} must be a Python file, with a name that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"{path} could not be run: {type(error).__name__}.") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(f"{path} has no function {at(name)}.")
    found: Callable[..., Any] = function
    return found
