"""Weights with which resampled data have a mean of one's choice, as near to equal weights as possible."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray

_STEPS = 200
_CLOSE = 1e-12


def tilted_weights(pull: FloatArray) -> FloatArray | None:
    r"""Return probabilities of units under which the mean of `pull` is 0, by exponential tilting.

    .. math:: w_u = \frac{e^{\lambda x_u}}{\sum_v e^{\lambda x_v}}, \qquad \sum_u w_u x_u = 0

    Of all weights with that mean, these have the least Kullback–Leibler divergence from equal ones [1]_. Units drawn
    with them keep their values, ties and skewness: only how often each occurs changes [2]_. For a ratio such as a mean
    per segment of :math:`\delta`, the pull of a unit with sum D and S segments is :math:`D - \delta S`.

    Parameters
    ----------
    pull : array, shape (units,)

    Returns
    -------
    array, shape (units,), or None
        None where no weights have that mean: where all values are on one side of 0.

    References
    ----------
    .. [1] Efron (1981), Nonparametric standard errors and confidence intervals, Canadian Journal of Statistics 9.
    .. [2] Davison and Hinkley (1997), Bootstrap methods and their application, section 4.4.

    Examples
    --------
    >>> weights = tilted_weights(np.array([-1.0, 1.0, 3.0]))
    >>> weights.round(3), abs(float(weights @ [-1.0, 1.0, 3.0])) < 1e-9
    (array([0.616, 0.268, 0.116]), True)
    >>> tilted_weights(np.array([1.0, 2.0])) is None
    True
    """
    scale = float(np.abs(pull).max(initial=0.0))
    if scale == 0 or not (pull.min() < 0 < pull.max()):
        return np.full(pull.size, 1 / pull.size) if scale == 0 and pull.size else None
    x = pull / scale
    low, high = -1.0, 1.0
    while _tilted_mean(x, low) > 0:
        low *= 2
    while _tilted_mean(x, high) < 0:
        high *= 2
    # The mean grows with the tilt, so halving the bracket cannot miss.
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if high - low <= _CLOSE * max(1.0, abs(middle)):
            break
        low, high = (middle, high) if _tilted_mean(x, middle) < 0 else (low, middle)
    return _weights(x, (low + high) / 2)


def effective_units(weights: FloatArray) -> float:
    r"""Return how many equally weighted units vary as much: :math:`1 / \sum w^2`.

    Examples
    --------
    >>> effective_units(np.array([0.25, 0.25, 0.25, 0.25])), round(effective_units(np.array([0.5, 0.25, 0.25])), 2)
    (4.0, 2.67)
    """
    return float(1 / (weights**2).sum())


def _weights(x: FloatArray, tilt: float) -> FloatArray:
    exponent = tilt * x
    weights = np.exp(exponent - exponent.max())
    return np.asarray(weights / weights.sum())


def _tilted_mean(x: FloatArray, tilt: float) -> float:
    return float(_weights(x, tilt) @ x)
