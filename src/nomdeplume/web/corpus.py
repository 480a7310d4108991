"""A labelled corpus to attack: from bytes that somebody dropped, or speeches to try it on."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nomdeplume.errors import InputError, Unreadable, got
from nomdeplume.evaluate import sotu
from nomdeplume.evaluate.labelled import Labelled
from nomdeplume.evaluate.report.wording import count
from nomdeplume.formats.decode import binary
from nomdeplume.formats.jsonl import parsed
from nomdeplume.formats.streams import lines, unpacked
from nomdeplume.vocabulary import Vocabulary

FILE = "the file"  # as messages call what somebody dropped, whose name is nobody's business
LANGUAGE = "en"  # of the speeches
LEAST = 3  # texts of an author, so that folds can be made of them
PRESIDENTS, PASSAGES = 12, 25  # of the speeches, so that an attack takes seconds

Fields = tuple[str, str, str]  # text, author, topic
Row = tuple[str, Any, Any]


@dataclass(frozen=True)
class Read:
    """A corpus, and what of its file is not in it."""

    corpus: Labelled
    bad: int = 0  # lines that are no text with an author
    first: str = ""  # of them: which, and why

    def __str__(self) -> str:
        """In words, without any of the texts."""
        corpus, few = self.corpus, self.corpus.left_out
        authors = len(corpus.author.names) if corpus.author else 0
        said = [f"{len(corpus):,} texts by {authors:,} authors"]
        if few:
            said.append(f"left out {count(few, 'text')} by authors with fewer than {LEAST}")
        if self.bad:
            said.append(f"left out {count(self.bad, 'line')}, the first because of {self.first}")
        return "; ".join(said).rstrip(".") + "."


def read(data: bytes, *, author: str = "author", topic: str = "topic", text: str = "text") -> Read:
    """The corpus in JSONL: an object with text and author on each line, and a topic if there is.

    Topics count if every text has one. Authors with fewer than three texts are left out, and so
    are lines that are something else, unless most are.
    """
    rows, bad = list[Row](), list[str]()
    for each in _rows(data, (text, author, topic)):
        if isinstance(each, str):
            bad.append(each)
        else:
            rows.append(each)
    if len(bad) > len(rows):
        raise InputError(f"{count(len(bad), 'line')} cannot be used, the first is {bad[0]}")
    if not rows:
        raise InputError(f"{FILE} holds no text; it must be JSONL, an object on each line.")
    texts, authors, topics = zip(*rows, strict=True)
    enough = [written >= LEAST for written in Counter(map(str, authors)).values()]
    if sum(enough) < 2:
        raise InputError(
            f"an attack needs at least two authors with {LEAST} texts each; of the "
            f"{count(len(enough), 'author')} in {FILE}, {sum(enough)} have that many."
        )
    known = None if any(map(_blank, topics)) else topics
    found = Labelled.of(texts, authors, known).with_at_least(LEAST)
    return Read(found, len(bad), bad[0] if bad else "")


def demo() -> Labelled:
    """Passages of twelve presidents, early and late ones; a speech is never torn apart."""
    written: dict[str, list[sotu.Passage]] = {}
    for passage in sotu.documents():
        written.setdefault(passage["author"], []).append(passage)
    full = [passages for passages in written.values() if len(passages) == sotu.MOST]
    kept = [
        passage
        for place in range(PRESIDENTS)
        for passage in sotu.evenly(full[place * len(full) // PRESIDENTS], PASSAGES)
    ]
    columns = [[passage[field] for passage in kept] for field in ("text", "author", "topic")]
    found = Labelled.of(*columns, groups=[passage["speech"] for passage in kept])
    return found.with_at_least(LEAST)


def speaks(vocabulary: Vocabulary) -> bool:
    """Whether a table is of the speeches' language."""
    return vocabulary.table.language == LANGUAGE


def _rows(data: bytes, fields: Fields) -> Iterator[Row | str]:
    """Text, author and topic of every line that is not blank, or why there are none."""
    content = unpacked(io.BufferedReader(io.BytesIO(data)), FILE)
    if what := binary(content.peek(16)):
        raise InputError(f"{FILE}: expected JSONL, got {what}.")
    for number, line in enumerate(lines(content, FILE), start=1):
        if not line.strip():
            continue
        try:
            yield _row(parsed(line)[0], fields)
        except Unreadable as error:
            yield f"line {number}: {error}"


def _row(data: dict[str, Any], fields: Sequence[str]) -> Row:
    text, author, topic = (data.get(field) for field in fields)
    if not isinstance(text, str):
        raise Unreadable(f"field {got(fields[0])} must be there and be a string.")
    if _blank(author):
        raise Unreadable(f"field {got(fields[1])} must be there and not be blank.")
    for field, value in zip(fields[1:], (author, topic), strict=True):
        if isinstance(value, dict | list):
            raise Unreadable(f"field {got(field)} must be a plain value, and is nested.")
    return text, author, topic


def _blank(value: Any) -> bool:
    return value is None or not str(value).strip()
