"""Visits to the page in a browser, and all that happened in them."""

import re
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Page, expect

PARTS = ("Release", "Understand", "Attack yourself", "Calibrate")
HERE = re.compile(r"(?:http|ws)://127\.0\.0\.1:\d+/|data:|blob:")
FIRST = {  # what is there when a part has come up
    "Release": '[aria-label="Preview on a sample"] .np-picture svg',
    "Understand": 'svg[aria-label^="Where 500 releases"]',
    "Attack yourself": "text=Texts whose authors are known",
    "Calibrate": "text=What do you want?",
}
AT_ONCE, BY_WORD = "Words of the whole text at once", "Word by word, as in the paper"
PATIENCE = 120_000  # milliseconds; cores are shared
expect.set_options(timeout=PATIENCE)


@dataclass
class Visit:
    """A page, what its console complained about, whom it asked, and what it was told."""

    page: Page
    errors: list = field(default_factory=list)
    asked: list = field(default_factory=list)
    heard: list = field(default_factory=list)

    def watch(self):
        """Note everything from now on, in pages that open from this one too."""
        self.page.context.on("console", self._said)
        self.page.context.on("weberror", lambda error: self.errors.append(str(error.error)))
        self.page.context.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", self._connected)
        return self

    @property
    def elsewhere(self):
        return [url for url in self.asked if not HERE.match(url)]

    def go(self, part):
        """Open a part, and wait until it is drawn."""
        self.page.get_by_role("tab", name=part).click()
        expect(self.page.locator(FIRST[part]).first).to_be_visible()
        return self

    def choose(self, way):
        """Choose a way on the part that is shown."""
        self.page.get_by_label("How it is released").locator("visible=true").click()
        self.page.get_by_role("option", name=way).click()

    def by(self, way):
        """Choose how a text is released, by words, and wait for its preview."""
        self.choose(way)
        expect(self.picture).to_have_attribute("aria-label", re.compile("^Words released of"))
        return self

    def text(self, text, author):
        """Write a text of an author, and wait until the page has both."""
        self.page.get_by_label("Your text").fill(text)
        self.page.get_by_label("Whose text is it?").fill(author)
        expect(self.button).to_be_enabled()

    @property
    def button(self):
        return self.page.get_by_role("button", name=re.compile("Release |[Eε] = "))

    @property
    def result(self):
        return self.page.get_by_role("region", name="Your release")

    @property
    def alert(self):
        """What the page says went wrong; notices that come and go are no such."""
        return self.page.locator("[role=alert].np-warn").filter(has_text=re.compile(r"\w"))

    @property
    def picture(self):
        """The map of a word, or what came out for a sample."""
        return self.page.locator(", ".join([FIRST["Release"], FIRST["Understand"]]))

    def _said(self, message):
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _connected(self, line):
        self.asked.append(line.url)
        line.on("framereceived", lambda frame: self.heard.append(str(frame)))


@contextmanager
def visiting(browser, address, *, width=1280, height=900, theme="light"):
    """A visit in a profile of its own, which ends with it."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=theme,
        reduced_motion="reduce",
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(PATIENCE)
    try:
        visit = Visit(context.new_page()).watch()
        visit.page.goto(address)
        expect(visit.page.get_by_text("of 100 spent").first).to_be_visible()
        expect(visit.picture).to_be_visible()
        yield visit
    finally:
        context.close()
