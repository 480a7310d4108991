"""What came of a text: its words as a cloud and as a list, the promise, and files to keep."""

from __future__ import annotations

from nicegui import events, ui

from nomdeplume.web.panels.parts import Screen, heading, picture, words
from nomdeplume.web.pictures.cloud import cloud
from nomdeplume.web.studio import Released

LIST = "np-released"  # the list of words on the page
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
            with ui.expansion("As a list", value=True).props("dense"):
                self.list = words("", f"np-words {LIST}")
            self.made_for = words("", "np-soft")
            with ui.element("div").classes("np-row"):
                copy = ui.button("Copy the words").props("outline color=primary")
                copy.on("click", self._copied, js_handler=COPY)  # browsers copy on a click only
                ui.button("Save the words", on_click=self._save).props("outline color=primary")
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

    def show(self, found: Released, promise: str, made_for: str) -> None:
        self.found, self.unsaved = found, True
        self.made_for.set_text(made_for)
        self.list.set_text(" ".join(found.words))
        self.promise.set_content(promise)
        self.card.set_visibility(True)
        self.drawn()
        ui.run_javascript(UNSAVED)

    def keep(self) -> None:
        """Nothing came of it: what there was is saved or not, as before."""
        ui.run_javascript(UNSAVED if self.unsaved else SAVED)

    def nothing_to_save(self) -> None:
        """What there is was saved, or there is nothing: the page may be left."""
        self.unsaved = False
        ui.run_javascript(SAVED)

    def drawn(self) -> None:
        if self.found is not None:
            label = "Released words"
            narrow = self.screen.narrow
            self.picture.set_content(cloud(self.found.counts, label=label, narrow=narrow))

    def _copied(self, event: events.GenericEventArguments) -> None:
        if event.args:
            self.nothing_to_save()
        ui.notify("Copied." if event.args else "The browser does not let it; select the list.")

    def _save(self) -> None:
        if self.found is not None:
            ui.download.content(self.found.text, "released.txt", "text/plain")
            self.nothing_to_save()

    def _certify(self) -> None:
        if self.found is not None:
            certificate = self.found.certificate.to_json()
            ui.download.content(certificate, "released.txt.certificate.json", "application/json")
