"""A calibration as it is told: the answer first, then the curve that it lies on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from textwrap import fill
from typing import Any

from nomdeplume.calibrate.between import Bounded
from nomdeplume.calibrate.curve import Curve
from nomdeplume.calibrate.dial import Dial, Point
from nomdeplume.calibrate.effect import Effect
from nomdeplume.calibrate.substitutes import Substitutes, share
from nomdeplume.mechanism import Mechanism
from nomdeplume.privacy.loss import up

WIDTH = 79
HERE = "→"  # before the row of the answer


@dataclass(frozen=True, eq=False)
class Report:
    """What was found: a curve, and if something was asked for, the point of it that answers."""

    dial: Dial
    curve: Curve
    answer: Point | None = None
    size: int = 100
    command: str = ""  # that does what the answer says
    mechanism: Mechanism | None = None  # at the answer
    bounded: Bounded | None = None
    likely: tuple[Substitutes, ...] = ()

    def __str__(self) -> str:
        paragraphs = [
            "\n".join([*(fill(line, WIDTH) for line in self.sentences()), self.command]).strip(),
            "\n".join(fill(str(each), WIDTH, subsequent_indent="  ") for each in self.likely),
            "\n".join(_aligned(self.rows(), self._at)),
            fill(self.basis, WIDTH),
        ]
        return "\n\n".join(each for each in paragraphs if each)

    @property
    def title(self) -> str:
        """The mechanism, how it decodes, and what else was given."""
        return self.dial.recipe.title

    @property
    def table(self) -> str:
        """The table's name and its size, and how many of its words are kept."""
        table, kept = self.dial.vocabulary.table, len(self.dial.vocabulary)
        words = f"{len(table):,} words × {table.dimensions}, {kept:,} kept"
        return f"{table.name} ({words})"

    def sentences(self) -> Iterator[str]:
        """The answer: ε, what it does to words, what it adds up to, what two texts lose."""
        if self.answer is None or self.answer.epsilon is None:
            return
        epsilon, effect = self.answer.epsilon, self.answer.effect
        yield f"ε = {epsilon:g}: {_told(effect)}."
        unit = f", per unit of {self.mechanism.guarantee.metric.name}" if self.mechanism else ""
        yield f"E = {epsilon * self.size:.6g} for documents of {self.size:,} words{unit}."
        if self.bounded:
            yield _lost(self.bounded)
        if self.mechanism and (covers := self.mechanism.declaration.covers):
            yield covers

    @property
    def basis(self) -> str:
        """Which words were looked at and how, so how exact the numbers are."""
        effect, panel = (self.answer or self.curve.points[0]).effect, self.dial.panel
        words = f"all {len(panel):,}" if panel.whole else f"{len(panel):,} of {panel.of:,}"
        how = "by its chances" if not effect.draws else f"by {effect.draws} draws of each"
        said = [f"Of {self.title} on {self.table}: {words} kept words, {how}."]
        if self.answer and effect.error > 1e-6:
            said.append(f"The standard error of unchanged is {effect.error:.2g}.")
        said.append(
            "Near is one of the 100 nearest other words, moved the mean distance from a word to "
            "what is released, alike the chance that two releases of a word are the same, support "
            + ("1/alike." if effect.draws else "e to the entropy of what comes out, on average.")
        )
        if not self.curve.exact:
            said.append("ε of the other rows was not looked for: it is between a and 2a.")
        return " ".join(said)

    def rows(self) -> list[list[str]]:
        """The curve as a table: names of columns, then a row a point."""
        numbers = ["a", "ε", "2a"] if self.curve.by_a else ["ε"]
        heads = [*numbers, "unchanged", "near", "far", "support", "alike", "moved"]
        return [heads, *(self._row(point) for point in self.curve.points)]

    def facts(self) -> dict[str, Any]:
        """All of it, for programs."""
        table, panel = self.dial.vocabulary.table, self.dial.panel
        facts: dict[str, Any] = {
            "mechanism": self.dial.recipe.mechanism,
            "recipe": self.title,
            "table": table.name,
            "fingerprint": table.fingerprint,
            "kept": len(self.dial.vocabulary),
            "words": {"looked_at": len(panel), "of": panel.of},
            "answer": self.answer and _facts(self.answer),
            "curve": [_facts(point) for point in self.curve.points],
        }
        if self.answer and self.answer.epsilon:
            facts |= {"size": self.size, "budget": self.answer.epsilon * self.size}
            facts["command"] = self.command
        if self.bounded:
            facts["between"] = {"loss": self.bounded.loss, "loss_at_delta": self.bounded.at_delta}
        if self.likely:
            facts["substitutes"] = [
                {**asdict(each), "likely": [list(pair) for pair in each.likely]}
                for each in self.likely
            ]
        return facts

    def _row(self, point: Point) -> list[str]:
        effect = point.effect
        epsilon = "" if point.epsilon is None else f"{point.epsilon:.4g}"
        first = [f"{point.value:.4g}", epsilon, f"{point.bound:.4g}"]
        shares = [f"{each:.3f}" for each in (effect.unchanged, effect.near, effect.far)]
        rest = [amount(effect.support), f"{effect.alike:.2g}", f"{effect.moved:.3g}"]
        return [*(first if self.curve.by_a else first[:1]), *shares, *rest]

    @property
    def _at(self) -> int | None:
        """Which row of the table answers."""
        points = self.curve.points
        found = [i for i, point in enumerate(points, start=1) if point is self.answer]
        return found[0] if found else None


def amount(value: float) -> str:
    """A number of words."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _told(effect: Effect) -> str:
    """What becomes of words, in words."""
    stay, near, far = (_hundred(each) for each in (effect.unchanged, effect.near, effect.far))
    over = f"at least {amount(effect.support)}" if effect.draws else amount(effect.support)
    return (
        f"about {stay} in 100 words stay, {near} become one of their 100 nearest words and {far} "
        f"another; a word is spread over {over} words, moves by {effect.moved:.3g} on average, and "
        f"comes out the same twice with a chance of {share(effect.alike)}"
    )


def _hundred(part: float) -> str:
    value = 100 * part
    return f"{value:.0f}" if value >= 9.5 or value < 0.05 else f"{value:.1f}".removesuffix(".0")


def _lost(bounded: Bounded) -> str:
    pure = f"Between the two texts at most {up(bounded.loss, 4)} nats are lost"
    if bounded.at_delta is None:
        return f"{pure}, a factor of {bounded.loss.factor}."
    return f"{pure}, and up to that δ at most {up(bounded.at_delta, 4)}."


def _facts(point: Point) -> dict[str, Any]:
    first = {"value": point.value, "epsilon": point.epsilon, "bound": point.bound}
    return {**first, **asdict(point.effect), "far": point.effect.far}


def _aligned(rows: list[list[str]], at: int | None) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        mark = f"{HERE if number == at else ' '} " if at else ""
        yield f"{mark}{'  '.join(cells)}".rstrip()
