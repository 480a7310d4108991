"""Corpora under `nomdeplume distance`: all distances, and the nearest documents."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from nomdeplume.errors import InputError, at, got

if TYPE_CHECKING:
    from nomdeplume.bag import Bag
    from nomdeplume.cli.distance import DistanceOptions
    from nomdeplume.cli.options import ReadingOptions
    from nomdeplume.comparison import Distance
    from nomdeplume.distance.search import Found
    from nomdeplume.formats.records import Inputs

PRIVATE = "they are those of private texts: no release, keep them to yourself."
MANY = 1000  # pairs from which it matters how fast they are compared
LONG = 100_000  # pairs from which it takes minutes
DOCUMENTS = 10_000  # whose distances fit into memory


@dataclass(frozen=True)
class Labelled:
    """The bags of a corpus, what each document is called, and how many had to be left out."""

    names: list[str]
    bags: list[Bag]
    left_out: int


def one_text(name: str, reading: ReadingOptions) -> str:
    """The text of an input that must hold just one."""

    source = _opened((name,), reading)
    found = list(islice(source.records, 2))
    if len(found) != 1:
        several = "several documents; compare all with --all" if found else "no document"
        raise InputError(f"{name} must hold one text, it holds {several}.")
    if found[0].unreadable:
        raise InputError(f"{found[0].place}: {found[0].unreadable}")
    return found[0].text


def compare_all(chosen: Distance, inputs: tuple[str, ...], options: DistanceOptions) -> int:
    """The table of all distances, a row and a column for each document."""
    from nomdeplume.cli.progress import counted
    from nomdeplume.formats.plain_table import check_name, write_table

    output = _place(inputs, options)
    check_name(output)
    documents = _read(chosen, inputs, options)
    n = len(documents.names)
    if n > DOCUMENTS:
        raise InputError(
            f"all distances between {n:,} documents are too many (at most {DOCUMENTS:,} "
            "documents); --nearest K finds the nearest of each."
        )
    corpus = chosen.of_bags(documents.bags)
    _hint(n * (n - 1) // 2, options)
    with counted(n * (n - 1) // 2, "distances", shown=options.shown) as advance:
        table = corpus.distances(advance)
    if options.as_json:
        _echo({"metric": options.metric, "ids": documents.names, "distances": table.tolist()})
    else:
        columns: dict[str, Any] = {"id": documents.names}
        columns.update(zip(documents.names, table, strict=True))
        write_table(columns, output, force=options.force)
    _report(f"distances between {_many(n, 'document')}", output, options)
    return 4 if documents.left_out else 0


def compare_nearest(
    chosen: Distance, inputs: tuple[str, ...], options: DistanceOptions, count: int
) -> int:
    """The nearest documents of a corpus: to each of its own, or to those of another input."""
    from nomdeplume.cli.progress import counted
    from nomdeplume.formats.plain_table import check_name

    output = _place(inputs, options)
    check_name(output)
    queries = _read(chosen, inputs if options.all_pairs else inputs[:1], options)
    documents = queries if options.all_pairs else _read(chosen, inputs[1:], options)
    corpus = chosen.of_bags(documents.bags)
    _hint(len(queries.names) * len(documents.names), options)
    clouds = [chosen.vocabulary.cloud(bag) for bag in queries.bags]
    each = corpus.nearest_each(count) if options.all_pairs else corpus.nearest_to(clouds, count)
    found = []
    with counted(len(queries.names), "documents", shown=options.shown) as advance:
        for nearest in each:
            found.append(nearest)
            advance(1)
    _write_nearest(queries.names, documents.names, found, output, options)
    computed, compared = sum(each.computed for each in found), sum(each.of for each in found)
    needless = floor(1000 * (1 - computed / max(compared, 1))) / 10
    what = f"nearest documents of {_many(len(found), 'document')}; {needless} % of the distances"
    _report(f"{what} needed no computing", output, options)
    return 4 if queries.left_out or documents.left_out else 0


def _write_nearest(
    queries: Sequence[str],
    names: Sequence[str],
    found: Sequence[Found],
    output: Path | None,
    options: DistanceOptions,
) -> None:
    from nomdeplume.formats.plain_table import write_table

    rows = [
        (query, rank, names[document], float(distance))
        for query, nearest in zip(queries, found, strict=True)
        for rank, (document, distance) in enumerate(
            zip(nearest.documents, nearest.distances, strict=True), start=1
        )
    ]
    names_of = ("id", "rank", "nearest", "distance")
    if options.as_json:
        _echo([dict(zip(names_of, row, strict=True)) for row in rows])
    elif output is None and sys.stdout.isatty():
        wide = max(map(len, queries), default=0)
        for query, rank, name, distance in rows:
            click.echo(f"{query:<{wide}}  {rank:3}  {distance:8.4f}  {name}")
    else:
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names_of)}
        write_table(columns, output, force=options.force)


def _read(chosen: Distance, inputs: tuple[str, ...], options: DistanceOptions) -> Labelled:
    """The bags of all documents; those that cannot be read, or keep no word, are left out."""
    from nomdeplume.cli.progress import progress

    source = _opened(inputs, options.reading)
    labels: list[tuple[int, Any]] = []
    bags, left_out = [], 0
    with progress(source, shown=options.shown, hint="") as (tell, advance):
        for number, record in enumerate(source.records, start=1):
            reason = "no kept words."
            if not record.unreadable:
                bag = chosen.vocabulary.bag(record.text)
                advance()
                if len(bag):
                    bags.append(bag)
                    own = record.fields.get("name", record.fields.get(options.reading.id_field))
                    labels.append((number, own))
                    continue
            else:
                reason = record.unreadable
            left_out += 1
            tell(f"{record.place}: left out: {reason}")
    if not bags:
        raise InputError("no document is left to compare.")
    return Labelled(_names(labels, options), bags, left_out)


def _names(labels: list[tuple[int, Any]], options: DistanceOptions) -> list[str]:
    """Ids as names; a document without one of its own is called by its number in the input."""
    shared = Counter(str(own) for _, own in labels)
    shared["id"] += 1  # the name of a column
    lacking = [own is None or shared[str(own)] > 1 for _, own in labels]
    if any(lacking) and not options.quiet:
        which = "all documents" if all(lacking) else _many(sum(lacking), "document")
        missing = f"{which} without an id of their own in field {got(options.reading.id_field)}"
        click.echo(f"nomdeplume: {missing}: called by number (see --id-field).", err=True)
    names = [
        f"{'' if own is None else own}#{number}" if lacks else str(own)
        for (number, own), lacks in zip(labels, lacking, strict=True)
    ]
    told_apart = len(set(names)) == len(names) and not all(lacking)
    return names if told_apart else [str(number) for number, _ in labels]


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' * (count != 1)}"


def _opened(inputs: tuple[str, ...], reading: ReadingOptions) -> Inputs:
    """The inputs, with the names of text files, which serve as ids."""
    from nomdeplume.formats.records import Fields

    source = reading.opened(inputs, Fields(reading.text_field, reading.id_field))
    told_apart = len({Path(name).name for name in inputs}) == len(inputs)
    if source.kind in ("text", "folder") and inputs != ("-",) and told_apart:
        return reading.opened(inputs, Fields(reading.text_field, "id", ("name",)))
    return source


def _place(inputs: tuple[str, ...], options: DistanceOptions) -> Path | None:
    from nomdeplume.formats.targets import separate, vacant

    output = options.output
    if output is not None:
        vacant(output, force=options.force)
        separate([output], inputs)
    return output


def _hint(pairs: int, options: DistanceOptions) -> None:
    """Say how much there is to do where no bar shows it, and what would make it faster."""
    from nomdeplume.distance.cheapest import simplex

    if pairs > LONG and not options.shown and not options.quiet:
        click.echo(f"nomdeplume: comparing {_many(pairs, 'pair')}; this takes a while.", err=True)
    if pairs > MANY and not simplex() and not options.quiet:
        hint = "texts of unequal lengths are compared much faster with POT"
        click.echo(f"nomdeplume: {hint}: pip install 'nomdeplume[wmd]'", err=True)


def _echo(facts: Any) -> None:
    click.echo(json.dumps(facts, ensure_ascii=False))


def _report(what: str, output: Path | None, options: DistanceOptions) -> None:
    if not options.quiet:
        place = f": {at(output)}" if output else ""
        click.echo(f"nomdeplume: {what}{place}; {PRIVATE}", err=True)
