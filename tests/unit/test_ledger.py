"""The ledger: what it charges, what it refuses, and that nothing wrong with it goes unnoticed."""

import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from nomdeplume import BudgetSpent, InputError, Ledger, Obfuscator, PrivacyError, Table, seeded
from nomdeplume.bag import Bag
from nomdeplume.privacy.ledger import Price, Spent
from nomdeplume.privacy.ledger.price import micro

PRICE = Price(20.0, "distances of a table", "W₁", "mean", "kept", 200.0, 1, 10)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.ledger"


@pytest.fixture
def words():
    found = ["rain", "harbour", "bread", "good", "snow", "sun", "lake", "river", "pear", "apple"]
    return Table(found, np.random.default_rng(2).normal(size=(10, 3)), name="weather")


@pytest.fixture
def ledger(path):
    with Ledger(path, limit=50) as opened:
        yield opened


def document(ledger, number):
    return (ledger.claims.by_id(number),)


def test_a_document_is_released_until_its_limit(ledger):
    found = [ledger.charge(PRICE, [document(ledger, 7)]) for _ in range(4)]

    assert found == [[True], [True], [False], [False]]
    assert ledger.spent(document(ledger, 7)[0]).budget == 40
    assert ledger.spent(document(ledger, 8)[0]) == Spent()


def test_an_authors_documents_add_up(ledger):
    ada = ledger.claims.by_author("Ada")
    claims = [(ledger.claims.by_id(number), ada) for number in range(4)]

    assert ledger.charge(PRICE, claims) == [True, True, False, False]
    assert ledger.spent(ada).budget == 40
    assert [ledger.spent(each[0]).releases for each in claims] == [1, 1, 0, 0]  # no half charge


def test_a_limit_is_reached_exactly_and_never_passed(path):
    price = Price(0.1, "d", "W₁", "mean", "kept", 1.0)
    with Ledger(path, limit=0.3) as ledger:
        assert 0.1 + 0.1 + 0.1 > 0.3  # as floats have it
        assert ledger.charge(price, [document(ledger, 1)] * 4) == [True, True, True, False]


@pytest.mark.parametrize(
    ("budget", "up", "down"),
    [(20, 20_000_000, 20_000_000), (1e-300, 1, 0), (1 / 3, 333_334, 333_333), (7e-7, 1, 0)],
)
def test_budgets_are_rounded_up_and_limits_down(budget, up, down):
    assert (micro(budget), micro(budget, most=True)) == (up, down)


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf"), 1e13, 1e300])
def test_a_budget_that_no_ledger_holds_is_refused(budget):
    with pytest.raises(InputError):
        micro(budget)


def test_what_stands_together_falls_together(ledger):
    ledger.charge(PRICE, [document(ledger, 1)] * 2)
    with pytest.raises(BudgetSpent, match="document 2"):
        ledger.charge(PRICE, [document(ledger, 5), document(ledger, 1)], together=True)

    assert ledger.spent(document(ledger, 5)[0]).releases == 0


def test_names_tell_nothing_without_the_key(ledger, path, tmp_path):
    ledger.charge(PRICE, [(ledger.claims.by_id("secret-id"), ledger.claims.by_author("Vorplique"))])
    ledger.close()
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())

    assert b"secret-id" not in left
    assert b"orplique" not in left
    with Ledger(tmp_path / "b.ledger", limit=1) as other:
        assert other.claims.by_id("secret-id") != ledger.claims.by_id("secret-id")


def test_names_of_kinds_differ(ledger):
    claims, bag = ledger.claims, Bag.from_ids(np.array([7]))
    assert len({claims.by_id("7"), claims.by_author("7"), claims.by_content(bag)}) == 3
    assert claims.by_id(7) == claims.by_id("7") == claims.by_id(" 7 ")
    assert claims.by_content(bag) == claims.by_content(Bag.from_ids(np.array([7])))
    assert claims.by_content(bag) != claims.by_content(Bag.from_ids(np.array([7, 7])))


@pytest.mark.parametrize("value", [None, "", "  ", float("nan")])
def test_nobody_is_no_author(ledger, value):
    assert ledger.claims.by_author(value) is None


def test_a_text_without_kept_words_is_never_refused(ledger):
    """A refusal would tell that it is empty, and the public bag costs nobody anything."""
    empty = Bag.of({})
    assert all(
        ledger.charge(PRICE, [(ledger.claims.by_content(empty),)]) == [True] for _ in range(5)
    )


def test_all_files_are_private(ledger, tmp_path):
    ledger.charge(PRICE, [document(ledger, 1)])
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}

    assert set(modes.values()) == {0o600}
    assert {"a.ledger", "a.ledger.key", "a.ledger-wal"} <= set(modes)


def test_every_write_is_on_the_disk_before_it_counts(ledger):
    with ledger._store.reading() as db:
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_limit_stays_with_its_ledger(path):
    Ledger(path, limit=50).close()
    with Ledger(path) as ledger:
        assert ledger.limit == ledger.most == 50
    with pytest.raises(PrivacyError, match="limit of this ledger is 50"):
        Ledger(path, limit=60)
    with Ledger(path, limit=30) as ledger:
        assert (ledger.limit, ledger.most) == (50, 30)
        assert ledger.charge(PRICE, [document(ledger, 1)] * 2) == [True, False]
        ledger.limit = 90
        assert [most for _, most in ledger.limits()] == [50]
    with Ledger(path, limit=60) as ledger:
        assert ledger.charge(PRICE, [document(ledger, 1)] * 3) == [True, True, False]


def test_budgets_of_two_distances_do_not_add_up(ledger):
    ledger.charge(PRICE, [document(ledger, 1)])
    other = Price(20.0, "distances of another table", "W₁", "mean", "kept", 200.0)
    with pytest.raises(PrivacyError, match="do not add up"):
        ledger.charge(other, [document(ledger, 1)])


def test_reduced_bags_do_not_add_up_with_whole_bags_or_another_size(path, words):
    def reduced(size):
        return Obfuscator.laplace(words, epsilon=1, size=size, reduction="apportion")

    whole = [Obfuscator.laplace(words, epsilon=1), Obfuscator.mean(words, budget=1, map="vectors")]
    for first, other in [(reduced(1), whole[0]), (whole[1], reduced(1)), (reduced(1), reduced(2))]:
        with Ledger(path, limit=1000) as ledger:
            first(["rain"], ledger=ledger)
            with pytest.raises(PrivacyError, match=r"reduced to 1 kept words.* do not add up"):
                other(["rain"], ledger=ledger)
        for file in path.parent.iterdir():
            file.unlink()
    with Ledger(path, limit=1000) as ledger:
        for obfuscator in whole * 2:
            obfuscator(["rain"], ledger=ledger, ids=[1])
        assert ledger.spent(ledger.claims.by_id(1)).budget == 2 * 100 + 2 * 1


def test_reducing_can_move_texts_farther_apart_than_any_word_moves():
    """The reason why reduced bags need a ledger of their own."""
    one, two = "river car", "rivers cars"

    def loss(reduction):
        return Obfuscator.laplace(epsilon=1, size=1, reduction=reduction).guarantee.loss(one, two)

    assert loss("apportion") == pytest.approx(8.46, abs=0.005)
    assert loss("sample") == pytest.approx(4.42, abs=0.005)  # W∞ of the whole bags


def test_a_clock_that_goes_backwards_is_refused(ledger, monkeypatch):
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    ledger.charge(PRICE, [document(ledger, 1)])
    monkeypatch.setattr(time, "time_ns", lambda: now - 10**9)  # a second back is a correction
    assert ledger.charge(PRICE, [document(ledger, 2)]) == [True]
    monkeypatch.setattr(time, "time_ns", lambda: now - 3 * 10**9)
    with pytest.raises(PrivacyError, match="clock"):
        ledger.charge(PRICE, [document(ledger, 3)])
    assert ledger.spent(document(ledger, 3)[0]).releases == 0


def test_without_a_ledger_a_limit_begins_one(path):
    with pytest.raises(InputError, match="--limit"):
        Ledger(path)
    assert not path.exists()
    with pytest.raises(InputError, match="no ledger at"):
        Ledger.reading(path)


def test_a_lost_ledger_is_not_forgotten(ledger, path):
    ledger.charge(PRICE, [document(ledger, 1)])
    ledger.close()
    path.unlink()
    with pytest.raises(PrivacyError, match="its ledger is not"):
        Ledger(path, limit=50)


def test_a_missing_key_is_refused_once_something_was_charged(ledger, path):
    ledger.charge(PRICE, [document(ledger, 1)])
    ledger.close()
    kept = path.with_name("a.ledger.key").read_bytes()
    path.with_name("a.ledger.key").unlink()
    with pytest.raises(PrivacyError, match=r"put a\.ledger\.key back"):
        Ledger(path)
    assert not path.with_name("a.ledger.key").exists()
    path.with_name("a.ledger.key").touch(0o600)
    path.with_name("a.ledger.key").write_bytes(kept)
    Ledger(path).close()


def test_a_crash_before_the_key_was_made_costs_nothing(path):
    from nomdeplume.privacy.ledger.store import create

    create(path, 50_000_000, time.time_ns() // 1000)
    with Ledger(path) as ledger:
        assert ledger.charge(PRICE, [document(ledger, 1)]) == [True]


@pytest.mark.parametrize("content", [b"", b"x", b"0" * 64 + b"\n", b"f" * 65])
def test_another_key_is_refused(ledger, path, content):
    ledger.charge(PRICE, [document(ledger, 1)])
    ledger.close()
    path.with_name("a.ledger.key").write_bytes(content)
    with pytest.raises(PrivacyError, match="key"):
        Ledger(path)
    with pytest.raises(PrivacyError, match="key"):
        Ledger.reading(path)


def test_a_key_that_others_can_read_is_refused(ledger, path):
    ledger.close()
    path.with_name("a.ledger.key").chmod(0o640)
    with pytest.raises(PrivacyError, match="chmod 600"):
        Ledger(path)


ALTERED = {
    "a charge is taken back": "UPDATE accounts SET releases = 1 WHERE releases = 2",
    "a document is forgotten": "DELETE FROM accounts WHERE releases = 1",
    "a document gets another name": "UPDATE accounts SET name = x'01' || randomblob(16)",
    "the limit is raised": "UPDATE state SET most = most * 2",
    "a price is lowered": "UPDATE prices SET micro = 1",
    "the price says less": "UPDATE prices SET data = replace(data, '20.0', '1.0')",
    "runs are forgotten": "DELETE FROM runs",
    "earlier limits are forgotten": "DELETE FROM limits",
    "nothing is known": "DELETE FROM state",
    "counts are lowered": "UPDATE state SET releases = releases - 1",
    "the clock is forgotten": "UPDATE state SET latest = 0",
    "a run is made smaller": "UPDATE runs SET documents = 0",
    "a seal is no seal": "UPDATE accounts SET seal = 7",
    "a count is text": "UPDATE accounts SET releases = 'one'",
    "a trigger takes charges back": "CREATE TRIGGER t AFTER INSERT ON accounts BEGIN "
    "DELETE FROM accounts; END",
    "a table is added": "CREATE TABLE more (x)",
    "a table is missing": "DROP TABLE limits",
    "it is of another format": "PRAGMA user_version = 99",
    "it is another program's": "PRAGMA application_id = 1",
    "the journal is another": "PRAGMA journal_mode = DELETE",
}


@pytest.mark.parametrize("statement", ALTERED.values(), ids=ALTERED.keys())
def test_what_was_altered_is_refused(ledger, path, statement):
    ledger.charge(PRICE, [document(ledger, 1), document(ledger, 2), document(ledger, 2)])
    ledger.limit = 60
    ledger.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(statement)
    with pytest.raises((PrivacyError, InputError)):
        Ledger(path)


def test_every_byte_counts(ledger, path):
    """Wherever a byte of the file changes, it is refused or reads as it did."""
    ledger.charge(PRICE, [document(ledger, number) for number in range(40)])
    ledger.close()
    sound, rng = path.read_bytes(), np.random.default_rng(1)
    refused, used = 0, np.flatnonzero(np.frombuffer(sound, dtype=np.uint8))
    for place in rng.choice(used, 120):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            with Ledger(path) as opened:
                assert opened.charge(PRICE, [document(opened, n) for n in range(40)]) == [True] * 40
                assert (
                    opened.charge(PRICE, [document(opened, n) for n in range(40)]) == [False] * 40
                )
        except (PrivacyError, InputError):
            refused += 1
        for name in ("a.ledger-wal", "a.ledger-shm"):
            path.with_name(name).unlink(missing_ok=True)
    assert refused > 60  # the others are what a page had before


def in_child(work):
    """What a forked process says of some work, which cannot harm this one."""
    ours, theirs = os.pipe()
    if not (child := os.fork()):
        said = "released"
        try:
            work()
        except PrivacyError as error:
            said = f"refused: {error}"
        except BaseException as error:
            said = repr(error)
        os.write(theirs, said.encode()[:4000])
        os._exit(0)
    os.waitpid(child, 0)
    os.close(theirs)
    with os.fdopen(ours) as file:
        return file.read()


def test_a_ledger_that_cannot_be_written_is_refused(ledger, path, tmp_path):
    """As somebody who may read all of it and write nothing."""
    ledger.close()
    nobody = os.geteuid() or 65534
    for each in (path, path.with_name("a.ledger.key"), tmp_path):
        os.chown(each, nobody, -1)
        each.chmod(0o500 if each.is_dir() else 0o400)
    for parent in tmp_path.parents[:3]:
        parent.chmod(parent.stat().st_mode | 0o111)

    def charge():
        os.seteuid(nobody)
        with Ledger(path) as opened:
            opened.charge(PRICE, [document(opened, 1)])

    said = in_child(charge)
    tmp_path.chmod(0o700)
    assert said.startswith("refused: the ledger")
    assert "cannot be" in said


def test_a_disk_that_takes_no_more_is_a_refusal(path):
    with Ledger(path, limit=50) as ledger:
        ledger.charge(PRICE, [document(ledger, 0)])

    def charge():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))  # writes beyond it fail
        with Ledger(path) as opened:
            opened.charge(PRICE, [document(opened, number) for number in range(2000)])

    assert in_child(charge).startswith("refused: the ledger")
    with Ledger(path) as ledger:
        assert [ledger.spent(document(ledger, n)[0]).releases for n in range(3)] == [1, 0, 0]


def test_a_full_disk_is_a_refusal(ledger):
    with ledger._store.reading() as db:
        [pages] = db.execute("PRAGMA page_count").fetchone()
    ledger._store.db.execute(f"PRAGMA max_page_count = {pages}")  # what SQLite says of a full disk
    with pytest.raises(PrivacyError, match="disk is full"):
        ledger.charge(PRICE, [document(ledger, number) for number in range(2000)])
    ledger._store.db.execute("PRAGMA max_page_count = 1000000")
    assert ledger.spent(document(ledger, 1)[0]).releases == 0
    assert ledger.charge(PRICE, [document(ledger, 1)]) == [True]


def test_who_waits_too_long_is_refused(ledger, path, monkeypatch):
    monkeypatch.setattr("nomdeplume.privacy.ledger.store.WAIT", 0.1)
    refused = pytest.raises(PrivacyError, match="others have held it")
    with Ledger(path) as other, ledger._store.writing(), refused:
        other.charge(PRICE, [document(other, 1)])


def test_threads_and_connections_never_pass_the_limit(path):
    Ledger(path, limit=100 * 20).close()
    granted, lock = [], threading.Lock()

    def spend(_):
        with Ledger(path) as opened:
            for _ in range(20):
                found = opened.charge(PRICE, [document(opened, 1)])
                with lock:
                    granted.extend(found)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(spend, range(8)))
    with Ledger.reading(path) as opened:
        assert sum(granted) == 100 == opened.spent(document(opened, 1)[0]).releases


def test_one_connection_serves_threads(ledger):
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda n: ledger.charge(PRICE, [document(ledger, n % 10)]), range(40))
        )
    assert sum(each[0] for each in found) == 20


def test_totals_are_those_of_all_releases(ledger):
    ledger.charge(PRICE, [(ledger.claims.by_id(n), ledger.claims.by_author(n)) for n in range(5)])
    ledger.charge(PRICE, [document(ledger, n) for n in range(3)])

    assert sorted(s.releases for _, s in ledger.accounts(authors=False)) == [1, 1, 2, 2, 2]
    assert [s.releases for _, s in ledger.accounts(authors=True)] == [1] * 5
    overall = ledger.overall()
    assert (overall.releases, overall.budget, overall.pure) == (8, 160, 1600)
    ledger.verify()


def test_losses_up_to_delta_are_those_of_the_accountant():
    from nomdeplume.privacy.accountant import Account

    two = Spent(((PRICE, 2),))
    other = Price(1.0, "d", "W₁", "exponential", "kept", 30.0)
    due = Account.of_bags(1.0, [200.0], 10).over_releases(2).loss(1e-6)

    assert two.pure == 400
    assert two.loss(1e-6) == due < 400
    assert (two + Spent(((other, 3),))).loss(1e-6) == due + 90  # whose law is not known
    assert Spent(((Price(1.0, "d", "W₁", "santext", "kept", None), 1),)).loss(1e-6) is None


def test_the_library_charges_before_it_releases(path, words):
    obfuscator = Obfuscator.mean(words, map="principal", budget=20, size=8)
    with Ledger(path, limit=50) as ledger:
        for _ in range(2):
            assert len(obfuscator(["a b"] * 3, ledger=ledger, ids=[1, 2, 3])) == 3
        with pytest.raises(BudgetSpent):
            obfuscator(["a b", "c"], ledger=ledger, ids=[4, 3])
        assert ledger.spent(ledger.claims.by_id(4)).releases == 0
        with pytest.raises(InputError, match="as many as texts"):
            obfuscator(["a"], ledger=ledger, ids=[1, 2])
        with pytest.raises(InputError, match="an author"):
            obfuscator(["a"], ledger=ledger, authors=[None])
        with pytest.raises(InputError, match="seeded"):
            obfuscator(["a"], seeded(1), ledger=ledger)
    with pytest.raises(InputError, match="give one"):
        obfuscator(["a"], ids=[1])


def test_frames_are_charged_too(path, words):
    import pandas as pd

    obfuscator = Obfuscator.laplace(words, epsilon=2, size=10)
    frame = pd.DataFrame({"text": ["a", "b"], "id": [1, 2], "author": ["x", "x"]})
    with Ledger(path, limit=50) as ledger:
        obfuscator.frame(frame, ledger=ledger, ids=frame["id"], authors=frame["author"])
        with pytest.raises(BudgetSpent):
            obfuscator.frame(frame, ledger=ledger, ids=[8, 9], authors=frame["author"])
        assert ledger.spent(ledger.claims.by_author("x")).budget == 40


def test_a_price_is_that_of_the_promise(words):
    obfuscator = Obfuscator.laplace(words, epsilon=2, size=10)
    price, widest = obfuscator.price, obfuscator.promises[-1]

    assert price.budget == widest.budget == 20
    assert price.loss == pytest.approx(widest.odds[-1].loss)
    assert price.account.loss(1e-6) == pytest.approx(widest.odds[-1].loss_at_delta, rel=1e-2)
    assert words.fingerprint[:16] in price.distance
    discrete = Obfuscator.of("syntf", words, epsilon=2, size=10).price
    assert discrete.distance != price.distance


def test_whoever_reads_changes_nothing(ledger, path, tmp_path):
    ledger.charge(PRICE, [document(ledger, 1)])
    ledger.close()
    before = path.read_bytes()
    with Ledger.reading(path) as opened:
        with pytest.raises(PrivacyError, match="cannot be written"):
            opened.charge(PRICE, [document(opened, 1)])
        assert opened.spent(document(opened, 1)[0]).releases == 1
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.ledger", "a.ledger.key"]


def test_a_ledger_is_read_where_nothing_can_be_written(ledger, path, tmp_path):
    ledger.charge(PRICE, [document(ledger, 1)])
    ledger.close()
    with pytest.MonkeyPatch.context() as on:
        on.setattr(os, "access", lambda *_: False)
        with Ledger.reading(path) as opened:
            assert opened.spent(document(opened, 1)[0]).releases == 1
        path.with_name("a.ledger-wal").write_bytes(b"something not yet in the ledger")
        with pytest.raises(PrivacyError, match="was not closed"):
            Ledger.reading(path)


def test_a_fork_cannot_use_a_ledger_of_its_parent(ledger):
    """SQLite's locks would not be its own, and what it writes could vanish."""
    said = in_child(lambda: ledger.charge(PRICE, [document(ledger, 1)]))
    assert said.startswith("refused: a ledger cannot be used in a fork")


def test_a_journal_that_is_taken_away_is_noticed(ledger, path):
    """Whoever opens and closes the file in this process drops the locks on it."""
    ledger.charge(PRICE, [document(ledger, 1)])
    with path.open("rb"):
        pass
    code = "import sys; from nomdeplume import Ledger; Ledger(sys.argv[1]).close()"
    subprocess.run([sys.executable, "-c", code, path], check=True)
    with pytest.raises(PrivacyError):
        ledger.charge(PRICE, [document(ledger, 2)])
    with Ledger(path) as opened:
        assert opened.spent(document(opened, 1)[0]).releases == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (7, 7.0),
        ("7", "7.0"),
        (7, Decimal("7.00")),
        ("é", "e\u0301"),
        (pa.scalar(7), 7),
        (np.int64(7), "7 "),
        (np.float64(7), 7),
    ],
)
def test_what_is_one_id_to_people_is_one(ledger, one, other):
    assert ledger.claims.by_id(one) == ledger.claims.by_id(other)
    assert ledger.claims.by_author(one) == ledger.claims.by_author(other)


@pytest.mark.parametrize(
    "authors",
    [
        pa.array(["a", None]),
        pa.chunked_array([["a", None]]),
        pd.array(["a", None], dtype="string"),
        pd.array([1, None], dtype="Int64"),
        pd.Series([1.0, None]),
    ],
)
def test_missing_values_are_nobody(path, words, authors):
    obfuscator = Obfuscator.mean(words, map="principal", budget=20, size=8)
    with Ledger(path, limit=50) as ledger:
        with pytest.raises(InputError, match="none for text 2"):
            obfuscator(["a", "b"], ledger=ledger, authors=authors)
        obfuscator(["rain"] * 2, ledger=ledger, ids=authors)  # the second by its words
        assert len(list(ledger.accounts(authors=False))) == 2


def test_nothing_is_charged_for_what_cannot_be_released(path, words):
    obfuscator = Obfuscator.laplace(words, epsilon=2, size=10)
    with Ledger(path, limit=50) as ledger:
        for wrong in ({"vectors": True}, {"workers": 0}):
            with pytest.raises(InputError):
                obfuscator(["rain"], ledger=ledger, ids=[1], **wrong)
        with pytest.raises(InputError, match="an open Ledger"):
            obfuscator(["rain"], ledger=str(path))
        with pytest.raises(InputError, match="empty claim"):
            ledger.charge(PRICE, [()])
        assert ledger.overall().releases == 0


def test_metrics_of_their_own_do_not_add_up(words):
    made = [Obfuscator.of("diffractor", words, epsilon=1, settings={"lists": n}) for n in (2, 3)]
    assert made[0].price.distance != made[1].price.distance


def test_a_wrong_clock_is_forgiven_with_a_trace(ledger, monkeypatch):
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + 10**18)
    ledger.charge(PRICE, [document(ledger, 1)])
    monkeypatch.setattr(time, "time_ns", lambda: now)
    with pytest.raises(PrivacyError, match="ledger limit"):
        ledger.charge(PRICE, [document(ledger, 1)])
    ledger.limit = 50
    assert ledger.charge(PRICE, [document(ledger, 1)]) == [True]
    assert len(ledger.limits()) == 1


@pytest.mark.parametrize("name", ["a b?.ledger", "#1%20.ledger", "é.ledger", "x" * 200, "-"])
def test_odd_names_are_names(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Ledger(name, limit=50) as ledger:
        assert ledger.charge(PRICE, [document(ledger, 1)]) == [True]
        monkeypatch.chdir("/")
        assert len(list(ledger.accounts(authors=False))) == 1
    assert (tmp_path / name).exists()


def test_who_comes_second_does_not_begin_again(path, monkeypatch):
    """Between the question whether there is a ledger and its beginning another may begin it."""
    from nomdeplume.privacy.ledger import opening

    Ledger(path, limit=50).close()
    opening.begin(path, 60_000_000)
    with Ledger(path) as ledger:
        assert ledger.limit == 50


def test_a_run_that_nobody_knows_has_charged_nothing(ledger):
    ledger.charge(PRICE, [document(ledger, 1)] * 2, run="this")
    assert (ledger.charged("this"), ledger.charged("another")) == (2, 0)


def test_beyond_a_million_draws_losses_are_the_pure_ones():
    price = Price(20.0, "d", "W₁", "laplace", "kept", 200.0, 100, 10)
    assert Spent(((price, 10_000),)).loss(1e-6) < Spent(((price, 10_000),)).pure
    assert Spent(((price, 10_001),)).loss(1e-6) == Spent(((price, 10_001),)).pure


def test_large_whole_numbers_are_one_id(ledger):
    assert ledger.claims.by_id(10**17) == ledger.claims.by_id(1e17)


def test_releases_at_one_price_add_up_whoever_lists_them():
    assert Spent.of([(PRICE, 1), (PRICE, 2)]) == Spent(((PRICE, 3),))


def test_what_is_no_ledger_is_a_wrong_name(tmp_path):
    for content in (b"rain", b"", b"SQLite format 3\0" + bytes(100)):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(InputError, match="not a ledger"):
            Ledger.reading(tmp_path / "x")


def test_runs_are_told_in_the_order_they_began(ledger, monkeypatch):
    now = time.time_ns()
    for number, run in enumerate("cab"):
        monkeypatch.setattr(time, "time_ns", lambda number=number: now + number * 10**9)
        ledger.charge(PRICE, [document(ledger, number)] * (number + 1), run=run)
    assert [documents for _, _, documents in ledger.runs()] == [1, 2, 2]
    assert [began for began, _, _ in ledger.runs()] == sorted(b for b, _, _ in ledger.runs())
