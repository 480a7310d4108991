"""`nomdeplume library`: the public texts of which stand-ins are drawn."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import rich_click as click

from nomdeplume.cli.options import ReadingOptions, reading_options, typed
from nomdeplume.errors import InputError, at

if TYPE_CHECKING:
    from nomdeplume.library import Library, Passage

WIDTH = 79
LIBRARY = click.option(
    "--library",
    metavar="NAME|FILE",
    help="A library's file, or the name of one that ships. [default: subjects-en]",
)


@click.group()
def library() -> None:
    """Build and read libraries: the public texts of which stand-ins are drawn."""


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Options of `nomdeplume library build`."""

    reading: ReadingOptions
    output: Path
    name: str | None
    language: str
    licence: str
    title_field: str
    topic_field: str
    score: str
    each: int
    force: bool


@library.command()
@click.argument("inputs", nargs=-1, required=True, metavar="PUBLIC...")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="File to write."
)
@click.option("--name", help="Of the library, in certificates. [default: that of the file]")
@click.option("--language", default="en", show_default=True, help="Of the texts.")
@click.option("--licence", default="", help="Under which the texts may be published.")
@click.option("--title-field", default="title", show_default=True, help="Field of the title.")
@click.option("--topic-field", default="topic", show_default=True, help="Field of the topic.")
@click.option(
    "--score",
    type=click.Choice(["auto", "topics", "clusters", "table"]),
    default="auto",
    show_default=True,
    help="How texts are ranked: by a classifier of the topics, by one of clusters that are found "
    "in the library, or by the embedding table. auto takes topics if every text has one.",
)
@click.option(
    "--each",
    type=click.IntRange(min=2),
    default=30,
    show_default=True,
    help="Texts that are kept of each topic or cluster, the clearest; fewer if one has fewer.",
)
@reading_options
@click.option("--force", is_flag=True, help="Replace output that exists.")
@typed(BuildOptions)
def build(inputs: tuple[str, ...], options: BuildOptions) -> None:
    """Make a library of PUBLIC texts: JSONL, CSV (also .gz, .zst), Parquet or Arrow.

    Any of the texts may come out in place of any private text, as it is. So they must be public,
    free to be published, and none of those that are to be released. If every record has a topic,
    texts of the topic that a private text is likeliest to have come out most often. Of topics and
    of clusters only the clearest texts are kept, equally many of each.

    \b
    nomdeplume library build encyclopedia.jsonl -o my.library --licence CC-BY-4.0
    nomdeplume obfuscate letters.jsonl --library my.library -o released.jsonl
    """
    from nomdeplume.formats.targets import separate, vacant, write_whole
    from nomdeplume.library import Library
    from nomdeplume.library.fitting import fitted

    vacant(options.output, force=options.force)
    separate([options.output], inputs)
    given = Library(
        _passages(inputs, options),
        name=options.name or options.output.stem,
        language=options.language,
        licence=options.licence,
    )
    made = fitted(given, options.score, options.each)
    write_whole(options.output, made.to_jsonl(), force=options.force)
    kept = f"{len(made):,} of {len(given):,}" if len(made) < len(given) else f"{len(made):,}"
    click.echo(f"Wrote {kept} texts to {at(options.output)}.", err=True)


def _passages(inputs: tuple[str, ...], options: BuildOptions) -> tuple[Passage, ...]:
    """A passage for each record; a record that cannot be read ends it, by its place."""
    from nomdeplume.formats.columns import raw
    from nomdeplume.formats.records import Fields
    from nomdeplume.library import Passage
    from nomdeplume.library.library import one_line

    reading = options.reading
    beside = (reading.id_field, options.title_field, options.topic_field)
    fields = Fields(reading.text_field, reading.id_field, with_id=False, optional=beside)
    found = []
    for number, record in enumerate(reading.opened(inputs, fields).records, start=1):
        if record.unreadable:
            raise InputError(f"{record.place}: {record.unreadable}")
        known = raw(record.fields, beside)
        values = ("" if (value := known.get(name)) is None else str(value) for name in beside)
        id_, title, topic = map(one_line, values)
        found.append(Passage(id_ or str(number), one_line(record.text), title, topic))
    return tuple(found)


@library.command()
@LIBRARY
def info(library: str | None) -> None:
    """Describe a library: its texts by field, its licence and its fingerprint."""
    found = _opened(library)
    licence = f", licence {found.licence}" if found.licence else ""
    click.echo(f"Library {found.name}: {len(found):,} texts, language {found.language}{licence}.")
    click.echo(f"Fingerprint {found.fingerprint}")
    kind = "the embedding table" if found.model is None else "topics"
    click.echo(f"Texts are ranked by {kind}.")
    named = {name: count for name, count in found.fields.items() if name}
    wide = max(map(len, named), default=0)
    for name, count in named.items():
        click.echo(f"  {name:<{wide}}  {count:>6,}")


@library.command()
@click.argument("id_", metavar="ID")
@LIBRARY
def show(id_: str, library: str | None) -> None:
    """Print the text with an ID."""
    found = _opened(library)[id_]
    head = " · ".join(each for each in (found.title, found.field) if each)
    click.echo("\n".join([*([head] if head else []), fill(found.text, WIDTH)]))


@dataclass(frozen=True, kw_only=True)
class CountOptions:
    """Options of `nomdeplume library counts`."""

    library: str | None
    certificate: Path | None
    as_json: bool


@library.command()
@click.argument("release", metavar="RELEASE", type=click.Path(exists=True, path_type=Path))
@LIBRARY
@click.option(
    "--certificate",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Of the release. [default: the file beside it]",
)
@click.option("--json", "as_json", is_flag=True, help="Say it as JSON.")
@typed(CountOptions)
def counts(release: Path, options: CountOptions) -> None:
    """Estimate how many private texts each field of the library has, from RELEASE.

    A stand-in may be on another subject, so that mere counts of what came out are wrong: large
    fields come out too seldom, and small ones too often. These counts are right on average; the
    interval holds the truth in about 95 of 100 releases. A text counts for a field by the share
    of its best passages that are of it.
    """
    from nomdeplume.library.counts import counts as estimated
    from nomdeplume.privacy.certificate import Certificate
    from nomdeplume.privacy.verify import texts_of

    beside = release.with_name(f"{release.name}.certificate.json")
    path = options.certificate or beside
    if not path.is_file():
        raise InputError(f"no certificate at {at(path)}; name it with --certificate.")
    try:
        stated = Certificate.from_json(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise InputError("a certificate must be UTF-8 text; this file is not.") from None
    found, settings = _opened(options.library), stated.settings
    if settings.get("words"):
        raise InputError("fields are counted by texts, and this release has their words (--as).")
    if settings.get("fingerprint") != found.fingerprint:
        raise InputError("the release is not of this library; give its file with --library.")
    numbers = {name: settings.get(name) for name in ("best", "tickets")}
    whole = [each for each in (*numbers.values(), stated.epsilon) if isinstance(each, int | float)]
    if len(whole) < 3 or not all(float(each).is_integer() for each in whole):
        raise InputError("the certificate is not one of stand-ins.")
    best, tickets, odds = map(int, whole)
    if not 0 < best < len(found) or odds < 2 or tickets != best * odds + len(found) - best:
        raise InputError("the numbers of the certificate do not fit the library.")
    told = estimated(found, texts_of(release, stated), best=best, odds=odds)
    if options.as_json:
        click.echo(json.dumps([asdict(each) for each in told]))
        return
    wide = max(len(each.field) for each in told)
    click.echo(f"{'':<{wide}}  released  estimated   95 % interval")
    for each in sorted(told, key=lambda count: -count.estimate):
        interval = f"{each.low:,.0f} to {each.high:,.0f}"
        click.echo(
            f"{each.field:<{wide}}  {each.released:>8,}  {each.estimate:>9,.1f}  {interval:>14}"
        )


def _opened(name: str | None) -> Library:
    from nomdeplume.library import Library

    return Library.named(name or "")
