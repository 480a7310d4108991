"""Decodings: from noisy vectors to words. They see nothing else, so they cost nothing."""

from collections.abc import Callable

from nomdeplume.decode.bayes import Bayes, zipf
from nomdeplume.decode.kinds import Decode, Decoder
from nomdeplume.decode.nearest import Nearest
from nomdeplume.decode.rank import Rank
from nomdeplume.decode.vickrey import Vickrey

__all__ = ["DECODERS", "Bayes", "Decode", "Decoder", "Nearest", "Rank", "Vickrey", "zipf"]

DECODERS: dict[str, Callable[..., Decoder]] = {
    "nearest": Nearest,
    "vickrey": Vickrey,
    "rank": Rank,
    "bayes": Bayes,
}
