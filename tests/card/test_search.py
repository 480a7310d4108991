"""The search on a card is float64 brute force: on duplicates, ties and tables of any shape."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from nomdeplume import InputError, Table
from nomdeplume.nearest import Exact
from nomdeplume.nearest.card import OnCard, part, trial
from nomdeplume.nearest.card.fused import Fused
from nomdeplume.nearest.card.operands import BFLOAT16, INT8, Words


def world(vectors):
    return Table([f"w{i}" for i in range(len(vectors))], np.asarray(vectors, dtype=np.float32))


def brute(table, queries, ids=None):
    rows = np.arange(len(table)) if ids is None else ids
    vectors = table.vectors[rows].astype(np.float64)
    return np.array([rows[((query - vectors) ** 2).sum(axis=1).argmin()] for query in queries])


def noisy(table, spread, count=60, seed=1):
    rng = np.random.default_rng(seed)
    near = table.vectors[rng.integers(0, len(table), count)].astype(np.float64)
    return near + spread * rng.standard_normal(near.shape)


@pytest.mark.parametrize(
    ("size", "k"), [(1, 1), (2, 3), (127, 5), (300, 61), (260, 64), (300, 100), (140, 410)]
)
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_nearest_is_brute_force(card, size, k, offset):
    table = world(np.random.default_rng(k).standard_normal((size, k)) + offset)
    queries = noisy(table, 1.0, count=25)

    assert (OnCard(card, table).nearest(queries) == brute(table, queries)).all()


@pytest.mark.parametrize("coarse", [True, False])
@pytest.mark.parametrize("gap", [1e-3, 1e-6, 0.0])
def test_ties_and_near_ties_are_those_of_float64(card, gap, coarse):
    rng = np.random.default_rng(3)
    ones = rng.standard_normal((150, 30)) + 30
    table = world(np.concatenate([ones, ones + gap * rng.standard_normal(ones.shape)]))
    between = (table.vectors[:30].astype(float) + table.vectors[150:180]) / 2
    queries = np.concatenate([between, between + 1e-9, table.vectors[::10].astype(float)])

    found = OnCard(card, table, coarse=coarse).nearest(queries)

    assert (found == brute(table, queries)).all()
    assert (found == Exact(table).nearest(queries)).all()


def test_words_in_the_middle_between_others_go_to_the_first(card):
    table = world([[0, 0], [2, 0], [1, 5], [0, 2], [2, 0]])

    found = OnCard(card, table).nearest(np.array([[1.0, 0.0], [1.0, 1.0], [2.0, 0.0]]))

    assert found.tolist() == [0, 0, 1]


def test_all_words_at_one_place(card):
    table = world(np.ones((300, 4)))
    queries = noisy(table, 1.0, 20)

    assert (OnCard(card, table).nearest(queries) == 0).all()


def test_a_list_of_ids_is_searched_alone(card):
    table = world(np.random.default_rng(0).standard_normal((400, 8)))
    ids = np.random.default_rng(1).permutation(400)[:170]
    queries = noisy(table, 0.5)

    assert (OnCard(card, table, ids).nearest(queries) == brute(table, queries, ids)).all()


@pytest.mark.parametrize("scale", [1e-18, 1e18])
def test_tables_of_any_scale(card, scale):
    table = world(np.random.default_rng(0).standard_normal((200, 6)) * scale)
    queries = noisy(table, scale)

    assert (OnCard(card, table).nearest(queries) == brute(table, queries)).all()


@pytest.mark.parametrize("far", [1e6, 1e25])
def test_queries_far_away(card, far):
    table = world(np.random.default_rng(0).standard_normal((300, 6)))
    queries = noisy(table, far)
    mine, best = (
        ((queries - table.vectors[ids]) ** 2).sum(axis=1)
        for ids in (OnCard(card, table).nearest(queries), brute(table, queries))
    )

    assert (mine == best).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, inside the interpreter
@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e300])
def test_what_is_no_place_is_refused(card, wrong):
    table = world(np.random.default_rng(0).standard_normal((300, 6)))
    queries = noisy(table, 1.0)
    queries[7, 3] = wrong

    with pytest.raises(InputError, match="queries must be numbers"):
        OnCard(card, table).nearest(queries)


def test_nothing_is_found_for_nobody(card):
    table = world(np.eye(3))

    assert OnCard(card, table).nearest(np.empty((0, 3))).shape == (0,)
    with pytest.raises(InputError, match="at least one word"):
        OnCard(card, table, np.empty(0, dtype=np.int64))


def test_words_that_do_not_fit_go_there_part_by_part(card):
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((700, 12))
    vectors[600:] = vectors[:100]  # duplicates in another part: the first still wins
    table = world(vectors)
    queries = np.concatenate([noisy(table, 0.5, 40), vectors[600:620].astype(np.float32)])
    index = OnCard(card, table, memory=20_000)

    assert index._room == 128
    assert (index.nearest(queries) == brute(table, queries)).all()
    assert index.made is None  # parts are not kept there


def test_queries_may_lie_in_memory_in_any_way(card):
    table = world(np.random.default_rng(2).standard_normal((300, 12)))
    queries = card.put(noisy(table, 0.5, 256))
    turned = queries.T.contiguous().T

    assert not turned.is_contiguous()
    assert (
        OnCard(card, table).found(turned).cpu().numpy() == brute(table, queries.cpu().numpy())
    ).all()


def test_many_blocks_come_back_in_order(quick):
    """On a real card two blocks are under way at a time, in streams of their own."""
    table = world(np.random.default_rng(4).standard_normal((2000, 12)))
    queries, index = noisy(table, 0.5, 5000), OnCard(quick, table)
    index.block = 256

    assert (index.nearest(queries) == brute(table, queries)).all()
    assert index.tally.queries == 5000


def test_threads_share_one_search(quick):
    """What is made once is made once, and nobody sees it before it is there."""
    table = world(np.random.default_rng(2).standard_normal((2000, 12)))
    queries, index = noisy(table, 0.5, 600), OnCard(quick, table)
    due = brute(table, queries)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: index.nearest(queries), range(8)))

    assert all((each == due).all() for each in found)
    assert index.tally.queries == 8 * 600


def test_kernels_are_tried_before_they_are_trusted(fused, monkeypatch):
    assert trial._right(fused, INT8)
    assert trial._right(fused, BFLOAT16)
    whole = Fused.maxima
    monkeypatch.setattr(Fused, "maxima", lambda *given: whole(*given) + 1)
    assert not trial._right(fused, INT8)
    monkeypatch.setattr(Fused, "maxima", lambda *given: whole(*given) * (1 + 2.0**-8))
    assert not trial._right(fused, BFLOAT16)
    if fused.at.type == "cuda":
        trial.trusted.cache_clear()
        assert not trial.trusted(fused).fused
        trial.trusted.cache_clear()


def test_blocks_of_many_pairs_are_halved(card, monkeypatch):
    table = world(np.random.default_rng(5).standard_normal((300, 12)))
    queries = noisy(table, 3.0, 300)  # each has a tile at least
    whole = OnCard(card, table).nearest(queries)
    monkeypatch.setattr(part, "ROOM", 250)
    calls = []
    halves = part.Part._in_halves
    monkeypatch.setattr(part.Part, "_in_halves", lambda *given: calls.append(1) or halves(*given))

    assert (OnCard(card, table).nearest(queries) == whole).all()
    assert calls


def test_whole_numbers_are_given_up_where_they_tell_nothing(fused):
    rng = np.random.default_rng(5)
    vectors = 1e-3 * rng.standard_normal((500, 12))
    vectors[:, 0] += 10.0 * rng.choice([-1, 1], 500)  # all steps go to one dimension
    table = world(vectors)
    queries = noisy(table, 1e-3)
    index = OnCard(fused, table)

    assert (index.nearest(queries) == brute(table, queries)).all()
    assert index._kinds[0] is BFLOAT16


@pytest.mark.parametrize("kind", [INT8, BFLOAT16])
def test_scores_lie_within_their_bounds_and_not_within_much_less(fused, kind):
    """The largest error seen in a tile is below its bound, and above a hundredth of it."""
    torch, rng = fused.torch, np.random.default_rng(0)
    raw = fused.put(rng.standard_normal((500, 20)).astype(np.float32) + 3)
    centre = raw.double().mean(0)
    words = Words.of(fused, torch.arange(500, device=fused.at), raw, centre, 0.25)
    queries = fused.put(rng.standard_normal((256, 20)) * 4 + 3)
    look = part.looks(fused)
    rounded, [asked] = words.rounded(kind), look.asked([kind], queries, centre, 0.25)
    found = look.maxima(rounded, asked).double()
    score = found * (rounded.step[:, None] * asked.step).double() - rounded.half[:, None].double()
    doubt = rounded.norm[:, None] * asked.error + rounded.error[:, None] * asked.length
    doubt = (doubt + rounded.rest[:, None]).double()
    exact = ((words.raw.double() - centre) * 0.25) @ ((queries - centre) * 0.25).T
    exact -= words.halves[:, None]
    best = torch.stack([part.amax(0) for part in exact.split(128)])

    off = (score - best).abs() / doubt

    assert off.max() <= 1
    assert off.max() > 0.01


def test_without_doubt_answers_would_be_wrong(fused, monkeypatch):
    """The tests above can fail: bounds that leave rounding out miss the nearest word."""
    rng = np.random.default_rng(3)
    ones = rng.standard_normal((600, 30))
    table = world(np.concatenate([ones, ones + 1e-3 * rng.standard_normal(ones.shape)]))
    queries = noisy(table, 1.0, 200)
    rounded = Words.rounded

    def certain(self, kind):
        found = rounded(self, kind)
        for known in (found.norm, found.error, found.rest):
            known.zero_()
        return found

    assert (OnCard(fused, table).nearest(queries) == brute(table, queries)).all()
    monkeypatch.setattr(Words, "rounded", certain)
    assert (OnCard(fused, table).nearest(queries) != brute(table, queries)).any()


def test_it_tells_how_much_was_looked_at_again(card):
    table = world(np.random.default_rng(0).standard_normal((1000, 30)))
    index = OnCard(card, table)
    index.nearest(noisy(table, 0.1, 256))

    assert index.tally.queries == 256
    assert index.tally.tiles == 8 * 256
    assert 256 <= index.tally.again < 8 * 256
    assert index.tally.share == index.tally.again / index.tally.tiles
    assert index.tally.decided >= 256
