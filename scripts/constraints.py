"""Pin the versions that `make` installs, as they are in a fresh environment.

    python scripts/constraints.py          # what the newest allowed versions are: needs an index
    python scripts/constraints.py --here   # what this environment holds

Writes constraints.txt. Run the tests under the new versions before it is committed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = ROOT / "constraints.txt"
HEAD = """\
# The versions that the tests were run with; `make` installs these.
# Triton is not among them: torch that is built for CUDA asks for a version of its own.
"""
LEFT_OUT = re.compile(r"(triton|nomdeplume|pip|setuptools|wheel|nvidia-.*|cuda-.*)$")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--here", action="store_true", help="pin what is installed here")
    frozen = _frozen(sys.executable) if arguments.parse_args().here else _fresh()
    FILE.write_text(written(frozen), encoding="utf-8")
    print(f"{FILE.name}: {len(pinned(frozen))} versions; run make test before you commit it.")


def written(frozen: str) -> str:
    """The file for what `pip freeze` says."""
    names = re.findall(r"^([A-Za-z0-9][\w.-]*)==([^\s+]+)", frozen, re.MULTILINE)
    kept = [(name, version) for name, version in names if not LEFT_OUT.match(plain(name))]
    lines = sorted((f"{name}=={version}" for name, version in kept), key=str.lower)
    return HEAD + "".join(f"{line}\n" for line in lines)


def pinned(text: str) -> dict[str, str]:
    """Versions by plain names."""
    found = re.findall(r"^([A-Za-z0-9][\w.-]*)==(\S+)", text, re.MULTILINE)
    return {plain(name): public(version) for name, version in found}


def plain(name: str) -> str:
    """A name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def public(version: str) -> str:
    """A version without what a builder adds, such as +cpu."""
    return version.partition("+")[0]


def _fresh() -> str:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = str(Path(folder) / "bin" / "python")
        subprocess.run([python, "-m", "pip", "install", "-q", f"{ROOT}[test]"], check=True)
        return _frozen(python)


def _frozen(python: str) -> str:
    command = [python, "-m", "pip", "freeze", "--disable-pip-version-check"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
