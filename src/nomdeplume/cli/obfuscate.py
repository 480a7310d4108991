"""`nomdeplume obfuscate`: texts in, documents and a certificate out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import rich_click as click

from nomdeplume.cli.options import table_options
from nomdeplume.errors import InputError

if TYPE_CHECKING:
    from numpy.random import Generator

    from nomdeplume.formats.records import Inputs
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
    cat letter.txt | nomdeplume obfuscate --budget 300
    """
    from nomdeplume.formats.reading import open_inputs
    from nomdeplume.formats.records import Fields
    from nomdeplume.privacy.random import secure, seeded

    if options["output"] == Path("-"):
        options["output"] = None
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
        sink.publish()
    except BaseException:
        sink.discard()
        raise
    if not options["quiet"]:
        _report(certificate, tally, options["output"], certificate_path)
    return 4 if tally.withheld else 0


def _run(
    obfuscator: Obfuscator, source: Inputs, sink: Sink, rng: Generator, options: dict[str, Any]
) -> tuple[Tally, Certificate]:
    from nomdeplume.cli.progress import progress
    from nomdeplume.formats.release import release
    from nomdeplume.privacy.random import described

    free = options["output"] is not None or not sys.stdout.isatty()  # else the words show
    shown = free and sys.stderr.isatty() and not options["quiet"]
    with progress(source, shown=shown) as (tell, advance):
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
    certificate = obfuscator.certify(
        described(rng),
        tally.released,
        sink.close(),
        empty=options["empty"],
        kept_fields=options["keep"],
    )
    return tally, certificate


def _piped() -> tuple[str, ...]:
    """Standard input, if something is piped into it."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("name a text to release, or pipe one in; see nomdeplume obfuscate --help.")
    return ("-",)


def _obfuscator(options: dict[str, Any]) -> Obfuscator:
    from nomdeplume.cli.options import open_vocabulary
    from nomdeplume.obfuscator import Obfuscator

    vocabulary = open_vocabulary(options)
    _ = vocabulary.table.fingerprint  # a changed table is refused before anything is read
    parameters = {name: options[name] for name in ("epsilon", "budget", "size", "reduction")}
    return Obfuscator.laplace(vocabulary, **parameters)


def _certificate_path(inputs: tuple[str, ...], options: dict[str, Any]) -> Path | None:
    """Where the certificate goes; all places are seen to be free before anything is released."""
    from nomdeplume.formats.writing import vacant

    output, path, force = options["output"], options["certificate_path"], options["force"]
    if output is not None:
        vacant(output, force=force, folder=output.is_dir())
        path = path or output.with_name(f"{output.name}.certificate.json")
        _apart(output.resolve(), [Path(name).resolve() for name in inputs])
        if output.is_dir() and not path.exists():
            raise InputError(
                f"{output} is no earlier release (there is no {path.name}); remove it yourself."
            )
    if path is not None:
        vacant(path, force=force)
        if path.resolve() in [Path(name).resolve() for name in (*inputs, output or "-")]:
            raise InputError("inputs, output and certificate must all be different files.")
    return cast("Path | None", path)


def _apart(output: Path, inputs: list[Path]) -> None:
    """An output in an input's place would destroy it, one inside an input would be read again."""
    for each in inputs:
        if output in (each, *each.parents) or each in output.parents:
            raise InputError("the output must not be, hold or lie in an input; choose another.")


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
    try:
        file.file.write(certificate.to_json().encode())
        file.close()
        file.publish()
    except BaseException:
        file.discard()
        raise


def _report(
    certificate: Certificate, tally: Tally, output: Path | None, saved: Path | None
) -> None:
    """What was released and what is promised, on standard error, so that output can be piped."""
    from nomdeplume.privacy.promise import fill

    lines = [
        f"{certificate.warning}." if certificate.warning else "",
        fill(_released(certificate, tally, output)),
        "If the noise were secret, this would hold:" if certificate.warning else "",
        certificate.promises[-1].plainly() if certificate.documents else "",
        fill(certificate.several_documents) if certificate.documents > 1 else "",
        f"Certificate: {saved}" if saved else "",
    ]
    click.echo("\n".join(line for line in lines if line), err=True)


def _released(certificate: Certificate, tally: Tally, output: Path | None) -> str:
    """How much was released, how much of it is as it was, and what came along."""
    count = f"{tally.released:,}"
    if tally.withheld:
        count += f" of {tally.released + tally.withheld:,}"
    plural = "" if count == "1" else "s"
    parts = [
        f"Released {count} document{plural} of {certificate.size:,} words"
        f"{f' to {output}' if output else ''}, with ε = {certificate.epsilon:.6g} per word and "
        f"E = {certificate.budget:.6g} per document.",
        f"About {100 * certificate.unchanged:.0f} in 100 words stay as they were.",
    ]
    if certificate.kept_fields:
        parts.append(f"Released as they are: {', '.join(certificate.kept_fields)}.")
    if tally.withheld:
        parts.append(f"{tally.withheld:,} withheld.")
    return " ".join(parts)
