"""The page: a head, four parts, and what is the same in all of them."""

from __future__ import annotations

import gc
from asyncio import get_running_loop

from nicegui import ui

from nomdeplume.web.panels.attack import AttackPanel
from nomdeplume.web.panels.calibrate import CalibratePanel
from nomdeplume.web.panels.parts import Screen
from nomdeplume.web.panels.release import ReleasePanel
from nomdeplume.web.panels.understand import UnderstandPanel
from nomdeplume.web.pictures.style import RULES as PICTURES
from nomdeplume.web.studio import Studio
from nomdeplume.web.style import RULES

PARTS = {
    "release": "Release",
    "understand": "Understand",
    "attack": "Attack yourself",
    "calibrate": "Calibrate",
}
# Seconds after which what is left of a closed page is collected, as its parts hold each other.
# On a busy machine some of them are still in use a second later.
COLLECTED = (1, 2, 4, 8, 16, 32, 64, 128)
LEFT = "left"
# A page that is closed says so, and is forgotten at once; where a connection breaks, it is kept.
# Before that it asks, if there is a release that was charged and not saved.
LEAVING = (
    f"addEventListener('pagehide', () => getElement(0)?.$emit('{LEFT}'));"
    "addEventListener('beforeunload', (e) => {if (window.unsaved) e.preventDefault()});"
)
# Half an emoji cannot be sent, and all of a text that holds it would be left out unsaid.
WHOLE = (
    "addEventListener('input', ({target: t}) => {"
    "if (t.value?.isWellFormed?.() === false) t.value = t.value.toWellFormed()}, true)"
)
HERE = "All of it happens on the machine that runs this page."
SHARED = "Texts go to the machine that runs this page, and are not encrypted on their way."
THEMES = {None: "As the system", False: "Light", True: "Dark"}


def _collect() -> None:
    for seconds in COLLECTED:
        get_running_loop().call_later(seconds, gc.collect)


def draw(studio: Studio, *, shared: bool = False) -> None:
    """All of it, for one browser; what is typed into it is gone with it."""
    ui.add_head_html(f"<style>{RULES}{PICTURES}</style><script>{LEAVING}{WHOLE}</script>")
    client = ui.context.client
    ui.on(LEFT, lambda: None if client.is_deleted else client.delete())
    client.on_delete(_collect)
    screen = Screen()
    with ui.header(fixed=False).classes("np-head").props("role=banner"):
        ui.link("To the content", "#content").classes("np-skip")
        with ui.element("div").classes("np-bar"):
            ui.html("nomdeplume studio", tag="h1", sanitize=False)
            ui.label(SHARED if shared else HERE).classes("np-soft")
            _theme()
        with ui.element("nav").classes("np-bar").props('aria-label="Parts of the studio"'):
            tabs = ui.tabs().props('dense no-caps align=left active-color="primary" outside-arrows')
            with tabs:
                for name, label in PARTS.items():
                    ui.tab(name, label=label)
    main = ui.element("div").classes("np-page").props('id=content tabindex="-1"')
    with main, ui.tab_panels(tabs, value="release", animated=False).props("keep-alive"):
        with ui.tab_panel("release"):
            release = ReleasePanel(studio, screen)
        with ui.tab_panel("understand"):
            UnderstandPanel(studio, screen)
        with ui.tab_panel("attack"):
            AttackPanel(studio, screen)
        with ui.tab_panel("calibrate"):

            def use(way: str, value: float, size: int) -> None:
                release.take(way, value, size)
                tabs.set_value("release")

            CalibratePanel(studio, use)


def _theme() -> None:
    dark = ui.dark_mode(None)
    ui.select(THEMES, value=None, label="Theme", on_change=lambda e: dark.set_value(e.value)).props(
        "dense borderless options-dense"
    ).style("min-width:9rem")
