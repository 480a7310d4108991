"""What every search signs: ids that may come out, the same however it is asked, nothing else."""

import inspect
import pickle

import numpy as np
import pytest

from nomdeplume import InputError, Laplace, NoisyNearest, Obfuscator, Table, seeded
from nomdeplume.decode import Nearest, Rank
from nomdeplume.mechanism import Recipe
from nomdeplume.nearest import INDEXES, Exact, Scan, index, scan
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.verify import recipe_of, verify
from nomdeplume.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def table():
    vectors = np.random.default_rng(7).standard_normal((6000, 21)) * 2 + 1
    return Table([f"w{i}" for i in range(6000)], vectors)


@pytest.fixture(scope="module")
def noisy(table):
    rng = seeded(3)
    vectors = table.vectors[rng.integers(0, len(table), 1500)].astype(float)
    return Laplace(5.0).add(vectors, rng)


@pytest.fixture(scope="module", params=INDEXES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def search(name, table):
    return index(name, table)


@pytest.fixture(scope="module")
def found(table, noisy):
    return Exact(table).nearest(noisy)


def test_it_finds_the_nearest_words(name, search, noisy, found):
    assert (search.nearest(noisy) == found).mean() > (0.98 if name == "scan" else 0.999)


def test_it_finds_only_what_may_come_out(name, table, noisy):
    ids = np.arange(3, 6000, 1)[::-1].copy()
    answers = index(name, table, ids).nearest(noisy)

    assert answers.dtype == np.int64
    assert np.isin(answers, ids).all()


def test_it_does_not_matter_how_many_are_asked_at_a_time(search, noisy):
    whole = search.nearest(noisy)
    parts = [search.nearest(noisy[i : i + 377]) for i in range(0, len(noisy), 377)]

    assert (np.concatenate(parts) == whole).mean() > 0.999
    assert search.nearest(noisy[:0]).shape == (0,)
    assert search.nearest(noisy[:1]).shape == (1,)


def test_it_can_be_sent_to_another_process(search, noisy):
    before = search.nearest(noisy)

    assert (pickle.loads(pickle.dumps(search)).nearest(noisy) == before).all()


def test_it_is_asked_with_noisy_vectors_alone(search):
    assert list(inspect.signature(search.nearest).parameters) == ["queries"]


def test_few_words_are_searched_exactly_whatever_is_asked(table):
    assert isinstance(index("scan", table, np.arange(100)), Exact)
    assert isinstance(index("scan", table), Scan)
    with pytest.raises(InputError, match="4,096 words or more, got 100"):
        Scan(table, np.arange(100))


def test_other_names_are_refused(table):
    with pytest.raises(InputError, match="auto, exact or scan"):
        index("hnsw", table)
    with pytest.raises(InputError, match="auto, exact or scan"):
        Nearest(index="ivf")


@pytest.mark.parametrize(
    "parts",
    [{"mechanism": "mean"}, {"mechanism": "exponential"}, {"mechanism": "vickrey"},
     {"mechanism": "laplace", "decode": "bayes"}],
)  # fmt: skip
def test_an_index_is_for_what_searches(parts):
    with pytest.raises(InputError, match="decoded by nearest or rank"):
        Recipe(**parts, index="scan")


def test_a_scan_is_stated_with_how_often_it_agrees(table):
    kept = Vocabulary.of(_lettered(table), "none")
    made = Obfuscator.of(Recipe("laplace", 5.0, index="scan"), kept, size=10)
    stated = made.certify("ChaCha20, keyed by the operating system", 0, Output("text", "0" * 64))

    assert stated.settings["index"] == "scan"
    assert 0.98 < stated.agreement <= 1
    assert recipe_of(stated).index == "scan"
    assert all(check.holds for check in verify(stated, kept, None))


def test_a_scan_that_misses_words_says_so(table, monkeypatch):
    """Compared with the one word that looks best, it misses many."""
    monkeypatch.setattr(scan, "LEFT", 1)
    made = NoisyNearest(table, Laplace(2.0), decoder=Nearest(index="scan"))

    assert 0.3 < made.agreement(np.arange(2000), seeded(1)) < 0.95


@pytest.mark.parametrize("name", ["auto", "exact"])
def test_of_an_exact_search_nothing_need_be_stated(table, name):
    kept = Vocabulary.of(_lettered(table), "none")
    made = Obfuscator.of(Recipe("laplace", 5.0, index=name), kept, size=10)
    stated = made.certify("ChaCha20, keyed by the operating system", 0, Output("text", "0" * 64))

    assert stated.agreement is None
    assert "index" not in stated.settings


@pytest.mark.parametrize("decoder", [Nearest(index="scan"), Rank(index="scan")])
def test_the_promise_does_not_depend_on_it(table, decoder):
    exact = NoisyNearest(table, Laplace(5.0), decoder=type(decoder)())
    scanned = NoisyNearest(table, Laplace(5.0), decoder=decoder)

    assert scanned.guarantee == exact.guarantee
    assert scanned.settings == {**exact.settings, "index": "scan"}


def test_seeded_noise_gives_the_same_words_by_auto_and_exact(table):
    ids = np.arange(2000)
    by = [NoisyNearest(table, Laplace(5.0), decoder=Nearest(index=n)) for n in ("auto", "exact")]

    assert (by[0].release(ids, seeded(4)) == by[1].release(ids, seeded(4))).all()


def _lettered(table):
    """The same vectors under words of letters."""
    digits = str.maketrans("0123456789", "abcdefghij")
    return Table([word.translate(digits) for word in table.words], table.vectors)
