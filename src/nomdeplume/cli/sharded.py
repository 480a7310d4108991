"""`nomdeplume obfuscate --engine`: folders of shards in and out, and one certificate for all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from nomdeplume._version import __version__
from nomdeplume.cli.charges import has_charged, open_charging, say_vain, shaping
from nomdeplume.cli.options import sign
from nomdeplume.cli.places import listed, usual_certificate
from nomdeplume.errors import InputError, PlumeError, PrivacyError, at

if TYPE_CHECKING:
    from numpy.random import Generator

    from nomdeplume.charging import Charging
    from nomdeplume.cli.obfuscate_options import ObfuscateOptions
    from nomdeplume.engine import Engine
    from nomdeplume.engine.folders import Folder
    from nomdeplume.engine.run import Run
    from nomdeplume.engine.state import State
    from nomdeplume.obfuscator import Obfuscator
    from nomdeplume.privacy.certificate import Certificate


class Interrupted(PlumeError):
    """Cut off by its user; what was finished is kept."""

    exit_code = 130


def sharded(engine: Engine, inputs: tuple[str, ...], options: ObfuscateOptions) -> int:
    """Release all shards, or those that an interrupted run has left."""
    from nomdeplume.cli.report import report

    source, target = _folders(inputs, options)
    rng, obfuscator, resume = options.generator(), options.obfuscator(), options.charging.resume
    with open_charging(options, obfuscator, "parquet", rng) as charging:
        with _state(target, options, obfuscator, charging) as state:
            if not state.resumed:
                if resume and _is_complete(target):
                    state.remove()
                    code = _ended(source, target)
                    click.echo("nomdeplume: the output is complete already.", err=True)
                    return code
                if resume and not options.force:
                    _refuse_a_second_release(target, options.certificate_path)
                _vacate(target, state.earlier, force=options.force)
                if resume:
                    click.echo(
                        "nomdeplume: nothing to resume; starting from the beginning.", err=True
                    )
            if charging and state.runs[:-1]:
                written = sum(entry.charged for entry in state.entries.values())
                say_vain(charging, state.runs[:-1], written)
            with listed(options.withheld, force=options.force or resume) as names:
                run = _run(
                    engine,
                    (source, target),
                    obfuscator,
                    rng,
                    options,
                    charging=charging,
                    state=state,
                )
                with _shown(run, names, shown=options.shown):
                    tally = run.all()
            certificate = _certified(obfuscator, run, rng, options)
            saved = _save(run, certificate, target, options)
        if not options.quiet:
            report(certificate, tally, target.address, saved, charging)
    return 3 if tally.refused else 4 if tally.withheld else 0


def _folders(inputs: tuple[str, ...], options: ObfuscateOptions) -> tuple[Folder, Folder]:
    """Where shards come from and go to, seen to be apart."""
    from nomdeplume.engine.folders import Local, folder
    from nomdeplume.formats.targets import separate, vacant

    for given, said in (
        (options.unit_field, "--unit-field gathers texts of all shards"),
        (options.max_per_author, "--max-per-author draws among texts of all shards"),
        (options.charging.permanent, "--permanent draws in one process"),
        (options.shuffle, "--shuffle needs the documents of all shards together"),
        (options.strict, "--strict stops at one document"),
        (options.reading.kind, "--from is for files whose names do not tell their kind"),
    ):
        if given:
            raise InputError(f"{said}; do without --engine.")
    if len(inputs) != 1 or inputs == ("-",):
        raise InputError("an engine takes one folder, or the address of one.")
    if options.output is None:
        raise InputError("an engine writes a folder; name it with -o.")
    source, target = folder(inputs[0]), folder(str(options.output))
    apart = [f"{each.address.rstrip('/')}/" for each in (source, target)]
    if apart[0].startswith(apart[1]) or apart[1].startswith(apart[0]):
        raise InputError("inputs and output must not be or hold one another.")
    certificate, again = options.certificate_path, options.force or options.charging.resume
    if isinstance(target, Local):
        named = (options.charging.ledger, options.withheld)
        beside = [each for each in named if each is not None]
        texts = inputs if isinstance(source, Local) else ()
        separate((target.path, certificate, *beside), texts)
        certificate = certificate or usual_certificate(Path(target.address))
    if certificate is not None:
        vacant(certificate, force=again)
    return source, target


def _is_complete(target: Folder) -> bool:
    from nomdeplume.engine.manifest import SUCCESS

    return target.file(SUCCESS) is not None


def _refuse_a_second_release(target: Folder, certificate: Path | None) -> None:
    """Refuse to go on with a release that was finished, and whose output is gone.

    It would draw new noise for the same texts, and replace the certificate of the first release.
    """
    from nomdeplume.engine.manifest import MANIFEST

    beside, private = target.parent(), target.parent(private=True)
    names = (f"{target.name}.certificate.json", f"{target.name}.shards.json")
    finished = (
        target.file(MANIFEST) is not None
        or (certificate is not None and certificate.exists())
        or beside.file(names[0]) is not None
        or private.file(names[1]) is not None
    )
    if finished:
        raise PrivacyError(
            f"{at(target.address)} was released before, and the output is not there. Put it back, "
            "or release all documents again with --force in place of --resume."
        )


def _ended(source: Folder, target: Folder) -> int:
    """How the run ended that has made a complete output, if it was of this input."""
    from nomdeplume.engine.manifest import changed, sources

    if name := changed(target):
        raise PrivacyError(
            f"{at(target.address)} is a complete release, but {name} is not as it was released; "
            "put it back, or release all documents again with --force in place of --resume."
        )

    beside, name = target.parent(private=True), f"{target.name}.shards.json"
    if beside.file(name) is None:
        return 0
    shards = sources(beside.read_text(name))
    if {(file.name, file.size) for file in source.files()} != set(shards):
        raise InputError(
            f"{at(target.address)} is a complete release of another input; choose another name, "
            "or say --force to replace it."
        )
    refused, withheld = (sum(each[i] for each in shards.values()) for i in range(2))
    return 3 if refused else 4 if withheld else 0


def _vacate(target: Folder, interrupted: list[str], *, force: bool) -> None:
    """See that nothing is where shards will be; by force, take an earlier release away."""
    from nomdeplume.engine.manifest import MANIFEST, SUCCESS, names

    earlier = list(interrupted) if force else []
    if force and target.file(MANIFEST) is not None:
        earlier += names(target.read_text(MANIFEST))
    if set(target.names()) - set(earlier):
        raise InputError(
            f"{at(target.address)} is not empty; choose another name, or say --resume to go on "
            "with an interrupted run, or --force to replace a release."
        )
    for name in (SUCCESS, *earlier, MANIFEST):  # what is half there must not look whole
        target.remove(name)


@contextmanager
def _state(
    target: Folder,
    options: ObfuscateOptions,
    obfuscator: Obfuscator,
    charging: Charging | None,
) -> Iterator[State]:
    """What is known of shards that were released; it stays if a run fails that released some."""
    from nomdeplume.engine.folders import Local
    from nomdeplume.engine.state import State

    settings = [__version__, options.seed, shaping(options, obfuscator, charging)]
    digest = sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()
    run = charging.run if charging else ""
    target.make()
    resume, force = options.charging.resume, options.force
    state = State.open(target, digest, run, resume=resume, force=force)
    try:
        yield state
    except BaseException as error:
        if any(entry.released for entry in state.entries.values()):
            state.close()
            click.echo("nomdeplume: shards that are done stay; go on with --resume.", err=True)
            if isinstance(error, KeyboardInterrupt):
                raise Interrupted("interrupted.") from None
        elif has_charged(charging):
            state.close()
        else:
            state.remove()
            if isinstance(target, Local) and not any(target.path.iterdir()):
                target.path.rmdir()
        raise


def _run(
    engine: Engine,
    folders: tuple[Folder, Folder],
    obfuscator: Obfuscator,
    rng: Generator,
    options: ObfuscateOptions,
    *,
    charging: Charging | None,
    state: State,
) -> Run:
    from nomdeplume.engine.run import Run
    from nomdeplume.engine.shards import Work

    reading, keep, ids = options.reading, options.keep, options.id_check()
    fields = options.read_fields(tuple(filter(None, (*keep, options.charged_author()))), ids)
    function = obfuscator.batches(
        rng,
        text=reading.text_field,
        empty=options.empty,
        vectors=options.vectors,
        id=reading.id_field,
        author=options.author,
        allow_identifying_ids=options.allow_identifying_ids,
    )
    obfuscator.releasing.prepare()
    numbered = not options.keeps_ids
    identity = charging.identity if charging else None
    work = Work(function, *folders, fields, keep, numbered, sign(reading.delimiter), identity)
    return Run(work, state, engine, charging, ids)


@contextmanager
def _shown(run: Run, names: Any, *, shown: bool) -> Iterator[None]:
    """A bar that counts shards on a terminal, and remarks on what is withheld."""
    from nomdeplume.cli.progress import counted, remarks

    with counted(len(run.shards), "shards", shown=shown) as advance, remarks(names) as tell:
        run.advance, run.tell = advance, tell
        yield


def _certified(
    obfuscator: Obfuscator, run: Run, rng: Generator, options: ObfuscateOptions
) -> Certificate:
    from nomdeplume.privacy.random import described

    return obfuscator.certify(
        described(rng),
        run.tally.released,
        run.output,
        empty=options.empty,
        id_field="" if options.keeps_ids else "id",
        kept_fields=options.kept_fields,
        vectors=options.vectors,
    )


def _save(run: Run, certificate: Certificate, target: Folder, options: ObfuscateOptions) -> str:
    """Write the certificate where it is asked for, or beside the output; then conclude."""
    from nomdeplume.formats.targets import write_whole

    path, usual = options.certificate_path, f"{target.name}.certificate.json"

    def certify() -> None:
        if path is not None:
            write_whole(path, certificate.to_json(), force=options.force or options.charging.resume)
        else:
            target.parent().forget(usual)
            target.parent().write_text(usual, certificate.to_json())

    run.conclude(certify)
    place, slash, _ = target.address.rstrip("/").rpartition("/")
    return str(path or f"{place}{slash}{usual}")
