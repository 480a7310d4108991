"""Writes docs/trust.md from tests/soak/results: no figure on it is typed in."""
# ruff: noqa: E501

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "tests" / "soak" / "results", ROOT / "docs" / "trust.md"

FAULTS = ("crashes", "hangs")

HEAD = """# Trust: what was done to break it

Made by `scripts/trust_page.py` from `tests/soak/results/`. `make soak` does all of it again but the mutants, for about
an hour on two cores, and `make mutation` those; `make test` does a short version of each but the mutants in every run. [Threats](threats.md) says what is protected from whom and what is
not; [the audit](audit.md) what happens to the promise itself when something is wrong with the noise; [floats](floats.md) what
rounding does to it.
"""


def main() -> None:
    sections = [kills, load, fuzz, canaries, mutation, elsewhere]
    PAGE.write_text("\n".join([HEAD, *(section() for section in sections)]), encoding="utf-8")


def kills() -> str:
    found = read("kills")
    rows = [(name[7:], f"{n:,}") for name, n in found.items() if name.startswith("kills: ")]
    return f"""## {found["kills"]:,} kills

`python -m tests.soak.kills`: a real run over 600 documents gets SIGKILL, with all its processes, at a random moment, from its first
instruction to after its last; what lies there is looked at, and the run is resumed, until it ends by itself. {found["kills"]:,} kills over
{found["stories"]:,} corpora; {found["with documents to resume"]:,} left documents to go on with.

{grid(("what was killed", "kills"), rows)}

| after every kill, and in the end | broken |
|---|---|
| an output that is there is whole: all documents once, and its hash as certified | {broken(found, "document", "certif")} |
| what is written anywhere was charged before; every entry of the ledger bears its seal | {broken(found, "charged", "seal")} |
| charges = documents + those that a run said were charged in vain ({found["charged in vain, and said"]:,}) | {broken(found, "in vain")} |
| no private word in any file or name; hidden files are their owner's only | {broken(found, "private", "tells", "others")} |
| all in all | {len(found["broken"])} |
"""


def broken(found: dict[str, Any], *about: str) -> int:
    return sum(any(each in said for each in about) for said in found["broken"])


def load() -> str:
    found = read("load")
    rows = [
        ("accounts above the limit, in any of "
         f"{found['looks']:,} looks or in the end", found["above_the_limit"]),
        ("charges that were granted and are not in the ledger", found["lost"]),
        ("processes that failed", found["failed"]),
        ("asked for", f"{found['asked']:,}"),
        ("granted", f"{found['granted']:,}"),
        ("refused", f"{found['refused']:,}"),
        ("accounts that reached the limit", f"{found['accounts_at_the_limit']:,}"),
        ("transactions a second, each on the disk before it counts",
         f"{found['transactions_a_second']:,}"),
        ("documents a second, charged to themselves and an author",
         f"{found['charges_a_second']:,}"),
    ]  # fmt: skip
    return f"""## {found["processes"]} processes at one ledger

`python -m tests.soak.load`: for {found["seconds"]:g} seconds {found["processes"]} processes charge 1 to 20 documents at a time, each also to one of
5,000 authors, as fast as they can; another reads all accounts meanwhile.

{grid(("", ""), rows)}
"""


def fuzz() -> str:
    """Counts of all runs, by what is read."""
    families: dict[str, Counter[str]] = {}
    slowest, peak = Counter[str](), Counter[str]()
    for path in sorted(RESULTS.glob("fuzz*.json")):
        for name, found in read(path.stem)["readers"].items():
            family = name.partition(",")[0]
            kept = {each: found[each] for each in ("cases", "accepted", "refused", *FAULTS)}
            families.setdefault(family, Counter()).update(kept)
            slowest[family] = max(slowest[family], found["slowest"])
            peak[family] = max(peak[family], found["peak_mib"])
    rows = [
        (
            name, *(f"{n[each]:,}" for each in ("cases", "accepted", "refused", *FAULTS)),
            f"{slowest[name]:.2f}", f"{peak[name]:,}",
        )
        for name, n in families.items()
    ]  # fmt: skip
    total = sum(families.values(), Counter())
    faults = " and ".join(f"{total[each]:,} {each}" for each in FAULTS)
    head = ("what is read", "cases", "read", "refused", *FAULTS, "slowest, s", "most memory, MiB")
    return f"""## {total["cases"]:,} damaged files

`python -m tests.soak.fuzz`: small sound files of every kind are damaged (bits, lengths, nesting, encodings, headers that lie, pieces
of one in another) and handed to whatever reads them. Each must be read, or refused in one line that quotes nothing of it, within ten seconds and
two gigabytes: {faults}. `tests/soak/guided.py` does the same under atheris, guided by coverage, where that can be installed. `tests/soak/test_pickles.py`:
no file is ever unpickled.

{grid(head, rows)}
"""


def canaries() -> str:
    found = read("canary")
    return f"""## Canaries

`tests/cli/test_canary.py` and its neighbours: words that stand in private texts, ids, authors and other fields are looked for in all that
the program says, writes or leaves behind, over every command, and every option that touches a text. A test walks
the commands and fails for an option that no case uses.

{grid(("", ""), [(name, f"{n:,}" if isinstance(n, int) else len(n)) for name, n in found.items()])}
"""


def mutation() -> str:
    """What became of mutants, by package; all of it is on a page of its own."""
    found = read("mutation")
    packages: dict[str, Counter[str]] = {}
    for path, counts in found["modules"].items():
        name = path.removeprefix("src/nomdeplume/").partition("/")[0].removesuffix(".py")
        packages.setdefault(name, Counter()).update(counts)
    rows = [
        (
            name, f"{n['mutants']:,}", f"{n['tried']:,}", f"{n['killed']:,}", f"{n['explained']:,}",
            f"{100 * n['killed'] / n['tried']:.1f} %",
            f"{100 * n['killed'] / (n['tried'] - n['explained']):.1f} %",
        )
        for name, n in packages.items()
    ]  # fmt: skip
    head = (
        "package",
        "mutants",
        "tried",
        "killed",
        "explained",
        "killed",
        "of those not explained",
    )
    return f"""## Mutants

`make mutation`: one small thing in the code that privacy rests on is changed, by the operators of mutmut {found["made with"]["mutmut"]}, and the tests that run it
are asked. Of what was drawn at random, so many were noticed; what the others are, with intervals, and which score is worth what, is
on [a page of its own](mutation.md).

{grid(head, rows)}

Tests were written for survivors of this sample, so the table flatters them. Of a second sample, drawn after that, {found["fresh"]["killed"]} of
{found["fresh"]["tried"]} were killed: {100 * found["fresh"]["killed"] / found["fresh"]["tried"]:.1f} %, nothing subtracted.
"""


def elsewhere() -> str:
    return """## Elsewhere

- **Numbers at their extremes** (10⁻³⁰⁰ to 10³⁰⁰, NaN, one word, equal vectors): `tests/contract/test_extremes.py`.
- **Damaged ledgers**: bits flipped, rows edited, keys exchanged, disks full, clocks set back: `tests/unit/test_ledger.py`.
- **Supply chain**: versions are pinned (`constraints.txt`), `make check` holds them against known vulnerabilities, downloads are
  compared with known checksums, and two builds of the wheel are the same bytes: `tests/repo`, [SECURITY.md](../SECURITY.md).
- **Not shown**: power that fails (SIGKILL leaves what the system has not yet written; `synchronous FULL` is SQLite's word for it),
  disks that lie, other systems than Linux.
"""


def read(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def grid(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


if __name__ == "__main__":
    main()
