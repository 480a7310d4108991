"""The summary of an evaluation: its frontier, the best balance, conclusions and caveats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.frontier import by_attack, by_budget
from nomdeplume.evaluate.results import Cell, Results, Summary, several

ONE_EACH = (
    "Only single documents were attacked: no two authors have 5 or more. Several documents of one "
    "author give away more than one."
)


def summary(results: Results) -> Summary:
    """The summary of results that have none yet."""
    cells, corpus = results.cells, results.corpus
    return Summary(
        by_budget=by_budget(cells),
        by_author_budget=by_budget(cells, corpus.documents / corpus.authors)
        if corpus.authors
        else (),
        by_attack=by_attack(results),
        balance=balanced(results),
        conclusion=conclusion(results),
        caveats=caveats(results),
    )


def conclusion(results: Results) -> tuple[str, ...]:
    """Sentences: clean texts, then releases at the best balance, from one text and from several."""
    return tuple(_concluded(results))


def caveats(results: Results) -> tuple[str, ...]:
    """Sentences that a reader must know before relying on the figures."""
    return tuple(_caveats(results))


def balanced(results: Results) -> int | None:
    """Place of the cell that keeps most of the topic for what it gives away of the author.

    Both in parts of what clean texts give: topic kept less author above the floor.
    """
    balances = [_balance(results, cell) for cell in results.cells]
    return balances.index(max(balances)) if balances else None


def _balance(results: Results, cell: Cell) -> float:
    topic, author = cell.topic_accuracy, cell.author()
    whole, told = results.clean.topic_accuracy, results.clean.author()
    kept = topic.value / whole.value if topic and whole and whole.value else 0.0
    if not (author and told):
        return kept
    low = results.chance or 0.0
    return kept - (author.value - low) / max(told.value - low, 1e-9)


def _concluded(results: Results) -> Iterator[str]:
    corpus, clean, cells = results.corpus, results.clean, results.cells
    author, topic = clean.author(), clean.topic_accuracy
    if author:
        more = several(clean.attackers)
        yield (
            f"As they are, the author of {_share(author)} of the {corpus.documents:,} texts is "
            f"named right among {corpus.authors:,}, where chance is "
            f"{_percent(results.chance or 0.0)}"
            + (f"; from {more[0]} documents of one author, {_share(more[1])}." if more else ".")
        )
        if not more:
            yield ONE_EACH
    if topic:
        yield f"Of {corpus.topics:,} topics, {_share(topic)} are told right from clean texts."
    place = balanced(results)
    if place is None:
        return
    cell = cells[place]
    after, kept = cell.author(), cell.topic_accuracy
    at = f"Under {_named(cell)}" if len(cells) == 1 else f"The best balance tried is {_named(cell)}"
    said = []
    if after:
        who = "the best attacker" + ", who knows the mechanism," * (cell.budget is not None)
        alone = f"{who} names the right author for {_share(after)} of single documents"
        said.append(f"{alone}{_from_several(cell, _share)}")
    if kept:
        said.append(f"{_share(kept)} of the topics are told from releases")
    yield f"{at}: {', and '.join(said)}."
    if after:
        yield _against_floor(results, after)
    if cell.ceiling is not None:
        yield (
            f"By its promise alone, nobody names more than {_percent(cell.ceiling)} of single "
            "documents right on average, whatever they know of the authors."
        )
    yield from _least(cells, place)


def _from_several(cell: Cell, said: Callable[[Figure], str]) -> str:
    """Return a clause with the figure of several documents, if any author has so many."""
    more = several(cell.adaptive)
    return f" and {said(more[1])} from {more[0]} of one author" if more else ""


def _against_floor(results: Results, after: Figure) -> str:
    """Return a sentence that compares the attack on one document with the best blind guess."""
    *_, (_, floor) = results.blind
    what = (
        "who knows nothing but the true topic"
        if results.floors and results.floors.topic_oracle
        else "who always names the most prolific"
    )
    known = f"Someone {what} is right in {_percent(floor.value)}; from one document"
    if after.value <= floor.high:
        return f"{known} these attackers do no better than that."
    if after.low <= floor.high:
        return f"{known}, whether the release gives away more, so few texts cannot tell."
    return f"{known}, what lies above that, the release gives away."


def _least(cells: Sequence[Cell], place: int) -> Iterator[str]:
    """A sentence about the cell in which authors are named least, if it is another one."""
    told = {i: author.value for i, cell in enumerate(cells) if (author := cell.author())}
    if not told:
        return
    least = min(told, key=told.__getitem__)
    if least != place:
        kept = cells[least].topic_accuracy
        rest = f", with {_share(kept)} of the topics" if kept else ""
        more = _from_several(cells[least], lambda figure: _percent(figure.value))
        yield (
            f"Authors are named least under {_named(cells[least])}: for {_percent(told[least])} of "
            f"single documents{more}{rest}."
        )


def _caveats(results: Results) -> Iterator[str]:
    if results.authors:
        yield (
            "Stronger attackers than these may exist: what these fail to find is no promise. What "
            "is promised is the guarantee below."
        )
        yield (
            "The best attacker of each cell is picked after the fact, which flatters the attack a "
            "little."
        )
    if any(cell.budget is not None for cell in results.cells):
        yield (
            f"Each text was released {_times(results.protocol.draws)} to measure this. In earnest "
            "it is released once: several releases add up, and so do the documents of one author."
        )
    if any(cell.not_private for cell in results.cells):
        yield "The noise was seeded, so that the run can be repeated: its releases are not private."
    if any(cell.covers for cell in results.cells):
        yield "Some promises leave out part of what texts can differ in; the guarantee says what."
    fewest = min((each.documents for each in results.authors), default=10)
    if fewest < 10:
        yield f"Some authors have only {fewest} texts; what is said of single authors is rough."
    yield (
        "All figures are about private texts and come under no promise: keep them to those who "
        "may see the corpus."
    )


def _named(cell: Cell) -> str:
    if cell.budget is None:
        return cell.title
    budget, size = f"{cell.symbol} = {cell.budget:.4g}", cell.size
    words = "" if size is None else f" with {size:,} words"
    if cell.epsilon is None:
        return f"{cell.title} at {budget}{words}"
    return f"{cell.title} at ε = {cell.epsilon:.4g}{words} ({budget})"


def _share(figure: Figure) -> str:
    return f"{_percent(figure.value)} ({_percent(figure.low)} to {_percent(figure.high)})"


def _percent(share: float) -> str:
    value = 100 * share
    return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.1f} %"


def _times(count: int) -> str:
    """A number of times in words: once, or `3 times`."""
    return "once" if count == 1 else f"{count} times"
