"""Ranks with uncertainty: significance clusters, fuzzy ranks, and simultaneous rank ranges."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import TableError


def greedy_clusters(different: BoolArray) -> IntArray:
    """Number the clusters of systems in order, best first.

    Walking down the order, a system opens a new cluster as soon as it differs significantly from *any* member
    of the current cluster [1]_. Simple and widely used (WMT, mt-metrics-eval), but two systems that do not
    differ can land in different clusters; :func:`betterthan.kernels.display.letters.letter_display` has no such fault.

    Parameters
    ----------
    different : array of bool, shape (m, m)
        Systems in order, best first. Entry [a, b]: a and b differ significantly; either triangle may say so.

    Returns
    -------
    array of int, shape (m,)
        From 1; never decreasing.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch, Khayrallah (2024), Improving statistical significance in human evaluation
       of automatic metrics via soft pairwise accuracy, WMT. "So far" is read as "in the current cluster".

    Examples
    --------
    The last two do not differ, and yet:

    >>> different = np.zeros((3, 3), dtype=bool)
    >>> different[0, 2] = True
    >>> greedy_clusters(different)
    array([1, 1, 2])
    """
    either = different | different.T
    clusters = np.ones(len(either), dtype=np.int64)
    first = 0
    for system in range(1, len(either)):
        opens = either[system, first:system].any()
        first = system if opens else first
        clusters[system] = clusters[system - 1] + opens
    return clusters


def fuzzy_ranks(rank: FloatArray | IntArray, different: BoolArray) -> FloatArray:
    r"""Mean rank over all members that are not significantly different from each, itself included.

    .. math:: f_a = \frac{1}{|N_a|} \sum_{b \in N_a} \text{rank}_b, \qquad
              N_a = \{a\} \cup \{b : a \text{ and } b \text{ do not differ}\}

    A member that differs significantly from those above and below keeps its rank; one that does not differ from better
    ones moves toward them. Unlike clusters, this requires no boundary between similar members.

    Parameters
    ----------
    rank : array, shape (k,)
        1 is best. NaN: the member has no rank and is left out.
    different : array of bool, shape (k, k)
        Which pairs differ significantly. A pair differs when it is said in either direction, so one-sided tests
        can be given as they are; the diagonal is not looked at.

    Returns
    -------
    array, shape (k,)

    References
    ----------
    .. [1] Macháček and Bojar (2013), Results of the WMT13 metrics shared task, WMT, on correlating metrics with
       rankings of systems that did not differ significantly by human judgments.

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


def simultaneous_rank_intervals(better: BoolArray) -> tuple[IntArray, IntArray]:
    r"""Simultaneous rank ranges from pairwise tests.

    .. math:: [\,1 + \#\{b : b \succ a\},\; m - \#\{b : a \succ b\}\,]

    If the tests are adjusted so that the chance of any false claim is at most alpha (Holm, Bonferroni, maximum of
    the statistic), then with probability 1 − alpha *every* true rank lies in its interval [1]_.

    Parameters
    ----------
    better : array of bool, shape (m, m)
        Entry [a, b]: a is significantly better than b.

    Returns
    -------
    low, high : array of int, shape (m,)
        Rank 1 is best.

    References
    ----------
    .. [1] Mohamad, Goeman, van Zwet (2022), Simultaneous confidence intervals for ranks with application to
       ranking institutions, Biometrics 78.

    Examples
    --------
    >>> better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> simultaneous_rank_intervals(better)
    (array([1, 1, 2]), array([2, 3, 3]))
    """
    m = len(better)
    low = 1 + np.count_nonzero(better, axis=0)
    high = m - np.count_nonzero(better, axis=1)
    return low.astype(np.int64), high.astype(np.int64)
