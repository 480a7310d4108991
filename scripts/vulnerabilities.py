"""Ask pip-audit whether a pinned version has a known vulnerability. `make check` does.

    python scripts/vulnerabilities.py

It gets an environment of its own, .audit/, and needs the network; without one this says so and
goes on. A vulnerability fails it, unless scripts/accepted_vulnerabilities.txt gives a reason.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TOOL = "pip-audit==2.9.0"
HOME = ROOT / ".audit"
ACCEPTED = Path(__file__).with_name("accepted_vulnerabilities.txt")
LEAST = 20  # characters of a reason


def main() -> None:
    tool = installed()
    if tool is None:
        print(
            "pip-audit could not be installed (no network?); vulnerabilities were not looked for."
        )
        return
    sys.exit(audited([str(tool), "-m", "pip_audit"]))


def installed() -> Path | None:
    """The Python of an environment with pip-audit in it, if it can be made."""
    python = HOME / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(HOME)], check=True)
    install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", TOOL]
    done = subprocess.run(install, capture_output=True, check=False)
    return python if done.returncode == 0 else None


def audited(tool: Sequence[str]) -> int:
    """0 if nothing is found that is not accepted, or nothing can be looked up; else 1."""
    command = [*tool, "--no-deps", "--disable-pip", "--progress-spinner", "off", "-f", "json"]
    done = subprocess.run(
        [*command, "-r", str(ROOT / "constraints.txt")], capture_output=True, text=True, check=False
    )
    try:
        report = json.loads(done.stdout)
    except ValueError:
        print("pip-audit gave no report (no network?); vulnerabilities were not looked for.")
        return 0
    left = found(report, accepted(ACCEPTED.read_text(encoding="utf-8")))
    print("\n".join([*left, seen(report, len(left))]))
    return int(bool(left))


def seen(report: Mapping[str, Any], count: int) -> str:
    """How many versions were looked up: what an index does not know is skipped without a word."""
    versions = report["dependencies"]
    skipped = sum("skip_reason" in each for each in versions)
    known = f"{len(versions) - skipped} of {len(versions)} pinned versions could be looked up"
    return f"{known}; {count} known vulnerabilities in them are not accepted."


def found(report: Mapping[str, Any], accepted: Mapping[str, str]) -> list[str]:
    """What a report holds that is not accepted under any of its names."""
    lines = []
    for each in report["dependencies"]:
        for fault in each.get("vulns", ()):
            names = [fault["id"], *fault.get("aliases", ())]
            if not set(names) & set(accepted):
                also = f" ({', '.join(names[1:])})" if names[1:] else ""
                lines.append(f"{each['name']} {each['version']}: {names[0]}{also}")
    return lines


def accepted(text: str) -> dict[str, str]:
    """Names of vulnerabilities that are known and accepted, and why."""
    entries = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    reasons = {}
    for entry in entries:
        name, _, reason = (part.strip() for part in entry.partition(":"))
        if len(reason) < LEAST:
            raise SystemExit(f"{ACCEPTED.name}: every entry needs a reason, {name} has none.")
        reasons[name] = reason
    return reasons


if __name__ == "__main__":
    main()
