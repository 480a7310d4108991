"""Effects against brute force, draws against chances, and answers that do what was asked for."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import binom
from tests.conftest import ALPHA

from nomdeplume import InputError, Laplace, NoisyNearest, Table
from nomdeplume.calibrate import (
    Dial,
    Panel,
    Wanted,
    choose,
    curve,
    effect,
    largest,
    substitutes,
)
from nomdeplume.calibrate.dial import MOST
from nomdeplume.calibrate.drawing import Axis
from nomdeplume.calibrate.page import page
from nomdeplume.calibrate.report import Report
from nomdeplume.mechanism import MECHANISMS, Exponential, Recipe
from nomdeplume.mechanism.contract import Declaration
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

WORDS = 150
LETTERS = "abcdefghij"
NAMES = [f"w{LETTERS[i // 100]}{LETTERS[i // 10 % 10]}{LETTERS[i % 10]}" for i in range(WORDS)]
BY_CHANCES = ("exponential", "tem", "syntf", "santext+", "custext", "diffractor")
NONE = StopWords("none", frozenset())


@pytest.fixture(scope="module")
def kept():
    vectors = np.random.default_rng(3).standard_normal((WORDS, 4)) * (3, 1, 1, 0.5) + 1
    return Vocabulary(Table(NAMES, vectors, name="cloud"), NONE)


def dial(kept, mechanism="laplace", **parts):
    return Dial.of(Recipe(mechanism, 1.0, **parts), kept, sample=60)


class Coin:
    """Words by chances that are given, and draws by these: any mechanism at all."""

    name, outputs, declaration = "coin", None, Declaration()

    def __init__(self, table, chances):
        self.table, self._chances = table, chances

    def release(self, ids, rng):
        return np.array([rng.choice(len(self.table), p=self._chances[i]) for i in ids])


class OpenCoin(Coin):
    @property
    def declaration(self):
        return Declaration(channel=self.channel)

    def channel(self, ids):
        return self._chances[ids]


@pytest.fixture(scope="module")
def chances():
    return np.random.default_rng(8).dirichlet(np.full(WORDS, 0.05), size=WORDS)


def test_an_effect_is_that_of_brute_force(kept, chances):
    panel = Panel.over(kept)
    found = effect(OpenCoin(kept.table, chances), panel)
    apart = cdist(kept.table.vectors.astype(float), kept.table.vectors.astype(float))
    order = np.argsort(apart + np.where(np.eye(WORDS, dtype=bool), np.inf, 0), axis=1)
    logs = np.log(np.where(chances > 0, chances, 1))

    assert found.unchanged == pytest.approx(np.diag(chances).mean())
    assert found.near == pytest.approx(
        np.take_along_axis(chances, order[:, :100], axis=1).sum(axis=1).mean()
    )
    assert found.far == pytest.approx(
        np.take_along_axis(chances, order[:, 100:-1], axis=1).sum(axis=1).mean()
    )
    assert found.support == pytest.approx(np.exp(-(chances * logs).sum(axis=1)).mean())
    assert found.moved == pytest.approx((chances * apart).sum(axis=1).mean())
    assert found.alike == pytest.approx((chances**2).sum(axis=1).mean())
    assert (found.words, found.draws, found.error) == (WORDS, 0, 0)


def test_draws_agree_with_chances(kept, chances):
    """Each share within what a binomial allows, support below, and no error seen of 6 %."""
    panel, draws = Panel.over(kept), 400
    exact = effect(OpenCoin(kept.table, chances), panel)
    drawn = effect(Coin(kept.table, chances), panel, draws=draws)
    n = WORDS * draws

    for name in ("unchanged", "near", "far"):
        p = getattr(exact, name)
        low, high = binom.ppf([ALPHA / 2, 1 - ALPHA / 2], n, p) / n
        assert low <= getattr(drawn, name) <= high
    assert not binom.ppf(ALPHA / 2, n, 1.06 * exact.near) / n <= drawn.near
    assert drawn.alike == pytest.approx(exact.alike, rel=0.05)
    assert drawn.support == pytest.approx(1 / drawn.alike)
    assert drawn.support < exact.support
    assert drawn.draws == draws
    assert drawn.error > 0


def test_the_words_alike_are_no_biased_guess(kept):
    """Of few draws from many words alike, too, neither more nor less than 1 in so many."""
    even = np.full((WORDS, WORDS), 1 / WORDS)
    found = effect(Coin(kept.table, even), Panel.over(kept), draws=10)
    pairs = WORDS * 45

    assert abs(found.alike - 1 / WORDS) < 5 * np.sqrt(1 / WORDS / pairs)
    assert found.support <= WORDS


def test_a_panel_is_spread_over_the_words(kept):
    panel = Panel.over(kept, sample=10)
    common = Panel.over(kept, sample=10, common=True)

    assert list(panel.ids) == list(np.linspace(0, WORDS - 1, 10).round())
    assert panel.shares == pytest.approx(0.1)
    assert panel.near.shape == (10, 100)
    assert not panel.whole
    assert common.ids.mean() < panel.ids.mean()
    assert common.shares.sum() == pytest.approx(1)
    assert not (panel.near == panel.ids[:, None]).any()


def test_near_words_are_words_that_can_come_out(kept):
    outputs = np.arange(40)
    panel = Panel.over(kept, outputs=outputs)

    assert set(panel.near.ravel()) - {-1} <= set(outputs)
    assert [(row >= 0).sum() for row in panel.near] == [39] * 40 + [40] * (WORDS - 40)


@pytest.mark.parametrize("mechanism", sorted(set(MECHANISMS) - {"mean", "standin"}))
def test_a_curve_goes_from_few_that_stay_to_most(kept, mechanism):
    found = curve(dial(kept, mechanism), rows=5)
    stay = [point.effect.unchanged for point in found.points]

    assert found.exact
    assert len(stay) == 5
    assert stay == sorted(stay)
    assert stay[-1] > stay[0] + 0.5
    for point in found.points:
        shares = point.effect.unchanged, point.effect.near, point.effect.far
        assert sum(shares) == pytest.approx(1)
        assert min(shares) >= 0
        assert bool(point.effect.draws) == (mechanism not in BY_CHANCES)


@pytest.mark.parametrize("mechanism", ["laplace", "vmf", "exponential", "tem", "santext+"])
@pytest.mark.parametrize("wanted", [Wanted("unchanged", 0.4), Wanted("moved", 1.0)])
def test_the_answer_does_what_was_asked_for(kept, mechanism, wanted):
    """Made by the recipe from its ε alone, as `obfuscate` makes it."""
    turned = dial(kept, mechanism)
    answer = choose(turned, wanted)
    made = Recipe(mechanism, answer.epsilon).make(kept)
    found = effect(made, turned.panel)

    assert getattr(found, wanted.name) == pytest.approx(wanted.value, rel=0.01)
    assert made.guarantee.epsilon == answer.epsilon == float(f"{answer.epsilon:.4g}")


def test_a_first_look_is_a_quarter_of_the_work(kept):
    turned = Dial.of(Recipe("laplace", 1.0), kept, sample=120)
    whole, first = (each.effect(1.0) for each in (turned, turned.rough))

    assert first.draws == whole.draws > 2
    assert first.words == whole.words // 4


def test_support_and_decoding_by_rank_can_be_asked_for(kept):
    turned = dial(kept, "exponential", decode="rank", settings={"c": 0.05})
    answer = choose(turned, Wanted("support", 20))
    made = Recipe("exponential", answer.epsilon, "rank", settings={"c": 0.05}).make(kept)

    assert effect(made, turned.panel).support == pytest.approx(20, rel=0.01)


def test_the_promise_of_an_a_is_exact_and_rounded_up(kept):
    answer = choose(dial(kept, "exponential"), Wanted("unchanged", 0.3))
    exact = Exponential(kept.table, answer.value).tight.epsilon

    assert exact <= answer.epsilon <= exact * 1.001
    assert answer.value < answer.epsilon < answer.bound == 2 * answer.value


def test_a_large_table_has_the_promise_of_the_answer_only(kept, monkeypatch):
    monkeypatch.setattr("nomdeplume.calibrate.dial.FEW", 10)
    turned = dial(kept, "exponential")
    found = curve(turned, rows=4)
    answer = choose(turned, Wanted("unchanged", 0.3), found)

    assert [point.epsilon for point in found.points] == [None] * 4
    assert not found.exact
    assert answer.epsilon is not None
    assert "between a and 2a" in Report(turned, found.through(answer), answer).basis


def test_a_promise_is_remembered(kept, tmp_path, monkeypatch):
    memory = Memory(tmp_path / "calibrations")
    first = Dial.of(Recipe("exponential", 1.0), kept, memory=memory).promise(1.0)
    monkeypatch.setattr("nomdeplume.calibrate.dial.tight", None)

    assert Dial.of(Recipe("exponential", 1.0), kept, memory=memory).promise(1.0) == first


@pytest.mark.parametrize("mechanism", ["laplace", "exponential"])
def test_the_place_of_an_epsilon_is_found(kept, mechanism):
    turned = dial(kept, mechanism)
    point = turned.at_epsilon(1.5)

    assert point.epsilon == 1.5
    assert point.effect.unchanged == pytest.approx(
        effect(Recipe(mechanism, 1.5).make(kept), turned.panel).unchanged
    )


def test_near_is_reached_at_the_least_epsilon(kept):
    small = Vocabulary(Table(NAMES, np.random.default_rng(1).standard_normal((WORDS, 30))), NONE)
    turned = Dial.of(Recipe("exponential", 1.0), small, sample=40)
    hill = [turned.effect(value).near for value in np.geomspace(1e-3, 1e3, 80)]
    answer = choose(turned, Wanted("near", 0.7))

    assert hill[0] < 0.7 < max(hill)
    assert hill[-1] < 0.1
    assert answer.effect.near == pytest.approx(0.7, rel=0.01)
    assert turned.effect(answer.value * 0.8).near < 0.7


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Wanted("near", 0.999), "must be from 0 to 0.[0-9]+ with laplace .* got 0.999"),
        (Wanted("support", 1e6), "must be from 1 to .* got 1e"),
        (Wanted("moved", 1e6), "the mean distance that words move must be from 0 to .* got 1e"),
    ],
)
def test_what_cannot_be_reached_is_refused_with_what_can(kept, wanted, said):
    with pytest.raises(InputError, match=said):
        choose(dial(kept), wanted)


def test_words_that_cannot_come_out_cannot_stay(kept):
    turned = dial(kept, outputs=tuple(NAMES[:30]))
    most = turned.effect(MOST).unchanged

    assert most == pytest.approx((turned.panel.ids < 30).mean())
    with pytest.raises(InputError, match="must be from"):
        choose(turned, Wanted("unchanged", 0.9))


@pytest.mark.parametrize(
    "bad", [("unchanged", 1.0), ("unchanged", 0), ("near", -1), ("moved", np.inf), ("far", 0.1)]
)
def test_what_is_wanted_must_make_sense(bad):
    with pytest.raises(InputError):
        Wanted(*bad)


def test_a_setting_that_is_looked_for_is_refused(kept):
    with pytest.raises(InputError, match="leave the setting out"):
        dial(kept, "exponential", settings={"a": 2.0})


@pytest.mark.parametrize("mechanism", ["custext", "diffractor"])
def test_groups_and_lists_that_are_used_again_are_the_same(kept, mechanism):
    turned = dial(kept, mechanism)
    ids = turned.panel.ids

    for value in (0.5, 4.0):
        fresh = Recipe(mechanism, value).make(kept)
        again = turned.mechanism(value)
        assert again.guarantee.epsilon == value
        assert (again.channel(ids) == fresh.channel(ids)).all()


X, Y = f"{NAMES[0]} {NAMES[1]} {NAMES[2]}", f"{NAMES[3]} {NAMES[4]}"


@pytest.mark.parametrize("mechanism", ["laplace", "exponential", "tem", "syntf", "mahalanobis"])
@pytest.mark.parametrize("reduction", ["sample", "apportion"])
def test_no_more_is_lost_between_two_texts(kept, mechanism, reduction):
    if (mechanism, reduction) == ("syntf", "apportion"):
        reduction = "sample"
    recipe = Recipe(mechanism, 1.0)
    found = largest(recipe, kept, (X, Y), 30.0, size=10, reduction=reduction)
    made = Recipe(mechanism, found.epsilon).make(kept)
    lost = Obfuscator(kept, made, 10, reduction).guarantee.loss(X, Y)

    assert lost <= found.loss <= 30.0
    assert found.epsilon == MOST or found.loss > 0.995 * 30.0


def test_up_to_a_delta_epsilon_may_be_larger(kept):
    pure = largest(Recipe("laplace", 1.0), kept, (X, Y), 5.0, size=10)
    found = largest(Recipe("laplace", 1.0), kept, (X, Y), 5.0, size=10, delta=1e-3)
    account = Obfuscator.laplace(kept, epsilon=found.epsilon, size=10).account(X, Y)

    assert found.epsilon > pure.epsilon
    assert found.loss > 5.0 >= found.at_delta
    assert account.loss(1e-3) == pytest.approx(found.at_delta)


@pytest.mark.parametrize(
    ("mechanism", "asked", "said"),
    [
        ("laplace", {"texts": (X, X)}, "keep the same words"),
        ("laplace", {"nats": 1e-9}, "loss must be at least"),
        ("laplace", {"delta": 2.0}, "delta must be between 0 and 1"),
        ("custext", {}, "promises nothing"),
        ("exponential", {"delta": 1e-6}, "only Laplace noise"),
    ],
)
def test_a_loss_that_makes_no_sense_is_refused(kept, mechanism, asked, said):
    asked = {"texts": (X, Y), "nats": 1.0, **asked}
    with pytest.raises(InputError, match=said):
        largest(Recipe(mechanism, 1.0), kept, **asked)


def test_substitutes_are_the_likeliest_words(kept):
    mechanism = Exponential(kept.table, 1.0)
    [found] = substitutes(mechanism, kept, [NAMES[7]], top=3)
    chances = mechanism.channel(np.array([7]))[0]
    best = [i for i in np.argsort(-chances) if i != 7][:3]

    assert found.unchanged == chances[7]
    assert found.likely == tuple((NAMES[i], chances[i]) for i in best)
    assert found.draws == 0


def test_substitutes_are_drawn_where_chances_are_not_known(kept):
    [found] = substitutes(NoisyNearest(kept.table, Laplace(2.0)), kept, [NAMES[7]], draws=500)

    assert found.draws == 500
    assert 0 < found.unchanged + sum(chance for _, chance in found.likely) <= 1
    assert str(found).startswith(f"{NAMES[7]}: stays ")


def test_substitutes_of_unknown_words_are_refused_without_quoting_them(kept):
    with pytest.raises(InputError, match="1 of 2 are not") as raised:
        substitutes(Exponential(kept.table, 1.0), kept, [NAMES[0], "sesame"])

    assert "sesame" not in str(raised.value)


def test_the_page_is_whole_and_asks_for_nothing(kept):
    turned = dial(kept, "exponential")
    found = curve(turned, rows=5)
    answer = choose(turned, Wanted("unchanged", 0.3), found)
    made = page(Report(turned, found.through(answer), answer, command="nomdeplume <b>"))
    [_, one, two] = [made.find("<svg", start) for start in (0, 0, made.find("</svg>"))]

    ET.fromstring(made[one : made.find("</svg>") + 6])
    ET.fromstring(made[two : made.rfind("</svg>") + 6])
    assert not re.search(r"<script|src=|href=|url\(|<b>", made)
    assert made.count('class="chosen"') == 1
    assert f"ε = {answer.epsilon:g}" in made
    assert kept.table.fingerprint in made


@pytest.mark.parametrize("ends", [(1e-3, 1e4), (3.4, 16.1), (0.84, 2.5), (1, 1.3), (1, 40_000)])
def test_axes_have_a_few_round_numbers(ends):
    axis = Axis(*ends, 0, 100, logarithmic=True)

    assert 2 <= len(axis.ticks()) <= 8
    assert all(0 <= axis.at(tick) <= 100.001 for tick in axis.ticks())
