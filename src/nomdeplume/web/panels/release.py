"""Release: a text in, a passage or words out, once, charged; previews are of samples only."""

from __future__ import annotations

from asyncio import to_thread
from contextlib import suppress

from nicegui import events, ui

from nomdeplume.errors import InputError, PlumeError, Unreadable
from nomdeplume.formats.decode import decode
from nomdeplume.web.latest import REST, Latest, said
from nomdeplume.web.panels.parts import (
    Choice,
    Reading,
    Screen,
    complaint,
    dropped,
    heading,
    picture,
    words,
)
from nomdeplume.web.panels.result import UNSAVED, Result
from nomdeplume.web.pictures.bars import budget, gauge
from nomdeplume.web.pictures.cloud import cloud
from nomdeplume.web.pictures.passages import chances, passages
from nomdeplume.web.studio import (
    LONGEST,
    TOO_LONG,
    Preview,
    Released,
    Spent,
    Studio,
    characters,
    mark,
)
from nomdeplume.web.telling import stated
from nomdeplume.web.ways import ENOUGH, amount

MOST = 4 * LONGEST  # bytes of a dropped text: a sign takes four at most
LATER = 1.0  # seconds without a move of the slider
AUTHOR = "me"
ONCE, AGAIN = "Release my text, once: spends", "Release it again: spends another"
NOT_HERE = (
    "What is in the field has not arrived here: wait a moment and press again. If that does not "
    "help, it is too long to be sent."
)
NOT_SAVED = "The release before was charged and is nowhere else: copy or save it first."
LABEL = "Your text"
# A press brings a mark of what the field holds: that is what must be released, and nothing before.
PRESSED = f"""() => {{
  {UNSAVED};
  const text = document.querySelector('textarea[aria-label="{LABEL}"]').value;
  let mark = 0;
  for (let i = 0; i < text.length; i++) mark = (Math.imul(mark, 31) + text.charCodeAt(i)) >>> 0;
  emit([text.length, mark]);
}}"""
OF_TEXT = " (of this text, under whatever name it was released)"


class ReleasePanel:
    """One text, one author, one budget."""

    def __init__(self, studio: Studio, screen: Screen) -> None:
        self.studio, self.screen = studio, screen
        self.account: Spent | None = None  # unknown until the ledger was looked at
        self.of = ""  # the way whose account it is
        self.unaccounted = False  # as the ledger cannot be read
        self.shown: Preview | None = None  # of the sample
        self.busy = False  # with a release: there is one at a time
        with ui.element("div").classes("np-two"):
            with ui.element("div").classes("np-col"):
                self._text()
                self._spending()
            with ui.element("div").classes("np-col"):
                self.result = Result(screen)
                self._samples()
        self.previews = Latest(studio.preview, self._preview, self._failed)
        self.promises = Latest(stated, self.promise.set_content, self._unstated, rest=REST)
        self.accounts = Latest(studio.spent, self._account, self._unaccounted)
        self.rested = Latest(int, lambda _: self._account_of(), self._unaccounted, rest=LATER)
        screen.on_change(self._drawn)
        ui.timer(0.01, self._begin, once=True)

    def take(self, way: str, value: float, size: int) -> None:
        """Another way, budget and size, as somebody found elsewhere."""
        self.choice.take(way, value, size)

    def _begin(self) -> None:
        self._account_of()
        self._asked()

    def _text(self) -> None:
        heading(LABEL)
        self.text = (
            ui.textarea("Paste it here", on_change=self._written)
            .props(
                "outlined debounce=250 spellcheck=false autocomplete=off input-style=height:8rem"
            )
            .props(f'aria-label="{LABEL}" maxlength={LONGEST + 1}')  # refused, not left out
        )
        dropped("or drop a .txt or .md file", ".txt,.md", MOST, self._dropped)
        self.author = (
            ui.input("Whose text is it?", value=AUTHOR, on_change=self._account_of)
            .props("outlined dense debounce=300 autocomplete=off")
            .props('hint="What texts of one author spend adds up. The name is kept as a hash."')
        )

    def _spending(self) -> None:
        self.choice = Choice(self._changed, ways=self.studio.ways)
        self.gauge = picture()
        self.room = words("", "np-soft")
        self.fits = words("")
        self.button = ui.button("Release my text, once").props("unelevated color=primary")
        self.button.on("click", self._release, js_handler=PRESSED)  # from now on it may be charged
        self.made_for = words("", "np-soft")
        self.refused = complaint()

    def _samples(self) -> None:
        titles = list(self.studio.samples)
        with ui.element("section").classes("np-card").props('aria-label="Preview on a sample"'):
            heading("Preview, on a sample and not on your text")
            words(
                "Moving the slider makes a fresh release of a text that ships with this page. Your "
                "own text is released when you press the button, and only then: many releases of "
                "it together would tell what it says.",
                "np-soft",
            )
            self.sample = ui.select(
                titles, value=titles[0], label="Sample", on_change=self._changed
            ).props("outlined dense options-dense")
            with ui.expansion("Read the sample").props("dense"):
                self.reading = words(self.studio.samples[titles[0]], "np-soft")
            self.picture = picture()
            self.chances = words("", "np-soft")
            self.drawn = Reading()
            self.complaint = complaint()
            heading("What it promises", 3)
            self.promise = ui.html("", sanitize=False)

    def _changed(self) -> None:
        """The slider, the way, the size or the sample."""
        self._asked()
        if self.choice.name != self.of:
            self._account_of()
        self.rested()  # to look at the ledger again, which others may use

    def _asked(self) -> None:
        """Show what would come of it."""
        self.reading.set_text(self.studio.samples[self.sample.value])
        try:
            asked = (self.choice.name, self.choice.value, self.choice.size)
        except PlumeError as error:
            self.refused.set_text(said(error))
            self._ready()
            return
        self.refused.set_text("")
        self.complaint.set_text("")
        self.previews(*asked, self.sample.value)
        self.promises(self.studio, *asked)
        self._gauged()

    def _preview(self, found: Preview) -> None:
        self.shown = found
        self.made_for.set_text(found.made_for)
        around = found.around
        self.chances.set_text(chances(around) if around else "")
        self.drawn.show(found.content if around else "", around.passage if around else None)
        self._drawn()

    def _drawn(self) -> None:
        if found := self.shown:
            narrow, label = self.screen.narrow, "Words released of the sample"
            self.picture.set_content(
                passages(found.around, narrow=narrow)
                if found.around
                else cloud(found.counts, label=label, narrow=narrow)
            )
        self.result.drawn()

    def _failed(self, sentence: str) -> None:
        self.complaint.set_text(sentence)

    def _unstated(self, sentence: str) -> None:
        self.promise.set_content("")
        self._failed(sentence)

    def _dropped(self, data: bytes) -> None:
        self.refused.set_text("")
        try:
            found = decode(data)
        except Unreadable as error:
            self.refused.set_text(said(error))
            return
        if characters(found.text) > LONGEST:
            self.refused.set_text(TOO_LONG)
            return
        self.text.set_value(found.text)
        if found.remark:
            ui.notify(f"The file is {found.remark}.")

    def _written(self) -> None:
        self.refused.set_text("")
        self._account_of()

    def _account_of(self) -> None:
        """Look up what the author and the text have spent."""
        if self.of != self.choice.name:  # each way may have a ledger of its own
            self.of, self.account = self.choice.name, None
        self._ready()
        self.accounts(self.of, self.author.value or "", self.text.value or "")

    def _account(self, found: Spent) -> None:
        if self.unaccounted:
            self.refused.set_text("")
        self.account, self.unaccounted = found, False
        self._gauged()

    def _unaccounted(self, sentence: str) -> None:
        self.account, self.unaccounted = None, True
        self.gauge.set_content("")
        self.room.set_text("")
        self.refused.set_text(sentence)
        self._ready()

    def _gauged(self) -> None:
        found = self.account
        with suppress(InputError):  # a size that is none yet
            asked = self.choice.budget
            if found is not None:
                self.gauge.set_content(gauge(found.spent, found.limit, asked))
                whose = OF_TEXT if found.text > found.author else ""
                self.room.set_text(budget(found.spent, found.limit, asked) + whose)
        self._ready()

    def _ready(self) -> None:
        """The button says what it would cost, or why it cannot be pressed."""
        try:
            spends = self.choice.budget
        except InputError:
            self.button.disable()
            return
        self.fits.set_text("")
        found = self.account
        room = found is not None and spends <= found.left * ENOUGH
        if self.busy:
            self.button.set_text("Releasing …")
        elif found is not None and not room:
            price = self.choice.way.price(spends)
            self.button.set_text(f"{price} is more than the {amount(found.left)} left")
            self.fits.set_text(self.choice.fitting(found.left))
        else:
            once = AGAIN if found is not None and found.text else ONCE
            self.button.set_text(f"{once} {self.choice.way.price(spends)}")
        self.button.set_enabled(bool((self.text.value or "").strip()) and room and not self.busy)

    async def _release(self, pressed: events.GenericEventArguments) -> None:
        if self.busy:
            return
        if pressed.args != mark(self.text.value or ""):
            self.refused.set_text(NOT_HERE)
            self.result.keep()
            return
        if self.result.unsaved:
            self.refused.set_text(NOT_SAVED)
            return
        self.busy = True
        self._ready()
        self.refused.set_text("")
        try:
            asked = (self.choice.name, self.choice.value, self.choice.size)
            found, promise = await self._made(self.text.value or "", self.author.value or "", asked)
        except Exception as error:  # whatever it was, nothing was released
            self.refused.set_text(said(error))
            self.result.nothing_to_save()
        else:
            self.result.show(found, promise)
            ui.notify("Released, and charged to the ledger.", type="positive")
        self.busy, self.account = False, None  # what is left is asked for before another one
        self._account_of()

    async def _made(
        self, text: str, author: str, asked: tuple[str, float, int]
    ) -> tuple[Released, str]:
        """State the promise, then release under it: nothing that can fail comes after a charge."""
        promise = await to_thread(stated, self.studio, *asked)
        if self.result.card.is_deleted:
            raise InputError("who would see it has left, so nothing was released.")
        return await to_thread(self.studio.release, text, author, *asked), promise
