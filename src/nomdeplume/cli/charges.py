"""Options and remarks about ledgers and interrupted runs, for `nomdeplume obfuscate`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from nomdeplume.cli.places import usual_certificate
from nomdeplume.errors import InputError, PlumeError

if TYPE_CHECKING:
    from numpy.random import Generator

    from nomdeplume.charging import Charging
    from nomdeplume.cli.obfuscate_options import ObfuscateOptions
    from nomdeplume.formats.spool import Spool
    from nomdeplume.obfuscator import Obfuscator

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class LedgerOptions:
    """Options of the ledger, and of resuming an interrupted run."""

    ledger: Path | None
    limit: float | None
    author_field: str | None
    permanent: bool
    resume: bool


def ledger_options(command: Command) -> Command:
    """--ledger, --limit, --author-field, --permanent and --resume."""
    for option in (
        click.option(
            "--resume",
            is_flag=True,
            help="Go on with a run that was interrupted: no document is released twice. A shard "
            "whose input or output was changed since is refused, unless a ledger charges it again.",
        ),
        click.option(
            "--permanent",
            is_flag=True,
            help="Of stand-ins: draw once for each document and text, under the key of the ledger. "
            "The same text released again has the same stand-in, and is not charged again.",
        ),
        click.option(
            "--author-field",
            metavar="FIELD",
            help="Charge documents to their author too, who is not released; and the author of "
            "--max-per-author. [default: the unit field]",
        ),
        click.option(
            "--limit",
            type=float,
            metavar="E",
            help="Most that a document or an author may spend; begins a ledger.",
        ),
        click.option(
            "--ledger",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Charge every document to this file before it is released, and refuse those "
            "without room. Exit code 3: some were refused.",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def open_charging(
    options: ObfuscateOptions,
    obfuscator: Obfuscator,
    kind: str,
    rng: Generator,
) -> Iterator[Charging | None]:
    """What charges documents of a kind of input, if a ledger is named."""
    asked = options.charging
    if asked.ledger is None:
        yield None
        return
    from nomdeplume.charging import Charging, Permanent, refuse_seeded
    from nomdeplume.privacy.ledger import Ledger
    from nomdeplume.privacy.ledger.claims import Identity

    refuse_seeded(rng)
    id_ = "" if kind in ("text", "folder") else options.reading.id_field  # those are numbered
    # without an id, equal texts would share a draw; a unit is known by its author
    needs_id = asked.permanent and options.author != options.unit_field
    permanent = None
    if asked.permanent:
        permanent = Permanent.of(obfuscator.documents, obfuscator.vocabulary)
        if needs_id and not id_:
            raise InputError("--permanent knows documents by ids, and text files have none.")
    with Ledger(asked.ledger, limit=asked.limit) as ledger:
        identity = Identity(id_, options.charged_author(), needs_id)
        yield Charging(ledger, obfuscator.price, identity, ledger.most, permanent)


@contextmanager
def open_spool(
    options: ObfuscateOptions,
    inputs: tuple[str, ...],
    places: tuple[Path | None, Path | None],
    obfuscator: Obfuscator,
    charging: Charging | None,
) -> Iterator[Spool | None]:
    """What keeps released documents until all are; none where a run could not be resumed.

    It stays behind if a run fails, unless its input or options are wrong.
    """
    from nomdeplume.formats.spool import Spool, digest_of
    from nomdeplume.formats.targets import sweep_partials

    output, saved = places
    settings = shaping(options, obfuscator, charging)
    resume = options.charging.resume
    digest = digest_of(inputs, settings) if options.seed is None and output else ""
    if output is None or not digest:
        if resume:
            raise InputError(
                "--resume needs inputs that are files, an output that is one, and no seed."
            )
        yield None
        return
    spool = Spool(output, digest, charging.run if charging else "", resume=resume)
    try:
        sweep_partials(output)
        if saved == usual_certificate(output):  # others may be shared with other runs
            sweep_partials(saved)
        yield spool
    except PlumeError as error:
        kept = spool.documents and not isinstance(error, InputError)
        spool.close() if kept or has_charged(charging) else spool.remove()
        raise
    except BaseException:
        spool.close() if charging or spool.documents else spool.remove()
        raise
    spool.remove()


def shaping(
    options: ObfuscateOptions, obfuscator: Obfuscator, charging: Charging | None
) -> dict[str, Any]:
    """All that shapes a release, but for its input: a run that resumes must have the same."""
    made, kept = obfuscator.documents, obfuscator.vocabulary
    return {
        "text_field": options.reading.text_field,
        "id_field": options.reading.id_field,
        "keep": options.keep,
        "allow_identifying_ids": options.allow_identifying_ids,
        "unit_field": options.unit_field,
        "shuffle": options.shuffle,
        "author_field": options.charging.author_field,
        "max_per_author": options.max_per_author,
        "vectors": options.vectors,
        "empty": options.empty,
        "kind": options.reading.kind,
        "delimiter": options.reading.delimiter,
        "mechanism": [made.name, made.value, made.settings],
        "table": kept.table.fingerprint,
        "sizes": [made.form.size, made.reduction],
        "words": [kept.fingerprint, made.form.fingerprint],
        "permanent": options.charging.permanent,
        "ledger": charging.ledger.claims.check.hex() if charging else "",
    }


def say_before(spool: Spool | None, charging: Charging | None, *, resume: bool) -> None:
    """What an interrupted run has left, and what it costs."""
    if spool is None:
        return
    if spool.started_over:
        _say("an interrupted run had left documents behind; this one starts over.")
    if resume and not spool.resumed:
        _say("nothing to resume; starting from the beginning.")
    if charging and spool.resumed and not charging.permanent:
        say_vain(charging, spool.found.runs, len(spool.found.numbers))


def say_vain(charging: Charging, runs: list[str], written: int) -> None:
    """How many documents interrupted runs were charged for, and have not written."""
    vain = sum(map(charging.ledger.charged, runs)) - written
    if vain > 0:
        _say(
            f"{vain:,} document{'s were' if vain != 1 else ' was'} charged and not written "
            "before the run was interrupted; charged again."
        )


def has_charged(charging: Charging | None) -> bool:
    """Whether this run has spent something, which a run that resumes it must know of."""
    with suppress(PlumeError):
        return charging is not None and charging.ledger.charged(charging.run) > 0
    return True


def _say(remark: str) -> None:
    click.echo(f"nomdeplume: {remark}", err=True)
