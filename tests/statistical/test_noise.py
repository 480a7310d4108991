"""Every noise has the law that its proof speaks of, and a small error in it would be seen."""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ive
from scipy.stats import chisquare, gamma, ks_2samp, kstest, laplace, vonmises
from tests.audit.patience import patiently
from tests.conftest import ALPHA

from nomdeplume import InputError, Laplace, Table, seeded
from nomdeplume.audit import law
from nomdeplume.audit.finding import BROKEN
from nomdeplume.audit.probe import Share
from nomdeplume.distance.ground import directions
from nomdeplume.noise import Mahalanobis, Planar, PolarLaplace, VonMisesFisher
from nomdeplume.noise.planar import radius
from nomdeplume.noise.polar import _Envelope, angles_drawn
from nomdeplume.noise.von_mises_fisher import versines

DRAWS = 120_000


def table(k, words=400):
    vectors = np.random.default_rng(k).standard_normal((words, k)) * np.geomspace(0.3, 3, k)
    return Table([f"w{i}" for i in range(words)], vectors + 1)


def unit(k):
    return Table(table(k).words, directions(table(k).vectors[:].astype(float)))


def rejects_six_percent(fit):
    """A test of a scale passes the right one, and neither 6 % less nor 6 % more."""
    return fit(1.0) > ALPHA and fit(0.94) < ALPHA and fit(1.06) < ALPHA


def along(k, rng):
    """Poles of all kinds: any, both ends of the first axis, and next to them."""
    poles = directions(rng.standard_normal((DRAWS, k)))
    poles[:100], poles[100:200], poles[200:300, 1:] = np.eye(1, k), -np.eye(1, k), 1e-9
    return directions(poles)


@pytest.mark.parametrize("epsilon", [0.5, 10.0])
def test_planar_radius_is_gamma(epsilon, rng):
    drawn = Planar(epsilon).add(np.zeros((DRAWS, 2)), rng)
    length = np.linalg.norm(drawn, axis=1)
    angle = np.arctan2(*drawn.T)

    assert rejects_six_percent(lambda by: kstest(length, gamma(2, scale=by / epsilon).cdf).pvalue)
    assert kstest(angle, "uniform", args=(-np.pi, 2 * np.pi)).pvalue > ALPHA


def test_planar_noise_is_laplace_noise(rng):
    start = np.full((DRAWS, 2), 3.0)
    one, two = (np.linalg.norm(n.add(start, rng) - 3, axis=1) for n in (Planar(2.0), Laplace(2.0)))

    assert ks_2samp(one, two).pvalue > ALPHA
    assert ks_2samp(1.06 * one, two).pvalue < ALPHA
    assert Planar(2.0).guarantee == Laplace(2.0).guarantee
    assert Planar(2.0).name == "laplace"


def test_the_planar_radius_keeps_its_digits_at_both_ends():
    chance = np.array([0.0, 1e-300, 1e-16, 9.9e-7, 1.1e-6, 0.5, 0.999, 1 - 2.0**-53])

    assert radius(chance)[0] == 0
    assert radius(chance) == pytest.approx(gamma(2).ppf(chance), rel=1e-9)


def test_small_planar_radii_are_right_to_the_last_digits():
    """p = 1 − (1 + r)·exp(−r), computed with digits to spare."""
    for chance in (1e-30, 1e-12, 1e-9, 1e-7, 9.999e-7):
        with localcontext(prec=60):
            r = Decimal(float(radius(np.array([chance]))[0]))
            back = 1 - (1 + r) * (-r).exp()
            assert abs(back / Decimal(chance) - 1) < Decimal("1e-14")


def test_noises_refuse_vectors_that_they_have_no_law_for(rng):
    for noise, vectors in [
        (Planar(1.0), np.zeros((3, 3))),
        (Mahalanobis.of(table(3), 1.0), np.zeros((3, 2))),
        (VonMisesFisher(1.0), np.full((3, 2), 0.8)),
        (VonMisesFisher(1.0), np.ones((3, 1))),
        (PolarLaplace(1.0, 1.0, 1.0), np.ones((3, 1))),
    ]:
        with pytest.raises(InputError):
            noise.add(vectors, rng)
        if vectors.shape[1] != 2 or len(getattr(noise, "root", vectors[0])) != 2:
            with pytest.raises(InputError):
                noise.log_density(vectors, vectors)


@pytest.mark.parametrize("k", [1, 2, 50])
def test_mahalanobis_noise_is_a_stretched_ball(k, rng):
    words = table(k)
    noise = Mahalanobis.of(words, 2.0)
    drawn = noise.add(np.zeros((DRAWS, k)), rng)
    covariance = np.cov(words.vectors[:].T.astype(float), bias=True).reshape(k, k)
    shape = 0.8 * covariance * k / np.trace(covariance) + 0.2 * np.eye(k)
    least = np.linalg.eigvalsh(shape)[0]
    length = np.sqrt(np.einsum("nk,kj,nj->n", drawn, np.linalg.inv(shape), drawn))

    def fit(by):
        return kstest(length, gamma(k, scale=by / (2 * np.sqrt(least))).cdf).pvalue

    assert rejects_six_percent(fit)
    assert noise.lambda_min == pytest.approx(least)
    assert least >= 0.2 - 1e-12
    assert np.cov(drawn.T).reshape(k, k) == pytest.approx(
        shape * (k + 1) / (4 * least), abs=0.05 * np.abs(shape).max() * (k + 1) / (4 * least)
    )


def test_mahalanobis_noise_keeps_its_shape_or_takes_another(rng):
    noise = Mahalanobis.of(table(3), 2.0, mu=0.5)
    other = noise.fitted(table(2), 1.0)

    assert noise.at(5.0).root is noise.root
    assert noise.at(5.0).guarantee.epsilon == 5.0
    assert (other.root.shape, other.mu) == ((2, 2), 0.5)
    for mu in (-0.1, 1.0, float("nan")):
        with pytest.raises(InputError, match="mu must be"):
            Mahalanobis.of(table(3), 1.0, mu=mu)
    with pytest.raises(InputError, match="root must be"):
        Mahalanobis(1.0, np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("kappa", [1e-3, 1.0, 30.0, 1e3, 1e5])
@pytest.mark.parametrize("k", [2, 3, 50, 300])
def test_the_mean_direction_is_as_long_as_bessel_functions_say(k, kappa, rng):
    """A(κ) = I_{k/2}(κ)/I_{k/2−1}(κ); within five standard errors of the cosine."""
    cosine = 1 - versines(kappa, k, DRAWS, rng)
    order = np.arange(k / 2 - 1, k / 2 + 1)
    lower, upper = ive(order, kappa)
    error = 5 * cosine.std() / np.sqrt(DRAWS)

    if lower > 0:  # else too small for a float: k = 300 at a small κ
        assert cosine.mean() == pytest.approx(upper / lower, abs=error)
    else:
        assert cosine.mean() == pytest.approx(kappa / k, abs=error)
    assert np.abs(cosine).max() <= 1


@pytest.mark.parametrize("kappa", [1e-3, 2.0, 1e5])
def test_in_the_plane_it_is_the_von_mises_law(kappa, rng):
    drawn = VonMisesFisher(kappa).add(np.repeat([[1.0, 0.0]], DRAWS, axis=0), rng)
    angle = np.arctan2(drawn[:, 1], drawn[:, 0])

    assert kstest(angle, vonmises(kappa).cdf).pvalue > ALPHA
    if kappa > 1:
        assert kstest(angle, vonmises(0.94 * kappa).cdf).pvalue < ALPHA
        assert kstest(angle, vonmises(1.06 * kappa).cdf).pvalue < ALPHA


def chances(k, log_weight, width=np.pi):
    """The law of an angle by numerical integration, on 400 points up to `width`."""
    grid = np.linspace(0, width, 401)

    def density(theta):
        return np.sin(theta) ** (k - 2) * np.exp(log_weight(theta))

    parts = [quad(density, a, b)[0] for a, b in pairwise(grid)]
    total = sum(parts) + (quad(density, width, np.pi)[0] if width < np.pi else 0)
    return lambda x: np.interp(x, grid, np.cumsum([0, *parts]) / total)


@pytest.mark.parametrize(("k", "kappa"), [(3, 4.0), (20, 15.0)])
def test_angles_of_von_mises_fisher_noise(k, kappa, rng):
    poles = along(k, rng)
    drawn = VonMisesFisher(kappa).add(poles, rng)
    angle = np.arccos(np.clip((drawn * poles).sum(axis=1), -1, 1))

    assert np.linalg.norm(drawn, axis=1) == pytest.approx(1, abs=1e-12)
    assert rejects_six_percent(
        lambda by: kstest(angle, chances(k, lambda t: kappa * by * np.cos(t))).pvalue
    )


@pytest.mark.parametrize(("k", "rate"), [(2, 0.4), (2, 9.0), (3, 5.0), (20, 30.0), (300, 900.0)])
def test_angles_of_polar_noise(k, rate, rng):
    angle = angles_drawn(rate, k, DRAWS, rng)

    def fit(by):
        return kstest(angle, chances(k, lambda t: -rate * by * t, min(np.pi, 30 * k / rate))).pvalue

    assert fit(1.0) > ALPHA
    assert fit(0.94) < ALPHA
    assert fit(1.06) < ALPHA


class Even:
    """Chances one after the other in place of random ones."""

    def random(self, n):
        return (np.arange(n) + 0.5) / n


@pytest.mark.parametrize("rate", [1e-9, 1.0, 40.0])
@pytest.mark.parametrize("k", [3, 4, 12, 50, 300])
def test_polar_angles_are_drawn_under_an_envelope_that_fits(k, rate):
    """It is nowhere below the density, is drawn from all over, and is hardly larger than it."""
    envelope = _Envelope.of(rate, k - 2)
    angle, level = envelope.draw(100_001, Even())
    density = envelope.log_density(angle)
    steps = np.where(np.diff(level), np.diff(level), 1e-12)
    parts = np.diff(angle) * np.exp(level[:-1]) * np.expm1(steps) / steps
    steep, fall = envelope.steep, envelope.fall
    first = np.exp(level[0]) * -np.expm1(-steep * angle[0]) / steep
    last = np.exp(level[-1]) * -np.expm1(-fall * (np.pi - angle[-1])) / fall

    assert (density <= level + 1e-9).all()
    assert parts == pytest.approx(parts.mean(), rel=2e-3)  # as much of it for each chance
    assert [first, last] == pytest.approx([parts.mean() / 2] * 2, rel=1e-3)  # and from 0 to π
    assert np.exp(density - level).mean() > 0.8


@pytest.mark.parametrize("k", [2, 3, 300])
def test_polar_angles_are_those_of_a_uniform_direction_where_epsilon_is_small(k, rng):
    cosine = np.cos(angles_drawn(1e-9, k, DRAWS, rng))
    due = directions(rng.standard_normal((DRAWS, k)))[:, 0]

    assert ks_2samp(cosine, due).pvalue > ALPHA


@pytest.mark.parametrize("k", [2, 50])
def test_lengths_of_polar_noise_are_laplace_and_end_at_zero(k, rng):
    vectors = 6 * along(k, rng)
    drawn = PolarLaplace(3.0, arc=5.0, longest=1.0).add(vectors, rng)
    length = np.linalg.norm(drawn, axis=1) - 6
    near = PolarLaplace(0.5, arc=5.0, longest=1.0).add(vectors / 6, rng)

    assert rejects_six_percent(lambda by: kstest(length, laplace(scale=by / 3).cdf).pvalue)
    assert (~near.any(axis=1)).mean() == pytest.approx(np.exp(-0.5) / 2, abs=0.01)


def test_polar_noise_is_measured_at_the_mean_length(rng):
    noise = PolarLaplace.of(Table(["a", "b"], [[3.0, 4.0], [0.0, 1.0]]), 2.0)

    assert (noise.arc, noise.longest) == (3.0, 4.0)
    assert noise.guarantee.loss([3.0, 4.0], [0.0, 1.0]) == pytest.approx(
        2 * (3 * np.arccos(0.8) + 4)
    )
    assert noise.add(np.zeros((5, 2)), rng).shape == (5, 2)  # nothing points along the first axis
    assert PolarLaplace.of(Table(["a"], [[0.0, 0.0]]), 1.0).arc == 1


EVERY = {
    "laplace": lambda k: (Laplace(2.0), table(k)),
    "mahalanobis": lambda k: (Mahalanobis.of(table(k), 2.0), table(k)),
    "vmf": lambda k: (VonMisesFisher(3.0 * k), unit(k)),
    "polar": lambda k: (PolarLaplace.of(table(k), 2.0), table(k)),
}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("k", [2, 3, 30])
def test_no_density_ratio_is_above_the_promise_and_some_come_near(name, k, rng):
    """Exactly, by the densities: at random points, and where the two words' own line leads."""
    noise, words = EVERY[name](k)
    vectors = words.vectors[:40].astype(float)
    if name == "mahalanobis":  # two words along the narrowest direction
        vectors[1] = vectors[0] + np.linalg.eigh(noise.root)[1][:, 0]
    if name == "vmf":
        vectors = directions(vectors)
    apart = (vectors[:, None] - vectors)[~np.eye(40, dtype=bool)]
    beyond = directions(apart) if name == "vmf" else vectors.repeat(39, axis=0) + 3 * apart
    noisy = noise.add(np.repeat(vectors, 25, axis=0), rng)
    logs = noise.log_density(np.vstack((noisy, beyond)), vectors)
    losses = np.array([(logs[:, [i]] - logs).max(axis=0) for i in range(40)])
    promised = noise.guarantee.epsilon * noise.guarantee.metric.apart(vectors, vectors)
    shares = losses / np.where(promised > 0, promised, np.inf)

    assert (losses <= promised * (1 + 1e-9) + 1e-9).all()
    assert shares.max() > (0.8 if name == "polar" else 0.99)


@pytest.mark.parametrize("name", ["mahalanobis", "vmf", "polar"])
@pytest.mark.parametrize("k", [2, 3, 40])
def test_the_law_instrument_holds_it_and_sees_six_percent(name, k):
    noise, words = EVERY[name](k)

    @dataclass(frozen=True, eq=False)
    class Wrong(type(noise)):
        """Draws by another ε than it claims."""

        def add(self, vectors, rng):
            return noise.at(self.epsilon / 0.94).add(vectors, rng)

    wrong = Wrong(**{each: getattr(noise, each) for each in noise.__dataclass_fields__})

    def verdicts(noise, seconds):
        probes = law.of_noise(noise, words)
        return {probe.ask(Share(ALPHA, seconds, seeded(3))).verdict for probe in probes}

    assert verdicts(noise, 0.4) == {"held"}
    assert BROKEN in patiently(partial(verdicts, wrong), 0.4, lambda found: BROKEN in found)


def test_the_law_instrument_sees_directions_that_lean_and_lengths_that_are_cut():
    class Leans(VonMisesFisher):
        def add(self, vectors, rng):
            return directions(super().add(vectors, rng) + 0.06 * np.eye(1, vectors.shape[1]))

    class Fixed(PolarLaplace):
        def add(self, vectors, rng):
            return np.linalg.norm(vectors, axis=1)[:, None] * directions(super().add(vectors, rng))

    def verdicts(noise, words, seconds):
        probes = law.of_noise(noise, words)
        return {probe.ask(Share(ALPHA, seconds, seeded(3))).verdict for probe in probes}

    for noise, words in ((Leans(30.0), unit(10)), (Fixed(2.0, 5.0, 1.0), table(10))):
        found = patiently(partial(verdicts, noise, words), 1, lambda found: BROKEN in found)
        assert BROKEN in found


@pytest.mark.parametrize("name", EVERY)
def test_the_density_is_that_of_the_draws(name, rng):
    """In the plane: how often noise falls into cells of a square, or of the circle."""
    noise, words = EVERY[name](2)
    start = directions(words.vectors[:1].astype(float))
    drawn = noise.add(np.repeat(start, DRAWS, axis=0), rng)
    if name in {"vmf", "polar"}:
        drawn = drawn[drawn.any(axis=1)]
        cells = np.linspace(-np.pi, np.pi, 401)
        middle = (cells[1:] + cells[:-1]) / 2
        points = np.column_stack((np.cos(middle), np.sin(middle)))
        counts = np.histogram(np.arctan2(drawn[:, 1], drawn[:, 0]), cells)[0]
    else:
        cells = np.linspace(-1.5, 1.5, 22)
        middle = (cells[1:] + cells[:-1]) / 2
        points = np.array([(x, y) for x in middle for y in middle]) + start
        counts = np.histogram2d(*(drawn - start).T, bins=[cells, cells])[0].ravel()
    off_peak = np.linalg.norm(points - start, axis=1) > 0.3  # where densities are smooth

    def fit(by):
        density = np.exp(noise.at(by * noise.epsilon).log_density(points, start))[off_peak, 0]
        seen = counts[off_peak]
        common = density / density.sum() * seen.sum() > 20
        seen, density = seen[common], density[common]
        return chisquare(seen, density / density.sum() * seen.sum()).pvalue

    assert fit(1.0) > ALPHA
    assert fit(0.8) < ALPHA
    assert fit(1.25) < ALPHA
