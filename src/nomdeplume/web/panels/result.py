"""The release of a text: a passage, or words as a cloud and a list; its promise and its files."""

from __future__ import annotations

from nicegui import events, ui

from nomdeplume.web.panels.parts import Reading, Screen, heading, picture, words
from nomdeplume.web.pictures.cloud import cloud
from nomdeplume.web.studio import Released

LIST = "np-released"  # the passage, or the list of words, on the page
COPY = f"""async () => {{
  const list = document.querySelector(".{LIST}"), range = document.createRange();
  let done = false;
  try {{
    await navigator.clipboard.writeText(list.textContent.trim());
    done = true;
  }} catch {{  // not over plain HTTP from elsewhere: select the list, and ask in the old way
    range.selectNodeContents(list);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    done = document.execCommand("copy");
  }}
  emit(done);
}}"""
UNSAVED, SAVED = "window.unsaved = true", "window.unsaved = false"


class Result:
    """A card that appears with the first release."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.found: Released | None = None
        self.unsaved = False
        self.card = (
            ui.element("section")
            .classes("np-card")
            .props('aria-label="Your release" aria-live=polite')
        )
        with self.card:
            heading("Your release")
            self.picture = picture()
            self.content = Reading(LIST)
            self.made_for = words("", "np-soft")
            with ui.element("div").classes("np-row"):
                copy = ui.button("Copy the text").props("outline color=primary")
                copy.on("click", self._copied, js_handler=COPY)  # browsers copy on a click only
                ui.button("Save the text", on_click=self._save).props("outline color=primary")
                ui.button("Save the certificate", on_click=self._certify).props(
                    "outline color=primary"
                )
            words(
                "With both files, nomdeplume certificate checks that they belong together.",
                "np-soft",
            )
            heading("What it promises", 3)
            self.promise = ui.html("", sanitize=False)
        self.card.set_visibility(False)

    def show(self, found: Released, promise: str) -> None:
        self.found, self.unsaved = found, True
        self.made_for.set_text(found.made_for)
        self.content.show(found.content, found.passage)
        self.promise.set_content(promise)
        self.card.set_visibility(True)
        self.drawn()
        ui.run_javascript(UNSAVED)

    def keep(self) -> None:
        """Nothing came of it: what there was is saved or not, as before."""
        ui.run_javascript(UNSAVED if self.unsaved else SAVED)

    def nothing_to_save(self) -> None:
        """Let the page be left: the release was saved, or there is none."""
        self.unsaved = False
        ui.run_javascript(SAVED)

    def drawn(self) -> None:
        if self.found is not None:
            passage, narrow = self.found.passage, self.screen.narrow
            drawn = cloud(self.found.counts, label="Released words", narrow=narrow)
            self.picture.set_content("" if passage else drawn)
            self.picture.set_visibility(not passage)

    def _copied(self, event: events.GenericEventArguments) -> None:
        if event.args:
            self.nothing_to_save()
        ui.notify("Copied." if event.args else "The browser does not let it; select the text.")

    def _save(self) -> None:
        if self.found is not None:
            ui.download.content(self.found.text, "released.txt", "text/plain")
            self.nothing_to_save()

    def _certify(self) -> None:
        if self.found is not None:
            certificate = self.found.certificate.to_json()
            ui.download.content(certificate, "released.txt.certificate.json", "application/json")
