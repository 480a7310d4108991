"""Kernels of the search. Scores of all words never reach the memory, only the best of each tile.

Each does what the method of `plain.Plain` of the same name does, and is held to it.
"""

import triton
import triton.language as tl


@triton.jit
def held(
    q0, q1, q2, w0, w1, w2, out, tiles, count,
    P0: tl.constexpr, P1: tl.constexpr, P2: tl.constexpr,
    BM: tl.constexpr, TILE: tl.constexpr, SUM: tl.constexpr, STAGES: tl.constexpr,
    SPAN: tl.constexpr,
):  # fmt: skip
    """Queries stay in shared memory, in up to three pieces; words go by, some tiles ahead.

    A program is for some tiles: all programs then go by the same words, which fit into the
    cache, and make room for other kernels now and then.
    """
    first = tl.program_id(0) * BM
    start = tl.program_id(1) * SPAN
    into = out + start.to(tl.int64) * count + first + tl.arange(0, BM)
    a0 = q0.load([first, 0])
    if P1 > 0:
        a1 = q1.load([first, P0])
    if P2 > 0:
        a2 = q2.load([first, P0 + P1])
    for tile in tl.range(start, tl.minimum(start + SPAN, tiles), num_stages=STAGES):
        scores = tl.dot(a0, w0.load([tile * TILE, 0]).T, out_dtype=SUM)
        if P1 > 0:
            scores = tl.dot(a1, w1.load([tile * TILE, P0]).T, scores, out_dtype=SUM)
        if P2 > 0:
            scores = tl.dot(a2, w2.load([tile * TILE, P0 + P1]).T, scores, out_dtype=SUM)
        tl.store(into, tl.max(scores, 1))
        into += count


@triton.jit
def streamed(
    q0, w0, out, tiles, count,
    WIDE: tl.constexpr, STEP: tl.constexpr,
    BM: tl.constexpr, TILE: tl.constexpr, SUM: tl.constexpr, SPAN: tl.constexpr,
):  # fmt: skip
    """Queries and words go by in steps of columns: for vectors too wide to be held."""
    first = tl.program_id(0) * BM
    start = tl.program_id(1) * SPAN
    into = out + start.to(tl.int64) * count + first + tl.arange(0, BM)
    for tile in tl.range(start, tl.minimum(start + SPAN, tiles), flatten=True):
        scores = tl.zeros((BM, TILE), dtype=SUM)
        for step in range(WIDE // STEP):
            a = q0.load([first, step * STEP])
            b = w0.load([tile * TILE, step * STEP])
            scores = tl.dot(a, b.T, scores, out_dtype=SUM)
        tl.store(into, tl.max(scores, 1))
        into += count


@triton.jit
def _bounded(best, step, half, norm, error, rest, b, wrong, length):
    """A score, and how far off it may be."""
    score = best.to(tl.float32) * (step * b) - half
    return score, wrong * norm + length * error + rest


@triton.jit
def least(
    maxima, steps, halves, norms, errors, rests, b, wrong, length, out, tiles, count,
    Q: tl.constexpr, T: tl.constexpr,
):  # fmt: skip
    query = tl.program_id(0) * Q + tl.arange(0, Q)
    there = query < count
    mine = (tl.load(b + query, there, 0.0), tl.load(wrong + query, there, 0.0))
    long = tl.load(length + query, there, 0.0)
    found = tl.full((Q,), float("-inf"), tl.float32)
    for start in range(0, tiles, T):
        tile = start + tl.arange(0, T)
        real = tile < tiles
        place = tile[:, None].to(tl.int64) * count + query[None, :]
        best = tl.load(maxima + place, real[:, None] & there[None, :], 0)
        score, doubt = _bounded(
            best,
            tl.load(steps + tile, real, 0.0)[:, None],
            tl.load(halves + tile, real, float("inf"))[:, None],
            tl.load(norms + tile, real, 0.0)[:, None],
            tl.load(errors + tile, real, 0.0)[:, None],
            tl.load(rests + tile, real, 0.0)[:, None],
            mine[0][None, :],
            mine[1][None, :],
            long[None, :],
        )
        found = tl.maximum(found, tl.max(score - doubt, 0))
    tl.store(out + query, found, there)


@triton.jit
def left(
    maxima, steps, halves, norms, errors, rests, b, wrong, length, enough,
    total, out_tile, out_query, tiles, count, room, Q: tl.constexpr, T: tl.constexpr,
):  # fmt: skip
    """Pairs in no order. Few are left, so most programs write nothing."""
    query = tl.program_id(0) * Q + tl.arange(0, Q)
    tile = tl.program_id(1) * T + tl.arange(0, T)
    there, real = query < count, tile < tiles
    both = real[:, None] & there[None, :]
    place = tile[:, None].to(tl.int64) * count + query[None, :]
    score, doubt = _bounded(
        tl.load(maxima + place, both, 0),
        tl.load(steps + tile, real, 0.0)[:, None],
        tl.load(halves + tile, real, 0.0)[:, None],
        tl.load(norms + tile, real, 0.0)[:, None],
        tl.load(errors + tile, real, 0.0)[:, None],
        tl.load(rests + tile, real, 0.0)[:, None],
        tl.load(b + query, there, 0.0)[None, :],
        tl.load(wrong + query, there, 0.0)[None, :],
        tl.load(length + query, there, 0.0)[None, :],
    )
    less = score + doubt < tl.load(enough + query, there, 0.0)[None, :]
    kept = (both & (less == 0)).to(tl.int32)
    found = tl.sum(tl.sum(kept, 1), 0)
    if found > 0:
        left = tl.reshape(kept, (T * Q,))
        into = tl.atomic_add(total, found) + tl.cumsum(left, 0) - 1
        fits = (left > 0) & (into < room)
        here = tl.arange(0, T * Q)
        tl.store(out_tile + into, tl.program_id(1) * T + here // Q, fits)
        tl.store(out_query + into, tl.program_id(0) * Q + here % Q, fits)


@triton.jit
def again(
    words, halves, norms, errors, rests, queries, wrong, length, enough, tiles, listing,
    out_best, out_doubt, out_at, out_may, count,
    WIDE: tl.constexpr, STEP: tl.constexpr, CHUNK: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    chunk = tl.program_id(0)
    tile = tl.load(tiles + chunk).to(tl.int64)
    if tile >= count:  # there are fewer chunks than there is room for
        return
    pair = chunk * CHUNK + tl.arange(0, CHUNK)
    query = tl.load(listing + pair)
    there = query >= 0
    query = tl.maximum(query, 0).to(tl.int64)
    word = tile * TILE + tl.arange(0, TILE)
    scores = tl.zeros((CHUNK, TILE), tl.float32)
    for start in range(0, WIDE, STEP):
        column = start + tl.arange(0, STEP)
        a = tl.load(queries + query[:, None] * WIDE + column[None, :])
        w = tl.load(words + word[:, None] * WIDE + column[None, :])
        scores = tl.dot(a, w.T, scores)
    scores -= tl.load(halves + tile)
    doubt = tl.load(wrong + query) * tl.load(norms + tile) + tl.load(rests + tile)
    doubt += tl.load(length + query) * tl.load(errors + tile)
    less = scores + doubt[:, None] < tl.load(enough + query)[:, None]
    tl.store(out_best + pair, tl.max(scores, 1))
    tl.store(out_doubt + pair, doubt)
    tl.store(out_at + pair, tl.argmax(scores, 1))
    tl.store(out_may + pair, tl.where(there, tl.sum((less == 0).to(tl.int32), 1), 0))


@triton.jit
def apart(
    queries, raw, query, row, out, pairs, k, K: tl.constexpr, PAIRS: tl.constexpr
):  # fmt: skip
    pair = tl.program_id(0) * PAIRS + tl.arange(0, PAIRS)
    there = pair < pairs
    q = tl.load(query + pair, there, 0).to(tl.int64)
    r = tl.load(row + pair, there, 0).to(tl.int64)
    column = tl.arange(0, K)
    inside = there[:, None] & (column < k)[None, :]
    one = tl.load(queries + q[:, None] * k + column[None, :], inside, 0.0)
    two = tl.load(raw + r[:, None] * k + column[None, :], inside, 0.0)
    moved = one - two.to(tl.float64)
    tl.store(out + pair, tl.sum(moved * moved, 1), there)


@triton.jit
def asked(
    queries, frame, numbers, wholes, wrong, length, b, wrong8, length8, count, k,
    WIDE: tl.constexpr, WIDE8: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr,
    FOLDED: tl.constexpr, MOST: tl.constexpr, TINY: tl.constexpr, UP: tl.constexpr,
    FAR: tl.constexpr,
):  # fmt: skip
    """Queries centred, and rounded in both ways at once."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, K)
    there = row < count
    inside = there[:, None] & (column < k)[None, :]
    q = tl.load(queries + row[:, None] * k + column[None, :], inside, 0.0)
    centre = tl.load(frame + column, column < k, 0.0)[None, :]
    q = tl.where(inside, (q - centre) * tl.load(frame + k), 0.0)  # the scale stands at the end
    bad = tl.sum(((tl.abs(q) <= FAR) == 0).to(tl.int32), 1) > 0  # NaN too: told by its error
    q = tl.where(bad[:, None], 0.0, q)
    near = q.to(tl.float32).to(tl.bfloat16)
    close = near.to(tl.float32).to(tl.float64)
    one = (column >= k) & (column < k + FOLDED)
    near = tl.where(one[None, :], 1.0, near.to(tl.float32)).to(tl.bfloat16)
    wide = there[:, None] & (column < WIDE)[None, :]
    tl.store(numbers + row[:, None] * WIDE + column[None, :], near, wide)
    away = q - close
    off = tl.where(bad, 4 * FAR, tl.sqrt(tl.sum(away * away, 1)))
    tl.store(wrong + row, off.to(tl.float32) * UP, there)
    tl.store(length + row, tl.sqrt(tl.sum(close * close, 1)).to(tl.float32) * UP, there)
    most = tl.max(tl.abs(q), 1)
    step = (tl.where(most > TINY, most, 1.0) / MOST).to(tl.float32)
    each = step.to(tl.float64)[:, None]
    whole = q * (1.0 / each)
    whole = tl.minimum(tl.maximum(tl.floor(whole + 0.5), -MOST), MOST)
    wide = there[:, None] & (column < WIDE8)[None, :]
    tl.store(wholes + row[:, None] * WIDE8 + column[None, :], whole.to(tl.int8), wide)
    close = each * whole
    away = q - close
    tl.store(b + row, step, there)
    off = tl.where(bad, 4 * FAR, tl.sqrt(tl.sum(away * away, 1)))
    tl.store(wrong8 + row, off.to(tl.float32) * UP, there)
    tl.store(length8 + row, tl.sqrt(tl.sum(close * close, 1)).to(tl.float32) * UP, there)
