"""`nomdeplume distance`: how far texts are apart, what moves where, and what that promises."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import rich_click as click

from nomdeplume.cli.options import reading_options, release_options, table_options
from nomdeplume.errors import InputError

if TYPE_CHECKING:
    from nomdeplume.comparison import Distance
    from nomdeplume.flow import Flow
    from nomdeplume.privacy.guarantee import Guarantee
    from nomdeplume.privacy.loss import Loss


class Promised(NamedTuple):
    """What a release promises between two texts: purely and, if asked for, up to a δ."""

    guarantee: Guarantee
    loss: Loss
    at_delta: Loss | None


MOVES = 20  # shown at a time
PRIVATE = "these are words of both texts: no release, keep them to yourself."


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
@release_options("Say what a release at this epsilon per word promises between A and B.")
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
def distance(inputs: tuple[str, ...], **options: Any) -> int:
    """How far two texts are apart, and which words move where.

    The distance is that of the promise: between bags of kept words, in the table's own
    metric. With --epsilon or --budget it also says how far a release can shift anyone's
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
    from nomdeplume.cli.options import open_vocabulary
    from nomdeplume.comparison import Distance

    _check(inputs, options)
    chosen = Distance(open_vocabulary(options), options["metric"])
    if options["nearest"] is not None:
        return compare_nearest(chosen, inputs, options)
    if options["all_pairs"]:
        return compare_all(chosen, inputs, options)
    return _pair(chosen, inputs, options)


def _check(inputs: tuple[str, ...], options: dict[str, Any]) -> None:
    """Say what does not go together before anything is read."""
    names = ("epsilon", "budget", "documents", "delta")
    of_release = [name for name in names if options[name] is not None]
    many = options["all_pairs"] or options["nearest"] is not None
    if many and of_release:
        raise InputError(f"--{of_release[0]} is for two texts, without --all and --nearest.")
    if many and options["as_json"] and options["output"]:
        raise InputError("--json goes to standard output; for a file, name one as .jsonl with -o.")
    if options["documents"] is not None and options["documents"] < 1:
        raise InputError(f"--documents must be at least 1, got {options['documents']}.")
    if options["delta"] is not None and not 0 < options["delta"] < 1:
        raise InputError(f"--delta must be between 0 and 1, got {options['delta']:g}.")
    if of_release and of_release[0] in ("documents", "delta"):
        raise InputError(f"--{of_release[0]} needs --epsilon or --budget: it is about a release.")
    if not options["all_pairs"] and len(inputs) != 2:
        raise InputError(
            f"name two inputs, got {len(inputs)}; a whole corpus is compared with --all."
        )
    if inputs == ("-", "-"):
        raise InputError("only one of the two can be standard input.")
    if options["nearest"] is not None and options["nearest"] < 1:
        raise InputError(f"--nearest must be at least 1, got {options['nearest']}.")
    if options["moves"] < 0:
        raise InputError(f"--moves must be 0 or more, got {options['moves']}.")


def _pair(chosen: Distance, inputs: tuple[str, ...], options: dict[str, Any]) -> int:
    from nomdeplume.cli.corpus import one_text

    output, quiet = options["output"], options["quiet"]
    if output is not None:
        _check_picture(output, inputs, force=options["force"])
    x, y = (one_text(name, options) for name in inputs)
    for name, text in zip(inputs, (x, y), strict=True):
        _check_words(chosen, name, text)
    flow = chosen.flow(x, y)
    promise = _promised(chosen, x, y, options)
    said = [] if promise is None else _sentences(promise, options)
    if output is not None:
        _draw(flow, _names(inputs), said, options)
    if options["as_json"]:
        click.echo(json.dumps(_facts(flow, promise, options), ensure_ascii=False, indent=2))
    elif not (quiet and output):
        click.echo("\n".join([flow.table(options["moves"]), *(f"\n{fill(s, 79)}" for s in said)]))
    if not quiet:
        drawn = f"the plan is drawn in {output}; " if output else ""
        click.echo(f"nomdeplume: {drawn}{PRIVATE}", err=True)
    return 0


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
        raise InputError(f"a plan is drawn as .html or .svg, got {output.name}.")
    vacant(output, force=force)
    separate([output], inputs)


def _draw(flow: Flow, names: Any, notes: list[str], options: dict[str, Any]) -> None:
    from nomdeplume.formats.plain_table import write_file
    from nomdeplume.picture import html, svg

    output = options["output"]
    bare = output.suffix.lower() == ".svg"
    note = f"{PRIVATE[0].upper()}{PRIVATE[1:]}"
    page = svg(flow, names=names, note=note) if bare else html(flow, names=names, notes=notes)
    write_file(output, page.encode(), force=options["force"])


def _promised(chosen: Distance, x: str, y: str, options: dict[str, Any]) -> Promised | None:
    """What a release would promise between the two texts, if one is spoken of."""
    if options["epsilon"] is None and options["budget"] is None:
        return None
    from nomdeplume.obfuscator import Obfuscator

    parameters = {name: options[name] for name in ("epsilon", "budget", "size", "reduction")}
    obfuscator = Obfuscator.laplace(chosen.vocabulary, **parameters)
    guarantee, count, delta = obfuscator.guarantee, options["documents"], options["delta"]
    if count is not None:
        guarantee = guarantee.over_documents(count)
    loss = guarantee.loss(x, y) if count is None else guarantee.loss([x] * count, [y] * count)
    if delta is None:
        return Promised(guarantee, loss, None)
    account = obfuscator.account(x, y).over_releases(count or 1)
    return Promised(guarantee, loss, min(loss, account.loss(delta)))


def _sentences(promise: Promised, options: dict[str, Any]) -> list[str]:
    """The promise in words, how it is made up, and a fair word on it."""
    from nomdeplume.privacy.loss import up
    from nomdeplume.privacy.promise import WEAK

    guarantee, loss, at_delta = promise
    size, count = options["size"], options["documents"]
    way = {"sample": "drawn by chance", "apportion": "apportioned"}[options["reduction"]]
    epsilon = options["epsilon"] if options["epsilon"] is not None else options["budget"] / size
    words = f"{size} words" if size > 1 else "one word"
    what = f"One release of {words}, {way}, at ε = {epsilon:g},"
    between = "the two texts"
    if count is not None:
        what = f"{count} releases, each of {words}, {way}, at ε = {epsilon:g}, together"
        between = f"two authors of {count} documents, all as far apart as these,"
    symbol = guarantee.metric.symbol
    first = (
        f"{what} can shift anyone's odds between {between} by at most a factor of {loss.factor}: "
        f"the loss is at most {guarantee.formula} = {up(loss, 6)} nats, with {symbol} = "
        f"{loss / guarantee.epsilon:.4f} between {guarantee.between}."
    ).replace(f" · {symbol}", f"\u00a0·\u00a0{symbol}")
    second = "" if at_delta is None else _up_to(loss, at_delta, options)
    return [said for said in (first, second, WEAK if loss > 10 else "") if said]


def _up_to(loss: Loss, at_delta: Loss, options: dict[str, Any]) -> str:
    """What is lost up to δ, after what is lost purely; nothing, if nothing is lost at all.

    It follows from how words move and not from a distance, so it is no statement about all
    documents that are as far apart.
    """
    from nomdeplume.privacy.loss import up

    delta, count = options["delta"], options["documents"]
    if not loss:
        return ""
    if up(at_delta, 4) == up(loss, 4):
        return f"Up to δ = {delta:g} no less is known to be lost."
    moved = f" for {count} documents whose words move as those of these two do" if count else ""
    return (
        f"Up to δ = {delta:g} less is lost{moved}: P(S) ≤ exp(ε′)\u00a0·\u00a0P′(S) + δ for every "
        "set S of releases, P from one of the two and P′ from the other, with ε′ = "
        f"{up(at_delta, 4)} nats{_saving(loss, at_delta)}."
    )


def _saving(loss: Loss, at_delta: Loss) -> str:
    """How many times less that is, never said to be more than it is, nor if it is none."""
    ratio = loss / at_delta if at_delta else 1.0
    times = f"{int(10 * ratio) / 10:g}" if ratio < 100 else f"{int(ratio):,}"
    return "" if times == "1" else f", {times} times less than the pure bound"


def _facts(flow: Flow, promise: Promised | None, options: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "metric": options["metric"],
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
    if promise is not None:
        guarantee, loss, at_delta = promise
        facts["release"] = {
            "formula": f"loss ≤ {guarantee.formula}",
            "between": guarantee.between,
            "distance": loss / guarantee.epsilon,
            "proofs": guarantee.proofs,
            "loss": loss,
            "factor": loss.factor,
        }
        if at_delta is not None:
            facts["release"] |= {"delta": options["delta"], "loss_at_delta": at_delta}
    return facts
