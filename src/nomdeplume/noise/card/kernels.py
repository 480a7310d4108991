"""ChaCha20 in kernels, and draws made of its blocks where they are made.

A block has a number, and sixteen words of 32 bits. Two of them make a uniform number in (0, 1]
of 53 bits, so a block makes eight.
"""

import triton
import triton.language as tl

_TINY: tl.constexpr = tl.constexpr(2.0**-53)


@triton.jit
def _mixed(a, b, c, d):
    """A quarter round."""
    a += b
    d ^= a
    d = (d << 16) | (d >> 16)
    c += d
    b ^= c
    b = (b << 12) | (b >> 20)
    a += b
    d ^= a
    d = (d << 8) | (d >> 24)
    c += d
    b ^= c
    b = (b << 7) | (b >> 25)
    return a, b, c, d


@triton.jit
def _word(state, i: tl.constexpr, like):
    """A word of the state, for as many blocks."""
    return tl.load(state + i).to(tl.uint32, bitcast=True) + tl.zeros_like(like)


@triton.jit
def _block(state, number):
    """The sixteen words of each block. `state` is the key, and what a number is added to."""
    low = number.to(tl.uint64).to(tl.uint32)
    high = (number.to(tl.uint64) >> 32).to(tl.uint32)
    zero = low ^ low
    i0, i1, i2, i3 = zero + 0x61707865, zero + 0x3320646E, zero + 0x79622D32, zero + 0x6B206574
    i4, i5 = _word(state, 0, low), _word(state, 1, low)
    i6, i7 = _word(state, 2, low), _word(state, 3, low)
    i8, i9 = _word(state, 4, low), _word(state, 5, low)
    i10, i11 = _word(state, 6, low), _word(state, 7, low)
    base = _word(state, 8, low)
    i12 = base + low
    i13 = _word(state, 9, low) + high + (i12 < base).to(tl.uint32)
    i14, i15 = _word(state, 10, low), _word(state, 11, low)
    x0, x1, x2, x3, x4, x5, x6, x7 = i0, i1, i2, i3, i4, i5, i6, i7
    x8, x9, x10, x11, x12, x13, x14, x15 = i8, i9, i10, i11, i12, i13, i14, i15
    for _ in range(10):
        x0, x4, x8, x12 = _mixed(x0, x4, x8, x12)
        x1, x5, x9, x13 = _mixed(x1, x5, x9, x13)
        x2, x6, x10, x14 = _mixed(x2, x6, x10, x14)
        x3, x7, x11, x15 = _mixed(x3, x7, x11, x15)
        x0, x5, x10, x15 = _mixed(x0, x5, x10, x15)
        x1, x6, x11, x12 = _mixed(x1, x6, x11, x12)
        x2, x7, x8, x13 = _mixed(x2, x7, x8, x13)
        x3, x4, x9, x14 = _mixed(x3, x4, x9, x14)
    return (
        x0 + i0, x1 + i1, x2 + i2, x3 + i3, x4 + i4, x5 + i5, x6 + i6, x7 + i7,
        x8 + i8, x9 + i9, x10 + i10, x11 + i11, x12 + i12, x13 + i13, x14 + i14, x15 + i15,
    )  # fmt: skip


@triton.jit
def _uniform(low, high):
    """A number in (0, 1] of 53 bits."""
    bits = (high.to(tl.uint64) << 32) | low.to(tl.uint64)
    return ((bits >> 11).to(tl.float64) + 1.0) * _TINY


@triton.jit
def _pair(u, v):
    """Two normal numbers of two uniform ones (Box and Muller)."""
    far = tl.sqrt(-2.0 * tl.log(u))
    angle = v * 6.283185307179586
    return far * tl.cos(angle), far * tl.sin(angle)


@triton.jit
def keystream(state, start, out, blocks, N: tl.constexpr):
    """Blocks as they come, one after the other."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    words = _block(state, start + i.to(tl.int64))
    for j in tl.static_range(16):
        tl.store(out + i.to(tl.int64) * 16 + j, words[j].to(tl.int32, bitcast=True), i < blocks)


@triton.jit
def uniforms(state, start, out, count, N: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * N
    lane = tl.arange(0, N)
    words = _block(state, start + first + lane)
    for j in tl.static_range(8):
        place = (first * 8) + j * N + lane
        tl.store(out + place, _uniform(words[2 * j], words[2 * j + 1]), place < count)


@triton.jit
def normals(state, start, out, count, N: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * N
    lane = tl.arange(0, N)
    words = _block(state, start + first + lane)
    for j in tl.static_range(4):
        one, two = _pair(
            _uniform(words[4 * j], words[4 * j + 1]), _uniform(words[4 * j + 2], words[4 * j + 3])
        )
        place = (first * 8) + 2 * j * N + lane
        tl.store(out + place, one, place < count)
        tl.store(out + place + N, two, place + N < count)


@triton.jit
def gammas(state, start, out, count, shape, N: tl.constexpr):
    """Sums of `shape` exponential numbers: the logarithm of a product of eight at a time."""
    row = tl.program_id(0) * N + tl.arange(0, N)
    blocks = (shape + 7) // 8
    total = tl.zeros((N,), tl.float64)
    for block in range(blocks):
        words = _block(state, start + row.to(tl.int64) * blocks + block)
        product = tl.full((N,), 1.0, tl.float64)
        for j in tl.static_range(8):
            u = _uniform(words[2 * j], words[2 * j + 1])
            product *= tl.where(block * 8 + j < shape, u, 1.0)
        total -= tl.log(product)
    tl.store(out + row, total, row < count)
