"""The ledger: open it, charge releases before they exist, ask what was spent."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from types import TracebackType

from nomdeplume.errors import BudgetSpent, InputError, PrivacyError, at
from nomdeplume.privacy.ledger import key, opening
from nomdeplume.privacy.ledger.book import Book, Row, Run, State
from nomdeplume.privacy.ledger.claims import AUTHOR, DOCUMENT, PERMANENT, Claim, Name
from nomdeplume.privacy.ledger.price import MICRO, Price, micro
from nomdeplume.privacy.ledger.store import Store
from nomdeplume.privacy.ledger.totals import Spent

BACK = 2_000_000  # by how many millionths of a second a clock may be set back unnoticed


class Ledger:
    """What documents and authors have spent, and how much they may.

    Many processes may use one ledger. Whatever is wrong, with the file, its key, the disk or
    the clock, is a `PrivacyError`, and what has no room a `BudgetSpent`.
    """

    def __init__(self, path: str | Path, *, limit: float | None = None) -> None:
        """Open a ledger; where there is none, begin one with this limit on each account.

        One that is there keeps its own limit, within which a run may set itself a lower one.
        """
        self.path, self._absolute = Path(path), Path(path).absolute()
        asked = None if limit is None else micro(limit, most=True)
        if not self.path.exists():
            opening.begin(self.path, asked)
        self._store = Store(self.path)
        try:
            self.claims = opening.claims(self._store)
            with self._reading() as book:
                stated = opening.verified(book)
            if asked is not None and asked > stated.most:
                raise PrivacyError(
                    f"the limit of this ledger is {stated.most / MICRO:.12g}, got {limit:.12g}; "
                    "'nomdeplume ledger limit' changes it."
                )
        except BaseException:
            self.close()
            raise
        self._asked = asked

    @classmethod
    def reading(cls, path: str | Path) -> Ledger:
        """A ledger to look at; nothing of it is changed, and none is begun."""
        found = cls.__new__(cls)
        found.path, found._absolute, found._asked = Path(path), Path(path).absolute(), None
        if not found.path.is_file():
            raise InputError(f"no ledger at {at(path)}.")
        found._store = Store(found.path, writable=False)
        try:
            found.claims = opening.known(found._store, key.read(key.place(found.path)))
        except BaseException:
            found.close()
            raise
        return found

    def charge(
        self, price: Price, claims: Sequence[Claim], *, run: str = "", together: bool = False
    ) -> list[bool]:
        """Charge each of some releases to all that it claims; whether there was room for each.

        It is on the disk when this returns. Where they stand or fall `together`, the first
        without room is a `BudgetSpent`, and nothing is charged. A permanent release is charged
        once: after that, it is granted and costs nothing.
        """
        cost, run = price.micro, run or secrets.token_hex(8)
        if not all(claims):
            raise InputError("every release must be charged to somebody, got an empty claim.")
        with self._writing() as (book, state, now):
            most = self._most(state)
            self._same_distance(state, price)
            prices = book.prices()
            number = book.number(price, prices)
            names = {name for claim in claims for name in claim}
            rows = {row[:2]: row for row in book.rows_of(names)}
            spent: dict[Name, int] = {}
            for row in rows.values():
                spent[row.name] = spent.get(row.name, 0) + row.releases * prices[row.price].micro
            granted: list[bool] = []
            changed: dict[Name, int] = {}
            charged = 0
            for claim in claims:
                if any(name[:1] == PERMANENT and name in spent for name in claim):
                    granted.append(True)
                    continue
                room = all(spent.get(name, 0) + cost <= most for name in claim)
                if together and not room:
                    raise _no_room(len(granted) + 1, most)
                granted.append(room)
                charged += room
                for name in set(claim) if room else ():
                    spent[name] = spent.get(name, 0) + cost
                    changed[name] = changed.get(name, 0) + 1
            if not charged:
                return granted
            new = {name: rows.get((name, number), Row(name, number, 0)) for name in changed}
            book.put(
                row._replace(releases=row.releases + changed[name]) for name, row in new.items()
            )
            before = book.run(run)
            this = before or Run(run, now, number, 0)
            book.put_run(this._replace(documents=this.documents + charged))
            book.save(
                state._replace(
                    distance=price.distance,
                    latest=now,
                    accounts=state.accounts + sum(not row.releases for row in new.values()),
                    releases=state.releases + sum(changed.values()),
                    runs=state.runs + (before is None),
                    documents=state.documents + charged,
                )
            )
        return granted

    def spent(self, name: Name) -> Spent:
        """What was spent in a name: that of `ledger.claims.by_id(7)`, say."""
        with self._reading() as book:
            prices = book.prices()
            return Spent.of((prices[row.price], row.releases) for row in book.rows_of([name]))

    def accounts(self, *, authors: bool) -> Iterator[tuple[Name, Spent]]:
        """All documents, or all authors, and what each has spent."""
        with closing(Store(self._absolute, writable=False)) as store, store.reading() as db:
            book = Book(db, self.claims, self.path)
            prices = book.prices()
            rows = book.rows(AUTHOR if authors else DOCUMENT)
            for name, group in groupby(rows, key=lambda row: row.name):
                yield name, Spent.of((prices[row.price], row.releases) for row in group)

    def overall(self) -> Spent:
        """What all documents together have spent."""
        return Spent.of((price, documents) for _, price, documents in self.runs())

    def charged(self, run: str) -> int:
        """How many documents a run was granted."""
        with self._reading() as book:
            found = book.run(run)
            return found.documents if found else 0

    def runs(self) -> list[tuple[int, Price, int]]:
        """When each run began, in millionths of a second, its price, and documents charged."""
        with self._reading() as book:
            prices = book.prices()
            return [(run.began, prices[run.price], run.documents) for run in book.runs()]

    def limits(self) -> list[tuple[int, float]]:
        """When the limit was changed, and from what."""
        with self._reading() as book:
            return [(at, most / MICRO) for at, most in book.limits()]

    @property
    def limit(self) -> float:
        with self._reading() as book:
            return book.state().most / MICRO

    @limit.setter
    def limit(self, limit: float) -> None:
        """Another limit from now on; that it was changed stays in the ledger.

        It takes the clock as it is: so a ledger goes on that was written under a wrong one.
        """
        most = micro(limit, most=True)
        with self._writing(any_time=True) as (book, state, now):
            book.put_limit(now, state.most)
            book.save(state._replace(most=most, latest=now, limits=state.limits + 1))

    @property
    def most(self) -> float:
        """What this run may spend on each: the limit, or the lower one it was opened with."""
        with self._reading() as book:
            return self._most(book.state()) / MICRO

    def _most(self, state: State) -> int:
        return state.most if self._asked is None else min(state.most, self._asked)

    @property
    def distance(self) -> str:
        """What its budgets count in; nothing before the first release."""
        with self._reading() as book:
            return book.state().distance

    def verify(self) -> None:
        """Read every row; whatever does not bear its seal, or is missing, is a `PrivacyError`."""
        with self._reading() as book:
            opening.verified(book)
            [found] = book.db.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                raise book.damaged

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[Book]:
        with self._store.reading() as db:
            yield Book(db, self.claims, self.path)

    @contextmanager
    def _writing(self, *, any_time: bool = False) -> Iterator[tuple[Book, State, int]]:
        """Alone with the ledger, its state, and the time, which must not run backwards."""
        with self._store.writing() as db:
            book = Book(db, self.claims, self.path)
            state = book.state()
            now = time.time_ns() // 1000
            if now < state.latest - BACK and not any_time:
                raise PrivacyError(
                    f"the clock is behind the last entry of the ledger {at(self.path)}. Set it "
                    "right; if the entry was made under a wrong one, 'nomdeplume ledger limit' "
                    "takes the time as it is now. Nothing is released."
                )
            yield book, state, now if any_time else max(now, state.latest)

    def _same_distance(self, state: State, price: Price) -> None:
        if state.distance not in ("", price.distance):
            raise PrivacyError(
                f"this ledger counts in {state.distance}. This release counts in {price.distance}. "
                "Budgets in different distances do not add up; use another ledger for it."
            )


def _no_room(number: int, most: int) -> BudgetSpent:
    error = BudgetSpent(
        f"document {number:,} has no room left under the limit of {most / MICRO:.12g} in the "
        "ledger; nothing was charged or released."
    )
    error.number = number
    return error
