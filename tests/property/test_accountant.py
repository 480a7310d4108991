"""Accounts keep to their algebra, and are never optimistic, for whatever words."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from nomdeplume import Account, InputError
from nomdeplume.privacy.accountant import LossLaw

DIMENSIONS = st.sampled_from([1, 2, 3, 5, 10, 50, 100, 300])
EPSILON = st.sampled_from([0.05, 0.5, 1.0, 6.0])
MOVES = st.lists(st.floats(0.01, 9.0), min_size=1, max_size=8)
DELTAS = st.sampled_from([1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9])
ROUNDING = 2e-3  # of a loss: a finer grid finds that much less


def simulated(k, losses, rng, draws=20_000):
    """Losses of a bag: the noise by its length and its angle, which is all that matters."""
    total = np.zeros(draws)
    for s in losses:
        radius = rng.gamma(k, size=draws)
        along = rng.standard_normal(draws)
        cosine = along / np.sqrt(along**2 + (rng.chisquare(k - 1, size=draws) if k > 1 else 0))
        total += np.sqrt(np.maximum(radius**2 + s**2 - 2 * radius * s * cosine, 0)) - radius
    return total


@settings(max_examples=120, deadline=None, derandomize=True)
@given(DIMENSIONS, EPSILON, MOVES, st.floats(0.0, 0.9))
def test_never_optimistic(k, epsilon, moves, chance):
    """Against simulation: 120 settings, each wrong with a chance of 10⁻⁶."""
    account = Account.of_bags(epsilon, moves, k)
    seen = simulated(k, [epsilon * move for move in moves], np.random.default_rng(5))
    loss = float(np.clip(np.quantile(seen, chance), 0, 0.99 * account.pure))
    each = -np.expm1(np.minimum(loss - seen, 0))
    low = each.mean() - norm.isf(1e-6) * each.std() / np.sqrt(len(each))

    assert low <= account.delta(loss)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(DIMENSIONS, EPSILON, MOVES, DELTAS)
def test_a_loss_and_its_delta_belong_together(k, epsilon, moves, delta):
    account = Account.of_bags(epsilon, moves, k)
    loss = account.loss(delta)

    assert 0 <= loss <= account.pure
    if loss < account.pure:
        assert account.delta(loss * (1 + ROUNDING) + 1e-12) <= delta
    if loss > 1e-6:
        assert account.delta(loss * (1 - ROUNDING)) >= delta * 0.99


@settings(max_examples=40, deadline=None, derandomize=True)
@given(DIMENSIONS, EPSILON, MOVES)
def test_less_is_lost_the_more_is_left_to_chance(k, epsilon, moves):
    account = Account.of_bags(epsilon, moves, k)
    losses = [loss for _, loss in account.curve([1e-15, 1e-9, 1e-4, 0.05, 0.4])]

    assert all(x >= y * (1 - ROUNDING) for x, y in pairwise(losses))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(DIMENSIONS, EPSILON, MOVES, st.floats(1.02, 3.0), DELTAS)
def test_farther_apart_is_never_safer(k, epsilon, moves, more, delta):
    near = Account.of_bags(epsilon, moves, k)
    far = Account.of_bags(epsilon, [moves[0] * more, *moves[1:]], k)

    assert near.loss(delta) <= far.loss(delta) * (1 + ROUNDING)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(DIMENSIONS, MOVES, MOVES, st.integers(1, 4))
def test_accounts_add_up(k, moves, others, count):
    one, two = Account.of_bags(1.0, moves, k), Account.of_bags(1.0, others, k)

    assert one + two == Account.of_bags(1.0, moves + others, k)
    assert one.over_releases(count) == sum([one] * (count - 1), start=one)
    assert (one + two).pure == pytest.approx(one.pure + two.pure)
    assert (one + two).loss(1e-6) <= (one.loss(5e-7) + two.loss(5e-7)) * (1 + ROUNDING)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(DIMENSIONS, EPSILON, MOVES, st.integers(1, 5), DELTAS)
def test_drawing_lies_between_the_least_and_the_longest_move(k, epsilon, moves, size, delta):
    shares = np.full(len(moves), 1 / len(moves))
    drawn = Account.of_draws(epsilon, [(moves, shares)], size, k)
    least, longest = (
        Account.of_bags(epsilon, [move] * size, k) for move in (min(moves), max(moves))
    )

    assert drawn.pure == longest.pure
    assert least.loss(delta) * (1 - ROUNDING) <= drawn.loss(delta)
    assert drawn.loss(delta) <= longest.loss(delta) * (1 + ROUNDING)


def test_of_two_plans_the_better_is_taken():
    plans = [([0.0, 9.0], [0.9, 0.1]), ([3.0], [1.0])]
    cheap, short = (Account.of_draws(1.0, [plan], 50, 20) for plan in plans)
    both = Account.of_draws(1.0, plans, 50, 20)

    assert both.pure == short.pure == 150
    for delta in (1e-12, 1e-6, 1e-2):
        least = min(cheap.loss(delta), short.loss(delta))
        assert both.loss(delta) == pytest.approx(least, rel=ROUNDING)
    assert (both + both).loss(1e-6) == pytest.approx(both.over_releases(2).loss(1e-6))


def test_words_that_stay_lose_nothing():
    for account in (
        Account.of_bags(1.0, [], 3),
        Account.of_bags(1.0, [0.0, 0.0], 3),
        Account.of_draws(1.0, [([0.0], [1.0])], 9, 3),
        Account.of_draws(1.0, [([0.0, 4.0], [0.5, 0.5]), ([0.0], [1.0])], 9, 3),
    ):
        assert (account.pure, account.loss(1e-6), account.delta(0)) == (0, 0, 0)
    assert Account.of_bags(1.0, [0.0, 2.0], 3) == Account.of_bags(1.0, [2.0], 3)


@pytest.mark.parametrize("k", [1, 2, 3, 100, 1000])
@pytest.mark.parametrize("s", [1e-7, 1e-3, 1.0, 1e3, 1e5])
def test_words_of_any_distance_in_any_dimensions_have_an_account(k, s):
    for count in (1, 30):
        account = Account.of_bags(s, [1.0] * count, k)
        losses = [account.loss(delta) for delta in (1e-12, 1e-6, 0.1)]
        assert account.pure == pytest.approx(count * s)
        assert account.pure >= losses[0] >= losses[1] >= losses[2] >= 0


def test_so_many_distances_are_rounded_up():
    moves = np.random.default_rng(3).uniform(0.5, 8, 2000)
    account = Account.of_bags(1.0, moves, 50)
    some = Account.of_bags(1.0, np.sort(moves)[::5], 50).over_releases(5)

    assert some.loss(1e-6) <= account.loss(1e-6) <= some.loss(1e-6) * 1.01


def test_releases_without_number_have_an_account():
    account = Account.of_bags(1.0, [1.0] * 100, 3).over_releases(10**6)

    assert account.pure == 1e8
    assert 0.1 < account.loss(1e-6) / account.pure < 0.2


def exact_delta(k, s, loss):
    """δ of one word: ∫ over ℓ > loss of e^(loss−ℓ)·P(L > ℓ)."""
    law = LossLaw(k, s)
    return quad(lambda x: np.exp(loss - x) * law.above(x), loss, s, limit=500)[0]


def test_a_rare_far_move_does_not_coarsen_what_is_near():
    """Where nearly all words move by 0.01 and a few by 51.7, the grid is as fine as the first."""
    stay, far = 1.8e-5, 5e-5
    account = Account.of_draws(1.0, [([0, 0.01, 51.7], [stay, 1 - stay - far, far])], 1, 5)

    def excess(loss):
        return (1 - stay - far) * exact_delta(5, 0.01, loss) + far * exact_delta(5, 51.7, loss)

    due = brentq(lambda loss: excess(loss) - 1e-4, 0, 0.0099)
    assert due <= account.loss(1e-4) <= 1.01 * due


def test_a_move_that_hardly_ever_is_made_hardly_counts():
    """A hundred draws: far moves have a chance of 10⁻¹⁰ in all, which is taken from δ."""
    account = Account.of_draws(1.0, [([1.0, 1000.0], [1 - 1e-12, 1e-12])], 100, 50)
    near = Account.of_bags(1.0, [1.0] * 100, 50)

    assert near.loss(1e-6, tolerance=1e-6) <= account.loss(1e-6) * (1 + 1e-5)
    assert account.loss(1e-6) <= 1.01 * near.loss(1e-6 - 1e-10)


def test_so_many_words_that_no_grid_holds_them():
    account = Account.of_bags(1.0, [1.0] * 100, 3).over_releases(10**6)
    many = account.over_releases(10**6)  # 10¹⁴ words

    assert many.pure == 1e14
    assert 0.99 * account.loss(1e-6) < many.loss(1e-6) / 1e6 < account.loss(1e-6)
    assert many.delta(many.loss(1e-6) * 1.0001) <= 1e-6


def test_far_words_do_not_round_near_ones():
    """Of more than 512 distinct losses, one is far."""
    near = np.linspace(0.05, 0.06, 1500)
    both = Account.of_bags(1.0, [*near, 40.0], 20)
    least = Account.of_bags(1.0, [0.055] * 1500, 20) + Account.of_bags(1.0, [40.0], 20)

    assert both.loss(1e-6) == pytest.approx(least.loss(1e-6), rel=0.01)


def test_losses_beyond_what_floats_can_square_are_rounded_up():
    tiny = Account.of_bags(1.0, [1e-310, 1.0], 3)
    alone = Account.of_bags(1.0, [1.0], 3)

    assert alone.loss(1e-6) * (1 - ROUNDING) <= tiny.loss(1e-6) <= alone.loss(1e-6) * (1 + ROUNDING)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Account.of_bags(0.0, [1.0], 2),
        lambda: Account.of_bags(1.0, [-1.0], 2),
        lambda: Account.of_bags(1.0, [np.nan], 2),
        lambda: Account.of_bags(1.0, [[1.0]], 2),
        lambda: Account.of_bags(1e300, [1e300], 2),
        lambda: Account.of_bags(1.0, [1e308, 1e308], 2),
        lambda: Account.of_bags(1.0, [1.0], 0),
        lambda: Account.of_bags(1.0, "zyxoquant", 2),
        lambda: Account.of_draws(1.0, [([1.0, 2.0], [0.5, 0.6])], 3, 2),
        lambda: Account.of_draws(1.0, [([1.0, 2.0], [1.0, 0.0])], 3, 2),
        lambda: Account.of_draws(1.0, [([], [])], 3, 2),
        lambda: Account.of_draws(1.0, [], 3, 2),
        lambda: Account.of_draws(1.0, [([1.0], [1.0])], 0, 2),
        lambda: Account.of_bags(1.0, [1.0], 2).over_releases(0),
        lambda: Account.of_bags(1.0, [1.0], 2).delta(-1.0),
        lambda: Account.of_bags(1.0, [1.0], 2).delta(np.inf),
        lambda: Account.of_bags(1.0, [1.0], 2).delta(Fraction(10**400)),
        lambda: Account.of_bags(1.0, [1.0], 2).loss(Fraction(1, 10**400)),
    ],
)
def test_what_is_no_account_is_refused(make):
    with pytest.raises(InputError) as caught:
        make()
    assert "zyxoquant" not in str(caught.value)
