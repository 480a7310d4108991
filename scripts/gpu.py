"""All that needs a graphics card, in one go: the tests on it, then the benchmarks.

    python scripts/gpu.py [name …]

Output goes to benchmarks/results; names pick some of: tests, search, certified, others,
end_to_end. Nothing is installed: torch, Triton and pytest must be there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"

WITH_CARD = ["tests/card", "tests/gpu", "tests/cli/test_device.py"]
TESTS = ["-m", "pytest", "-q", "-m", "gpu", *WITH_CARD]
STEPS = {
    "tests": TESTS,
    **{
        name: [f"benchmarks/gpu_{name}.py"]
        for name in ("search", "certified", "others", "end_to_end")
    },
}


def main() -> int:
    import torch

    if not torch.cuda.is_available():
        print("no card here")
        return 2
    failed = []
    for name in sys.argv[1:] or STEPS:
        print(f"--- {name}", flush=True)
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, *STEPS[name]],
            cwd=ROOT,
            capture_output=name == "tests",
            text=True,
            check=False,
        )
        if name == "tests":
            print(done.stdout[-8000:], done.stderr[-2000:], flush=True)
            tested(done.stdout, torch)
        if done.returncode:
            failed.append(name)
        print(f"--- {name}: {time.perf_counter() - began:.0f} s", flush=True)
    print("failed:", ", ".join(failed) or "nothing")
    return len(failed)


def tested(output: str, torch: object) -> None:
    """How many tests passed, on what."""
    found = re.findall(r"(\d+) (passed|failed|skipped)", output)
    counts = {what: int(count) for count, what in found}
    about = {
        "card": torch.cuda.get_device_name(),  # type: ignore[attr-defined]
        "torch": str(torch.__version__),  # type: ignore[attr-defined]
    }
    text = json.dumps({**about, **counts}, indent=2)
    (RESULTS / "gpu-tests.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
