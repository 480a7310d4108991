"""Attack yourself: whom the best attacker names before and after a release."""

from __future__ import annotations

from asyncio import to_thread

from nicegui import ui

from nomdeplume.errors import InputError
from nomdeplume.web.attack import DEMO, Asked, Attacked, attack, named_correctly
from nomdeplume.web.corpus import read, speaks
from nomdeplume.web.door import MOST
from nomdeplume.web.panels.parts import Choice, Screen, dropped, heading, picture, sound, words
from nomdeplume.web.panels.running import Running
from nomdeplume.web.pictures.bars import names
from nomdeplume.web.pictures.paper import share
from nomdeplume.web.pictures.trade import trade
from nomdeplume.web.reports import Reports
from nomdeplume.web.studio import Studio

NONE, READING = "No file yet.", "Reading your file …"
SHOWN = 400  # texts that can be picked
SPREAD = (0.25, 0.5, 1.0, 2.0, 4.0)  # budgets beside the chosen one, as multiples of it


class AttackPanel:
    """A corpus with authors, a budget, and what attackers make of it."""

    def __init__(self, studio: Studio, screen: Screen) -> None:
        self.studio, self.screen = studio, screen
        self.data: bytes | None = None
        self.usable = self.attacking = False
        self.found: Attacked | None = None
        with ui.element("div").classes("np-two"):
            with ui.element("div").classes("np-col"):
                heading("Texts whose authors are known")
                self.corpus = words("")
                self.demo = ui.button("Use the speeches instead", on_click=self._speeches).props(
                    "flat dense color=primary"
                )
                dropped(
                    "or drop a .jsonl file: text, author and, if known, topic",
                    ".jsonl,.ndjson",
                    MOST - (1 << 16),
                    self._dropped,
                )
                self.choice = Choice(self._changed, ways=self.studio.ways)
                self.button = ui.button("Attack", on_click=self._attack).props(
                    "unelevated color=primary"
                )
                self.running = Running()
                words(
                    "Releases made here are for looking only: they are thrown away, and not "
                    "charged. Nothing of the file is kept when the page is closed.",
                    "np-soft",
                )
            with ui.element("div").classes("np-col"):
                self._results()
        self.card.set_visibility(False)
        self.reports = Reports.here()
        self._speeches()
        screen.on_change(self._drawn)

    def _results(self) -> None:
        self.card = (
            ui.element("section")
            .classes("np-card")
            .props('aria-label="What attackers tell" aria-live=polite')
        )
        with self.card:
            self.headline = words("", "np-big")
            self.about = words("", "np-soft")
            self.pick = ui.select({}, label="A text", on_change=self._drawn, with_input=True).props(
                "outlined dense options-dense"
            )
            self.bars = picture()
            heading("Author, from one text, over topic, at each setting", 3)
            self.trade = picture()
            self.link = ui.link("The full report", "#", new_tab=True)

    def _speeches(self) -> None:
        """Attack what ships with the page, if the table is of that language."""
        there = speaks(self.studio.vocabulary)
        self._take(None, f"{DEMO}: speeches of presidents, to try it" if there else NONE)
        self.usable = there
        self.demo.set_visibility(False)
        self._ready()

    def _take(self, data: bytes | None, said: str) -> None:
        """Other texts: an attack that is under way is not about them."""
        self.running.cancel()
        self._forget()
        self.running.complaint.set_text("")
        self.data, self.usable = data, False
        self.corpus.set_text(said)

    def _changed(self) -> None:
        """Clear what is shown, which was about another setting, unless an attack is running."""
        if not self.attacking:
            self._forget()

    def _forget(self) -> None:
        """Clear what is shown, which was about other texts or another budget."""
        self.found = None
        self.card.set_visibility(False)

    def _ready(self) -> None:
        self.button.set_enabled(self.usable and not self.attacking)

    async def _dropped(self, data: bytes) -> None:
        self._take(data, READING)
        self._ready()
        self.demo.set_visibility(speaks(self.studio.vocabulary))
        try:
            said, usable = f"Your file: {await to_thread(lambda: str(read(data)))}", True
        except Exception as error:  # a page has nobody else to tell
            said, usable = NONE, False
            if self.data is data:
                self.running.refuse(error)
        if self.data is data:  # and no other one was dropped meanwhile
            self.data = data if usable else None
            self.corpus.set_text(said)
            self.usable = usable
            self._ready()

    def _asked(self) -> Asked:
        way = self.choice.way
        chosen = self.choice.value if way.by_odds else self.choice.budget
        return Asked(
            corpus=self.data,
            name=DEMO if self.data is None else "your texts",
            mechanism=way.mechanism,
            decode=way.decode,
            budgets=tuple(way.near(float(f"{chosen * times:.3g}")) for times in SPREAD),
            chosen=chosen,
            size=self.choice.size,
            vocabulary=self.studio.vocabulary,
        )

    async def _attack(self) -> None:
        try:
            asked = self._asked()
        except InputError as error:
            self.running.refuse(error)
            return
        self._forget()
        self.attacking = True
        self._ready()
        found = await self.running.run(attack, asked)
        self.attacking = False
        self._ready()
        if isinstance(found, Attacked) and not self.card.is_deleted:
            self._show(found)

    def _show(self, found: Attacked) -> None:
        self.found = found
        results, cell = found.results, found.results.cells[found.chosen]
        named = named_correctly(results.clean, cell)
        odds, budget = cell.symbol == "w", cell.budget or 0.0
        at = f"odds of {budget:,.0f} to 1" if odds else f"E = {budget:g}"
        self.headline.set_text(f"Named correctly at {at}: {named}")
        promised = ""
        if cell.ceiling is not None:
            most = share(cell.ceiling)
            promised = f" By the promise alone, nobody can be right more than {most} of the time."
        self.about.set_text(
            f"Of {len(results.authors)} authors, by the best attacker: {found.before_attacker} "
            f"on single texts, {found.after_attacker} on single releases, who learnt from such "
            "releases. "
            f"Guessing is right {share(results.chance or 0.0)} of the time.{promised} Shares below "
            "are right as often as they say on average over all texts; some texts are told more "
            "surely than that, others less."
        )
        texts = found.named[:SHOWN]
        labels = {
            i: sound(f"{each.place + 1}: {each.author}" + (f", {each.topic}" if each.topic else ""))
            for i, each in enumerate(texts)
        }
        self.pick.set_options(labels, value=0)
        self.link.props(f'href="{self.reports.put(found.page)}"')
        self.card.set_visibility(True)
        self._drawn()

    def _drawn(self) -> None:
        if self.found is None or self.pick.value is None:
            return
        named, narrow = self.found.named[self.pick.value], self.screen.narrow
        self.bars.set_content(names(named.before, named.after, author=named.author, narrow=narrow))
        found = self.found
        self.trade.set_content(trade(found.results, found.chosen, narrow=narrow))
