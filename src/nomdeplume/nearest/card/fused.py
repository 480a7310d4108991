"""The looks at words by our own kernels, on cards that run them."""

from __future__ import annotations

from collections.abc import Sequence

from nomdeplume.devices import Card
from nomdeplume.nearest.card.operands import (
    BFLOAT16,
    FOLDED,
    INT8,
    MOST,
    STEP,
    TILE,
    TINY,
    UP,
    Asked,
    Kind,
    Rounded,
    Tensor,
)
from nomdeplume.nearest.rows import FAR

BM = 256  # queries that a program holds
ROOM = 227 << 10  # bytes of shared memory, if a card does not say
LEFT = 4 << 10  # of them, for what is not words or queries
AHEAD = 3  # tiles of words that are on their way, the one in use among them
SPAN = 200  # tiles that a program goes by: half a millisecond
CHUNK = 64  # queries that a tile is looked at again with
QUERIES, TILES = 64, 64  # of a step through bounds, for the largest
ACROSS, DOWN = 256, 16  # of bounds that are read together


class Fused:
    """All looks, by kernels."""

    chunk = CHUNK

    def __init__(self, card: Card) -> None:
        import triton
        from triton.tools.tensor_descriptor import TensorDescriptor

        from nomdeplume.nearest.card import kernels

        self._torch, self._room = card.torch, _room(card)
        self._slow = card.torch.cuda.Stream() if card.at.type == "cuda" else None
        self._triton, self._kernels, self._described = triton, kernels, TensorDescriptor.from_tensor

    def asked(
        self, kinds: Sequence[Kind], queries: Tensor, centre: Tensor, scale: float
    ) -> list[Asked]:
        """Queries as numbers of some kinds, of these two."""
        torch, (n, k) = self._torch, queries.shape
        wide, wide8 = BFLOAT16.width(k), INT8.width(k)
        near = torch.empty((n, wide), dtype=torch.bfloat16, device=queries.device)
        whole = torch.empty((n, wide8), dtype=torch.int8, device=queries.device)
        known = torch.empty((5, n), dtype=torch.float32, device=queries.device)
        width = self._triton.next_power_of_2(max(wide, wide8))
        rows = max(1, 2048 // width)
        frame = torch.cat((centre, centre.new_full((1,), scale)))
        self._kernels.asked[(-(-n // rows),)](
            queries, frame, near, whole, *known, n, k, WIDE=wide, WIDE8=wide8,
            K=width, ROWS=rows, FOLDED=FOLDED, MOST=MOST, TINY=TINY, UP=UP, FAR=FAR,
        )  # fmt: skip
        both = {
            BFLOAT16: Asked(near, torch.ones_like(known[0]), known[0], known[1]),
            INT8: Asked(whole, known[2], known[3], known[4]),
        }
        return [both[kind] for kind in kinds]

    def maxima(self, words: Rounded, queries: Asked) -> Tensor:
        """The largest product of each tile with each query, (tiles, n); n by 256.

        On a card this takes nearly all the time. It runs in a stream of its own, that gives way
        to whatever else there is to do.
        """
        if self._slow is None:
            return self._maxima(words, queries)
        cuda = self._torch.cuda
        mine = cuda.current_stream()
        self._slow.wait_stream(mine)
        with cuda.stream(self._slow):
            found = self._maxima(words, queries)
        mine.wait_stream(self._slow)
        found.record_stream(mine)
        return found

    def _maxima(self, words: Rounded, queries: Asked) -> Tensor:
        torch, (n, wide) = self._torch, queries.numbers.shape
        mine, theirs = self._dotted(queries.numbers), self._dotted(words.numbers)
        kind = torch.int32 if words.kind.whole else torch.float32
        out = torch.empty((words.tiles, n), dtype=kind, device=queries.numbers.device)
        language = self._triton.language
        total = language.int32 if words.kind.whole else language.float32
        spans = -(-words.tiles // SPAN)
        pieces, size = _pieces(wide), words.numbers.element_size()
        fits = [m for m in (BM, BM // 2) if (m + AHEAD * TILE) * wide * size <= self._room]
        if len(pieces) <= 3 and max(pieces) <= 256 and fits:
            m, p = fits[0], [*pieces, 0, 0][:3]
            self._kernels.held[(n // m, spans)](
                *(self._described(mine, [m, each or p[0]]) for each in p),
                *(self._described(theirs, [TILE, each or p[0]]) for each in p),
                out, words.tiles, n, P0=p[0], P1=p[1], P2=p[2], BM=m, TILE=TILE, SUM=total,
                STAGES=AHEAD, SPAN=SPAN, num_warps=m // 32, num_stages=AHEAD,
            )  # fmt: skip
            return out
        m, ahead = self._streaming(size)
        self._kernels.streamed[(n // m, spans)](
            self._described(mine, [m, STEP]), self._described(theirs, [TILE, STEP]),
            out, words.tiles, n, WIDE=wide, STEP=STEP, BM=m, TILE=TILE, SUM=total,
            SPAN=SPAN, num_warps=m // 32, num_stages=ahead,
        )  # fmt: skip
        return out

    def _streaming(self, size: int) -> tuple[int, int]:
        """Queries of a program, and steps of columns that are on their way, as there is room."""
        for m in (BM, BM // 2):
            ahead = min(AHEAD + 2 - size, self._room // ((m + TILE) * STEP * size))
            if ahead > 1:
                break
        return m, max(ahead, 2)

    def least(self, words: Rounded, queries: Asked, maxima: Tensor) -> Tensor:
        """What the best score of each query is at least."""
        n = maxima.shape[1]
        out = self._torch.empty(n, dtype=self._torch.float32, device=maxima.device)
        grid = (-(-n // QUERIES),)
        bounds = _bounds(words, queries, maxima)
        self._kernels.least[grid](*bounds, out, words.tiles, n, Q=QUERIES, T=TILES)
        return out

    def left(
        self, words: Rounded, queries: Asked, maxima: Tensor, least: Tensor, room: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Pairs of a tile and a query whose answer it may hold, up to so many; and how many."""
        torch, n = self._torch, maxima.shape[1]
        total = torch.zeros(1, dtype=torch.int32, device=maxima.device)
        tile, query = torch.empty((2, room), dtype=torch.int32, device=maxima.device)
        grid = (-(-n // ACROSS), -(-words.tiles // DOWN))
        bounds = _bounds(words, queries, maxima)
        self._kernels.left[grid](
            *bounds, least, total, tile, query, words.tiles, n, room, Q=ACROSS, T=DOWN
        )
        return tile, query, total[0]

    def again(
        self, words: Rounded, queries: Asked, least: Tensor, tile: Tensor, query: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Of each pair of a tile and a query the best score, its doubt, its word, how many may win.

        `tile` is that of each chunk of `query`.
        """
        torch = self._torch
        out = [torch.empty(len(query), dtype=torch.float32, device=query.device) for _ in range(2)]
        out += [torch.empty(len(query), dtype=torch.int32, device=query.device) for _ in range(2)]
        self._kernels.again[(len(tile),)](
            self._dotted(words.numbers), words.half, words.norm, words.error, words.rest,
            self._dotted(queries.numbers), queries.error, queries.length, least,
            tile, query, *out, words.tiles, WIDE=words.numbers.shape[1], STEP=STEP,
            CHUNK=CHUNK, TILE=TILE, num_warps=4,
        )  # fmt: skip
        return out[0], out[1], out[2], out[3]

    def _dotted(self, numbers: Tensor) -> Tensor:
        """Numbers for a product: Triton's interpreter, that tests run, multiplies no bfloat16."""
        return numbers if numbers.is_cuda or numbers.element_size() == 1 else numbers.float()

    def apart(self, queries: Tensor, raw: Tensor, query: Tensor, row: Tensor) -> Tensor:
        """Squared distances of queries and words, pair by pair, in float64."""
        torch, (pairs, k) = self._torch, (len(query), queries.shape[1])
        out = torch.empty(pairs, dtype=torch.float64, device=queries.device)
        if pairs:
            width = self._triton.next_power_of_2(k)
            some = max(1, 4096 // width)
            self._kernels.apart[(-(-pairs // some),)](
                queries, raw, query, row, out, pairs, k, K=width, PAIRS=some
            )
        return out


def _room(card: Card) -> int:
    """Bytes of shared memory that a program may have."""
    if card.at.type != "cuda":
        return ROOM
    about = card.torch.cuda.get_device_properties(card.at)
    return int(getattr(about, "shared_memory_per_block_optin", ROOM)) - LEFT


def _bounds(words: Rounded, queries: Asked, maxima: Tensor) -> tuple[Tensor, ...]:
    tile = (words.step, words.half, words.norm, words.error, words.rest)
    return (maxima, *tile, queries.step, queries.error, queries.length)


def _pieces(wide: int) -> list[int]:
    """A width as a sum of powers of two, the largest first."""
    return [1 << bit for bit in range(wide.bit_length() - 1, -1, -1) if wide >> bit & 1]
