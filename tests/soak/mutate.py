"""Damage to files: by the byte, by the line, by the number, by the node of a JSON value."""

import json
import struct

MOST = 1 << 17  # bytes of a case; a few are longer
TOKENS = (
    b"\0", b"\n", b"\r", b"\r\n", b'"', b"'", b",", b";", b"\t", b"|", b"\\", b"\\n", b" ", b"{",
    b"}", b"[", b"]", b":", b"null", b"true", b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1",
    b"0", b'""', b'",x","', b"\\ud800", b"\\u0000", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff",
    b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff",
    b"\x80\x04\x95", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PAR1", b"ARROW1",
    b"\x93NUMPY", b"FEA1", b"SQLite format 3\0", b"#", b"sep=;\n", b"__metadata__", b"\xe2\x80\xa8",
    b"\xc2\x85", b"\x1c", b"_", b"nan", b"inf", b"1_0", b"|O", b"<f4", b"<U9", b"BF16", b"F64",
    b"zyxoquant", b"wumblegorf",
)  # fmt: skip
NUMBERS = (
    b"0", b"-1", b"1", b"255", b"65536", b"2147483647", b"2147483648", b"4294967296", b"1e308",
    b"1e-400", b"9223372036854775807", b"18446744073709551616", b"1" * 400, b"9" * 5000, b"0.1",
    b"-0", b"1e5",
)  # fmt: skip
INTEGERS = (
    0, 1, -1, 2, 127, 128, 255, 1 << 15, 1 << 16, (1 << 31) - 1, -(1 << 31), 1 << 40, 1 << 62,
)  # fmt: skip
VALUES = (
    None, True, False, 0, -1, 1, 2, 10**9, 10**18, 10**400, -(10**400), 1.5, 1e308, 5e-324, "",
    "\0", "a\nb", "\ud800", "x" * 1000, "rain", "none", "mean", "laplace", [], [[]], {}, [None],
    {"": None}, {"a": {"b": [1]}}, ["a"], [1, 2], "0" * 64, "F32", "U8", "BF16", "float32", 5, 3,
    [5, 2], [0, 40],
)  # fmt: skip
ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252")


def damaged(seeds, rng):
    """One of the seeds, damaged in a few ways; now and then whole."""
    data = rng.choice(seeds)
    kinds = JSON if data[:1] in b"{[" and data else PLAIN
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        data = rng.choice(kinds)(data, rng, seeds)[: MOST if rng.random() < 0.999 else 1 << 21]
    return data


def _at(data, rng):
    return rng.randrange(len(data) + 1)


def _span(data, rng):
    start = _at(data, rng)
    return start, min(len(data), start + rng.choice((1, 2, 4, 8, 16, 64, 1024)))


def flip(data, rng, _):
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16)) if data else 0):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwrite(data, rng, _):
    changed = bytearray(data)
    if data:
        changed[rng.randrange(len(data))] = rng.choice((0, 1, 9, 10, 32, 34, 127, 128, 255))
    return bytes(changed)


def integer(data, rng, _):
    """A number as machines write it, where a length or a place may stand."""
    kind = rng.choice(["<i", "<q", ">i", ">q", "<h", "<I", "<Q"])
    size = struct.calcsize(kind)
    at = rng.choice((0, 4, 8, max(0, len(data) - 8), _at(data, rng)))
    value = (rng.choice(INTEGERS) + rng.choice((0, 0, 1, -1))) % (1 << 8 * size)
    return (
        data[:at] + value.to_bytes(size, "little" if kind[0] == "<" else "big") + data[at + size :]
    )


def decimal(data, rng, _):
    """Another number where digits stand."""
    places = [i for i, byte in enumerate(data[: 1 << 12]) if 48 <= byte < 58]
    if not places:
        return data
    start = end = rng.choice(places)
    while end < len(data) and (48 <= data[end] < 58 or data[end] == 46):
        end += 1
    return data[:start] + rng.choice(NUMBERS) + data[end:]


def insert(data, rng, _):
    at = _at(data, rng)
    return data[:at] + rng.choice(TOKENS) * rng.choice((1, 1, 1, 2, 9)) + data[at:]


def replace(data, rng, _):
    start, end = _span(data, rng)
    return data[:start] + rng.choice(TOKENS) + data[end:]


def prefix(data, rng, _):
    return rng.choice(TOKENS) + data


def delete(data, rng, _):
    start, end = _span(data, rng)
    return data[:start] + data[end:]


def truncate(data, rng, _):
    return data[: _at(data, rng)]


def duplicate(data, rng, _):
    start, end = _span(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 9, 99)) + data[end:]


def splice(data, rng, seeds):
    other = rng.choice(seeds)
    return data[: _at(data, rng)] + other[_at(other, rng) :]


def noise(data, rng, _):
    start, end = _span(data, rng)
    return data[:start] + rng.randbytes(end - start) + data[end:]


def nest(data, rng, _):
    at, depth = _at(data, rng), rng.choice((10, 900, 1100, 20_000))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")")))
    return data[:at] + opening * depth + closing * rng.choice((0, depth)) + data[at:]


def stretch(data, rng, _):
    """A line without end, or many lines."""
    at = _at(data, rng)
    return data[:at] + rng.choice((b"x", b"\n", b" ", b"\0", b'"', b"1 ")) * 9000 + data[at:]


def lines(data, rng, _):
    found = data.split(b"\n")
    rng.shuffle(found)
    return rng.choice((b"\n", b"\r", b"\r\n", b"\n\n")).join(found)


def recode(data, rng, _):
    return data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def node(data, rng, seeds):
    """Another value at some place of a JSON value, or none; a key more, or another."""
    try:
        whole = json.loads(data)
        _change(rng.choice(list(_places([whole]))), rng)
        return json.dumps(whole).encode()
    except (ValueError, RecursionError):
        return flip(data, rng, seeds)


def _change(place, rng):
    parent, key = place
    way = rng.random()
    if way < 0.7:
        parent[key] = rng.choice(VALUES)
    elif way < 0.8:
        del parent[key]
    elif isinstance(parent, dict):
        parent[rng.choice(("", "x", "zyxoquant lake", "format", "\ud800"))] = parent[key]
    else:
        parent.extend([parent[key]] * rng.choice((1, 50)))


def _places(value):
    """Every place of a JSON value, as what holds it and the key or number of it."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


PLAIN = (
    flip, flip, overwrite, integer, integer, decimal, decimal, insert, insert, replace, prefix,
    delete, delete, truncate, duplicate, splice, noise, nest, stretch, lines, recode,
)  # fmt: skip
JSON = (*PLAIN, *(node,) * len(PLAIN))
