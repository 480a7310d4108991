"""A corpus finds what comparing every pair would find."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nomdeplume import InputError
from nomdeplume.distance import Cloud, bottleneck, word_mover
from nomdeplume.distance.corpus import Corpus

DISTANCES = {"w1": word_mover, "winf": bottleneck}


def made(seed, documents, metric, *, size=None, words=30, dimensions=3, scattered=True):
    """Documents of unequal sizes, or all of one, some of them the same."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((words, dimensions)) if scattered else _grid(rng, words)
    bags = []
    for _ in range(documents):
        n = size or rng.integers(1, 12)
        bags.append(np.unique(rng.integers(0, words, n), return_counts=True))
    bags[-1] = bags[0]
    rows, counts = (np.concatenate(each) for each in zip(*bags, strict=True))
    return Corpus.of(vectors, rows, counts, [len(rows) for rows, _ in bags], metric=metric)


def _grid(rng, words):
    return rng.integers(-1, 2, (words, 2)).astype(float)  # many ties, many words at one place


def every(corpus):
    distance, n = DISTANCES[corpus.metric], len(corpus)
    return np.array([[distance(corpus[i], corpus[j]) for j in range(n)] for i in range(n)])


corpora = st.builds(
    made,
    st.integers(0, 2**32),
    st.integers(1, 9),
    st.sampled_from(["w1", "winf"]),
    size=st.sampled_from([None, 1, 6]),
    scattered=st.booleans(),
)
checked = settings(deadline=None, max_examples=60)


@checked
@given(corpora)
def test_all_distances_are_those_of_the_pairs(corpus):
    found = corpus.distances()

    assert found == pytest.approx(every(corpus), rel=1e-9, abs=1e-12)
    assert (found == found.T).all()
    assert (np.diag(found) == 0).all()
    assert found[0, -1] == 0  # the last is the first again


@checked
@given(corpora, st.integers(0, 2**32))
def test_pairs_and_queries_agree(corpus, seed):
    due, rng = every(corpus), np.random.default_rng(seed)
    one, two = rng.integers(0, len(corpus), (2, 20))

    assert corpus.pairs(one, two) == pytest.approx(due[one, two], rel=1e-9, abs=1e-12)
    assert corpus.to(corpus[0]) == pytest.approx(due[0], rel=1e-9, abs=1e-12)


@checked
@given(corpora, st.integers(1, 12))
def test_the_nearest_are_the_nearest(corpus, count):
    due = every(corpus)
    for number, found in enumerate(corpus.nearest_each(count)):
        others = np.delete(due[number], number)

        assert number not in found.documents
        assert len(found.documents) == min(count, len(others))
        assert found.distances == pytest.approx(np.sort(others)[:count], rel=1e-9, abs=1e-12)
        assert due[number, found.documents] == pytest.approx(found.distances, rel=1e-9, abs=1e-12)
        assert len(set(found.documents.tolist())) == len(found.documents)


@checked
@given(corpora, st.integers(1, 12))
def test_the_nearest_to_others(corpus, count):
    query = Cloud.of(np.full((2, corpus.points.vectors.shape[1]), 0.3), [1, 2])
    due = [DISTANCES[corpus.metric](query, corpus[i]) for i in range(len(corpus))]
    [found] = corpus.nearest_to([query], count)

    assert found.distances == pytest.approx(np.sort(due)[:count], rel=1e-9, abs=1e-12)
    assert corpus.nearest(query, count).documents.tolist() == found.documents.tolist()


@pytest.mark.parametrize("metric", ["w1", "winf"])
def test_equal_distances_go_to_the_lower_number(metric):
    vectors = np.array([[0.0], [1.0], [-1.0]])
    ones = np.ones(4, int)
    corpus = Corpus.of(vectors, np.array([1, 2, 1, 2]), ones, [1, 1, 1, 1], metric=metric)

    assert corpus.nearest([[0.0]], 3).documents.tolist() == [0, 1, 2]


def test_bounds_leave_most_documents_out():
    """Topics far apart: those of other topics are never compared."""
    rng = np.random.default_rng(5)
    vectors = np.repeat(rng.standard_normal((8, 20)) * 10, 25, axis=0)
    vectors += rng.standard_normal(vectors.shape)
    bags = [
        np.unique(rng.integers(0, 25, 20) + 25 * (d % 8), return_counts=True) for d in range(160)
    ]
    rows, counts = (np.concatenate(each) for each in zip(*bags, strict=True))
    corpus = Corpus.of(vectors, rows, counts, [len(rows) for rows, _ in bags])
    found = corpus.nearest(corpus[3], 5)

    assert found.pruned > 0.85
    assert all(document % 8 == 3 for document in found.documents)
    assert found.of == 160


@pytest.mark.parametrize("metric", ["w1", "winf"])
def test_little_memory_changes_nothing(metric, monkeypatch):
    corpus = made(8, 12, metric)
    due = corpus.distances(), [found.distances for found in corpus.nearest_each(3)]
    monkeypatch.setattr("nomdeplume.distance.query.HELD", 1)
    monkeypatch.setattr("nomdeplume.distance.search.HELD", 1)
    monkeypatch.setattr("nomdeplume.distance.corpus.BATCH", 1)

    assert corpus.distances() == pytest.approx(due[0], rel=1e-12)
    for found, distances in zip(corpus.nearest_each(3), due[1], strict=True):
        assert found.distances == pytest.approx(distances, rel=1e-12)


def test_far_from_the_origin_nothing_is_lost():
    near, far = made(3, 6, "w1"), made(3, 6, "w1")
    shifted = Corpus.of(
        (far.points.vectors + far.centre).astype(np.float32).astype(float) + 2.0**20,
        far.rows,
        far.counts,
        np.diff(far.starts).tolist(),
    )

    assert shifted.distances() == pytest.approx(near.distances(), rel=1e-5)
    assert (np.diag(shifted.distances()) == 0).all()


@pytest.mark.parametrize(
    ("sizes", "metric", "message"),
    [([], "w1", "at least one"), ([2, 0], "w1", "at least one"), ([2], "w2", "w1 or winf")],
)
def test_what_is_no_corpus_is_refused(sizes, metric, message):
    with pytest.raises(InputError, match=message):
        Corpus.of(np.eye(2), np.array([0, 1]), np.array([1, 1]), sizes, metric=metric)


def test_pairs_need_two_of_each():
    corpus = made(1, 3, "w1")

    assert corpus.pairs([], []).shape == (0,)
    with pytest.raises(InputError, match="as many"):
        corpus.pairs([0, 1], [2])
    with pytest.raises(InputError, match="from 0 to 2"):
        corpus.pairs([0], [3])


def test_documents_of_pairwise_equal_sizes_in_one_batch():
    """Pairs of ten words beside pairs of four."""
    rng = np.random.default_rng(2)
    bags = [np.unique(rng.integers(0, 30, n), return_counts=True) for n in (10, 10, 4, 4, 10, 10)]
    rows, counts = (np.concatenate(each) for each in zip(*bags, strict=True))
    sizes = [len(rows) for rows, _ in bags]
    corpus = Corpus.of(rng.standard_normal((30, 3)), rows, counts, sizes)
    due = [word_mover(corpus[i], corpus[i + 1]) for i in (0, 2, 4)]

    assert corpus.pairs([0, 2, 4], [1, 3, 5]) == pytest.approx(due, rel=1e-9)


@pytest.mark.parametrize("metric", ["w1", "winf"])
def test_every_document_has_its_nearest(metric):
    corpus = made(4, 41, metric)
    found = list(corpus.nearest_each(1))
    due = corpus.distances() + np.diag(np.full(41, np.inf))

    assert len(found) == 41
    assert [each.distances[0] for each in found] == pytest.approx(due.min(axis=1), abs=1e-12)
    assert len(list(corpus.nearest_to([corpus[i] for i in range(21)], 1))) == 21


def test_a_corpus_of_one_document_has_none_near():
    [found] = made(1, 1, "w1").nearest_each()

    assert found.pruned == 0
    assert not len(found.documents)


def test_a_corpus_without_pot(monkeypatch):
    corpus = made(6, 7, "w1")
    due = corpus.distances()
    monkeypatch.setattr("nomdeplume.distance.cheapest.simplex", lambda: None)
    monkeypatch.setattr("nomdeplume.distance.cheapest.UNITS", 3)

    assert corpus.distances() == pytest.approx(due, rel=1e-9, abs=1e-12)


def test_a_query_of_other_dimensions_is_refused():
    with pytest.raises(InputError, match="3 dimensions, those of the query 1"):
        made(1, 3, "w1").to([[0.3]])


def test_outliers_do_not_blur_what_is_near():
    vectors = np.array([[1e8, 0.1], [1e8, 0.1 + 1e-7], [-1e8, 0.3], [0.7, 0.9]])
    corpus = Corpus.of(vectors, [0, 2, 1, 2], [1, 1, 1, 1], [2, 2])

    assert corpus.distances()[0, 1] == pytest.approx(word_mover(corpus[0], corpus[1]), rel=1e-9)


@pytest.mark.parametrize(
    ("vectors", "rows", "counts"),
    [
        ([[np.nan], [0]], [0, 1], [1, 1]),
        ([[1e39], [0]], [0, 1], [1, 1]),
        ([[1], [0]], [0, 2], [1, 1]),
        ([[1], [0]], [0, -1], [1, 1]),
        ([[1], [0]], [0, 1], [1, 0]),
        ([[1], [0]], [0], [1]),
    ],
)
def test_parts_of_a_corpus_are_checked(vectors, rows, counts):
    with pytest.raises(InputError):
        Corpus.of(vectors, rows, counts, [2])


@pytest.mark.parametrize("count", [0, -1, 1.5])
def test_as_many_as_asked_is_a_whole_number(count):
    with pytest.raises(InputError, match="whole number"):
        made(1, 3, "w1").nearest([[0.0, 0.0, 0.0]], count)
