"""From the scores of one task to points that can be averaged over tasks: win rates, ranks, Borda points."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.comparisons.tied_ranks import tied_ranks

CUT = 0.25
"""Share of the tasks that an interquartile mean leaves out on either side."""
# Means that agree to twelve digits differ by rounding.
_TOLERANCE = 1e-12


def systems_beaten(goodness: FloatArray) -> FloatArray:
    """Count the other systems that each system beats, ties as half, along the last axis: its Borda points.

    Parameters
    ----------
    goodness : array, shape (..., m)
        Higher is better; without gaps.

    Returns
    -------
    array, shape (..., m)

    Examples
    --------
    >>> systems_beaten(np.array([[0.7, 0.5, 0.7, 0.2], [1.0, 2.0, 3.0, 4.0]]))
    array([[2.5, 1. , 2.5, 0. ],
           [0. , 1. , 2. , 3. ]])
    """
    ranks = tied_ranks(goodness, tolerance=_TOLERANCE)
    return np.asarray((ranks.low + ranks.high) / 2 - 1)


def task_win_rates(goodness: FloatArray) -> FloatArray:
    """Return the share of the other systems that each system beats, ties as half, along the last axis.

    The mean of it over tasks is the mean win rate of HELM [1]_.

    References
    ----------
    .. [1] Liang et al. (2023), Holistic evaluation of language models, TMLR.

    Examples
    --------
    >>> task_win_rates(np.array([0.7, 0.5, 0.7]))
    array([0.75, 0.  , 0.75])
    """
    return np.asarray(systems_beaten(goodness) / (goodness.shape[-1] - 1))


def task_ranks(goodness: FloatArray) -> FloatArray:
    """Rank systems along the last axis: 1 is best, and ties share the mean of their ranks.

    Examples
    --------
    >>> task_ranks(np.array([0.7, 0.5, 0.7]))
    array([1.5, 3. , 1.5])
    """
    return np.asarray(goodness.shape[-1] - systems_beaten(goodness))


def interquartile_mean(goodness: FloatArray) -> FloatArray:
    r"""Mean over the last axis without its lowest and highest quarter.

    .. math:: \frac{1}{n - 2k} \sum_{i=k+1}^{n-k} x_{(i)}, \qquad k = \lfloor n / 4 \rfloor

    Less sensitive to single tasks than the mean, and more efficient than the median [1]_.

    References
    ----------
    .. [1] Agarwal, Schwarzer, Castro, Courville and Bellemare (2021), Deep reinforcement learning at the edge of the
       statistical precipice, NeurIPS.

    Examples
    --------
    >>> interquartile_mean(np.array([[1.0, 2.0, 3.0, 100.0], [5.0, 5.0, 5.0, 5.0]]))
    array([2.5, 5. ])
    """
    n = goodness.shape[-1]
    cut = int(CUT * n)
    return np.asarray(np.sort(goodness, axis=-1)[..., cut : n - cut].mean(axis=-1))
