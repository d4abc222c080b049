"""Resampling as a linear map on segments: how often each is drawn, and sums over units."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray, IntArray


def bootstrap_counts(n_resamples: int, n_units: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each unit occurs in each bootstrap sample.

    Parameters
    ----------
    n_resamples : int
    n_units : int
        Units (segments or documents), drawn n_units times with replacement.
    rng : numpy.random.Generator

    Returns
    -------
    array, shape (n_resamples, n_units)
        Rows sum to n_units.

    Examples
    --------
    >>> bootstrap_counts(3, 5, np.random.default_rng(0)).sum(axis=1)
    array([5., 5., 5.])
    """
    drawn = rng.integers(0, n_units, size=(n_resamples, n_units))
    drawn += np.arange(n_resamples)[:, None] * n_units
    flat = np.bincount(drawn.ravel(), minlength=n_resamples * n_units)
    return flat.reshape(n_resamples, n_units).astype(np.float64)


def unit_sums(values: FloatArray, unit_of_segment: IntArray, n_units: int) -> FloatArray:
    """Sum segments into units: (m, n) to (m, n_units).

    Examples
    --------
    >>> unit_sums(np.array([[1.0, 2.0, 4.0]]), np.array([0, 1, 0]), 2)
    array([[5., 2.]])
    """
    sums = np.zeros((values.shape[0], n_units))
    np.add.at(sums.T, unit_of_segment, values.T)
    return sums
