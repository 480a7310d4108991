"""From a noisy vector to the nearest word: post-processing, it never sees the secret."""

from nomdeplume.nearest.auto import Auto
from nomdeplume.nearest.exact import Exact
from nomdeplume.nearest.kinds import INDEXES, Index, checked, index
from nomdeplume.nearest.scan import Scan
from nomdeplume.nearest.several import Several

__all__ = ["INDEXES", "Auto", "Exact", "Index", "Scan", "Several", "checked", "index"]
