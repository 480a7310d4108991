"""How often does an audit call something broken that is right?

Runs `nomdeplume audit --seconds 5 --alpha 1e-3` 200 times, two at a time, and as many
seconds of audits of other right mechanisms (Vickrey, Mahalanobis, TEM) through the API. At
α = 10⁻³ one false alarm in a thousand audits is allowed: 0.2 are expected in 200 at most.

    python benchmarks/alarms.py [RUNS]
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from common import ROOT, record

SECONDS, ALPHA, EPSILONS = 5, 1e-3, (1, 3, 6, 12, 30)
OTHERS = 40  # runs of each other mechanism


def program(run: int) -> dict[str, Any]:
    """One audit of the program, as a user runs it."""
    epsilon = EPSILONS[run % len(EPSILONS)]
    command = [sys.executable, "-m", "nomdeplume", "audit", "--json", "--epsilon", str(epsilon)]
    command += ["--seconds", str(SECONDS), "--alpha", str(ALPHA)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return dict(json.loads(done.stdout))


def other(name: str) -> dict[str, Any]:
    """One audit of another right mechanism, on the 1,500 commonest words."""
    sys.path.insert(0, str(ROOT / "scripts"))
    from faults import CONTROLS
    from nomdeplume import Audit, Table

    table = Table.bundled()
    words = Table(list(table.words[:1500]), table.vectors[:1500], name="common")
    report = Audit(alpha=ALPHA, seconds=SECONDS)(CONTROLS[name](words, 6.0))
    return dict(json.loads(report.to_json()))


def told(reports: list[dict[str, Any]]) -> dict[str, Any]:
    """How many audits called it broken, by which question, and the least p-value of all."""
    findings = [finding for report in reports for finding in report["findings"]]
    broken = Counter(f["question"] for f in findings if f["verdict"] == "broken")
    pvalues = [finding["pvalue"] for finding in findings if finding["pvalue"] is not None]
    return {
        "audits": len(reports),
        "called broken": sum(report["broken"] for report in reports),
        "expected at most": len(reports) * ALPHA,
        "questions": len(findings),
        "broken questions": dict(broken),
        "least p-value": min(pvalues),
        "highest ratio of proven to promised": max(f["ratio"] or 0.0 for f in findings),
        "samples": sum(report["samples"] for report in reports),
    }


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with ThreadPoolExecutor(2) as pool:
        ours = told(list(pool.map(program, range(runs))))
    names = [name for name in ("vickrey", "mahalanobis", "tem") for _ in range(OTHERS)]
    with ProcessPoolExecutor(2) as pool:
        others = told(list(pool.map(other, names[: 3 * runs])))
    settings = {"seconds": SECONDS, "alpha": ALPHA, "epsilons": EPSILONS}
    record("alarms", {"settings": settings, "the program": ours, "other right ones": others})


if __name__ == "__main__":
    main()
