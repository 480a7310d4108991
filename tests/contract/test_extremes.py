"""Numbers at their extremes either work as the mathematics says or are refused, in one line."""

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from tests.cli.conftest import here
from tests.conftest import MAPPED, NOISES, TINY

from nomdeplume import InputError, Laplace, NoisyNearest, Obfuscator, Table, seeded
from nomdeplume.bag import Bag
from nomdeplume.calibrate import Dial, Wanted, choose
from nomdeplume.compose import Herding, MaxEnt
from nomdeplume.compose.belief import Belief
from nomdeplume.decode import Rank, Vickrey
from nomdeplume.errors import PlumeError, whole
from nomdeplume.mechanism import MECHANISMS as MENU
from nomdeplume.mechanism import NoisyMean, Recipe
from nomdeplume.mechanism.custext import CusText
from nomdeplume.mechanism.diffractor import Diffractor
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.santext import SanText
from nomdeplume.mechanism.scores import Truncated
from nomdeplume.mechanism.syntf import SynTf
from nomdeplume.noise import Mahalanobis, Planar, PolarLaplace, VonMisesFisher
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.reduction import REDUCTIONS
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

BY_WORDS = [name for name in MENU if name != "standin"]  # the others release texts
LARGEST = float(np.finfo(np.float32).max)
PLACES = TINY.vectors[:].astype(np.float64)
ROWS = {
    "four words": PLACES,
    "one word": PLACES[1:2],
    "one word at 0": PLACES[:1],
    "two words": PLACES[:2],
    "two equal words": np.full((2, 2), 1.5),
    "all vectors equal": np.full((4, 2), -3.7),
    "all vectors 0": np.zeros((4, 2)),
    "on a line": PLACES[:, 1:],
    "tiny": 1e-30 * PLACES,
    "subnormal": 1e-44 * PLACES,
    "large": 1e30 * PLACES,
    "far from 0": PLACES + 1e6,
    "tiny beside large": np.array([[0, 0], [1e-44, 0], [1e38, 0], [0, 3e38]]),
    "as large as floats": LARGEST * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]),
}
TABLES = {
    name: Table(TINY.words[: len(rows)], rows.astype(np.float32), name=name)
    for name, rows in ROWS.items()
}
EPSILONS = (5e-324, 1e-320, 1e-300, 1e-3, 1.0, 1e300, 1.7e308)
IMPOSSIBLE = (0, -1, -1e-320, nan, inf, -inf, True, "1", None, 10**400, -(10**5000))
ORDINARY = ("four words", "one word", "two words", "all vectors equal", "all vectors 0")
EQUAL = ("two equal words", "all vectors equal", "all vectors 0")

tables = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


def kept(table):
    return Vocabulary(table, StopWords("none", frozenset()))


def tried(make, *given, **named):
    """What is made, or nothing if it is refused: on purpose, and in one line."""
    try:
        return make(*given, **named)
    except PlumeError as error:
        said = str(error)
        assert "\n" not in said
        assert 20 < len(said) < 300
        return None


def due(guarantee, one, two):
    """The loss that is promised; one that is refused is beyond floats."""
    found = tried(guarantee.loss, one, two)
    return inf if found is None else float(found)


def check_law(mechanism, ids):
    """Chances are chances, and no pair loses more than is promised. Beyond e⁻⁷⁰⁰ floats are 0."""
    chances, metric = mechanism.channel(ids), mechanism.guarantee.metric
    places = metric.places(mechanism.table.vectors[ids].astype(np.float64), ids)
    assert np.isfinite(chances).all()
    assert chances.sum(axis=1) == pytest.approx(1, abs=1e-12)
    for x in ids:
        for y in ids:
            p, q = chances[x], chances[y]
            likely, promised = p > 1e-290, due(mechanism.guarantee, places[x], places[y])
            assert (q[likely] > 0).all() or promised > 600
            both = likely & (q > 0)
            lost = (np.log(p[both]) - np.log(q[both])).max(initial=-inf)
            assert lost <= promised * (1 + 1e-9) + 1e-13


def whole_of(mechanism, table, epsilon):
    """The mechanism there, with all that it would calibrate later."""
    made = mechanism.elsewhere(table, epsilon)
    _ = getattr(getattr(made, "mechanism", made), "inner", None)
    return made


@tables
def test_every_epsilon_works_on_every_table_or_is_refused(mechanism, table):
    ids, made = np.arange(len(table)), 0
    for epsilon in EPSILONS:
        one = tried(whole_of, mechanism, table, epsilon)
        if one is None:
            continue
        made += 1
        released = one.release(ids.repeat(20), seeded(1))
        assert np.isin(released, ids).all()
        assert 0 < one.guarantee.epsilon < inf
        if hasattr(one, "channel"):
            check_law(one, ids)
        if table.name in EQUAL and not isinstance(one, Diffractor):  # whose metric is of lists
            covered = (0, 1)  # others are common to SanText+, or of another group
            same, other = (one.release(np.full(20, word), seeded(1)) for word in covered)
            assert (same == other).all()

    assert made or table.name not in ORDINARY


def plain(name):
    """Whether nothing but the promise stands between a word and its release."""
    return name not in ("mean", "santext+", "tem", "vickrey")


@pytest.mark.parametrize("name", BY_WORDS)
@pytest.mark.parametrize("where", ["four words", "two words", "tiny", "large", "subnormal"])
def test_under_a_huge_epsilon_words_stay_and_under_a_tiny_one_nothing_of_them_does(name, where):
    table = TABLES[where]
    ids = np.arange(len(table)).repeat(200)
    huge = Recipe(name, 1e250).make(kept(table))
    if plain(name):
        assert (huge.release(ids, seeded(1)) == ids).all()
    least = least_of(name, table)
    tiny = Recipe(name, least).make(kept(table))
    one, two = (tiny.release(np.full(4000, word), seeded(2)) for word in (0, len(table) - 1))
    common = name == "santext+" and where != "two words"  # the first word is not covered
    apart = np.bincount(one, minlength=4) - np.bincount(two, minlength=4)
    assert common or np.abs(apart).max() < 6 * 2000**0.5  # deviations, if the laws are equal


def least_of(name, table):
    """The least power of ten that is not refused."""
    for power in (-300, *range(-60, 60)):
        if tried(lambda: Recipe(name, 10.0**power).make(kept(table))) is not None:  # noqa: B023
            return 10.0**power
    raise AssertionError(name)


@pytest.mark.parametrize("name", BY_WORDS)
def test_one_word_is_all_that_can_come_out_of_one(name):
    table = TABLES["one word"]
    for epsilon in (1e-3, 20.0, 1e250):
        made = Recipe(name, epsilon).make(kept(table))
        assert not made.release(np.zeros(50, dtype=np.int64), seeded(1)).any()
        [document] = Obfuscator(kept(table), made, 5)(["pear apple pear"], seeded(1))
        assert document.words == (table.words[0],) * 5


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_noise_is_finite_or_refused(noise, epsilon, rng):
    added, image = NOISES[noise]
    vectors = image(PLACES) if image else PLACES
    made = tried(added.at, epsilon)
    if made is None:
        assert epsilon < 1e-289
    else:
        noisy = made.add(vectors, rng)
        assert np.isfinite(noisy).all()
        assert epsilon < 1e200 or np.allclose(noisy, vectors, atol=1e-6)


@pytest.mark.parametrize("epsilon", [1e-320, 1e-300, 1e-9, 0.1, 1 / 3, 6.0, 1e300])
@pytest.mark.parametrize("size", [1, 3, 100, 10**6, 10**7])
def test_a_budget_is_epsilon_times_size(epsilon, size):
    for way in (Guarantee.over_bags, Guarantee.over_samples, Guarantee.over_releases):
        made = tried(way, Guarantee(epsilon), size)
        assert made is not None or Fraction(epsilon) * size > Fraction(1.79e308)
        exact = Fraction(epsilon) * size
        assert made is None or abs(Fraction(made.epsilon) - exact) <= exact / 2**52 + 2**-1074


@pytest.mark.parametrize("value", IMPOSSIBLE, ids=lambda value: f"{type(value).__name__}")
def test_impossible_numbers_are_refused_by_everything_that_takes_one(value):
    makers = [Laplace, Planar, VonMisesFisher, Guarantee, Rank]
    makers += [lambda e, make=make: make(TINY, e) for make in (SynTf, CusText, Diffractor, SanText)]
    makers += [lambda e, make=make: make.of(TINY, e) for make in (Mahalanobis, PolarLaplace)]
    makers += [lambda e: Exponential.of(TINY, e), lambda a: Exponential(TINY, a)]
    makers += [lambda e: Exponential.of(TINY, e, score=Truncated())]
    makers += [lambda e: NoisyMean(TINY, Laplace(e)), lambda e: NoisyNearest(TINY, Laplace(e))]
    makers += [lambda e, name=name: Recipe(name, e) for name in BY_WORDS]
    makers += [lambda e: Account.of_bags(e, [1.0], 2), lambda e: Wanted("moved", e)]
    makers += [lambda e: Wanted("unchanged", e), lambda e: MaxEnt(ridge=e)]
    makers += [lambda e: Belief(np.zeros(2), gain=e)]
    makers += [lambda e: Recipe.asked("mean", None, e, 5)] if value is not None else []
    makers += [lambda n: Obfuscator(kept(TINY), NoisyNearest(TINY, Laplace(1.0)), n)]
    makers += [] if value is True else [lambda t: Account.of_bags(1.0, [1.0], 2).loss(t)]
    for make in makers:
        with pytest.raises(InputError) as refused:
            make(value)
        assert len(str(refused.value)) < 250


@pytest.mark.parametrize("value", [-1e-320, nan, inf, -inf, 1e300])
def test_impossible_settings_are_refused(value):
    for make in (Vickrey, Herding):
        with pytest.raises(InputError):
            make(value)
    with pytest.raises(InputError):
        Truncated(beta=value)
    for name in ("share", "p"):
        with pytest.raises(InputError):
            SanText(TINY, 1.0, **{name: value})


@pytest.mark.parametrize("size", [0, -1, 1.5, True, nan, 10**8, 10**400])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(InputError, match="size"):
        whole("size", size)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("size", [1, 7, 10**6])
def test_reductions_give_as_many_words_as_are_asked_for(reduction, size, vocabulary, rng):
    bags = [Bag.of({0: 1}), Bag.of({1: 10**9, 2: 1}), Bag.of({0: 1, 1: 1, 2: 1, 3: 10**12})]
    found = REDUCTIONS[reduction].reduce(bags, size, vocabulary, rng)

    assert found.shape == (3, size)
    assert all(np.isin(row, bag.ids).all() for row, bag in zip(found, bags, strict=True))


@pytest.mark.parametrize("name", ["laplace", "exponential"])
def test_a_million_words_are_released(name):
    """From a text of three, with a promise of a million times that of one."""
    maker = Obfuscator(kept(TINY), Recipe(name, 0.5).make(kept(TINY)), 10**6)
    [document] = maker(["apple pear lake"], seeded(1))

    assert len(document.words) == 10**6
    assert maker.guarantee.epsilon == 500_000
    assert set(document.words) <= set(TINY.words)


@pytest.mark.parametrize("image", MAPPED.values(), ids=MAPPED)
@pytest.mark.parametrize("composer", [Herding(), MaxEnt()], ids=["herding", "maxent"])
@tables
def test_documents_at_once_work_or_are_refused(image, composer, table):
    mapped = image.fitted(table) if image else None
    bags = [Bag.of({0: 1}), Bag.of(dict.fromkeys(range(len(table)), 10**12))]
    for budget in EPSILONS:
        mean = tried(
            lambda e: NoisyMean(table, Laplace(e), image=mapped, composer=composer), budget
        )
        if mean is None:
            continue
        noisy = mean.noisy(bags, seeded(1))
        words = mean.compose(noisy, 3, seeded(1))
        assert np.isfinite(noisy).all()
        assert 0 < mean.stretch < inf
        assert np.isin(words, np.arange(len(table))).all()
        if table.name in EQUAL:
            assert (mean.noisy(bags[::-1], seeded(1)) == noisy).all()


@pytest.mark.parametrize("epsilon", [1e-320, 1e-9, 1.0, 1e300, 1.7e308])
@pytest.mark.parametrize("distance", [0.0, 1e-320, 3.0, 1e300])
def test_accounts_are_finite_and_no_more_than_pure(epsilon, distance):
    for count in (1, 10**6):
        account = tried(lambda n: Account.of_bags(epsilon, [distance], 2).over_releases(n), count)
        pure = Fraction(epsilon) * Fraction(distance) * count
        assert account is not None or pure > Fraction(1.79e308)
        if account is None:
            continue
        assert float(account.pure) == pytest.approx(float(pure), rel=1e-12, abs=1e-318)
        for delta in (5e-324, 1e-6, 1 - 2**-53):
            assert 0 <= account.loss(delta) <= account.pure
        assert 0 <= account.delta(0.0) <= 1


@pytest.mark.parametrize("name", ["laplace", "exponential", "diffractor", "custext"])
@pytest.mark.parametrize("where", ["one word", "two equal words", "two words"])
def test_calibration_finds_or_refuses_any_target(name, where):
    dial = Dial.of(Recipe(name), kept(TABLES[where]), draws=50)
    for wanted in (Wanted("unchanged", 1e-320), Wanted("unchanged", 1 - 2**-53)):
        point = tried(choose, dial, wanted)
        assert point is None or 0 < point.value < inf
    assert tried(choose, dial, Wanted("moved", 1e300)) is None


@pytest.mark.parametrize("size", [1e200, 1e39])
def test_vectors_too_large_for_a_table_are_refused(size):
    with pytest.raises(InputError, match="finite"):
        Table(TINY.words, size * PLACES)


def test_vectors_too_small_for_a_table_are_refused():
    with pytest.raises(InputError, match="rescale"):
        Table(TINY.words, 1e-200 * PLACES)


NUMBERS = ("0", "-1", "nan", "inf", "1e400", "1e-400", "1e-320", "1e-300", "1e-9", "1", "1e300")


@pytest.fixture
def folder(tmp_path):
    rows = [f"{word} {x:g} {y:g}" for word, (x, y) in zip(TINY.words, PLACES, strict=True)]
    (tmp_path / "t.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "letter.txt").write_text("An apple by the river.", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("option", ["--epsilon", "--budget"])
@pytest.mark.parametrize("size", ["1", "1000"])
def test_the_command_works_or_refuses_in_one_line(folder, option, size):
    codes = []
    for number in NUMBERS:
        given = ("letter.txt", "--table", "t.txt", "--size", size, f"{option}={number}")
        done = here(folder, "obfuscate", *given, "-o", "out.txt", "--stop-words", "none", "--force")
        codes.append(done.returncode)
        assert done.returncode in (0, 2)
        if done.returncode:
            assert "Traceback" not in done.stderr
            assert not {"apple", "river"} & set(done.stderr.split())
        else:
            words = (folder / "out.txt").read_text(encoding="utf-8").split()
            assert len(words) == int(size)
            assert set(words) <= set(TINY.words)

    assert codes[:8] == [2] * 8
    assert codes[9:] == [0, 0]
