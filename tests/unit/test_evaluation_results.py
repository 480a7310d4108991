"""Results become JSON and are read back as they were; a file that is damaged is refused."""

import copy
import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluation_results import changed, elsewhere, results

from nomdeplume import InputError
from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report import page
from nomdeplume.evaluate.results import (
    Accuracy,
    Attack,
    Cell,
    Clean,
    Floors,
    Label,
    Results,
    accuracy,
    best,
    several,
)
from nomdeplume.evaluate.store import FORMAT, File, Parts, Store, encoded, read

SMALL = results(3, 2, settings=((9, 50),), mechanisms=1)
CANARY = "zyxoquant"
KINDS = {
    "authors and topics": results(6, 3),
    "authors": results(6, 0),
    "topics": results(0, 3),
    "single documents": results(6, 3, most=1),
    "clean texts": results(6, 3, settings=()),
    "released elsewhere": elsewhere(),
}

figures = st.builds(Figure, *3 * [st.floats(-1e14, 1e14)])
accuracies = st.builds(Accuracy, st.dictionaries(st.integers(1, 50), figures), figures)
attacks = st.builds(Attack, accuracies, st.none() | accuracies)
chances = st.tuples(st.integers(0, 9), st.floats(0, 1))
named = st.tuples(st.integers(0, 9), st.lists(chances, max_size=3).map(tuple))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
)
cells = st.builds(
    Cell,
    title=st.text(),
    epsilon=st.none() | st.floats(1e-9, 1e9),
    size=st.none() | st.integers(1, 10**6),
    promise=st.lists(st.text(), max_size=2).map(tuple),
    certificate=st.none() | st.dictionaries(st.text(), json_values, max_size=3),
    attackers=st.dictionaries(st.text(), attacks, max_size=3),
    confusion=st.lists(st.lists(st.floats(0, 1), max_size=3).map(tuple), max_size=3).map(tuple),
    named=st.lists(named, max_size=3).map(tuple),
    seconds=st.floats(0, 1e9),
)


def written(path, file):
    path.write_text(encoded(file), encoding="utf-8")
    return path


def whole(found):
    """The file of a finished run."""
    keys = tuple(f"setting {i}" for i in range(len(found.cells)))
    return File(question="q", complete=True, results=found, keys=keys)


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_read_back_as_they_were(kind, tmp_path):
    found = KINDS[kind]
    again = read(written(tmp_path / "r.json", whole(found)))

    assert again == whole(found)
    assert page(again.results) == page(found)


@given(parts=st.builds(Parts, st.none(), st.dictionaries(st.text(), cells, max_size=2)))
def test_parts_of_any_content_are_read_back_as_they_were(parts, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "parts.json"

    assert read(written(path, File(question="q", parts=parts))).parts == parts


def test_a_store_keeps_parts_and_cells_of_other_settings(tmp_path):
    path, [cell] = tmp_path / "r.json", SMALL.cells
    store = Store.open(path, "q")
    store.add(Parts(SMALL.clean))
    store.add(Parts(cells={"mine": cell, "other": replace(cell, title="other")}))
    unfinished = read(path)
    store.finish(SMALL, ["mine"])

    assert (unfinished.complete, unfinished.results) == (False, None)
    assert unfinished.parts.keys == ["clean", "mine", "other"]
    assert (read(path).results, read(path).parts.keys) == (SMALL, ["other"])
    for parts in (unfinished.parts, read(path).everything, Store.open(path, "q").parts):
        assert (parts.clean, parts.cells["mine"]) == (SMALL.clean, cell)
        assert parts.cells["other"].title == "other"


def test_a_lone_surrogate_in_a_name_is_written_as_a_question_mark(tmp_path):
    odd = replace(SMALL, authors=(Label("\ud800", 9), *SMALL.authors[1:]))
    Store("q", tmp_path / "r.json").finish(odd, ["mine"])

    assert read(tmp_path / "r.json").results.authors[0].name == "?"


def test_no_figure_can_be_nan():
    with pytest.raises(InputError, match="must be numbers"):
        Figure(math.nan, 0.0, 1.0)
    with pytest.raises(ValueError, match="JSON compliant"):
        encoded(whole(changed(SMALL, unchanged=math.nan)))


# --- files that are refused


def secret():
    """The JSON of results that hold a word which no message may quote."""
    named = replace(SMALL, authors=(Label(CANARY, 9), *SMALL.authors[1:]))
    return json.loads(encoded(whole(changed(named, title=CANARY, promise=(CANARY,)))))


def refusal(tmp_path, text):
    """The message with which a file is refused, which quotes nothing of it."""
    path = tmp_path / "r.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(path)
    assert CANARY not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("text", ["", "zyxoquant", '{"format": 2, "question"', "[" * 10**5])
def test_what_is_no_json_is_refused(text, tmp_path):
    assert "must hold results of an evaluation as JSON" in refusal(tmp_path, text)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_numbers_that_json_has_not_are_refused(number, tmp_path):
    text = encoded(whole(changed(SMALL, unchanged=0.123456)))

    assert "as JSON" in refusal(tmp_path, text.replace("0.123456", number))


@pytest.mark.parametrize("header", [{"format": 1}, {"format": FORMAT + 1}, {"question": 7}])
def test_a_file_of_another_format_is_refused(header, tmp_path):
    text = json.dumps(secret() | header)

    assert "that this program reads" in refusal(tmp_path, text)
    assert "that this program reads" in refusal(tmp_path, '["zyxoquant"]')
    assert "that this program reads" in refusal(tmp_path, '{"question": "zyxoquant"}')


def test_a_lone_surrogate_in_a_key_is_refused(tmp_path):
    data = secret()
    data["results"]["\ud800"] = CANARY

    assert "lacks part of its results" in refusal(tmp_path, json.dumps(data))
    assert "that this program reads" in refusal(tmp_path, json.dumps(data | {"\ud800": 1}))


def paths(thing, here=()):
    """The way to every part of a file, as names and places; of a list, to its first part."""
    if here:
        yield here
    inside = list(enumerate(thing))[:1] if isinstance(thing, list) else []
    for key, each in thing.items() if isinstance(thing, dict) else inside:
        yield from paths(each, (*here, key))


def damaged(data, path, how):
    """A file in which one part is gone, or something else."""
    data = copy.deepcopy(data)
    *way, last = path
    part = data
    for key in way:
        part = part[key]
    if how == "gone":
        del part[last]
    else:
        part[last] = how
    return data


@pytest.mark.parametrize("how", ["gone", None, [None], {}, CANARY, -1, 1e308, True], ids=repr)
def test_a_damaged_file_is_refused_or_makes_a_page(how, tmp_path):
    """Parts that may be missing, such as topics, are the only ones that a file can do without."""
    path, data, refused = tmp_path / "r.json", secret(), {}
    ways = [way for way in paths(data) if len(way) <= 5 and "certificate" not in way]
    for way in ways:
        path.write_text(json.dumps(damaged(data, way, how)), encoding="utf-8")
        try:
            found = read(path).results
        except InputError as error:
            refused[way] = str(error)
        else:
            page(found)

    assert len(ways) > 100
    assert len(refused) > 40
    assert {("results",), ("results", "protocol"), ("results", "floors", "chance")} <= {*refused}
    assert not any(CANARY in said for said in refused.values())


@pytest.mark.parametrize(
    "wrong",
    [
        {"clean": replace(SMALL.clean, confusion=((1.0,),))},
        {"clean": replace(SMALL.clean, per_author=(Figure.exact(0.5),))},
        {"summary": replace(SMALL.summary, balance=1)},
        {"cells": ()},
    ],
    ids=["a small matrix", "one figure of three authors", "a cell beyond", "no cells"],
)
def test_parts_that_do_not_fit_together_are_refused(wrong):
    with pytest.raises(InputError):
        replace(SMALL, **wrong)


@pytest.mark.parametrize(
    "wrong", [{"epsilon": 0.0}, {"budget": -1.0}, {"size": 0}, {"ceiling": 0.0}, {"ceiling": 1.5}]
)
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(InputError):
        Cell(**wrong)


def test_chance_is_a_share():
    for chance in (0.0, 1.5):
        with pytest.raises(InputError):
            Floors(chance, Figure.exact(0.5), None)


# --- questions


def attackers(**shares):
    """Attackers by name, each with its shares right from 1, 5 and 20 documents."""
    return {
        name: Accuracy(
            {n: Figure.exact(v) for n, v in zip((1, 5, 20), values, strict=False)},
            Figure.exact(0.0),
        )
        for name, values in shares.items()
    }


def test_the_best_attacker_depends_on_the_number_of_documents():
    found = attackers(plain=(0.5, 0.6), several=(0.4, 0.7))

    assert [best(found, n) for n in (1, 5, 20)] == ["plain", "several", ""]
    assert accuracy(found, 5) == Figure.exact(0.7)
    assert accuracy(found, 20) is None
    assert several(found) == (5, Figure.exact(0.7))
    assert several(attackers(plain=(0.5,))) is several({}) is None


def test_adaptive_and_static_attackers_are_told_apart():
    one, two = attackers(one=(0.5,), two=(0.4,)).values()
    cell = Cell(attackers={"a": Attack(one, two), "ensemble": Attack(two, None)})

    assert (cell.best(), cell.author()) == ("a", Figure.exact(0.5))
    assert cell.static == {"a": two}
    assert (Cell().best(), Cell().author(), Cell().topic_accuracy) == ("", None, None)


def test_guesses_without_reading_are_told_weakest_first():
    labels = [label for label, _ in KINDS["authors and topics"].blind]

    assert labels == ["chance", "most frequent author", "true topic alone"]
    assert [label for label, _ in KINDS["authors"].blind] == labels[:2]
    topics = KINDS["topics"]
    assert (topics.blind, topics.floor, topics.chance) == ((), None, None)
    assert SMALL.floor == max(figure.value for _, figure in SMALL.blind)
    assert results(2, 2).largest_topic == pytest.approx(109 / 209)


def test_clean_texts_alone_have_no_chosen_cell():
    found = KINDS["clean texts"]

    assert isinstance(found, Results)
    assert isinstance(found.clean, Clean)
    assert (found.chosen, found.mechanisms, found.most) == (None, {}, 20)
