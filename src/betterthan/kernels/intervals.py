"""Intervals from resampled statistics."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray


def percentile_interval(resampled: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Percentile bootstrap interval that covers with probability `confidence`.

    Parameters
    ----------
    resampled : array, shape (n_resamples, m)
    confidence : float
        0.95 takes the 2.5th and 97.5th percentiles.

    Returns
    -------
    low, high : array, shape (m,)

    Examples
    --------
    >>> percentile_interval(np.arange(101.0)[:, None], 0.9)
    (array([5.]), array([95.]))
    """
    tail = (1 - confidence) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    return low, high
