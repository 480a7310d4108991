"""Obfuscators ahead of their caller, and in worker processes: nothing but the noise differs."""

from itertools import islice

import numpy as np
import pandas
import pytest
from tests.conftest import MECHANISMS
from tests.workers.works import until_it_fails

from nomdeplume import InputError, Obfuscator, PrivacyError, Table, fit_features, secure, seeded
from nomdeplume.bag import Bag
from nomdeplume.releasing import Batch, Job, Offer, Releasing, groups
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.workers.shared import received, shared

TEXTS = ["Rain on the harbour", "", "the bread was good", "snow, snow and the sun"] * 50


@pytest.fixture(scope="module")
def words():
    found = ["rain", "harbour", "bread", "good", "snow", "sun", "lake", "river", "pear", "apple"]
    return Table(found, np.random.default_rng(2).normal(size=(10, 3)), name="weather")


@pytest.fixture(params=["laplace", "mean"])
def obfuscator(request, words):
    if request.param == "mean":
        return Obfuscator.mean(words, map="principal", budget=5, size=8)
    return Obfuscator.laplace(words, epsilon=2, size=800)  # ten texts a batch


def plain(obfuscator, bags, rng):
    """What a loop without any thread makes: the flow as the design has it."""
    remaining = iter(bags)
    while batch := list(islice(remaining, obfuscator.documents.batch)):
        for released in obfuscator.documents.release(batch, rng):
            yield released.words


def test_a_thread_ahead_changes_nothing(obfuscator):
    bags = list(obfuscator.vocabulary.bags(TEXTS))

    found = [each.words for each in obfuscator.releases(bags, seeded(3))]
    assert found == list(plain(obfuscator, bags, seeded(3)))


def test_a_refusal_comes_before_anything_of_its_batch(words, threads):
    obfuscator = Obfuscator.laplace(words, epsilon=2, size=800)
    bags = [
        Bag(each.ids, each.counts, i == 27)
        for i, each in enumerate(obfuscator.vocabulary.bags(TEXTS))
    ]
    got, error = until_it_fails(obfuscator.releases(bags, seeded(1)))

    assert len(got) == 20
    assert isinstance(error, PrivacyError)
    assert threads() == set()


def test_an_error_of_reading_is_not_lost(obfuscator):
    def bags():
        yield from obfuscator.vocabulary.bags(TEXTS[:25])
        raise OSError("no more")

    got, error = until_it_fails(obfuscator.releases(bags(), seeded(1)))
    assert len(got) in (0, 20)  # whole batches
    assert isinstance(error, OSError)


def test_who_takes_some_leaves_no_thread(words, threads):
    obfuscator = Obfuscator.laplace(words, epsilon=2, size=800)
    some = obfuscator.releases(obfuscator.vocabulary.bags(TEXTS), seeded(1))
    next(some)
    some.close()

    assert threads() == set()


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())
def test_every_mechanism_does_its_job_elsewhere(mechanism):
    """Sent and received as workers get it, on arrays that cannot be written to."""
    kept = Vocabulary(mechanism.table, StopWords("none", frozenset()))
    job = Job(Releasing(kept, mechanism.documents(kept, 12, "")), seed=4)
    batch = Batch(1, ["apple pear", "", "lake lake river"], 0)
    here = job(batch)
    with shared(job) as file:
        there = received(file.fileno())(batch)

    assert there == here


def test_what_takes_long_to_make_is_sent_along(words):
    made = Obfuscator.mean(words, map="principal", budget=5)
    made.releasing.prepare()
    with shared(Job.of(made.releasing, secure())) as file:
        sent = received(file.fileno())

    assert {"features", "stretch", "grid"} <= set(vars(sent.releasing.mechanism.words))


def test_workers_release_the_same_documents_in_the_same_order(words):
    """Almost without noise, so that words tell whose they are."""
    sure = Obfuscator.laplace(words, epsilon=1e4, size=300, reduction="apportion")
    here = [document.words for document in sure(TEXTS)]

    assert [document.words for document in sure(TEXTS, workers=2)] == here
    assert here[0] == ("harbour",) * 150 + ("rain",) * 150


def test_a_seed_gives_the_same_whatever_the_number_of_workers(obfuscator):
    made = [obfuscator(TEXTS, seeded(6), workers=n) for n in (1, 2, 3)]
    words = [[document.words for document in each] for each in made]

    assert words[0] == words[1] == words[2]
    assert not made[0][0].certificate.private


@pytest.mark.parametrize("rng", [None, seeded(8)], ids=["secure", "seeded"])
def test_no_noise_comes_twice(words, rng):
    """The same text again and again: equal means would show a stream that is used twice."""
    mean = Obfuscator.mean(words, map="principal", budget=5, size=1)
    documents = mean(["rain"] * 600, rng, vectors=True, workers=3)

    assert len({document.vector for document in documents}) == 600
    assert documents[0].certificate.private == (rng is None)


def test_texts_that_topic_words_were_fitted_on_are_refused_by_workers_too(words):
    texts = [f"{a} rain {b} harbour bread snow" for a in ("sun", "lake") for b in ("pear", "apple")]
    features = fit_features(texts, ["a", "a", "b", "b"], Vocabulary.of(words), words=3)
    obfuscator = Obfuscator.laplace(Vocabulary.of(words, features=features), epsilon=3)
    with pytest.raises(PrivacyError, match="fitted on texts"):
        obfuscator(["rain", texts[0]], workers=1)


def test_frames_are_released_by_workers(words):
    frame = pandas.DataFrame({"id": range(4), "text": TEXTS[:4], "name": "Ann"})
    obfuscator = Obfuscator.laplace(words, epsilon=3, size=5)
    released, certificate = obfuscator.certified_frame(frame, keep=["id"], workers=2)

    assert list(released["id"]) == [0, 1, 2, 3]
    assert [len(text.split()) for text in released["text"]] == [5] * 4
    assert certificate.private
    assert list(obfuscator.frame(frame, workers=1).columns) == ["text"]


@pytest.mark.parametrize("workers", [0, 2.0, 5000])
def test_impossible_numbers_of_workers_are_refused(words, workers):
    with pytest.raises(InputError, match="workers"):
        Obfuscator.laplace(words)(["rain"], workers=workers)


def test_long_texts_that_become_bags_are_batched_by_number(words):
    """Only texts that stay texts are counted by length, so a seed draws what it always did."""
    long = "rain harbour " * 90_000
    made = Obfuscator.laplace(words, epsilon=2, size=800)  # ten texts a batch
    offers = [Offer(long, number=i) for i in range(4)]
    [group] = groups(offers, made.documents.batch, item=made.releasing.item)

    assert len(group.batch.items) == 4
    assert len(list(groups(offers, made.documents.batch))) == 4


def test_offers_that_are_not_due_wait_for_nothing_and_take_no_number():
    before = [Offer(place=f"{i}", withheld="no.") for i in range(25)]
    found = list(groups([*before, Offer("rain"), *before, Offer("snow")], 10))

    assert [len(each.offers) for each in found] == [10, 10, 32]
    assert [each.batch.number for each in found] == [1, 1, 1]
    assert found[-1].batch.items == ["rain", "snow"]
    assert [offer.due for each in found for offer, _ in each.paired(["a"] * 2)].count(True) == 2
