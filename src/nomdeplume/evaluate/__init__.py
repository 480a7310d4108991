"""Is the author hidden, and is the topic still there? Attackers, topics, and a report.

Needs scikit-learn and msgspec, which `pip install 'nomdeplume[eval]'` brings.
"""

from nomdeplume.evaluate.labelled import Labelled
from nomdeplume.evaluate.library import evaluate
from nomdeplume.evaluate.report import page
from nomdeplume.evaluate.results import Results

__all__ = ["Labelled", "Results", "evaluate", "page"]
