"""The law of a released bag: a sum over orders, what the program does, and what Birkhoff says.

The law is computed as a product of polynomials; here it is held against the sum
that the lemma states, and against the releases of the program itself.
"""

from decimal import Decimal, localcontext
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog
from scipy.sparse import block_diag
from scipy.spatial.distance import cdist
from scipy.stats import binom, chisquare, laplace
from tests.conftest import ALPHA

from nomdeplume import InputError, Laplace, NoisyNearest, Table
from nomdeplume.distance import word_mover
from nomdeplume.privacy import exact
from nomdeplume.privacy.exact import bags, laplace_channel, law, loss, probability

PLACES = np.array([0.0, 1.0, 1.5, 4.0])
COIN = np.array([[0.75, 0.25], [0.25, 0.75]])


def any_channel(rng, inputs, words):
    """Chances without a pattern, a tenth of them 0."""
    chances = rng.exponential(size=(inputs, words)) * (rng.random((inputs, words)) > 0.1)
    chances[:, 0] += 0.01
    return chances / chances.sum(axis=1, keepdims=True)


# the lemma


@pytest.mark.parametrize(("words", "size"), [(1, 1), (1, 6), (2, 9), (4, 3), (5, 6), (12, 4)])
def test_the_law_sums_to_one_over_all_bags(words, size, rng):
    channel = any_channel(rng, 6, words)
    chances = law(channel, rng.integers(0, 6, size))

    assert len(chances) == len(list(bags(words, size)))
    assert (chances >= 0).all()
    assert chances.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("words", "size"), [(1, 4), (2, 1), (2, 6), (3, 4), (4, 3), (5, 5), (7, 3)]
)
def test_a_chance_is_the_sum_over_distinct_orders(words, size, rng):
    """With repeats: two equal words of a release are not two ways of releasing it."""
    channel = any_channel(rng, 3, words)
    bag = rng.integers(0, 3, size)
    chances = law(channel, bag)
    for released, chance in zip(bags(words, size), chances, strict=True):
        orders = set(permutations(released))
        due = sum(np.prod(channel[bag, order]) for order in orders)

        assert probability(channel, bag, released) == pytest.approx(due, rel=1e-12, abs=0)
        assert chance == pytest.approx(due, rel=1e-12, abs=0)


def test_a_sum_over_all_orders_would_count_repeats_twice():
    released = [0, 0]
    both = sum(np.prod(COIN[[0, 1], order]) for order in permutations(released))

    assert probability(COIN, [0, 1], released) == 0.75 * 0.25
    assert both == 2 * 0.75 * 0.25


def test_the_order_of_the_input_does_not_matter(rng):
    channel = any_channel(rng, 5, 4)
    bag = [0, 0, 1, 3, 4]
    chances, released = law(channel, bag), [0, 1, 1, 2, 3]
    for order in set(permutations(bag)):
        assert law(channel, order) == pytest.approx(chances, rel=1e-12, abs=0)
        assert probability(channel, order, released[::-1]) == pytest.approx(
            probability(channel, bag, released), rel=1e-12, abs=0
        )


def test_many_words_are_no_matter():
    """A binomial law: of 200 words each changes with chance ¼; the orders are 10⁵⁹."""
    chances = law(COIN, [0] * 200)  # from all first words to all second words

    assert chances == pytest.approx(binom(200, 0.25).pmf(np.arange(201)), rel=1e-9, abs=0)
    assert probability(COIN, [0] * 200, [0] * 150 + [1] * 50) == pytest.approx(chances[50])


# the program


def releases(bag, epsilon, rng, trials=60_000):
    """How often the program releases each bag."""
    mechanism = NoisyNearest(Table(("a", "b", "c", "d"), PLACES[:, None]), Laplace(epsilon))
    released = mechanism.release(np.tile(bag, trials), rng).reshape(trials, len(bag))
    found, counts = np.unique(np.sort(released, axis=1), axis=0, return_counts=True)
    seen = dict(zip(map(tuple, found.tolist()), counts.tolist(), strict=True))
    return np.array([seen.get(each, 0) for each in bags(4, len(bag))])


@pytest.mark.parametrize(
    ("bag", "other"), [([1, 1, 2], [1, 2, 2]), ([0, 1, 3], [0, 2, 3]), ([2, 0, 2], [2, 0, 1])]
)
def test_the_program_releases_bags_by_this_law(bag, other, rng):
    seen = releases(bag, 1.0, rng)

    def fit(bag, epsilon=1.0):
        due = seen.sum() * law(laplace_channel(PLACES, epsilon), bag)
        assert due.min() > 5  # a chi-square test needs no less
        return chisquare(seen, due).pvalue

    assert fit(bag) > ALPHA
    assert fit(other) < ALPHA  # a word half a unit away would be seen
    assert fit(bag, 0.94) < ALPHA  # and 6 % more noise
    assert fit(bag, 1.06) < ALPHA  # and 6 % less


def test_the_program_releases_words_by_this_channel(rng):
    """Out of order, and two at one place, of which the later is never released."""
    places = np.array([1.5, 0.0, 4.0, 1.5, 1.0])
    channel = laplace_channel(places, 1.0)
    mechanism = NoisyNearest(Table(tuple("abcde"), places[:, None]), Laplace(1.0))
    here = [0, 1, 2, 4]
    for word in range(5):
        seen = np.bincount(mechanism.release(np.full(60_000, word), rng), minlength=5)

        assert seen[3] == channel[word, 3] == 0
        assert chisquare(seen[here], 60_000 * channel[word, here]).pvalue > ALPHA
        assert chisquare(seen[here], 60_000 * channel[(word + 1) % 5, here]).pvalue < ALPHA


def test_a_restricted_choice_of_words_is_a_channel_from_all_words(rng):
    outputs = np.array([1, 3])
    channel = laplace_channel(PLACES[outputs], 0.7, inputs=PLACES)
    mechanism = NoisyNearest(Table(tuple("abcd"), PLACES[:, None]), Laplace(0.7), outputs)
    seen = np.bincount(mechanism.release(np.full(60_000, 2), rng), minlength=4)[outputs]

    assert chisquare(seen, 60_000 * channel[2]).pvalue > ALPHA
    assert chisquare(seen, 60_000 * channel[1]).pvalue < ALPHA


# the channel


def test_a_channel_is_the_mass_of_cells():
    edges = np.array([-np.inf, 0.5, 1.25, 2.75, np.inf])
    due = np.diff(laplace.cdf(edges, loc=PLACES[:, None], scale=1 / 0.8), axis=1)

    assert laplace_channel(PLACES, 0.8) == pytest.approx(due, rel=1e-12)
    assert laplace_channel([7.0], 0.8, inputs=[-1.0, 7.0]).tolist() == [[1.0], [1.0]]


def test_words_in_another_order_have_the_same_chances(rng):
    order = rng.permutation(4)

    assert (
        laplace_channel(PLACES[order], 1.0) == laplace_channel(PLACES, 1.0)[np.ix_(order, order)]
    ).all()


def test_tails_keep_their_digits():
    """ε·distance is 50: ½e⁻⁵⁰ ≈ 10⁻²², on both sides, where 1 − F would be 0."""
    right = laplace_channel([0.0, 1.0, 40.0], 2.5)  # the last cell begins at 20.5
    left = laplace_channel([0.0, 39.0, 40.0], 2.5)  # the first one ends at 19.5

    for chance, away in [(right[0, 2], 20.5), (left[2, 0], 20.5), (left[1, 0], 19.5)]:
        assert chance == pytest.approx(np.exp(-2.5 * away) / 2, rel=1e-9, abs=0)
    assert 1 - laplace.cdf(20.5, scale=1 / 2.5) == 0


def due_digits(places, epsilon, point):
    """The masses of cells to fifty digits."""
    with localcontext() as context:
        context.prec = 60
        exact = [Decimal(place) for place in places]
        order = sorted(set(exact))
        edges = [(a + b) / 2 for a, b in pairwise(order)]
        rate, half = Decimal(epsilon), Decimal("0.5")

        def below(edge):
            away = rate * (edge - Decimal(point))
            return half * away.exp() if away < 0 else 1 - half * (-away).exp()

        chances = np.diff([Decimal(0), *map(below, edges), Decimal(1)])
        first = [exact.index(place) for place in order]
        return {i: float(chance) for i, chance in zip(first, chances, strict=True)}


@pytest.mark.parametrize("epsilon", [0.3, 8.0])
def test_all_chances_keep_their_digits(epsilon, rng):
    """Narrow cells far away, far from 0, twice the same place: no digit is lost to subtraction."""
    places = np.concatenate([rng.normal(1000, 2, 12), 1000 + rng.normal(0, 1e-6, 5)])
    places = np.append(places, places[[3, 3, 14]])
    points = np.append(places, rng.normal(1000, 3, 10))
    channel = laplace_channel(places, epsilon, inputs=points)
    for row, point in zip(channel, points, strict=True):
        due = due_digits(places, epsilon, point)

        assert row[list(due)] == pytest.approx(list(due.values()), rel=1e-12, abs=0)
        assert np.count_nonzero(row) == len(due)
    assert channel.sum(axis=1) == pytest.approx(1, abs=1e-12)


# losses


def test_the_loss_is_the_largest_log_ratio():
    assert loss([0.5, 0.5], [0.25, 0.75]) == pytest.approx(np.log(2))
    assert loss([0.25, 0.75], [0.5, 0.5]) == pytest.approx(np.log(1.5))
    assert loss([0.5, 0.5], [0.5, 0.5]) == 0


def test_an_outcome_that_never_happens_is_no_loss_and_one_that_only_p_has_tells_all():
    assert loss([1.0, 0.0], [1.0, 0.0]) == 0
    assert loss([1.0, 0.0], [0.5, 0.5]) == pytest.approx(np.log(2))
    assert loss([0.5, 0.5], [1.0, 0.0]) == np.inf


def test_tiny_chances_have_their_loss():
    assert loss([1.0, 1e-300], [1.0, 1e-310]) == pytest.approx(10 * np.log(10), rel=1e-9)


def test_noise_on_a_mean_keeps_its_promise_between_bags_of_all_sizes():
    """E·W₁ without a factor for size, since means are no farther apart than bags; and reached."""
    budget = 2.0
    all_bags = [PLACES[list(bag), None] for size in (1, 2, 3) for bag in bags(4, size)]
    channel = laplace_channel(PLACES, budget, inputs=[bag.mean() for bag in all_bags])
    spent = [
        loss(channel[i], channel[j]) / (budget * word_mover(all_bags[i], all_bags[j]))
        for i, j in permutations(range(len(all_bags)), 2)
        if word_mover(all_bags[i], all_bags[j]) > 0
    ]

    assert max(spent) <= 1 + 1e-9
    assert max(spent) > 0.99


# Birkhoff: between bags of one size some cheapest plan moves words whole


def margins(n, m):
    """Sums of a plan's rows, then of its columns."""
    return np.vstack([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])


def plans(costs):
    """A cheapest plan for each table of costs: one linear program for them all."""
    shapes = [each.shape for each in costs]
    solution = linprog(
        np.concatenate([each.ravel() for each in costs]),
        A_eq=block_diag([margins(*shape) for shape in shapes], format="csr"),
        b_eq=np.concatenate([np.repeat([1 / n, 1 / m], [n, m]) for n, m in shapes]),
        method="highs",
    )
    assert solution.status == 0
    parts = np.split(solution.x, np.cumsum([n * m for n, m in shapes])[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def crowded(rng):
    """Two bags of one size, of few words on a small grid: full of ties and repeats."""
    size, k = rng.integers(1, 9), rng.integers(1, 4)
    words = rng.integers(-2, 3, (rng.integers(1, 7), k)).astype(float)
    return words[rng.integers(0, len(words), (2, size))]


def greedy(costs):
    """What moves if each word in turn takes the nearest that is left."""
    left, total = set(range(len(costs))), 0.0
    for row in costs:
        taken = min(left, key=row.__getitem__)
        left.remove(taken)
        total += row[taken]
    return total / len(costs)


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(20_261_115)
    pairs = [crowded(rng) for _ in range(4_000)]
    return [(x, y, cdist(x, y)) for x, y in pairs]


def test_transport_and_assignment_agree_between_bags_of_one_size(cases):
    every = [costs for _, _, costs in cases]
    starts = range(0, len(every), 100)
    found = [plan for start in starts for plan in plans(every[start : start + 100])]
    transported = [(plan * costs).sum() for plan, costs in zip(found, every, strict=True)]
    assigned = [costs[linear_sum_assignment(costs)].mean() for costs in every]

    assert transported == pytest.approx(assigned, abs=1e-9)
    assert [word_mover(x, y) for x, y, _ in cases] == pytest.approx(assigned, abs=1e-9)


def test_no_matching_is_cheaper_than_the_word_movers_distance(cases):
    small = [(x, y, costs) for x, y, costs in cases if len(x) <= 5]
    for x, y, costs in small:
        orders = np.array(list(permutations(range(len(x)))))
        best = costs[np.arange(len(x)), orders].mean(axis=1).min()

        assert word_mover(x, y) == pytest.approx(best, abs=1e-9)
    assert len(small) > 2_000


def test_the_cases_are_hard_enough_to_tell(cases):
    """Words taken greedily cost more in many cases, and nearly all have ties and repeats."""
    best = np.array([costs[linear_sum_assignment(costs)].mean() for *_, costs in cases])
    worse = np.array([greedy(costs) for *_, costs in cases]) > best + 1e-9
    tied = [len(np.unique(costs)) < costs.size for *_, costs in cases]
    repeated = [len(np.unique(x, axis=0)) < len(x) for x, _, _ in cases]

    assert np.mean(worse) > 0.1
    assert np.mean(tied) > 0.8
    assert np.mean(repeated) > 0.5


def test_between_bags_of_unequal_sizes_no_whole_move_will_do():
    """Two words against three: apple, lake and apple, apple, lake.

    A third of each word of the longer bag cannot add up to a half. The cheapest plan
    splits an apple, and what it costs is what no whole move costs: moved whole, the
    bags would be at distance 0 and still be two bags.
    """
    long, short = np.array([[0.0], [0.0], [2.0]]), np.array([[0.0], [2.0]])
    costs = cdist(long, short)
    whole = [np.eye(2)[list(to)] / 3 for to in product(range(2), repeat=3)]
    (plan,) = plans([costs])
    values = [(each * costs).sum() for each in whole]

    assert all(np.abs(each.sum(axis=0) - 1 / 2).max() > 0.1 for each in whole)
    assert plan.sum(axis=0) == pytest.approx([1 / 2, 1 / 2])
    assert plan.sum(axis=1) == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert ((plan > 0.01) & (plan < 1 / 3 - 0.01)).any()
    assert (plan * costs).sum() == pytest.approx(1 / 3)
    assert word_mover(long, short) == pytest.approx(1 / 3)
    assert min(values) == 0
    assert min(abs(value - 1 / 3) for value in values) > 0.3


# what is refused


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: probability(COIN, [0, 1], [0]), "as many words as the bag, got 1 from 2"),
        (lambda: probability(COIN, [0, 2], [0, 1]), "bag must be a sequence of ids from 0 to 1"),
        (lambda: probability(COIN, [0, 1], [0, -1]), "released must be a sequence of ids"),
        (lambda: probability(COIN, [0.0, 1.0], [0, 1]), "bag must be a sequence of ids"),
        (lambda: probability(COIN, [[0, 1]], [0, 1]), "bag must be a sequence of ids"),
        (lambda: probability(np.eye(24), range(24), range(24)), "over 10,000,000 parts"),
        (lambda: probability([[0.5, 0.4]], [0], [0]), "sum to 1"),
        (lambda: law([[1.5, -0.5]], [0]), "at least 0"),
        (lambda: law([[np.nan, 1.0]], [0]), "sum to 1"),
        (lambda: law([0.5, 0.5], [0]), "rows"),
        (lambda: law(np.empty((1, 0)), [0]), "sum to 1"),
        (lambda: law(np.full((1, 50), 0.02), [0] * 5), "over 1,000,000 bags"),
        (lambda: bags(0, 3), "words must be a whole number"),
        (lambda: bags(3, -1), "size must be a whole number"),
        (lambda: loss([0.5, 0.5], [1.0]), "the same outcomes, got 2 and 1"),
        (lambda: loss([0.5, 0.6], [0.5, 0.5]), "sum to 1"),
        (lambda: laplace_channel([0.0, 1.0], 0.0), "epsilon must be"),
        (lambda: laplace_channel([[0.0, 1.0]], 1.0), "places must be finite numbers on a line"),
        (lambda: laplace_channel([0.0, np.inf], 1.0), "places must be finite"),
        (lambda: laplace_channel([0.0], 1.0, inputs=[]), "inputs must be finite"),
    ],
)
def test_what_is_no_small_world_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_the_law_of_as_many_bags_as_may_be_is_given_and_of_one_more_refused(monkeypatch):
    monkeypatch.setattr(exact, "BAGS", 10)

    assert len(law(COIN, [0] * 9)) == 10
    with pytest.raises(InputError, match="over 10 bags"):
        law(COIN, [0] * 10)


def test_a_long_bag_is_refused_for_its_work(monkeypatch):
    """One word alone has one bag of any size, and takes as many rounds as it is long."""
    monkeypatch.setattr(exact, "BAGS", 1)

    assert law([[1.0]], [0] * 100).tolist() == [1.0]
    with pytest.raises(InputError, match="take fewer words"):
        law([[1.0]], [0] * 101)


def test_a_release_of_as_many_parts_as_may_be_has_its_chance(monkeypatch):
    monkeypatch.setattr(exact, "STATES", 6)

    assert probability(COIN, [0, 0, 1], [0, 0, 1]) > 0  # (2 + 1)·(1 + 1) parts
    with pytest.raises(InputError, match="over 6 parts"):
        probability(COIN, [0, 0, 0, 1], [0, 0, 0, 1])
