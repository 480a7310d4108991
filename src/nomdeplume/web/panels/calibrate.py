"""Calibrate: say what you want in words, get the ε or the budget that does it."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable

from nicegui import ui

from nomdeplume.errors import InputError, PlumeError
from nomdeplume.picture.writing import safe
from nomdeplume.web.calibration import AUTHOR, KINDS, PHRASES, Answer, Kind, calibrated
from nomdeplume.web.corpus import speaks
from nomdeplume.web.panels.parts import Size, heading, words
from nomdeplume.web.panels.running import Running
from nomdeplume.web.studio import Studio
from nomdeplume.web.telling import stated
from nomdeplume.web.ways import WAYS

BY_WORD = {name: way.label for name, way in WAYS.items() if way.by_word}
Use = Callable[[str, float, int], None]  # a way, its value, and a size


class CalibratePanel:
    """A phrase with a number, an answer, and what it means."""

    def __init__(self, studio: Studio, use: Use) -> None:
        self.studio, self.use = studio, use
        self.answer: Answer | None = None
        with ui.element("div").classes("np-two"):
            with ui.element("div").classes("np-col"):
                self._wishes()
            with ui.element("div").classes("np-col").props("aria-live=polite"):
                self.headline = words("", "np-big")
                self.told = ui.html("", sanitize=False)
                self.room = words("", "np-warn")
                self.taken = ui.button("Take it to Release", on_click=self._use).props(
                    "outline color=primary"
                )
                self.pictures = ui.html("", sanitize=False).classes("np-picture np-curves")
        self._empty()
        self._phrased()

    def _wishes(self) -> None:
        heading("What do you want?")
        english = speaks(self.studio.vocabulary)
        self.phrase = ui.select(
            {name: p.label for name, p in PHRASES.items() if english or p.name != AUTHOR},
            value="tenth",
            label="I want",
            on_change=self._phrased,
        ).props("outlined dense options-dense")
        self.number = ui.number("").props("outlined dense")
        self.way = ui.select(BY_WORD, value="laplace", label="How it is released").props(
            "outlined dense options-dense"
        )
        self.size = Size("Words in a release")
        self.about = words("", "np-soft")
        self.button = ui.button("Find it", on_click=self._find).props("unelevated color=primary")
        self.running = Running()

    @property
    def kind(self) -> Kind:
        return KINDS[PHRASES[self.phrase.value].name]

    def _phrased(self) -> None:
        phrase = PHRASES[self.phrase.value]
        self.number.props(f'label="{self.kind.label}"').set_value(phrase.value)
        self.way.set_visibility(phrase.name != AUTHOR)
        self.about.set_text(
            "Speeches of presidents are released at several budgets and attacked; that takes "
            "about half a minute. Whole texts at once."
            if phrase.name == AUTHOR
            else "Some hundred public words of the table are released at several ε; that takes "
            "about fifteen seconds. No text is needed."
        )

    async def _find(self) -> None:
        try:
            wish = (PHRASES[self.phrase.value].name, self.kind.checked(self.number.value))
            size = self.size.size
        except InputError as error:
            self.running.refuse(error)
            return
        self.button.disable()
        self._empty()
        try:
            await self._answer(wish, size)
        except PlumeError as error:
            self.running.refuse(error)
        finally:
            self.button.enable()

    async def _answer(self, wish: tuple[str, float], size: int) -> None:
        found = await self.running.run(
            calibrated, wish, self.way.value, self.studio.vocabulary, size
        )
        if isinstance(found, Answer):
            asked = (found.way, found.value, found.size)
            self._show(found, await to_thread(stated, self.studio, *asked))
            self.room.set_text(await to_thread(self._over, found))

    def _empty(self) -> None:
        """No answer any more: the last one was to another wish."""
        self.answer = None
        self.headline.set_text("")
        self.told.set_content("")
        self.pictures.set_content("")
        self.room.set_text("")
        self.taken.set_visibility(False)

    def _show(self, answer: Answer, promise: str) -> None:
        self.answer = answer
        self.headline.set_text(answer.headline)
        said = "".join(f"<p>{safe(each)}</p>" for each in answer.sentences)
        self.told.set_content(
            f"{said}<details><summary>How it was found</summary><p>{safe(answer.basis)}</p>"
            f"</details><h3>What it promises</h3>{promise}"
        )
        self.pictures.set_content("".join(answer.pictures))
        self.taken.set_visibility(True)

    def _over(self, answer: Answer) -> str:
        """Whether the ledger has no room for such a release, whoever's it is."""
        way, limit = WAYS[answer.way], self.studio.spent(answer.way, "").limit
        spends = way.budget(answer.value, answer.size)
        if spends <= limit:
            return ""
        return (
            f"A release would spend E = {spends:,.4g}, more than the {limit:,.4g} that the ledger "
            f"allows for a text. {way.fitting(answer.value, limit)}"
        ).strip()

    def _use(self) -> None:
        if self.answer is not None:
            self.use(self.answer.way, self.answer.value, self.answer.size)
