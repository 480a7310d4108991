"""What the tests share: small worlds, a repeatable generator, and no silent skips."""

import gc
import os
import signal
from pathlib import Path

if not Path("/dev/nvidiactl").exists():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # kernels run in Triton's interpreter

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from nomdeplume import Laplace, NoisyNearest, Table, seeded
from nomdeplume.compose import MaxEnt
from nomdeplume.compose.belief import Belief
from nomdeplume.decode import Bayes, Nearest, Rank, Vickrey
from nomdeplume.mechanism.custext import CusText
from nomdeplume.mechanism.diffractor import Diffractor
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.image import Anchors, Network, Projection, Unit
from nomdeplume.mechanism.noisy_mean import NoisyMean
from nomdeplume.mechanism.ranked import Ranked
from nomdeplume.mechanism.santext import SanText
from nomdeplume.mechanism.scores import Truncated
from nomdeplume.mechanism.syntf import SynTf
from nomdeplume.noise import Mahalanobis, Planar, PolarLaplace, VonMisesFisher
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary
from tests.cli.starter import Starter

for variable in (  # what a caller may have set, and the program or its libraries would obey
    *("NOMDEPLUME_STUDIO_PASSWORD", "NOMDEPLUME_TABLES", "RAY_ADDRESS", "PYTHONWARNINGS"),
    *("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),
):
    os.environ.pop(variable, None)
signal.signal(signal.SIGINT, signal.default_int_handler)  # scripts ignore it in the background
os.umask(0o022)  # released files can be read by others, unless a test says otherwise

# How long a case takes is no property: cores are shared. The cases are the same in every run;
# `make stress` looks for new ones.
ANY_TIME = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "database": None}
settings.register_profile("same cases", **ANY_TIME, derandomize=True)
settings.register_profile("new cases", **ANY_TIME, derandomize=False, print_blob=True)
settings.load_profile("same cases")

ALPHA = 1e-6  # chance that a right sampler fails one of the statistical tests

TINY = Table(
    ("apple", "pear", "river", "lake"),
    np.array([[0, 0], [0, 1], [5, 5], [5, 6]], dtype=np.float32),
    name="tiny",
)
MECHANISMS = {
    "laplace, ε=0.5": NoisyNearest(TINY, Laplace(0.5)),
    "laplace, ε=3": NoisyNearest(TINY, Laplace(3.0)),
    "laplace, ε=0.5, two outputs": NoisyNearest(TINY, Laplace(0.5), np.array([1, 3])),
}
NOISES = {  # one of each that exists in the plane, and what it needs
    "laplace": (Laplace(0.7), None),
    "planar": (Planar(0.7), None),
    "mahalanobis": (Mahalanobis.of(TINY, 0.7), None),
    "vmf": (VonMisesFisher(2.0), Unit()),
    "polar": (PolarLaplace.of(TINY, 0.7), None),
    "laplace, projected": (Laplace(0.7), Projection([[0.6, 0.8]])),
}
DECODINGS = {"nearest": Nearest(), "vickrey": Vickrey(), "rank": Rank(0.5), "bayes": Bayes()}
MECHANISMS |= {
    f"{noise}, {decoding}": NoisyNearest(TINY, added, image=image, decoder=decoder)
    for noise, (added, image) in NOISES.items()
    for decoding, decoder in DECODINGS.items()
}
MECHANISMS |= {
    "custext, one group": CusText(TINY, 1.0),
    "custext, two groups": CusText(TINY, 1.0, group=2),
    "diffractor": Diffractor(TINY, 0.5),
    "diffractor, one list": Diffractor(TINY, 0.5, lists=1),
}
CHOSEN = {
    "exponential": Exponential.of(TINY, 0.7),
    "exponential, weighted, two outputs": Exponential.of(
        TINY, 0.7, outputs=np.array([1, 3]), weights=np.array([4.0, 3.0, 2.0, 1.0])
    ),
    "tem": Exponential.of(TINY, 0.7, score=Truncated()),
    "syntf": SynTf(TINY, 2.0),
    "santext+": SanText(TINY, 0.7, share=0.25),
}
MECHANISMS |= CHOSEN | {f"{name}, ranked": Ranked(each, Rank()) for name, each in CHOSEN.items()}

MAPPED = {  # every kind of map in the plane: one that shrinks, one that bends, one that stretches
    "vectors": None,
    "projection": Projection([[0.6, 0.8]]),
    "anchors": Anchors(([[0.0, 0.5]], [[5.0, 5.0], [6.0, 6.0]]), 9.0),
    "network": Network(np.eye(2), [[3.0, 1.0], [0.5, -2.0]], [-1.0, 0.5], [[1.0, 0], [2.0, -1.0]]),
}
MEANS = {
    f"mean, {name}": NoisyMean(TINY, Laplace(0.7), image=image) for name, image in MAPPED.items()
} | {
    "mean, projection, maxent": NoisyMean(
        TINY, Laplace(0.7), image=MAPPED["projection"], composer=MaxEnt()
    ),
    "mean, two outputs, weighted": NoisyMean(
        TINY,
        Laplace(0.7),
        outputs=np.array([1, 3]),
        weights=np.array([4.0, 3.0, 2.0, 1.0]),
    ),
    "mean, public belief": NoisyMean(TINY, Laplace(0.7), belief=Belief(np.ones(2))),
}
MECHANISMS |= MEANS


@pytest.fixture(autouse=True, scope="session")
def _folders(tmp_path_factory):
    """Calibrations and tables that are kept between runs are in folders of these tests alone."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("NOMDEPLUME_CACHE", str(tmp_path_factory.mktemp("cache")))
        patched.setenv("NOMDEPLUME_TABLES", str(tmp_path_factory.mktemp("tables")))
        yield


@pytest.fixture
def table():
    """Four words in the plane: two fruits side by side, two waters far from them."""
    return TINY


@pytest.fixture
def vocabulary(table):
    return Vocabulary(table, StopWords("none", frozenset()))


@pytest.fixture(params=MECHANISMS.values(), ids=MECHANISMS.keys())
def mechanism(request):
    """Every mechanism: a new one joins MECHANISMS and is held to the same contract."""
    return request.param


@pytest.fixture(scope="session")
def bundled():
    return Table.bundled()


@pytest.fixture(scope="session")
def starter():
    """A process that starts others, which spares each of them its imports."""
    made = Starter()
    yield made
    made.close()


@pytest.fixture
def rng():
    return seeded(20_261_115)


def pytest_collection_modifyitems(items):
    """Tests on Ray and Spark come first, in one process: who is idle takes tests from the end of
    what another has, and would else start a Ray of its own."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/engine/"))


def pytest_collection_finish():
    """What is there now stays: nobody need look whether it has become garbage."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """End with what was skipped; -rs above says why."""
    skipped = terminalreporter.stats.get("skipped", [])
    terminalreporter.write_line(f"skipped: {len(skipped) or 'nothing'}")


def pytest_sessionfinish(session):
    """A skipped test fails a run that asks for it, unless the test needs a GPU."""
    if not os.environ.get("NOMDEPLUME_NO_SKIPS") or hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if any("gpu" not in report.keywords for report in reporter.stats.get("skipped", [])):
        reporter.write_line("a test was skipped that needs no GPU: that is a failure here")
        session.exitstatus = 1
