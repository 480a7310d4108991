"""Cards: torch on the processor, our kernels in Triton's interpreter, and a real one if there is.

The same tests hold for all; those on a real card are marked `gpu`.
"""

from importlib.util import find_spec

import pytest

from nomdeplume.devices import Card


def _card(name):
    import torch

    if name == "interpreted" and not find_spec("triton"):
        pytest.skip("Triton is not made for this system")
    if name != "cuda":
        return Card(torch, torch.device("cpu"), fused=name == "interpreted")
    if not torch.cuda.is_available():
        pytest.skip("no card")
    return Card(torch, torch.device("cuda"), fused=True)


REAL = pytest.param("cuda", marks=pytest.mark.gpu)


@pytest.fixture(params=["torch", "interpreted", REAL])
def card(request):
    """Every way to use a card."""
    return _card(request.param)


@pytest.fixture(params=["interpreted", REAL])
def fused(request):
    """The ways that run our kernels."""
    return _card(request.param)


@pytest.fixture(params=["torch", REAL])
def quick(request):
    """The ways that are fast enough for many draws."""
    return _card(request.param)
