"""Pieces that several parts of the page are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from inspect import isawaitable
from typing import Any

from nicegui import events, ui

from nomdeplume.errors import InputError
from nomdeplume.library import Passage
from nomdeplume.web.ways import HIDES, KEEPS, SIZE, SIZES, STEPS, WAYS, Way

# Quasar gives the button within an upload no name, and makes another after each file.
NAMED = """({el}) => {
  const name = () => el.querySelector(".q-btn")?.setAttribute("aria-label", el.ariaLabel);
  name();
  new MutationObserver(name).observe(el, {childList: true, subtree: true});
}"""
NARROW = 600  # px: pictures below are drawn for a phone


class Screen:
    """How wide the page is, and who wants to know when that changes."""

    def __init__(self) -> None:
        self.narrow, self._told = False, list[Callable[[], None]]()
        ui.element("q-resize-observer").props("debounce=150").on(
            "resize", self._resized, args=[["width"]]
        )

    def on_change(self, tell: Callable[[], None]) -> None:
        self._told.append(tell)

    def _resized(self, event: events.GenericEventArguments) -> None:
        size = event.args[0] if isinstance(event.args, list) else event.args
        narrow = float(size["width"]) < NARROW
        if narrow != self.narrow:
            self.narrow = narrow
            for tell in self._told:
                tell()


class Slider(ui.element):
    """A browser's own slider, which keyboards and screen readers know.

    Where it stands is told to the page only if it was not its reader who moved it: an answer
    that comes late would move it back under their hand.
    """

    def __init__(self, value: int, moved: Callable[[], None]) -> None:
        super().__init__("input")
        self.value, self._told = value, moved
        self.classes("np-slider").props(f"type=range min=0 max={STEPS} step=1")
        self.props(f'aria-label="How much is kept: left {HIDES}, right {KEEPS}"')
        self._props["^value"] = value  # an attribute: where it stands at first
        emit = "(e) => emit(Number(e.target.value))"
        self.on("input", self._moved, throttle=0.03, js_handler=emit)

    def set_value(self, value: int) -> None:
        """Move it."""
        self.value = value
        self.client.run_javascript(f"getHtmlElement({self.id}).value = {value}")

    def say(self, said: str) -> None:
        """What that means."""
        self._props["aria-valuetext"] = said
        self.update()

    def _moved(self, event: events.GenericEventArguments) -> None:
        self.value = int(event.args)
        self._told()


class Size(ui.number):
    """A field for how many words a release has; what is none is said, and not mended unasked."""

    def __init__(self, label: str, changed: Callable[[], None] = lambda: None) -> None:
        super().__init__(label, value=SIZE, min=SIZES[0], max=SIZES[1], step=1)
        self.props("outlined dense debounce=300").on_value_change(self._marked)
        self.on_value_change(changed)

    @property
    def size(self) -> int:
        """What it holds, if that is a size."""
        given = self.value
        if given is None or not SIZES[0] <= given <= SIZES[1] or int(given) != given:
            raise InputError(
                f"the number of words must be a whole one from {SIZES[0]} to {SIZES[1]}."
            )
        return int(given)

    def _marked(self) -> None:
        """A field that holds none looks so."""
        try:
            wrong = not self.size
        except InputError:
            wrong = True
        self.props["error"] = wrong
        self.update()

    def sanitize(self) -> None:
        """Leave it as it was written: NiceGUI would take the nearest size there is."""


class Choice:
    """A way of releasing, a slider over what it spends, and a size."""

    def __init__(
        self,
        changed: Callable[[], None],
        *,
        ways: Iterable[str],
        first: str = "",
        size: bool = True,
    ) -> None:
        self._changed = changed
        self._exact: dict[tuple[str, float], float] = {}  # what was found elsewhere, as it is
        names = {name: WAYS[name].label for name in ways}
        self.select = ui.select(
            names,
            value=first or next(iter(names)),
            label="How it is released",
            on_change=self._another,
        ).props("outlined dense options-dense")
        self.about = ui.label(self.way.about).classes("np-soft")
        self.shown = ui.label().classes("np-big")
        self.slider = Slider(self.way.step(self.way.usual), self._moved)
        with ui.element("div").classes("np-ends").props("aria-hidden=true"):
            ui.html(HIDES, tag="span", sanitize=False)
            ui.html(KEEPS, tag="span", sanitize=False)
        self.number = Size("Words in the release", self._moved) if size else None
        self._name()

    @property
    def name(self) -> str:
        return str(self.select.value)

    @property
    def way(self) -> Way:
        return WAYS[self.name]

    @property
    def value(self) -> float:
        step = self.slider.value
        return self._exact.get((self.name, step)) or self.way.value(step)

    @property
    def size(self) -> int:
        return SIZE if self.number is None or self.way.by_odds else self.number.size

    @property
    def budget(self) -> float:
        return self.way.budget(self.value, self.size)

    def fitting(self, left: float) -> str:
        """How much of a word-by-word release would fit, if any does."""
        return self.way.fitting(self.value, left)

    def take(self, way: str, value: float, size: int) -> None:
        """Another way, where its slider stands, and another size."""
        self.select.set_value(way)
        if self.number is not None:
            self.number.set_value(size)
        step = self.way.step(value)
        self._exact = {(way, step): value}
        self.slider.set_value(step)
        self._moved()

    def _another(self) -> None:
        self.about.set_text(self.way.about)
        self.slider.set_value(self.way.step(self.way.usual))
        self._moved()

    def _moved(self) -> None:
        self._name()
        self._changed()

    def _name(self) -> None:
        """What the slider stands at, for eyes and for screen readers."""
        way = self.way
        said = way.stated(self.value)
        if self.number is not None:
            self.number.set_visibility(not way.by_odds)
            with suppress(InputError):  # a size that is none yet
                said += f", {way.price(self.budget)} for the text" * way.by_word
        self.shown.set_text(said[:1].upper() + said[1:] if way.by_odds else said)
        self.slider.say(said)


class Reading:
    """A passage below its title, or words."""

    def __init__(self, kind: str = "") -> None:
        self.title = words("", "np-title")
        self.text = words("", f"np-words {kind}")

    def show(self, content: str, passage: Passage | None) -> None:
        name = passage.title[:1].upper() + passage.title[1:] if passage else ""
        self.title.set_text(f"{name} ({passage.field})" if passage and passage.field else name)
        self.title.set_visibility(passage is not None)
        self.text.set_text(content)


def picture() -> ui.html:
    """Where a picture goes."""
    return ui.html("", sanitize=False).classes("np-picture")


def words(text: str, kind: str = "") -> ui.label:
    return ui.label(text).classes(kind)


def heading(text: str, level: int = 2) -> None:
    ui.html(text, tag=f"h{level}", sanitize=False)


def complaint() -> ui.label:
    """Where it says what went wrong; screen readers say it at once."""
    return ui.label("").classes("np-warn").props('role="alert"')


def sound(text: str) -> str:
    """A text that can be sent: half a surrogate pair, which none may hold, is a question mark."""
    return text.encode("utf-8", "replace").decode()


def dropped(label: str, kinds: str, most: int, taken: Callable[[bytes], Any]) -> ui.upload:
    """Where a file can be dropped or chosen; it stays in memory."""

    async def read(event: events.UploadEventArguments) -> None:
        found = taken(await event.file.read())
        box.reset()
        if isawaitable(found):
            await found

    def forget() -> None:
        """The route of an upload outlives its page, in a cache of FastAPI: let it hold nothing."""
        box._upload_handlers.clear()
        box._event_listeners.clear()

    def refuse() -> None:
        ui.notify(
            f"Only files that end in {kinds.replace(',', ' or ')}, of up to {most >> 20} MB.",
            type="warning",
        )

    def failed() -> None:
        ui.notify("The file did not arrive; is the studio still running?", type="warning")
        box.reset()

    box = ui.upload(
        label=label, auto_upload=True, max_file_size=most, on_upload=read, on_rejected=refuse
    ).props(f'accept="{kinds}" flat bordered aria-label="{label}"')
    box.on("failed", failed)
    box.on("vnodeMounted", js_handler=NAMED)
    ui.context.client.on_delete(forget)
    return box
