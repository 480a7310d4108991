"""Results of evaluations that were never run: as the lab makes them, of any size."""

import random
from dataclasses import replace

from nomdeplume.evaluate.conclusion import summary
from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.results import (
    Accuracy,
    Attack,
    Cell,
    Clean,
    Corpus,
    Directions,
    Distances,
    Example,
    Floors,
    Label,
    Odds,
    Protocol,
    Reconstruction,
    Results,
    Summary,
    Topic,
    TopicModel,
    Verification,
)

ATTACKERS = ("word-svm", "mean-lda", "char-svm", "style", "delta", "imposters", "informed")
MECHANISMS = (
    ("laplace", "laplace, decoded by rank"),
    ("exponential", "exponential"),
    ("tem", "tem"),
)
TOPICS = ("sci.space", "rec.autos", "comp.graphics", "talk.politics", "sci.med", "misc.forsale")
WORDS = ("harbour", "rain", "ferry", "winter", "pier", "telescope", "dome", "night", "orbit")
SURNAMES = ("Adams", "Arthur", "Carter", "Bush", "Coolidge", "Eisenhower", "Fillmore", "Grant")


def figure(value, rng=None, width=0.03):
    """A share with an interval around it, within 0 and 1."""
    value = min(1.0, max(0.0, value))
    near = rng.uniform(0.6, 1.4) * width if rng else 0.0
    return Figure(value, max(0.0, value - near), min(1.0, value + near))


def results(authors=34, topics=6, settings=((6, 50), (9, 50), (12, 50), (9, 100), (12, 100)), *,
            mechanisms=3, seed=1, most=20):  # fmt: skip
    """Results of any size; 0 authors or 0 topics leave out what needs them.

    `most` is the largest number of documents that attackers get of one author.
    """
    rng = random.Random(seed)
    counts, numbers = [count for count in (1, 5, 20) if count <= most], (authors, topics)
    cells = [
        _cell(kind, setting, numbers, counts, rng)
        for kind in MECHANISMS[:mechanisms]
        for setting in settings
    ]
    made = Results(
        nomdeplume="0.5.0",
        corpus=Corpus("reviews.jsonl", 2525, authors, topics, 143.2, 12),
        protocol=_protocol(authors),
        authors=tuple(Label(_name(i), rng.randint(5, 60)) for i in range(authors)),
        topics=tuple(Label(TOPICS[i % 6], 100 + 9 * i) for i in range(topics)),
        floors=_floors(authors, topics) if authors else None,
        clean=_clean(authors, topics, counts, rng),
        cells=tuple(cells),
    )
    return replace(made, summary=summary(made))


def with_cells(whole, cells):
    """Results with other cells, and the summary of these."""
    made = replace(whole, cells=tuple(cells), summary=Summary())
    return replace(made, summary=summary(made))


def changed(whole, **parts):
    """Results with other parts of the first cell."""
    first, *others = whole.cells
    return with_cells(whole, [replace(first, **parts), *others])


def told(cell, author=None, topic=None):
    """A cell in which the first attacker and the topic models have other figures."""
    if author is not None:
        name = next(iter(cell.attackers))
        attack = Attack(Accuracy({1: figure(author)}, figure(author)), None)
        cell = replace(cell, attackers={name: attack})
    if topic is not None:
        model = TopicModel(figure(topic), figure(topic))
        topic = replace(cell.topic, release_to_release=Topic(model, model))
        cell = replace(cell, topic=topic)
    return cell


def _name(i):
    return f"{chr(65 + i * 7 % 26)}. {SURNAMES[i % 8]}" + (f" {i // 8 + 1}" if i >= 8 else "")


def _protocol(authors):
    return Protocol(
        folds=5, split="stratified by author", draws=5, training_draws=3, seed=None,
        documents=(1, 5, 20), attackers=ATTACKERS if authors else (),
        prior="by place in the table", table="glove-6b-100d-50k", table_words=50000,
        dimensions=100, kept=49769, fingerprint="8c4f" * 16, features=None,
    )  # fmt: skip


def _floors(authors, topics):
    chance = 1 / authors
    oracle = figure(min(chance + 0.1, 2.4 * chance), random.Random(2), 0.004) if topics else None
    return Floors(chance, figure(1.2 * chance), oracle)


def _measured(value, counts, rng):
    more = {1: 0.0, 5: 0.25, 20: 0.45}
    known = {count: figure(value + more[count] * (1 - value), rng) for count in counts}
    return Accuracy(known, figure(0.9 * value, rng))


def _clean(authors, topics, counts, rng):
    topic = _topic(0.88, rng) if topics else None
    if not authors:
        return Clean(topic=topic)
    best = 0.5 + 0.5 / authors
    return Clean(
        attackers={
            name: _measured(0.87 * best + 0.3 - 0.04 * i, counts, rng)
            for i, name in enumerate(ATTACKERS)
        },
        confusion=_confusion(authors, 0.75, rng),
        verification=Verification(figure(0.93, rng), figure(0.86)),
        topic=topic,
    )


def _topic(value, rng):
    return Topic(
        *(
            TopicModel(figure(value - less, rng, 0.015), figure(value - less - 0.02, rng))
            for less in (0.0, 0.05)
        )
    )


def _confusion(authors, hit, rng):
    rows = []
    for i in range(authors):
        told = [0.0] * authors
        own = min(1.0, hit * rng.uniform(0.4, 1.6))
        for _ in range(25):
            told[i if rng.random() < own else rng.randrange(authors)] += 1
        rows.append(tuple(each / 25 for each in told))
    return tuple(rows)


def _cell(kind, setting, numbers, counts, rng):
    (name, title), (epsilon, size), (authors, topics) = kind, setting, numbers
    better = {"laplace": 0.05, "exponential": 0.0, "tem": -0.06}[name]
    strength = (epsilon - 3) / 10 * (0.85 + 0.15 * size / 100) + better
    budget = float(epsilon * size)
    far = (("near", 3.1), ("typical", 5.2), ("far", 6.6))
    return Cell(
        mechanism=name,
        title=title,
        epsilon=float(epsilon),
        size=size,
        budget=budget,
        metric="Word Mover's Distance",
        formula=f"{budget} · W∞",
        covers="Words that are not in the table are left out." if name == "tem" else "",
        odds=tuple(Odds(pair, d, f"e^{budget * d:,.0f}") for pair, d in far),
        promise=(f"No release of {size} words shifts log-odds by more than {budget} × W∞.",),
        unchanged=0.7 * strength**2,
        reconstruction=Reconstruction(figure(0.7 * strength**2, rng), figure(0.75 * strength**2)),
        topic=_directions(0.3 + 0.5 * strength - better, rng) if topics else None,
        distances=Distances(
            Figure(5.123, 5.01, 5.2), Figure(2.345, 2.3, 2.4), figure(0.4 * strength, rng)
        ),
        examples=tuple(
            Example(topic if topics else "", " ".join(sorted(rng.choices(WORDS, k=size))))
            for topic in TOPICS[:2]
        ),
        seconds=12.3,
        **(_attacked(strength, authors, counts, rng) if authors else {}),
    )


def _directions(value, rng):
    return Directions(*(_topic(value + more, rng) for more in (0.0, 0.03, -0.05)))


def _attacked(strength, authors, counts, rng):
    chance = 1 / authors
    author = chance + (0.72 - 0.6 * chance) * strength**2.4
    confusion = _confusion(authors, author, rng)
    own = [confusion[i][i] for i in range(authors)]
    return {
        "attackers": {
            name: _attack(author * (1 - 0.07 * i), chance, counts, rng)
            for i, name in enumerate(ATTACKERS)
        },
        "confusion": confusion,
        "per_author": tuple(
            Figure(each, max(0.0, each - 0.09), min(1.0, each + 0.09)) for each in own
        ),
        "verification": Verification(
            figure(0.5 + 0.4 * strength, rng), figure(0.5 + 0.3 * strength)
        ),
    }


def _attack(value, chance, counts, rng):
    static = _measured(chance + 0.4 * (value - chance), counts, rng)
    return Attack(_measured(max(chance, value), counts, rng), static)


def elsewhere(authors=12, topics=4):
    """One cell that somebody else released: no ε, no size, no promise."""
    made = results(authors, topics, settings=((9, 50),), mechanisms=1)
    unknown = ("mechanism", "title", "epsilon", "size", "budget", "metric", "formula", "covers",
               "odds", "promise", "unchanged", "reconstruction")  # fmt: skip
    return changed(made, **{name: getattr(Cell(), name) for name in unknown})
