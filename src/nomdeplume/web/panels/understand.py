"""Understand: where noise sends a word, and what a release promises between two texts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nicegui import ui

from nomdeplume.between import Between
from nomdeplume.calibrate.neighbourhood import Landing, Neighbourhood
from nomdeplume.comparison import Distance
from nomdeplume.errors import InputError, PlumeError
from nomdeplume.mechanism.recipe import words_of
from nomdeplume.picture import svg
from nomdeplume.picture.writing import safe
from nomdeplume.privacy.random import secure
from nomdeplume.web.latest import REST, Latest, said
from nomdeplume.web.panels.parts import Choice, Screen, complaint, heading, picture, words
from nomdeplume.web.pictures.neighbours import neighbours
from nomdeplume.web.pictures.paper import share
from nomdeplume.web.studio import Studio, characters
from nomdeplume.web.telling import powers

DRAWS = 500  # of a word, for its picture
LONGEST = 10_000  # characters of a text whose plan is drawn: a few seconds at most
TOO_LONG = f"Texts may have up to {LONGEST:,} characters here; nomdeplume distance takes more."
ENOUGH = 40  # pairs of draws that were alike, for a second digit: they tell to a sixth
ONE = 1.05  # words, below which it is one
WORDS = ("harbour", "bread", "winter", "doctor")
NAMES = ("one text", "the other")


class UnderstandPanel:
    """A word and its surroundings; below, two texts."""

    def __init__(self, studio: Studio, screen: Screen) -> None:
        heading("One word")
        WordView(studio, screen)
        ui.separator().style("margin:1.5rem 0")
        heading("Two texts")
        TextsView(studio)


@dataclass(frozen=True)
class Landed:
    """A word's surroundings, and where draws of it went."""

    place: Neighbourhood
    landing: Landing


class WordView:
    """A word, a slider, and a live sample."""

    def __init__(self, studio: Studio, screen: Screen) -> None:
        self.studio, self.screen = studio, screen
        self.found: Landed | None = None
        self._place = lru_cache(maxsize=16)(self._around)
        with ui.element("div").classes("np-two"):
            with ui.element("div").classes("np-col"):
                self.word = (
                    ui.input("A word", value=self._first(), on_change=self._changed)
                    .props("outlined dense debounce=200 autocomplete=off spellcheck=false")
                    .props('hint="Any word of the table but stop words, such as the and of."')
                )
                self.choice = Choice(self._changed, ways=("laplace", "rank"), size=False)
                self.complaint = complaint()
                self.facts = ui.html("", sanitize=False).props("aria-live=polite")
            self.picture = picture()
        self.latest = Latest(self._landed, self._show, self._failed)
        screen.on_change(self._drawn)
        ui.timer(0.05, self._changed, once=True)

    def _first(self) -> str:
        """A word to begin with, that the table has."""
        vocabulary = self.studio.vocabulary
        common = vocabulary.table.words[int(vocabulary.ids[0])]
        return next((word for word in WORDS if word in vocabulary), common)

    def _changed(self) -> None:
        self.latest((self.word.value or "").strip().lower(), self.choice.name, self.choice.value)

    def _around(self, word: str) -> Neighbourhood:
        return Neighbourhood.of(self.studio.vocabulary, word)

    def _landed(self, word: str, way: str, value: float) -> Landed:
        mechanism = words_of(self.studio.obfuscator(way, value, 100).documents)
        place = self._place(word)
        return Landed(place, Landing.of(mechanism, place, secure(), draws=DRAWS))

    def _show(self, found: Landed) -> None:
        self.found = found
        self.complaint.set_text("")
        self._drawn()

    def _drawn(self) -> None:
        if self.found is None:
            return
        place, landing = self.found.place, self.found.landing
        narrow, known = self.screen.narrow, self.studio.vocabulary.table.words
        self.picture.set_content(neighbours(place, landing, words=known, narrow=narrow))
        self.facts.set_content(facts(landing))

    def _failed(self, sentence: str) -> None:
        self.found = None
        self.complaint.set_text(sentence)
        self.picture.set_content("")
        self.facts.set_content("")


def facts(landing: Landing) -> str:
    """What the draws say, as HTML."""
    low, high = (f"{100 * each:.0f}" for each in landing.interval)
    others = ", ".join(f"{safe(word)} {share(part)}" for word, part in landing.commonest[:6])
    return (
        f'<p class="np-big">It stays {share(landing.stays)} of the time</p>'
        f'<p class="np-soft">from {low} % to {high} %, as {landing.draws:,} draws tell; fresh ones '
        "with every move of the slider.</p>"
        f"<p>{spread(landing)}</p>"
        f"<p>{share(landing.near)} become a word of the map, {share(landing.elsewhere)} another. "
        f"Commonest: {others}.</p>"
    )


def spread(landing: Landing) -> str:
    """The effective number of substitutes, as HTML."""
    if not (landing.repeats or landing.exact):
        return "No two draws were the same: it is spread over more words than draws can tell."
    if landing.substitutes < ONE:
        return (
            "It is spread over <b>one</b> word, itself: two draws of it are all but always alike."
        )
    digits = 2 if landing.exact or landing.repeats >= ENOUGH else 1
    count = f"{float(f'{landing.substitutes:.{digits}g}'):,g}"
    return (
        f"It is spread over about <b>{count}</b> words, its effective number of substitutes: two "
        f"draws of it are alike about once in {count} times."
    )


class TextsView:
    """Two texts, how far they are apart, and the most that a release tells between them."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.distance = Distance(studio.vocabulary)
        self.pair: tuple[str, str] | None = None
        samples = list(studio.samples.values())
        with ui.element("div").classes("np-two np-even"):
            self.texts = [
                ui.textarea(f"{name.capitalize()}", value=text, on_change=self._rewritten)
                .props("outlined debounce=250 spellcheck=false input-style=height:8rem")
                .props(f'aria-label="{name.capitalize()}" maxlength={LONGEST + 1}')
                for name, text in zip(NAMES, (samples[0], samples[-1]), strict=True)
            ]
        with ui.element("div").classes("np-two"):
            with ui.element("div").classes("np-col"):
                self.choice = Choice(self._stated, ways=studio.ways, first="mean")
                self.button = ui.button("Compare", on_click=self._compare).props(
                    "unelevated color=primary"
                )
                self.complaint = complaint()
                self.promise = ui.html("", sanitize=False).props("aria-live=polite")
            with ui.element("div").classes("np-col"):
                self.told = words("", "np-big")
                self.picture = picture().classes("np-flow")
        self.flows = Latest(self._flow, self._show, self._failed)
        self.losses = Latest(self._between, self._told, self._failed, rest=REST)

    def _rewritten(self) -> None:
        """What is shown was about other texts."""
        self.pair = None
        self._failed("")

    def _compare(self) -> None:
        x, y = (each.value or "" for each in self.texts)
        try:
            self._check(x, y)
        except InputError as error:
            self.pair = None
            self._failed(said(error))
            return
        self.pair = x, y
        self.told.set_text("Comparing …")
        self.flows(x, y)
        self._stated()

    def _check(self, *texts: str) -> None:
        if max(map(characters, texts)) > LONGEST:
            raise InputError(TOO_LONG)
        for name, text in zip(NAMES, texts, strict=True):
            self.studio.check_words(text, name)

    def _flow(self, x: str, y: str) -> str:
        """The plan as a picture, which takes as long as a page may take to draw."""
        note = "These are words of both texts: no release, keep them to yourself."
        return svg(self.distance.flow(x, y), names=NAMES, note=note)

    def _show(self, drawn: str) -> None:
        if self.pair is None:  # rewritten meanwhile
            return
        self.told.set_text("")
        self.picture.set_content(drawn)

    def _stated(self) -> None:
        """What a release promises between the two, if there are two."""
        if self.pair is None:
            return
        try:
            asked = (self.choice.name, self.choice.value, self.choice.size)
        except PlumeError as error:  # a size that is none yet: the flow is what it was
            self.promise.set_content("")
            self.complaint.set_text(said(error))
            return
        self.losses(*self.pair, *asked)

    def _between(self, x: str, y: str, *asked: Any) -> str:
        found = Between.of(self.studio.obfuscator(*asked), x, y)
        rest = "".join(f"<p>{powers(each)}</p>" for each in found.sentences())
        return (
            '<p>A release can shift anyone\'s odds between them by at most</p><p class="np-big">'
            f"a factor of {powers(found.largest.factor)}</p><details><summary>How that is made up"
            f"</summary>{rest}</details>"
        )

    def _told(self, promise: str) -> None:
        if self.pair is None:
            return
        self.complaint.set_text("")
        self.promise.set_content(promise)

    def _failed(self, sentence: str) -> None:
        self.complaint.set_text(sentence)
        self.told.set_text("")
        self.picture.set_content("")
        self.promise.set_content("")
