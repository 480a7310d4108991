"""What was fetched, when and from where: the file that later downloads are held to."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path
from secrets import token_hex
from typing import Self

from nomdeplume import strict_json
from nomdeplume.errors import TableError

DAY = r"\d{4}-\d\d-\d\d"


@dataclass(frozen=True)
class Origin:
    """A file as it was when it was first fetched."""

    sha256: str
    bytes: int
    url: str
    first_fetched: str  # a day, in UTC

    @property
    def is_sound(self) -> bool:
        """Whether it holds a hash and a day, which messages show."""
        stated = ((self.sha256, "[0-9a-f]+"), (self.first_fetched, DAY))
        return all(isinstance(text, str) and re.fullmatch(like, text) for text, like in stated)

    @classmethod
    def of(cls, path: Path, url: str) -> Self:
        """What the file at `path` is today."""
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        return cls(digest, path.stat().st_size, url, datetime.now(UTC).date().isoformat())


@dataclass(frozen=True)
class Provenance:
    """The origins of files by their names, in a JSON file that is written whole or not at all."""

    path: Path

    def origin(self, file: str) -> Origin | None:
        """What is recorded of the file of that name, if anything is."""
        return self._origins().get(file)

    def hold(self, file: str, found: Origin) -> None:
        """Refuse a file that is not the one that was recorded."""
        recorded = self.origin(file)
        if recorded and recorded.sha256 != found.sha256:
            raise TableError(
                f"{file} must be what was fetched on {recorded.first_fetched}, of SHA-256 "
                f"{recorded.sha256[:16]}…, got {found.sha256[:16]}… from {found.url}; it was "
                f"removed. If the change is known to be wanted, delete {file!r} from {self.path}."
            )

    def add(self, file: str, found: Origin) -> None:
        """Record a file, unless one of that name is."""
        origins = {file: found, **self._origins()}
        content = {name: asdict(origin) for name, origin in sorted(origins.items())}
        partial = self.path.with_name(f".{self.path.name}.{token_hex(4)}.partial")
        try:
            partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
            partial.replace(self.path)
        finally:
            partial.unlink(missing_ok=True)

    def _origins(self) -> dict[str, Origin]:
        if not self.path.is_file():
            return {}
        try:
            content = strict_json.loads(self.path.read_text(encoding="utf-8"))
            origins = {file: Origin(**origin) for file, origin in content.items()}
            if not all(each.is_sound for each in origins.values()):
                raise TypeError("no hash, or no day")
            return origins
        except (AttributeError, TypeError, ValueError):
            raise TableError(
                f"{self.path} must be the JSON that 'nomdeplume tables get' wrote, got something "
                "else; repair it, or delete it to trust the next downloads."
            ) from None
