"""Fuzzy ranks: the mean rank of everybody who does not differ significantly."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import TableError


def fuzzy_ranks(rank: FloatArray | IntArray, different: BoolArray) -> FloatArray:
    r"""Mean rank over all members that are not significantly different from each, itself included.

    .. math:: f_a = \frac{1}{|N_a|} \sum_{b \in N_a} \text{rank}_b, \qquad
              N_a = \{a\} \cup \{b : a \text{ and } b \text{ do not differ}\}

    A member whose neighbours stand above and below keeps its rank; one that cannot be told from better ones moves
    towards them. Unlike clusters, no line has to be drawn through members that are alike.

    Parameters
    ----------
    rank : array, shape (k,)
        1 is best. NaN: the member has no rank, gets none, and is nobody's neighbour.
    different : array of bool, shape (k, k)
        Which pairs differ significantly. A pair differs when it is said in either direction, so one-sided tests
        can be given as they are; the diagonal is not looked at.

    Returns
    -------
    array, shape (k,)

    References
    ----------
    .. [1] Macháček and Bojar (2013), Results of the WMT13 metrics shared task, WMT, on correlating metrics with
       rankings of systems that human judges could not tell apart.

    Examples
    --------
    The first differs from the third only:

    >>> different = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> fuzzy_ranks(np.array([1.0, 2.0, 3.0]), different)
    array([1.5, 2. , 2.5])
    """
    place = np.asarray(rank, dtype=np.float64)
    if place.ndim != 1 or different.shape != (place.size, place.size):
        raise TableError(
            f"Ranks of shape {place.shape} and differences of shape {different.shape} do not fit together. "
            "Give k ranks and a k by k array that says which pairs differ."
        )
    ranked = ~np.isnan(place)
    alike = ~(different | different.T) & ranked
    np.fill_diagonal(alike, ranked)
    total = alike @ np.where(ranked, place, 0.0)
    return np.asarray(np.where(ranked, total / np.maximum(alike.sum(axis=1), 1), np.nan))
