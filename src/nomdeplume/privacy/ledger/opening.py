"""How a ledger begins, finds its key, and is seen to be whole."""

from __future__ import annotations

import time
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from nomdeplume.errors import InputError, PrivacyError, at
from nomdeplume.privacy.ledger import key
from nomdeplume.privacy.ledger.book import Book, State
from nomdeplume.privacy.ledger.claims import Claims
from nomdeplume.privacy.ledger.store import Store, create, refusing


def claims(store: Store) -> Claims:
    """Names under the ledger's key; made now if nothing was ever charged, and so nothing lost."""
    place = key.place(store.path)
    with store.writing() as db:
        found = key.read(place)
        if _first(db) != (None, 0, 0, None):
            return known(store, found)
        with refusing(place):
            made = Claims(found or key.make(place))
        distance, most, latest = db.execute("SELECT distance, most, latest FROM state").fetchone()
        Book(db, made, store.path).save(State(distance, most, made.check, latest, 0, 0))
        return made


def known(store: Store, found: bytes | None) -> Claims:
    """Names under the key, if it is the one that the ledger was written under."""
    place = key.place(store.path)
    if found is None:
        raise PrivacyError(
            f"the key of the ledger {at(store.path)} is missing: put {place.name} back beside it. "
            "Without it nobody can tell what was spent."
        )
    made = Claims(found)
    with refusing(store.path):
        first = _first(store.db)
    if first is None or first[0] != made.check:
        raise PrivacyError(
            f"{at(place)} is not the key that the ledger {at(store.path)} was written under; "
            "put the right one back."
        )
    return made


def begin(path: Path, most: int | None) -> None:
    if most is None:
        raise InputError(f"no ledger at {at(path)}; say --limit E to begin one.")
    if not path.parent.is_dir():
        raise InputError(f"no folder {at(path.parent)} to keep a ledger in; make it first.")
    if key.place(path).exists() and not path.exists():  # else another process has just begun it
        raise PrivacyError(
            f"{at(key.place(path))} is there and its ledger is not: with a lost ledger all that "
            "was spent is forgotten. Put it back; only if there was none, remove the key."
        )
    with refusing(path):
        create(path, most, time.time_ns() // 1000)


def _first(db: Connection) -> tuple[Any, ...] | None:
    """What is looked at before the key is known."""
    row = db.execute("SELECT check_key, accounts, releases, seal FROM state").fetchone()
    return None if row is None else tuple(row)


def verified(book: Book) -> State:
    """The state of a ledger of which every row bears its seal and none is missing."""
    state, prices = book.state(), book.prices()
    accounts = releases = 0
    for row in book.rows():
        accounts += 1
        releases += row.releases
        if row.price not in prices or row.releases < 1:
            raise book.damaged
    if (accounts, releases) != (state.accounts, state.releases):
        raise book.damaged
    runs = book.runs()
    charged = sum(run.documents for run in runs)
    if (len(runs), charged, len(book.limits())) != (state.runs, state.documents, state.limits):
        raise book.damaged
    return state
