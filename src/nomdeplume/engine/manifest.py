"""What a release of many shards consists of: for everybody, and for those who hold the texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from nomdeplume import strict_json
from nomdeplume._version import __version__
from nomdeplume.engine.folders import Folder
from nomdeplume.engine.state import Entry
from nomdeplume.errors import InputError
from nomdeplume.formats.shards import MANIFEST, SUCCESS
from nomdeplume.formats.writing import line_of

FORMAT = 1

__all__ = ["MANIFEST", "SUCCESS", "changed", "hash_of", "names", "private", "public", "sources"]


def public(entries: Iterable[Entry]) -> str:
    """The shards and how many documents each holds: of the input it tells that, and no more."""
    there = [each for each in entries if each.target]
    shards = [
        {"name": each.target, "sha256": each.sha256, "documents": each.released} for each in there
    ]
    return _json({"documents": sum(each.released for each in there), "shards": shards})


def names(manifest: str) -> list[str]:
    """The shards that a manifest lists; nothing else in a folder is a release's to remove."""
    try:
        found = [each["name"] for each in strict_json.loads(manifest)["shards"]]
    except (ValueError, KeyError, TypeError):
        raise InputError("the manifest of the earlier release is damaged; remove it.") from None
    return [name for name in found if re.fullmatch(r"part-\d{5,}(\.\w+){1,2}", str(name))]


def changed(folder: Folder) -> str:
    """The first shard that is not as the manifest lists it; empty if all are."""
    try:
        shards = strict_json.loads(folder.read_text(MANIFEST))["shards"]
        listed = {str(each["name"]): str(each["sha256"]) for each in shards}
    except (OSError, ValueError, KeyError, TypeError):
        return MANIFEST
    for name, digest in listed.items():
        if folder.file(name) is None or folder.sha256(name) != digest:
            return name
    return ""


def private(entries: Iterable[Entry]) -> str:
    """From each input shard to its output shard, and what was withheld. It stays inside."""
    names = ("source", "size", "target", "sha256", "released", "refused")
    shards = [
        {name: getattr(each, name) for name in names} | {"withheld": len(each.withheld)}
        for each in entries
    ]
    return _json({"shards": shards})


def sources(manifest: str) -> dict[tuple[str, int], tuple[int, int]]:
    """How many were refused and withheld of each input shard, by its name and size."""
    try:
        shards = strict_json.loads(manifest)["shards"]
        return {
            (str(each["source"]), int(each["size"])): (int(each["refused"]), int(each["withheld"]))
            for each in shards
        }
    except (ValueError, KeyError, TypeError):
        raise InputError("the private manifest of the release is damaged; remove it.") from None


def hash_of(entries: Iterable[Entry]) -> str:
    """SHA-256 of the release, as of any folder: of the sorted lines that list its files."""
    lines = [line_of(each.sha256, each.target) for each in entries if each.target]
    return sha256(b"".join(sorted(lines))).hexdigest()


def _json(data: dict[str, Any]) -> str:
    told = {"format": FORMAT, "program": f"nomdeplume {__version__}", **data}
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"
