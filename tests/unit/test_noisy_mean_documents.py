"""The document level through the library: what is released, promised and stated."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from nomdeplume import (
    Account,
    Certificate,
    InputError,
    Laplace,
    NoisyNearest,
    Obfuscator,
    PrivacyError,
    Recipe,
    Table,
    Vocabulary,
    seeded,
)
from nomdeplume.bag import Bag
from nomdeplume.decode import Rank
from nomdeplume.distance import word_mover
from nomdeplume.mechanism import NoisyMean, Ranked
from nomdeplume.mechanism.maps import mapped, usual
from nomdeplume.mechanism.recipe import at_once
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.privacy.certificate import EMPTY, Output
from nomdeplume.privacy.verify import verify

WORDS = ["the", "rain", "snow", "sun", "harbour", "boat", "net", "sail", "fire", "hearth", "lamp",
         "oil", "bread", "salt", "of", "wine"]  # fmt: skip
TABLE = Table(WORDS, np.random.default_rng(2).standard_normal((16, 3)) * 3, name="small")
LONG, SHORT = "rain rain snow the harbour boat net", "wine and bread"


OUTPUTS = {NoisyMean: lambda kept: {"outputs": kept.ids}, NoisyNearest: lambda kept: {}}


@pytest.fixture
def kept():
    return Vocabulary.of(TABLE, "short")


@pytest.fixture
def mean(kept):
    return Obfuscator.mean(kept, budget=4.0, size=9, dimensions=2)


# Documents


@pytest.mark.parametrize(
    ("make", "symbol", "unit", "reduction"),
    [(NoisyMean, "E", "document", "mean"), (NoisyNearest, "ε", "word", "sample")],
)
def test_a_mechanism_makes_documents_and_declares_what_they_spend(
    kept, make, symbol, unit, reduction
):
    documents = make(TABLE, Laplace(1.5), kept.ids, **OUTPUTS[make](kept)).documents(kept, 5, "")

    assert (documents.parameter.symbol, documents.parameter.unit) == (symbol, unit)
    assert (documents.value, documents.reduction) == (1.5, reduction)
    assert (documents.form.kind, documents.form.size) == ("words", 5)
    assert documents.form.vector == (make is NoisyMean)


def test_texts_of_all_lengths_become_documents_of_one_size(mean):
    texts = ["rain", LONG, "wine " * 5000, "", "unheard words only"]
    documents = mean(texts, seeded(1))

    assert [len(each.words) for each in documents] == [9] * 5
    assert all(list(each.words) == sorted(each.words) for each in documents)
    assert {word for each in documents for word in each.words} <= set(WORDS) - {"the", "of"}
    assert documents[0].vector is None
    assert documents[0].certificate.documents == 5


def test_many_documents_are_released_in_batches_alike(kept):
    mean = Obfuscator.mean(kept, budget=1e9, size=4)
    texts = [WORDS[1 + i % 13] for i in range(1300)]
    words = [each.words for each in mean(texts, seeded(2))]

    assert mean.documents.batch < 1300
    assert words[:13] * 100 == words


def test_a_text_without_kept_words_is_released_as_the_public_bag(kept):
    mean = Obfuscator.mean(kept, budget=1e9, size=7)
    first = kept.table.words[kept.ids[0]]
    one, two = mean(["of the unheard", first], seeded(1), vectors=True)

    assert one.words == two.words
    assert np.allclose(one.vector, two.vector, atol=1e-6)
    assert mean.guarantee.loss("of the unheard", first) == 0


def test_a_bag_without_words_has_no_mean(mean):
    with pytest.raises(InputError, match="without words has no mean"):
        mean.mechanism.means([Bag.of({1: 2}), Bag.of({})])


def test_a_word_that_is_no_input_is_refused(kept):
    mechanism = NoisyMean(TABLE, Laplace(1.0), kept.ids)

    with pytest.raises(PrivacyError, match="made for"):
        mechanism.means([Bag.of({0: 1})])  # a stop word


def test_counts_weigh_and_order_does_not(mean):
    [one, two, three] = mean.mechanism.means(
        [mean.vocabulary.bag(text) for text in ("rain rain wine", "wine rain rain", "rain wine")]
    )

    assert (one == two).all()
    assert not np.allclose(one, three)


def test_the_mechanism_may_not_release_what_is_not_kept(kept):
    with pytest.raises(InputError, match="outside the kept vocabulary"):
        Obfuscator(kept, NoisyMean(TABLE, Laplace(1.0)))


# Vectors


def test_words_are_a_function_of_the_vector(mean):
    """Whoever has the vector learns nothing more from the words: they can be made from it."""
    documents = mean([LONG, SHORT], seeded(3), vectors=True)
    for document in documents:
        again = mean.mechanism.compose(np.array([document.vector]), 9, seeded(99))
        assert sorted(TABLE.words[i] for i in again[0]) == list(document.words)

    assert documents[0].certificate.vectors
    assert len(documents[0].vector) == mean.mechanism.dimensions


def test_vectors_are_points_of_the_public_grid(mean):
    steps = np.array([d.vector for d in mean([LONG] * 50, vectors=True)]) / mean.mechanism.grid

    assert (steps == np.rint(steps)).all()


def test_asking_for_vectors_changes_no_words(mean):
    with_them, without = mean([LONG], seeded(4), vectors=True), mean([LONG], seeded(4))

    assert with_them[0].words == without[0].words
    assert not without[0].certificate.vectors


def test_words_one_by_one_have_no_vector(kept):
    with pytest.raises(InputError, match="laplace has no mean to release"):
        Obfuscator.laplace(kept)([LONG], vectors=True)
    [released] = Obfuscator.laplace(kept).releases([kept.bag(LONG)], seeded(1))
    assert released.mean is None


# Promises


def test_both_promises_are_stated_the_tighter_one_first(mean, kept):
    nearer, wider = mean.guarantees
    x, y = (kept.bag(text) for text in (LONG, SHORT))
    apart = np.linalg.norm(np.subtract(*mean.mechanism.means([x, y])))

    assert (nearer.formula, wider.formula) == ("4 · ‖Δf‖", "4 · W₁")
    assert nearer.loss(LONG, SHORT) == pytest.approx(4 * apart)
    assert wider.loss(LONG, SHORT) == pytest.approx(4 * word_mover(kept.cloud(x), kept.cloud(y)))
    assert 0 < nearer.loss(LONG, SHORT) < wider.loss(LONG, SHORT)
    assert mean.guarantee.formula == wider.formula
    assert "mean" in wider.proofs
    assert "laplace" in wider.proofs


def test_the_promise_has_no_factor_of_size(kept):
    small, large = (Obfuscator.mean(kept, budget=4.0, size=size) for size in (1, 500))

    assert small.guarantee.loss(LONG, SHORT) == large.guarantee.loss(LONG, SHORT)


def test_a_text_twice_as_long_is_the_same_document(mean):
    assert mean.guarantee.loss(LONG, f"{LONG} {LONG}") == 0
    assert mean.guarantees[0].loss(LONG, f"{LONG} {LONG}") == pytest.approx(0, abs=1e-12)


def test_any_two_texts_are_within_the_diameter_of_the_features(mean):
    rows = mean.mechanism.features.vectors[:].astype(float) / mean.mechanism.stretch
    widest = max(np.linalg.norm(x - y) for x in rows for y in rows)
    any_two = mean.promises[0].odds[-1]

    assert any_two.pair == "any"
    assert widest <= any_two.distance * (1 + 1e-9)
    assert any_two.distance == pytest.approx(widest)


def test_the_account_is_of_the_distance_of_means(mean, kept):
    x, y = (kept.bag(text) for text in (LONG, SHORT))
    apart = float(np.linalg.norm(np.subtract(*mean.mechanism.means([x, y]))))
    due = Account.of_bags(4.0, [apart], mean.mechanism.dimensions)
    found = mean.account(LONG, SHORT)

    assert found.loss(1e-3) == pytest.approx(due.loss(1e-3))
    assert found.loss(1e-3) < mean.guarantees[0].loss(LONG, SHORT)


def test_another_noise_or_a_subclass_has_no_account(kept):
    class Mine(NoisyMean):
        pass

    other = Obfuscator(kept, Mine(TABLE, Laplace(1.0), kept.ids))
    with pytest.raises(InputError, match="only Laplace noise has an account"):
        other.account(LONG, SHORT)


# The certificate


@pytest.fixture
def certificate(mean):
    return mean([LONG, SHORT])[0].certificate


def test_a_certificate_of_means_says_what_was_done(certificate):
    assert (certificate.mechanism, certificate.reduction) == ("mean", "mean")
    assert certificate.epsilon == certificate.budget == 4
    assert certificate.unchanged is None
    assert certificate.at_once
    assert certificate.settings["map"] == "principal"
    assert [promise.formula for promise in certificate.promises] == [
        "loss ≤ 4 · ‖Δf‖",
        "loss ≤ 4 · W₁",
    ]
    assert "of any lengths" in certificate.promises[1].between
    assert "ε=" not in repr(certificate)
    assert "E=4" in repr(certificate)


def test_a_certificate_of_means_comes_back_as_it_was(certificate):
    assert Certificate.from_json(certificate.to_json()) == certificate


def test_units_are_stated(mean):
    stated = mean.certify("seeded", 3, Output("jsonl", "0"), unit_field="author")

    assert stated.unit_field == "author"
    assert "All texts with one value of the unit field" in stated.several_documents
    assert "m times" in mean.certify("seeded", 3, Output("jsonl", "0")).several_documents


def test_a_true_certificate_of_means_is_verified(certificate, kept):
    checks = verify(certificate, kept, None)

    assert [check.name for check in checks if not check.holds] == []
    assert len(checks) == 4


def budgeted(certificate, budget):
    """The same with another budget everywhere that it is said but in the odds."""
    data = json.loads(certificate.to_json().replace("4 · ", f"{budget:g} · "))
    data |= {"budget": budget, "epsilon": budget}
    for promise in data["promises"]:
        promise["budget"] = budget
    return Certificate.from_json(json.dumps(data))


TYPED = {
    "a stretch a thousandth lower": lambda c: replace(
        c, settings=c.settings | {"stretch": 0.999 * c.settings["stretch"]}
    ),
    "a stretch of 1": lambda c: replace(c, settings=c.settings | {"stretch": 1.0}),
    "no stretch": lambda c: replace(
        c, settings={k: v for k, v in c.settings.items() if k != "stretch"}
    ),
    "a budget": lambda c: replace(c, budget=3.0),
    "an epsilon": lambda c: replace(c, epsilon=3.0),
    "a budget everywhere but in the odds": lambda c: budgeted(c, 3.0),
    "a map": lambda c: replace(c, settings=c.settings | {"map": "vectors"}),
    "fewer dimensions": lambda c: replace(c, settings=c.settings | {"dimensions": 1}),
    "one promise": lambda c: replace(c, promises=c.promises[:1]),
    "texts released as they are": lambda c: replace(c, empty_documents=EMPTY["any"]),
    "the word level": lambda c: replace(c, mechanism="laplace"),
    "a share that stays": lambda c: replace(c, unchanged=0.1),
    "outputs": lambda c: replace(c, output_words=3),
}


@pytest.mark.parametrize("what", TYPED)
def test_what_was_typed_into_a_certificate_is_found(certificate, kept, what):
    typed = TYPED[what](certificate)

    assert typed != certificate
    assert [check.name for check in verify(typed, kept, None) if not check.holds]


def test_the_last_digit_of_a_stretch_may_differ(certificate, kept):
    """Machines round products of matrices in their own ways."""
    near = certificate.settings | {"stretch": certificate.settings["stretch"] * (1 + 5e-7)}

    assert all(check.holds for check in verify(replace(certificate, settings=near), kept, None))


def test_the_reference_texts_lie_at_growing_distances_under_both(bundled):
    made = Obfuscator.mean(bundled, budget=20)
    nearer, wider = made.promises

    assert [odds.pair for odds in nearer.odds] == ["near", "typical", "far", "any"]
    for one, two in zip(nearer.odds, wider.odds, strict=True):
        assert 0 < one.distance < two.distance
        assert one.loss_at_delta <= one.loss
    assert made.mechanism.settings["map"] == "subjects"


# Recipes


def test_the_mechanism_follows_from_what_is_asked_for():
    asked = {
        (None, None, None): ("mean", 20.0),
        (None, None, 7.0): ("mean", 7.0),
        (None, 3.0, None): ("laplace", 3.0),
        ("laplace", None, 50.0): ("laplace", 5.0),
        ("laplace", None, None): ("laplace", 6.0),
        ("tem", None, None): ("tem", 2.0),
        ("tem", None, 30.0): ("tem", 3.0),
        ("mean", None, 30.0): ("mean", 30.0),
    }
    for (mechanism, epsilon, budget), due in asked.items():
        found = Recipe.asked(mechanism, epsilon, budget, 10)
        assert (found.mechanism, found.epsilon) == due
        assert found.at_once == at_once(found.mechanism) == (due[0] == "mean")


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "budget", "said"),
    [
        ("mean", 3.0, None, "no epsilon for a word"),
        (None, 3.0, 3.0, "not both"),
        (None, None, 0.0, "budget must be"),
        (None, None, float("nan"), "budget must be"),
        ("gauss", None, 3.0, "mechanism must be one of standin, mean, laplace"),
    ],
)
def test_what_cannot_be_asked_for(mechanism, epsilon, budget, said):
    with pytest.raises(InputError, match=said):
        Recipe.asked(mechanism, epsilon, budget, 10)


def test_obfuscators_without_a_mechanism_are_of_the_mechanism_asked_for(kept):
    assert Obfuscator.of(vocabulary=kept).mechanism.name == "standin"
    assert Obfuscator.of(vocabulary=kept, size=30).mechanism.name == "mean"
    assert Obfuscator.of(vocabulary=kept, budget=3).mechanism.name == "mean"
    assert Obfuscator.of(vocabulary=kept, epsilon=3).mechanism.name == "laplace"
    assert repr(Obfuscator.mean(kept, budget=3)).startswith("<Obfuscator: mean, E=3, size=100")
    with pytest.raises(InputError, match="its own way from a text to words"):
        Obfuscator.of("mean", kept, reduction="sample")
    with pytest.raises(InputError, match="reduction must be sample or apportion"):
        Obfuscator.of("laplace", kept, reduction="mean")


# Maps


def test_a_table_without_subjects_has_its_main_directions(kept, bundled):
    french = Table(bundled.words[:9000], bundled.vectors[:9000], name="fr", language="fr")

    assert usual(kept) == "principal"  # English, but none of the anchors is known
    assert usual(Vocabulary.of(french, "none")) == "principal"
    assert usual(Vocabulary.of(bundled)) == "subjects"
    assert Obfuscator.mean(kept).mechanism.settings["map"] == "principal"


def test_without_features_a_fitted_map_is_refused(kept):
    for name in ("topics", "learnt"):
        with pytest.raises(InputError, match=f"the map {name} needs features"):
            mapped(name, kept, None)


@pytest.mark.parametrize("name", ["vectors", "anchors", "learnt"])
def test_some_maps_have_the_dimensions_that_they_have(bundled, name):
    with pytest.raises(InputError, match="the dimensions that it has"):
        mapped(name, Vocabulary.of(bundled), 3)


@pytest.mark.parametrize("m", [0, -1, 101, 1.5, True])
@pytest.mark.parametrize("name", ["principal", "subjects"])
def test_impossible_dimensions_are_refused(bundled, name, m):
    with pytest.raises(InputError, match=r"dimensions|directions"):
        mapped(name, Vocabulary.of(bundled), m)


@pytest.mark.parametrize("m", [1, 3, 100])
def test_maps_have_as_many_dimensions_as_asked_for(bundled, m):
    for name in ("principal", "subjects"):
        image = mapped(name, Vocabulary.of(bundled), m).image
        assert np.allclose(image.directions @ image.directions.T, np.eye(m), atol=1e-9)


# What is remembered, and what travels


def test_a_stretch_is_found_once(kept, tmp_path, monkeypatch):
    memory = Memory(tmp_path)
    one = Recipe("mean", 2.0).make(kept, memory=memory)
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr("nomdeplume.mechanism.stretch.Steepest", None)
    two = Recipe("mean", 5.0, compose="maxent").make(kept, memory=memory)

    assert two.stretch == one.stretch
    with pytest.raises(TypeError):
        Recipe("mean", 2.0, dimensions=2).make(kept, memory=memory)


@pytest.mark.parametrize("content", ["", "{}", '{"number": 0}', "[1]", "nonsense"])
def test_a_memory_that_cannot_be_read_is_not_believed(kept, tmp_path, content):
    one = Recipe("mean", 2.0).make(kept, memory=Memory(tmp_path))
    [path] = tmp_path.iterdir()
    path.write_text(content, encoding="utf-8")

    assert Recipe("mean", 2.0).make(kept, memory=Memory(tmp_path)).stretch == one.stretch


def test_a_pickled_obfuscator_releases_the_same(kept, tmp_path, monkeypatch):
    """Without whom to tell, and without finding the stretch again."""
    one = Obfuscator.of("mean", kept, budget=3, size=5, tell=lambda _: None)
    data = pickle.dumps(one)
    monkeypatch.setattr("nomdeplume.mechanism.stretch.Steepest", None)
    two = pickle.loads(data)

    assert two([LONG], seeded(1))[0].words == one([LONG], seeded(1))[0].words
    assert two.mechanism.stretch == one.mechanism.stretch
    assert two.mechanism.tell is None


def test_a_mechanism_that_lacks_kept_words_is_refused():
    """It would refuse some texts and not others, and a refusal tells."""
    table = Table(("apple", "pear", "lake"), np.array([[0, 0], [0, 1], [5, 5]]))
    kept = Vocabulary.of(table, "none")
    with pytest.raises(InputError, match="all kept words"):
        Obfuscator(kept, NoisyMean(table, Laplace(1.0), [0, 1], outputs=kept.ids))


@pytest.mark.parametrize("words", [("apple",), ("apple", "pear")])
def test_words_at_one_place_are_released_all_the_same(words):
    table = Table(words, np.zeros((len(words), 2)))
    [document] = Obfuscator.mean(Vocabulary.of(table, "none"), size=4)(["apple"])

    assert set(document.words) <= set(words)


def test_a_step_by_rank_after_documents_is_refused(kept):
    mean = NoisyMean(TABLE, Laplace(1.0), kept.ids, outputs=kept.ids)
    with pytest.raises(InputError, match="a step follows single words"):
        Obfuscator(kept, Ranked(mean, Rank()))
