"""The pictures of the studio: well-formed, escaped, in words too, and nothing upon another."""

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.evaluation_results import results

from nomdeplume import Table, seeded
from nomdeplume.calibrate.neighbourhood import Landing, Neighbourhood
from nomdeplume.library import Library, Passage
from nomdeplume.mechanism import Exponential
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.web.pictures import RULES, cloud, gauge, names, neighbours, passages, trade
from nomdeplume.web.pictures.bars import budget
from nomdeplume.web.pictures.cloud import PHONE, SCREEN, arranged
from nomdeplume.web.pictures.neighbours import PHONE as SMALL
from nomdeplume.web.pictures.neighbours import SCREEN as LARGE
from nomdeplume.web.pictures.neighbours import _labels, _spots
from nomdeplume.web.pictures.paper import Box
from nomdeplume.web.pictures.passages import PHONE as PAGE
from nomdeplume.web.pictures.passages import SCREEN as SHEET
from nomdeplume.web.pictures.passages import arranged as shelved
from nomdeplume.web.pictures.passages import chances
from nomdeplume.web.studio import Around

NASTY = '<b>&"'
ONES = {f"word{chr(97 + i)}": 1 for i in range(20)}
MANY = {
    "pneumonia" * (i % 3 + 1) + chr(97 + i % 26) + "x" * (i // 26): 1 + i % 15 for i in range(100)
}
BAGS = {"one": {"harbour": 3}, "ones": ONES, "many": MANY, "nasty": {NASTY: 2, "語" * 90: 1}}
SVG = "{http://www.w3.org/2000/svg}"
BEFORE = [("Roosevelt", 0.71), (NASTY, 0.14), ("Eisenhower", 0.0004)]
AFTER = [("Truman", 0.19), ("Roosevelt", 0.12)]
SETTINGS = ((4, 50), (6, 50), (9, 50), (12, 50))
LIBRARY = Library(
    tuple(Passage(f"p{i}", f"Text {i}.", f"{NASTY} {i}", f"{NASTY} {i % 7}") for i in range(90))
)
AROUND = Around(LIBRARY, tuple(range(0, 50, 5)), 3, 20)


@pytest.fixture(scope="module")
def around():
    vectors = seeded(5).standard_normal((300, 9)).astype(np.float32)
    words = tuple(f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(300))
    return Neighbourhood.of(
        Vocabulary(Table(words, vectors), StopWords("none", frozenset())), "wcd"
    )


@pytest.fixture(scope="module")
def landing(around):
    return Landing.of(Exponential(around.vocabulary.table, 1.5), around, seeded(1))


def drawn(around, landing, narrow):
    measured, silent = results(9, 4, SETTINGS, mechanisms=1), results(9, 0, SETTINGS, mechanisms=1)
    words = [
        NASTY if i == around.ids[0] else w for i, w in enumerate(around.vocabulary.table.words)
    ]
    return {
        **{f"cloud, {name}": cloud(bag, label=NASTY, narrow=narrow) for name, bag in BAGS.items()},
        "cloud, empty": cloud({}, label="Released words", narrow=narrow),
        "neighbours": neighbours(around, landing, words=words, narrow=narrow),
        "names": names(BEFORE, AFTER, author="Roosevelt", narrow=narrow),
        "names, nobody": names([], AFTER, author="", narrow=narrow),
        "passages": passages(AROUND, narrow=narrow),
        "gauge": gauge(40, 100, 25),
        "gauge, over": gauge(80, 100, 45),
        "gauge, nothing": gauge(0, 0),
        "trade": trade(measured, 1, narrow=narrow),
        "trade, no topics": trade(silent, 3, narrow=narrow),
    }


@pytest.mark.parametrize("narrow", [False, True])
def test_every_picture_is_well_formed_and_says_what_it_shows(around, landing, narrow):
    for name, picture in drawn(around, landing, narrow).items():
        root = ElementTree.fromstring(picture)
        assert root.tag == f"{SVG}svg", name
        assert root.get("role") == "img"
        assert root.get("aria-label"), name
        assert "NaN" not in picture


@pytest.mark.parametrize("narrow", [False, True])
def test_no_picture_runs_or_styles_or_fetches_anything(around, landing, narrow):
    for picture in drawn(around, landing, narrow).values():
        assert not re.search(r"<script|<b>|\bstyle=|\bon\w+=|url\(|href", picture)
        assert not re.search(r'(fill|stroke)="#', picture)


def test_words_are_shown_as_they_are():
    said = [each[-1].tail for each in ElementTree.fromstring(cloud({NASTY: 1}, label="x"))]

    assert said == [NASTY]


def test_several_mechanisms_are_told_apart_by_a_legend():
    measured = results(9, 4, SETTINGS)

    assert ">tem</text>" in trade(measured, 1)
    assert ">laplace, decoded by rank</text>" not in trade(results(9, 4, mechanisms=1), 1)


def test_pictures_are_the_same_each_time(around, landing):
    assert drawn(around, landing, False) == drawn(around, landing, False)


def test_every_class_has_a_rule(around, landing):
    known = set(re.findall(r"\.([\w-]+)", RULES)) | {"tip", "d0", "np-name"}
    for picture in drawn(around, landing, False).values():
        used = {each for found in re.findall(r'class="([^"]*)"', picture) for each in found.split()}
        assert used <= known


@pytest.mark.parametrize("sizes", [SCREEN, PHONE], ids=["screen", "phone"])
@pytest.mark.parametrize("bag", BAGS.values(), ids=BAGS)
def test_no_two_words_of_a_cloud_meet_and_all_are_on_the_page(bag, sizes):
    placed = arranged(bag, sizes)
    boxes = [each.box for each in placed]

    assert len(placed) == min(80, len(bag))
    assert not [pair for pair in combinations(boxes, 2) if pair[0].meets(pair[1])]
    assert all(box.x - box.across >= 0 and box.x + box.across <= sizes.width for box in boxes)


def test_commoner_words_of_a_cloud_are_larger_and_nearer_to_the_middle():
    placed = arranged(MANY, SCREEN)
    letters = [each.letters for each in placed]
    middle = placed[0].box.x, placed[0].box.y
    far = [abs(each.box.y - middle[1]) + abs(each.box.x - middle[0]) for each in placed]

    assert letters == sorted(letters, reverse=True)
    assert min(letters) >= SCREEN.least
    assert np.mean(far[:20]) < np.mean(far[-20:])


def test_a_cloud_says_how_many_words_it_leaves_out():
    assert ">and 20 more</text>" in cloud(MANY, label="Released words")
    assert "more</text>" not in cloud(ONES, label="Released words")
    assert ">no words</text>" in cloud({}, label="Released words")


@pytest.mark.parametrize("paper", [LARGE, SMALL], ids=["screen", "phone"])
def test_no_two_labels_of_a_map_meet(around, landing, paper):
    spots = _spots(around, landing, around.vocabulary.table.words, paper)
    texts = [ElementTree.fromstring(each) for each in _labels(spots, paper)]
    boxes = [
        Box(
            float(each.get("x")),
            float(each.get("y")) - 0.34 * float(each.get("font-size")),
            0.25 * len(each.text) * float(each.get("font-size")),
            0.45 * float(each.get("font-size")),
        )
        for each in texts
    ]

    assert len(boxes) > 15
    assert not [pair for pair in combinations(boxes, 2) if pair[0].meets(pair[1])]


def test_circles_of_a_map_have_areas_in_proportion_to_draws(around, landing):
    root = ElementTree.fromstring(neighbours(around, landing, words=around.vocabulary.table.words))
    found = {
        int(circle[0].text.split(": ")[1].split(" of ")[0]): float(circle.get("r"))
        for circle in root.iter(f"{SVG}circle")
        if circle.get("class") == "np-came"
    }
    large, small = max(found), sorted(found)[len(found) // 2]

    assert large / small == pytest.approx((found[large] / found[small]) ** 2, rel=0.1)


def test_a_map_says_how_many_landed_elsewhere_and_how_much_it_shows(around, landing):
    picture = neighbours(around, landing, words=around.vocabulary.table.words)

    assert f"{landing.missed} of 500 landed elsewhere" in picture
    assert f"show {100 * around.told:.0f}\u00a0% of the spread" in picture


@pytest.mark.parametrize("narrow", [False, True])
def test_the_author_is_marked_by_a_word_too(narrow):
    root = ElementTree.fromstring(names(BEFORE, AFTER, author="Roosevelt", narrow=narrow))
    said = [each.text or each[-1].tail for each in root.iter(f"{SVG}text")]

    assert said.count("author") == 2
    assert "Roosevelt, the author, 71\u00a0%" in root.get("aria-label")
    assert "the author is not among them" in names(BEFORE, AFTER[:1], author="Roosevelt")


def test_bars_are_as_long_as_probabilities():
    root = ElementTree.fromstring(names([("a", 0.5)], [("b", 0.25)], author="a", narrow=True))
    found = {each.get("class"): float(each.get("width")) for each in root.iter(f"{SVG}rect")}

    assert found["np-mine-bar"] == 180
    assert found["np-name-bar"] == 90


@pytest.mark.parametrize("narrow", [False, True])
def test_every_passage_has_a_mark_and_the_one_drawn_has_a_ring(narrow):
    root = ElementTree.fromstring(passages(AROUND, narrow=narrow))
    squares, [ring] = (
        [each for each in root.iter(f"{SVG}{kind}") if each.find(f"{SVG}title") is not None]
        for kind in ("rect", "circle")
    )
    dots = next(root.iter(f"{SVG}path")).get("d")

    assert [each[0].text for each in squares] == [f"{NASTY} {i}" for i in AROUND.best]
    assert dots.count("M") == len(LIBRARY) - len(AROUND.best)
    assert ring[0].text == f"This draw: {NASTY} 3"
    assert f"M{float(ring.get('cx')):.1f},{float(ring.get('cy')):.1f}h0" in dots


@pytest.mark.parametrize("sizes", [SHEET, PAGE], ids=["screen", "phone"])
@pytest.mark.parametrize("library", [LIBRARY, Library.shipped("en")], ids=["small", "shipped"])
def test_no_two_passages_meet_and_all_are_on_the_page(library, sizes):
    shelf = shelved(library, sizes)
    x, y = np.array(shelf.spots).T
    apart = np.hypot(x - x[:, None], y - y[:, None]) + np.eye(len(x)) * 99

    assert apart.min() == pytest.approx(shelf.pitch)
    assert min(x) > 0
    assert max(x) < sizes.width
    assert max(y) + shelf.pitch / 2 <= shelf.height
    assert len(shelf.fields) == len(library.fields)


def test_the_chances_of_passages_are_told():
    assert chances(AROUND) == (
        "Each of the 10 passages of 90 that fit the sample best holds 20 tickets, each other one "
        f"holds one. One of these 10 comes out in 71 of 100 draws. This draw: {NASTY} 3, not "
        "one of them."
    )
    assert f"by field: {NASTY} 0: 2" in ElementTree.fromstring(passages(AROUND))[0].text


def test_a_gauge_tells_what_is_spent_asked_and_left():
    assert budget(40, float("inf")) == "40 spent, without a limit"
    assert budget(40, 100) == "40 of 100 spent, 60 left"
    assert budget(40, 100, 25).endswith("this release would add 25")
    assert budget(80, 100, 45).endswith("asks for 45, which is 25 too much")
    assert "np-over" in gauge(80, 100, 45)
    assert "np-over" not in gauge(55, 100, 45)


def test_a_trade_rings_and_names_what_is_chosen():
    measured = results(9, 4, SETTINGS, mechanisms=1)

    assert trade(measured, 1).count('class="ring"') == 1
    assert "chosen ε\u00a06 · N\u00a050 · E\u00a0300" in trade(measured, 1)
    assert "ring" not in trade(measured)


def test_a_trade_without_topics_is_of_authors_over_budgets():
    silent = results(9, 0, SETTINGS, mechanisms=1)

    assert "Author accuracy over budget, 4 settings" in trade(silent, 0)
    assert trade(results(9, 4, settings=())) == ""
