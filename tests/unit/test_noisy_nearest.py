"""What a mechanism of noise and a search says of itself, and how little ε it takes."""

import numpy as np
import pytest
from tests.conftest import TINY

from nomdeplume import InputError, Laplace, NoisyNearest
from nomdeplume.decode import Nearest, Rank, Vickrey
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.image import Projection
from nomdeplume.noise import Mahalanobis, PolarLaplace


def test_settings_are_those_of_its_parts():
    """A certificate states them, and a promise is proved again from them."""
    noise, image = Mahalanobis.of(TINY, 0.7), Projection([[0.6, 0.8]], "mine")

    assert NoisyNearest(TINY, Laplace(1.0)).settings == {}
    assert NoisyNearest(TINY, noise).settings == {"mu": 0.8, "lambda_min": noise.lambda_min}
    assert NoisyNearest(TINY, PolarLaplace(1.0, 3.0, 2.0)).settings == {"arc": 3.0}
    assert NoisyNearest(TINY, Laplace(1.0), image=image).settings == image.settings
    for decoder in (Vickrey(), Rank(0.5)):
        due = {"decode": decoder.name, **decoder.settings}
        assert NoisyNearest(TINY, Laplace(1.0), decoder=decoder).settings == due


def test_it_is_known_by_its_noise_or_as_vickrey():
    polar = PolarLaplace(1.0, 3.0, 2.0)

    assert NoisyNearest(TINY, Laplace(1.0)).name == "laplace"
    assert NoisyNearest(TINY, Laplace(1.0), decoder=Rank(0.5)).name == "laplace"
    assert NoisyNearest(TINY, Laplace(1.0), decoder=Vickrey()).name == "vickrey"
    assert NoisyNearest(TINY, polar, decoder=Vickrey()).name == "polar"


def test_only_another_decoder_is_post_processing():
    assert NoisyNearest(TINY, Laplace(1.0), decoder=Nearest()).guarantee.proofs == ("laplace",)
    assert NoisyNearest(TINY, Laplace(1.0), decoder=Rank(0.5)).guarantee.proofs == (
        "laplace",
        "postprocessing",
    )


def test_noise_that_floats_cannot_hold_is_refused():
    """Noise of a length of k/ε on average must stay below 2⁴² steps of the grid."""
    least = TINY.dimensions / (2.0**42 * TINY.grid)

    assert NoisyNearest(TINY, Laplace(least)).guarantee.epsilon == least
    with pytest.raises(InputError, match="floats cannot hold the noise"):
        NoisyNearest(TINY, Laplace(0.999 * least))


def test_inputs_and_outputs_are_in_the_order_of_the_table():
    one = Exponential(TINY, 0.5, inputs=np.array([3, 1, 1]), outputs=np.array([2, 0]))
    two = Exponential(TINY, 0.5, inputs=np.array([1, 3]), outputs=np.array([0, 2]))

    assert (one.inputs.tolist(), one.outputs.tolist()) == ([1, 3], [0, 2])
    assert one.sign == two.sign
    others = (Exponential(TINY, 0.6), Exponential(TINY, 0.5), Exponential(TINY, 0.5, inputs=[1, 2]))
    assert len({each.sign for each in (one, *others)}) == 4
