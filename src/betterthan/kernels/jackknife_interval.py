r"""Intervals from leaving out one unit at a time, on a scale where the statistic is nearly normal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, logit, stdtrit

from betterthan.arrays import FloatArray

_PERFECT = 1 - 1e-12  # of correlations; beyond it Fisher's transformation is made of rounding
ScaleName = Literal["raw", "log", "logit", "fisher"]


def fisher(correlation: FloatArray) -> FloatArray:
    """Fisher's z, the inverse of tanh; NaN where correlations are ±1 up to rounding.

    Examples
    --------
    >>> fisher(np.array([0.0, 0.5, 1.0])).round(4)
    array([0.    , 0.5493,    nan])
    """
    inside = np.abs(correlation) < _PERFECT
    return np.asarray(np.where(inside, np.arctanh(np.where(inside, correlation, 0.0)), np.nan))


_SCALES: dict[str, tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]] = {
    "raw": (lambda x: x, lambda x: x),
    "log": (np.log, np.exp),
    "logit": (logit, expit),
    "fisher": (fisher, np.tanh),
}


class JackknifeInterval(NamedTuple):
    """An interval, and on how many units it rests; all of shape (m,)."""

    low: FloatArray
    high: FloatArray
    units: FloatArray
    """How many units of equal pull would carry the error as unequally."""


def jackknife_interval(
    estimate: FloatArray, without: FloatArray, *, confidence: float, scale: ScaleName = "raw"
) -> JackknifeInterval:
    r"""Student's interval with the jackknife's standard error, made on a scale and carried back.

    With g the scale, :math:`u_j = g(\theta_{(j)}) - \overline{g(\theta_{(\cdot)})}`,

    .. math:: g(\hat\theta) \pm t_\nu \sqrt{\tfrac{n-1}{n} \sum_j u_j^2}, \qquad
       \nu = \min\Big(n - 1,\; \frac{2 (\sum_j u_j^2)^2}{\sum_j u_j^4}\Big)

    A sum of squares that hangs on few units is itself uncertain; ν counts those units.

    Parameters
    ----------
    estimate : array, shape (m,)
    without : array, shape (n, m)
        The estimate without unit j.
    confidence : float
    scale : {"raw", "log", "logit", "fisher"}
        "log" for errors above 0, "logit" for shares and F1, "fisher" (the inverse of tanh) for correlations.

    Returns
    -------
    JackknifeInterval
        NaN where nothing can be said: fewer than two units, an estimate at the end of its scale (0 or 1), an estimate
        that is undefined or at the end of its scale without one of the units, a limit that is infinite.

    References
    ----------
    .. [1] Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 11.
    .. [2] Satterthwaite (1946), An approximate distribution of estimates of variance components, Biometrics 2.

    Examples
    --------
    Of a mean on its own scale it is Student's interval:

    >>> x = np.array([1.0, 2.0, 4.0, 5.0])
    >>> found = jackknife_interval(np.array([3.0]), (12 - x)[:, None] / 3, confidence=0.95)
    >>> found.low.round(3), found.high.round(3)
    (array([0.095]), array([5.905]))
    """
    there, back = _SCALES[scale]
    n = len(without)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        centre, each = there(estimate), there(without)
        pull = each - each.mean(axis=0)
        squares = (pull**2).sum(axis=0)
        units = squares**2 / (pull**4).sum(axis=0)
        error = np.sqrt((n - 1) / n * squares) if n else np.full(estimate.shape, np.nan)
        freedom = np.minimum(n - 1.0, 2 * units)
        reach = -stdtrit(freedom, (1 - confidence) / 2) * error
        low, high = back(centre - reach), back(centre + reach)
    known = np.isfinite(reach) & np.isfinite(centre) & np.isfinite(low) & np.isfinite(high) & (n > 1)
    return JackknifeInterval(np.where(known, low, np.nan), np.where(known, high, np.nan), units)
