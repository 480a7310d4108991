"""`nomdeplume bench`: how fast it is here, beside what the machine can do."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import rich_click as click

from nomdeplume.cli.options import TableOptions, bare_table_options, typed

if TYPE_CHECKING:
    from nomdeplume.bench import Speed


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """Options of `nomdeplume bench`: the table, the words and the cores."""

    table: TableOptions
    epsilon: float
    words: int
    threads: int | None
    as_json: bool


@click.command()
@bare_table_options
@click.option("--epsilon", type=float, default=6.0, show_default=True, help="Of the noise.")
@click.option(
    "--words", type=int, default=8192, show_default=True, help="Released together, in each round."
)
@click.option("--threads", type=int, help="Cores to use. [default: all]")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@typed(BenchOptions)
def bench(options: BenchOptions) -> None:
    """How fast words are found and texts released here, beside what the machine can do.

    Made-up texts and public words; nothing is read or written. The fastest of three rounds
    counts, so let nothing else run. With other tables a minute is usual.

    \b
    nomdeplume bench
    nomdeplume bench --table glove.6B.300d.txt --epsilon 10
    """
    from nomdeplume.bench import Bench
    from nomdeplume.threads import cores

    vocabulary, threads = options.table.vocabulary(), options.threads or cores()
    made = Bench(vocabulary, options.epsilon, options.words, threads)
    if options.as_json:
        speeds = [{**asdict(each), "rate": round(each.rate)} for each in made]
        facts = {"table": vocabulary.table.name, "words": len(vocabulary), "threads": threads}
        click.echo(json.dumps({**facts, "speeds": speeds}, ensure_ascii=False, indent=2))
        return
    click.echo(
        f"{len(vocabulary):,} words × {vocabulary.table.dimensions} of {vocabulary.table.name}, "
        f"{threads} core{'s' * (threads != 1)}\n"
    )
    click.echo(f"{'':<22} {'a second':>15}")
    for speed in made:
        click.echo(_line(speed))


def _line(speed: Speed) -> str:
    rate = f"{speed.rate:>9,.0f} {speed.unit}"
    return f"{speed.name:<22} {rate:<16} {', '.join(filter(None, (_beside(speed), speed.note)))}"


def _beside(speed: Speed) -> str:
    if speed.ratio is None:
        return ""
    if speed.ratio < 1.2:
        return f"{100 * speed.ratio:.0f} % of {speed.beside}"
    return f"{speed.ratio:.1f} × {speed.beside}"
