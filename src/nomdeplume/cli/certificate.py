"""`nomdeplume certificate`: read a certificate in plain words, and hold a release against it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from nomdeplume.cli.options import open_vocabulary, table_options
from nomdeplume.errors import InputError, PrivacyError

if TYPE_CHECKING:
    from nomdeplume.privacy.certificate import Certificate


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--release", type=click.Path(path_type=Path), help="The release it belongs to.")
@table_options
def certificate(file: Path, release: Path | None, **options: Any) -> None:
    """Read a certificate in plain words and check that it is true.

    The promises are computed again from the parameters; with --release, the hash,
    number, size, vocabulary and order of the documents are checked too. A table or
    stop list that is not the default must be given again. Exit code 3: it is not true.
    """
    from nomdeplume.privacy.certificate import Certificate
    from nomdeplume.privacy.verify import verify

    try:
        stated = Certificate.from_json(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise InputError("a certificate must be UTF-8 text; this file is not.") from None
    click.echo(_plain(stated))
    if options["stop_words"] == "default" and stated.stop_words.partition("-")[0] in (
        "iso",
        "none",
    ):
        options["stop_words"] = stated.stop_words.partition("-")[0]
    checks = verify(stated, open_vocabulary(options), release)
    for check in checks:
        click.echo(f"{'✓' if check.holds else '✗'} {check.name}: {check.found}")
    if wrong := [check.name for check in checks if not check.holds]:
        raise PrivacyError(f"not as the certificate says: {', '.join(wrong)}.")


def _plain(stated: Certificate) -> str:
    from nomdeplume.privacy.certificate import fill

    made = (
        f"{stated.documents:,} documents of {stated.size} words each, made by {stated.program}: "
        f"mechanism {stated.mechanism}, ε = {stated.epsilon:.12g} per word, "
        f"E = {stated.budget:.12g} per document, reduction {stated.reduction}. "
        f"Noise from {stated.generator}."
    )
    table = (
        f"Table {stated.table}: {stated.table_words:,} words of language {stated.table_language} "
        f"in {stated.table_dimensions} dimensions, {stated.kept_words:,} of them kept after the "
        f"stop words ({stated.stop_words}); {stated.empty_documents}."
    )
    parts = [f"{stated.warning}."] if stated.warning else []
    parts += [f"{fill(made)}\n{fill(table)}"]
    parts += ["Were the seed secret:"] if stated.seeded else []
    parts += [promise.plainly() for promise in stated.promises]
    parts += ["\n".join(map(fill, (stated.several_documents, *stated.limits))), ""]
    return "\n\n".join(parts)
