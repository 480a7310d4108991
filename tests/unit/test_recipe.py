"""Mechanisms by name: what can be made, what is refused, and what is remembered."""

import json
from contextlib import contextmanager

import numpy as np
import pytest

from nomdeplume import InputError, Obfuscator, PrivacyError, Table, mechanism, noise
from nomdeplume.cli import progress
from nomdeplume.compose import Herding, MaxEnt
from nomdeplume.decode import DECODERS, Rank, Vickrey, zipf
from nomdeplume.mechanism import MECHANISMS, Recipe, exponential
from nomdeplume.mechanism.menu import COMPOSINGS, DECODINGS
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.mechanism.tight import Tight
from nomdeplume.privacy.certificate import Certificate, Output
from nomdeplume.privacy.verify import recipe_of, verify
from nomdeplume.vocabulary import Vocabulary

WORDS = ["the", "rain", "snow", "sun", "harbour", "boat", "net", "sail", "fire", "hearth", "lamp",
         "oil", "bread", "salt", "of", "wine"]  # fmt: skip
TABLE = Table(WORDS, np.random.default_rng(2).standard_normal((16, 3)) * 3, name="small")
ZIPF = zipf(TABLE)
CHOOSING = ("exponential", "tem", "syntf", "santext+", "custext", "diffractor")


def decodings(name):
    if name == "mean":
        return [""]  # it composes
    if name == "vickrey":
        return ["", "vickrey"]
    return ["", "nearest", "rank"] if name in CHOOSING else ["", *DECODERS]


BY_WORDS = [name for name in MECHANISMS if name != "standin"]  # the others release texts
ALL = [(name, decode) for name in BY_WORDS for decode in decodings(name)]
every = pytest.mark.parametrize(("name", "decode"), ALL)


@pytest.fixture
def kept():
    """All words but two stop words."""
    return Vocabulary.of(TABLE, "short")


@pytest.fixture
def memory(tmp_path):
    return Memory(tmp_path / "calibrations")


def made(kept, name, epsilon=2.0, **parts):
    return Recipe(name, epsilon, **parts).make(kept)


def stated_by(mechanism):
    """What a mechanism states, numbers up to their last digits."""
    found = getattr(mechanism, "settings", {})
    return {
        name: value if isinstance(value, str) else f"{value:.8g}" for name, value in found.items()
    }


def settings_of(name):
    return {"group": 4} if name == "custext" else {}


@every
def test_every_recipe_makes_a_mechanism_that_releases_kept_words(kept, name, decode, rng):
    mechanism = made(kept, name, decode=decode, settings=settings_of(name))
    released = mechanism.release(np.tile(kept.ids, 40), rng)

    assert len(kept) == 14
    assert set(released.tolist()) <= set(kept.ids.tolist())
    assert len(set(released.tolist())) > 5
    assert mechanism.guarantee.epsilon == pytest.approx(2.0)
    assert mechanism.name == ("vickrey" if (name, decode) == ("laplace", "vickrey") else name)
    assert ("postprocessing" in mechanism.guarantee.proofs) == (
        decode in ("vickrey", "rank", "bayes") or name == "vickrey"
    )


@every
def test_only_the_words_of_a_list_come_out(kept, name, decode, rng):
    if not MECHANISMS[name].narrowed:
        with pytest.raises(InputError, match="one vocabulary for what goes in and comes out"):
            Recipe(name, 2.0, decode=decode, outputs=("rain",))
        return
    listed = ("oil", "rain", "rain", "unheard", "the", "boat")  # `the` is a stop word
    mechanism = made(kept, name, decode=decode, outputs=listed)
    released = mechanism.release(np.tile(kept.ids, 40), rng)

    assert {TABLE.words[i] for i in released} == {"oil", "rain", "boat"}
    assert [TABLE.words[i] for i in mechanism.outputs] == ["rain", "boat", "oil"]


@every
def test_what_a_certificate_states_makes_the_same_mechanism_again(kept, name, decode):
    recipe = Recipe(name, 2.0, decode=decode, settings=settings_of(name))
    obfuscator = Obfuscator(kept, recipe.make(kept), size=5)
    stated = obfuscator.certify("seeded", 0, Output("text", "0"))
    recipe = recipe_of(Certificate.from_json(stated.to_json()))
    one, two = obfuscator.mechanism, recipe.make(kept)
    failed = [check.name for check in verify(stated, kept, None) if not check.holds]

    assert type(one) is type(two)
    assert stated_by(two) == stated_by(one)
    assert two.guarantee.epsilon == one.guarantee.epsilon
    assert two.guarantee.proofs == one.guarantee.proofs
    assert two.guarantee.formula == one.guarantee.formula
    assert failed == []


OTHERS = {
    "mahalanobis": {"settings": {"mu": 0.3}},
    "vickrey": {"settings": {"t": 0.2}},
    "laplace, rank": {"decode": "rank", "settings": {"c": 0.7}},
    "tem": {"settings": {"beta": 0.2}},
    "tem, rank": {"decode": "rank", "settings": {"beta": 0.2, "c": 0.7}, "weights": ZIPF},
    "exponential, given": {"settings": {"a": 1.0}},
    "exponential": {"outputs": ("rain", "oil", "boat")},
    "syntf": {"outputs": ("rain", "oil", "boat")},
    "santext+": {"settings": {"share": 0.5, "p": 0.9}},
    "custext": {"settings": {"group": 3}},
    "diffractor": {"settings": {"lists": 2}},
    "laplace": {"dimensions": 2},
    "mahalanobis, rank": {"dimensions": 2, "decode": "rank"},
    "polar, bayes": {"decode": "bayes", "weights": ZIPF},
    "mean": {"map": "vectors"},
    "mean, 2 directions": {"dimensions": 2},
    "mean, maxent": {"compose": "maxent", "settings": {"ridge": 0.2}},
    "mean, no penalty": {"settings": {"penalty": 0.0}, "weights": ZIPF},
}


@pytest.mark.parametrize("kind", OTHERS)
def test_settings_are_stated_and_make_the_same_again(kept, kind):
    name, parts = kind.partition(",")[0], OTHERS[kind]
    one = made(kept, name, **parts)
    given = {key: parts[key] for key in ("outputs", "weights") if key in parts}
    two = Recipe.stated(name, 2.0, getattr(one, "settings", {}), **given).make(kept)
    usual = made(kept, name)

    assert stated_by(two) == stated_by(one)
    assert (stated_by(one), str(one.outputs)) != (stated_by(usual), str(usual.outputs))
    assert two.guarantee.formula == one.guarantee.formula
    assert two.guarantee.proofs == one.guarantee.proofs
    for setting, value in parts.get("settings", {}).items():
        assert one.settings[setting] == value


@pytest.mark.parametrize("name", ["exponential", "tem", "santext+"])
def test_an_a_that_promises_less_than_is_stated_is_refused(kept, name):
    one = made(kept, name)

    with pytest.raises(PrivacyError, match=r"promises .* on this table, not"):
        Recipe.stated(name, 1.9, one.settings).make(kept)
    with pytest.raises(PrivacyError, match=r"promises .* on this table, not"):
        Recipe.stated(name, 2.0, {**one.settings, "a": 1.01 * one.settings["a"]}).make(kept)


REFUSED = [
    ({"mechanism": "gauss"}, "one of standin, mean, laplace, vickrey"),
    ({"mechanism": "laplace", "decode": "farthest"}, "one of nearest, vickrey"),
    ({"mechanism": "exponential", "decode": "vickrey"}, "take rank"),
    ({"mechanism": "syntf", "decode": "bayes"}, "take rank"),
    ({"mechanism": "custext", "decode": "vickrey"}, "take rank"),
    ({"mechanism": "vickrey", "decode": "rank"}, "take laplace"),
    ({"mechanism": "vickrey", "decode": "nearest"}, "take laplace"),
    ({"mechanism": "vmf", "dimensions": 2}, "not for vmf"),
    ({"mechanism": "polar", "dimensions": 2}, "not for polar"),
    ({"mechanism": "exponential", "dimensions": 2}, "not for exponential"),
    ({"mechanism": "custext", "outputs": ("rain",)}, "custext has one vocabulary"),
    ({"mechanism": "diffractor", "outputs": ("rain",)}, "diffractor has one vocabulary"),
    ({"mechanism": "laplace", "weights": ZIPF}, "for mean, exponential, tem and --decode bayes"),
    ({"mechanism": "syntf", "weights": ZIPF}, "for mean, exponential, tem and --decode bayes"),
    ({"mechanism": "laplace", "settings": {"mu": 0.5}}, "laplace knows no setting mu; it has none"),
    ({"mechanism": "tem", "settings": {"gamma": 1.0}}, "no setting gamma; it has a, beta"),
    ({"mechanism": "laplace", "decode": "rank", "settings": {"t": 1.0}}, "it has c"),
    ({"mechanism": "laplace", "epsilon": 0.0}, "epsilon must be a finite number above 0"),
    ({"mechanism": "mean", "decode": "nearest"}, "it decodes no word alone"),
    ({"mechanism": "mean", "decode": "rank"}, "it decodes no word alone"),
    ({"mechanism": "mean", "map": "thoughts"}, "map must be one of vectors, principal, subjects"),
    ({"mechanism": "mean", "compose": "prose"}, "compose must be herding or maxent"),
    ({"mechanism": "mean", "settings": {"ridge": 1.0}}, "no setting ridge; it has .*penalty"),
    (
        {"mechanism": "mean", "compose": "maxent", "settings": {"penalty": 1.0}},
        "no setting penalty; it has .*ridge",
    ),
    ({"mechanism": "laplace", "map": "vectors"}, "laplace releases words one by one; take mean"),
    ({"mechanism": "tem", "compose": "herding"}, "tem releases words one by one; take mean"),
]


@pytest.mark.parametrize(("parts", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_cannot_be_made_is_refused_with_what_can(parts, said):
    with pytest.raises(InputError, match=said):
        Recipe(**{"epsilon": 2.0, **parts})


UNFIT = [
    ({"mechanism": "tem", "settings": {"beta": 1.0}}, "beta must be a chance"),
    ({"mechanism": "santext+", "settings": {"p": 1.5}}, "p must be from 0 to 1"),
    ({"mechanism": "santext+", "settings": {"share": 1.0}}, "must leave words to cover"),
    ({"mechanism": "custext", "settings": {"group": 2.5}}, "group must be a whole number"),
    ({"mechanism": "custext", "settings": {"group": float("inf")}}, "group must be a whole number"),
    ({"mechanism": "custext", "settings": {"group": float("nan")}}, "group must be a whole number"),
    ({"mechanism": "diffractor", "settings": {"lists": 0}}, "lists must be a whole number"),
    ({"mechanism": "mahalanobis", "settings": {"mu": 2.0}}, "mu must be"),
    ({"mechanism": "laplace", "decode": "rank", "settings": {"c": 0.0}}, "c must be"),
    ({"mechanism": "vickrey", "settings": {"t": 7.0}}, "t must be"),
    ({"mechanism": "laplace", "dimensions": 0}, "dimensions must be a whole number"),
    ({"mechanism": "laplace", "dimensions": 4}, "dimensions|directions"),
    ({"mechanism": "tem", "outputs": ("unheard", "the")}, "none of the words that may come out"),
    ({"mechanism": "tem", "weights": np.ones(3)}, "16 words need as many weights"),
    ({"mechanism": "exponential", "settings": {"a": -1.0}}, "a must be a finite number above 0"),
    ({"mechanism": "mean", "settings": {"penalty": -1.0}}, "penalty must be"),
    ({"mechanism": "mean", "compose": "maxent", "settings": {"ridge": 0.0}}, "ridge must be"),
    ({"mechanism": "mean", "map": "vectors", "dimensions": 2}, "has the dimensions that it has"),
    ({"mechanism": "mean", "map": "principal", "dimensions": 4}, "dimensions|directions"),
    ({"mechanism": "mean", "map": "principal", "dimensions": 0}, "dimensions must be a whole"),
    ({"mechanism": "mean", "map": "principal", "dimensions": 1.5}, "dimensions must be a whole"),
    ({"mechanism": "mean", "map": "subjects"}, "no subjects for table small"),
    ({"mechanism": "mean", "map": "anchors"}, "no subjects for table small"),
    ({"mechanism": "mean", "map": "topics"}, "needs features with directions"),
    ({"mechanism": "mean", "map": "learnt"}, "needs features that hold one"),
    ({"mechanism": "mean", "outputs": ("unheard", "the")}, "none of the words that may come out"),
    ({"mechanism": "mean", "weights": np.ones(3)}, "16 words need as many weights"),
    ({"mechanism": "mean", "weights": np.zeros(16)}, "must have a weight above 0"),
]


@pytest.mark.parametrize(("parts", "said"), UNFIT, ids=[said for _, said in UNFIT])
def test_what_does_not_fit_the_table_is_refused_when_it_is_made(kept, parts, said):
    recipe = Recipe(epsilon=2.0, **parts)

    with pytest.raises(InputError, match=said):
        recipe.make(kept)


@pytest.mark.parametrize("decode", ["", "rank"])
def test_syntf_draws_its_own_words(kept, decode):
    with pytest.raises(InputError, match="reduction must be sample, got apportion"):
        Obfuscator.of("syntf", kept, reduction="apportion", decode=decode)
    assert Obfuscator.of("syntf", kept, decode=decode).guarantee.metric.symbol == "W∞"


@pytest.mark.parametrize("name", ["santext+", "custext", "diffractor"])
@pytest.mark.parametrize("decode", ["", "rank"])
def test_what_a_promise_leaves_out_is_said(kept, name, decode):
    obfuscator = Obfuscator.of(name, kept, decode=decode, settings=settings_of(name), size=5)
    stated = obfuscator.certify("seeded", 0, Output("text", "0"))

    assert stated.covers.removeprefix("Before its step by rank: ").startswith("The promise")
    assert all(stated.covers in promise.sentence for promise in stated.promises)


@pytest.mark.parametrize("name", sorted(set(MECHANISMS) - {"santext+", "custext", "diffractor"}))
def test_what_covers_all_words_says_nothing_more(kept, name):
    stated = Obfuscator.of(name, kept).certify("seeded", 0, Output("text", "0"))

    assert not stated.covers


def test_an_epsilon_is_usual_only_if_none_is_given():
    assert Recipe.usually("tem").epsilon == MECHANISMS["tem"].usual
    assert Recipe.usually("tem", 0.25).epsilon == 0.25
    with pytest.raises(InputError, match="one of standin, mean, laplace"):
        Recipe.usually("gauss")


# What is remembered


MEMORABLE = pytest.mark.parametrize(
    "recipe",
    [
        Recipe("exponential", 2.0),
        Recipe("exponential", 2.0, outputs=("rain", "oil")),
        Recipe("tem", 2.0, weights=ZIPF),
        Recipe("santext+", 2.0),
    ],
    ids=["exponential", "two outputs", "tem", "santext+"],
)


def files(memory):
    return sorted(memory.folder.glob("*")) if memory.folder.exists() else []


def never(*_):
    raise AssertionError("it was remembered, and is computed again")


@MEMORABLE
def test_a_calibration_is_found_once(kept, memory, recipe, monkeypatch):
    one = recipe.make(kept, memory=memory)
    assert len(files(memory)) == 1
    monkeypatch.setattr(exponential, "solved", never)
    two = recipe.make(kept, memory=memory)

    assert two.settings == one.settings
    assert two.guarantee.formula == one.guarantee.formula
    assert two.channel(kept.ids).tolist() == one.channel(kept.ids).tolist()


@MEMORABLE
def test_without_a_memory_it_is_computed(kept, recipe, monkeypatch):
    monkeypatch.setattr(exponential, "solved", never)

    with pytest.raises(AssertionError, match="computed again"):
        recipe.make(kept)


CHANGED = {
    "another epsilon": ({"epsilon": 2.1}, None),
    "another score": ({"mechanism": "tem"}, None),
    "other outputs": ({"outputs": ("rain", "snow")}, None),
    "weights": ({"weights": ZIPF}, None),
    "another vocabulary": ({}, Vocabulary.of(TABLE, "none")),
    "another table": ({}, Vocabulary.of(Table(WORDS, 2 * TABLE.vectors[:]), "short")),
}


@pytest.mark.parametrize("change", CHANGED)
def test_nothing_else_is_taken_for_what_is_remembered(kept, memory, change, monkeypatch):
    parts, other = CHANGED[change]
    plain = {"mechanism": "exponential", "epsilon": 2.0}
    Recipe(**plain).make(kept, memory=memory)
    monkeypatch.setattr(exponential, "solved", never)

    with pytest.raises(AssertionError, match="computed again"):
        Recipe(**plain | parts).make(other or kept, memory=memory)


SPOILT = {
    "nothing": lambda data: "",
    "no JSON": lambda data: "rain",
    "no object": lambda data: "[1, 2]",
    "half of it": lambda data: json.dumps(data)[:30],
    "another format": lambda data: json.dumps({**data, "format": 99}),
    "another key": lambda data: json.dumps({**data, "key": "0" * 64}),
    "a word for a number": lambda data: json.dumps({**data, "a": "rain"}),
    "no number at all": lambda data: json.dumps(data).replace(str(data["a"]), "NaN"),
    "no a": lambda data: json.dumps({key: data[key] for key in data if key != "a"}),
    "a below 0": lambda data: json.dumps({**data, "a": -1.0}),
    "a beyond its promise": lambda data: json.dumps({**data, "a": 50.0}),
    "a tenth of what holds": lambda data: json.dumps({**data, "a": 20.0, "epsilon": 2.0}),
    "a promise beyond the textbook": lambda data: json.dumps({**data, "epsilon": 50.0}),
    "more than is asked for": lambda data: json.dumps({**data, "a": 2.0, "epsilon": 2.5}),
}


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_spoilt_memory_is_ignored_and_mended(kept, memory, spoil):
    recipe = Recipe("exponential", 2.0)
    one = recipe.make(kept, memory=memory)
    [path] = files(memory)
    whole = path.read_text(encoding="utf-8")
    path.write_text(SPOILT[spoil](json.loads(whole)), encoding="utf-8")
    two = recipe.make(kept, memory=memory)

    assert two.settings == one.settings
    assert path.read_text(encoding="utf-8") == whole


def test_bytes_that_are_no_text_are_ignored(kept, memory):
    one = Recipe("exponential", 2.0).make(kept, memory=memory)
    [path] = files(memory)
    path.write_bytes(b"\xff\xfe\x00")

    assert Recipe("exponential", 2.0).make(kept, memory=memory).settings == one.settings


def test_a_memory_that_cannot_be_written_is_harmless(kept, tmp_path):
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    memory = Memory(tmp_path / "file" / "calibrations")
    mechanism = Recipe("exponential", 2.0).make(kept, memory=memory)

    assert mechanism.settings == Recipe("exponential", 2.0).make(kept).settings
    assert (tmp_path / "file").read_text(encoding="utf-8") == "not a folder"


def test_a_full_memory_leaves_no_parts_behind(memory):
    (memory.folder / "key.json").mkdir(parents=True)  # so that no file can take its place
    memory.keep("key", 1.0, Tight(1.5, 2.0, True, np.empty((0, 2), dtype=np.int64)))

    assert [path.name for path in files(memory)] == ["key.json"]
    assert memory.recall("key") is None


def test_what_is_remembered_holds_no_word(kept, memory):
    Recipe("tem", 2.0, outputs=("harbour", "rain")).make(kept, memory=memory)
    [path] = files(memory)

    assert not any(word in path.read_text(encoding="utf-8") for word in WORDS if len(word) > 3)


def test_the_usual_memory_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("NOMDEPLUME_CACHE", str(tmp_path))
    assert Memory.usual().folder == tmp_path / "calibrations"
    monkeypatch.delenv("NOMDEPLUME_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    assert "nomdeplume" in Memory.usual().folder.parts


def test_the_bar_begins_anew_with_every_pass(monkeypatch):
    told = []

    @contextmanager
    def counted(total, unit, *, shown):
        assert (total, shown) == (20, True)
        yield told.append

    monkeypatch.setattr(progress, "counted", counted)
    with progress.calibrating(10, shown=True) as tell:
        for count in (7, 13, 8, 12, 5):
            tell(count)

    assert np.cumsum(told).tolist() == [7, 0, 8, 0, 5]


def test_no_bar_is_shown_where_nothing_is_calibrated(monkeypatch):
    monkeypatch.setattr(progress, "counted", None)  # would fail if it were asked

    with progress.calibrating(10, shown=True) as tell:
        assert callable(tell)


def test_what_is_usual_is_usual_everywhere():
    """A setting that is left out means the same in a recipe as in Python."""
    made = {"vickrey": Vickrey(), "rank": Rank(), "herding": Herding(), "maxent": MaxEnt()}
    usual = {name: found for name, found in {**DECODINGS, **COMPOSINGS}.items() if found}

    assert set(usual) == set(made)
    for name, found in usual.items():
        assert {setting: getattr(made[name], setting) for setting in found} == found


@pytest.mark.parametrize("package", [mechanism, noise])
def test_names_that_load_on_first_use_are_there(package):
    assert len(package.__all__) > 5
    assert all(hasattr(package, name) for name in package.__all__)
    assert not hasattr(package, "Manager")


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "santext+"])
def test_the_catalogue_says_of_the_parameter_what_the_mechanism_says(kept, name):
    documents = Recipe.usually(name).make(kept).documents(kept, 3, "")

    assert documents.parameter == MECHANISMS[name].parameter
    assert documents.value == pytest.approx(MECHANISMS[name].usual)
