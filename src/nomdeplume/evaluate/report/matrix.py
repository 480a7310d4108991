"""A matrix of who is taken for whom, small enough to be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

MOST = 60  # rows that are drawn; of more authors, several share a row
LEVELS = (0.04, 0.08, 0.14, 0.22, 0.32, 0.45, 0.6, 0.8)  # where the next shade begins


@dataclass(frozen=True)
class Matrix:
    """Shares in rows that add up to 1: row, the true author; column, the author named."""

    rows: tuple[tuple[float, ...], ...]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def diagonal(self) -> list[float]:
        return [row[i] for i, row in enumerate(self.rows)]

    def ordered(self, order: Sequence[int]) -> Matrix:
        return Matrix(tuple(tuple(self.rows[i][j] for j in order) for i in order))

    def grouped(self, groups: int) -> Matrix:
        """Neighbours together: of a group's documents, the share named as each group.

        Rows are averaged and columns added, so rows still add up to 1.
        """
        n = len(self)
        cuts = [round(i * n / groups) for i in range(groups + 1)]
        spans = [range(one, other) for one, other in pairwise(cuts)]
        halfway = [[sum(row[j] for j in span) for span in spans] for row in self.rows]
        return Matrix(
            tuple(
                tuple(sum(halfway[i][k] for i in span) / len(span) for k in range(groups))
                for span in spans
            )
        )

    def shade(self, share: float) -> int:
        """The shade of a square; none where it is close to what guessing gives."""
        chance = 1 / len(self)
        if share < chance + min(0.5 * chance, 0.1 * (1 - chance)):
            return 0
        return 1 + sum(share >= level for level in LEVELS)

    def shades(self) -> dict[int, str]:
        """A path for each shade: runs of squares of one shade, row by row.

        A matrix of guesses is blank, however many authors there are.
        """
        paths: dict[int, list[str]] = {}
        for y, row in enumerate(self.rows):
            x = 0
            for shade, run in groupby(row, key=self.shade):
                length = len(list(run))
                if shade:
                    paths.setdefault(shade, []).append(f"M{x} {y}h{length}")
                x += length
        return {shade: "".join(parts) for shade, parts in sorted(paths.items())}
