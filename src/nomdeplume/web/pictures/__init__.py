"""Pictures of the studio: SVG that is drawn here, and takes its colours from the page."""

from nomdeplume.web.pictures.bars import gauge, names
from nomdeplume.web.pictures.cloud import cloud
from nomdeplume.web.pictures.neighbours import neighbours
from nomdeplume.web.pictures.passages import passages
from nomdeplume.web.pictures.style import RULES
from nomdeplume.web.pictures.trade import trade

__all__ = ["RULES", "cloud", "gauge", "names", "neighbours", "passages", "trade"]
