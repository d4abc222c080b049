"""Two systems on the segments that both were scored on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import TableError
from betterthan.tables.scores import Scores


class Paired(NamedTuple):
    """Two systems on the segments that both have a score for.

    Attributes
    ----------
    a, b : str
    first, second : array, shape (n,)
        Scores of a and of b.
    n_left_out : int
        Segments where one of them has none.
    """

    a: str
    b: str
    first: FloatArray
    second: FloatArray
    n_left_out: int

    @property
    def gaps(self) -> str:
        """A sentence about the segments that were left out, or nothing."""
        n = self.n_left_out
        return f" Left out for a missing score: {n} of {n + self.first.size} segments." if n else ""


def paired(scores: Scores, systems: Sequence[str] | None) -> Paired:
    """Return the two systems to be drawn, by default the only two that there are.

    Raises
    ------
    TableError
        When there are more and none are named, or no segment has both scores.
    """
    chosen = tuple(scores.systems if systems is None else systems)
    if len(chosen) != 2:
        raise TableError(
            f"This chart shows two systems, and {len(chosen)} are given. "
            f'Name two: systems=("{scores.systems[0]}", "{scores.systems[-1]}").'
        )
    table = scores.select(chosen)
    known = ~np.isnan(table.values).any(axis=0)
    if not known.any():
        raise TableError(f"{chosen[0]} and {chosen[1]} have no segment that both are scored on.")
    first, second = table.values[:, known]
    return Paired(chosen[0], chosen[1], first, second, int((~known).sum()))


def wins(pair: Paired, *, higher_is_better: bool) -> tuple[int, int, int]:
    """Return on how many segments the first system is better, both are equal, and the second is better."""
    above, below = int((pair.first > pair.second).sum()), int((pair.first < pair.second).sum())
    better, worse = (above, below) if higher_is_better else (below, above)
    return better, pair.first.size - above - below, worse
