"""Where `nomdeplume obfuscate` writes: seen to be free first, whole or not at all in the end."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from nomdeplume.errors import InputError, PlumeError, at

if TYPE_CHECKING:
    from nomdeplume.formats.writing import Sink
    from nomdeplume.privacy.certificate import Certificate


def places(
    inputs: tuple[str, ...],
    output: Path | None,
    certificate: Path | None,
    *,
    ledger: Path | None,
    withheld: Path | None,
    force: bool,
    resume: bool,
) -> tuple[Path | None, Path | None]:
    """Output and certificate, seen to be free and apart before anything is released."""
    from nomdeplume.formats.spool import spool_of
    from nomdeplume.formats.targets import separate, vacant
    from nomdeplume.privacy.ledger.key import place
    from nomdeplume.privacy.verify import is_release

    if certificate == Path("-"):
        raise InputError("the certificate goes to a file, not to standard output.")
    output = None if output == Path("-") else output
    if output is not None:
        vacant(output, force=force, folder=output.is_dir())
        certificate = certificate or usual_certificate(output)
        if output.is_dir() and not is_release(output, certificate):
            raise InputError(
                f"{at(output)} is not an earlier release, or was changed; remove it yourself."
            )
        force = force or (resume and spool_of(output).exists())  # it comes before the output
    if certificate is not None:
        vacant(certificate, force=force)
    taken = [each for each in (ledger, ledger and place(ledger), withheld) if each is not None]
    separate((output, certificate, *taken), inputs)
    return output, certificate


def usual_certificate(output: Path) -> Path:
    return output.with_name(f"{output.name}.certificate.json")


def ended(output: Path | None) -> int | None:
    """How a run ended that was killed after its output had appeared, before it could say so."""
    from nomdeplume.formats.spool import Found, spool_of
    from nomdeplume.privacy.verify import hash_of

    if output is None or not output.exists() or not spool_of(output).is_file():
        return None
    with spool_of(output).open("rb") as file:
        sha, _, code = Found.read(file).done.partition(" ")
    return int(code) if code.isdecimal() and sha == hash_of(output) else None


@contextmanager
def listed(path: Path | None, *, force: bool) -> Iterator[IO[str] | None]:
    """The file that lists what is withheld, if one is asked for; there once it is complete."""
    if path is None:
        yield None
        return
    from nomdeplume.formats.targets import AtomicFile

    target = AtomicFile(path, force=force)
    text = io.TextIOWrapper(target.file, encoding="utf-8", write_through=True)
    try:
        try:
            yield text
        finally:
            text.detach()
    except BaseException as error:
        if not isinstance(error, PlumeError):
            target.discard()
            raise
        target.close()
        target.publish()  # what stopped the run may be what is listed
        raise
    target.close()
    target.publish()


def publish(sink: Sink, certificate: Certificate, saved: Path | None, *, force: bool) -> None:
    """Let the release appear after its certificate, which must not stay without it."""
    from nomdeplume.formats.targets import write_whole

    if saved:
        write_whole(saved, certificate.to_json(), force=force)
    try:
        sink.publish()
    except BaseException:
        if saved:
            saved.unlink(missing_ok=True)
        raise
