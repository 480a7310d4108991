"""Images: public maps of vectors before noise is added, and what they do to a guarantee."""

from typing import TYPE_CHECKING

from nomdeplume.late import late
from nomdeplume.mechanism.image.kinds import FeatureMap, Image, imaged
from nomdeplume.mechanism.image.projection import Projection

if TYPE_CHECKING:
    from nomdeplume.mechanism.image.anchors import Anchors
    from nomdeplume.mechanism.image.network import Network
    from nomdeplume.mechanism.image.unit import Unit
    from nomdeplume.mechanism.image.values import Values

__all__ = ["Anchors", "FeatureMap", "Image", "Network", "Projection", "Unit", "Values", "imaged"]

__getattr__ = late(
    __name__,
    {"anchors": ("Anchors",), "network": ("Network",), "unit": ("Unit",), "values": ("Values",)},
)
