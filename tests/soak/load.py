"""Many processes against one ledger: its limit is never passed, and nothing granted is lost.

Each process charges documents of a few authors as fast as it can, and writes down what it was
granted. A watcher reads all accounts meanwhile; in the end both are held against the ledger.

    python -m tests.soak.load --processes 32 --seconds 60 --json results.json
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from nomdeplume.privacy.ledger import Ledger, Price
from nomdeplume.privacy.ledger.claims import shown

PRICE = Price(20.0, "distances of a table", "W₁", "mean", "kept", 200.0, 1, 10)
TIMES = 50  # that an account can be released


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--batch", type=int, default=20, help="documents charged at once, at most")
    parser.add_argument(
        "--accounts", type=int, default=50_000, help="documents; authors are a tenth"
    )
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = run(given.processes, given.seconds, given.batch, given.accounts)
    print(json.dumps(found, indent=2))
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    sys.exit(bool(found["above_the_limit"] or found["lost"]))


def run(processes: int, seconds: float, batch: int, accounts: int) -> dict[str, object]:
    folder = Path(tempfile.mkdtemp())
    try:
        each = (folder, seconds, batch, accounts)
        children = [_forked(_spend, number, *each) for number in range(processes)]
        looks, above = _watched(folder, seconds)
        failed = sum(os.waitpid(child, 0)[1] != 0 for child in children)
        return {
            "processes": processes,
            "seconds": seconds,
            "failed": failed,
            "looks": looks,
            **_summed(folder, seconds, above),
        }
    finally:
        shutil.rmtree(folder)


def _spend(number: int, folder: Path, seconds: float, batch: int, accounts: int) -> None:
    """Charge until the time is over; what was granted is written down by name."""
    rng, granted = random.Random(number), Counter[bytes]()
    end, asked, transactions = time.monotonic() + seconds, 0, 0
    with Ledger(folder / "a.ledger", limit=20 * TIMES) as ledger:
        documents = [ledger.claims.by_id(each) for each in range(accounts)]
        authors = [ledger.claims.by_author(each) for each in range(accounts // 10)]
        while time.monotonic() < end:
            some = rng.sample(range(accounts), rng.randint(1, batch))
            claims = [(documents[each], authors[each % len(authors)]) for each in some]
            for claim, given in zip(claims, ledger.charge(PRICE, claims), strict=True):
                granted.update(claim if given else ())
            asked += len(claims)
            transactions += 1
    names = dict(zip(map(shown, granted), granted.values(), strict=True))
    facts = {"asked": asked, "transactions": transactions, "granted": names}
    (folder / f"{number}.json").write_text(json.dumps(facts))


def _watched(folder: Path, seconds: float) -> tuple[int, int]:
    """How often the ledger was looked at while others wrote, and accounts above the limit."""
    end, looks, above = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        time.sleep(0.5)
        if (folder / "a.ledger.key").exists():
            above += _above(folder)
            looks += 1
    return looks, above


def _above(folder: Path) -> int:
    with Ledger.reading(folder / "a.ledger") as ledger:
        return sum(
            spent.releases > TIMES
            for kind in (True, False)
            for _, spent in ledger.accounts(authors=kind)
        )


def _summed(folder: Path, seconds: float, above: int) -> dict[str, object]:
    """What all processes were granted, held against what the ledger says."""
    tally, granted = Counter[str](), Counter[str]()
    for path in folder.glob("*.json"):
        facts = json.loads(path.read_text())
        granted.update(facts.pop("granted"))
        tally.update(facts)
    with Ledger.reading(folder / "a.ledger") as ledger:
        ledger.verify()
        accounts = [each for kind in (True, False) for each in ledger.accounts(authors=kind)]
        documents = sum(count for _, _, count in ledger.runs())
    written = dict(
        zip((shown(name) for name, _ in accounts), (s.releases for _, s in accounts), strict=True)
    )
    lost = sum(written.get(name, 0) != count for name, count in granted.items())
    return {
        **tally,
        "granted": documents,
        "refused": tally["asked"] - documents,
        "transactions_a_second": round(tally["transactions"] / seconds),
        "charges_a_second": round(tally["asked"] / seconds),
        "above_the_limit": above + sum(count > TIMES for count in written.values()),
        "lost": lost + (set(written) != set(granted)),
        "accounts_at_the_limit": sum(count == TIMES for count in written.values()),
    }


def _forked(work, *given) -> int:
    if child := os.fork():
        return child
    code = 1
    try:
        work(*given)
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
