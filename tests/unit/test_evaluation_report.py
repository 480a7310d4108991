"""The report of an evaluation says what its results say, whatever they lack."""

import copy
import hashlib
import json
import math
import re
from base64 import b64encode
from html import unescape
from html.parser import HTMLParser

import pytest
from tests.evaluation_results import ATTACKERS, elsewhere, figure, results

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report import page
from nomdeplume.evaluate.report.cell import Cell
from nomdeplume.evaluate.report.chart import COLOURS, DASHES, SHAPES, Frame, look, mark
from nomdeplume.evaluate.report.colours import DARK, GLOW, LIGHT, STEPS, WARM, contrast, inked
from nomdeplume.evaluate.report.heat import strength
from nomdeplume.evaluate.report.matrix import LEVELS, MOST, Matrix
from nomdeplume.evaluate.report.people import above, risks
from nomdeplume.evaluate.report.reading import at, figure_of, number
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.wording import NONE, percent, points, shown, told
from nomdeplume.mechanism.noisy_mean import MADE_FOR
from nomdeplume.picture.axis import Axis
from nomdeplume.picture.writing import shade

VOID = {"meta", "input", "br", "wbr", "path", "circle", "rect"}
KINDS = {
    "two authors": results(2, 2, mechanisms=1),
    "34 authors, 15 cells": results(),
    "topics only": results(0, 6),
    "authors only": results(20, 0),
    "released elsewhere": elsewhere(),
    "one cell": results(8, 3, settings=((9, 50),), mechanisms=1),
    "nothing": {},
}
HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style></svg>",
    "a\"b'c&d onload=x",
    "]]><!--",
    "\x00\x1b[31m\r\n",
    "\ud800\ufffe",
    "\u202eelbisrever",
    "e" + "\u0301" * 60,
    "W" * 200,
    "שלום" * 50,
)


class Reader(HTMLParser):
    """Elements, attributes and text of a page; an element that is left open is an error."""

    def __init__(self, source):
        super().__init__()
        self.open, self.tags, self.attributes, self.ids, self.text = [], [], [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID, tag
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text.append(data)


@pytest.fixture(scope="module", params=KINDS, ids=list(KINDS))
def kind(request):
    return KINDS[request.param]


@pytest.fixture(scope="module")
def made():
    return page(KINDS["34 authors, 15 cells"])


def seen(source):
    """What a reader sees: text, titles and labels, with blanks as they are."""
    reader = Reader(source)
    spoken = [v or "" for name, v in reader.attributes if name in ("title", "aria-label")]
    return " ".join([*reader.text, *spoken])


def test_a_page_is_well_formed_and_names_nothing_twice(kind):
    reader = Reader(page(kind))

    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert reader.tags.count("h1") == reader.tags.count("main") == 1


def test_only_its_own_style_and_script_can_run(kind):
    source = page(kind)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', source)[1]

    for tag in ("style", "script"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", source, flags=re.DOTALL)
        digest = b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert {"style"} & {name for name, _ in Reader(source).attributes} == set()
    assert not [name for name, _ in Reader(source).attributes if name.startswith("on")]


def test_a_page_asks_for_nothing_from_anywhere(kind):
    source = page(kind)
    reader = Reader(source)

    assert not re.search(r"https?://|@import|url\(", source)
    assert not {"link", "img", "iframe", "object", "base", "form"} & set(reader.tags)
    assert "src" not in {name for name, _ in reader.attributes}
    targets = [value for name, value in reader.attributes if name == "href"]
    assert targets
    assert {target[1:] for target in targets} <= set(reader.ids)


def test_no_page_says_none_or_nan(kind):
    assert not re.search(r"\b(None|nan|inf|null|undefined)\b", seen(page(kind)))


def test_a_typical_page_is_small_and_one_of_many_authors_not_large():
    assert len(page(KINDS["34 authors, 15 cells"]).encode()) < 500_000
    assert len(page(results(500, 20, mechanisms=2)).encode()) < 1_500_000


def test_a_dense_matrix_of_many_authors_in_many_cells_stays_within_the_limit():
    n = 120
    dense = [[(i * j + i + j) % 97 + 1 for j in range(n)] for i in range(n)]
    dense = [[each / sum(row) for each in row] for row in dense]
    many = results(n, 4, settings=tuple((e, size) for e in range(4, 12) for size in (50, 100)))
    for cell in many["cells"]:
        cell["confusion"] = dense

    assert len(page(many).encode()) < 6_000_000


def figures(thing):
    """All figures inside results that are shares."""
    if isinstance(thing, dict) and set(thing) == {"value", "low", "high"}:
        yield figure_of(thing)
    elif isinstance(thing, dict):
        for each in thing.values():
            yield from figures(each)


def test_every_figure_of_every_cell_is_shown_as_it_is(made):
    text = seen(made)
    parts = ("attackers", "reconstruction", "topic")
    found = [
        each
        for cell in KINDS["34 authors, 15 cells"]["cells"]
        for part in parts
        for each in figures(cell[part])
    ]
    static = [
        each["static"]["macro_f1"]
        for cell in KINDS["34 authors, 15 cells"]["cells"]
        for each in cell["attackers"].values()
    ]
    untold = {told(figure_of(each)) for each in static}  # adaptive ones are told

    assert len(found) > 500
    flat = re.sub(r"\s+", " ", text.replace("(", "").replace(")", ""))
    missing = [
        each
        for each in found
        if re.sub(r"[()]", "", told(each)).replace("\u00a0", " ") not in flat.replace("\u00a0", " ")
        and told(each) not in untold
    ]
    assert missing == []


@pytest.mark.parametrize("name", ["verification", "distances"])
def test_figures_that_are_no_shares_are_shown(made, name):
    text = seen(made)
    cell = KINDS["34 authors, 15 cells"]["cells"][3]
    if name == "verification":
        expected = [f"{cell[name][part]['value']:.3f}" for part in ("auc", "c_at_1")]
    else:
        expected = [f"{cell[name][part]['value']:.3g}" for part in ("word_mover", "centroid")]

    assert all(each in text for each in expected)


def test_a_changed_figure_changes_what_is_shown():
    changed = copy.deepcopy(KINDS["one cell"])
    changed["cells"][0]["attackers"][ATTACKERS[0]]["adaptive"]["accuracy"]["1"] = figure(0.98765)

    assert percent(0.98765) not in seen(page(KINDS["one cell"]))
    assert percent(0.98765) in seen(page(changed))


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_only_shown(name):
    bad = copy.deepcopy(KINDS["one cell"])
    plain = Reader(page(bad)).tags
    bad["authors"][0]["name"] = bad["corpus"]["name"] = bad["topics"][0]["name"] = name
    cell = bad["cells"][0]
    cell["title"] = cell["metric"] = cell["formula"] = cell["covers"] = name
    cell["promise"] = bad["summary"]["conclusion"] = bad["summary"]["caveats"] = [name]
    cell["examples"] = [{"topic": name, "words": name}]
    cell["odds"][0] |= {"pair": name, "factor": name}
    cell["attackers"] = {name: cell["attackers"][ATTACKERS[0]]}
    source = page(bad)
    reader = Reader(source)

    assert reader.open == []
    assert reader.tags.count("script") == plain.count("script") == 1
    assert reader.tags.count("title") >= 1
    assert "<script>alert" not in source
    assert not re.search("[\x00\x1b\u202e\ud800\ufffe]", source)
    assert "\u0301" * 4 not in source
    assert source.encode()


def paths(thing, here=()):
    """The way to every part of results, as names and places; of a list, to its first part."""
    if here:
        yield here
    inside = list(enumerate(thing))[:1] if isinstance(thing, list) else []
    for key, each in thing.items() if isinstance(thing, dict) else inside:
        yield from paths(each, (*here, key))


def without(whole, path, instead):
    """Results in which something else stands at one place."""
    changed = copy.deepcopy(whole)
    thing = changed
    for key in path[:-1]:
        thing = thing[key]
    thing[path[-1]] = instead
    return changed


SMALL = results(3, 2, settings=((9, 50),), mechanisms=1)


@pytest.mark.parametrize("instead", [None, [None], {}, "x", math.nan, 1e308], ids=repr)
def test_any_part_may_be_missing_or_something_else(instead):
    ways = [path for path in paths(SMALL) if len(path) <= 4]
    broken = []
    for path in ways:
        body = page(without(SMALL, path, instead)).partition("<body>")[2].partition("<script>")[0]
        if re.search(r"\b(None|nan|inf)\b", body):
            broken.append(path)

    assert len(ways) > 100
    assert broken == []


def test_the_cell_that_is_looked_at_keeps_most_topic_where_the_author_is_hidden():
    whole = copy.deepcopy(results(10, 4, settings=((6, 50), (7, 50), (12, 50)), mechanisms=1))
    values = [(0.10, 0.4), (0.11, 0.5), (0.6, 0.9)]  # author and topic; the floor is below .3
    for cell, (author, topic) in zip(whole["cells"], values, strict=True):
        cell["attackers"][ATTACKERS[0]]["adaptive"]["accuracy"]["1"] = figure(author)
        cell["topic"]["release_to_release"]["words"]["accuracy"] = figure(topic)
        cell["topic"]["release_to_release"]["vectors"]["accuracy"] = figure(topic - 0.1)
    chosen = Study(whole).chosen

    assert chosen.place == 1
    assert Study(whole).floor < 0.3


def test_where_no_author_is_hidden_the_least_found_one_is_looked_at():
    whole = copy.deepcopy(results(10, 4, settings=((6, 50), (7, 50)), mechanisms=1))
    for cell, (author, topic) in zip(whole["cells"], [(0.9, 0.8), (0.5, 0.6)], strict=True):
        cell["attackers"][ATTACKERS[0]]["adaptive"]["accuracy"]["1"] = figure(author)
        cell["topic"]["release_to_release"]["words"]["accuracy"] = figure(topic)

    assert Study(whole).chosen.place == 1


def test_authors_above_chance_are_those_whose_whole_interval_is():
    recalls = [(0.5, 0.4, 0.6), (0.3, 0.05, 0.6), (0.2, 0.11, 0.3), None]
    keys = ("recall", "low", "high")
    facts = {"per_author": [each and dict(zip(keys, each, strict=True)) for each in recalls]}
    found = risks(Cell(0, facts))

    assert [place for place, _ in found] == [0, 1, 2]
    assert above(found, 0.1) == 2


def columns(source, name):
    """A row of the table of authors by the heads of its columns, as text."""
    table = re.search(r'<table class="people".*?</table>', source, flags=re.DOTALL)[0]
    heads = re.findall(r'<th scope="col">(.*?)</th>', table)
    row = next(each for each in re.findall(r"<tr>.*?</tr>", table) if f">{name}<" in each)
    cells = re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)
    return dict(zip(heads, (re.sub(r"<.*?>", "", cell) for cell in cells), strict=True))


def test_a_row_of_an_author_stands_under_its_heads():
    whole = copy.deepcopy(KINDS["one cell"])
    whole["authors"][2] = {"name": "Ada", "documents": 47}
    whole["clean"]["confusion"][2] = [0.07, 0, 0.93, 0, 0, 0, 0, 0]
    whole["cells"][0]["per_author"][2] = {"recall": 0.325, "low": 0.25, "high": 0.4}
    row = columns(page(whole), "Ada")

    assert row["before"] == percent(0.93)
    assert row["after"] == f"{percent(0.325)} 25.0–40.0"
    assert row["points over chance"] == "+20.0"
    assert (row["beyond interval"], row["documents"]) == ("above", "47")


def test_many_authors_are_told_by_their_thirty_highest():
    text = seen(page(results(50, 0, settings=((9, 50),), mechanisms=1)))

    assert "The other 20 authors" in text


def test_releases_that_are_not_private_are_marked():
    marked = copy.deepcopy(KINDS["one cell"])
    marked["cells"][0]["not_private"] = True

    assert "NOT PRIVATE" not in seen(page(KINDS["one cell"]))
    assert seen(page(marked)).count("NOT PRIVATE") == 2


def test_single_documents_stand_beside_several_of_one_author():
    whole, text = KINDS["one cell"], seen(page(KINDS["one cell"])).replace("\u00a0", " ")
    [cell] = whole["cells"]
    several = cell["attackers"][ATTACKERS[0]]["adaptive"]["accuracy"]["20"]["value"]
    alone = copy.deepcopy(whole)
    ways = [each["adaptive"] for each in alone["cells"][0]["attackers"].values()]
    for way in [*ways, *alone["clean"]["attackers"].values()]:
        way["accuracy"] |= {"5": None, "20": None}

    after = percent(several).replace("\u00a0", " ")
    assert re.search(rf"With 20 documents of one author: [\d.]+ % → {after}", text)
    assert "author named rightly from one document from 20 of one author" in text
    assert "several give away more than one" not in text
    assert "No two authors have several documents here; several give away more" in seen(page(alone))


def test_releases_by_the_mean_say_what_they_are_made_for():
    by_word, by_mean = KINDS["one cell"], copy.deepcopy(KINDS["one cell"])
    by_mean["cells"][0] |= {"mechanism": "mean", "title": "mean", "epsilon": None}

    assert MADE_FOR in seen(page(by_mean))
    assert MADE_FOR not in seen(page(by_word)) + seen(page(KINDS["released elsewhere"]))


def test_an_unfinished_run_says_so():
    assert "ended before" in seen(page({**KINDS["one cell"], "complete": False}))
    assert "ended before" not in seen(page(KINDS["one cell"]))


def test_what_was_released_elsewhere_promises_nothing(made):
    text = seen(page(KINDS["released elsewhere"]))

    assert "nothing is promised here" in text
    assert "ε 9" not in text.replace("\u00a0", " ").split("How to read")[0].split("Bear in")[1]
    assert "nothing is promised here" not in seen(made)


def test_a_page_without_authors_asks_only_about_topics():
    topics, authors = (Reader(page(KINDS[each])) for each in ("topics only", "authors only"))

    assert "Is the topic kept?" in topics.text
    assert not {"people", "confusion", "attackers"} & set(topics.ids)
    assert "Is the author hidden?" in authors.text
    assert "topic" not in authors.ids


def test_a_matrix_of_groups_keeps_its_sums():
    matrix = Matrix.of(KINDS["34 authors, 15 cells"]["clean"]["confusion"])
    small = matrix.grouped(5)

    assert len(small) == 5
    assert all(math.isclose(sum(row), 1) for row in small.rows)
    assert math.isclose(matrix.grouped(34).rows[3][3], matrix.rows[3][3])


def test_a_matrix_of_guesses_is_blank_and_a_sure_one_is_a_diagonal():
    n = 7
    guesses = Matrix(tuple((1 / n,) * n for _ in range(n)))
    sure = Matrix(tuple(tuple(float(i == j) for j in range(n)) for i in range(n)))

    assert guesses.shades() == {}
    assert sure.shades() == {len(LEVELS) + 1: "".join(f"M{i} {i}h1" for i in range(n))}
    assert Matrix.of([[1.0], [1.0, 0.0]]) is None
    assert n <= MOST


def test_shades_begin_at_chance_and_end_at_certainty():
    assert strength(0.1, 0.1) == strength(0.02, 0.1) == 0
    assert strength(1.0, 0.1) == STEPS
    assert strength(0.55, 0.1) == STEPS / 2


@pytest.mark.parametrize(("colours", "stops"), [(LIGHT, WARM), (DARK, GLOW)], ids=["light", "dark"])
def test_everything_written_can_be_read(colours, stops):
    shades = [shade(i / STEPS, stops) for i in range(STEPS + 1)]
    inks = [colours[name] for name in ("ink", "soft", "risk", "keep", "warn", "link")]

    assert min(contrast(inked(each), each) for each in shades) >= 4.5
    for ground in ("paper", "wash"):
        assert min(contrast(ink, colours[ground]) for ink in inks) >= 4.5
    assert min(contrast(colours[ink], colours["here"]) for ink in ("ink", "soft")) >= 4.5
    assert min(contrast(colours[f"s{i}"], colours["paper"]) for i in range(COLOURS)) >= 3


def test_many_mechanisms_look_different_without_colour_too():
    alone = {(look(i).split()[1], mark(i, 0, 0)) for i in range(12)}

    assert len({(look(i), mark(i, 0, 0)) for i in range(COLOURS * SHAPES)}) == COLOURS * SHAPES
    assert len(alone) == 12
    assert SHAPES >= DASHES


def test_points_stand_where_their_figures_say(made):
    study = Study(KINDS["34 authors, 15 cells"])
    cell = study.chosen
    ring = re.search(r'class="ring" cx="([\d.]+)" cy="([\d.]+)" r="11"', made)
    box = re.search(r'viewBox="0 0 640 520".*?</svg>', made, flags=re.DOTALL)[0]
    ticks = re.findall(r'text-anchor="middle" x="([\d.]+)" y="478.0">(\d+) %', box)
    (low, first), (high, last) = ticks[0], ticks[-1]
    axis = Axis(float(first) / 100, float(last) / 100, float(low), float(high))

    assert math.isclose(axis.at(cell.author().value), float(ring[1]), abs_tol=0.2)


def test_figures_are_written_one_way():
    assert percent(0.1234) == "12.3\u00a0%"
    assert percent(0) == "0.0\u00a0%"
    assert percent(0.0002) == "under\u00a00.1\u00a0%"
    assert shown(None) == NONE
    assert told(Figure(0.5, 0.25, 0.75)) == "50.0\u00a0% (25.0–75.0)"
    assert told(Figure.exact(0.5)) == "50.0\u00a0%"
    assert [points(each) for each in (0.125, -0.031, 0.0, -1e-9)] == [
        "+12.5",
        "−3.1",
        "±0.0",
        "±0.0",
    ]


def test_what_is_no_number_is_none():
    assert [number(each) for each in (True, "1", None, math.nan, math.inf, [1])] == [None] * 6
    assert number(3) == 3.0
    assert at({"a": [{"b": 7}]}, "a", 0, "b") == 7
    assert at({"a": [{"b": 7}]}, "a", 1, "b") is None
    assert figure_of({"value": 0.5, "low": None}) == Figure(0.5, 0.5, 0.5)


def test_a_frame_writes_its_ticks_in_place():
    frame = Frame(100, 100, Axis(0, 1, 10, 90), Axis(0, 1, 90, 10))
    drawn = "".join(frame.grid(("x", "y"), (str, str)))

    assert 'x="10.0" y="110.0">0.0<' in drawn
    assert 'x="90.0" y="110.0">1.0<' in drawn


def test_results_survive_json():
    whole = KINDS["34 authors, 15 cells"]

    assert page(json.loads(json.dumps(whole))) == page(whole)
    assert unescape(page(whole)).count("closer look") >= 4
