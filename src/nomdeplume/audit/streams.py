"""Streams of noise: whether any two releases, wherever they are made, share one.

The same words are released again and again: in one call, in two runs, threads, forked
children and fresh interpreters. If no noise is shared, two releases of a word are equal
with one and the same chance wherever they were made. So of the words that are equal in one
pair of releases and not in another, as many should be so one way as the other: each is a
fair coin, whatever the chances of the words are.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from time import monotonic

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import binomtest

from nomdeplume.audit.finding import BROKEN, OPEN, Finding, by_pvalue
from nomdeplume.audit.parts import Releasing, cold
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.errors import PrivacyError

Ids = NDArray[np.int64]
Source = Callable[[], Generator]

WORDS = 2_000
TRIED, LEAST = 8, 80  # words to see how quick it is, and that show a shared stream for sure
PLACES, PATIENCE = 9, 5  # where words are released, and how much longer that may take than planned
FRESH = (
    "import pickle, sys; pipe, sys.stdout = sys.stdout.buffer, sys.stderr; "
    "mechanism, source, ids = pickle.load(sys.stdin.buffer); "
    "pipe.write(mechanism.release(ids, source()).tobytes())"
)


def of_streams(
    mechanism: Releasing,
    source: Source,
    question: str = "no two releases share a stream",
    *,
    world: str = "",
    most: int = WORDS,
) -> Probe:
    """Releases of the same words made in different places, compared with each other."""

    def ask(share: Share) -> Finding:
        words = _affordable(mechanism, source, share.seconds, most)
        if not words:
            return Finding("flow", question, OPEN, "too slow to be released often enough")
        ids = np.random.default_rng(0).integers(0, len(mechanism.table), words)
        made = _everywhere(mechanism, source, np.concatenate((ids, ids)), share.seconds)
        parts = {
            f"{place}{half}": part
            for place, both in made.items()
            for half, part in (("", both[:words]), (" (later)", both[words:]))
        }
        return _compared(parts, len(made), share.alpha, question, world)

    return Probe(question, ask)


def _compared(
    parts: dict[str, Ids], places: int, alpha: float, question: str, world: str
) -> Finding:
    """The two releases that are most alike against the two that are least."""
    alike = {pair: parts[pair[0]] == parts[pair[1]] for pair in combinations(parts, 2)}
    by_count = sorted(alike, key=lambda pair: int(alike[pair].sum()))
    most, least = by_count[-1], by_count[0]
    words, samples = len(alike[most]), sum(map(len, parts.values()))
    only_one_way = alike[most] & ~alike[least], alike[least] & ~alike[most]
    more, fewer = (int(each.sum()) for each in only_one_way)
    if not more + fewer:
        return _the_same(parts, question, world, samples)
    pvalue = min(1.0, len(alike) ** 2 * binomtest(more, more + fewer).pvalue)
    count = int(alike[most].sum())
    said = f"{places} places, at most {count:,} of {words:,} words alike, "
    if not any(place.startswith("fresh") for place in parts):
        said = f"no fresh interpreter, but {said}"
    if pvalue < alpha:
        said = f"{' = '.join(most)}, {count:,} of {words:,} words, "
    return by_pvalue("flow", question, pvalue, alpha=alpha, samples=samples, what=said)


def _the_same(parts: dict[str, Ids], question: str, world: str, samples: int) -> Finding:
    """Where every word is always released alike. In a world of near words that breaks a promise.

    Unless it is one word for all of them, which tells nothing.
    """
    constant = len(np.unique(np.concatenate(list(parts.values())))) == 1
    verdict = BROKEN if world and not constant else OPEN
    return Finding("flow", question, verdict, "every release is the same here", samples)


def _affordable(mechanism: Releasing, source: Source, seconds: float, most: int) -> int:
    """How many words can be released in all places in about the time; none if it is hopeless.

    A call may take long by itself, so it is timed with as many words as are needed at least.
    """
    rng = source()
    for words in (1, TRIED, 2 * LEAST):  # the first makes what is made on first use
        start = monotonic()
        mechanism.release(np.zeros(words, dtype=np.int64), rng)
        took = monotonic() - start
        if PLACES * took > PATIENCE * max(seconds, 1.0):
            return 0
    return int(np.clip(LEAST * max(seconds, 1.0) / (PLACES * took), LEAST, most))


def _everywhere(mechanism: Releasing, source: Source, ids: Ids, seconds: float) -> dict[str, Ids]:
    """The same words released in every place that there is.

    Threads share a copy that must make what is made on first use while both ask for it.
    """
    release, anew = (partial(each.release, ids) for each in (mechanism, cold(mechanism)))
    made = {f"run {i}": release(source()) for i in (1, 2)}
    with ThreadPoolExecutor(2) as pool:
        drawn = [pool.submit(lambda: anew(source())) for _ in range(2)]
        made |= {f"thread {i}": each.result() for i, each in enumerate(drawn, 1)}
    shared = source()
    for i in (1, 2):
        if (released := _forked(partial(release, shared), seconds)) is not None:
            made[f"forked child {i}"] = released
    made["parent of the forks"] = release(shared)
    for i in (1, 2):
        if (released := _fresh(mechanism, source, ids, seconds)) is not None:
            made[f"fresh interpreter {i}"] = released
    return {place: each for place, each in made.items() if len(each) == len(ids)}


def _forked(work: Callable[[], Ids], seconds: float) -> Ids | None:
    """What a forked child makes of `work`; nothing where there is no fork, or it hangs."""
    if not hasattr(os, "fork"):
        return None
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks while threads are alive
        child = os.fork()
    if child == 0:
        try:
            os.close(read)
            with os.fdopen(write, "wb") as pipe:
                pipe.write(work().tobytes())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb", buffering=0) as pipe:
        content = _until_closed(pipe.fileno(), 5 + 2 * seconds)
    if content is None:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return _ids(content)


def _until_closed(pipe: int, seconds: float) -> bytes | None:
    end, parts = monotonic() + seconds, []
    while (left := end - monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            parts.append(os.read(pipe, 1 << 16))
            if not parts[-1]:
                return b"".join(parts)
    return None


def _fresh(mechanism: Releasing, source: Source, ids: Ids, seconds: float) -> Ids | None:
    """What a fresh interpreter makes of it; nothing if it cannot be sent there."""
    try:
        content = pickle.dumps((mechanism, source, ids))
    except (pickle.PicklingError, AttributeError, TypeError, PrivacyError):
        return None
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", FRESH],
            input=content,
            capture_output=True,
            timeout=seconds + 20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return _ids(done.stdout) if done.returncode == 0 else None


def _ids(content: bytes | None) -> Ids | None:
    """The ids that another process wrote, if it wrote any."""
    return None if not content or len(content) % 8 else np.frombuffer(content, dtype=np.int64)
