"""`nomdeplume features`: learn from public texts which words tell topics, and look at that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from nomdeplume.cli.options import (
    ReadingOptions,
    TableOptions,
    bar_shown,
    bare_table_options,
    reading_options,
    typed,
)
from nomdeplume.errors import at

if TYPE_CHECKING:
    from nomdeplume.features import Features
    from nomdeplume.formats.records import Inputs

SHOWN = 20  # words, the best


@click.group()
def features() -> None:
    """Fit topic words and maps on public texts, for releases of other texts."""


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """Options of `nomdeplume features fit`: the fields, the words and the maps."""

    table: TableOptions
    reading: ReadingOptions
    output: Path
    topic_field: str
    words: int | None
    keep_topic: float | None
    method: str
    maps: tuple[str, ...]
    dimensions: int | None
    budget: float | None
    author_field: str | None
    leaks: bool
    force: bool
    quiet: bool

    @property
    def shown(self) -> bool:
        """True if progress is shown."""
        return bar_shown(quiet=self.quiet)


@features.command()
@click.argument("inputs", nargs=-1, required=True, metavar="PUBLIC...")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="File to write."
)
@click.option("--topic-field", default="topic", show_default=True, help="Field of the topic.")
@click.option(
    "--words", type=int, metavar="N", help="Keep N words, 0 for all of them. [default: 500]"
)
@click.option(
    "--keep-topic",
    type=float,
    metavar="SHARE",
    help="Keep the fewest words from which topics are told this well, .95 say, as part of how "
    "well they are told from all.",
)
@click.option(
    "--method",
    type=click.Choice(["chi2", "mutual-information"]),
    default="chi2",
    show_default=True,
    help="What scores a word.",
)
@click.option(
    "--map",
    "maps",
    type=click.Choice(["topics", "anchors", "learnt"]),
    multiple=True,
    help="Fit also a map for mean: directions that tell topics apart, words that stand for each "
    "topic, or what a small network learns to tell topics under noise; repeatable.",
)
@click.option(
    "--dimensions", type=int, metavar="M", help="Of the map. [default: 10 for topics, 6 for learnt]"
)
@click.option(
    "--budget",
    type=float,
    metavar="E",
    help="That a learnt map is best at; others serve well too. [default: 3]",
)
@click.option(
    "--author-field",
    help="Field of the author, if any: learnt is taught to keep less of what public authors of one "
    "topic differ in (the effect on other authors is not measured).",
)
@bare_table_options
@reading_options
@click.option(
    "--i-know-this-leaks",
    "leaks",
    is_flag=True,
    help="The texts are private, those to be released: which words are kept then tells about "
    "them, under no promise, and every certificate says so.",
)
@click.option("--force", is_flag=True, help="Replace output that exists.")
@click.option("--quiet", is_flag=True, help="Say nothing but what went wrong.")
@typed(FitOptions)
def fit(inputs: tuple[str, ...], options: FitOptions) -> int:
    """Choose the words of PUBLIC texts that tell their topics.

    PUBLIC is records with a topic each: JSONL, CSV (also .gz, .zst), Parquet or Arrow. The
    texts must be public and others than those to be released: a release knows the texts again
    that its topic words were fitted on, and refuses.

    \b
    nomdeplume features fit news.jsonl --words 500 -o my.features
    nomdeplume features fit news.csv --topic-field section --keep-topic .95 -o my.features
    nomdeplume features fit news.jsonl --map learnt --budget 3 -o my.features
    nomdeplume obfuscate letters.jsonl --features my.features --budget 3 -o released.jsonl
    """
    from nomdeplume.cli.progress import learning
    from nomdeplume.features.fitting import fit_features
    from nomdeplume.formats.targets import separate, vacant

    vacant(options.output, force=options.force)
    separate([options.output], inputs)
    vocabulary = options.table.vocabulary()
    read = _Read(_opened(inputs, options), options)
    authors = read.authors if options.author_field else None
    if "learnt" in options.maps and options.words == 0 and not options.quiet:
        click.echo("nomdeplume: a map of all words takes a few minutes to learn.", err=True)
    with learning(shown=options.shown) as tell:
        found = fit_features(
            read.texts(),
            read.topics,
            vocabulary,
            method=options.method,
            words=options.words,
            keep_topic=options.keep_topic,
            maps=options.maps,
            dimensions=options.dimensions,
            budget=options.budget,
            leaks=options.leaks,
            authors=authors,
            tell=tell,
        )
    _save(found, options.output, force=options.force)
    if not options.quiet:
        click.echo(f"{at(options.output)}: {_told(found)}")
    return 4 if read.left_out else 0


class _Read:
    """Public texts, read one at a time, and their topics, which are all there at the end."""

    def __init__(self, source: Inputs, options: FitOptions) -> None:
        self._source, self._options = source, options
        self.topics: list[Any] = []
        self.authors: list[Any] = []
        self.left_out = 0

    def texts(self) -> Iterator[str]:
        from nomdeplume.cli.progress import progress

        with progress(self._source, shown=self._options.shown, hint="") as (tell, advance):
            for record in self._source.records:
                if not record.unreadable:
                    self.topics.append(record.fields.get(self._options.topic_field))
                    self.authors.append(record.fields.get(self._options.author_field or ""))
                    yield record.text
                    advance()
                else:
                    self.left_out += 1
                    tell(f"{record.place}: left out: {record.unreadable}")


def _opened(inputs: tuple[str, ...], options: FitOptions) -> Inputs:
    from nomdeplume.formats.records import Fields

    labels = filter(None, (options.topic_field, options.author_field))
    reading = options.reading
    return reading.opened(inputs, Fields(reading.text_field, reading.id_field, tuple(labels)))


def _save(found: Features, path: Path, *, force: bool) -> None:
    """A file that appears whole or never; one fitted on private texts is its owner's to read."""
    from nomdeplume.formats.targets import write_whole

    write_whole(path, found.to_json(), force=force, private=found.leaks)


@features.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON, with all words.")
def show(file: Path, *, as_json: bool) -> None:
    """What is in a FILE of features: the words, and what they were fitted on."""
    from nomdeplume.features import Features

    found = Features.open(file)
    click.echo(json.dumps(_facts(found), ensure_ascii=False) if as_json else _told(found))


def _told(found: Features) -> str:
    """What was chosen, how well it tells topics, and the best words, unless they are private."""
    parts = [f"{found.origin}."]
    if found.accuracy is not None and found.accuracy_all is not None:
        parts.append(
            f"Of {found.topics} topics {_percent(found.accuracy)} of the texts are told right from "
            f"these words, {_percent(found.accuracy_all)} from all kept words (naive Bayes, each "
            "text by what the others taught)."
        )
    if found.directions is not None:
        m, k = found.directions.shape
        parts.append(f"With {m} of {k} directions, first those that tell the topics apart.")
    if found.anchors:
        parts.append(f"With {len(found.anchors)} lists of words that stand for a topic each.")
    if found.values is not None:
        parts.append(f"With a learnt map of {found.values.shape[1]} dimensions.")
    if found.words and not found.leaks:
        more = ", …" if len(found) > SHOWN else ""
        parts.append(f"Best first: {', '.join(found.words[:SHOWN])}{more}")
    return "\n".join(parts)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _facts(found: Features) -> dict[str, Any]:
    """What `show` says, for programs; of what was fitted on private texts no word."""
    names = ["method", "topics", "texts", "leaks", "accuracy", "accuracy_all", "fingerprint"]
    names += ["table_fingerprint", "kept_fingerprint"]
    return {
        **{name: getattr(found, name) for name in names},
        "directions": 0 if found.directions is None else len(found.directions),
        "anchors": [] if found.leaks else [list(words) for words in found.anchors],
        "learnt": 0 if found.values is None else found.values.shape[1],
        "number": len(found),
        "words": [] if found.leaks else list(found.words),
    }
