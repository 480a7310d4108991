"""The page in a real browser: how it looks, wide and narrow, light and dark, and by keyboard."""

import re
from itertools import pairwise
from math import log
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.waiting import PATIENCE, until
from tests.web.opened import opened
from tests.web.visits import PARTS, visiting

CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
SIZES = {"phone": (360, 740), "screen": (1280, 900)}
NAMELESS = """() => {
    const said = (e) => e && [...e.childNodes].map((n) => n.nodeType === 3 ? n.data
        : n.ariaHidden === "true" || !n.childNodes ? "" : said(n)).join("").trim();
    const other = (e) => document.getElementById(e.getAttribute("aria-labelledby") || "none");
    const named = (e) =>
        e.ariaLabel || e.title || said(e) || said(other(e)) || [...(e.labels || [])].some(said);
    const file = (e) => e.type === "file";  // within a button that has a name
    return [...document.querySelectorAll(
        "input,textarea,select,button,[role=slider],[role=combobox],[role=button],a")]
        .filter((e) => e.checkVisibility() && !file(e) && !named(e))
        .map((e) => e.outerHTML.slice(0, 200));
}"""
CUT_OFF = """() => [...document.querySelectorAll("input,.q-field__native")]
    .filter((e) => e.checkVisibility() && e.scrollHeight > e.clientHeight + 2 && e.type !== "range")
    .map((e) => e.outerHTML.slice(0, 200))"""
TEXT = "The harbour was quiet in winter, and the baker sold warm bread to sailors."


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_part_is_shown_and_complains_about_nothing(studio, browser, size, theme):
    width, height = SIZES[size]
    with visiting(browser, studio.address, width=width, height=height, theme=theme) as visit:
        for part in PARTS:
            expect(visit.page.get_by_role("tab", name=part)).to_be_in_viewport(ratio=1)
            visit.go(part)
            across = visit.page.evaluate("document.scrollingElement.scrollWidth")
            assert across <= width, part
        dark = visit.page.evaluate("document.body.classList.contains('body--dark')")
        ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert dark is (theme == "dark")
    assert (max(map(int, re.findall(r"\d+", ground)[:3])) < 64) is dark
    assert (visit.errors, visit.elsewhere) == ([], [])
    assert any(url.startswith("ws:") for url in visit.asked)


def test_on_a_wall_all_of_it_is_larger_and_nothing_is_cut_off(studio, browser):
    heights = []
    for width, height in (SIZES["screen"], (3840, 2160)):
        with visiting(browser, studio.address, width=width, height=height) as visit:
            named = [visit.page.get_by_role("tab", name="Release"), visit.button]
            heights.append([each.bounding_box()["height"] for each in named])
            assert visit.page.evaluate(CUT_OFF) == []

    assert all(large > 1.6 * small for small, large in zip(*heights, strict=True))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_can_be_read_and_every_control_has_a_name(studio, browser, theme):
    with visiting(browser, studio.address, theme=theme) as visit:
        visit.text(f"{TEXT} In {theme}.", f"reader in {theme}")
        visit.button.click()
        expect(visit.result).to_be_visible()
        for part in PARTS:
            visit.go(part)
            found = visit.page.evaluate(CONTRAST)
            assert found["texts"] > 15
            assert found["poor"] == [], part
            assert visit.page.evaluate(NAMELESS) == [], part


def test_the_key_is_gone_from_the_address(studio, visit):
    assert visit.page.url == f"{studio.origin}/"
    assert studio.token not in visit.page.content()
    assert visit.page.evaluate("document.cookie") == ""


def test_a_page_whose_studio_has_ended_says_so(browser, tmp_path):
    with opened(tmp_path) as own, visiting(browser, own.address) as visit:
        own.process.kill()
        expect(visit.page.get_by_text("The studio does not answer.")).to_be_visible()

        assert own.process.wait(timeout=PATIENCE) != 0


def test_a_theme_can_be_chosen(visit):
    for name, dark in (("Dark", True), ("Light", False)):
        visit.page.get_by_label("Theme").click()
        visit.page.get_by_role("option", name=name).click()
        expect(visit.page.locator("body")).to_have_class(
            re.compile("body--dark" if dark else "body--light")
        )
    assert visit.page.evaluate(CONTRAST)["poor"] == []


def test_the_page_is_in_order_for_screen_readers(visit):
    page = visit.page
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(e => +e.tagName[1])")

    assert page.evaluate("document.documentElement.lang")
    assert page.locator("main").count() == 1
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.locator("svg:visible").count() > 0
    assert page.locator("svg:visible:not([role=img]):not([aria-hidden=true])").count() == 0


def tab_to(page, wanted):
    """Tab until the focus is on what is wanted."""
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({wanted!r})"):
            return
    raise AssertionError(f"{wanted} cannot be reached by Tab")


def test_a_text_is_released_by_keyboard_alone(studio, visit):
    page = visit.page
    tab_to(page, "textarea")
    page.keyboard.type(f"{TEXT} No mouse.")
    tab_to(page, "input[aria-label='Whose text is it?']")
    page.keyboard.type("typist")
    tab_to(page, "input[type=range]")
    before = visit.picture.inner_html()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("Odds of 94 to 1", exact=True)).to_be_visible()
    for _ in range(13):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("Odds of 42 to 1", exact=True)).to_be_visible()
    until(lambda: visit.picture.inner_html() != before)
    tab_to(page, "button")
    expect(visit.button).to_be_focused()
    page.keyboard.press("Enter")

    expect(visit.result).to_be_visible()
    expect(visit.button).to_have_text("Release it again: spends another ε = 3.74")
    assert studio.spent("typist")[0] == pytest.approx(log(42))


def test_the_focus_can_be_seen_and_jump_to_the_content(visit):
    page = visit.page
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    expect(page.get_by_role("link", name="To the content")).to_be_in_viewport()
    tab_to(page, "textarea")

    shown = "getComputedStyle(document.activeElement.closest('.q-field')).outlineWidth"
    own = "getComputedStyle(document.activeElement).outlineWidth"
    assert "3px" in (page.evaluate(shown), page.evaluate(own))
