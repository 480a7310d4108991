"""A plan is drawn as it is, whatever its words are."""

import hashlib
import re
from base64 import b64encode
from fractions import Fraction
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from nomdeplume.flow import Flow, Move
from nomdeplume.picture import html, svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<script>alert(1)</script>",
    "</style></title></svg>",
    "a\"b'c&d",
    "]]><!--",
    "\x00\x1b[31mnul\r\n",
    "\ud800\ufffe",
    "\u202eelbisrever",
    "e" + "\u0301" * 60,
    "W" * 60,
    "言葉" * 30,
    "שלום" * 15,
)


def flow(*moves):
    """A plan from (word, to, numerator, distance), with shares that add up to 1."""
    whole = sum(share for _, _, share, _ in moves)
    made = tuple(Move(word, to, Fraction(share, whole), far) for word, to, share, far in moves)
    return Flow(made, sum(move.cost for move in made), "Word Mover's Distance", "W₁")


LETTER = flow(
    ("ferry", "telescope", 4, 7.5),
    ("pier", "telescope", 2, 6.0),
    ("pier", "dome", 1, 5.0),
    ("winter", "night", 2, 3.25),
    ("rain", "rain", 1, 0.0),
)


def chain(words):
    """A plan in which each word shares both its neighbours: one block, one long path."""
    moves = [(f"x{i}", f"y{i}", 2, i % 7 + 1.0) for i in range(words)]
    moves += [(f"x{i + 1}", f"y{i}", 1, i % 5 + 1.0) for i in range(words - 1)]
    return flow(*sorted(moves, key=lambda move: move[2] * -move[3]))


def bands(picture):
    """Each band by what it says of itself before the colon."""
    root = ElementTree.fromstring(picture)
    found = [path for path in root.iter(f"{SVG}path") if "band" in path.get("class").split()]
    return [(path.findtext(f"{SVG}title"), path) for path in found]


def ends(path):
    """Heights at which a band starts and ends."""
    numbers = [float(number) for number in re.findall(r"[\d.]+", path.get("d"))]
    return numbers[1], numbers[-1]


def width(path):
    return float(path.get("stroke-width"))


def luminance(colour):
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2


def crossings(picture):
    drawn = [ends(path) for _, path in bands(picture)]
    return sum((a - c) * (b - d) < -0.01 for (a, b), (c, d) in combinations(drawn, 2))


def test_every_move_is_one_band_that_says_what_it_is():
    titles = {title for title, _ in bands(svg(LETTER))}

    assert len(bands(svg(LETTER))) == len(LETTER.moves)
    assert "ferry → telescope: 40 % of words, distance 7.50, adds 3.000" in titles
    assert "rain → rain: 10 % of words, distance 0, adds 0" in titles


def test_bands_are_as_wide_as_what_moves():
    widths = {title.split(":")[0]: width(path) for title, path in bands(svg(LETTER))}

    assert widths["ferry → telescope"] == pytest.approx(4 * widths["pier → dome"], rel=1e-3)
    assert widths["pier → telescope"] == pytest.approx(2 * widths["rain → rain"], rel=1e-3)


def test_the_bars_of_either_side_are_as_high_as_its_bands_are_wide():
    root = ElementTree.fromstring(svg(LETTER))
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "bar"]
    total = sum(width(path) for _, path in bands(svg(LETTER)))

    for side in {rect.get("x") for rect in bars}:
        heights = [float(rect.get("height")) for rect in bars if rect.get("x") == side]
        assert sum(heights) == pytest.approx(total, rel=1e-3)


def test_farther_moves_have_stronger_colours():
    moves = flow(*((f"x{i}", f"y{i}", 1, float(i)) for i in range(40)))
    drawn = sorted(bands(svg(moves)), key=lambda band: float(band[0].split()[-3].strip(",")))
    lights = [luminance(path.get("stroke")) for _, path in drawn]

    assert all(one > other for one, other in pairwise(lights))


def test_the_headline_tells_metric_distance_and_what_stays():
    texts = list(ElementTree.fromstring(svg(LETTER)).itertext())

    assert "Word Mover's Distance W₁ = 5.350" in texts
    assert "10 % of words stay put · distinct words: 4 and 4" in texts
    assert "7.50" in texts  # the end of the colour scale


def test_a_picture_is_told_to_those_who_do_not_see_it():
    root = ElementTree.fromstring(svg(LETTER, names=("letter", "essay")))

    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[1].tag == f"{SVG}desc"
    assert "Words of letter on the left, of essay on the right" in root[1].text
    assert "ferry → telescope" in root[1].text


def test_one_word_against_one_word_is_one_level_band():
    [(title, path)] = bands(svg(flow(("tea", "coffee", 1, 2.5))))

    assert title.startswith("tea → coffee: 100 %")
    assert len(set(ends(path))) == 1


def test_identical_bags_are_calm_throughout():
    same = flow(("tea", "tea", 2, 0.0), ("cake", "cake", 1, 0.0))
    calm = bands(svg(LETTER))[0][1].get("stroke")  # far moves come later, on top

    assert {path.get("stroke") for _, path in bands(svg(same))} == {calm}
    assert "W₁ = 0<" in svg(same)
    assert "100 % of words stay put" in svg(same)


def test_words_that_only_share_neighbours_are_joined_without_crossings():
    leaves = [(f"x{i}", f"z{i}", 1, 9.0) for i in range(60)]
    spine = [(move.word, move.becomes, move.share, move.distance) for move in chain(60).moves]

    assert crossings(svg(chain(60))) == 0
    assert crossings(svg(flow(*leaves, *spine))) == 0
    assert crossings(svg(flow(("a", "c", 1, 1.0), ("b", "d", 1, 1.0), ("a", "d", 1, 1.0)))) == 0


def test_five_hundred_words_a_side_stay_readable_and_visible():
    picture = svg(chain(500))
    root = ElementTree.fromstring(picture)
    labels = [text for text in root.iter(f"{SVG}text") if text.text[0] in "xy"]
    left = sorted(float(text.get("y")) for text in labels if text.text[0] == "x")

    assert len(labels) == 1000
    assert min(float(text.get("font-size")) for text in labels) >= 11
    assert min(below - above for above, below in pairwise(left)) >= 11
    assert left[-1] < float(root.get("height"))
    assert len(bands(picture)) == 999


def test_a_trace_of_a_word_is_still_seen():
    tiny = flow(("sea", "lake", 1_000_000, 1.0), ("sea", "pond", 1, 2.0))

    assert min(width(path) for _, path in bands(svg(tiny))) >= 1


@pytest.mark.parametrize("word", HOSTILE, ids=ascii)
def test_hostile_words_neither_break_the_picture_nor_act(word):
    page = html(
        flow((word, word, 1, 0.0), (word, "lake", 1, 3.0)), names=(word, word), notes=[word]
    )
    root = ElementTree.fromstring(page.encode())

    assert [script.text for script in root.iter("script")] == [root.find("body/script").text]
    assert len(bands(page)) == 2
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e\ufffe]|\u0301{4}", page)
    words = [group for group in root.iter(f"{SVG}g") if group.get("class") == "word"]
    assert all(len(group.findtext(f"{SVG}text")) < 40 for group in words)


def test_the_page_refers_to_nothing_outside():
    page = html(LETTER)

    assert set(re.findall(r"\w+://[^\s\"'<]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"url\(|@import|\bsrc=|\bhref=|\bon\w+=|\bstyle=", page)


def test_only_the_style_and_script_of_the_page_may_run():
    page = html(LETTER)
    root = ElementTree.fromstring(page)
    [policy] = [meta.get("content") for meta in root.iter("meta") if meta.get("http-equiv")]

    def named(text):
        return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert "default-src 'none'" in policy
    assert f"style-src {named(root.find('head/style').text)};" in policy
    assert f"script-src {named(root.find('body/script').text)};" in policy


def test_the_table_holds_every_move_in_the_given_order():
    root = ElementTree.fromstring(html(LETTER))
    rows = [[cell.text for cell in row] for row in root.iterfind("body/table/tbody/tr")]

    assert [row[:2] for row in rows] == [[move.word, move.becomes] for move in LETTER.moves]
    assert rows[0][2:] == ["40 %", "7.50", "3.000"]


def test_the_page_warns_first_and_says_its_notes_before_the_table():
    body = ElementTree.fromstring(html(LETTER, notes=["One.", "Two & three."])).find("body")

    assert "do not publish" in body[0].text
    assert [note.text for note in body.findall("p")[1:]] == ["One.", "Two & three."]
    assert [part.tag for part in body][:5] == ["p", "div", "p", "p", "table"]


def test_the_same_plan_makes_the_same_page():
    assert html(LETTER) == html(
        flow(*((m.word, m.becomes, m.share, m.distance) for m in LETTER.moves))
    )
