"""Releases in a real browser: what is shown, charged, kept, and refused."""

import re
import subprocess
import sys
from math import log

import pytest
from playwright.sync_api import expect
from tests.web.opened import environment
from tests.web.visits import AT_ONCE, BY_WORD, visiting

from nomdeplume.library import Library
from nomdeplume.mechanism.noisy_mean import MADE_FOR
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.web.panels.release import LABEL, NOT_HERE
from nomdeplume.web.studio import Studio

RARE = "oboe walrus turquoise chandelier"  # words of the table that no sample has
TEXT = "The harbour was quiet in winter, and the baker sold warm bread to sailors."
MOVES = 30
NOTICE = "council|bus|route|residents|timetable|school|hospital|road|dangerous|clerk|transport"


@pytest.fixture(scope="session")
def behind(studio, bundled):
    """Charges to the studio's ledger that no page hears of."""
    own = Studio(Vocabulary.given(bundled), studio.ledger)

    def released(author, budget, text=""):
        other = f"{RARE.split()[budget % 4]} {author}"
        return own.release(text or other, author, "mean", budget, 40)

    return released


def test_a_release_is_shown_once_and_charged(studio, visit, tmp_path):
    visit.by(AT_ONCE)
    visit.page.get_by_label("Words in the release").fill("200")  # so that no two are alike
    visit.text(f"{TEXT} Ann.", "ann")
    expect(visit.result).to_be_hidden()
    expect(
        visit.page.get_by_text("0 of 100 spent, 100 left; this release would add 20")
    ).to_be_visible()
    visit.button.click()
    expect(
        visit.page.get_by_text("20 of 100 spent, 80 left; this release would add 20")
    ).to_be_visible()
    first = visit.result.locator(".np-words").inner_text()
    assert len(first.split()) == 200
    assert studio.spent("ann")[0] == 20

    expect(visit.button).to_have_text("Release it again: spends another E = 20")
    visit.button.click()
    expect(visit.alert).to_have_text(re.compile("charged and is nowhere else: copy or save"))
    assert studio.spent("ann")[0] == 20
    saved(visit, "Save the text", tmp_path)
    visit.button.click()
    expect(visit.page.get_by_text("40 of 100 spent")).to_be_visible()
    assert studio.spent("ann")[0] == 40
    assert visit.result.locator(".np-words").inner_text() != first


def test_a_public_text_comes_out_and_its_certificate_checks(studio, visit, tmp_path):
    visit.text("zyxoquant", "sue")  # any text has a stand-in
    expect(visit.page.get_by_label("Words in the release")).to_be_hidden()
    expect(
        visit.page.get_by_text("100 left; this release would add 4.61", exact=False)
    ).to_be_visible()
    visit.button.click()
    expect(visit.result).to_be_visible()
    expect(visit.page.get_by_text("4.61 of 100 spent, 95.39 left")).to_be_visible()
    passage = Library.shipped("en").holding(visit.result.locator(".np-words").inner_text())
    text = saved(visit, "Save the text", tmp_path)
    certificate = saved(visit, "Save the certificate", tmp_path)

    assert visit.result.locator(".np-title").inner_text().lower().startswith(passage.title.lower())
    assert passage.field in visit.result.locator(".np-title").inner_text()
    assert visit.result.locator("svg").count() == 0  # no picture is about a private text
    expect(visit.result.get_by_text("by at most 100 to 1")).to_be_visible()
    assert text.name == "released.txt"
    assert text.read_text(encoding="utf-8") == f"{passage.text}\n"
    assert checked(certificate, text, tmp_path)
    assert studio.spent("sue")[0] == pytest.approx(log(100), abs=1e-6)


def test_each_way_shows_what_its_own_ledger_has(studio, visit):
    visit.text(f"{TEXT} Tom.", "tom")
    visit.button.click()
    expect(visit.button).to_have_text("Release it again: spends another ε = 4.61")
    visit.by(AT_ONCE)

    expect(visit.button).to_have_text("Release my text, once: spends E = 20")
    expect(visit.page.get_by_text("0 of 100 spent, 100 left")).to_be_visible()
    assert studio.spent("tom")[0] == pytest.approx(log(100), abs=1e-6)


def test_the_picture_of_the_library_follows_the_slider(visit):
    slider = visit.page.locator("input[type=range]").first
    shown = []
    for key, odds in (("Home", "2"), ("End", "1,000")):
        slider.press(key)
        expect(visit.page.get_by_text(f"Odds of {odds} to 1", exact=True)).to_be_visible()
        expect(visit.picture).to_have_attribute(
            "aria-label", re.compile(rf"^Passages of the library .* holds {odds} tickets")
        )
        shown.append(visit.picture.locator("rect.np-many > title").count())
        title = re.search(r"This draw: (.+), ", visit.picture.get_attribute("aria-label"))[1]
        expect(visit.page.locator(".np-title:visible")).to_have_text(re.compile(title, re.I))

    assert shown[0] > 10 * shown[1] > 0


def test_a_stand_in_fits_on_a_phone(studio, browser):
    with visiting(browser, studio.address, width=360, height=740) as visit:
        visit.text(f"{TEXT} Pam.", "pam")
        visit.button.click()
        expect(visit.result).to_be_visible()

        assert visit.page.evaluate("document.scrollingElement.scrollWidth") == 360
    assert (visit.errors, visit.elsewhere) == ([], [])


def test_a_release_by_the_mean_says_what_it_is_made_for(visit):
    """Its words look like a summary, and are none."""
    visit.by(AT_ONCE)
    shown = visit.page.get_by_text(MADE_FOR)
    expect(shown).to_have_count(1)
    visit.text(f"{TEXT} Una.", "una")
    visit.button.click()
    expect(visit.result).to_be_visible()
    expect(visit.result.get_by_text(MADE_FOR)).to_be_visible()
    visit.by(BY_WORD)

    expect(shown).to_have_count(1)  # that of the release, which was by the mean
    assert MADE_FOR in visit.result.inner_text()


def saved(visit, button, folder):
    """The file that a button saves."""
    with visit.page.expect_download() as coming:
        visit.page.get_by_role("button", name=button).click()
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def checked(certificate, release, folder):
    """True if the command finds that a certificate is that of a release."""
    command = [sys.executable, "-m", "nomdeplume", "certificate"]
    told = subprocess.run(
        [*command, certificate, "--release", release],
        env=environment(folder),
        capture_output=True,
        check=False,
        timeout=900,
    )
    return told.returncode == 0 and b"checks passed" in told.stdout


def test_words_can_be_copied_and_files_belong_together(visit, tmp_path):
    visit.by(AT_ONCE)
    visit.text(f"{TEXT} Bea.", "bea")
    visit.button.click()
    visit.page.get_by_role("button", name="Copy the text").click()
    expect(visit.page.get_by_text("Copied.")).to_be_visible()
    copied = visit.page.evaluate("navigator.clipboard.readText()")
    words = saved(visit, "Save the text", tmp_path)
    certificate = saved(visit, "Save the certificate", tmp_path)

    assert copied == visit.result.locator(".np-words").inner_text()
    visit.page.evaluate("navigator.clipboard.writeText('something else')")
    visit.page.evaluate("() => {navigator.clipboard.writeText = () => Promise.reject()}")
    visit.page.get_by_role("button", name="Copy the text").click()
    visit.page.wait_for_function("navigator.clipboard.readText().then(t => t.length > 20)")
    assert visit.page.evaluate("navigator.clipboard.readText()") == copied
    assert words.read_text(encoding="utf-8") == f"{copied}\n"
    assert checked(certificate, words, tmp_path)


def test_moving_the_slider_never_charges_and_hears_nothing_of_the_text(studio, visit):
    """Where words would stay as they are: whatever is previewed can be heard."""
    visit.text(f"{RARE} " * 20, "cal")
    page, before = visit.page, studio.spent("cal")
    visit.by(BY_WORD)
    slider = page.locator("input[type=range]").first
    expect(slider).to_have_value("60")
    slider.press("End")
    expect(page.get_by_text("ε = 20 for each word")).to_be_visible()
    shown = visit.picture.get_attribute("aria-label")
    visit.heard.clear()
    for move in range(MOVES):
        slider.press("ArrowLeft" if move % 2 else "ArrowRight")
    expect(visit.picture).not_to_have_attribute("aria-label", shown)
    page.get_by_label("Sample", exact=True).click()
    page.get_by_role("option", name="A notice").click()
    expect(visit.picture).to_contain_text(re.compile(NOTICE))
    heard = "".join(visit.heard)

    assert studio.spent("cal") == before
    assert "tomatoes" in heard  # of the sample
    assert [word for word in RARE.split() if word in heard] == []
    expect(visit.result).to_be_hidden()


def test_what_has_no_room_cannot_be_pressed(studio, visit, behind):
    visit.by(AT_ONCE)
    behind("dan", 90)
    visit.page.get_by_label("Your text").fill(f"{TEXT} Dan.")
    visit.page.get_by_label("Whose text is it?").fill("dan")

    expect(visit.button).to_have_text("E = 20 is more than the 10 left")
    expect(visit.button).to_be_disabled()
    expect(visit.page.get_by_text("asks for 20, which is 10 too much")).to_be_visible()
    visit.page.get_by_label("Whose text is it?").fill("somebody else")
    expect(visit.button).to_be_enabled()
    assert studio.spent("dan")[0] == 90


def test_what_was_spent_behind_the_page_is_refused_by_the_server(studio, visit, behind):
    visit.by(AT_ONCE)
    behind("eve", 10)
    visit.text(f"{TEXT} Eve.", "eve")
    expect(visit.page.get_by_text("10 of 100 spent")).to_be_visible()
    behind("eve", 85)
    visit.button.click()

    expect(visit.alert).to_have_text(re.compile(r"^[A-Z].*\.$"))
    expect(visit.button).to_have_text("E = 20 is more than the 5 left")
    expect(visit.result).to_be_hidden()
    assert studio.spent("eve")[0] == 95
    assert "Eve" not in visit.alert.inner_text()


def test_a_text_has_an_account_under_any_name(studio, visit, behind):
    visit.by(AT_ONCE)
    behind("fred", 90, f"{RARE} and {TEXT}")
    visit.page.get_by_label("Your text").fill(f"{RARE.upper()}! And {TEXT}")
    visit.page.get_by_label("Whose text is it?").fill("ghost")

    expect(visit.button).to_have_text("E = 20 is more than the 10 left")
    expect(visit.page.get_by_text("90 of 100 spent").last).to_contain_text("under whatever name")
    assert studio.spent("ghost")[0] == 0


def test_one_release_at_a_time_whatever_is_pressed_meanwhile(studio, visit):
    visit.by(AT_ONCE)
    visit.text(f"{TEXT} " * 2_000, "ida")
    visit.page.keyboard.press("Tab")  # who leaves a field has written it
    visit.page.evaluate(
        """() => {
            const named = [...document.querySelectorAll("button")];
            const button = named.find((each) => each.textContent.startsWith("Release my text"));
            const slider = document.querySelector("input[type=range]");
            for (let i = 0; i < 12; i++) {
                button.click();
                slider.value = 57 - (i % 2);
                slider.dispatchEvent(new Event("input"));
            }
        }"""
    )
    expect(visit.result).to_be_visible()
    expect(visit.button).to_have_text(re.compile("^Release it again"))

    assert studio.spent("ida")[0] in (19, 20)


def test_a_release_outlasts_a_broken_connection(visit):
    visit.text(f"{TEXT} Jim.", "jim")
    visit.button.click()
    expect(visit.result).to_be_visible()
    before = visit.result.locator(".np-words").inner_text()
    visit.page.evaluate(
        """async () => {
            window.same = true;
            socket.disconnect();
            await new Promise((resolve) => setTimeout(resolve, 3500));
            socket.connect();
        }"""
    )
    visit.page.get_by_label("Whose text is it?").fill("kim")
    expect(visit.button).to_have_text(re.compile("^Release it again"))

    assert visit.page.evaluate("window.same")
    assert visit.result.locator(".np-words").inner_text() == before


def test_a_release_that_is_not_saved_is_asked_about(visit, tmp_path):
    asked = []
    visit.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    visit.text(f"{TEXT} Leo.", "leo")
    visit.button.click()
    expect(visit.result).to_be_visible()
    visit.page.wait_for_function("window.unsaved")
    with visit.page.expect_event("dialog"):
        visit.page.close(run_before_unload=True)
    assert asked == ["beforeunload"]

    saved(visit, "Save the text", tmp_path)
    visit.page.wait_for_function("!window.unsaved")
    with visit.page.expect_event("close"):
        visit.page.close(run_before_unload=True)
    assert len(asked) == 1


def test_a_text_that_is_too_long_is_refused_and_no_other_released(studio, visit):
    visit.text(f"{TEXT} Mia.", "mia")
    visit.page.get_by_label("Your text").fill("bread and butter " * 90_000)
    visit.button.click()
    expect(visit.alert).to_have_text(re.compile("^A text may have up to 400,000 characters here"))
    visit.page.locator("input[type=file]").set_input_files(
        {"name": "a.txt", "mimeType": "text/plain", "buffer": b"bread " * 90_000}
    )

    expect(visit.alert).to_have_text(re.compile("^A text may have up to 400,000 characters here"))
    expect(visit.result).to_be_hidden()
    assert studio.spent("mia")[0] == 0


def test_a_text_without_words_or_author_is_refused(studio, visit):
    visit.by(AT_ONCE)
    visit.text("the of and", "fay")
    visit.button.click()
    expect(visit.alert).to_have_text(re.compile("The text has no words to release"))
    visit.text(TEXT, " ")
    visit.button.click()
    expect(visit.alert).to_have_text(re.compile("Say whose text it is"))

    expect(visit.result).to_be_hidden()
    assert studio.spent("fay")[0] == 0


def test_what_others_spent_meanwhile_is_seen_when_the_slider_rests(studio, visit, behind):
    visit.by(AT_ONCE)
    visit.text(f"{TEXT} Ola.", "ola")
    expect(visit.page.get_by_text("0 of 100 spent, 100 left")).to_be_visible()
    behind("ola", 90)
    visit.page.locator("input[type=range]").first.press("ArrowRight")

    expect(visit.page.get_by_text("90 of 100 spent, 10 left")).to_be_visible()
    expect(visit.button).to_be_disabled()
    assert studio.spent("ola")[0] == 90


def test_what_the_field_holds_is_released_or_nothing(studio, visit):
    """However a text got there, and whatever did not get through."""
    visit.text(f"{TEXT} Pia.", "pia")
    field = visit.page.get_by_label(LABEL)
    field.evaluate(
        """(e) => Object.defineProperty(e, "value", {
            get: () => "Something else.", set: () => {}, configurable: true
        })"""
    )
    visit.button.click()
    expect(visit.alert).to_have_text(NOT_HERE)
    expect(visit.result).to_be_hidden()
    assert studio.spent("pia")[0] == 0

    field.evaluate("(e) => {delete e.value}")
    visit.page.locator("input[type=file]").set_input_files(
        {"name": "a.txt", "mimeType": "text/plain", "buffer": b"Bread.\r\nAnd\rbutter."}
    )
    expect(field).to_have_value("Bread.\nAnd\nbutter.")
    visit.button.click()
    expect(visit.result).to_be_visible()


def test_half_an_emoji_does_not_leave_the_text_before_in_its_place(studio, visit):
    visit.by(AT_ONCE)
    visit.text(f"{TEXT} Nan.", "nan")
    visit.page.get_by_label("Your text").evaluate(
        """(e) => {e.value = "the of and \\ud83d"; e.dispatchEvent(new Event("input"))}"""
    )
    visit.page.wait_for_timeout(600)  # longer than the page waits for more to be typed
    visit.button.click()
    expect(visit.alert).to_have_text(re.compile("The text has no words to release"))

    assert studio.spent("nan")[0] == 0


def test_a_size_that_is_none_is_said_and_mended(visit):
    visit.by(AT_ONCE)
    visit.text(f"{TEXT} Gil.", "gil")
    size = visit.page.get_by_label("Words in the release")
    size.fill("3")
    expect(visit.alert).to_have_text("The number of words must be a whole one from 5 to 500.")
    expect(visit.button).to_be_disabled()
    visit.page.get_by_label("Whose text is it?").fill("gus")
    size.fill("12")
    expect(visit.button).to_be_enabled()
    visit.button.click()
    expect(visit.result).to_be_visible()

    assert len(visit.result.locator(".np-words").inner_text().split()) == 12


def test_word_by_word_the_budget_is_that_of_all_words(studio, visit):
    visit.text(f"{TEXT} Hal.", "hal")
    visit.by(BY_WORD)
    expect(visit.page.get_by_text("ε = 6 for each word, E = 240 for the text")).to_be_visible()
    expect(visit.button).to_be_disabled()
    expect(visit.page.get_by_text("Up to 16 words fit")).to_be_visible()
    visit.page.get_by_label("Words in the release").fill("5")
    expect(visit.button).to_be_enabled()
    visit.button.click()
    expect(visit.result).to_be_visible()

    assert len(visit.result.locator(".np-words").inner_text().split()) == 5
    assert studio.spent("hal")[0] == 30


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_a_text_file_fills_the_field(visit, encoding):
    upload = visit.page.locator("input[type=file]")
    upload.set_input_files(
        {"name": "a.txt", "mimeType": "text/plain", "buffer": f"{TEXT} ü".encode(encoding)}
    )
    expect(visit.page.get_by_label("Your text")).to_have_value(f"{TEXT} ü")
    visit.page.wait_for_timeout(500)  # nobody drops another at once
    expect(visit.page.get_by_role("button", name="or drop a .txt or .md file")).to_be_visible()
    upload.set_input_files({"name": "b.txt", "mimeType": "text/plain", "buffer": b"PK\3\4" * 9})

    expect(visit.alert).to_have_text(re.compile("^Expected text, got a ZIP archive"))
    assert visit.page.get_by_label("Your text").input_value() == f"{TEXT} ü"
