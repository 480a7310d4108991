"""The rows of a ledger: each under a seal, which is checked whenever it is read."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple

from nomdeplume import strict_json
from nomdeplume.errors import PrivacyError, at
from nomdeplume.privacy.ledger.claims import LENGTH, Claims, Name
from nomdeplume.privacy.ledger.price import Price, micro

AT_ONCE = 500  # names in one question


class State(NamedTuple):
    """What a ledger knows of itself."""

    distance: str  # that its budgets count in; of the first release
    most: int  # that a document or an author may spend, in millionths
    check_key: bytes | None
    latest: int  # when it was last written, in millionths of a second
    accounts: int  # rows of them
    releases: int  # of all these together
    runs: int = 0
    documents: int = 0  # charged in all of them
    limits: int = 0  # that it had before


class Row(NamedTuple):
    """How often a document, or an author, was released at a price."""

    name: Name
    price: int
    releases: int


class Run(NamedTuple):
    """One run of the program: documents charged together."""

    token: str
    began: int
    price: int
    documents: int


@dataclass(frozen=True)
class Book:
    """Reads and writes rows within one transaction."""

    db: Connection
    claims: Claims
    path: Path

    def state(self) -> State:
        row = self.db.execute(
            "SELECT distance, most, check_key, latest, accounts, releases, runs, documents, "
            "limits, seal FROM state"
        ).fetchone()
        return State(*self._opened("state", row))

    def save(self, state: State) -> None:
        self.db.execute(
            "UPDATE state SET distance = ?, most = ?, check_key = ?, latest = ?, accounts = ?, "
            "releases = ?, runs = ?, documents = ?, limits = ?, seal = ?",
            self._sealed("state", state),
        )

    def prices(self) -> dict[int, Price]:
        rows = self.db.execute("SELECT number, micro, data, seal FROM prices")
        return {number: self._price(each, data) for number, each, data in self._all("price", rows)}

    def number(self, price: Price, prices: dict[int, Price]) -> int:
        """Of a price; one that is not among the others is written down."""
        known = {each: number for number, each in prices.items()}
        if price in known:
            return known[price]
        data = json.dumps(asdict(price), allow_nan=False, sort_keys=True)
        row = (len(known) + 1, price.micro, data)
        self.db.execute("INSERT INTO prices VALUES (?, ?, ?, ?)", self._sealed("price", row))
        return len(known) + 1

    def rows(self, kind: bytes = b"") -> Iterator[Row]:
        """All accounts in order of name, or those of a kind, with which their names begin."""
        found = self.db.execute(
            "SELECT name, price, releases, seal FROM accounts WHERE name >= ? AND name < ? "
            "ORDER BY name, price",
            (kind, kind + bytes([0xFF]) * (1 + LENGTH)),
        )
        yield from map(Row._make, self._all("account", found))

    def rows_of(self, names: Collection[Name]) -> Iterator[Row]:
        """The accounts of these names."""
        left = iter(names)
        while some := list(islice(left, AT_ONCE)):
            marks = ", ".join("?" * len(some))
            found = self.db.execute(
                f"SELECT name, price, releases, seal FROM accounts WHERE name IN ({marks})",  # noqa: S608 - marks only
                some,
            )
            yield from map(Row._make, self._all("account", found))

    def put(self, rows: Iterable[Row]) -> None:
        self.db.executemany(
            "INSERT INTO accounts VALUES (?, ?, ?, ?) ON CONFLICT (name, price) DO UPDATE "
            "SET releases = excluded.releases, seal = excluded.seal",
            (self._sealed("account", row) for row in rows),
        )

    def runs(self) -> list[Run]:
        rows = self.db.execute("SELECT token, began, price, documents, seal FROM runs")
        return sorted(map(Run._make, self._all("run", rows)), key=lambda run: run.began)

    def run(self, token: str) -> Run | None:
        rows = self.db.execute(
            "SELECT token, began, price, documents, seal FROM runs WHERE token = ?", (token,)
        )
        return next(map(Run._make, self._all("run", rows)), None)

    def put_run(self, run: Run) -> None:
        self.db.execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?) ON CONFLICT (token) DO UPDATE "
            "SET documents = excluded.documents, seal = excluded.seal",
            self._sealed("run", run),
        )

    def limits(self) -> list[tuple[int, int]]:
        """When the limit was changed, and from what."""
        rows = self.db.execute("SELECT at, most, seal FROM limits ORDER BY number")
        return [(at, most) for at, most in self._all("limit", rows)]

    def put_limit(self, at: int, most: int) -> None:
        row = self._sealed("limit", (at, most))
        self.db.execute("INSERT INTO limits (at, most, seal) VALUES (?, ?, ?)", row)

    def _price(self, charged: int, data: str) -> Price:
        try:
            price = Price.read(strict_json.loads(data))
        except (TypeError, ValueError):
            raise self.damaged from None
        if charged != micro(price.budget):
            raise self.damaged
        return price

    def _all(self, what: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        return (self._opened(what, row) for row in rows)

    def _opened(self, what: str, row: tuple[Any, ...] | None) -> tuple[Any, ...]:
        if row is None or not self.claims.sealed(row[-1], what, *row[:-1]):
            raise self.damaged
        return row[:-1]

    def _sealed(self, what: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*row, self.claims.seal(what, *row))

    @property
    def damaged(self) -> PrivacyError:
        return PrivacyError(
            f"the ledger {at(self.path)} is damaged or was altered: what it holds is not what was "
            "written under its key. Nothing is released; put a sound copy back."
        )
