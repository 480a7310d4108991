"""How fast it is on this machine, beside what the machine can do."""

from nomdeplume.bench.bench import Bench, Speed, eager
from nomdeplume.bench.rates import ceiling, queries
from nomdeplume.stopwatch import best

__all__ = ["Bench", "Speed", "best", "ceiling", "eager", "queries"]
