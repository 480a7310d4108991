import numpy as np
import pytest

from nomdeplume import InputError, Laplace, NoisyNearest, Obfuscator, PrivacyError, Table, seeded
from nomdeplume.vocabulary import Vocabulary


@pytest.fixture
def obfuscator(table):
    return Obfuscator.laplace(table, epsilon=2.0, size=6)


def test_texts_become_documents_in_order(obfuscator):
    documents = obfuscator(["pear lake", "", "apple"], seeded(1))

    assert [len(document.words) for document in documents] == [6, 6, 6]
    assert all(list(document.words) == sorted(document.words) for document in documents)
    assert documents[0].certificate is documents[2].certificate
    assert documents[0].certificate.documents == 3


def test_any_iterable_of_texts_will_do(obfuscator):
    assert len(obfuscator(text for text in ("pear", "lake"))) == 2
    assert obfuscator([]) == []


def test_one_string_is_a_mistake(obfuscator):
    with pytest.raises(InputError, match="list of strings, got one str"):
        obfuscator("pear")


class Frame(list):
    """What matters of a data frame: iterating over it gives the names of its columns."""

    columns = ("id", "text")


@pytest.mark.parametrize("texts", [None, 3, {"text": "pear"}, Frame(["id", "text"])])
def test_other_mistakes_are_refused_too(obfuscator, texts):
    with pytest.raises(InputError, match="texts must be"):
        obfuscator(texts)


def test_a_generator_must_be_one(obfuscator):
    with pytest.raises(InputError, match="rng must be"):
        obfuscator(["pear"], rng=1)


def test_budget_is_epsilon_times_size(table):
    assert Obfuscator.laplace(table, budget=12, size=4).mechanism.guarantee.epsilon == 3
    with pytest.raises(InputError, match="not both"):
        Obfuscator.laplace(table, budget=12, epsilon=3)


@pytest.mark.parametrize("epsilon", ["6", True, None, 1j])
def test_epsilon_must_be_a_number(table, epsilon):
    with pytest.raises(InputError, match="epsilon"):
        NoisyNearest(table, Laplace(epsilon))


def test_a_table_by_name_is_a_mistake():
    with pytest.raises(InputError, match="Vocabulary or a Table"):
        Obfuscator.laplace("glove")


def test_things_are_short_in_a_notebook(obfuscator, table):
    [document] = obfuscator(["pear lake"])
    shown = [document, document.certificate, obfuscator, obfuscator.vocabulary, table]

    assert all(len(repr(thing)) < 120 and "\n" not in repr(thing) for thing in shown)


def test_more_noise_leaves_fewer_words_unchanged(bundled):
    shares = [Obfuscator.laplace(bundled, epsilon=epsilon).unchanged for epsilon in (3, 6, 12, 1e6)]

    assert shares == sorted(shares)
    assert shares[1] == pytest.approx(0.10, abs=0.05)
    assert shares[3] == 1


def test_what_is_no_text_is_named_by_place(obfuscator):
    with pytest.raises(InputError, match="text 2 must be a string, got NoneType"):
        obfuscator(["pear", None])


def test_many_documents_are_released_in_batches(table):
    obfuscator = Obfuscator.laplace(table, epsilon=2.0, size=3000)

    assert obfuscator.documents.batch == 2
    assert len(obfuscator(["pear"] * 8)) == 8


def test_document_text_is_what_the_certificate_hashes(obfuscator):
    from hashlib import sha256

    documents = obfuscator(["pear", "lake"])
    lines = "".join(f"{document.text}\n" for document in documents)

    assert documents[0].certificate.output.sha256 == sha256(lines.encode()).hexdigest()


def test_a_mechanism_on_another_table_is_refused(table):
    other = Table(table.words, table.vectors[:] * 2)

    with pytest.raises(InputError, match="same table"):
        Obfuscator(Vocabulary.of(table), NoisyNearest(other, Laplace(1.0)))


def test_a_word_outside_the_vocabulary_is_never_released(tmp_path, table):
    (tmp_path / "stop.txt").write_text("apple pear river", encoding="utf-8")
    vocabulary = Vocabulary.of(table, str(tmp_path / "stop.txt"))

    with pytest.raises(InputError, match="outside the kept vocabulary"):
        Obfuscator(vocabulary, NoisyNearest(table, Laplace(0.1)))

    class Liar(NoisyNearest):
        def release(self, ids, rng):
            return np.zeros_like(ids)

    careless = Obfuscator(vocabulary, Liar(table, Laplace(0.1), vocabulary.ids))
    with pytest.raises(PrivacyError, match="outside the kept vocabulary"):
        careless(["lake"])


@pytest.mark.parametrize("size", [0, -1, 2.5, True])
def test_impossible_sizes_are_refused(table, size):
    with pytest.raises(InputError, match="size"):
        Obfuscator.laplace(table, size=size)


def test_an_unknown_reduction_is_refused(table):
    with pytest.raises(InputError, match="reduction"):
        Obfuscator.laplace(table, reduction="guess")


def test_worlds_of_one_word():
    one = Table(["rain"], np.array([[3.0]]))
    [document] = Obfuscator.laplace(one, size=4)(["rain"])

    assert document.words == ("rain",) * 4
