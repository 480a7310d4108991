"""How often canaries were looked for, and found: every case, canary and place in one figure.

python -m tests.soak.canary --json tests/soak/results/canary.json
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.cli.conftest import environment
from tests.cli.leak_cases import CASES
from tests.cli.leak_failures import BUGS, KILLED, WATCHED
from tests.cli.leaks import hits, places, played, world
from tests.cli.starter import Starter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = searched()
    print(json.dumps(found, indent=2))
    if given.json:
        given.json.parent.mkdir(exist_ok=True)
        given.json.write_text(json.dumps(found) + "\n")
    sys.exit(bool(found["hits"] or found["ended otherwise"]))


def searched() -> dict[str, object]:
    """All cases, one after the other, each in a world of its own."""
    starter, began, tally, wrong, others = Starter(), time.monotonic(), Counter(), [], []
    for kind in (CASES, BUGS, KILLED, WATCHED):
        for name, case in kind.items():
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                (folder / "tmp").mkdir()
                before = world(folder)
                env = {**environment(folder), "NOMDEPLUME_CACHE": str(folder / "cache")}
                done = played(starter, folder, case, env)
                left = places(done, folder, before)
                found, count = hits(case, left)
            tally.update(cases=1, places=len(left), combinations=count)
            wrong += [f"{name}: {each}" for each in found]
            others += [name] if done.returncode != case.code else []
    starter.close()
    seconds = round(time.monotonic() - began)
    return {**tally, "seconds": seconds, "hits": wrong, "ended otherwise": others}


if __name__ == "__main__":
    main()
