"""A small world to evaluate in: six authors, three topics, ninety words in eight dimensions."""

import numpy as np

from nomdeplume import Table
from nomdeplume.evaluate.labelled import Labelled
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

AUTHORS, TOPICS = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fay"), ("sea", "sky", "bread")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def words(topic):
    """Thirty made-up words of a topic."""
    return [f"{LETTERS[topic]}{LETTERS[i % 26]}{LETTERS[i // 26]}lo" for i in range(30)]


def table(dimensions=8):
    """Words of one topic lie around one place."""
    rng = np.random.default_rng(5)
    centres = 6 * rng.standard_normal((len(TOPICS), dimensions))
    vectors = np.repeat(centres, 30, axis=0) + rng.standard_normal((90, dimensions))
    names = [word for topic in range(len(TOPICS)) for word in words(topic)]
    return Table(tuple(names), vectors.astype(np.float32), name="world")


def vocabulary():
    return Vocabulary(table(), StopWords("none", frozenset()))


def written(author, topic, rng, size=40):
    """A text on a topic, with the words that an author likes; his own signs between them."""
    liked = np.roll(np.linspace(0.05, 3, 30) ** 2, 5 * author)
    chosen = rng.choice(words(topic), size, p=liked / liked.sum())
    return (", ", "; ", " - ", ". ", "! ", " ")[author].join(chosen)


def corpus(each=12, seed=0):
    """Texts of all authors on all topics, dealt out evenly."""
    rng = np.random.default_rng(seed)
    made = [(a, (a + i) % 3) for a in range(len(AUTHORS)) for i in range(each)]
    texts = [written(author, topic, rng) for author, topic in made]
    return Labelled.of(texts, [AUTHORS[a] for a, _ in made], [TOPICS[t] for _, t in made])
