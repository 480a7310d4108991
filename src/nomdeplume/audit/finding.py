"""What an audit finds, one question at a time, and the report of all of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import inf, isfinite, isnan
from textwrap import fill
from typing import Any

INSTRUMENTS = ("law", "loss", "flow")
HELD, BROKEN, OPEN = "held", "broken", "open"
TABLE = "table"  # the world that is none: the user's own table
NOTHING = "nothing is promised between them"
SIGNS = {HELD: "✓", BROKEN: "✗", OPEN: "–"}


@dataclass(frozen=True)
class Finding:
    """The answer to one question: whether a promise held, was broken, or could not be tried."""

    instrument: str  # law, loss or flow
    question: str
    verdict: str
    evidence: str
    samples: int = 0  # drawn, or looked at
    world: str = ""  # line, plane, space, or the table's own
    pvalue: float | None = None  # of a test of the law
    proven: float | None = None  # nats: a loss that the samples prove
    promise: float | None = None  # nats: what it must not pass
    provable: float | None = None  # nats: the most that so many samples could ever prove

    @property
    def title(self) -> str:
        return f"{self.world}, {self.question}" if self.world else self.question

    @property
    def ratio(self) -> float | None:
        """The proven loss as a share of the promised one."""
        if self.proven is None or self.promise is None:
            return None
        return self.proven / self.promise if self.promise else inf if self.proven > 0 else 0.0


def by_pvalue(
    instrument: str, question: str, pvalue: float, *, alpha: float, samples: int, what: str = ""
) -> Finding:
    """Broken where what was drawn would come from a right law with a chance below `alpha`."""
    verdict = BROKEN if pvalue < alpha else HELD
    evidence = f"{what}p = {pvalue:.2g}" if pvalue > 0 else f"{what}p < 1e-300"
    return Finding(instrument, question, verdict, evidence, samples, pvalue=float(pvalue))


def observed(question: str, evidence: str, *, holds: bool, samples: int = 0) -> Finding:
    """What was seen of the flow, without chance."""
    return Finding("flow", question, HELD if holds else BROKEN, evidence, samples)


def unpromised(question: str, world: str) -> Finding:
    """Where nothing is promised, nothing can be broken, and nothing held."""
    return Finding("loss", question, OPEN, NOTHING, world=world)


def least(pvalues: Iterable[float]) -> float:
    """One p-value for several: the least of m, times m. A test that had nothing to say has NaN."""
    several = [1.0 if isnan(pvalue) else pvalue for pvalue in pvalues]
    return min(1.0, len(several) * min(several))


def by_loss(
    question: str,
    world: str,
    proven: float,
    promise: float,
    *,
    samples: int = 0,
    provable: float | None = None,
) -> Finding:
    """Broken where more loss is proven than promised; open where that never could have been."""
    blind = provable is not None and provable <= promise
    verdict = BROKEN if proven > promise * (1 + 1e-9) + 1e-12 else OPEN if blind else HELD
    shown = max(0.0, proven)
    share = "" if not promise or shown == inf else f", {_share(shown / promise)}"
    how = "proven" if provable is not None else "exactly"
    evidence = f"{shown:.3f} of {promise:.3f} nats {how}{share}"
    return Finding(
        "loss",
        question,
        verdict,
        evidence,
        samples,
        world,
        proven=shown,
        promise=promise,
        provable=provable,
    )


def _share(ratio: float) -> str:
    return f"{100 * ratio:.0f} %" if ratio < 2 else f"{ratio:.1f} times as many"


@dataclass(frozen=True, repr=False)
class Report:
    """All findings about one mechanism, and what they come to."""

    subject: str
    alpha: float
    seconds: float
    findings: tuple[Finding, ...]

    @property
    def broken(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict == BROKEN)

    @property
    def samples(self) -> int:
        return sum(finding.samples for finding in self.findings)

    @property
    def strongest(self) -> Finding | None:
        """Of the sampled losses, the one that comes nearest to its promise or passes it most."""
        sampled = [f for f in self.findings if f.provable is not None and f.ratio is not None]
        return max(sampled, key=lambda finding: finding.ratio or 0.0, default=None)

    def __str__(self) -> str:
        rows = _rows(self.findings)
        head = f"Audit of {self.subject}: {self.seconds:.0f} s, α = {self.alpha:g}"
        ending = "\n".join(fill(sentence, 79) for sentence in self.conclusion)
        return "\n".join([head, *rows, "", ending])

    def __repr__(self) -> str:
        said = f"{len(self.broken)} broken" if self.broken else "none broken"
        return f"<Report: {self.subject}, {len(self.findings)} questions, {said}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("…" if cycle else str(self))

    @property
    def conclusion(self) -> list[str]:
        """What was found, in sentences."""
        said = []
        if best := self.strongest:
            said.append(
                f"Strongest evidence of loss: {best.title}: {best.proven:.3f} nats are proven "
                f"where {best.promise:.3f} are promised, a ratio of {best.ratio:.2f}, from "
                f"{best.samples:,} samples."
            )
        if most := max((f.provable or 0.0 for f in self.findings if f.world == TABLE), default=0.0):
            said.append(f"On the table itself so many samples could prove {most:.2f} nats at most.")
        if not self.broken:
            return [
                *said,
                "No promise was found broken. An audit finds errors, it does not prove that there "
                f"are none; a right mechanism is called broken with a chance of at most "
                f"{self.alpha:g}.",
            ]
        names = "; ".join(f"{each.title} ({each.instrument})" for each in self.broken)
        return [*said, f"BROKEN: {names}."]

    def to_json(self) -> str:
        """The report as JSON, with what is infinite as text."""
        facts = {
            "subject": self.subject,
            "alpha": self.alpha,
            "seconds": round(self.seconds, 1),
            "samples": self.samples,
            "broken": bool(self.broken),
            "strongest": _plain(self.strongest) if self.strongest else None,
            "findings": [_plain(finding) for finding in self.findings],
        }
        return json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _plain(finding: Finding) -> dict[str, Any]:
    facts = {**asdict(finding), "ratio": finding.ratio}
    return {
        name: str(value) if isinstance(value, float) and not isfinite(value) else value
        for name, value in facts.items()
    }


def _rows(findings: tuple[Finding, ...]) -> list[str]:
    question = max((len(finding.title) for finding in findings), default=0)
    evidence = max((len(finding.evidence) for finding in findings), default=0)
    return [
        f"{SIGNS[each.verdict]} {each.instrument:<5} {each.title:<{question}}  "
        f"{each.evidence:<{evidence}}  {f'{each.samples:,}' if each.samples else '':>9}"
        for each in findings
    ]
