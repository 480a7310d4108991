"""The report of an evaluation says what its results say, whichever parts were measured."""

import hashlib
import math
import re
from base64 import b64encode
from dataclasses import fields, is_dataclass, replace
from html import unescape
from html.parser import HTMLParser

import pytest
from tests.evaluation_results import ATTACKERS, changed, elsewhere, results, with_cells
from tests.evaluation_results import told as measured

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report import page
from nomdeplume.evaluate.report.chart import COLOURS, DASHES, SHAPES, Frame, look, mark
from nomdeplume.evaluate.report.colours import DARK, GLOW, LIGHT, STEPS, WARM, contrast, inked
from nomdeplume.evaluate.report.heat import strength
from nomdeplume.evaluate.report.matrix import LEVELS, MOST, Matrix
from nomdeplume.evaluate.report.people import above, risks
from nomdeplume.evaluate.report.wording import NONE, percent, points, shown, told
from nomdeplume.evaluate.results import Cell, Example, Label
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
    "single documents only": results(8, 3, settings=((9, 50), (6, 50)), mechanisms=1, most=1),
    "clean texts only": results(8, 3, settings=()),
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
    rows = tuple(map(tuple, dense))
    many = replace(many, cells=tuple(replace(cell, confusion=rows) for cell in many.cells))

    assert len(page(many).encode()) < 6_000_000


def figures(thing):
    """All figures inside a part of results."""
    if isinstance(thing, Figure):
        yield thing
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from figures(getattr(thing, field.name))
    elif isinstance(thing, dict):
        for each in thing.values():
            yield from figures(each)


def plain(text):
    return re.sub(r"\s+", " ", re.sub(r"[()]", "", text).replace("\u00a0", " "))


def test_every_figure_of_every_cell_is_shown_as_it_is(made):
    cells, text = KINDS["34 authors, 15 cells"].cells, plain(seen(made))
    parts = [part for c in cells for part in (c.attackers, c.reconstruction, c.topic)]
    found = [each for part in parts for each in figures(part)]
    unsaid = {a.static.macro_f1 for cell in cells for a in cell.attackers.values()}  # by design

    assert len(found) > 500
    assert [each for each in found if plain(told(each)) not in text and each not in unsaid] == []


@pytest.mark.parametrize("name", ["verification", "distances"])
def test_figures_that_are_no_shares_are_shown(made, name):
    text, cell = seen(made), KINDS["34 authors, 15 cells"].cells[3]
    if name == "verification":
        found = cell.verification
        expected = [f"{each.value:.3f}" for each in (found.auc, found.c_at_1)]
    else:
        found = cell.distances
        expected = [f"{each.value:.3g}" for each in (found.word_mover, found.centroid)]

    assert all(each in text for each in expected)


def test_a_changed_figure_changes_what_is_shown():
    whole = KINDS["one cell"]
    other = changed(whole, attackers=measured(whole.cells[0], author=0.98765).attackers)

    assert percent(0.98765) not in seen(page(whole))
    assert percent(0.98765) in seen(page(other))


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_only_shown(name):
    whole = KINDS["one cell"]
    plain, [cell] = Reader(page(whole)).tags, whole.cells
    label = Label(name, 9)
    attackers = {name: cell.attackers[ATTACKERS[0]]}
    bad = changed(
        whole, title=name, metric=name, formula=name, covers=name, promise=(name,),
        examples=(Example(name, name),), attackers=attackers, certificate={name: [name]},
        odds=(replace(cell.odds[0], pair=name, factor=name), *cell.odds[1:]),
    )  # fmt: skip
    bad = replace(
        bad, nomdeplume=name, corpus=replace(bad.corpus, name=name), authors=(label,) * 8,
        topics=(label,) * 3,
        clean=replace(bad.clean, attackers={name: bad.clean.attackers[ATTACKERS[0]]}),
        protocol=replace(bad.protocol, split=name, prior=name, table=name, features=name),
    )  # fmt: skip
    bad = replace(bad, summary=replace(bad.summary, conclusion=(name,), caveats=(name,)))
    source = page(bad)
    reader = Reader(source)

    assert reader.open == []
    assert reader.tags.count("script") == plain.count("script") == 1
    assert reader.tags.count("title") >= 1
    assert "<script>alert" not in source
    assert not re.search("[\x00\x1b\u202e\ud800\ufffe]", source)
    assert "\u0301" * 4 not in source
    assert source.encode()


def test_the_cell_that_is_looked_at_has_the_best_balance():
    whole = results(10, 4, settings=((6, 50), (7, 50), (12, 50)), mechanisms=1)
    figures = [(0.10, 0.4), (0.11, 0.6), (0.6, 0.7)]  # author and topic
    cells = [measured(cell, *both) for cell, both in zip(whole.cells, figures, strict=True)]

    assert with_cells(whole, cells).chosen == cells[1]
    assert results(10, 4, settings=()).chosen is None


def test_authors_above_chance_are_those_whose_whole_interval_is():
    recalls = (Figure(0.2, 0.11, 0.3), Figure(0.3, 0.05, 0.6), Figure(0.5, 0.4, 0.6))
    found = risks(Cell(per_author=recalls))

    assert [place for place, _ in found] == [2, 1, 0]
    assert above(found, 0.1) == 2


def columns(source, name):
    """A row of the table of authors by the heads of its columns, as text."""
    table = re.search(r'<table class="people".*?</table>', source, flags=re.DOTALL)[0]
    heads = re.findall(r'<th scope="col">(.*?)</th>', table)
    row = next(each for each in re.findall(r"<tr>.*?</tr>", table) if f">{name}<" in each)
    cells = re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)
    return dict(zip(heads, (re.sub(r"<.*?>", "", cell) for cell in cells), strict=True))


def test_a_row_of_an_author_stands_under_its_heads():
    def third(rows, row):
        return (*rows[:2], row, *rows[3:])

    whole = KINDS["one cell"]
    confusion = third(whole.clean.confusion, (0.07, 0.0, 0.93, 0.0, 0.0, 0.0, 0.0, 0.0))
    recalls = third(whole.cells[0].per_author, Figure(0.325, 0.25, 0.4))
    whole = replace(
        changed(whole, per_author=recalls),
        authors=third(whole.authors, Label("Ada", 47)),
        clean=replace(whole.clean, confusion=confusion),
    )
    row = columns(page(whole), "Ada")

    assert row["before"] == percent(0.93)
    assert row["after"] == f"{percent(0.325)} 25.0–40.0"
    assert row["points over chance"] == "+20.0"
    assert (row["beyond interval"], row["documents"]) == ("above", "47")


def test_many_authors_are_told_by_their_thirty_highest():
    text = seen(page(results(50, 0, settings=((9, 50),), mechanisms=1)))

    assert "The other 20 authors" in text


def test_releases_that_are_not_private_are_marked():
    marked = changed(KINDS["one cell"], not_private=True)

    assert "NOT PRIVATE" not in seen(page(KINDS["one cell"]))
    assert seen(page(marked)).count("NOT PRIVATE") == 2


def test_single_documents_stand_beside_several_of_one_author():
    whole, text = KINDS["one cell"], seen(page(KINDS["one cell"])).replace("\u00a0", " ")
    after = percent(whole.cells[0].author(20).value).replace("\u00a0", " ")
    alone = seen(page(KINDS["single documents only"]))

    assert re.search(rf"With 20 documents of one author: [\d.]+ % → {after}", text)
    assert "author named rightly from one document from 20 of one author" in text
    assert "several give away more than one" not in text
    assert "No two authors have several documents here; several give away more" in alone


def test_releases_by_the_mean_say_what_they_are_made_for():
    by_word = KINDS["one cell"]
    by_mean = changed(by_word, mechanism="mean", epsilon=None, advice=MADE_FOR)

    assert MADE_FOR in seen(page(by_mean))
    assert MADE_FOR not in seen(page(by_word)) + seen(page(KINDS["released elsewhere"]))


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
    matrix = Matrix(KINDS["34 authors, 15 cells"].clean.confusion)
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
    cell = KINDS["34 authors, 15 cells"].chosen
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


def test_a_frame_writes_its_ticks_in_place():
    frame = Frame(100, 100, Axis(0, 1, 10, 90), Axis(0, 1, 90, 10))
    drawn = "".join(frame.grid(("x", "y"), (str, str)))

    assert 'x="10.0" y="110.0">0.0<' in drawn
    assert 'x="90.0" y="110.0">1.0<' in drawn


def test_the_cell_that_is_looked_at_is_marked_in_tables(made):
    assert unescape(made).count("closer look") >= 4
