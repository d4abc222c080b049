"""Counting wins as a plain loop, compiled by numba (see :mod:`betterthan.kernels.compiled`)."""

from __future__ import annotations

from betterthan.arrays import FloatArray


def count_wins_loop(goodness: FloatArray, wins: FloatArray) -> None:
    """Add to `wins` (m, m) on how many segments of `goodness` (m, n) the row is above the column.

    Both directions are counted in one pass over a pair, and a missing score (NaN) is above nothing.

    Examples
    --------
    >>> import numpy as np
    >>> wins = np.zeros((2, 2))
    >>> count_wins_loop(np.array([[1.0, 2, 3], [2, 2, np.nan]]), wins)
    >>> wins
    array([[0., 0.],
           [1., 0.]])
    """
    n_systems, n_segments = goodness.shape
    for i in range(n_systems):
        for j in range(i):
            above, below = 0, 0
            for segment in range(n_segments):
                above += goodness[i, segment] > goodness[j, segment]
                below += goodness[j, segment] > goodness[i, segment]
            wins[i, j] += above
            wins[j, i] += below
