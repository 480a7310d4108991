"""Options about ids: documents are numbered, and ids of records are released if they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

if TYPE_CHECKING:
    from nomdeplume.formats.records import Fields
    from nomdeplume.privacy.identifying import IdCheck

allow_identifying_ids = click.option(
    "--allow-identifying-ids",
    is_flag=True,
    help="Release ids that are kept even where they hold an author, an address or a name.",
)


def keeps_ids(options: dict[str, Any]) -> bool:
    """Return True if ids of records are released as they are, in place of numbers."""
    return bool({"id", options["id_field"]} & set(options["keep"]))


def author_of(options: dict[str, Any]) -> str:
    """The field of the authors, by the options."""
    return options["author_field"] or options["unit_field"] or ""


def id_check(options: dict[str, Any]) -> IdCheck:
    """The check that refuses ids which tell who wrote a document."""
    from nomdeplume.privacy.identifying import IdCheck

    check = IdCheck.of(
        options["keep"],
        id_=options["id_field"],
        author=author_of(options),
        allowed=options["allow_identifying_ids"],
    )
    kept = " ".join(f"--keep {name}" for name in check.names)
    fix = f"leave out {kept} to release numbers instead, or add --allow-identifying-ids."
    return IdCheck(check.names, check.authors, fix)


def read_fields(options: dict[str, Any], keep: tuple[str, ...], check: IdCheck) -> Fields:
    """The fields that are read: those that come out, and those for the ledger and the check."""
    from nomdeplume.formats.records import Fields

    with_id = options["ledger"] is not None
    return Fields(options["text_field"], options["id_field"], keep, with_id, check.authors)
