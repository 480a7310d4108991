"""Random numbers on a card: the standard's ChaCha20 bit for bit, and the laws of the noise."""

import copy
import pickle

import numpy as np
import pytest
from scipy.stats import beta, expon, gamma, kstest, norm, spearmanr, uniform
from tests.conftest import ALPHA

from nomdeplume import Laplace, PrivacyError
from nomdeplume.devices import Card
from nomdeplume.noise import Mahalanobis, Planar, PolarLaplace, VonMisesFisher
from nomdeplume.noise.card import Stream, stream
from nomdeplume.noise.card.chacha import Drawn
from nomdeplume.privacy.random import keystream

KEY = bytes(range(32))
DRAWS = 60_000


def test_the_block_of_the_standard(card):
    """RFC 8439, section 2.3.2."""
    after = bytes.fromhex("01000000 00000009 0000004a 00000000")

    assert Stream(card, KEY, after=after).keystream(1).hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


@pytest.mark.parametrize(
    ("key", "after", "start"),
    [  # RFC 8439, appendix A.1: five blocks by key, counter and nonce
        (bytes(32), bytes(16), "76b8e0ada0f13d90405d6ae55386bd28"),
        (bytes(32), b"\1" + bytes(15), "9f07e7be5551387a98ba977c732d080d"),
        (bytes(31) + b"\1", b"\1" + bytes(15), "3aeb5224ecf849929b9d828db1ced4dd"),
        (b"\0\xff" + bytes(30), b"\2" + bytes(15), "72d54dfbf12ec44b362692df94137f32"),
        (bytes(32), bytes(15) + b"\2", "c2c64d378cd536374ae204b9ef933fcd"),
    ],
)
def test_the_vectors_of_the_standard(card, key, after, start):
    assert Stream(card, key, after=after).keystream(1).hex().startswith(start)


def test_the_stream_is_that_of_the_processor(card):
    for counter in (0, 2**32 - 3):  # and across the end of the counter's first word
        after = counter.to_bytes(16, "little")
        assert Stream(card, KEY, after=after).keystream(300) == keystream(KEY, 300, counter=counter)


def test_kernels_draw_what_torch_draws(fused):
    mine, theirs = Stream(fused, KEY), Stream(Card(fused.torch, fused.at), KEY)
    for draw in (
        lambda s: s.standard_normal((301, 7)),
        lambda s: s.random(1000),
        lambda s: s.gamma(13, 2.0, 300),
        lambda s: s.gamma(8, 1.0, 10),
        lambda s: s.standard_normal((1, 1)),
    ):
        assert (draw(mine) - draw(theirs)).abs().max().item() < 1e-12


@pytest.mark.parametrize("count", [1, 7, 8, 2048, 2049, 9 * 2048, 20_000])
def test_as_many_numbers_are_drawn_as_were_asked_for(quick, count):
    drawing = Stream(Card(quick.torch, quick.at), KEY)

    assert drawing.random(count).shape == (count,)
    assert drawing.standard_normal((count, 1)).shape == (count, 1)
    assert drawing.gamma(9, 1.0, count).shape == (count,)


def test_only_noise_that_a_card_can_draw_says_so():
    """What is made of it must not inherit that: its own `add` may know nothing of tensors."""
    kinds = (Laplace, Mahalanobis, Planar, PolarLaplace, VonMisesFisher)

    assert [each for each in kinds if vars(each).get("portable")] == [Laplace, Mahalanobis]


def test_no_block_is_used_twice(monkeypatch):
    """Every block that is made is recorded, by its number: none is made again by the same key.

    Kernels make the same draws of the same blocks: see above.
    """
    import torch

    made = []
    block = Drawn._block
    monkeypatch.setattr(
        Drawn, "_block", lambda *given: made.append(given[2].numpy()) or block(*given)
    )
    drawing = Stream(Card(torch, torch.device("cpu")), KEY)
    made.clear()  # what the cipher was tried by, under a public key
    for draw in (
        lambda: drawing.standard_normal((30, 100)),
        lambda: drawing.standard_normal((9, 2048)),  # to the last number of the last block
        lambda: drawing.random(9 * 2048),
        lambda: drawing.gamma(100, 1.0, 30),
        lambda: drawing.gamma(1, 1.0, 7),
        lambda: drawing.random(5),
        lambda: drawing.standard_normal((1, 1)),
        lambda: drawing.gamma(9, 1.0, 3),
        lambda: drawing.keystream(4),
    ):
        draw()
    numbers = np.concatenate(made)

    assert len(made) == 9
    assert len(np.unique(numbers)) == len(numbers) == drawing._used


def test_a_card_that_gets_the_cipher_wrong_is_refused(quick, monkeypatch):
    monkeypatch.setattr(stream, "_drawn", stream._drawn.__wrapped__)
    monkeypatch.setattr(Drawn, "keystream", lambda *given: given[0]._torch.zeros((9, 16)))
    with pytest.raises(PrivacyError, match="does not compute ChaCha20"):
        Stream(Card(quick.torch, quick.at))


@pytest.mark.parametrize("key", [b"", bytes(16), bytes(33)])
def test_a_key_of_another_length_is_refused(quick, key):
    with pytest.raises(PrivacyError, match="32 bytes"):
        Stream(quick, key)


def test_a_key_is_fresh_and_forgotten(quick):
    one, two = Stream(quick), Stream(quick)
    assert one.keystream(1) != two.keystream(1)
    one.close()
    assert not one._state.any()
    with pytest.raises(PrivacyError, match="closed"):
        one.random(1)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_stream_is_not_copied(quick, way):
    with pytest.raises(PrivacyError, match="must not be copied"):
        way(Stream(quick))


def drawn(tensor):
    return tensor.cpu().numpy()


def test_uniform_normal_and_gamma_numbers_have_their_laws(quick):
    stream = Stream(quick, KEY)
    for numbers, law in (
        (drawn(stream.random(DRAWS)), uniform()),
        (drawn(stream.standard_normal((DRAWS // 50, 50))).ravel(), norm()),
        (drawn(stream.gamma(1, 1.0, DRAWS)), expon()),
        (drawn(stream.gamma(9, 0.5, DRAWS)), gamma(9, scale=0.5)),
        (drawn(stream.gamma(300, 1.0, DRAWS // 10)), gamma(300)),
    ):
        assert kstest(numbers, law.cdf).pvalue > ALPHA
        assert kstest(1.06 * numbers, law.cdf).pvalue < ALPHA  # six percent would be seen


def test_pairs_of_normal_numbers_are_independent(quick):
    """Box and Muller make two of two: neither they nor their sizes go together."""
    normal = drawn(Stream(quick, KEY).standard_normal((DRAWS // 2048, 2048)))
    for apart in (1, 256, 512):
        one, two = normal.ravel()[:-apart], normal.ravel()[apart:]
        assert spearmanr(one, two).pvalue > ALPHA
        assert spearmanr(np.abs(one), np.abs(two)).pvalue > ALPHA


@pytest.mark.parametrize("k", [1, 2, 3, 50])
def test_laplace_noise_has_its_law(quick, k):
    """As in tests/statistical/test_laplace.py, from the same body."""
    torch = quick.torch
    zero = torch.zeros((DRAWS // 2, k), dtype=torch.float32, device=quick.at)
    noise = drawn(Laplace(2.0).add(zero, Stream(quick, KEY)))
    length = np.linalg.norm(noise, axis=1)

    assert noise.dtype == np.float64
    assert kstest(length, gamma(k, scale=0.5).cdf).pvalue > ALPHA
    assert kstest(length, gamma(k, scale=0.47 if k > 1 else 0.4).cdf).pvalue < ALPHA
    if k > 1:
        unit = noise / length[:, None]
        law = beta((k - 1) / 2, (k - 1) / 2).cdf
        for along in (np.eye(k)[0], np.ones(k) / np.sqrt(k)):
            assert kstest((1 + unit @ along) / 2, law).pvalue > ALPHA
            assert spearmanr(length, unit @ along).pvalue > ALPHA


def test_noise_is_added_to_vectors(quick, table):
    vectors = quick.put(np.tile(table.vectors[3], (DRAWS // 4, 1)))
    for noise in (Laplace(3.0), Mahalanobis.of(table, 3.0)):
        noisy = drawn(noise.add(vectors, Stream(quick, KEY)))
        standard = noise.standard(noisy, drawn(vectors).astype(np.float64))
        assert kstest(np.linalg.norm(standard, axis=1), gamma(2).cdf).pvalue > ALPHA
