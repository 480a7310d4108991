"""The law of the loss between two points, against closed forms and an independent formula."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc, gammaincinv, ive, kve
from scipy.stats import laplace

from nomdeplume import InputError
from nomdeplume.privacy.accountant import LossLaw
from nomdeplume.privacy.accountant import grid as on_grids
from nomdeplume.privacy.accountant.angles import NAUGHT, Angles, bessel_ratio
from nomdeplume.privacy.accountant.grid import on_grid

LAWS = [(k, s) for k in (1, 2, 3, 4, 10, 100, 1000) for s in (0.01, 1.0, 8.0, 40.0)]


def bounds(k, s, losses, bins=20_000):
    """theory.md's formula for P(L > ℓ), with the radius at the left and at the right of bins."""
    radius = gammaincinv(k, np.arange(bins + 1) / bins)[:, None]
    with np.errstate(divide="ignore"):
        c = (s**2 - losses**2) / (2 * radius * s) - losses / s
    chance = betainc((k - 1) / 2, (k - 1) / 2, np.clip((1 + c) / 2, 0, 1))
    return chance[1:].mean(axis=0), chance[:-1].mean(axis=0)


@pytest.mark.parametrize(("k", "s"), [law for law in LAWS if law[0] > 1])
def test_the_law_lies_between_the_bounds_of_an_independent_formula(k, s):
    losses = np.linspace(-0.95, 0.95, 20) * s
    low, high = bounds(k, s, losses)
    found = LossLaw(k, s).above(losses)

    assert (low - 1e-12 <= found).all()
    assert (found <= high + 1e-12).all()
    assert (high - low).max() < 1e-3
    assert (LossLaw(k, 0.97 * s).above(losses) < low).any()  # 3 % too little would be seen


@pytest.mark.parametrize(("least", "most"), [(-300, -8), (-9, -7), (-8, 1), (0, 8.9)])
def test_the_ratio_of_bessel_functions_is_exact(least, most):
    z = np.concatenate([np.logspace(least, most, 2001), [NAUGHT]])

    assert bessel_ratio(z) == pytest.approx(z * kve(1, z) / kve(0, z), rel=1e-14)


@pytest.mark.parametrize(("k", "s"), LAWS)
def test_the_other_direction_has_the_same_law(k, s):
    """f(−ℓ) = e^(−ℓ)·f(ℓ): so must a loss, if it is the same both ways."""
    law, losses = LossLaw(k, s), np.linspace(-0.9, 0.9, 7) * s

    assert law.density(-losses) == pytest.approx(np.exp(-losses) * law.density(losses), rel=1e-9)
    assert law.log_moment(-1) == pytest.approx(0, abs=1e-11)
    assert law.log_moment(-3) == law.log_moment(2)


@pytest.mark.parametrize(("k", "s"), LAWS)
def test_all_of_it_is_one(k, s):
    law = LossLaw(k, s)

    assert law.above([-s - 1e-9, s]).tolist() == pytest.approx([1, 0], abs=1e-12)
    assert law.density([-s - 1, s + 1]).tolist() == [0, 0]


@pytest.mark.parametrize(("k", "s"), [(2, 1.0), (3, 2.0), (7, 4.0)])
def test_the_density_is_that_of_the_chances(k, s):
    law = LossLaw(k, s)
    mass, _ = quad(law.density, 0.1 * s, 0.7 * s)

    assert mass == pytest.approx(law.above(0.1 * s) - law.above(0.7 * s), rel=1e-8)


@pytest.mark.parametrize(("k", "s"), [(2, 0.01), (2, 8.0), (3, 1.0), (10, 8.0), (100, 40.0)])
@pytest.mark.parametrize("order", [0.0, 0.3, 1.0, 7.0])
def test_moments_are_those_of_bessel_functions(k, s, order):
    def log_part(w):
        nu = k / 2 - 1
        kappa = 2 * (k - 1) * s * kve(nu + 1, s / 2) / kve(nu, s / 2)
        both = s**2 * (nu + 0.5) * (2 / w) * ive(nu + 1, w) + kappa * ive(nu, w)
        return nu * np.log(2 / w) + np.log(both) + w

    due = log_part((order + 0.5) * s) - log_part(0.5 * s)
    assert LossLaw(k, s).log_moment(order) == pytest.approx(due, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("order", [0.3, 1.0, 7.0])
def test_small_losses_in_many_dimensions_are_a_bell(order):
    due = order * (1 + order) / 2000  # variance s²/k, mean half of that

    assert LossLaw(1000, 1.0).log_moment(order) == pytest.approx(due, rel=0.01)


def test_on_a_line_it_is_known_in_full():
    s, losses = 1.5, np.array([-1.4, -0.5, 0.0, 0.5, 1.4])
    turn = (s - losses) / 2  # where the loss is ℓ: it falls from s to −s between the points

    assert LossLaw(1, s).above(losses) == pytest.approx(laplace.cdf(turn), rel=1e-12)
    assert LossLaw(1, s).density(losses) == pytest.approx(np.exp((losses - s) / 2) / 4, rel=1e-12)


def test_farther_apart_is_never_safer():
    """δ grows with the distance at every loss, so a bound for far words holds for near ones."""
    for k in (1, 2, 5, 50):
        laws = [LossLaw(k, s) for s in (0.5, 0.8, 1.2, 3.0)]
        for loss in (0.0, 0.1, 0.4):
            found = [_delta(law, loss) for law in laws]
            assert found == sorted(found)
            assert found[0] < found[-1]


def _delta(law, loss):
    """∫ over ℓ > loss of e^(loss−ℓ)·P(L > ℓ): δ, by parts."""
    return quad(lambda x: np.exp(loss - x) * law.above(x), loss, law.loss)[0]


@pytest.mark.parametrize(("k", "s"), LAWS)
@pytest.mark.parametrize("tilt", [0.0, 0.5, 20.0])
def test_a_grid_keeps_the_mass_under_both_inputs(k, s, tilt):
    """Connected dots: Σp = 1 and Σp·e^(−ℓ) = 1, and nothing but a little more spread."""
    step = 2.0**-6 * s
    grid = on_grid(Angles(k, np.array([s])), tilt, step)
    places, masses, moment, error = grid.row(0)
    p = np.exp(np.log(masses) + moment - tilt * step * places)

    assert error < 1e-9
    assert masses.sum() == pytest.approx(1, rel=1e-12)
    assert moment >= LossLaw(k, s).log_moment(tilt) - 1e-12
    if tilt == 0 and s < 10:  # else what the other input likes best is beyond rounding here
        assert p.sum() == pytest.approx(1, rel=1e-9)
        assert (p * np.exp(-step * places)).sum() == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("s", [0.37, 1.03, 3.3])
def test_so_does_a_grid_that_misses_the_ends_of_the_law(k, s):
    """On a line both ends have a mass of their own, which is to be split like any other."""
    step = 2.0**-4
    places, masses, moment, _ = on_grid(Angles(k, np.array([0.5, s])), 0.0, step).row(1)

    assert moment == pytest.approx(0, abs=1e-9)
    assert (masses * np.exp(-step * places)).sum() == pytest.approx(1, rel=1e-9)
    assert -s - step < step * places.min() <= -0.9 * s
    assert 0.9 * s <= step * places.max() < s + step


@pytest.mark.parametrize("k", [1, 2, 3, 10, 100, 1000])
@pytest.mark.parametrize("s", [0.1, 5.0, 60.0, 3000.0])
@pytest.mark.parametrize("tilt", [0.0, 0.3, 5.0, 300.0])
def test_quadrature_errs_by_less_than_is_allowed_for_it(k, s, tilt, monkeypatch):
    """Against a rule of nearly three times the order, on grids as coarse as there are."""
    angles = Angles(k, np.array([s]))
    deviation = float(np.sqrt(angles.moments(tilt)[2][0]))
    for share in (0.1, 1.0, 4.0):
        step = 2.0 ** np.floor(np.log2(min(share * deviation, 0.5 / (1 + tilt))))
        coarse = on_grid(angles, tilt, step)
        with monkeypatch.context() as patch:
            patch.setattr(on_grids, "PANEL_NODES", 14)
            fine = on_grid(angles, tilt, step)
        digits = 8 * np.finfo(float).eps * abs(fine.moments[0])  # of a logarithm, allowed elsewhere
        scaled = max(0.0, abs(coarse.moments[0] - fine.moments[0]) - digits)
        assert np.abs(coarse.masses - fine.masses).sum() + scaled < coarse.errors[0] / 2


def test_what_is_no_law_is_refused():
    for k, s in ((0, 1.0), (2, 0.0), (2, np.inf), (1.5, 1.0)):
        with pytest.raises(InputError):
            LossLaw(k, s)
