"""`nomdeplume certificate`: read a certificate in plain words, and hold a release against it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from nomdeplume.cli.mechanisms import open_weights, open_words
from nomdeplume.cli.options import TableOptions, bar_shown, table_options, typed
from nomdeplume.errors import InputError, PrivacyError, got

if TYPE_CHECKING:
    from nomdeplume.privacy.certificate import Certificate
    from nomdeplume.vocabulary import Vocabulary

NAMED = frozenset({"short", "iso", "none"})  # lists of stop words that ship
UNCHECKED = (
    "Nobody can tell from these files who made them,\n"
    "or that the noise was kept secret: a certificate is not signed."
)


@dataclass(frozen=True, kw_only=True)
class CertificateOptions:
    """Options of `nomdeplume certificate`: the release, and files that a certificate only names."""

    table: TableOptions
    release: Path | None
    output_words: Path | None
    weights: str | None
    library: str | None


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--release", type=click.Path(path_type=Path), help="The release it belongs to.")
@click.option(
    "--vocabulary",
    "output_words",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The words that could come out, if there was such a list.",
)
@click.option(
    "--weights", metavar="zipf|features|FILE", help="The weights of words, if there were any."
)
@click.option(
    "--library",
    metavar="NAME|FILE",
    help="The library of stand-ins, if it is not the one that ships.",
)
@table_options
@typed(CertificateOptions)
def certificate(file: Path, options: CertificateOptions) -> None:
    """Read a certificate in plain words and check that it is true.

    The promises are computed again from the parameters; with --release, the hash,
    number, size, vocabulary and order of the documents are checked too. A table that is
    not the bundled one, features, lists and weights of words, and a library that does not ship
    must be given again. Exit code 3: it is not true.
    """
    from nomdeplume.cli.progress import calibrating
    from nomdeplume.privacy.certificate import Certificate
    from nomdeplume.privacy.verify import verify

    try:
        stated = Certificate.from_json(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise InputError("a certificate must be UTF-8 text; this file is not.") from None
    table = options.table
    if table.stop_words == ("default",):
        lists = [each.partition("-")[0] for each in stated.stop_words.split("+")]
        if not set(lists) <= NAMED:  # no certificate names a file that is then read
            raise InputError(
                f"the certificate is for the stop words {_short(stated.stop_words)}; give all of "
                "them with --stop-words."
            )
        table = replace(table, stop_words=tuple(lists))
    if stated.features and table.features is None:
        raise InputError(
            f"the certificate is for features, {_short(stated.features)}; give their file with "
            "--features."
        )
    vocabulary = table.vocabulary()
    if vocabulary.table.name != stated.table:
        raise InputError(f"the certificate is for table {got(stated.table)}; give it with --table.")
    if stated.output_fingerprint != _unlisted(stated, vocabulary) and not options.output_words:
        raise InputError(
            f"the certificate is for {stated.output_words:,} words that could come out; give "
            "their list with --vocabulary."
        )
    if "weights" in stated.settings and not options.weights:
        raise InputError("the certificate is for weights of words; give them with --weights.")
    _check_library(stated, options.library or "", vocabulary)
    with calibrating(len(vocabulary), shown=bar_shown(quiet=False)) as tell:
        checks = verify(
            stated,
            vocabulary,
            options.release,
            outputs=open_words(options.output_words, vocabulary),
            weights=open_weights(options.weights, vocabulary),
            library=options.library or "",
            tell=tell,
        )
    wrong = [check.name for check in checks if not check.holds]
    if not wrong:
        click.echo(f"{_plain(stated)}\n")
    for check in checks:
        click.echo(f"{'✓' if check.holds else '✗'} {check.name}: {check.found}")
    if wrong:
        raise PrivacyError(f"not as the certificate says: {', '.join(wrong)}.")
    click.echo(f"\nAll {len(checks)} checks passed. {UNCHECKED}")


def _check_library(stated: Certificate, file: str, vocabulary: Vocabulary) -> None:
    """Refuse to check a release of another library than the one at hand."""
    from nomdeplume.library import Library

    name = stated.settings.get("library")
    if name is None:
        return
    found = Library.named(file, vocabulary.table.language)
    if found.name != name:
        raise InputError(
            f"the certificate is for library {got(name)}; give its file with --library."
        )


def _short(text: str) -> str:
    """A text of a certificate on one line and cut short: anybody can have written it."""
    return text if text.isprintable() and len(text) <= 200 else f"{text[:80]!r}…"


def _unlisted(stated: Certificate, vocabulary: Vocabulary) -> str:
    """Fingerprint of the words that come out if no list is given; of mean, its map has some."""
    from nomdeplume.mechanism.maps import MAPS, mapped

    name = str(stated.settings.get("map", "")).partition(",")[0]
    if stated.form != "words":
        return stated.output_fingerprint  # the mechanism has them
    if stated.at_once and vocabulary.fingerprint != stated.kept_fingerprint:
        return stated.output_fingerprint  # other words are kept: that is for the checks to say
    if not stated.at_once or name not in MAPS:
        return stated.kept_fingerprint
    try:
        outputs = mapped(name, vocabulary, None).outputs
    except InputError:  # no such map can be: that is for the checks to say
        outputs = None
    return stated.kept_fingerprint if outputs is None else vocabulary.fingerprint_of(outputs)


def _settings(stated: Certificate) -> str:
    """The settings of a mechanism that has any, as they are stated."""
    said = [
        f"{name} {value[:16] if isinstance(value, str) else f'{value:.9g}'}"
        for name, value in stated.settings.items()
    ]
    return f" ({', '.join(said)})" if said else ""


def _spent(stated: Certificate) -> str:
    """What each document spends, and how its words were taken."""
    own = stated.stated(12)
    if stated.at_once:
        return f"{own}, of any length"
    return f"{own}, E = {stated.budget:.12g} per document, reduction {stated.reduction}"


def _stay(stated: Certificate) -> str:
    said = []
    if stated.unchanged is not None:
        said.append(f"; about {100 * stated.unchanged:.0f} in 100 words stay as they were")
    if stated.agreement is not None:
        said.append(f"; of {100 * stated.agreement:.1f} in 100 noisy words the nearest was found")
    return "".join(said)


def _plain(stated: Certificate) -> str:
    from nomdeplume.privacy.promise import fill

    kept = ", ".join(stated.kept_fields) or "none"
    made = (
        f"{stated.documents:,} document{'s' * (stated.documents != 1)}{stated.length}, "
        f"made by {stated.program}: "
        f"mechanism {stated.mechanism}{_settings(stated)}, {_spent(stated)}. "
        f"Random numbers from {stated.generator}{_stay(stated)}. "
        f"{'Documents are numbered. ' * bool(stated.id_field)}Fields kept as they are: {kept}."
    )
    table = (
        f"Table {stated.table}: {stated.table_words:,} words of language {stated.table_language} "
        f"in {stated.table_dimensions} dimensions, {stated.kept_words:,} of them kept after the "
        f"stop words ({stated.stop_words}){' as topic words' * bool(stated.features)}; "
        f"{stated.empty_documents}."
    )
    if stated.features:
        table += f" Features: {stated.features}."
    parts = [fill(f"{stated.warning}.")] if stated.warning else []
    parts += [f"{fill(made)}\n{fill(table)}"]
    parts += [fill(stated.advice)] if stated.advice else []
    parts += [stated.proviso] if stated.proviso else []
    *others, widest = stated.promises
    parts += [fill(each.one_word.sentence) for each in stated.promises if each.one_word]
    parts += [promise.plainly() for promise in others]
    parts += [widest.plainly(stated.nearer)]
    parts += [fill(stated.shuffled.sentence)] if stated.shuffled else []
    parts += ["\n".join(map(fill, (stated.several_documents, *stated.limits)))]
    return "\n\n".join(parts)
