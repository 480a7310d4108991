"""Subjects as data: anchors that the table knows, and words that follow from them."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from nomdeplume import Table, Vocabulary
from nomdeplume.features.subjects import FOLDER, Subjects
from nomdeplume.mechanism.maps import mapped

SCRIPT = Path(__file__).parents[2] / "scripts" / "subjects.py"


@pytest.fixture(scope="module")
def subjects():
    return Subjects.of("en")


def test_every_anchor_is_a_kept_word_of_the_bundled_table(subjects, bundled):
    kept = Vocabulary.of(bundled)

    assert not [word for some in subjects.anchors.values() for word in some if word not in kept]


def test_no_anchor_stands_for_two_subjects(subjects):
    listed = [word for some in subjects.anchors.values() for word in some]

    assert len(set(listed)) == len(listed)
    assert min(map(len, subjects.anchors.values())) >= 3
    assert len(subjects.anchors) > 10


def test_words_are_those_of_one_subject_with_its_anchors(subjects):
    listed = [word for some in subjects.words.values() for word in some]

    assert list(subjects.words) == list(subjects.anchors)
    assert len(set(listed)) == len(listed)
    assert all(set(subjects.anchors[name]) <= set(some) for name, some in subjects.words.items())


def test_the_words_are_what_the_script_derives(bundled):
    spec = importlib.util.spec_from_file_location("subjects", SCRIPT)
    script = sys.modules["subjects"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    anchors = json.loads((FOLDER / "subjects-en.json").read_text(encoding="utf-8"))
    stored = json.loads((FOLDER / "subjects-en.words.json").read_text(encoding="utf-8"))

    assert script.derived(anchors, bundled) == stored


def test_other_languages_and_small_tables_have_none(bundled):
    few = Table(bundled.words[:300], bundled.vectors[:300], language="en")

    assert Subjects.of("fr") is None
    assert Subjects.told(few) is None
    assert Subjects.told(bundled) is Subjects.of("en")


def test_a_table_with_some_anchors_tells_subjects_by_these(bundled, subjects):
    listed = [word for some in subjects.anchors.values() for word in some]
    ids = bundled.ids(listed[: 2 * len(listed) // 3])
    table = Table([bundled.words[i] for i in ids], bundled.vectors[ids], language="en")
    found = Subjects.told(table)

    assert found is subjects
    assert sum(map(len, found.sets(table))) == len(ids)


def test_the_directions_are_orthonormal_and_nested(bundled, subjects):
    eight, three = (subjects.directions(bundled, m) for m in (8, 3))

    assert np.allclose(eight @ eight.T, np.eye(8), atol=1e-9)
    assert np.allclose(np.abs(np.diag(eight[:3] @ three.T)), 1, atol=1e-6)


def test_documents_are_composed_of_kept_words_that_read_like_subjects(bundled, subjects, tmp_path):
    stopped = next(iter(subjects.anchors.values()))[0]
    (tmp_path / "stop.txt").write_text(stopped, encoding="utf-8")
    kept = Vocabulary.of(bundled, str(tmp_path / "stop.txt"))
    outputs = mapped("subjects", kept, None).outputs
    listed = {word for some in subjects.words.values() for word in some}

    assert {bundled.words[i] for i in outputs} == listed - {stopped}


def test_where_few_of_these_are_kept_all_kept_words_come_out(bundled, subjects):
    listed = [word for some in subjects.anchors.values() for word in some]
    ids = bundled.ids([*listed, "of", "and"])
    table = Table([bundled.words[i] for i in ids], bundled.vectors[ids], language="en")
    few = Table(table.words[:99], table.vectors[:99], language="en")

    readable = mapped("subjects", Vocabulary.of(table), None).outputs

    assert {table.words[i] for i in readable} == set(listed)
    assert (mapped("principal", Vocabulary.of(few), None).outputs == np.arange(99)).all()
