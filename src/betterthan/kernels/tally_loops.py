"""Counting flipped sums beyond the observed ones as a plain loop, compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

Numbers = npt.NDArray[Any]


def tally_loop(
    sums: Numbers, lower: Numbers, upper: Numbers, beyond: Numbers, reached: Numbers, is_two_sided: int
) -> None:
    """Count for each pair a < b the resamples whose difference of sums is above `upper`, and not below `lower`.

    Parameters
    ----------
    sums : array of float32, shape (m, n_resamples)
    lower, upper : array of float32, shape (m, m)
    beyond, reached : array of int64, shape (m, m)
        Filled above the diagonal.
    is_two_sided : int
        Not 0: absolute differences.

    Examples
    --------
    >>> import numpy as np
    >>> beyond, reached = np.zeros((2, 2, 2), dtype=int)
    >>> bound = np.full((2, 2), 2.0, dtype=np.float32)
    >>> sums = np.array([[3, 2, -3], [0, 0, 0]], dtype=np.float32)
    >>> tally_loop(sums, bound, bound, beyond, reached, 1)
    >>> int(beyond[0, 1]), int(reached[0, 1])
    (2, 3)
    """
    n_systems, n_resamples = sums.shape
    for a in range(n_systems):
        for b in range(a + 1, n_systems):
            above, high, low = 0, upper[a, b], lower[a, b]
            not_below = 0
            if is_two_sided:
                for r in range(n_resamples):
                    size = abs(sums[a, r] - sums[b, r])
                    above += size > high
                    not_below += size >= low
            else:
                for r in range(n_resamples):
                    difference = sums[a, r] - sums[b, r]
                    above += difference > high
                    not_below += difference >= low
            beyond[a, b] = above
            reached[a, b] = not_below
