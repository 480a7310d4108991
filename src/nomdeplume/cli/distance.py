"""`nomdeplume distance`: how far texts are apart, what moves where, and what that promises."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import rich_click as click

from nomdeplume.cli.mechanisms import ReleaseOptions, release_options
from nomdeplume.cli.options import (
    ReadingOptions,
    TableOptions,
    bar_shown,
    reading_options,
    table_options,
    typed,
)
from nomdeplume.errors import InputError, at

if TYPE_CHECKING:
    from nomdeplume.between import Between
    from nomdeplume.comparison import Distance
    from nomdeplume.flow import Flow
    from nomdeplume.vocabulary import Vocabulary


MOVES = 20  # shown at a time
PRIVATE = "these are words of both texts: no release, keep them to yourself."


@dataclass(frozen=True, kw_only=True)
class DistanceOptions:
    """Options of `nomdeplume distance`: the distance, the release and the output."""

    table: TableOptions
    reading: ReadingOptions
    release: ReleaseOptions
    metric: str
    all_pairs: bool
    nearest: int | None
    output: Path | None
    as_json: bool
    moves: int
    odds: int | None
    documents: int | None
    delta: float | None
    force: bool
    quiet: bool

    @property
    def shown(self) -> bool:
        """True if progress is shown."""
        return bar_shown(quiet=self.quiet)


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="A B | --all CORPUS...")
@click.option(
    "--metric",
    type=click.Choice(["w1", "winf"]),
    default="w1",
    show_default=True,
    help="Word Mover's Distance (the mean move), or bottleneck distance (the longest).",
)
@click.option("--all", "all_pairs", is_flag=True, help="Compare all documents of a corpus.")
@click.option(
    "--nearest", type=int, metavar="K", help="The K documents of B, or of CORPUS, nearest to each."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Plan: a picture, .html or .svg. Distances: .parquet, .arrow, .csv or .jsonl.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option(
    "--moves", type=int, default=MOVES, show_default=True, help="Moves to show, 0 for all."
)
@release_options(
    "Say what a release word by word at this epsilon promises between A and B.",
    "Says what a release of whole documents promises between A and B.",
)
@click.option(
    "--odds", type=int, metavar="W", help="Say what a stand-in at these odds promises between them."
)
@click.option(
    "--documents",
    type=int,
    metavar="M",
    help="Documents of one author, for whom losses add up: each as far apart as A and B and, "
    "up to a delta, with words that move as theirs do.",
)
@click.option(
    "--delta",
    type=float,
    metavar="D",
    help="Say also what is lost up to this delta, such as 1e-6: less than purely.",
)
@table_options
@reading_options
@click.option("--force", is_flag=True, help="Replace output that exists.")
@click.option("--quiet", is_flag=True, help="Say nothing but what went wrong.")
@typed(DistanceOptions)
def distance(inputs: tuple[str, ...], options: DistanceOptions) -> int:
    """How far two texts are apart, and which words move where.

    The distance is that of the promise: between bags of kept words, in the table's own
    metric. With --odds, --budget or --epsilon it also says how far a release can shift anyone's
    odds between the two texts. Nothing is released here: plans hold words of private texts,
    and distances are theirs, exactly. Files are written for your eyes only.

    \b
    nomdeplume distance letter.txt reply.txt
    nomdeplume distance letter.txt reply.txt --epsilon 6 --size 100 -o plan.html
    nomdeplume distance letter.txt reply.txt --budget 50 --delta 1e-6
    nomdeplume distance --all corpus.jsonl -o matrix.parquet
    nomdeplume distance letter.txt corpus.jsonl --nearest 5
    """
    from nomdeplume.cli.corpus import compare_all, compare_nearest
    from nomdeplume.comparison import Distance

    _check(inputs, options)
    chosen = Distance(options.table.vocabulary(), options.metric)
    if options.nearest is not None:
        return compare_nearest(chosen, inputs, options, options.nearest)
    if options.all_pairs:
        return compare_all(chosen, inputs, options)
    return _pair(chosen, inputs, options)


def _check(inputs: tuple[str, ...], options: DistanceOptions) -> None:
    """Say what does not go together before anything is read."""
    given = {
        "epsilon": options.release.epsilon,
        "budget": options.release.budget,
        "odds": options.odds,
        "documents": options.documents,
        "delta": options.delta,
    }
    of_release = [name for name, value in given.items() if value is not None]
    many = options.all_pairs or options.nearest is not None
    if many and of_release:
        raise InputError(f"--{of_release[0]} is for two texts, without --all and --nearest.")
    if many and options.as_json and options.output:
        raise InputError("--json goes to standard output; for a file, name one as .jsonl with -o.")
    if options.documents is not None and options.documents < 1:
        raise InputError(f"--documents must be at least 1, got {options.documents}.")
    if options.delta is not None and not 0 < options.delta < 1:
        raise InputError(f"--delta must be between 0 and 1, got {options.delta:g}.")
    if of_release and of_release[0] in ("documents", "delta"):
        raise InputError(
            f"--{of_release[0]} needs --odds, --budget or --epsilon: it is about a release."
        )
    if not options.all_pairs and len(inputs) != 2:
        raise InputError(
            f"name two inputs, got {len(inputs)}; a whole corpus is compared with --all."
        )
    if inputs == ("-", "-"):
        raise InputError("only one of the two can be standard input.")
    if options.nearest is not None and options.nearest < 1:
        raise InputError(f"--nearest must be at least 1, got {options.nearest}.")
    if options.moves < 0:
        raise InputError(f"--moves must be 0 or more, got {options.moves}.")


def _pair(chosen: Distance, inputs: tuple[str, ...], options: DistanceOptions) -> int:
    from nomdeplume.cli.corpus import one_text

    output, quiet = options.output, options.quiet
    if output is not None:
        _check_picture(output, inputs, force=options.force)
    x, y = (one_text(name, options.reading) for name in inputs)
    for name, text in zip(inputs, (x, y), strict=True):
        _check_words(chosen, name, text)
    flow = chosen.flow(x, y)
    promise = _promised(chosen.vocabulary, x, y, options)
    said = [] if promise is None else promise.sentences()
    if output is not None:
        _draw(flow, _names(inputs), said, output, force=options.force)
    if options.as_json:
        click.echo(json.dumps(_facts(flow, promise, options), ensure_ascii=False, indent=2))
    elif not (quiet and output):
        click.echo("\n".join([flow.table(options.moves), *(f"\n{fill(s, 79)}" for s in said)]))
    if not quiet:
        drawn = f"the plan is drawn in {at(output)}; " if output else ""
        click.echo(f"nomdeplume: {drawn}{PRIVATE}", err=True)
    return 0


def _promised(vocabulary: Vocabulary, x: str, y: str, options: DistanceOptions) -> Between | None:
    """The promise of a release with the given options, if one is spoken of."""
    asked = options.release
    if asked.epsilon is None and asked.budget is None and options.odds is None:
        return None
    from nomdeplume.between import Between
    from nomdeplume.obfuscator import Obfuscator

    made = Obfuscator.of(
        None,
        vocabulary,
        epsilon=asked.epsilon,
        budget=asked.budget,
        odds=options.odds,
        size=asked.size,
        reduction=asked.reduction or "",
    )
    return Between.of(made, x, y, documents=options.documents, delta=options.delta)


def _names(inputs: tuple[str, ...]) -> tuple[str, str]:
    """What the two texts are called: by their names, if these tell them apart."""
    one, two = (Path(name).name if name != "-" else "standard input" for name in inputs)
    return (one, two) if one != two else (inputs[0], inputs[1])


def _check_words(chosen: Distance, name: str, text: str) -> None:
    if not len(chosen.vocabulary.bag(text)):
        table = chosen.vocabulary.table
        raise InputError(
            f"{name} has no kept words: none of its words is in table {table.name} (language "
            f"{table.language}) and no stop word; another table is named with --table."
        )


def _check_picture(output: Path, inputs: tuple[str, ...], *, force: bool) -> None:
    from nomdeplume.formats.targets import separate, vacant

    if output.suffix.lower() not in (".html", ".htm", ".svg"):
        raise InputError(f"a plan is drawn as .html or .svg, got {at(output.name)}.")
    vacant(output, force=force)
    separate([output], inputs)


def _draw(
    flow: Flow, names: tuple[str, str], notes: list[str], output: Path, *, force: bool
) -> None:
    from nomdeplume.formats.plain_table import write_file
    from nomdeplume.picture import html, svg

    bare = output.suffix.lower() == ".svg"
    note = f"{PRIVATE[0].upper()}{PRIVATE[1:]}"
    page = svg(flow, names=names, note=note) if bare else html(flow, names=names, notes=notes)
    write_file(output, page.encode(), force=force)


def _facts(flow: Flow, promise: Between | None, options: DistanceOptions) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "metric": options.metric,
        "name": flow.metric,
        "distance": flow.distance,
        "stay": float(flow.stay),
        "moves": [
            {
                "word": move.word,
                "becomes": move.becomes,
                "share": float(move.share),
                "distance": move.distance,
                **({"adds": move.cost} if flow.adds else {}),
            }
            for move in flow.moves
        ],
    }
    return facts if promise is None else {**facts, "release": promise.facts()}
