"""`nomdeplume obfuscate`: texts in, documents and a certificate out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from nomdeplume.cli.charges import ledger_options, open_charging, open_spool, say_before
from nomdeplume.cli.engines import PathOrAddress, engine_options, open_engine
from nomdeplume.cli.mechanisms import mechanism_options, release_options
from nomdeplume.cli.obfuscate_options import ObfuscateOptions
from nomdeplume.cli.options import reading_options, table_options, typed
from nomdeplume.cli.places import ended, listed, places, publish
from nomdeplume.errors import InputError

if TYPE_CHECKING:
    from numpy.random import Generator

    from nomdeplume.charging import Charging
    from nomdeplume.formats.drawn import Drawn
    from nomdeplume.formats.records import Inputs
    from nomdeplume.formats.release import Tally
    from nomdeplume.formats.spool import Spool
    from nomdeplume.formats.writing import Sink
    from nomdeplume.obfuscator import Obfuscator
    from nomdeplume.privacy.identifying import IdCheck

PATH = click.Path(path_type=Path)
PLACE = PathOrAddress(path_type=Path)


@click.command()
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@click.option(
    "-o", "--output", type=PLACE, help="File or folder to write. [default: standard output]"
)
@release_options(
    "Per word and unit of distance, for words released one by one. [default: by the mechanism]",
    "[default: 20, if the mean is released]",
)
@mechanism_options
@table_options
@reading_options
@click.option(
    "--keep",
    multiple=True,
    metavar="FIELD",
    help="Field of records, or name for text files, to release as it is; repeatable. Of the id "
    "field, ids are released in place of numbers, unless they tell who wrote a document.",
)
@click.option(
    "--allow-identifying-ids",
    is_flag=True,
    help="Release ids that are kept even where they hold an author, an address or a name.",
)
@click.option(
    "--unit-field",
    metavar="FIELD",
    help="Release all texts of one value, an author's say, as one document: whoever wrote them "
    "spends one budget, however much there is. Texts without a value are withheld, and no other "
    "field can be kept.",
)
@click.option(
    "--max-per-author",
    type=int,
    metavar="C",
    help="Draw C documents of each author (--author-field) secretly and leave the others out: "
    "however much somebody wrote, they lose what C documents lose. Texts without an author are "
    "withheld. Inputs are read twice, so that they must be files.",
)
@click.option(
    "--shuffle",
    is_flag=True,
    help="Of standin: release texts in alphabetical order, without numbers or fields, and state "
    "what one document loses among all. Every author must have one document: name their field "
    "with --unit-field or --author-field.",
)
@click.option(
    "--delta",
    type=float,
    metavar="D",
    help="With --shuffle: the probability up to which that loss holds. [default: 1e-6, less for "
    "more than 100,000 documents]",
)
@ledger_options
@click.option(
    "--vectors", is_flag=True, help="Of mean: release also the noisy means, under the same promise."
)
@click.option(
    "--empty",
    type=click.Choice(["public", "withhold"]),
    default="public",
    show_default=True,
    help="Text without kept words, if words are released: release a public bag in its place, or "
    "leave it out. Every text has a stand-in.",
)
@click.option(
    "--certificate",
    "certificate_path",
    type=PATH,
    help="Where it goes. [default: beside the output; none for standard output]",
)
@click.option(
    "--withheld", type=PATH, help="Write a line for every document that is withheld, and why."
)
@engine_options("a folder of shards")
@click.option(
    "--workers",
    type=int,
    metavar="N",
    help="Processes that release texts, on a core each. [default: none, threads on all cores; "
    "of an engine as many as there are cores, or cards]",
)
@click.option("--seed", type=int, help="Repeatable noise for experiments: NOT PRIVATE.")
@click.option("--strict", is_flag=True, help="Stop at the first document that cannot be read.")
@click.option("--force", is_flag=True, help="Replace output that exists.")
@click.option("--quiet", is_flag=True, help="Say nothing but what went wrong.")
@typed(ObfuscateOptions)
def obfuscate(inputs: tuple[str, ...], options: ObfuscateOptions) -> int:
    """Release texts whose subject can be told and whose author is hard to recognise.

    INPUT is text files, CSV, JSONL (these also .gz, .zst), Parquet or Arrow files,
    folders of one of these kinds, or - for standard input. Of a record only the released
    text and the fields named with --keep come out; documents are numbered, and ids stay
    behind. The output is of the kind that its name says.

    \b
    Three ways to release a text:
      (nothing)    A stand-in: a public text, more likely one that fits the subject.
                   Nobody's odds between any two texts change by more than 100 to 1
                   (--odds). It can be read, and it is not a paraphrase.
      --budget 20  The mean: SIZE words that are composed from a noisy mean, for sorting
                   and counting many texts. Near texts are hard to tell apart.
      --epsilon 6  Word by word, as in the paper: SIZE noisy words, for comparison.

    A ledger keeps what every document has spent, and refuses what would pass its limit.

    An engine releases a folder of files, here or at an address such as s3://texts, file by
    file into a folder that has _SUCCESS in it when all is there.

    \b
    nomdeplume obfuscate letter.txt
    nomdeplume obfuscate reviews.csv -o released.parquet --text-field body --keep topic
    nomdeplume obfuscate posts.jsonl -o out.jsonl --library my.library --odds 20
    cat letter.txt | nomdeplume obfuscate --budget 10
    nomdeplume obfuscate letter.txt --mechanism exponential --decode rank
    nomdeplume obfuscate reviews.csv -o out.csv --ledger reviews.ledger --limit 40
    nomdeplume obfuscate shards/ -o released/ --engine ray
    """
    from nomdeplume.cli.report import report
    from nomdeplume.formats.columns import raw
    from nomdeplume.formats.reading import rereadable
    from nomdeplume.formats.writing import SortedSink, open_sink
    from nomdeplume.privacy.certificate import NOT_PRIVATE, blanket_of
    from nomdeplume.privacy.random import is_private

    if engine := open_engine(options.engine):
        from nomdeplume.cli.sharded import sharded

        return sharded(engine, inputs, options)
    if isinstance(options.output, str):
        raise InputError("an address is written by an engine; name one: --engine.")
    inputs, force, resume = inputs or _piped(), options.force, options.charging.resume
    done = ended(options.output) if resume and not force else None
    output, saved = places(
        inputs,
        options.output,
        options.certificate_path,
        ledger=options.charging.ledger,
        withheld=options.withheld,
        force=force or done is not None,
        resume=resume,
    )
    options.check_rereadable(inputs)
    rng, ids = options.generator(), options.id_check()
    fields = options.read_fields(_kept(options), ids)
    obfuscator = options.obfuscator()
    if options.vectors and not obfuscator.documents.form.vector:
        raise InputError(f"--vectors: {obfuscator.mechanism.name} has no mean to release.")
    if options.shuffle:
        blanket_of(obfuscator.documents)
    if ids.names and done is None and rereadable(inputs):
        for record in options.reading.opened(inputs, fields).records:
            if not record.unreadable:
                # before anything is charged or released
                ids.one(record.place, raw(record.fields, ids.fields))
    source = options.reading.opened(inputs, fields)
    with open_charging(options, obfuscator, source.kind, rng) as charging:
        with open_spool(options, inputs, (output, saved), obfuscator, charging) as spool:
            if done is not None:
                click.echo("nomdeplume: the output is complete already.", err=True)
                return done
            say_before(spool, charging, resume=resume)
            drawn = options.drawn(inputs, fields, spool, rng)
            sink = open_sink(
                output,
                source.kind,
                keep=bool(options.keep),
                force=force,
                warning="" if is_private(rng) else NOT_PRIVATE,
                vectors=options.vectors,
            )
            sink = SortedSink(sink) if options.shuffle else sink
            try:
                tally = _run(
                    obfuscator,
                    source,
                    sink,
                    rng,
                    options,
                    ids=ids,
                    drawn=drawn,
                    charging=charging,
                    spool=spool,
                )
                written = sink.close()
                certificate = obfuscator.certify(
                    options.described(rng),
                    tally.released,
                    written,
                    empty=options.empty,
                    id_field="id" if options.numbered else "",
                    kept_fields=options.kept_fields,
                    unit_field=options.unit,
                    max_per_author=options.max_per_author or 0,
                    vectors=options.vectors,
                    delta=options.delta_among(tally.released),
                )
                code = 3 if tally.refused else 4 if tally.withheld else 0
                if spool:
                    spool.finish(written.sha256, code)
                publish(sink, certificate, saved, force=force or resume)
            except BaseException:
                sink.discard()
                raise
        if not options.quiet:
            report(certificate, tally, output, saved, charging)
    return code


def _kept(options: ObfuscateOptions) -> tuple[str, ...]:
    """Fields that are read beside the text: those that come out, and that of units."""
    keep, unit = options.keep, options.unit_field
    if unit and (others := [name for name in keep if name != unit]):
        raise InputError(
            f"--keep {others[0]}: texts of one unit may differ in it; only the unit field itself "
            "can be kept."
        )
    return tuple(filter(None, (*keep, unit, options.charged_author())))


def _run(
    obfuscator: Obfuscator,
    source: Inputs,
    sink: Sink,
    rng: Generator,
    options: ObfuscateOptions,
    *,
    ids: IdCheck,
    drawn: Drawn | None,
    charging: Charging | None,
    spool: Spool | None,
) -> Tally:
    from nomdeplume.cli.progress import progress
    from nomdeplume.formats.release import Keeping, release
    from nomdeplume.formats.writing import LineSink
    from nomdeplume.obfuscator import checked

    free = not isinstance(sink, LineSink) or not sink.on_terminal  # else the words show there
    again = spool is not None and spool.resumed
    with (
        listed(options.withheld, force=options.force or again) as names,
        progress(source, shown=free and options.shown, listed=names) as (tell, advance),
    ):
        return release(
            source,
            sink,
            obfuscator,
            rng,
            keeping=Keeping(
                keep=options.keep,
                numbered=options.numbered,
                vectors=options.vectors,
                empty=options.empty,
            ),
            ids=ids,
            strict=options.strict,
            units=options.units,
            drawn=drawn,
            workers=checked(options.engine.workers),
            charging=charging,
            spool=spool,
            tell=tell,
            advance=advance,
        )


def _piped() -> tuple[str, ...]:
    """Standard input, if something is piped into it."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("name a text to release, or pipe one in; see nomdeplume obfuscate --help.")
    return ("-",)
