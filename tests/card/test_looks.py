"""Each kernel does what torch does in its place."""

import numpy as np
import pytest

from nomdeplume.nearest.card import fused as kernels
from nomdeplume.nearest.card.fused import Fused
from nomdeplume.nearest.card.operands import BFLOAT16, INT8, Words
from nomdeplume.nearest.card.plain import Plain

N, SCALE = 256, 0.25


@pytest.fixture(params=[20, 125, 330])
def sides(request, fused):
    """Words and queries, and who looks at them."""
    rng, k = np.random.default_rng(request.param), request.param
    raw = fused.put(rng.standard_normal((400, k)).astype(np.float32))
    words = Words.of(
        fused, fused.torch.arange(400, device=fused.at), raw, raw.double().mean(0), SCALE
    )
    near = words.raw[fused.put(rng.integers(0, 400, N))].double()
    queries = near + fused.put(0.3 * rng.standard_normal((N, k)))
    return words, queries, Plain(fused), Fused(fused)


def off(x, y):
    return (x.double() - y.double()).abs().max().item()


@pytest.mark.parametrize("kind", [INT8, BFLOAT16])
def test_all_looks_agree(sides, kind):
    words, queries, plain, fused = sides
    rounded = words.rounded(kind)
    [asked] = fused.asked([kind], queries, words.centre, SCALE)

    best = fused.maxima(rounded, asked)
    theirs = plain.maxima(rounded, asked)
    assert off(best, theirs) <= 1e-6 * theirs.abs().max()
    least = plain.least(rounded, asked, theirs)
    assert off(fused.least(rounded, asked, best), least) <= 1e-5 * least.abs().max()
    tile, query, count = fused.left(rounded, asked, best, least, 4 * N)
    due_tile, due_query, due = plain.left(rounded, asked, theirs, least, 4 * N)
    assert count == due
    pairs = (tile[:count].long() * N + query[:count]).sort().values
    assert (pairs == (due_tile * N + due_query).sort().values).all()


@pytest.mark.parametrize("span", [1, 3])
def test_programs_for_some_tiles_find_what_one_finds_for_all(sides, span, monkeypatch):
    words, queries, _, looks = sides
    for kind in (INT8, BFLOAT16):
        rounded, [asked] = words.rounded(kind), looks.asked([kind], queries, words.centre, SCALE)
        whole = looks.maxima(rounded, asked)
        with monkeypatch.context() as patched:
            patched.setattr(kernels, "SPAN", span)
            assert (looks.maxima(rounded, asked) == whole).all()


def test_pairs_beyond_the_room_are_counted_and_not_written(sides):
    words, queries, plain, fused = sides
    rounded = words.rounded(INT8)
    [asked] = fused.asked([INT8], queries, words.centre, SCALE)
    best = fused.maxima(rounded, asked)
    least = plain.least(rounded, asked, best) - 100

    tile, query, count = fused.left(rounded, asked, best, least, 10)

    assert int(count) == rounded.tiles * N
    assert len(tile) == len(query) == 10


@pytest.mark.parametrize("kind", [INT8, BFLOAT16])
def test_queries_are_rounded_with_errors_that_are_true(sides, kind):
    words, queries, plain, fused = sides
    k = queries.shape[1]
    [mine], [due] = (looks.asked([kind], queries, words.centre, SCALE) for looks in (fused, plain))
    centred = (queries - words.centre) * SCALE
    close = mine.step[:, None].double() * mine.numbers[:, :k].double()

    assert (mine.error.double() >= (centred - close).norm(dim=1)).all()
    assert (mine.length.double() >= close.norm(dim=1)).all()
    assert off(mine.step, due.step) == 0
    assert off(mine.numbers[:, k:], due.numbers[:, k:]) == 0
    assert mine.error.mean() <= 2.5 * due.error.mean()  # the interpreter cuts bfloat16 off


def test_the_second_look_agrees(sides):
    words, queries, plain, fused = sides
    torch, rounded = words.card.torch, words.rounded(BFLOAT16)
    [asked] = fused.asked([BFLOAT16], queries, words.centre, SCALE)
    least = plain.least(rounded, asked, plain.maxima(rounded, asked)) - 0.1
    tile = torch.tensor([2, 0, 3, rounded.tiles], device=queries.device)
    query = torch.arange(4 * 64, dtype=torch.int32, device=queries.device)
    query[3] = -1  # a place in a chunk that is not full
    real = torch.arange(3 * 64, device=queries.device)
    real = real[real != 3]

    found = fused.again(rounded, asked, least, tile, query)
    due = plain.again(rounded, asked, least, tile.repeat_interleave(64), query)

    for mine, theirs in zip(found[:2], due[:2], strict=True):
        assert off(mine[real], theirs[real]) <= 2e-6 * theirs.abs().max()
    assert (found[3][real] == due[3][real]).all()
    assert found[3][3] == 0
    assert (found[2][real] == due[2][real]).float().mean() > 0.99  # but for even scores


def test_distances_agree(sides):
    words, queries, plain, fused = sides
    rng = np.random.default_rng(0)
    query, row = (words.card.put(rng.integers(0, most, 333)) for most in (N, 400))

    mine = fused.apart(queries, words.raw, query, row)
    due = plain.apart(queries, words.raw, query, row)

    assert off(mine, due) <= 1e-12 * due.max()
