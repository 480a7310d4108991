"""Small worlds, and what comes out of them on a device: it must be the same on all of them."""

from math import inf

import numpy as np

from nomdeplume import Laplace, Table, devices, seeded
from nomdeplume.bag import Bag
from nomdeplume.compose import COMPOSERS
from nomdeplume.decode import zipf
from nomdeplume.distance.corpus import Corpus
from nomdeplume.distance.ground import directions
from nomdeplume.mechanism.choice import Choice
from nomdeplume.mechanism.image import Projection
from nomdeplume.mechanism.noisy_mean import NoisyMean
from nomdeplume.mechanism.pairs import Steepest, Words
from nomdeplume.mechanism.scores import Plain, Truncated
from nomdeplume.mechanism.syntf import Dissimilar

CLOUD = np.random.default_rng(8).standard_normal((300, 4)).astype(np.float32)


def _with(rows, values):
    found = CLOUD.copy()
    found[rows] = values
    return found


WORLDS = {
    "scattered": CLOUD,
    "duplicates": np.repeat(CLOUD[:100], 3, axis=0),
    "nearly duplicates": np.vstack((CLOUD[:150], CLOUD[:150] + np.float32(1e-3))),
    "off centre": CLOUD + np.float32(1e3),
    "one far away": _with([299], 1e4),
    "all at one place": np.ones((300, 4), dtype=np.float32),
    "two words": CLOUD[:2],
    "one word": CLOUD[:1],
    "one dimension": CLOUD[:, :1],
}
TABLES = {
    name: Table([f"w{i}" for i in range(len(vectors))], vectors, name=name)
    for name, vectors in WORLDS.items()
}


def _some(table):
    return np.arange(0, len(table), 3)


CHOICES = {
    "plain": lambda table: Choice(table, np.arange(len(table)), Plain(), 2.0),
    "capped": lambda table: Choice(table, np.arange(len(table)), Truncated(gamma=1.5), 2.0),
    "weighted": lambda table: Choice(
        table, np.arange(len(table)), Plain(), 1.0, np.log(zipf(table))
    ),
    "narrowed, capped, weighted": lambda table: Choice(
        table, _some(table), Truncated(gamma=2.0), 0.5, np.log(zipf(table)[_some(table)])
    ),
    "directions": lambda table: Choice(
        table, np.arange(len(table)), Dissimilar(), 3.0, image=directions
    ),
}


def totals(choice, device):
    """ln Z of the answers, of all words, and of none."""
    with devices.on(device):
        every = np.arange(len(choice.table))
        return [choice.log_totals(ids) for ids in (choice.answers, every, every[:0])]


def draws(choice, device, count=3000):
    """Words drawn for all words: by rows that are new, and by rows that are known."""
    ids = np.random.default_rng(3).integers(len(choice.table), size=count)
    with devices.on(device):
        return [choice.draw(some, seeded(5)).tolist() for some in (ids, ids[:9], ids[:0], ids)]


def values_of(table, m, seed=2):
    """A number for each word, or a row of m."""
    shape = (len(table), m) if m else len(table)
    return np.random.default_rng(seed).standard_normal(shape)


def steepest(table, values, device, count=1, cap=inf):
    with devices.on(device):
        return Steepest(Words(table, np.arange(len(table)), values, cap), count)


def composed(name, table, device, *, size=40, documents=30, weights=None):
    """Where the words lie that are composed for some targets: those at one place are one."""
    places = table.vectors[:].astype(np.float64)
    targets = np.random.default_rng(6).standard_normal((documents, places.shape[1]))
    targets += places.mean(axis=0)
    with devices.on(device):
        compose = COMPOSERS[name]().over(places, np.arange(len(places)), weights)
        return places[compose(targets, size, seeded(1))]


def released(composer, device):
    """Documents of a mechanism that maps vectors to fewer dimensions."""
    table = TABLES["scattered"]
    bags = [Bag(np.arange(i, i + 5), np.arange(1, 6)) for i in range(20)]
    with devices.on(device):
        mechanism = NoisyMean(
            table,
            Laplace(3.0),
            image=Projection([[0.6, 0.8, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
            composer=COMPOSERS[composer](),
        )
        rng = seeded(4)
        return mechanism.stretch, mechanism.compose(mechanism.noisy(bags, rng), 25, rng).tolist()


def corpus_of(name, metric="w1"):
    """Documents of one to eleven words of a world, the last of them the first again."""
    vectors, rng = WORLDS[name].astype(np.float64), np.random.default_rng(1)
    bags = [
        np.unique(rng.integers(0, len(vectors), rng.integers(1, 12)), return_counts=True)
        for _ in range(14)
    ]
    bags[-1] = bags[0]
    rows, counts = (np.concatenate(each) for each in zip(*bags, strict=True))
    return Corpus.of(vectors, rows, counts, [len(rows) for rows, _ in bags], metric=metric)


def relaxed(corpus, device):
    """The lower bounds of all documents to each."""
    gather = np.add if corpus.metric == "w1" else np.maximum
    with devices.on(device):
        return [corpus._own(i).relaxed(gather) for i in range(len(corpus))]
