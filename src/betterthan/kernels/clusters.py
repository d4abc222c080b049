"""Significance clusters, as shared tasks draw them."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, IntArray


def greedy_clusters(different: BoolArray) -> IntArray:
    """Number the clusters of systems that stand in order, best first.

    Walking down the order, a system opens a new cluster as soon as it differs significantly from *any* member
    of the current cluster [1]_. Simple and widely used (WMT, mt-metrics-eval), but two systems that do not
    differ can land in different clusters; :func:`betterthan.kernels.letters.letter_display` has no such fault.

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
