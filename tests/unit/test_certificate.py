import json
from dataclasses import dataclass, fields, replace
from hashlib import sha256

import numpy as np
import pytest

from nomdeplume import Certificate, InputError, Laplace, NoisyNearest, Obfuscator, Table, seeded
from nomdeplume.privacy.promise import Odds
from nomdeplume.privacy.verify import Check, hash_of, is_release, verify
from nomdeplume.vocabulary import DATA, Vocabulary


@pytest.fixture(scope="module")
def obfuscator(request):
    return Obfuscator.laplace(request.getfixturevalue("bundled"), epsilon=3, size=20)


@pytest.fixture(scope="module")
def certificate(obfuscator):
    return obfuscator(["rain on the harbour", "snow"])[0].certificate


@pytest.fixture(scope="module")
def common(bundled):
    """The commonest words: real ones, and few, whose accounts are settled sooner."""
    return Vocabulary.of(Table(list(bundled.words[:800]), bundled.vectors[:800], name="common"))


@pytest.fixture(scope="module")
def stated(common):
    """What is stated about a release of them, reference texts and losses up to δ included."""
    certificate = Obfuscator.laplace(common, epsilon=6, size=100)(["rain", "snow"])[0].certificate
    assert [odds.pair for odds in certificate.promises[1].odds] == ["near", "typical", "far", "any"]
    return certificate


def test_round_trip(certificate):
    assert Certificate.from_json(certificate.to_json()) == certificate


def test_it_states_what_was_done(certificate, bundled):
    assert (certificate.mechanism, certificate.epsilon, certificate.size) == ("laplace", 3.0, 20)
    assert certificate.budget == 60
    assert certificate.documents == 2
    assert certificate.table_fingerprint == bundled.fingerprint
    assert certificate.private
    assert not certificate.seeded


def test_it_holds_nothing_about_single_documents(certificate):
    assert not {"rain", "harbour", "snow"} & set(certificate.to_json().lower().split())
    lists = [
        name for name, value in json.loads(certificate.to_json()).items() if isinstance(value, list)
    ]
    assert lists == ["kept_fields", "promises", "limits"]


def test_sampled_and_apportioned_texts_have_different_promises(bundled):
    sampled = Obfuscator.laplace(bundled, size=10).promises
    apportioned = Obfuscator.laplace(bundled, size=10, reduction="apportion").promises

    assert [promise.formula for promise in sampled] == ["loss ≤ 60 · W₁", "loss ≤ 60 · W∞"]
    assert [promise.formula for promise in apportioned] == ["loss ≤ 60 · W₁"]
    assert "samples" in sampled[0].sentence
    assert "texts'" in sampled[1].sentence
    assert "reduced" in apportioned[0].sentence


def test_reference_pairs_lie_at_growing_distances(obfuscator):
    apportioned = Obfuscator.laplace(
        obfuscator.vocabulary, budget=60, size=20, reduction="apportion"
    )
    for promise in (obfuscator.promises[1], apportioned.promises[0]):
        assert [odds.pair for odds in promise.odds] == ["near", "typical", "far", "any"]
        distances = [odds.distance for odds in promise.odds]
        assert distances == sorted(distances)
        assert distances[0] > 0
        assert all(o.loss == pytest.approx(60 * o.distance) for o in promise.odds)


def test_reference_pairs_also_have_a_loss_up_to_delta(obfuscator):
    apportioned = Obfuscator.laplace(
        obfuscator.vocabulary, epsilon=3, size=20, reduction="apportion"
    )
    for promise in (obfuscator.promises[1], apportioned.promises[0]):
        losses = [odds.loss_at_delta for odds in promise.odds]
        assert promise.delta == 1e-6
        assert losses == sorted(losses)
        assert all(0 < odds.loss_at_delta < 0.5 * odds.loss for odds in promise.odds)


def test_the_loss_up_to_delta_is_that_of_the_account(obfuscator):
    texts = json.loads((DATA / "reference-en.json").read_text(encoding="utf-8"))
    near = obfuscator.promises[1].odds[0]

    assert obfuscator.account(*texts["near"]).loss(1e-6) == near.loss_at_delta
    assert obfuscator.account(*texts["near"]).pure == pytest.approx(near.loss, rel=1e-12)


def test_a_private_text_and_each_reference_text_are_bagged_once(monkeypatch):
    bagged = []
    own = Vocabulary.bag

    def bag(self, text):
        bagged.append(text)
        return own(self, text)

    monkeypatch.setattr(Vocabulary, "bag", bag)
    vocabulary = Vocabulary.of(Table.bundled())
    for made in (Obfuscator.mean(vocabulary, size=5), Obfuscator.laplace(vocabulary, size=5)):
        made(["Rain on the harbour."])
    references = json.loads((DATA / "reference-en.json").read_text(encoding="utf-8"))
    once = {text for pair in references.values() for text in pair}

    assert sorted(bagged) == sorted([*once, *["Rain on the harbour."] * 2])


def test_an_account_is_one_between_texts(obfuscator):
    bag = obfuscator.vocabulary.bag("rain")  # of another table its ids would be other words
    with pytest.raises(InputError, match="text 1 must be a string, got Bag"):
        obfuscator.account(bag, bag)


def test_the_pure_factor_is_always_there_and_first(obfuscator):
    said = obfuscator.promises[1].plainly().splitlines()
    head, *rows = said[said.index(next(line for line in said if "at most  " in line)) :][:5]

    assert head.split() == ["at", "most", "up", "to", "δ", "=", "1e-06"]
    for row, odds in zip(rows, obfuscator.promises[1].odds, strict=True):
        assert odds.factor_at_delta in row.partition(odds.factor)[2]
    assert max(map(len, said)) <= 79


class Other(Laplace):
    """Noise of another kind, for all that is known."""


def test_other_noise_has_no_account_and_promises_purely(obfuscator):
    kept = obfuscator.vocabulary
    other = Obfuscator(kept, NoisyNearest(kept.table, Other(3.0), kept.ids), 20)

    assert all(odds.loss_at_delta == odds.loss for odds in other.promises[1].odds)
    assert "δ" not in other.promises[1].plainly()
    with pytest.raises(InputError, match="only Laplace noise has an account"):
        other.account("rain", "snow")


@dataclass(frozen=True, eq=False)
class Projected(NoisyNearest):
    """Noise along the first dimension only: less of it than the account of all would need."""

    def release(self, ids, rng):
        vectors = self.table.vectors[ids].astype(float)
        vectors[:, :1] = self.noise.add(vectors[:, :1], rng)
        return self.decode(vectors, rng)


def test_another_mechanism_with_that_noise_has_no_account():
    table = Table(("rain", "snow", "sun"), np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]))
    kept = Vocabulary.of(table)
    other = Obfuscator(kept, Projected(table, Laplace(3.0), kept.ids), 20)

    assert all(odds.loss_at_delta == odds.loss for odds in other.promises[1].odds)
    with pytest.raises(InputError, match="only Laplace noise has an account"):
        other.account("rain", "snow")
    assert Obfuscator.laplace(kept, epsilon=3.0, size=20).account("rain", "snow").pure == 180


def test_a_promise_about_samples_says_nothing_about_texts(obfuscator):
    assert [odds.pair for odds in obfuscator.promises[0].odds] == ["any"]


@pytest.mark.parametrize(
    ("loss", "factor"),
    [
        (0.0, "1"),
        (1e-9, "1.01"),
        (1.0, "2.72"),
        (6.0, "404"),
        (8.25, "e^8.25 (about 10^3.59)"),
        (14290.75, "e^14291 (about 10^6207)"),
        (1e300, "e^1.01e+300 (about 10^4.35e+299)"),
    ],
)
def test_factors_are_readable_and_rounded_up(loss, factor):
    assert Odds("near", 1.0, loss, loss).factor == factor


def test_a_seeded_release_is_marked(obfuscator):
    [document] = obfuscator(["rain"], seeded(1))

    assert document.certificate.warning.startswith("NOT PRIVATE")
    assert document.certificate.seeded
    assert not document.certificate.private
    assert document.certificate.generator == "ChaCha, not a secure generator"


def test_another_generator_is_named(obfuscator):
    [document] = obfuscator(["rain"], np.random.default_rng())

    assert document.certificate.generator == "PCG64, not a secure generator"
    assert not document.certificate.private


def test_a_table_in_another_language_has_no_reference_texts():
    table = Table(("pluie", "neige"), np.array([[0.0, 0], [0, 1]]), language="fr")
    [promise] = Obfuscator.laplace(table, size=3, reduction="apportion").promises

    assert [odds.pair for odds in promise.odds] == ["any"]


def test_a_large_size_is_stated_quickly(bundled):
    [promise] = Obfuscator.laplace(bundled, size=100_000, reduction="apportion").promises

    assert promise.odds[0].distance == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 2.0},
        {"size": 21},
        {"reduction": "apportion"},
        {"table_fingerprint": "0" * 64},
        {"kept_fingerprint": "0" * 64},
        {"private": False},
        {"seeded": True},
        {"generator": "dice"},
        {"warning": "NOT PRIVATE"},
        {"limits": ("All is safe.",)},
        {"several_documents": "Release as often as you like."},
        {"empty_documents": "none"},
        {"budget": 6.0},
        {"documents": -3},
        {"unchanged": 0.9},
        {"metric": "none"},
        {"program": "nomdeplume 9, approved"},
    ],
)
def test_a_certificate_that_lies_about_itself_is_found_out(stated, common, change):
    checks = verify(replace(stated, **change), common, None)

    assert not all(check.holds for check in checks)


def test_a_certificate_that_tells_the_truth_is_believed(certificate, bundled, stated, common):
    assert all(check.holds for check in verify(certificate, Vocabulary.of(bundled), None))
    assert all(check.holds for check in verify(stated, common, None))


@pytest.mark.parametrize("change", [{"size": 0}, {"reduction": "foo"}, {"epsilon": -1.0}])
def test_a_certificate_of_what_cannot_be_is_found_out(stated, common, change):
    *_, last = verify(replace(stated, **change), common, None)

    assert last == Check("statements", holds=False, found="no such release can be made")


def test_all_that_is_wrong_is_named(stated, common):
    lying = replace(stated, settings={"mu": 0.5}, budget=6.0)
    statements = verify(lying, common, None)[2]

    assert statements.found == "do not follow: budget, settings"


def test_outputs_are_known_by_their_words_and_not_by_their_number(vocabulary):
    every = vocabulary.ids
    repeated = np.append(every[:-1], every[0])

    assert vocabulary.fingerprint_of(np.append(every[::-1], every[0])) == vocabulary.fingerprint
    assert vocabulary.fingerprint_of(repeated) == vocabulary.fingerprint_of(every[:-1])
    assert vocabulary.fingerprint_of(repeated) != vocabulary.fingerprint


def test_words_that_may_come_out_are_counted_once(vocabulary):
    table, outputs = vocabulary.table, np.append(vocabulary.ids[:-1], vocabulary.ids[0])
    release = Obfuscator(vocabulary, NoisyNearest(table, Laplace(3.0), outputs), 5)
    certificate = release(["pear"])[0].certificate

    assert certificate.output_words == len(vocabulary) - 1
    assert certificate.output_fingerprint != certificate.kept_fingerprint


def found_out(certificate, promise, kept):
    """Whether it is seen that `promise` was put in the place of what was promised."""
    lying = replace(certificate, promises=(certificate.promises[0], promise))
    return not all(check.holds for check in verify(lying, kept, None))


def test_a_smaller_stated_promise_is_found_out(stated, common):
    promise = stated.promises[1]
    smaller = replace(promise, odds=(replace(promise.odds[0], loss=1.0), *promise.odds[1:]))

    assert found_out(stated, smaller, common)


@pytest.mark.parametrize("change", [0.99, 0.9995, 0.9999, 1.002])
def test_another_loss_up_to_delta_is_found_out(stated, common, change):
    promise = stated.promises[1]
    first = promise.odds[0]
    other = replace(first, loss_at_delta=change * first.loss_at_delta)

    assert found_out(stated, replace(promise, odds=(other, *promise.odds[1:])), common)


def test_another_delta_is_found_out(stated, common):
    assert found_out(stated, replace(stated.promises[1], delta=1e-7), common)


@pytest.mark.parametrize("reduction", ["sample", "apportion"])
@pytest.mark.parametrize(("epsilon", "size"), [(0.01, 50), (0.3, 7), (6, 100), (20, 1)])
def test_honest_losses_up_to_delta_pass(common, reduction, epsilon, size):
    """Whatever grid they were found on: that of the check is finer, and finds no more."""
    obfuscator = Obfuscator.laplace(common, epsilon=epsilon, size=size, reduction=reduction)
    certificate = obfuscator(["rain"])[0].certificate

    assert all(check.holds for check in verify(certificate, common, None))
    assert certificate.promises == obfuscator.promises


def test_a_second_column_is_shown_where_it_says_something_else(obfuscator):
    promise = obfuscator.promises[1]
    same = tuple(replace(odds, loss_at_delta=odds.loss * (1 - 1e-9)) for odds in promise.odds)
    shown = promise.plainly()

    assert "plus δ = 1e-06." in " ".join(shown.split())
    assert "plus δ = 0.01." in " ".join(replace(promise, delta=0.01).plainly().split())
    assert "δ" not in replace(promise, odds=same).plainly()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 200_000,
        '{"format": NaN}',
        "{",
        '"x"',
        '{"format": 1, "promises": []}',
        '{"format": 2, "promises": []}',
        '{"format": 3, "promises": []}',
    ],
)
def test_what_is_no_certificate_is_refused(text):
    with pytest.raises(InputError):
        Certificate.from_json(text)


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": "6"},
        {"epsilon": 10**400},
        {"private": 1},
        {"size": 2.5},
        {"extra": 1},
        {"kept_fields": "abc"},
        {"limits": [1]},
        {"promises": [1]},
        {"promises": 1},
        {"output": {}},
    ],
)
def test_a_damaged_certificate_is_refused(certificate, change):
    data = json.loads(certificate.to_json()) | change

    with pytest.raises(InputError, match="field"):
        Certificate.from_json(json.dumps(data))


def test_the_hash_of_a_folder_is_that_of_its_files_by_name(tmp_path):
    """What `sha256sum` says of all files, in the order of these lines."""
    (tmp_path / "deep").mkdir()
    for name, text in (("b.txt", "rain"), ("a.txt", "snow"), ("deep/a.txt", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    lines = sorted(
        f"{sha256(text).hexdigest()}  {name}\n"
        for name, text in (("b.txt", b"rain"), ("a.txt", b"snow"), ("deep/a.txt", b""))
    )

    assert hash_of(tmp_path) == sha256("".join(lines).encode()).hexdigest()
    assert hash_of(tmp_path / "b.txt") == sha256(b"rain").hexdigest()


def test_a_folder_is_a_release_only_as_it_was_released(tmp_path, certificate):
    (folder := tmp_path / "out").mkdir()
    (folder / "1.txt").write_text("rain", encoding="utf-8")
    (beside := tmp_path / "out.json").write_text("no certificate", encoding="utf-8")
    assert not is_release(folder, beside)
    assert not is_release(folder, tmp_path / "none.json")

    for kind, due in (("folder", True), ("text", False)):
        output = replace(certificate.output, kind=kind, sha256=hash_of(folder))
        beside.write_text(replace(certificate, output=output).to_json(), encoding="utf-8")
        assert is_release(folder, beside) is due
    output = replace(certificate.output, kind="folder", sha256=hash_of(folder))
    beside.write_text(replace(certificate, output=output).to_json(), encoding="utf-8")
    (folder / "2.txt").write_text("", encoding="utf-8")
    assert not is_release(folder, beside)


@pytest.mark.parametrize("wrong", ["rain", 7, 0.5, True, [], {}])
def test_no_field_may_be_of_another_type(certificate, wrong):
    data = json.loads(certificate.to_json())
    kinds = {field.name: str(field.type) for field in fields(Certificate)}
    plain = {"str": str, "int": int, "bool": bool}
    tried = [
        name for name, kind in kinds.items() if plain.get(kind, type(wrong)) is not type(wrong)
    ]

    assert len(tried) > 5
    for name in tried:
        with pytest.raises(InputError):
            Certificate.from_json(json.dumps(data | {name: wrong}))
