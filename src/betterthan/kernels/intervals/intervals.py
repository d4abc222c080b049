"""Intervals from a standard error, influences, leaving out one unit at a time, and resampled statistics."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri, stdtrit

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.resampling.clustered import degrees_of_mean
from betterthan.kernels.significance.paired import in_range

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

    A sum of squares dominated by few units is itself uncertain; ν counts those units.

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


# The cubic of skewness is followed up to this share of the way to where it is flat: of 0.8 to 0.95, the least that
# covers means of penalties (many zeros, few large) as often as the bootstrap-t does.
_STEEPEST = 0.9
_STRAIGHT = 1e-6
_NO_SPREAD = 1e-12
_DRAW_NUMBERS = 2**20


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


def expanded_percentile_interval(
    resampled: FloatArray, n: int, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Percentiles further out, as few units need: those of a normal curve at :math:`t_{n-1} \sqrt{n / (n - 1)}`.

    Samples drawn from n units vary by :math:`\sqrt{(n - 1) / n}` of what new units would, and their spread is itself
    an estimate. For a mean of normal scores these percentiles are Student's interval, up to noise [1]_.

    Parameters
    ----------
    resampled : array, shape (n_resamples, m)
    n : int
        Units that were drawn; NaN comes back for one.
    confidence : float

    References
    ----------
    .. [1] Hesterberg (2015), What teachers should know about the bootstrap, The American Statistician 69, section 5.

    Examples
    --------
    With 20 units, the 1.6th and 98.4th percentiles take the place of the 2.5th and 97.5th:

    >>> low, high = expanded_percentile_interval(np.arange(1001.0)[:, None], 20, 0.95)
    >>> low.round(1), high.round(1)
    (array([15.9]), array([984.1]))
    """
    if n < 2:
        missing = np.full(resampled.shape[1], np.nan)
        return missing, missing
    tail = ndtr(stdtrit(n - 1, (1 - confidence) / 2) * np.sqrt(n / (n - 1)))
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    return low, high


def bca_interval(
    resampled: FloatArray, estimate: FloatArray, jackknife: FloatArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Bias-corrected and accelerated bootstrap interval.

    Percentiles moved for the bias :math:`z_0` of the resamples and for the skewness :math:`a` of the jackknife:

    .. math:: \alpha_i = \Phi\left(z_0 + \frac{z_0 + z_i}{1 - a (z_0 + z_i)}\right), \qquad
       a = \frac{\sum_j u_j^3}{6 (\sum_j u_j^2)^{3/2}}, \quad u_j = \bar\theta_{(\cdot)} - \theta_{(j)}

    Parameters
    ----------
    resampled : array, shape (n_resamples, m)
    estimate : array, shape (m,)
        From the data themselves.
    jackknife : array, shape (n, m)
        The estimate without unit j, for a mean :math:`(n \bar x - x_j) / (n - 1)`; NaN rows of a column are left out.
    confidence : float

    Returns
    -------
    low, high : array, shape (m,)
        NaN where the estimate lies outside all resamples: the bias is then not estimable.

    References
    ----------
    .. [1] Efron, Tibshirani (1993), An introduction to the bootstrap, §14.3, Eqs 14.9, 14.10, 14.14, 14.15.

    Examples
    --------
    Without bias and skewness it is the percentile interval:

    >>> low, high = bca_interval(np.arange(101.0)[:, None], np.array([50.0]), np.array([[1.0], [2.0]]), confidence=0.9)
    >>> low.round(6), high.round(6)
    (array([5.]), array([95.]))
    """
    shares = ((resampled < estimate).mean(axis=0) + (resampled <= estimate).mean(axis=0)) / 2
    bias = ndtri(shares)
    speed = _acceleration(jackknife)
    ends = []
    for z in (ndtri((1 - confidence) / 2), -ndtri((1 - confidence) / 2)):
        with np.errstate(invalid="ignore"):
            moved = ndtr(bias + (bias + z) / (1 - speed * (bias + z)))
        ends.append(_quantile_by_column(resampled, np.where(np.isfinite(bias), moved, np.nan)))
    return ends[0], ends[1]


def _acceleration(jackknife: FloatArray) -> FloatArray:
    known = ~np.isnan(jackknife)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, jackknife, 0.0).sum(axis=0) / count
    pull = np.where(known, mean - np.where(known, jackknife, 0.0), 0.0)
    squares = (pull**2).sum(axis=0)
    flat = squares == 0
    return np.asarray((pull**3).sum(axis=0) / (6 * np.where(flat, 1.0, squares) ** 1.5))


def _quantile_by_column(values: FloatArray, shares: FloatArray) -> FloatArray:
    found = [
        np.nan if np.isnan(share) else np.quantile(column, share)
        for column, share in zip(values.T, shares, strict=True)
    ]
    return np.array(found)


def bootstrap_t_interval(
    shifted: FloatArray, estimate: FloatArray, error: FloatArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Interval from bootstrap samples in their own standard errors.

    .. math:: \hat\theta - t^*_{1 - \alpha / 2}\, \mathrm{se}, \qquad \hat\theta - t^*_{\alpha / 2}\, \mathrm{se}

    Parameters
    ----------
    shifted : array, shape (n_resamples, m)
        :math:`t^* = (\theta^* - \hat\theta) / \mathrm{se}^*` of each sample; infinite where it has no spread.
    estimate, error : array, shape (m,)
    confidence : float

    References
    ----------
    .. [1] Efron and Tibshirani (1993), An introduction to the bootstrap, section 12.5.

    Examples
    --------
    >>> shifted = np.linspace(-2.0, 3.0, 199)[:, None]
    >>> bootstrap_t_interval(shifted, np.array([10.0]), np.array([1.0]), confidence=0.9)
    (array([7.22727273]), array([11.77272727]))
    """
    size = len(shifted)
    # Order statistics instead of interpolated quantiles, because some t may be infinite.
    place = max(math.floor((1 - confidence) / 2 * (size + 1) + _STRAIGHT), 1)
    low, high = np.partition(shifted, (place - 1, size - place), axis=0)[[place - 1, size - place]]
    flat = error == 0
    ends = np.where(flat, 0.0, high) * error, np.where(flat, 0.0, low) * error
    return estimate - ends[0], estimate - ends[1]


def t_interval(
    estimate: FloatArray, standard_error: FloatArray, n: IntArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Estimate ± :math:`t_{n-1}` standard errors: for means, and for mean differences of pairs.

    Parameters
    ----------
    estimate, standard_error : array
        Such as `mean` and `standard_error` of :class:`betterthan.kernels.significance.paired.Differences`.
    n : array of int
        Segments behind each estimate; NaN comes back where n < 2.
    confidence : float

    Examples
    --------
    >>> low, high = t_interval(np.array([1.0]), np.array([0.5]), np.array([10]), confidence=0.95)
    >>> low.round(4), high.round(4)
    (array([-0.1311]), array([2.1311]))
    """
    freedom = np.where(n > 1, n - 1.0, np.nan)
    reach = -stdtrit(freedom, (1 - confidence) / 2) * standard_error
    return estimate - reach, estimate + reach


def skewness_interval(
    estimate: FloatArray,
    standard_error: FloatArray,
    skewness: FloatArray,
    n: IntArray,
    *,
    confidence: float,
    degrees: float | None = None,
) -> tuple[FloatArray, FloatArray]:
    r"""Student's interval, and where it is lopsided, the wider one of Hall's at either end.

    A mean of skewed scores has a lopsided t: its long tail lies where the scores' tail does not. Hall [1]_ makes it
    symmetric by an invertible cubic, with :math:`T = (\hat\theta - \theta) / (\sqrt n\,\mathrm{se})`
    and skewness :math:`g`,

    .. math:: q = T + \tfrac{g}{3} T^2 + \tfrac{g^2}{27} T^3 + \tfrac{g}{6 n}, \qquad
              T = \frac{3}{g} \Big( \sqrt[3]{1 + g (q - \tfrac{g}{6 n})} - 1 \Big),
              \qquad q = \pm \frac{t_{n-1}}{\sqrt n} .

    Each end is the outer one of :math:`\hat\theta \pm t_{n-1} \mathrm{se}` and of Hall's: of symmetric scores with
    heavy tails the sample's skewness is noise, and an end drawn in by it would be drawn in wrongly.

    Parameters
    ----------
    estimate, standard_error, skewness : array
        A mean, or an estimate that is nearly one; skewness as :func:`sample_skewness` has it, of the scores or of the
        influences. It is held to :math:`0.9 \sqrt n / t_{n-1}`: beyond, the cubic is so flat that the interval grows
        without covering more.
    n : array of int
        NaN comes back where n < 2.
    confidence : float
    degrees : float, optional
        Of freedom of the standard error, where they are fewer than n - 1.

    References
    ----------
    .. [1] Hall (1992), On the removal of skewness by transformation, Journal of the Royal Statistical Society B 54.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> low, high = skewness_interval(one, 0.5 * one, 2 * one, np.array([10]), confidence=0.95)
    >>> low.round(4), high.round(4)
    (array([-0.1311]), array([3.1901]))
    """
    size = np.where(n > 1, n, np.nan)
    reach = -stdtrit(size - 1 if degrees is None else degrees, (1 - confidence) / 2)
    most = _STEEPEST * np.sqrt(size) / reach
    bend = np.clip(skewness, -most, most) / 3
    is_straight = np.abs(bend) < _STRAIGHT
    ends = []
    for sign in (1, -1):
        quantile = sign * reach / np.sqrt(size) - bend / (2 * size)
        bent = (np.cbrt(1 + 3 * bend * quantile) - 1) / np.where(is_straight, 1.0, bend)
        hall = np.sqrt(size) * np.where(is_straight, quantile, bent)
        ends.append(
            estimate - (np.maximum(hall, reach) if sign > 0 else np.minimum(hall, -reach)) * standard_error
        )
    return ends[0], ends[1]


def sample_skewness(values: FloatArray) -> FloatArray:
    r"""Skewness of each column, corrected for small samples as in :math:`G_1`; 0 for fewer than three or equal values.

    .. math:: G_1 = \frac{\sqrt{n (n - 1)}}{n - 2} \cdot \frac{m_3}{m_2^{3/2}}

    Examples
    --------
    >>> sample_skewness(np.array([[0.0], [0.0], [0.0], [4.0]]))
    array([2.])
    """
    n = len(values)
    centred, _ = in_range(values - values.mean(axis=0))
    largest = np.abs(centred).max(axis=0, initial=0.0)
    if (
        (largest > 0) & (largest < 1e-100)
    ).any():  # beside a column of very large values; skewness has no unit
        centred = np.ldexp(centred, -np.frexp(largest)[1])
    return skewness_of_sums((centred**2).sum(axis=0), (centred**3).sum(axis=0), np.array(n))


def skewness_of_sums(squares: FloatArray, cubes: FloatArray, n: IntArray) -> FloatArray:
    """:math:`G_1` from the sums of squares and of cubes about the mean; 0 where it is unknown.

    Examples
    --------
    >>> skewness_of_sums(np.array([12.0, 0.0]), np.array([24.0, 0.0]), np.array([4, 4]))
    array([2., 0.])
    """
    known = (n > 2) & (squares > 0)
    size = np.where(known, n, 3)
    spread = np.where(known, squares / size, 1.0) ** 1.5
    known &= spread > 0  # squares may be there where cubes have vanished
    spread = np.where(known, spread, 1.0)
    return np.asarray(np.where(known, np.sqrt(size * (size - 1)) / (size - 2) * (cubes / size) / spread, 0.0))


def influence_interval(
    estimate: FloatArray,
    influence: FloatArray,
    *,
    confidence: float,
    is_skewed: bool = True,
    shares: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    r"""Interval of an estimate that is nearly a mean of the influences of its units.

    .. math:: \mathrm{se}^2 = \frac{1}{n (n - 1)} \sum_i (\psi_i - \bar\psi)^2, \qquad
              \mathrm{se}^2 = \frac{1}{n^2} \sum_i \frac{(\psi_i - \bar\psi)^2}{1 - s_i}

    The second is for units of unequal size, with the degrees of freedom of
    :func:`betterthan.kernels.resampling.clustered.degrees_of_mean`; for equal ones it is the first.

    Parameters
    ----------
    estimate : array, shape (m,)
    influence : array, shape (n, m)
        :math:`\psi`: how each unit pulls the estimate, such as the scores themselves for a mean; its mean does not
        matter.
    confidence : float
    is_skewed : bool, default True
        Whether the interval takes the skewness of influences into account (:func:`skewness_interval`).
    shares : array, shape (n,), optional
        :math:`s`: share of all segments in each unit, where units are documents.

    Examples
    --------
    >>> low, high = influence_interval(np.array([2.0]), np.array([[1.0], [2.0], [3.0]]), confidence=0.95)
    >>> low.round(4), high.round(4)
    (array([-0.4841]), array([4.4841]))
    """
    n = np.full(estimate.shape, len(influence))
    error = standard_errors(influence, shares)
    skewness = sample_skewness(influence) if is_skewed else np.zeros(estimate.shape)
    degrees = None if shares is None else degrees_of_mean(shares)
    return skewness_interval(estimate, error, skewness, n, confidence=confidence, degrees=degrees)


def standard_errors(influence: FloatArray, shares: FloatArray | None = None) -> FloatArray:
    """Standard errors of the mean of each column; NaN for a single row. See :func:`influence_interval`.

    Examples
    --------
    >>> standard_errors(np.array([[1.0], [2.0], [3.0]])).round(4)
    array([0.5774])
    """
    n = len(influence)
    centred, unit = in_range(influence - influence.mean(axis=0))
    squares = centred**2
    if shares is None or n < 2:
        return np.asarray(unit * np.sqrt(squares.sum(axis=0) / (n * (n - 1) if n > 1 else np.nan)))
    return np.asarray(unit * np.sqrt((squares / (1 - shares)[:, None]).sum(axis=0)) / n)


def simultaneous_confidence(
    influence: FloatArray, confidence: float, rng: np.random.Generator, *, n_draws: int = 4000
) -> float:
    r"""Confidence that each interval of a pair needs, so that all pairs together are covered with `confidence`.

    Differences of estimates are, nearly, normal with the covariance of the influences. With c the quantile of the
    largest :math:`|Z_a - Z_b| / \mathrm{se}_{ab}` in draws from it, intervals of confidence
    :math:`2 \Phi(c) - 1` hold all true differences at once. For independent estimates of equal spread, c is that of
    Tukey's range; where systems are correlated, it is smaller [1]_.

    Parameters
    ----------
    influence : array, shape (n, m)
        Of units on estimates, such as centered goodness for means.
    confidence : float
    rng : numpy.random.Generator
    n_draws : int, default 4000

    Returns
    -------
    float
        `confidence` itself for two systems; never more than Bonferroni's correction would give.

    References
    ----------
    .. [1] Hothorn, Bretz and Westfall (2008), Simultaneous inference in general parametric models, Biometrical
       Journal 50.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(50, 5))
    >>> round(simultaneous_confidence(values, 0.95, np.random.default_rng(1)), 2)
    0.99
    """
    n, m = influence.shape
    if m < 3 or n < 2:
        return confidence
    n_pairs = m * (m - 1) // 2
    centred = influence - influence.mean(axis=0)
    # By singular values the draws need min(n, m) numbers each, and no covariance has to be factored.
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    root = sizes[:, None] * directions
    covariance = root.T @ root
    spread = np.diag(covariance)
    variance = spread[:, None] + spread[None, :] - 2 * covariance
    floor = _NO_SPREAD * (spread[:, None] + spread[None, :])
    scale = np.where(variance > floor, 1 / np.sqrt(np.maximum(variance, floor + np.finfo(float).tiny)), 0.0)
    largest = np.empty(n_draws)
    step = max(1, _DRAW_NUMBERS // (m * m))
    for start in range(0, n_draws, step):
        drawn = rng.normal(size=(min(step, n_draws - start), len(root))) @ root
        best = np.zeros(len(drawn))
        for a in range(m - 1):
            np.maximum(
                best,
                (np.abs(drawn[:, a, None] - drawn[:, a + 1 :]) * scale[a, a + 1 :]).max(axis=1),
                out=best,
            )
        largest[start : start + step] = best
    reach = float(np.quantile(largest, confidence))
    return float(min(max(2 * ndtr(reach) - 1, confidence), 1 - (1 - confidence) / n_pairs))
