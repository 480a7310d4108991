"""Work on one task after another, elsewhere: in a thread ahead of its caller, or in processes.

Nothing here knows what the work is. Results come in the order of their tasks, and an error
in its turn, after the results before it.
"""

from typing import TYPE_CHECKING

from nomdeplume.late import late
from nomdeplume.workers.thread import ahead

if TYPE_CHECKING:
    from nomdeplume.workers.pool import Pool

__all__ = ["MOST", "Pool", "ahead"]

MOST = 256  # workers of a pool

__getattr__ = late(__name__, {"pool": ("Pool",)})
