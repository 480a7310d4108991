"""Eight defects of packages nearby, none of which can happen here."""

import inspect
import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from nomdeplume import Laplace, NoisyNearest, Obfuscator, PrivacyError, Table, secure
from nomdeplume.nearest import Exact
from nomdeplume.privacy.random import is_private
from nomdeplume.vocabulary import Vocabulary

TEXT = "The harbour was closed in winter; 12 boats waited. Zyxoquant!"


def test_1_noise_is_never_seeded_by_default_nor_used_twice(bundled):
    obfuscator = Obfuscator.laplace(bundled, size=50)
    released = [document.text for document in obfuscator([TEXT] * 20)] + [
        obfuscator([TEXT])[0].text for _ in range(20)
    ]

    assert len(set(released)) == 40
    assert obfuscator([TEXT])[0].certificate.private
    assert not obfuscator([TEXT], np.random.default_rng(42))[0].certificate.private
    with pytest.raises(PrivacyError):  # a stream cannot be sent to two workers
        pickle.dumps(secure())


def test_2_nothing_passes_through(bundled):
    """Unknown words, stop words, case, numbers, punctuation: with almost no noise none is left."""
    obfuscator = Obfuscator.laplace(bundled, epsilon=1e6)
    [document] = obfuscator([TEXT])

    assert set(document.words) == {"harbour", "closed", "winter", "boats", "waited"}
    [nothing] = obfuscator(["Zyxoquant THE 12 !!"])
    assert set(nothing.words) == {obfuscator.vocabulary.table.words[obfuscator.vocabulary.ids[0]]}


def test_3_the_vocabulary_does_not_depend_on_the_texts(bundled):
    obfuscator = Obfuscator.laplace(bundled)
    before = obfuscator.vocabulary.fingerprint
    released = {word for document in obfuscator([TEXT] * 50) for word in document.words}

    assert Vocabulary.of(bundled).fingerprint == before
    assert released <= set(bundled.words)


def test_4_post_processing_sees_the_noisy_vector_only(table, rng):
    """The search is handed vectors alone: words with one noisy vector fare alike."""
    assert list(inspect.signature(Exact.nearest).parameters) == ["self", "queries"]
    handed = []

    class Watched(Laplace):
        def add(self, vectors, rng):
            handed.append(np.full_like(vectors, 2.0))
            return handed[-1]

    released = NoisyNearest(table, Watched(1.0)).release(np.array([0, 1, 2, 3]), rng)
    assert len(handed) == 1
    assert len(set(released)) == 1


def test_5_noise_is_not_renormalised_nor_cut_off(rng):
    """Lengths vary as Gamma does, and every word stays possible."""
    lengths = np.linalg.norm(Laplace(2.0).add(np.zeros((5000, 9)), rng), axis=1)
    world = Table([f"w{i}" for i in range(5)], np.arange(5.0)[:, None])
    released = NoisyNearest(world, Laplace(1.0)).release(np.zeros(20_000, dtype=int), rng)

    assert lengths.std() == pytest.approx(1.5, rel=0.06)
    assert set(released) == {0, 1, 2, 3, 4}


def test_6_neither_epsilon_nor_the_vectors_are_rescaled(rng):
    """Mean length k/ε, not √k·k/ε; and a table twice as wide is released twice as faithfully."""
    k, epsilon = 64, 4.0
    lengths = np.linalg.norm(Laplace(epsilon).add(np.zeros((5000, k)), rng), axis=1)
    vectors = rng.standard_normal((300, 8))
    words = [f"w{i}" for i in range(300)]
    ids = rng.integers(0, 300, 20_000)
    narrow, wide = (
        (NoisyNearest(Table(words, scale * vectors), Laplace(3.0)).release(ids, rng) == ids).mean()
        for scale in (1.0, 2.0)
    )

    assert lengths.mean() == pytest.approx(k / epsilon, rel=0.01)
    assert wide > narrow + 0.1
    assert Table(words, vectors).vectors[:] == pytest.approx(vectors, rel=1e-6)


def test_7_memory_is_bounded_by_a_block_and_work_is_in_batches(bundled, rng):
    """No words × V array, let alone words × V × k; and no call per word."""
    calls = 0

    class Counted(Laplace):
        def add(self, vectors, rng):
            nonlocal calls
            calls += 1
            return super().add(vectors, rng)

    mechanism = NoisyNearest(bundled, Counted(6.0))
    mechanism.release(np.arange(10), rng)
    tracemalloc.start()
    mechanism.release(rng.integers(0, 50_000, 10_000), rng)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert calls <= 3
    assert peak < 100e6  # words × V in float32 would be 2,000 MB


def test_8_it_imports_and_starts_twice(tmp_path):
    """In a fresh interpreter, from another folder, again and again, without the network."""
    code = "import nomdeplume; print(len(nomdeplume.Obfuscator.laplace(size=5)(['rain'])[0].words))"
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stdout == "5\n"
        assert done.stderr == ""


def test_only_the_secure_generator_counts_as_private():
    assert is_private(secure())
    assert not is_private(np.random.default_rng())
