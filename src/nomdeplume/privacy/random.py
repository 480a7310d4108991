"""Where randomness comes from: ChaCha20 keyed by the operating system, or a known seed.

A stream that two releases share reveals the difference of their texts, so a
secure generator refuses to be copied or pickled and is keyed anew in a forked
child. Each of its methods compares the process id before it draws: if a fork did not
key the generator anew, it refuses. Whoever takes its `bit_generator` out before a fork
takes the stream out of this protection. Threads may share one: NumPy locks it, and they
draw different parts.
"""

from __future__ import annotations

import os
import secrets
import weakref
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, NoReturn

from numpy.random import Generator

from nomdeplume.errors import InputError, PrivacyError, got, whole

SECURE = "ChaCha20, keyed by the operating system"
KEYED = "HMAC-SHA-256 under the key of a ledger"  # of permanent releases


def _refuse(_self: object, *_: object) -> NoReturn:
    raise PrivacyError(
        "a secure generator must not be copied or pickled, its stream would be used twice; "
        "make one in each worker with nomdeplume.secure()."
    )


class SecureGenerator(Generator):
    """A generator whose key nobody knows and whose stream nobody shares."""

    def __init__(self) -> None:
        self.rekey()
        _alive.add(self)

    def rekey(self) -> None:
        """Start a new stream, with a lock of its own: a fork may have copied a held one."""
        super().__init__(_secret_stream())
        self._process = os.getpid()

    def check_process(self) -> None:
        """Refuse to draw in a process that did not key this generator."""
        if self._process != os.getpid():
            raise PrivacyError(
                "a secure generator was copied by a fork and not keyed anew, its stream would be "
                "used twice; make one in each process with nomdeplume.secure()."
            )

    @property
    def bit_generator(self) -> Any:
        self.check_process()
        return super().bit_generator

    def spawn(self, n_children: int) -> list[Generator]:
        """Generators with keys of their own, unrelated to this one's."""
        return [SecureGenerator() for _ in range(n_children)]

    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = _refuse


def _checked(draw: Callable[..., Any]) -> Callable[..., Any]:
    """A method of NumPy's generator that compares the process id first."""

    @wraps(draw)
    def checked(self: SecureGenerator, *args: Any, **kwargs: Any) -> Any:
        self.check_process()
        return draw(self, *args, **kwargs)

    return checked


for _name, _draw in vars(Generator).items():
    if callable(_draw) and not _name.startswith("_") and _name not in vars(SecureGenerator):
        setattr(SecureGenerator, _name, _checked(_draw))

_alive: weakref.WeakSet[SecureGenerator] = weakref.WeakSet()


def _rekey_all() -> None:
    """Give all generators new keys; those left out by an error, which Python hides, refuse."""
    for generator in list(_alive):
        generator.rekey()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_rekey_all)


def secure() -> SecureGenerator:
    """A fresh cryptographic generator, keyed by the operating system."""
    return SecureGenerator()


def seeded(seed: int, stream: int = 0) -> Generator:
    """A repeatable generator for experiments: what it releases is not private.

    Streams of one seed have keys that differ, so that each part of some work can have its own.
    """
    most = 2**64 - 1
    key = whole("seed", seed, least=0, most=most)
    return Generator(_chacha(key + (whole("stream", stream, least=0, most=most) << 64)))


def keyed(key: bytes) -> Generator:
    """A generator that repeats its draws under a secret key of 32 bytes."""
    return Generator(_chacha(int.from_bytes(key, "little")))


def is_private(rng: Generator) -> bool:
    """Whether nobody can replay what `rng` draws."""
    return isinstance(rng, SecureGenerator)


def described(rng: Generator) -> str:
    """What a certificate calls the generator."""
    if is_private(rng):
        return SECURE
    return f"{type(rng.bit_generator).__name__}, not a secure generator"


def keystream(key: bytes, blocks: int, *, counter: int = 0) -> bytes:
    """Blocks of ChaCha20 keystream, to be held against the test vectors of the standard.

    `counter` is the last 128 bits of the initial state: block number, then nonce.
    """
    raw = _chacha(int.from_bytes(key, "little"), counter).random_raw(8 * blocks)
    return bytes(raw.astype("<u8").tobytes())


def _chacha(key: int, counter: int = 0) -> Any:
    from randomgen import ChaCha  # 0.1 s to import, and only a release needs it

    return ChaCha(key=key, counter=counter << 4, rounds=20)  # it counts words, 16 a block


def _secret_stream() -> Any:
    """ChaCha20 under a fresh key; like its generator, it cannot be copied."""
    return _stream_class()(key=secrets.randbits(256), rounds=20)


@cache
def _stream_class() -> Any:
    from randomgen import ChaCha

    refusals = ("__reduce__", "__reduce_ex__", "__getstate__", "__copy__", "__deepcopy__")
    return type("SecretChaCha", (ChaCha,), dict.fromkeys(refusals, _refuse))


def given(rng: Generator | None) -> Generator:
    """The generator that is given, or a secure one."""
    found = secure() if rng is None else rng
    if not isinstance(found, Generator):
        raise InputError(f"rng must be a generator such as seeded(1), got {got(rng)}.")
    return found
