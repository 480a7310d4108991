"""`nomdeplume calibrate`: choose ε by what it does to words, or by what two texts may lose."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from nomdeplume.cli.mechanisms import MechanismOptions, mechanism_options
from nomdeplume.cli.options import ReadingOptions, TableOptions, bar_shown, table_options, typed
from nomdeplume.errors import InputError, at

if TYPE_CHECKING:
    from nomdeplume.calibrate import Bounded, Curve, Dial, Point
    from nomdeplume.calibrate.report import Report
    from nomdeplume.mechanism import Recipe
    from nomdeplume.vocabulary import Vocabulary

PRIVATE = "this ε was found from the two texts, and tells how far apart they are: take public ones."


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions:
    """Options of `nomdeplume calibrate`: the wanted effect, the mechanism and the output."""

    table: TableOptions
    mechanism: MechanismOptions
    unchanged: float | None
    near: float | None
    support: float | None
    moved: float | None
    loss: float | None
    epsilon: float | None
    between: tuple[str, str] | None
    delta: float | None
    size: int
    reduction: str
    words: str | None
    sample: int
    common: bool
    draws: int | None
    output: Path | None
    as_json: bool
    force: bool
    quiet: bool

    @property
    def targets(self) -> dict[str, float]:
        """The wanted effects that were given, by name."""
        named = {
            "unchanged": self.unchanged,
            "support": self.support,
            "moved": self.moved,
            "near": self.near,
            "loss": self.loss,
            "epsilon": self.epsilon,
        }
        return {name: value for name, value in named.items() if value is not None}


@click.command()
@click.option("--unchanged", type=float, metavar="SHARE", help="So many words stay, .1 say.")
@click.option("--near", type=float, metavar="SHARE", help="So many become one of their nearest.")
@click.option("--support", type=float, metavar="N", help="A word is spread over so many words.")
@click.option("--moved", type=float, metavar="D", help="Words move so far on average.")
@click.option(
    "--loss", type=float, metavar="NATS", help="No more is lost between the texts of --between."
)
@click.option("--epsilon", type=float, help="What this epsilon does.")
@click.option(
    "--between",
    nargs=2,
    type=click.Path(exists=True, dir_okay=False),
    metavar="A B",
    help="Two files with a text each, for --loss. Nothing of them is printed.",
)
@click.option("--delta", type=float, metavar="D", help="Bound what is lost up to this delta.")
@click.option("--size", type=int, default=100, show_default=True, help="Words in each document.")
@click.option(
    "--reduction",
    type=click.Choice(["sample", "apportion"]),
    default="sample",
    show_default=True,
    help="How texts are brought to that size, for --loss.",
)
@mechanism_options
@click.option("--words", metavar="A,B", help="Say what these words may become at the answer.")
@click.option(
    "--sample", type=int, default=300, show_default=True, help="Words of the table to look at."
)
@click.option("--common", is_flag=True, help="Look at words as often as texts use them.")
@click.option("--draws", type=int, metavar="M", help="Draws of each word. [default: by the table]")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Draw the curves into this .html file."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@table_options
@click.option("--force", is_flag=True, help="Replace output that exists.")
@click.option("--quiet", is_flag=True, help="Say nothing but what went wrong.")
@typed(CalibrateOptions)
def calibrate(options: CalibrateOptions) -> int:
    """Choose epsilon for a table and a mechanism by what people understand.

    An epsilon means nothing without its table. This says what it does to public words: how
    many stay, how many become near words, how far they move. Name one of these and it finds
    the epsilon; name none and it shows the curve. No text is read, but for --between.

    \b
    nomdeplume calibrate --unchanged .1
    nomdeplume calibrate --mechanism exponential --unchanged .1 --words harbour,bread
    nomdeplume calibrate --dimensions 20 --near .3 -o curve.html
    nomdeplume calibrate --loss 50 --between letter.txt reply.txt
    """
    from nomdeplume.calibrate import substitutes
    from nomdeplume.calibrate.report import Report

    _check(options)
    vocabulary, asked = options.table.vocabulary(), options.mechanism
    recipe = replace(asked, mechanism=asked.mechanism or "laplace").recipe(vocabulary)
    words = [word.strip() for word in (options.words or "").split(",") if word.strip()]
    bounded = _bounded(recipe, vocabulary, options)
    with _dial(recipe, vocabulary, options) as dial:
        found, answer = _found(dial, bounded, options)
        made = dial.mechanism(answer.value) if answer else None
        likely = substitutes(made, vocabulary, words) if made else []
    command = _command(answer.epsilon, options) if answer and answer.epsilon else ""
    told = Report(
        dial,
        found,
        answer,
        size=options.size,
        command=command,
        mechanism=made,
        bounded=bounded,
        likely=tuple(likely),
    )
    _tell(told, options)
    return 0


def _check(options: CalibrateOptions) -> None:
    """Say what does not go together before anything is read."""
    given, output = list(options.targets), options.output
    if len(given) > 1:
        raise InputError(f"ask for one thing at a time, got --{' and --'.join(given)}.")
    if (options.loss is None) != (options.between is None):
        raise InputError("--loss and --between belong together: so much lost, between two texts.")
    if options.delta is not None and options.loss is None:
        raise InputError("--delta is for --loss.")
    if options.words and not given:
        raise InputError("--words needs an answer: --unchanged .1, say, or --epsilon 6.")
    if options.size < 1 or (options.draws is not None and options.draws < 2):
        raise InputError("--size must be at least 1, and --draws at least 2.")
    if output:
        from nomdeplume.formats.targets import separate, vacant

        if output.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"curves are drawn as .html, got {at(output.name)}.")
        vacant(output, force=options.force)
        separate([output], options.between or ())


@contextmanager
def _dial(recipe: Recipe, vocabulary: Vocabulary, options: CalibrateOptions) -> Iterator[Dial]:
    """The recipe's dial, which says on a terminal what it is at."""
    from nomdeplume.calibrate import Dial
    from nomdeplume.mechanism.remembered import Memory

    shown = bar_shown(quiet=options.quiet)
    done = 0

    def tell(count: int) -> None:
        nonlocal done
        done = (done + count) % (2 * len(vocabulary))  # each word twice, in every pass
        _line(f"comparing all words with all others, {50 * done / len(vocabulary):.0f} %")

    watch: Callable[[str], None] | None = _line if shown else None
    try:
        yield Dial.of(
            recipe,
            vocabulary,
            sample=options.sample,
            common=options.common,
            draws=options.draws,
            memory=Memory.usual(),
            tell=tell if shown else None,
            watch=watch,
        )
    finally:
        if shown:
            click.echo("\r\033[K", nl=False, err=True)


def _line(said: str) -> None:
    """What it is at, on one line of the terminal."""
    click.echo(f"\r\033[K{said[:70]}", nl=False, err=True)


def _found(
    dial: Dial, bounded: Bounded | None, options: CalibrateOptions
) -> tuple[Curve, Point | None]:
    """The curve, and the point of it that was asked for."""
    from nomdeplume.calibrate import WANTED, Wanted, choose, curve

    wanted = [Wanted(name, value) for name, value in options.targets.items() if name in WANTED]
    found = curve(dial)
    epsilon = bounded.epsilon if bounded else options.epsilon
    if epsilon is not None:
        answer = dial.at_epsilon(epsilon)
    elif wanted:
        answer = choose(dial, wanted[0], found)
    else:
        return found, None
    return found.through(answer), answer


def _bounded(recipe: Recipe, vocabulary: Vocabulary, options: CalibrateOptions) -> Bounded | None:
    """The largest ε under which two texts lose no more than is asked, if that is asked."""
    if options.loss is None or options.between is None:
        return None
    from nomdeplume.calibrate import largest
    from nomdeplume.cli.corpus import one_text

    one, other = (one_text(name, ReadingOptions()) for name in options.between)
    return largest(
        recipe,
        vocabulary,
        (one, other),
        options.loss,
        size=options.size,
        reduction=options.reduction,
        delta=options.delta,
    )


def _command(epsilon: float, options: CalibrateOptions) -> str:
    """The command that releases texts under the answer."""
    given = ["nomdeplume", "obfuscate", "--epsilon", f"{epsilon:.12g}"]
    made, table = options.mechanism, options.table
    asked: dict[str, tuple[object, object]] = {  # what is asked, and what is usual
        "mechanism": (made.mechanism, "laplace"),
        "decode": (made.decode, None),
        "dimensions": (made.dimensions, None),
        "vocabulary": (made.output_words, None),
        "weights": (made.weights, None),
        "size": (options.size, 100),
        "reduction": (options.reduction, "sample"),
        "table": (table.table_name, None),
        "language": (table.language, None),
        "features": (table.features, None),
    }
    for name, (value, usual) in asked.items():
        if value not in (None, usual):
            given += [f"--{name}", str(value)]
    for each in made.settings:
        given += ["--setting", each]
    for each in table.stop_words:
        given += ["--stop-words", each] if table.stop_words != ("default",) else []
    return shlex.join(given)


def _tell(report: Report, options: CalibrateOptions) -> None:
    """Print it, draw it, and say whose the answer is."""
    output, quiet = options.output, options.quiet
    if output:
        _draw(report, output, force=options.force)
    if options.as_json:
        click.echo(json.dumps(report.facts(), ensure_ascii=False, indent=2))
    elif not (quiet and output):
        click.echo(str(report))
    if output and not quiet:
        click.echo(f"nomdeplume: the curves are drawn in {at(output)}.", err=True)
    if options.between and not quiet:
        click.echo(f"nomdeplume: {PRIVATE}", err=True)


def _draw(report: Report, output: Path, *, force: bool) -> None:
    from nomdeplume.calibrate.page import page
    from nomdeplume.formats.targets import write_whole

    write_whole(output, page(report), force=force, private=report.bounded is not None)
