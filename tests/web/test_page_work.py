"""Understand, attack and calibrate in a real browser, and what is left of it afterwards."""

import re
import time
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect
from tests.web.texts import written_by
from tests.web.visits import AT_ONCE, visiting

from nomdeplume.web.ways import amount

NO_SIZE = "The number of words must be a whole one from 5 to 500."
CANARY = "zyzzyva"  # no word of the table
AUTHORS = ("Ann", "<img src=x>Bob", "Cleo")  # one means no good
# A figure of single texts is never shown without that of several texts of one author.
NAMED = re.compile(
    r"^Named correctly at odds of 100 to 1: from one text \S+\s% before and \S+\s% after; "
    r"from (5|20) texts of one author \S+\s% before and \S+\s% after\.$"
)
SOON = 120  # seconds, where many share the cores
LONG = 600_000  # milliseconds that a job may take where many share the cores


@pytest.fixture(scope="session")
def corpus(bundled):
    """Forty-two short texts in JSONL."""
    return written_by(AUTHORS, bundled, 42, own=12, common=8, first=CANARY)


def dropped(visit, lines):
    """Give a file to the attack."""
    visit.go("Attack yourself")
    visit.page.locator("input[type=file]").set_input_files(
        {"name": f"{CANARY}.jsonl", "mimeType": "application/jsonl", "buffer": b"".join(lines)}
    )
    expect(
        visit.page.get_by_text(re.compile(r"^Your file: \d+ texts by 3 authors"))
    ).to_be_visible()


def started(visit):
    """Begin an attack, and wait until it tells how far it is."""
    visit.page.get_by_role("button", name="Attack", exact=True).click()
    expect(visit.page.get_by_role("progressbar", name="Progress")).to_be_visible()
    expect(visit.page.get_by_role("status")).to_have_text(re.compile(r"^\d+%: \w+"))


def until(holds, seconds):
    """Whether something comes to hold in time."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.1)
    return holds()


def test_another_word_is_another_map(visit):
    visit.go("Understand")
    visit.page.get_by_label("A word").fill("bread")
    expect(visit.picture).to_have_attribute(
        "aria-label", re.compile(r"^Where 500 releases of bread landed")
    )
    visit.page.get_by_label("A word").fill(CANARY)
    expect(visit.alert).to_have_text(re.compile(r"^[A-Z].+\.$"))

    assert visit.picture.count() == 0
    assert visit.page.get_by_text("It stays").count() == 0
    assert CANARY not in visit.alert.inner_text()


def test_more_budget_lets_a_word_stay_more_often(visit):
    visit.go("Understand")
    stays = visit.page.get_by_text(re.compile(r"^It stays [\d.]+\s% of the time$"))
    before = float(re.search(r"[\d.]+", stays.inner_text())[0])
    slider = visit.page.locator("input[type=range] >> visible=true").first
    box = slider.bounding_box()
    slider.click(position={"x": box["width"] - 3, "y": box["height"] / 2})
    expect(visit.page.get_by_text("ε = 6 for each word")).to_be_hidden()
    expect(stays).to_have_text(re.compile(r"(9\d|100)\s%"))

    assert before < 30


def test_two_texts_are_compared(visit):
    visit.go("Understand")
    visit.page.get_by_role("button", name="Compare").click()
    flow = visit.page.locator(".np-flow svg")
    expect(flow).to_be_visible()
    expect(flow).to_contain_text("W₁")
    factor = visit.page.get_by_text(re.compile(r"^a factor of \S+"))
    expect(factor).to_be_visible()
    before = factor.inner_text()
    slider = visit.page.locator("input[type=range] >> visible=true").last
    slider.click(position={"x": 10, "y": slider.bounding_box()["height"] / 2})

    expect(factor).not_to_have_text(before)
    size = visit.page.get_by_label("Words in the release")
    size.fill("3")
    expect(visit.alert).to_have_text(NO_SIZE)
    expect(flow).to_be_visible()
    expect(factor).to_be_hidden()
    size.fill("30")
    expect(factor).to_be_visible()
    assert visit.alert.count() == 0
    visit.page.get_by_label("The other").fill("The of and 🙂")
    visit.page.get_by_role("button", name="Compare").click()
    expect(visit.alert).to_have_text(re.compile("^The other has no words to release"))
    visit.page.get_by_label("One text").fill("bread " * 4_000)
    expect(factor).to_be_hidden()  # it was about other texts
    expect(flow).to_be_hidden()
    visit.page.get_by_role("button", name="Compare").click()
    expect(visit.alert).to_have_text(re.compile("^Texts may have up to 10,000 characters here"))
    expect(factor).to_be_hidden()


def test_own_texts_are_attacked_and_report_and_work_go_with_the_page(studio, browser, corpus):
    with visiting(browser, studio.address) as visit:
        page = visit.page
        dropped(visit, corpus)
        started(visit)
        expect(page.get_by_text(NAMED)).to_be_visible(timeout=LONG)
        assert page.get_by_role("region", name="What attackers tell").locator("svg").count() > 1
        with page.context.expect_page() as opening:
            page.get_by_role("link", name="The full report").click()
        report = opening.value
        expect(report.locator("h1")).to_be_visible()
        address = report.url.removeprefix(studio.origin)
        [kept] = page.context.cookies()
        cookie = f"{kept['name']}={kept['value']}"
        seen = CANARY in report.content() + page.content()
        assert report.locator(".bag").count() == 0  # no release: it would be spent
        there = studio.ask(address, cookie=cookie)[0]
        page.bring_to_front()
        page.get_by_role("button", name="Attack", exact=True).click()
        assert until(studio.children, SOON)
        mine = studio.children()
        expect(page.get_by_text(NAMED)).to_be_hidden()  # that was another attack

    assert not seen
    assert there == 200
    assert (visit.errors, visit.elsewhere) == ([], [])
    assert until(lambda: studio.ask(address, cookie=cookie)[0] == 404, SOON)
    assert until(lambda: not set(mine) & set(studio.children()), SOON)


def test_an_attack_is_cancelled_at_once(studio, visit):
    visit.go("Attack yourself")
    visit.page.get_by_role("button", name="Attack", exact=True).click()
    assert until(studio.children, SOON)
    mine = studio.children()
    visit.page.get_by_role("button", name="Cancel").click()
    expect(visit.alert).to_have_text("Cancelled.", timeout=1_000 * SOON)

    assert until(lambda: not set(mine) & set(studio.children()), SOON)
    expect(visit.page.get_by_role("button", name="Attack", exact=True)).to_be_enabled()


def test_who_waits_for_others_can_stop_waiting(studio, browser):
    with ExitStack() as open_pages:
        *others, last = [
            open_pages.enter_context(visiting(browser, studio.address)).go("Attack yourself")
            for _ in range(3)
        ]
        for visit in (*others, last):
            visit.page.get_by_role("button", name="Attack", exact=True).click()
        expect(last.page.get_by_text("waiting for another job")).to_be_visible()
        for visit in (last, *others):
            visit.page.get_by_role("button", name="Cancel").click()
            expect(visit.alert).to_have_text("Cancelled.", timeout=1_000 * SOON)

        assert until(lambda: not studio.children(), SOON)


def test_lines_that_are_no_texts_are_told_as_soon_as_a_file_is_dropped(visit, corpus):
    bad = f'{{"text": "{CANARY}\n'.encode()
    dropped(visit, [*corpus[:2], bad, *corpus[3:]])
    expect(
        visit.page.get_by_text("left out 1 line, the first because of line 3: not valid JSON")
    ).to_be_visible()
    button = visit.page.get_by_role("button", name="Attack", exact=True)
    expect(button).to_be_enabled()
    visit.page.locator("input[type=file]").set_input_files(
        {"name": "b.jsonl", "mimeType": "application/jsonl", "buffer": 3 * bad}
    )
    expect(visit.alert).to_have_text("3 lines cannot be used, the first is line 1: not valid JSON.")
    expect(button).to_be_disabled()

    assert CANARY not in visit.page.locator("body").inner_text()


def test_other_texts_end_an_attack_that_is_under_way(studio, visit, corpus):
    visit.go("Attack yourself")
    visit.page.get_by_role("button", name="Attack", exact=True).click()
    assert until(studio.children, SOON)
    mine = studio.children()
    dropped(visit, corpus)

    assert until(lambda: not set(mine) & set(studio.children()), SOON)
    expect(visit.page.get_by_role("button", name="Attack", exact=True)).to_be_enabled()


def test_speeches_can_be_attacked_after_a_file(visit, corpus):
    dropped(visit, corpus)
    visit.page.get_by_role("button", name="Use the speeches instead").click()

    expect(visit.page.get_by_text("speeches of presidents, to try it")).to_be_visible()
    assert visit.page.get_by_text("Your file").count() == 0


def test_a_size_that_is_none_is_said_before_an_attack(visit):
    visit.go("Attack yourself")
    visit.choose(AT_ONCE)
    visit.page.get_by_label("Words in the release").fill("3")
    visit.page.get_by_role("button", name="Attack", exact=True).click()

    expect(visit.alert).to_have_text(NO_SIZE)
    assert visit.page.get_by_role("progressbar", name="Progress").count() == 0


def test_a_wish_becomes_an_epsilon_and_goes_to_the_release(visit):
    page = visit.page
    visit.go("Calibrate")
    page.get_by_label("Words in a release").fill("3")
    page.get_by_role("button", name="Find it").click()
    expect(visit.alert).to_have_text(NO_SIZE)
    page.get_by_label("Words in a release").fill("8")
    page.get_by_label("Words in a hundred that stay").fill("100")
    page.get_by_role("button", name="Find it").click()
    expect(visit.alert).to_have_text("The number must be from 0.5 to 99; take such a one.")
    page.get_by_label("Words in a hundred that stay").fill("12")
    page.get_by_role("button", name="Find it").click()
    found = page.get_by_text(re.compile(r"^ε = [\d.]+ for each word$"))
    expect(found).to_be_visible(timeout=LONG)
    epsilon = re.search(r"[\d.]+", found.inner_text())[0]
    assert page.get_by_text("A release would spend").count() == 0
    page.get_by_role("button", name="Take it to Release").click()

    budget = amount(8 * float(epsilon))
    expect(page.get_by_text(f"ε = {epsilon} for each word, E = {budget}")).to_be_visible()
    assert 5.2 < float(epsilon) < 6.7


def written(folder):
    """Files that hold the canary."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    assert len(found) > 2
    return [path.name for path in found if CANARY.encode() in path.read_bytes()]


def test_nothing_of_a_text_is_ever_on_a_disk_or_in_a_log(studio, visit, corpus):
    visit.text(f"A {CANARY} in the quiet harbour.", CANARY)
    visit.button.click()
    expect(visit.result).to_be_visible()
    visit.page.locator("input[type=file]").set_input_files(
        {"name": f"{CANARY}.txt", "mimeType": "text/plain", "buffer": b"zyzzyva " * 45_000}
    )
    expect(visit.page.get_by_label("Your text")).to_have_value(re.compile(f"^({CANARY} )+$"))
    dropped(visit, corpus)
    started(visit)
    during = written(studio.folder)
    expect(visit.page.get_by_text(NAMED)).to_be_visible(timeout=LONG)

    assert (during, written(studio.folder)) == ([], [])
    assert CANARY not in studio.said
