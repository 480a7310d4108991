"""Text → words: what of a text can become part of a bag, with how often it occurs.

Words are counted as soon as they are found, so the order of a text gets no
further than this module. Case, digits and punctuation end here too.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from unicode_segmentation_rs import unicode_words

from nomdeplume.errors import InputError, at, got
from nomdeplume.unspaced import LANGUAGES, Dictionary, runs

CHUNK = 1 << 20  # characters segmented together, which bounds memory on a long text
APOSTROPHES = "’‘ʼ′＇´"  # all of them written for it
INVISIBLE = "\u00ad\u200b\u2060\ufeff"  # soft hyphen, zero-width space, word joiner, BOM
JOINERS = "\u200c\u200d"  # part of words in Persian and in Indic scripts
ENDINGS = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "'em")
DETACHED = re.compile(r"\s+(n't|'(?:s|re|ve|ll|d|m))\b")
DIGIT = re.compile("[0-9]")
SPACED = str.maketrans(dict.fromkeys(string.punctuation, " "))
IRREGULAR = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"}
FUNCTION_WORDS = Path(__file__).parent / "data" / "stop-words-en.txt"


def words(text: str, language: str = "en", dictionary: Dictionary | None = None) -> Counter[str]:
    """Words of a text with their counts: lower case, letters only, contractions taken apart.

    Text of a language without spaces is parted by `dictionary`; without one, a run of
    letters is a word.

    >>> sorted(words("Don't panic: the U.S.A. won’t buy 12 e-mails!"))
    ['buy', 'do', 'e', 'mails', 'panic', 'the', 'usa', 'will']
    """
    found: Counter[str] = Counter()
    if language in LANGUAGES:
        for run in chain.from_iterable(map(runs, map(_plain, _parts(text)))):
            found.update(dictionary.parted(run) if dictionary else (run,))
        return found
    for segments in segmented(text, language):
        found.update(segments)
    kept = Counter({word: count for word, count in found.items() if word.isalpha()})
    if len(kept) < len(found):
        for word, count in found.items():
            for piece in () if word.isalpha() else pieces(word, language):
                kept[piece] += count
    return kept


def segmented(text: str, language: str) -> Iterator[list[str]]:
    """What Unicode's rules hold together, for a part of the text at a time.

    A segment of letters is a word, another is made of `pieces`.
    """
    for part in map(_plain, _parts(text)):
        yield unicode_words(_attached(part) if language == "en" else part)


def is_word(word: str, language: str = "en") -> bool:
    """Whether a text could contain `word` as one of its `words`."""
    if word.isascii():
        return word.isalpha() and word.islower()
    return words(word, language) == {word: 1}


@dataclass(frozen=True)
class StopWords:
    """Words left out of every bag: a named public list."""

    name: str
    words: frozenset[str]


def stop_words(*names: str, language: str = "en") -> StopWords:
    """All the lists named, as one."""
    lists = [_stop_words(name, language) for name in names]
    return StopWords(
        "+".join(each.name for each in lists), frozenset().union(*(each.words for each in lists))
    )


def _stop_words(name: str, language: str) -> StopWords:
    """The list called `name`: `short` (English function words), `iso`, `none`, or a file's path.

    `iso` is the stopwords-iso list of any of 58 languages. The long lists drop
    topic words (the English one `computer` and `world`), so `default` is `short` for English.
    """
    if name == "default":
        name = "short" if language == "en" else "iso"
    if name == "none":
        return StopWords("none", frozenset())
    if name == "short" and language == "en":
        return StopWords("short-en", _listed(FUNCTION_WORDS, language))
    if name == "iso":
        return StopWords(f"iso-{language}", _iso(language))
    if not Path(name).is_file():
        if Path(name).suffix:
            raise InputError(f"no file of stop words at {at(name)}.")
        raise InputError(
            f"stop words must be iso, none, a file, or (for English) short; got {got(name)}."
        )
    return StopWords("file", _listed(Path(name), language))


def _iso(language: str) -> frozenset[str]:
    import stopwordsiso

    if language not in stopwordsiso.langs():
        known = " ".join(sorted(stopwordsiso.langs()))
        raise InputError(
            f"no stop words are known for language {got(language)}; "
            f"give a list with --stop-words FILE, or one of {known}."
        )
    return _cleaned(stopwordsiso.stopwords(language), language)


def _listed(path: Path, language: str) -> frozenset[str]:
    """Words of a file, any number on a line; a line that begins with # is a comment."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"stop words must be UTF-8 text; {at(path)} is not.") from None
    return _cleaned((line for line in lines if not line.startswith("#")), language)


def _cleaned(entries: Iterable[str], language: str) -> frozenset[str]:
    return frozenset(words("\n".join(entries), language))


def _parts(text: str) -> Iterator[str]:
    """The text in pieces of at most CHUNK characters, cut at white space where there is any."""
    start = 0
    while start < len(text):
        part = text[start : start + CHUNK]
        if start + CHUNK < len(text) and not part[-1].isspace():
            last = part.rsplit(maxsplit=1)[-1]
            part = part[: -len(last)] or part
        yield part
        start += len(part)


def _plain(text: str) -> str:
    """One way to write each letter: composed, lower case, with one kind of apostrophe."""
    text = text.replace("`", "'")
    if not text.isascii():
        for sign in APOSTROPHES:
            text = text.replace(sign, "'")
        for sign in INVISIBLE:
            text = text.replace(sign, "")
        text = text.encode("utf-8", "replace").decode()  # a lone surrogate is no letter
        text = unicodedata.normalize("NFKC", text)
    text = text.lower()
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _attached(text: str) -> str:
    """English with `ca n't` and `it 's` written together again, as some corpora part them."""
    return DETACHED.sub(r"\1", text) if " '" in text or " n't" in text else text


def pieces(word: str, language: str) -> list[str]:
    """Words within what segmentation holds together: contractions, abbreviations, `snake_case`.

    A single letter left by an apostrophe (`t`, `s`, `l`) is no word.
    """
    if _has_digits(word):
        return []
    if language == "en":
        word = _uncontracted(word)
    if word.isalpha():
        return [word]
    if "." in word and all(len(letter) < 2 for letter in word.split(".")):
        word = word.replace(".", "")
    least = 2 if "'" in word else 1
    return [part for part in _split(word) if len(part) >= least and all(map(_is_letter, part))]


def _has_digits(word: str) -> bool:
    if word.isascii():
        return DIGIT.search(word) is not None
    return any(unicodedata.category(sign)[0] == "N" for sign in word)


def _uncontracted(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    for ending in ENDINGS if "'" in word else ():
        if word.endswith(ending):
            return _uncontracted(word.removesuffix(ending))
    return word


def _split(word: str) -> list[str]:
    """Runs of signs that are not punctuation, of which segmentation allows some within a word."""
    if word.isascii():
        return word.translate(SPACED).split()
    spaced = (" " if unicodedata.category(sign)[0] in "PS" else sign for sign in word)
    return "".join(spaced).split()


def _is_letter(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LM" or sign in JOINERS
