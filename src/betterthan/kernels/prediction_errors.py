"""How far predicted scores are from the true ones."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray


def mean_absolute_error(predicted: FloatArray, truth: FloatArray) -> FloatArray:
    r"""Mean absolute error along the last axis, :math:`\frac{1}{n} \sum_i |x_i - y_i|`.

    The least is reached by a prediction that need not follow the truth at all: of constants, by the median.

    Parameters
    ----------
    predicted, truth : array, shape (…, n)
        Leading axes are broadcast.

    Returns
    -------
    array, shape (…)
        NaN without elements, and where an element is NaN.

    Examples
    --------
    >>> float(mean_absolute_error(np.array([1.0, 2.0]), np.array([1.0, 4.0])))
    1.0
    """
    return _mean(np.abs(predicted - truth))


def root_mean_squared_error(predicted: FloatArray, truth: FloatArray) -> FloatArray:
    r"""Root of the mean squared error along the last axis, :math:`\sqrt{\frac{1}{n} \sum_i (x_i - y_i)^2}`.

    Examples
    --------
    >>> round(float(root_mean_squared_error(np.array([1.0, 2.0]), np.array([1.0, 4.0]))), 4)
    1.4142
    """
    return np.sqrt(_mean((predicted - truth) ** 2))


def _mean(values: FloatArray) -> FloatArray:
    if not values.shape[-1]:
        return np.full(values.shape[:-1], np.nan)
    return np.asarray(values.mean(axis=-1))
