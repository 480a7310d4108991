"""Audits every planted fault, and what is right, and writes docs/audit.md.

    python scripts/audit_page.py [--missing]

With --missing only what the page does not list yet is audited, and its other rows stay.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from faults import CONTROLS, FAULTS, Fault
from nomdeplume import Audit, Finding, Report, Table
from nomdeplume.audit.finding import INSTRUMENTS

PAGE = Path(__file__).parents[1] / "docs" / "audit.md"
EPSILON, SECONDS = 6.0, 20.0

HEAD = """# The audit, audited

*Made by `scripts/audit_page.py` (`make audit-page`); `tests/audit/test_faults.py`, and for
documents `tests/audit/test_documents.py`, find the same faults again on every run of the tests.*

A privacy claim that nobody can test is marketing, and so is a test that cannot fail. Here
are faults that packages of the field have or could have, planted one at a time, and what
`nomdeplume audit` found, with {seconds:.0f} seconds each, and what the last question takes beyond,
on the bundled table (50,000 words × 100, ε = {epsilon:g}, α = 10⁻⁶). How an audit works is told
in [the guide](guide/audit.md), what it finds in other people's packages in [peers](peers.md).

| fault | what is wrong | instrument | question | evidence | samples | seconds |
|---|---|---|---|---|---|---|
"""
MIDDLE = """
*p* is the chance that what is right looks as bad as that or worse; *nats* are losses, proven
where so many were promised. Of each instrument the strongest evidence is shown.

## What is right

The same audit of what has no fault. None may be called broken; the last columns show how near
to its promise the strongest evidence came.

| mechanism | broken | strongest evidence | samples | seconds |
|---|---|---|---|---|
"""


def strongest(report: Report) -> list[Finding]:
    """Of each instrument that called it broken, the finding that shows it best."""

    def strength(finding: Finding) -> tuple[float, float]:
        unlikely = 1.0 if finding.pvalue is None else finding.pvalue
        return finding.ratio or 0.0, -unlikely

    found = {each.instrument for each in report.broken}
    return [
        max((each for each in report.broken if each.instrument == name), key=strength)
        for name in INSTRUMENTS
        if name in found
    ]


def rows(name: str, fault: Fault, report: Report) -> list[str]:
    found = [
        f"| {name} | {fault.what} | {each.instrument} | {each.title} | {each.evidence} | "
        f"{each.samples:,} | {report.seconds:.0f} |"
        for each in strongest(report)
    ]
    return found or [f"| {name} | {fault.what} | none | | NOT FOUND | | {report.seconds:.0f} |"]


def row(name: str, report: Report) -> str:
    best = report.strongest
    said = f"{best.title}: {best.evidence}" if best else ""
    samples = f"{best.samples:,}" if best else ""
    broken = "; ".join(each.title for each in report.broken) or "no"
    return f"| {name} | {broken} | {said} | {samples} | {report.seconds:.0f} |"


def listed() -> dict[str, list[str]]:
    """The rows that the page has, by name."""
    found: dict[str, list[str]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            found.setdefault(line.split(" | ")[0].removeprefix("| "), []).append(line)
    return found


def main() -> None:
    table, found, right = Table.bundled(), [], []
    known = listed() if "--missing" in sys.argv else {}
    for name, fault in FAULTS.items():
        if name not in known:
            report = fault.audited(table, EPSILON, seconds=SECONDS)
            known[name] = rows(name, fault, report)
            print("\n".join(known[name]), flush=True)
        found += known[name]
    for name, make in CONTROLS.items():
        if name not in known:
            known[name] = [row(name, Audit(seconds=SECONDS)(make(table, EPSILON)))]
            print(known[name][0], flush=True)
        right += known[name]
    head = HEAD.format(seconds=SECONDS, epsilon=EPSILON)
    PAGE.write_text(f"{head}{chr(10).join(found)}\n{MIDDLE}{chr(10).join(right)}\n")


if __name__ == "__main__":
    main()
