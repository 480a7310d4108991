"""Libraries of public texts, the one that ships among them."""

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from nomdeplume import InputError, Obfuscator
from nomdeplume.evaluate.setting import Setting, grid
from nomdeplume.library import Library, Passage, score_of
from nomdeplume.library.fitting import fitted
from nomdeplume.library.library import DATA, one_line
from nomdeplume.library.scores import ByTable
from nomdeplume.mechanism import Recipe
from nomdeplume.mechanism.standin import StandIn
from nomdeplume.vocabulary import Vocabulary

PERSONAL = re.compile(r"\b(I|me|my|we|us|our|you|your)\b", re.IGNORECASE)
THREE = tuple(Passage(name, f"A text about {name}.", name) for name in ("bread", "rain", "law"))


@pytest.fixture(scope="module")
def shipped():
    return Library.shipped("en")


def test_the_library_that_ships_covers_many_subjects_in_one_voice(shipped):
    lengths = [len(each.text.split()) for each in shipped.passages]

    assert len(shipped) >= 800
    assert len(shipped.fields) == 36
    assert 50 <= min(lengths) <= max(lengths) <= 90
    assert len({each.title for each in shipped.passages}) == len(shipped)
    assert all(each.text.isascii() and len(each.title.split()) <= 6 for each in shipped.passages)
    assert not [each.id for each in shipped.passages if PERSONAL.search(each.text)]
    assert not [each.id for each in shipped.passages if "?" in each.text]
    assert shipped.licence == "CC0-1.0"
    assert (DATA / "library-en.jsonl").stat().st_size < 1_000_000


def test_passages_begin_and_read_differently(shipped):
    openings = Counter(" ".join(each.text.split()[:2]) for each in shipped.passages)

    assert max(openings.values()) <= 8


def test_a_text_of_the_library_fits_itself_best(shipped):
    score = ByTable(shipped, Vocabulary.given(None))
    found = np.argsort(-score(shipped.texts), axis=1)
    own = np.arange(len(shipped))[:, None]

    assert (found[:, :1] == own).mean() > 0.85
    assert (found[:, : score.best(100)] == own).any(axis=1).mean() > 0.98


def test_a_text_without_known_words_has_scores_too(shipped):
    found = ByTable(shipped, Vocabulary.given(None))(["", "qqqq"])

    assert np.isfinite(found).all()


def test_larger_odds_take_fewer_and_closer_texts(shipped):
    score = ByTable(shipped, Vocabulary.given(None))
    best = [score.best(odds) for odds in (5, 20, 100, 1000)]

    assert best == sorted(best, reverse=True)
    assert best[2] == 32
    assert score.name == "table and fields"


def test_a_library_that_ships_has_a_name(shipped):
    assert Library.named(shipped.name).fingerprint == shipped.fingerprint
    assert Library.named(shipped.name).ships
    for wrong in ("subjects-xx", "nowhere"):
        with pytest.raises(InputError, match="no library can be read"):
            Library.named(wrong)


def test_a_file_gives_back_the_library(tmp_path):
    made = Library(THREE, name="mine", licence="CC0-1.0")
    (tmp_path / "l").write_text(made.to_jsonl(), encoding="utf-8")
    found = Library.read(tmp_path / "l")

    assert found.passages == made.passages
    assert (found.name, found.fingerprint) == ("mine", made.fingerprint)
    assert found.fingerprint != Library(THREE[::-1]).fingerprint
    assert found["rain"].title == "rain"
    assert found.holding("A text about law.").id == "law"


@pytest.mark.parametrize(
    "passages",
    [
        THREE[:2],
        (*THREE, THREE[0]),
        (*THREE, Passage("other", THREE[0].text)),
        (*THREE, Passage("empty", " ")),
        (*THREE, Passage("", "A text without an id.")),
    ],
)
def test_what_is_no_library_is_refused(passages):
    with pytest.raises(InputError):
        Library(passages)


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "1\n2", '{"format": 2}', '{"format": 9}', "\0"]
)
def test_what_is_no_library_file_is_refused(tmp_path, content):
    (tmp_path / "l").write_text(content, encoding="utf-8")

    with pytest.raises(InputError, match="l"):
        Library.read(tmp_path / "l")


def test_the_same_words_in_another_order_are_known_again():
    made = Library((*THREE, Passage("long", "One two three four five six seven")))

    assert made.has("Seven, six, five, four, three two - ONE!")
    assert not made.has("One two three four five six seven eight")
    assert not made.has("")


def test_standins_come_from_python_too():
    made = Obfuscator.standin(odds=100)
    [document] = made(["My tomatoes have black spots again."])

    assert document.text in made.documents.library.texts
    assert made.promises[0].sentence.endswith(
        "by more than 100 to 1 through one released document."
    )
    assert made.price.budget == pytest.approx(np.log(100))


def test_an_evaluation_takes_odds_as_they_are(tmp_path):
    """Budgets and sizes are for others; a setting is known by its library's content."""
    found = grid([Recipe.usually("standin"), Recipe.usually("mean")], budgets=[5, 10], sizes=[7])
    (tmp_path / "l").write_text(Library(THREE).to_jsonl(), encoding="utf-8")
    one = Setting(Recipe("standin", 100, library=str(tmp_path / "l"))).key
    (tmp_path / "l").write_text(Library(THREE[::-1]).to_jsonl(), encoding="utf-8")

    assert [each.recipe.epsilon for each in found] == [100, 5, 10]
    assert one != Setting(Recipe("standin", 100, library=str(tmp_path / "l"))).key


TOPICS = tuple(
    Passage(f"{topic}{n}", f"{' '.join(words[n % 3 : n % 3 + 3])} number {n}", field=topic)
    for topic, words in (
        ("sea", ["ship", "harbor", "wave", "sail", "anchor"]),
        ("land", ["wheat", "barn", "tractor", "soil", "cow"]),
        ("law", ["court", "judge", "appeal", "verdict", "lawyer"]),
    )
    for n in range(8)
)


@pytest.mark.parametrize("topics", [2, 3])
def test_a_classifier_ranks_the_texts_of_the_likeliest_topic_first(tmp_path, topics):
    made = fitted(Library(TOPICS[: 8 * topics]))
    (tmp_path / "l").write_text(made.to_jsonl(), encoding="utf-8")
    score = score_of(Library.read(tmp_path / "l"), Vocabulary.given(None))
    nearest = StandIn(made, score, 8)._nearest(["The anchor and the sail.", "tractor on the soil"])

    fields = [{made.passages[place].field for place in row} for row in nearest.tolist()]
    assert fields == [{"sea"}, {"land"}]
    assert np.isfinite(score(["", "qqq"])).all()
    assert score.best(100) == 8
    assert score.name.startswith("topics ")


def test_equally_many_texts_of_each_topic_are_kept_the_clearest_ones():
    unclear = Passage("unclear", "wheat barn tractor soil", field="sea")
    all_clear = fitted(Library((unclear, *TOPICS)))
    fewer = fitted(Library((unclear, *TOPICS)), each=5)

    assert {each.id for each in all_clear.passages} == {each.id for each in TOPICS}
    assert dict(fewer.fields) == {"sea": 5, "land": 5, "law": 5}
    assert score_of(fewer, Vocabulary.given(None)).best(100) == 5


def test_texts_of_more_topics_are_best_at_small_odds():
    """In a library of 1,000 texts, the ones of the second topic cost least then."""
    model = replace(fitted(Library(TOPICS)).model, on_topic=((5, 3.0), (10, 5.0)), topic_size=5.0)

    assert [model.best(odds, size=1_000) for odds in (2, 10_000)] == [10, 5]


def test_clusters_are_found_without_topics_and_named_by_their_words(tmp_path):
    rng = np.random.default_rng(0)
    pools = [
        [f"{kind}{a}{b}" for a in "abcdefgh" for b in "abcdefgh"] for kind in ("sea", "land", "law")
    ]
    texts = tuple(
        Passage(str(n), " ".join(("shared", *rng.choice(pools[n % 3], 12)))) for n in range(300)
    )
    made = fitted(Library(texts), each=20)
    (tmp_path / "l").write_text(made.to_jsonl(), encoding="utf-8")
    score = score_of(Library.read(tmp_path / "l"), Vocabulary.given(None))
    found = score([" ".join(pools[0][:6]), " ".join(pools[2][:6])]).argmax(axis=1)

    assert [int(made.passages[place].id) % 3 for place in found.tolist()] == [0, 2]
    assert len(set(made.fields.values())) == 1
    for passage in made.passages:
        number, *shown = passage.field.split()
        assert number.isdecimal()
        assert set(shown) <= set(pools[int(passage.id) % 3])


def test_texts_that_a_model_was_fitted_on_are_known_though_they_are_not_kept(tmp_path):
    left_out = Passage("long", "court judge appeal verdict lawyer number one", field="sea")
    made = fitted(Library((left_out, *TOPICS)))
    (tmp_path / "l").write_text(made.to_jsonl(), encoding="utf-8")
    found = Library.read(tmp_path / "l")

    assert left_out.text not in found.texts
    assert found.has(left_out.text)
    assert not found.has("court judge appeal verdict lawyer number two")


def test_texts_of_the_field_that_fits_come_before_those_of_others(shipped):
    """The mean of a field counts as much as a text."""
    text = "The priest read from the scripture and the congregation prayed."
    fields = [each.field for each in shipped.passages]
    plain = Library(tuple(replace(each, field="") for each in shipped.passages))
    with_fields, without = (
        Counter(
            fields[i] for i in np.argsort(-ByTable(some, Vocabulary.given(None))([text])[0])[:25]
        )
        for some in (shipped, plain)
    )

    assert with_fields["religion and belief"] > without["religion and belief"]


def test_a_library_without_topics_is_scored_by_the_table_if_it_is_small():
    plain = Library(tuple(Passage(each.id, each.text) for each in TOPICS))

    assert fitted(plain).model is None
    assert fitted(Library(TOPICS), "table").model is None
    with pytest.raises(InputError, match="needs a topic for every text"):
        fitted(plain, "topics")
    with pytest.raises(InputError, match="at least 2 texts"):
        fitted(Library(TOPICS[:9]))
    with pytest.raises(InputError, match="clusters need at least 120 texts"):
        fitted(plain, "clusters")
    with pytest.raises(InputError, match="texts of a topic must be a whole number from 2"):
        fitted(Library(TOPICS), each=1)


@pytest.mark.parametrize("spoil", ["words", "idf", "matrix", "topics", "on_topic"])
def test_a_damaged_model_is_refused(tmp_path, spoil):
    made = fitted(Library(TOPICS))
    head, rest = made.to_jsonl().split("\n", 1)
    facts = json.loads(head)
    facts["model"][spoil] = facts["model"][spoil][1:] if spoil != "on_topic" else [["a"]]
    (tmp_path / "l").write_text(f"{json.dumps(facts)}\n{rest}", encoding="utf-8")

    with pytest.raises(InputError):
        Library.read(tmp_path / "l")


HOSTILE = {
    "a topic that no text has": lambda head, rows: head["model"].update(
        topics=["sea", "land", "x"]
    ),
    "marks that are none": lambda head, rows: head["model"].update(seen="AAAA"),
    "no curve": lambda head, rows: head["model"].update(on_topic=[]),
    "half a surrogate": lambda head, rows: rows[0].update(text="\ud800"),
    "no text": lambda head, rows: rows[0].update(text=None),
    "words as a text": lambda head, rows: rows[0].update(words="abc"),
    "lines": lambda head, rows: rows[0].update(text="one\ntwo"),
    "a terminal's signs": lambda head, rows: head.update(name="x\x1b[31m"),
}


@pytest.mark.parametrize("spoil", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_library_is_refused(tmp_path, spoil):
    head, *rows = map(json.loads, fitted(Library(TOPICS)).to_jsonl().splitlines())
    spoil(head, rows)
    (tmp_path / "l").write_text("\n".join(map(json.dumps, [head, *rows])), encoding="utf-8")

    with pytest.raises(InputError):
        Library.read(tmp_path / "l")


def test_a_text_becomes_one_line():
    assert one_line("  a\u2028b\r\n\tc\x1b d ") == "a b c d"
