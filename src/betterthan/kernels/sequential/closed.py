r"""Adjustment of e-values for many hypotheses, by closed testing with averages.

A hypothesis is rejected when every set of hypotheses that contains it has an average e-value of at least
:math:`1 / \alpha`. The adjusted e-value is therefore the least of these averages, that with the k smallest others for
some k. Averages of e-processes are e-processes, whatever their dependence, so the probability that a true hypothesis
is rejected at any look is at most :math:`\alpha`. It is never less powerful than the correction of Holm for e-values.

References
----------
.. [1] Vovk and Wang (2021), E-values: calibration, combination and applications, Annals of Statistics 49.
"""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray, IntArray

_MOST = 600.0
"""Logarithms above this are equal for every purpose here, and their exponentials can be added."""


def adjusted(log_e: FloatArray) -> FloatArray:
    """Return the logarithms of adjusted e-values.

    Parameters
    ----------
    log_e : array, shape (..., m)
        Logarithms of e-values of m hypotheses.

    Examples
    --------
    >>> np.exp(adjusted(np.log([100.0, 30.0, 0.5]))).round(2)
    array([43.5 , 15.25,  0.5 ])
    """
    capped = np.minimum(log_e, _MOST)
    order = np.argsort(capped, axis=-1, kind="stable")
    ascending = np.exp(np.take_along_axis(capped, order, axis=-1))
    # Of each hypothesis, in ascending order: the average with the k smallest others, which first falls and then rises.
    below = np.concatenate([np.zeros((*log_e.shape[:-1], 1)), np.cumsum(ascending, axis=-1)], axis=-1)
    averages = np.log(_least_averages(ascending, below))
    found = np.empty_like(averages)
    np.put_along_axis(found, order, averages, axis=-1)
    return np.where(log_e > _MOST, log_e - (capped - found), found)


def _least_averages(ascending: FloatArray, below: FloatArray) -> FloatArray:
    """Search the number of others from which on their e-values are above the average."""
    m = ascending.shape[-1]
    low = np.zeros(ascending.shape, dtype=np.int64)
    high: IntArray = np.broadcast_to(np.arange(m), ascending.shape).copy()
    while (low < high).any():
        middle = (low + high) // 2
        average = (ascending + np.take_along_axis(below, middle, axis=-1)) / (middle + 1)
        falls = (np.take_along_axis(ascending, middle, axis=-1) < average) & (low < high)
        low, high = np.where(falls, middle + 1, low), np.where(falls | (low >= high), high, middle)
    return np.asarray((ascending + np.take_along_axis(below, low, axis=-1)) / (low + 1))
