"""What was found, in sentences; and what it does not say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from nomdeplume.evaluate.frontier import author_of, clean_author, clean_topic, several, topic_of

Cell = Mapping[str, Any]
ONE_EACH = (
    "Only single documents were attacked: no two authors have 5 or more. Several documents of one "
    "author give away more than one."
)


def conclusion(results: Mapping[str, Any]) -> list[str]:
    """Before, after at the best balance, from one text and several, and what topic alone says."""
    return list(_concluded(results, results["clean"], results["cells"]))


def caveats(results: Mapping[str, Any]) -> list[str]:
    """What a reader has to know before relying on the figures."""
    return list(_caveats(results))


def balanced(results: Mapping[str, Any]) -> int | None:
    """The cell that keeps most of the topic for what it gives away of the author.

    Both in parts of what clean texts give: topic kept less author above the floor.
    """
    cells = results["cells"]
    if not cells:
        return None
    return max(range(len(cells)), key=lambda i: _balance(results, cells[i]))


def _balance(results: Mapping[str, Any], cell: Cell) -> float:
    topic, author = topic_of(cell), author_of(cell)
    whole, told = clean_topic(results["clean"]), clean_author(results["clean"])
    kept = topic["value"] / whole["value"] if topic and whole and whole["value"] else 0.0
    if not (author and told):
        return kept
    low = results["floors"]["chance"]
    return float(kept - (author["value"] - low) / max(told["value"] - low, 1e-9))


def _concluded(results: Mapping[str, Any], clean: Cell, cells: Sequence[Cell]) -> Iterator[str]:
    corpus, author, topic = results["corpus"], clean_author(clean), clean_topic(clean)
    if author:
        more = several(partial(clean_author, clean))
        yield (
            f"As they are, the author of {_share(author)} of the {corpus['documents']:,} texts is "
            f"named right among {corpus['authors']:,}, where chance is "
            f"{_percent(results['floors']['chance'])}"
            + (f"; from {more[0]} documents of one author, {_share(more[1])}." if more else ".")
        )
        if not more:
            yield ONE_EACH
    if topic:
        yield f"Of {corpus['topics']:,} topics, {_share(topic)} are told right from clean texts."
    place = balanced(results)
    if place is None:
        return
    cell = cells[place]
    after, kept = author_of(cell), topic_of(cell)
    at = f"Under {_named(cell)}" if len(cells) == 1 else f"The best balance tried is {_named(cell)}"
    said = []
    if after:
        who = "the best attacker" + ", who knows the mechanism," * (cell["budget"] is not None)
        alone = f"{who} names the right author for {_share(after)} of single documents"
        said.append(f"{alone}{_from_several(cell, _share)}")
    if kept:
        said.append(f"{_share(kept)} of the topics are told from releases")
    yield f"{at}: {', and '.join(said)}."
    if after:
        yield _against_floor(results, after)
    yield from _least(cells, place)


def _from_several(cell: Cell, said: Callable[[Mapping[str, float]], str]) -> str:
    """Return a clause with the figure of several documents, if any author has so many."""
    more = several(partial(author_of, cell))
    return f" and {said(more[1])} from {more[0]} of one author" if more else ""


def _against_floor(results: Mapping[str, Any], after: Mapping[str, float]) -> str:
    """Return a sentence that compares the attack on one document with a blind guess."""
    oracle = results["floors"]["topic_oracle"]
    floor = oracle or results["floors"]["majority"]
    what = (
        "who knows nothing but the true topic" if oracle else "who always names the most prolific"
    )
    known = f"Someone {what} is right in {_percent(floor['value'])}; from one document"
    if after["value"] <= floor["high"]:
        return f"{known} these attackers do no better than that."
    if after["low"] <= floor["high"]:
        return f"{known}, whether the release gives away more, so few texts cannot tell."
    return f"{known}, what lies above that, the release gives away."


def _least(cells: Sequence[Cell], place: int) -> Iterator[str]:
    """Where authors are told least, if that is elsewhere."""
    told = {i: author["value"] for i, cell in enumerate(cells) if (author := author_of(cell))}
    if not told:
        return
    least = min(told, key=told.__getitem__)
    if least != place:
        kept = topic_of(cells[least])
        rest = f", with {_share(kept)} of the topics" if kept else ""
        more = _from_several(cells[least], lambda figure: _percent(figure["value"]))
        yield (
            f"Authors are named least under {_named(cells[least])}: for {_percent(told[least])} of "
            f"single documents{more}{rest}."
        )


def _caveats(results: Mapping[str, Any]) -> Iterator[str]:
    cells, protocol = results["cells"], results["protocol"]
    if results["authors"]:
        yield (
            "Stronger attackers than these may exist: what these fail to find is no promise. What "
            "is promised is the guarantee below."
        )
        yield (
            "The best attacker of each cell is picked after the fact, which flatters the attack a "
            "little."
        )
    if any(each["budget"] is not None for each in cells):
        yield (
            f"Each text was released {protocol['draws']} times to measure this. In earnest it is "
            "released once: several releases add up, and so do the documents of one author."
        )
    if any(cell["not_private"] for cell in cells):
        yield "The noise was seeded, so that the run can be repeated: its releases are not private."
    if any(cell["covers"] for cell in cells):
        yield "Some promises leave out part of what texts can differ in; the guarantee says what."
    few = [each["documents"] for each in results["authors"]]
    if few and min(few) < 10:
        yield f"Some authors have only {min(few)} texts; what is said of single authors is rough."
    yield (
        "All figures are about private texts and come under no promise: keep them to those who "
        "may see the corpus."
    )


def _named(cell: Cell) -> str:
    if cell["budget"] is None:
        return str(cell["title"])
    budget, size = f"E = {cell['budget']:.4g}", cell["size"]
    words = "" if size is None else f" with {size:,} words"
    if cell["epsilon"] is None:
        return f"{cell['title']} at {budget}{words}"
    return f"{cell['title']} at ε = {cell['epsilon']:.4g}{words} ({budget})"


def _share(figure: Mapping[str, float]) -> str:
    return f"{_percent(figure['value'])} ({_percent(figure['low'])} to {_percent(figure['high'])})"


def _percent(share: float) -> str:
    value = 100 * share
    return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.1f} %"
