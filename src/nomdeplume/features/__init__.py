"""Topic words, and directions that tell topics apart: what to keep, learnt from public texts.

Spread over two layers: the value `Features` is below the vocabulary, whose words it narrows;
what fits it (`fitting`, `directions`) is above, since it counts kept words.
"""

from typing import TYPE_CHECKING

from nomdeplume.late import late

if TYPE_CHECKING:
    from nomdeplume.features.features import Features

__all__ = ["Features"]

__getattr__ = late(__name__, {"features": ("Features",)})
