"""What a run says when it is done: what was released, what came along, what is promised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from nomdeplume.errors import at

if TYPE_CHECKING:
    from nomdeplume.charging import Charging
    from nomdeplume.formats.release import Tally
    from nomdeplume.privacy.certificate import Certificate


def report(
    certificate: Certificate,
    tally: Tally,
    output: Path | str | None,
    saved: Path | str | None,
    charging: Charging | None = None,
) -> None:
    """What was released and what is promised, on standard error, so that output can be piped."""
    from nomdeplume.privacy.promise import fill

    lines = [
        fill(f"{certificate.warning}.") if certificate.warning else "",
        fill(f"Features: {certificate.features}.") if certificate.features else "",
        fill(_released(certificate, tally, output)),
        fill(certificate.advice) if certificate.documents else "",
        certificate.proviso,
        _promised(certificate) if certificate.documents else "",
        fill(certificate.several_documents) if certificate.documents > 1 else "",
        fill(_charged(charging, tally)) if charging else "",
        f"Certificate: {at(saved)}" if saved else "",
    ]
    click.echo("\n".join(line for line in lines if line), err=True)


def _charged(charging: Charging, tally: Tally) -> str:
    """What it cost, and what nobody may pass."""
    ledger = charging.ledger
    whom = "document and author" if charging.identity.author_field else "document"
    said = (
        f"Charged to {at(ledger.path)}: E = {charging.price.budget:.6g} a document, within "
        f"{charging.most:.6g} for each {whom}."
    )
    if tally.refused:
        said += f" {tally.refused:,} had no room left and were refused."
    return said


def _promised(certificate: Certificate) -> str:
    """Return the sentence on one changed word and the widest promise beside that of a pair."""
    from nomdeplume.privacy.promise import fill

    first, widest = certificate.promises[0], certificate.promises[-1]
    one_word = f"{fill(first.one_word.sentence)}\n" if first.one_word else ""
    return one_word + widest.plainly(certificate.nearer)


def _spent(certificate: Certificate) -> str:
    own = certificate.stated()
    return own if certificate.at_once else f"{own} and E = {certificate.budget:.6g} per document"


def _released(certificate: Certificate, tally: Tally, output: Path | str | None) -> str:
    """How much was released, how much of it is as it was, and what came along."""
    count, unit = f"{tally.released:,}", certificate.unit_field
    if tally.withheld and not unit:
        count += f" of {tally.released + tally.withheld:,}"
    plural = "" if count == "1" else "s"
    parts = [
        f"Released {count} document{plural}{certificate.length}"
        f"{f' to {at(output)}' if output else ''}, with {_spent(certificate)}"
        f"{f', one for each {unit}' if unit else ''}.",
    ]
    if certificate.unchanged is not None:
        stay = 100 * certificate.unchanged
        parts.append(f"About {stay:.0f} in 100 words stay as they were.")
    beside = tally.fields if certificate.output.kind not in ("text", "folder") else ()
    if beside := tuple(dict.fromkeys((*beside, *certificate.kept_fields))):
        parts.append(f"Released as they are: {', '.join(beside)}.")
    if tally.without_words:
        parts.append(
            f"{tally.without_words:,} text{'s' * (tally.without_words != 1)} had no "
            f"{'topic word' if certificate.features else 'word that the table knows'}; "
            "noise on a public word stands for that (--empty withhold leaves it out)."
        )
    if tally.resumed:
        parts.append(f"{tally.resumed:,} of them by the run that was interrupted.")
    if tally.withheld:
        what = f" text{'s' * (tally.withheld != 1)}" if unit else ""
        parts.append(f"{tally.withheld:,}{what} withheld.")
    return " ".join(parts)
