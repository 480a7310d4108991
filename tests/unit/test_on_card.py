"""What a card computes is what is computed here. Torch on this machine stands in for a card."""

import pickle
import subprocess
import sys
from math import inf

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.on_card import (
    CHOICES,
    TABLES,
    WORLDS,
    composed,
    corpus_of,
    draws,
    relaxed,
    released,
    steepest,
    totals,
    values_of,
)
from torch.overrides import TorchFunctionMode

from nomdeplume import InputError, Table, devices, seeded
from nomdeplume.compose import herding
from nomdeplume.distance import arrays, query
from nomdeplume.distance.corpus import Corpus
from nomdeplume.mechanism import pairs, sums, weights
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.pairs import Steepest, Words
from nomdeplume.mechanism.scores import Plain, Truncated

CARD = devices.Card(torch, torch.device("cpu"))
worlds = pytest.mark.parametrize("world", WORLDS)
choices = pytest.mark.parametrize("kind", CHOICES)
composers = pytest.mark.parametrize("composer", ["herding", "maxent"])


class Largest(TorchFunctionMode):
    """How many numbers the largest tensor has that a function of torch gives."""

    def __init__(self):
        super().__init__()
        self.numbers, self.calls = 0, 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        self.calls += 1
        for each in found if isinstance(found, tuple) else (found,):
            if isinstance(each, torch.Tensor):
                self.numbers = max(self.numbers, each.numel())
        return found


def rounding():
    """How torch says that products of float32 are rounded."""
    products = torch.backends.cuda.matmul
    return getattr(products, "fp32_precision", None) or products.allow_tf32


@pytest.fixture
def small(monkeypatch):
    """Blocks so small that every world needs several, the last of them cut short."""
    monkeypatch.setattr(weights, "LARGE", 70)
    monkeypatch.setattr(weights, "BLOCK", 32)
    monkeypatch.setattr(weights, "MANY", 2100)
    monkeypatch.setattr(sums, "GATHERED", 7 * 64 * 6)
    monkeypatch.setattr(pairs, "TILE", 16)
    monkeypatch.setattr(pairs, "WIDE", 100)
    monkeypatch.setattr(herding, "SCORES", 2100)
    monkeypatch.setattr(query, "HELD", 1)
    monkeypatch.setattr(query, "MORE", 500)


@pytest.fixture
def tf32():
    """A process that lets products of float32 lose bits."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    yield
    torch.set_float32_matmul_precision(before)


# Words chosen by weights


@worlds
@choices
def test_totals_are_the_same(kind, world, small):
    choice = CHOICES[kind](TABLES[world])
    for found, due in zip(totals(choice, CARD), totals(choice, "cpu"), strict=True):
        assert found.dtype == np.float64
        assert found == pytest.approx(due, rel=1e-12, abs=1e-12)


@worlds
@choices
def test_the_same_words_are_drawn(kind, world, small):
    assert draws(CHOICES[kind](TABLES[world]), CARD) == draws(CHOICES[kind](TABLES[world]), "cpu")


@choices
def test_without_small_blocks_too(kind):
    table = TABLES["duplicates"]

    assert draws(CHOICES[kind](table), CARD) == draws(CHOICES[kind](table), "cpu")
    for found, due in zip(*(totals(CHOICES[kind](table), on) for on in (CARD, "cpu")), strict=True):
        assert found == pytest.approx(due, rel=1e-12, abs=1e-12)


def test_rows_that_a_card_forgets_change_nothing(monkeypatch):
    due = draws(CHOICES["plain"](TABLES["scattered"]), "cpu")
    monkeypatch.setattr(sums, "ROWS", 1)
    choice = CHOICES["plain"](TABLES["scattered"])

    assert draws(choice, CARD) == due
    assert choice._drawing[CARD].most == 16


@worlds
@pytest.mark.parametrize("device", [CARD, "cpu"], ids=["card", "cpu"])
@pytest.mark.parametrize("most", [np.nextafter(1.0, 0.0), 1.0])  # rounding may make it 1
def test_the_least_and_the_largest_chance_find_answers(world, device, most, small):
    """The last tile is narrower than others, and what is not there is never drawn."""
    choice, ids = CHOICES["plain"](TABLES[world]), np.arange(len(TABLES[world]))
    with devices.on(device):
        made = choice._sums_for(ids)
        high, low = (made.draw(ids, np.full((2, len(ids)), chance)) for chance in (most, 0.0))

    assert ((high < len(ids)) & (high >= (len(ids) - 1) // weights.TILE * weights.TILE)).all()
    assert (low == (choice.channel(ids) > 0).argmax(axis=1)).all()


@worlds
def test_distances_are_the_same_and_exactly_zero_at_one_place(world):
    choice = CHOICES["plain"](TABLES[world])
    rows = choice._tall(choice.answers)
    here, there = choice._weights, choice._on(CARD)
    due, found = here.apart(here.wide(rows)), there.apart(there.wide(rows)).numpy()
    vectors = TABLES[world].vectors[:].astype(np.float64)
    same = (vectors[:, None] == vectors[None]).all(axis=2)

    assert found == pytest.approx(due, rel=1e-9, abs=1e-12)
    assert (found[same] == 0).all()
    assert (found[~same] > 0).all()


def test_draws_stay_on_the_card_that_has_their_rows_while_it_is_chosen(monkeypatch):
    choice = CHOICES["plain"](TABLES["scattered"])
    asked = []
    monkeypatch.setattr(
        "nomdeplume.mechanism.choice.card",
        lambda work: asked.append(work) or (CARD if work >= 300 * 300 * 6 else None),
    )
    choice.draw(np.arange(4), seeded(1))
    assert not choice._drawing  # 4 rows do not pay
    choice.draw(np.arange(300), seeded(1))
    choice.draw(np.arange(4), seeded(1))

    within = 64 * 6
    assert asked == [4 * (300 * 6 + within), 296 * 300 * 6 + 300 * within, inf]
    assert list(choice._drawing) == [CARD]


@pytest.mark.parametrize("score", [Plain(), Truncated()], ids=["plain", "capped"])
@pytest.mark.parametrize("outputs", [None, np.arange(0, 300, 3)], ids=["all", "some"])
@pytest.mark.parametrize("world", ["scattered", "duplicates", "nearly duplicates"])
def test_the_least_epsilon_is_the_same(world, outputs, score):
    made = Exponential(TABLES[world], 1.5, score=score, outputs=outputs)
    due = made.tight
    with devices.on(CARD):
        found = Exponential(TABLES[world], 1.5, score=score, outputs=outputs).tight

    assert found.epsilon == pytest.approx(due.epsilon, rel=1e-11)
    assert found.exact == due.exact
    assert 1.5 <= found.epsilon < 3


def test_a_mechanism_that_was_on_a_card_is_pickled_without_it():
    made = Exponential(TABLES["scattered"], 1.0)
    with devices.on(CARD):
        due = made.release(np.arange(300), seeded(1)).tolist()
    again = pickle.loads(pickle.dumps(made))

    assert made.choice._drawing
    assert not again.choice._drawing
    assert again.release(np.arange(300), seeded(1)).tolist() == due


# The steepest pairs


@worlds
@pytest.mark.parametrize("m", [0, 1, 3], ids=["numbers", "rows of one", "rows of three"])
@pytest.mark.parametrize("count", [1, 20])
def test_the_steepest_pairs_are_the_same(world, m, count, small):
    values = values_of(TABLES[world], m)
    found, due = (steepest(TABLES[world], values, on, count) for on in (CARD, "cpu"))

    assert found.slopes.tolist() == due.slopes.tolist()
    assert found.rest == due.rest
    if len(np.unique(due.slopes)) == len(due.slopes) and due.slopes.all():
        assert found.pairs.tolist() == due.pairs.tolist()


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    words=st.integers(1, 70),
    count=st.sampled_from([1, 2, 7, 10_000]),
    cap=st.sampled_from([inf, 2.0, 0.3, 1e-12]),
    scale=st.sampled_from([1e-9, 1.0, 1e30]),
    tiles=st.sampled_from([(3, 3), (8, 20), (1024, 8192)]),
)
def test_the_steepest_pairs_of_any_table_are_the_same(seed, words, count, *, cap, scale, tiles):
    draw = np.random.default_rng(seed)
    table = Table([f"w{i}" for i in range(words)], draw.integers(-9, 9, (words, 2)) / 4)
    values = scale * draw.standard_normal(words)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pairs, "TILE", tiles[0])
        patched.setattr(pairs, "WIDE", tiles[1])
        found, due = (steepest(table, values, on, count, cap) for on in (CARD, "cpu"))

    assert found.slopes.tolist() == due.slopes.tolist()
    assert found.rest == due.rest
    assert len({tuple(pair) for pair in found.pairs.tolist()}) == len(found.pairs)


@pytest.mark.parametrize("near", [1e-4, 1e-2])
def test_pairs_nearer_than_float32_can_tell_are_not_missed_there(near, small):
    """Each later pair is a little steeper, and seen in another tile than the ones before."""
    draw = np.random.default_rng(1)
    vectors = draw.standard_normal((128, 30)).astype(np.float32)
    vectors[64:] = vectors[:64] + near * draw.standard_normal((64, 30))
    table = Table([f"w{i}" for i in range(128)], vectors + 1e2)
    values = np.zeros(128)
    values[64:] = np.linalg.norm(table.vectors[64:] - table.vectors[:64], axis=1)
    values[64:] *= 1 + np.arange(64) / 1e4
    found, due = (steepest(table, values, on, 1) for on in (CARD, "cpu"))

    assert found.slopes.tolist() == due.slopes.tolist()
    assert found.slopes[0] > 1


def test_bits_are_lost_neither_in_the_search_nor_after_it(tf32):
    before, during = rounding(), []
    words = Words(TABLES["scattered"], np.arange(300), values_of(TABLES["scattered"], 0))
    with devices.on(CARD):
        Steepest(words, tell=lambda _: during.append(rounding()))

    assert during == ["ieee" if isinstance(before, str) else False]
    assert rounding() == before != during[0]


def test_whoever_leaves_last_restores_what_was_allowed(tf32):
    before = rounding()
    with arrays.all_bits(CARD):
        with arrays.all_bits(CARD):
            inner = rounding()
        outer = rounding()
    with pytest.raises(InputError), arrays.all_bits(CARD):
        raise InputError("inside")
    after = rounding()
    with arrays.all_bits(None):
        untouched = rounding()

    assert inner == outer != before
    assert after == untouched == before


# Words composed


@composers
@pytest.mark.parametrize("world", [name for name in WORLDS if name != "one far away"])
@pytest.mark.parametrize("size", [1, 40])
def test_the_same_words_are_composed(composer, world, size, small):
    found, due = (composed(composer, TABLES[world], on, size=size) for on in (CARD, "cpu"))

    assert found.shape[:2] == (30, size)
    assert (found == due).all()


@composers
def test_weights_count_there(composer, small):
    table = TABLES["scattered"]
    heavy = np.where(np.arange(300) < 30, 1e4, 1.0)
    found, due = (composed(composer, table, on, weights=heavy) for on in (CARD, "cpu"))

    assert (found == due).all()
    assert (found != composed(composer, table, CARD)).any()


@composers
def test_no_documents_are_no_words(composer):
    table = TABLES["scattered"]
    for device in (CARD, "cpu"):
        assert composed(composer, table, device, size=7, documents=0).shape == (0, 7, 4)


@composers
def test_the_same_documents_are_released(composer):
    assert released(composer, CARD) == released(composer, "cpu")


# Documents compared


@worlds
@pytest.mark.parametrize("metric", ["w1", "winf"])
def test_bounds_of_distances_are_the_same(world, metric, small):
    corpus = corpus_of(world, metric)
    found, due = (np.array(relaxed(corpus, on)) for on in (CARD, "cpu"))

    assert found == pytest.approx(due, rel=1e-12, abs=1e-12 * corpus.radius)
    assert (np.diag(found) == 0).all()
    assert CARD in corpus._placed


def test_an_outlier_does_not_blur_what_is_near(small):
    """Around the centre of these, the first two are one."""
    corpus = Corpus.of([[1e-9], [3e-9], [1e8]], [0, 1], [1, 1], [1, 1])
    for device in (CARD, "cpu"):
        assert relaxed(corpus, device)[0][1] == pytest.approx(2e-9, rel=1e-12)


@pytest.mark.parametrize("world", ["scattered", "duplicates", "one word"])
def test_the_nearest_documents_are_the_same(world, small):
    corpus = corpus_of(world)
    due = [found.documents.tolist() for found in corpus.nearest_each(3)]
    with devices.on(CARD):
        assert [found.documents.tolist() for found in corpus.nearest_each(3)] == due


def test_a_corpus_that_was_on_a_card_is_pickled_without_it(small):
    corpus = corpus_of("scattered")
    due = relaxed(corpus, CARD)
    plain = pickle.loads(pickle.dumps(corpus))

    assert CARD in corpus._placed
    assert CARD not in plain._placed
    assert np.array(relaxed(plain, "cpu")) == pytest.approx(np.array(due), rel=1e-12, abs=1e-15)


# Memory, and what is never loaded


def test_blocks_bound_the_memory_of_a_card(small):
    """Of 300 words there are 90,000 pairs; no tensor has nearly as many numbers."""
    table = TABLES["scattered"]
    sizes = {}
    for name, use in {
        "totals": lambda: totals(CHOICES["weighted"](table), CARD),
        "draws": lambda: draws(CHOICES["plain"](table), CARD),
        "pairs": lambda: steepest(table, values_of(table, 0), CARD),
        "words": lambda: composed("herding", table, CARD),
        "bounds": lambda: relaxed(corpus_of("scattered"), CARD),
    }.items():
        with Largest() as largest:
            use()
        assert largest.calls > 20
        sizes[name] = largest.numbers

    assert sizes["totals"] <= 70 * 70
    assert sizes["draws"] <= 3000  # as many as are drawn: their tiles, and rows of 7 x 64 x 6
    assert 16 * 100 <= sizes["pairs"] <= 16 * 100 + 300 * 6
    assert sizes["words"] <= 7 * 300
    assert sizes["bounds"] <= 300 * 4  # the vectors themselves


def test_larger_blocks_are_larger():
    with Largest() as largest:
        totals(CHOICES["plain"](TABLES["scattered"]), CARD)

    assert largest.numbers == 300 * 300


def test_without_a_card_torch_is_not_loaded():
    lines = """
        import sys, numpy as np
        from nomdeplume import Laplace, Table, seeded
        from nomdeplume.bag import Bag
        from nomdeplume.mechanism.exponential import Exponential
        from nomdeplume.mechanism.noisy_mean import NoisyMean
        table = Table([str(i) for i in range(90)], np.random.default_rng(1).normal(size=(90, 3)))
        Exponential.of(table, 1.0).release(np.arange(90), seeded(1))
        NoisyMean(table, Laplace(1.0)).release(np.arange(9), seeded(1))
        print("torch" in sys.modules)
    """
    code = "\n".join(map(str.strip, lines.splitlines()))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
