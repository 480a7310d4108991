"""Streams of noise: whether any two releases, wherever they are made, share one.

The same words are released again and again: in one call, in two runs, threads, forked
children and fresh interpreters. If no noise is shared, two releases of a word are equal
with one and the same chance wherever they were made. So counts of equal words, position
by position, may differ between two such pairs by chance only: of n independent
differences between −1 and 1 with mean 0 the sum passes t with a chance of at most
exp(−t²/2n) (Hoeffding).
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
from math import exp
from time import monotonic

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit.finding import OPEN, Finding, by_pvalue
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.mechanism import Mechanism

Ids = NDArray[np.int64]
Source = Callable[[], Generator]

WORDS = 2_000
LEAST = 160  # words that show a shared stream beyond doubt
FRESH = (
    "import pickle, sys; mechanism, source, ids = pickle.load(sys.stdin.buffer); "
    "sys.stdout.buffer.write(mechanism.release(ids, source()).tobytes())"
)


def of_streams(mechanism: Mechanism, source: Source, where: str = "") -> Probe:
    """Releases of the same words made in different places, compared with each other."""
    return Probe(lambda share: _compared(mechanism, source, where, share), 1.0)


def _compared(mechanism: Mechanism, source: Source, where: str, share: Share) -> Finding:
    words = _affordable(mechanism, source, share.seconds)
    ids = np.random.default_rng(0).integers(0, len(mechanism.table), words)
    twice = np.concatenate((ids, ids))
    made = _everywhere(mechanism, source, twice, share.seconds)
    parts = {
        f"{place}{half}": part
        for place, both in made.items()
        for half, part in zip(("", " (later)"), (both[:words], both[words:]), strict=True)
    }
    equal = {pair: int((parts[pair[0]] == parts[pair[1]]).sum()) for pair in combinations(parts, 2)}
    most, least = max(equal, key=equal.__getitem__), min(equal.values())
    question = f"no two releases share a stream{where}"
    if least == words:
        return Finding("flow", question, OPEN, "every release is the same here", words)
    excess = equal[most] - least
    pvalue = min(1.0, len(equal) ** 2 * exp(-(excess**2) / (2 * words)))
    said = f"{len(made)} places, at most {equal[most]:,} of {words:,} words alike, "
    if not any(place.startswith("fresh") for place in made):
        said = f"no fresh interpreter, but {said}"
    if pvalue < share.alpha:
        said = f"{' = '.join(most)}, {equal[most]:,} of {words:,} words, "
    return by_pvalue(
        "flow", question, pvalue, alpha=share.alpha, samples=words * len(parts), what=said
    )


def _affordable(mechanism: Mechanism, source: Source, seconds: float) -> int:
    """How many words can be released in some ten places in the time."""
    ids, rng = np.zeros(LEAST, dtype=np.int64), source()
    mechanism.release(ids, rng)  # what is made on first use is made now
    start = monotonic()
    mechanism.release(ids, rng)
    rate = LEAST / max(monotonic() - start, 1e-9)
    return int(np.clip(rate * max(seconds, 1) / 12, LEAST, WORDS))


def _everywhere(mechanism: Mechanism, source: Source, ids: Ids, seconds: float) -> dict[str, Ids]:
    """The same words released in every place that there is."""
    release = partial(mechanism.release, ids)
    made = {f"run {i}": release(source()) for i in (1, 2)}
    with ThreadPoolExecutor(2) as pool:
        drawn = [pool.submit(lambda: release(source())) for _ in range(2)]
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
        content = _until_closed(pipe.fileno(), seconds + 10)
    if content is None:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None if content is None else np.frombuffer(content, dtype=np.int64)


def _until_closed(pipe: int, seconds: float) -> bytes | None:
    end, parts = monotonic() + seconds, []
    while (left := end - monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            parts.append(os.read(pipe, 1 << 16))
            if not parts[-1]:
                return b"".join(parts)
    return None


def _fresh(mechanism: Mechanism, source: Source, ids: Ids, seconds: float) -> Ids | None:
    """What a fresh interpreter makes of it; nothing if it cannot be sent there."""
    try:
        content = pickle.dumps((mechanism, source, ids))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", FRESH],
        input=content,
        capture_output=True,
        timeout=seconds + 60,
        check=False,
    )
    return np.frombuffer(done.stdout, dtype=np.int64) if done.returncode == 0 else None
