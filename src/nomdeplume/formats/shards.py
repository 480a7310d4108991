"""What a release of many shards has beside them."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from nomdeplume import strict_json
from nomdeplume.formats.writing import line_of

MANIFEST = "_manifest.json"
SUCCESS = "_SUCCESS"  # there, and empty, only when all shards are


def amiss(folder: Path, digest: str, documents: int) -> str:
    """What is wrong with what lies beside the shards of a release; nothing if all is right."""
    success, manifest = folder / SUCCESS, folder / MANIFEST
    if not success.is_file() or success.stat().st_size:
        return f"no empty {SUCCESS} among them"
    try:
        told = strict_json.loads(manifest.read_text(encoding="utf-8"))
        listed = [(each["sha256"], each["name"], each["documents"]) for each in told["shards"]]
        lines = sorted(line_of(sha, name) for sha, name, _ in listed)
        whole = set(told) == {"format", "program", "documents", "shards"}
        whole = whole and all(
            set(each) == {"name", "sha256", "documents"} for each in told["shards"]
        )
        whole = whole and told["documents"] == sum(count for _, _, count in listed) == documents
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return f"{MANIFEST} cannot be read"
    right = whole and sha256(b"".join(lines)).hexdigest() == digest
    return "" if right else f"{MANIFEST} lists others"
