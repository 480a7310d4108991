"""A library: public texts in a fixed order, of which one is released for each private text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from nomdeplume import strict_json
from nomdeplume.errors import InputError, at, got
from nomdeplume.features.seen import Marks, among, mark, marks
from nomdeplume.library.model import Model

DATA = Path(__file__).parent.parent / "data"
FORMAT = 2
LEAST = 3  # texts of a library: fewer leave nothing to choose from
SHIPPED = "subjects-"  # and a language: the name of a library that ships
FIELDS = ("id", "title", "field", "words", "text")


@dataclass(frozen=True)
class Passage:
    """A public text: its id, its title, the field that it belongs to, and its key words."""

    id: str
    text: str
    title: str = ""
    field: str = ""
    words: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        return self.id, self.title, self.field, self.text, *self.words

    @property
    def all_words(self) -> str:
        """Everything that tells what it is about, as one text."""
        return " ".join((self.title, *self.words, self.text))


@dataclass(frozen=True, eq=False, repr=False)
class Library:
    """Passages in a fixed order. Their number, order and content are public.

    >>> library = Library.shipped("en")
    >>> library["hedges-fences"].title
    'hedges and fences'
    """

    passages: tuple[Passage, ...]
    name: str = "unnamed"
    language: str = "en"
    licence: str = ""
    model: Model | None = None  # by which its texts are scored; the embedding table without one
    ships: bool = False  # True if it ships with this program, so that no private text is in it

    def __post_init__(self) -> None:
        count = len(self.passages)
        if count < LEAST:
            raise InputError(f"a library needs at least {LEAST} texts, got {count}.")
        for what, some in (("ids", self._place), ("texts", self._place_of_text)):
            if len(some) < count:
                raise InputError(
                    f"{what} of a library must be distinct, got {count - len(some):,} repeated."
                )
        if not all(each.text.strip() and each.id for each in self.passages):
            raise InputError("every text of a library needs an id and a text that is not empty.")
        about = (self.name, self.language, self.licence)
        if not all(map(str.isprintable, (*about, *chain(*(each.parts for each in self.passages))))):
            raise InputError(
                "texts and names of a library must be of one line and without control characters."
            )
        model = self.model
        if model is not None and set(model.topics) != set(self.fields):
            raise InputError("the topics of a library's model must be those of its texts.")

    @classmethod
    def shipped(cls, language: str) -> Library:
        """The library that ships for a language; refused if there is none."""
        path = _shipped(language)
        if not path.is_file():
            raise InputError(
                f"no public texts ship for the language {got(language)}: name a library of them "
                "(--library FILE), or release words (--budget 20)."
            )
        return replace(cls.read(path), ships=True)

    @staticmethod
    def ships_for(language: str) -> bool:
        """True if a library ships for a language."""
        return _shipped(language).is_file()

    @classmethod
    def named(cls, name: str | Path, language: str = "en") -> Library:
        """The library in a file, or one that ships: by its name or, without one, by language."""
        code = str(name).removeprefix(SHIPPED)
        if not str(name):
            return cls.shipped(language)
        if code != str(name) and cls.ships_for(code) and not Path(name).exists():
            return cls.shipped(code)
        return cls.read(Path(name))

    @classmethod
    def read(cls, path: Path) -> Library:
        """The library in a file of `to_jsonl`: a header, then a passage on each line."""
        try:
            content = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
            head, *lines = map(strict_json.loads, content)
            if head["format"] != FORMAT:
                raise InputError(
                    f"this program reads libraries of format {FORMAT}, and {at(path)} has another; "
                    "build it again with nomdeplume library build."
                )
            name, language, licence = (str(head[key]) for key in ("name", "language", "licence"))
            model = Model.of(head["model"], language) if head["model"] else None
            return cls(tuple(map(_passage, lines)), name, language, licence, model)
        except OSError:
            raise InputError(f"no library can be read from {at(path)}.") from None
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, OverflowError):
            raise InputError(
                f"{at(path)} is not a library; build one with nomdeplume library build."
            ) from None

    def to_jsonl(self) -> str:
        """The content of a file that `read` reads."""
        head = {
            "format": FORMAT,
            "name": self.name,
            "language": self.language,
            "licence": self.licence,
            "model": self.model.facts() if self.model else None,
        }
        rows = [head, *({name: getattr(each, name) for name in FIELDS} for each in self.passages)]
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)

    def __len__(self) -> int:
        return len(self.passages)

    def __getitem__(self, id_: str) -> Passage:
        if id_ not in self._place:
            raise InputError(f"library {self.name} has no text with the id {got(id_)}.")
        return self.passages[self._place[id_]]

    def __repr__(self) -> str:
        return f"<Library {self.name}: {len(self):,} texts, {self.language}>"

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(each.text for each in self.passages)

    def holding(self, text: str) -> Passage:
        """The passage whose text this is; refused if it is none of the library's."""
        if text not in self._place_of_text:
            raise InputError(f"this text is not one of library {self.name}.")
        return self.passages[self._place_of_text[text]]

    @cached_property
    def fields(self) -> Mapping[str, int]:
        """The number of passages of each field, in order."""
        found: dict[str, int] = {}
        for each in self.passages:
            found[each.field] = found.get(each.field, 0) + 1
        return found

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all passages in order."""
        rows = [[getattr(each, name) for name in FIELDS] for each in self.passages]
        return sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()

    def has(self, text: str) -> bool:
        """True if a text has the words of a text of the library, each as often, in any order.

        Texts that its model was fitted on count too.
        """
        one = mark(text)
        return among(one, self._marks) or (self.model is not None and among(one, self.model.seen))

    @cached_property
    def _marks(self) -> Marks:
        return marks(map(mark, self.texts))

    @cached_property
    def _place(self) -> dict[str, int]:
        return {each.id: place for place, each in enumerate(self.passages)}

    @cached_property
    def _place_of_text(self) -> dict[str, int]:
        return {each.text: place for place, each in enumerate(self.passages)}


def one_line(text: str) -> str:
    """The text on one line, without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _passage(row: Mapping[str, Any]) -> Passage:
    """The passage of a line; what is not of its type is a TypeError."""
    id_, text, title, field = (row[name] for name in ("id", "text", "title", "field"))
    key_words = row["words"]
    parts = [id_, text, title, field, *key_words]
    if not isinstance(key_words, list) or not all(isinstance(each, str) for each in parts):
        raise TypeError
    return Passage(id_, text, title, field, tuple(key_words))


def _shipped(language: str) -> Path:
    return DATA / f"library-{language}.jsonl"
