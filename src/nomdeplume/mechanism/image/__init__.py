"""Images: public maps of vectors before noise is added, and what they do to a guarantee."""

from nomdeplume.mechanism.image.anchors import Anchors
from nomdeplume.mechanism.image.kinds import FeatureMap, Image, imaged
from nomdeplume.mechanism.image.network import Network
from nomdeplume.mechanism.image.projection import Projection
from nomdeplume.mechanism.image.unit import Unit
from nomdeplume.mechanism.image.values import Values

__all__ = ["Anchors", "FeatureMap", "Image", "Network", "Projection", "Unit", "Values", "imaged"]
