"""Labelled texts for `nomdeplume evaluate`: a corpus, one to try, or releases with their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nomdeplume.errors import InputError, got

if TYPE_CHECKING:
    from nomdeplume.cli.evaluate import EvaluateOptions
    from nomdeplume.evaluate.labelled import Labelled
    from nomdeplume.formats.records import Record

SOTU = "sotu"
USUAL = ("author", "topic")  # fields that are used where they are there


@dataclass(frozen=True, eq=False)
class Read:
    """A corpus, what it is called, and its releases where others made them."""

    corpus: Labelled
    name: str
    released: Sequence[Sequence[str]] = ()
    group_field: str = ""
    lacking: int = 0  # records without a label


def read(names: tuple[str, ...], options: EvaluateOptions) -> Read:
    """The corpus that is named, without those who have too few texts."""
    if names == (SOTU,) and not Path(SOTU).exists():
        return _sotu(options)
    if not names:
        raise InputError("name a corpus to evaluate on, or sotu to try it; see --help.")
    records, fields = _records(names, options)
    corpus = _labelled(records, fields)
    name = ", ".join(Path(name).name for name in names)
    return Read(_enough(corpus, options), name, lacking=corpus.left_out)


def elsewhere(original: str, options: EvaluateOptions) -> Read:
    """Original texts and the releases that others made of them, by id, else by order."""
    records, fields = _records((original,), options)
    draws = [_aligned(name, records, options) for name in options.released]
    whole = _labelled(records, fields)
    corpus = _enough(whole, options)
    places = corpus.places.tolist() if corpus.places is not None else []
    released = [[draw[i] for i in places] for draw in draws]
    if not any(map(str.strip, chain.from_iterable(released))):
        raise InputError("the releases are empty: there is nothing to judge.")
    return Read(corpus, Path(options.released[0]).name, released, lacking=whole.left_out)


def texts_of(name: str, options: EvaluateOptions) -> Iterator[str]:
    """The texts of a file, one after the other."""
    return (record.text for record in _opened((name,), options, ()))


def _enough(corpus: Labelled, options: EvaluateOptions, usual: int = 5) -> Labelled:
    """Without those who have too few texts, and numbered instead of named if that is wanted."""
    least = usual if options.min_documents is None else options.min_documents
    kept = corpus.with_at_least(least)
    return kept.without_names() if options.hide_authors else kept


def _sotu(options: EvaluateOptions) -> Read:
    """Speeches to try it on; a speech is never torn apart, unless somebody says otherwise."""
    from nomdeplume.evaluate.labelled import Labelled
    from nomdeplume.evaluate.sotu import documents

    if options.split_field:
        raise InputError("sotu has no split; leave --split-field out.")
    found = list(documents())
    given = {"author": "author", "topic": "topic", "group": "speech"}
    fields = given | {name: options.labels[name] for name in given if name in options.labels}
    for field in fields.values():
        if field not in found[0]:
            raise InputError(f"no field {got(field)} in sotu; it has {', '.join(found[0])}.")
    columns = {name: [record[field] for record in found] for name, field in fields.items()}
    corpus = Labelled.of(
        [record["text"] for record in found],
        columns["author"],
        columns["topic"],
        groups=columns["group"],
    )
    return Read(_enough(corpus, options, 20), SOTU, group_field=fields["group"])


def _records(
    names: tuple[str, ...], options: EvaluateOptions
) -> tuple[list[Record], Mapping[str, str]]:
    """All records that can be read, and the fields of their labels.

    Author and topic are looked for under their usual names, and one of them may be missing;
    a field that somebody named must be there.
    """
    fields = dict(options.labels)
    guessed = [name for name in USUAL if name not in fields]
    while True:
        tried = {**fields, **{name: name for name in guessed}}
        try:
            return list(_opened(names, options, tuple(tried.values()))), tried
        except InputError as error:
            missing = [name for name in guessed if f"no field {name!r} in" in str(error)]
            if not missing or len(tried) == 1:
                raise
            guessed.remove(missing[0])


def _opened(
    names: tuple[str, ...], options: EvaluateOptions, keep: tuple[str, ...]
) -> Iterator[Record]:
    """The records of files; those that cannot be read are told and left out."""
    from nomdeplume.cli.progress import progress
    from nomdeplume.formats.records import Fields

    reading = options.reading
    source = reading.opened(names, Fields(reading.text_field, reading.id_field, keep))
    with progress(source, shown=options.shown, hint="") as (tell, advance):
        for record in source.records:
            if not record.unreadable:
                yield record
                advance()
            else:
                tell(f"{record.place}: left out: {record.unreadable}")


def _labelled(records: Sequence[Record], fields: Mapping[str, str]) -> Labelled:
    from nomdeplume.evaluate.labelled import Labelled

    columns = {
        name: [record.fields.get(field) for record in records] for name, field in fields.items()
    }
    return Labelled.of(
        [record.text for record in records],
        columns.get("author"),
        columns.get("topic"),
        groups=columns.get("group"),
        split=columns.get("split"),
    )


def _aligned(name: str, records: Sequence[Record], options: EvaluateOptions) -> list[str]:
    """The released texts in the order of the originals.

    Releases are numbered in that order unless their ids were kept.
    """
    released, field = list(_opened((name,), options, ())), options.reading.id_field
    ids = [[record.fields.get(field) for record in each] for each in (records, released)]
    original, found = (list(map(str, each)) for each in ids)
    numbers = [str(number) for number in range(1, len(released) + 1)]
    numbered = found == numbers or _numbered_by_shard(found)
    alike = set(original) <= set(found)
    if numbered and alike and original != [each for each in found if each in set(original)]:
        raise InputError(
            f"the documents of {name} are numbered, and the originals have the same numbers in "
            "another order; release them with --keep id, or put the originals in this order."
        )
    by_order = numbered and not alike
    if not by_order and all(any(one is not None for one in each) for each in ids):
        by_id = {str(one): record.text for one, record in zip(ids[1], released, strict=True)}
        if not (all(map(_tells_apart, ids)) and set(map(str, ids[0])) <= set(by_id)):
            raise InputError(
                f"{name} and the originals have ids, but not the same ones, or some twice; name "
                "a field that tells documents apart: --id-field."
            )
        return [by_id[str(one)] for one in ids[0]]
    if len(released) != len(records):
        raise InputError(
            f"{name} holds {len(released):,} documents and the originals are {len(records):,}; "
            "to be matched they need the same ids (--id-field, --keep), or to be as many."
        )
    return [record.text for record in released]


def _numbered_by_shard(ids: Sequence[str]) -> bool:
    """Return True if these are the numbers of a sharded release: 1-1, 1-2, 2-1 and so on."""
    pairs = [each.split("-") for each in ids]
    if not all(len(pair) == 2 and pair[0].isdecimal() for pair in pairs):
        return False
    shards = [int(shard) for shard, _ in pairs]
    counts = Counter(shards)
    due = [f"{shard}-{i}" for shard in sorted(counts) for i in range(1, counts[shard] + 1)]
    return bool(ids) and list(ids) == due


def _tells_apart(ids: Sequence[Any]) -> bool:
    return all(one is not None for one in ids) and len(set(map(str, ids))) == len(ids)
