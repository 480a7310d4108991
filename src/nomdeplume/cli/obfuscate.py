"""`nomdeplume obfuscate`: texts in, documents and a certificate out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from nomdeplume.cli.options import table_options
from nomdeplume.errors import InputError

if TYPE_CHECKING:
    from numpy.random import Generator

    from nomdeplume.formats.reading import Inputs
    from nomdeplume.formats.release import Tally
    from nomdeplume.formats.writing import Sink
    from nomdeplume.obfuscator import Obfuscator
    from nomdeplume.privacy.certificate import Certificate

PATH = click.Path(path_type=Path)


@click.command()
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@click.option(
    "-o", "--output", type=PATH, help="File or folder to write. [default: standard output]"
)
@click.option(
    "--epsilon", type=float, help="Per word and unit of distance; smaller hides more. [default: 6]"
)
@click.option("--budget", type=float, help="Per document: epsilon becomes BUDGET / SIZE.")
@click.option("--size", type=int, default=100, show_default=True, help="Words in each document.")
@click.option(
    "--reduction",
    type=click.Choice(["sample", "apportion"]),
    default="sample",
    show_default=True,
    help="Draw the words by chance, or apportion them without.",
)
@table_options
@click.option("--text-field", default="text", show_default=True, help="JSONL field of the text.")
@click.option("--id-field", default="id", show_default=True, help="JSONL field of the id.")
@click.option(
    "--keep", multiple=True, metavar="FIELD", help="JSONL field to release as it is; repeatable."
)
@click.option(
    "--empty",
    type=click.Choice(["public", "withhold"]),
    default="public",
    show_default=True,
    help="Text without kept words: release a public bag in its place, or leave it out.",
)
@click.option("--certificate", "certificate_path", type=PATH, help="[default: beside the output]")
@click.option("--seed", type=int, help="Repeatable noise for experiments: NOT PRIVATE.")
@click.option("--strict", is_flag=True, help="Stop at the first document that cannot be read.")
@click.option("--force", is_flag=True, help="Replace output that exists.")
@click.option("--quiet", is_flag=True, help="Say nothing but what went wrong.")
def obfuscate(inputs: tuple[str, ...], **options: Any) -> int:
    """Release texts as bags of noisy words: the topic stays, the author's hand goes.

    INPUT is text files, folders of them, JSONL (also .gz), or - for standard input.
    Each text becomes SIZE words in alphabetical order. Of a JSONL record only the
    released words, the id and the fields named with --keep come out.

    \b
    nomdeplume obfuscate letter.txt
    nomdeplume obfuscate reviews.jsonl -o released.jsonl --keep topic
    cat letter.txt | nomdeplume obfuscate --budget 800
    """
    from nomdeplume.formats.reading import Fields, open_inputs
    from nomdeplume.privacy.random import secure, seeded

    rng = secure() if options["seed"] is None else seeded(options["seed"])
    fields = Fields(options["text_field"], options["id_field"], options["keep"])
    obfuscator = _obfuscator(options)
    source = open_inputs(inputs or _piped(), fields)
    certificate_path = _certificate_path(inputs, options)
    sink = _sink(source.kind, options)
    try:
        tally, certificate = _run(obfuscator, source, sink, rng, options)
        if certificate_path:
            _save(certificate, certificate_path, force=options["force"])
        sink.finish()
    except BaseException:
        sink.discard()
        raise
    if not options["quiet"]:
        _report(certificate, options["output"], certificate_path)
    return 4 if tally.withheld else 0


def _run(
    obfuscator: Obfuscator, source: Inputs, sink: Sink, rng: Generator, options: dict[str, Any]
) -> tuple[Tally, Certificate]:
    from nomdeplume.cli.progress import progress
    from nomdeplume.formats.release import release

    with progress(source, quiet=options["quiet"]) as (tell, advance):
        tally = release(
            source,
            sink,
            obfuscator,
            rng,
            empty=options["empty"],
            strict=options["strict"],
            tell=tell,
            advance=advance,
        )
    return tally, obfuscator.certify(rng, tally.released, sink.digest(), options["empty"])


def _piped() -> tuple[str, ...]:
    """Standard input, if something is piped into it."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("name a text to release, or pipe one in; see nomdeplume obfuscate --help.")
    return ("-",)


def _obfuscator(options: dict[str, Any]) -> Obfuscator:
    from nomdeplume.cli.options import open_vocabulary
    from nomdeplume.errors import positive, whole
    from nomdeplume.obfuscator import EPSILON, Obfuscator

    epsilon, budget, size = options["epsilon"], options["budget"], whole("size", options["size"])
    if budget is not None and epsilon is not None:
        raise InputError(
            "give --epsilon or --budget, not both: the budget is epsilon times the size."
        )
    if budget is not None:
        epsilon = positive("budget", budget) / size
    vocabulary = open_vocabulary(options)
    vocabulary.table.check()  # the certificate will vouch for it
    return Obfuscator.laplace(
        vocabulary,
        epsilon=EPSILON if epsilon is None else epsilon,
        size=size,
        reduction=options["reduction"],
    )


def _certificate_path(inputs: tuple[str, ...], options: dict[str, Any]) -> Path | None:
    """Where the certificate goes, seen to be free before anything is released."""
    from nomdeplume.formats.writing import vacant

    path: Path | None = options["certificate_path"]
    output: Path | None = options["output"]
    if path is None and output is not None:
        path = output.with_name(f"{output.name}.certificate.json")
    places = [place.resolve() for place in (output, path, *map(Path, inputs)) if place]
    if len(set(places)) < len(places):
        raise InputError("inputs, output and certificate must all be different files.")
    if path is not None:
        vacant(path, force=options["force"])
    return path


def _sink(kind: str, options: dict[str, Any]) -> Sink:
    from nomdeplume.formats.writing import open_sink
    from nomdeplume.privacy.certificate import NOT_PRIVATE

    return open_sink(
        options["output"],
        kind,
        id_field=options["id_field"],
        force=options["force"],
        warning="" if options["seed"] is None else NOT_PRIVATE,
    )


def _save(certificate: Certificate, path: Path, *, force: bool) -> None:
    from nomdeplume.formats.writing import AtomicFile

    file = AtomicFile(path, force=force)
    file.file.write(certificate.to_json().encode())
    file.finish()


def _report(certificate: Certificate, output: Path | None, saved: Path | None) -> None:
    """What was released and what is promised, on standard error, so that output can be piped."""
    from nomdeplume.privacy.certificate import fill

    count = certificate.documents
    lines = [
        f"{certificate.warning}." if certificate.warning else "",
        f"Released {count:,} document{'s' * (count > 1)} of {certificate.size} words"
        f"{f' to {output}' if output else ''} (ε = {certificate.epsilon:.6g} per word, "
        f"E = {certificate.budget:.6g} per document).",
        "Were the seed secret:" if certificate.seeded else "",
        certificate.promises[-1].plainly(),
        fill(certificate.several_documents) if count > 1 else "",
        f"Certificate: {saved}" if saved else "",
    ]
    click.echo("\n".join(line for line in lines if line), err=True)
