"""Promises as the page tells them: a plain sentence, the odds they allow, and the exact words."""

from __future__ import annotations

import re

from nomdeplume.obfuscator import Obfuscator
from nomdeplume.picture.writing import safe
from nomdeplume.privacy.loss import Loss
from nomdeplume.privacy.promise import NONE, WEAK, state
from nomdeplume.web.studio import Studio
from nomdeplume.web.ways import WAYS

PAIRS = {  # reference texts, which are those of the samples
    "near": "our sample letter and the same in other words",
    "typical": "that letter and a notice",
    "far": "that letter and a report of a fault",
    "any": "any two texts at all",
}


def stated(studio: Studio, way: str, value: float, size: int) -> str:
    """What a release promises, as HTML; of whole texts by their means, which a pair loses by."""
    made = studio.obfuscator(way, value, size)
    sentences = [state(each, made.vocabulary, of_texts=False).sentence for each in made.guarantees]
    exact = "".join(f"<p>{powers(each)}</p>" for each in dict.fromkeys(sentences))
    details = f"<details><summary>The exact promise</summary>{exact}</details>"
    if WAYS[way].by_odds:
        return f"<p>{_by_odds(value)}</p>{details}"
    factors = _factors(studio.usual(way), made)
    if not factors:
        return f"<p>{safe(sentences[-1])}</p><p>{safe(NONE)}</p>"
    rows = "".join(
        f'<tr><th scope="row">{safe(PAIRS[pair])}</th><td>{powers(loss.factor)}</td></tr>'
        for pair, loss in factors.items()
    )
    any_two = factors["any"]
    weak = f'<p class="np-soft">{safe(WEAK)}</p>' if any_two > 10 else ""
    return (
        f"<p>{powers(_plainly(made, size, any_two.factor))}</p>"
        '<table class="np-odds"><caption>At most this factor, between</caption>'
        f"<tbody>{rows}</tbody></table>{weak}{details}"
    )


def powers(said: str) -> str:
    """A sentence as HTML, its exponents raised."""
    return re.sub(r"\^([\d.]*\d)", r"<sup>\1</sup>", safe(said))


def _factors(usual: Obfuscator, made: Obfuscator) -> dict[str, Loss]:
    """What a release loses between the reference texts, whose distances are found only once."""
    place = 0 if made.documents.of_texts > 1 else -1
    spent = made.guarantees[place].epsilon
    return {odds.pair: Loss(spent * odds.distance) for odds in usual.promises[place].odds}


def _by_odds(odds: float) -> str:
    """The promise of a stand-in, and what two of them add up to."""
    return (
        "Whoever reads this passage, whatever they know besides, can shift their odds between any "
        f"two texts, whatever these say, by at most {odds:,.0f} to 1. Odds of several releases "
        f"multiply: two of one author allow {odds**2:,.0f} to 1."
    )


def _plainly(made: Obfuscator, size: int, factor: str) -> str:
    """The sentence to read first: what one changed word can cost, or what any two texts can."""
    if one_word := made.documents.one_word():
        return one_word.sentence
    return (
        f"Whoever reads these {size} words, whatever they know besides, can shift their odds "
        f"between two texts by a factor of at most {factor}."
    )
