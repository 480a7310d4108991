"""`nomdeplume ledger`: what was spent, whether the ledger is sound, and what it allows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from nomdeplume.errors import InputError, PrivacyError, at
from nomdeplume.privacy.ledger.claims import shown

if TYPE_CHECKING:
    from nomdeplume.privacy.ledger import Ledger, Spent

PATH = click.Path(path_type=Path)
KINDS = ("documents", "authors")
TOP = 10  # accounts that are listed
WIDE = 26  # signs of a name
NO_AUTHORS = "this ledger charged no authors; release with --author-field or --unit-field."
ledger_argument = click.argument("path", metavar="LEDGER", type=PATH)
delta_option = click.option(
    "--delta",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=1e-6,
    show_default=True,
    help="Up to which a second loss is stated.",
)


@click.group()
def ledger() -> None:
    """What documents and authors have spent, and how much they may."""


@ledger.command()
@ledger_argument
@click.option("--id", "id_", metavar="ID", help="Of the document with this id.")
@click.option("--author", metavar="NAME", help="Of this author.")
@click.option("--by", type=click.Choice(KINDS), help="List those that have spent most.")
@click.option("--top", type=click.IntRange(1), default=TOP, show_default=True, help="How many.")
@delta_option
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def show(
    path: Path,
    *,
    id_: str | None,
    author: str | None,
    by: str | None,
    top: int,
    delta: float,
    as_json: bool,
) -> None:
    """What was spent: overall, by document and by author, purely and up to a δ.

    Documents and authors are known by keyed hashes: whoever has the key can ask for
    one by its id or name, and nobody can read these here.

    \b
    nomdeplume ledger show reviews.ledger
    nomdeplume ledger show reviews.ledger --author "Ada Byron"
    nomdeplume ledger show reviews.ledger --by authors --json
    """
    with _opened(path) as opened:
        facts = _facts(opened, id_=id_, author=author, by=by, top=top, delta=delta)
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2) if as_json else _told(facts))


@ledger.command()
@ledger_argument
def check(path: Path) -> int:
    """Read every entry and see that none is missing or altered. Exit code 3: one is."""
    with _opened(path) as opened:
        opened.verify()
        documents, authors = (
            sum(1 for _ in opened.accounts(authors=each)) for each in (False, True)
        )
        limit = opened.limit
    if path.stat().st_mode & 0o077:
        raise PrivacyError(f"{at(path)} can be read by others; chmod 600 it.")
    click.echo(
        f"{path}: sound. {documents:,} documents and {authors:,} authors, limit E = {limit:.12g}."
    )
    return 0


@ledger.command()
@ledger_argument
@click.option("-o", "--output", type=PATH, help="File to write. [default: standard output]")
@click.option(
    "--to", type=click.Choice(["csv", "json"]), help="[default: as the output is called, or CSV]"
)
@delta_option
@click.option("--force", is_flag=True, help="Replace output that exists.")
def export(path: Path, output: Path | None, to: str | None, delta: float, *, force: bool) -> None:
    """Every account as a row: kind, keyed hash, releases, spent, left, and what that loses."""
    from nomdeplume.formats.targets import separate, write_whole
    from nomdeplume.privacy.ledger.key import place

    separate([output], [str(path), str(place(path))])
    kind = to or (output.suffix[1:].lower() if output else "csv")
    if kind not in ("csv", "json"):
        raise InputError("an export is called .csv or .json; or say --to.")
    with _opened(path) as opened:
        text = _exported(_rows(opened, delta), as_json=kind == "json")
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text, force=force, private=True)


@ledger.command("limit")
@ledger_argument
@click.argument("most", metavar="E", type=float)
def limit_(path: Path, most: float) -> None:
    """Change what a document or an author may spend; that it was changed stays in the ledger."""
    from nomdeplume.privacy.ledger import Ledger

    if not path.is_file():
        raise InputError(f"no ledger at {at(path)}.")
    with Ledger(path) as opened:
        before = opened.limit
        opened.limit = most
        click.echo(f"{path}: limit E = {opened.limit:.12g}, it was {before:.12g}.")


def _opened(path: Path) -> Ledger:
    from nomdeplume.privacy.ledger import Ledger

    return Ledger.reading(path)


def _facts(
    opened: Ledger,
    *,
    id_: str | None = None,
    author: str | None = None,
    by: str | None = None,
    top: int = TOP,
    delta: float | None = None,
) -> dict[str, Any]:
    """What a ledger holds, as JSON has it."""
    facts: dict[str, Any] = {"ledger": str(opened.path), "limit": opened.limit}
    charged = any(True for _ in opened.accounts(authors=True))
    facts |= {"distance": opened.distance, "delta": delta, "authors_charged": charged}
    asked = [(opened.claims.by_id, id_, "document"), (opened.claims.by_author, author, "author")]
    for name_of, value, kind in asked:
        if value is not None:
            name = name_of(value) if value.strip() else None
            if name is None:
                raise InputError(f"the name of the {kind} must not be empty.")
            if kind == "author" and not charged:
                raise InputError(NO_AUTHORS)
            facts[kind] = _entry(opened.spent(name), facts["limit"], delta)
    if id_ is not None or author is not None:
        return facts
    for kind in KINDS:
        facts[kind] = _summary(opened, facts["limit"], authors=kind == "authors", delta=delta)
    facts["overall"] = _entry(opened.overall(), None, delta)
    facts["runs"] = [
        {"began": _date(at), "mechanism": price.mechanism, "budget": price.budget, "documents": n}
        for at, price, n in opened.runs()
    ]
    facts["limits_before"] = [{"until": _date(at), "limit": most} for at, most in opened.limits()]
    if by:
        accounts = opened.accounts(authors=by == "authors")
        most = sorted(accounts, key=lambda each: -each[1].micro)[:top]
        facts["top"] = [
            {"name": shown(name), **_entry(spent, facts["limit"], delta)} for name, spent in most
        ]
    return facts


def _summary(opened: Ledger, limit: float, *, authors: bool, delta: float | None) -> dict[str, Any]:
    """How many accounts there are, how many can spend no more, and the one that spent most."""
    count = full = 0
    largest = None
    for _, spent in opened.accounts(authors=authors):
        count += 1
        full += spent.budget >= limit
        largest = spent if largest is None or spent.micro > largest.micro else largest
    most = None if largest is None else _entry(largest, limit, delta)
    return {"accounts": count, "at_the_limit": full, "most": most}


def _entry(spent: Spent, limit: float | None, delta: float | None) -> dict[str, Any]:
    left = {} if limit is None else {"left": max(0.0, limit - spent.budget)}
    return {
        "releases": spent.releases,
        "spent": spent.budget,
        **left,
        "loss": spent.pure,
        "loss_at_delta": None if delta is None else spent.loss(delta),
    }


def _told(facts: dict[str, Any]) -> str:
    """The same in words."""
    from nomdeplume.privacy.promise import fill

    whoever = "a document or an author" if facts["authors_charged"] else "a document"
    lines = [
        f"{facts['ledger']}: {whoever} may spend E = {facts['limit']:.12g}.",
        fill(f"Budgets count in {facts['distance'] or 'nothing yet'}."),
        "",
        f"{'':<{WIDE}}{'releases':>9}{'E spent':>12}{'E left':>9}"
        f"{'any two texts':>15}{'up to δ':>12}",
    ]
    named = {f"this {name}": facts[name] for name in ("document", "author") if name in facts}
    for kind in KINDS:
        if kind in facts and facts[kind]["most"]:
            count = facts[kind]["accounts"]
            named[f"{kind}, most of {count:,}"] = facts[kind]["most"]
    if "overall" in facts:
        named["all documents"] = facts["overall"]
    named |= {entry["name"][:24]: entry for entry in facts.get("top", [])}
    return "\n".join([*lines, *map(_line, *zip(*named.items(), strict=True)), "", *_remarks(facts)])


def _line(name: str, entry: dict[str, Any]) -> str:
    left = f"{entry['left']:,.6g}" if "left" in entry else ""
    return (
        f"{name:<{WIDE}}{entry['releases']:>9,}{entry['spent']:>12,.6g}{left:>9}"
        f"{_power(entry['loss']):>15}{_power(entry['loss_at_delta']):>12}"
    )


def _power(loss: float | None) -> str:
    from nomdeplume.privacy.loss import up

    return "no bound" if loss is None else f"e^{up(loss, 4)}"


def _remarks(facts: dict[str, Any]) -> Iterator[str]:
    yield "The last two columns are how far odds can shift between any two texts at all: purely,"
    yield f"and up to δ = {facts['delta']:g}. Between two versions of one text it is less."
    for kind in KINDS:
        if kind in facts and facts[kind]["at_the_limit"]:
            yield f"{facts[kind]['at_the_limit']:,} {kind} can spend no more."
    if not facts["authors_charged"]:
        yield NO_AUTHORS[0].upper() + NO_AUTHORS[1:]
    for change in facts.get("limits_before", []):
        yield f"Until {change['until']} the limit was {change['limit']:.12g}."
    for run in facts.get("runs", [])[-TOP:]:
        yield (
            f"{run['began']}  {run['mechanism']}, E = {run['budget']:.6g}: "
            f"{run['documents']:,} document{'s' * (run['documents'] != 1)}"
        )


def _rows(opened: Ledger, delta: float) -> Iterator[dict[str, Any]]:
    limit = opened.limit
    for kind in KINDS:
        for name, spent in opened.accounts(authors=kind == "authors"):
            yield {"kind": kind[:-1], "name": shown(name), **_entry(spent, limit, delta)}


def _exported(rows: Iterable[dict[str, Any]], *, as_json: bool) -> str:
    if as_json:
        return "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n"
    names = ["kind", "name", "releases", "spent", "left", "loss", "loss_at_delta"]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _date(micro: int) -> str:
    return datetime.fromtimestamp(micro / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
