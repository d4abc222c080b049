"""Intervals for a share, such as a win rate."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv, ndtri

from betterthan.arrays import FloatArray


def wilson_interval(
    successes: FloatArray, n: FloatArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Wilson's score interval: short, near its nominal coverage on average, within [0, 1].

    .. math:: \frac{\hat p + z^2/2n \pm z \sqrt{\hat p (1 - \hat p)/n + z^2/4n^2}}{1 + z^2/n}

    Parameters
    ----------
    successes, n : array
        Ties may count as half a success.
    confidence : float

    Returns
    -------
    low, high : array
        NaN where n = 0.

    References
    ----------
    .. [1] Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.

    Examples
    --------
    >>> low, high = wilson_interval(np.array([8.0]), np.array([10.0]), confidence=0.95)
    >>> low.round(4), high.round(4)
    (array([0.4902]), array([0.9433]))
    """
    z = -ndtri((1 - confidence) / 2)
    size = np.where(n > 0, n, np.nan)
    share = successes / size
    middle = share + z**2 / (2 * size)
    reach = z * np.sqrt(share * (1 - share) / size + (z / (2 * size)) ** 2)
    scale = 1 + z**2 / size
    low, high = (middle - reach) / scale, (middle + reach) / scale
    # Exactly so at the ends, where rounding would leave a crumb.
    return np.where(successes == 0, 0 * share, low), np.where(successes == n, share, high)


def clopper_pearson_interval(
    successes: FloatArray, n: FloatArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Clopper and Pearson's exact interval: covers at least `confidence`, for any n and any true share.

    Quantiles of :math:`\mathrm{Beta}(k, n - k + 1)` and :math:`\mathrm{Beta}(k + 1, n - k)`.

    Parameters
    ----------
    successes, n : array
    confidence : float

    Returns
    -------
    low, high : array
        NaN where n = 0.

    References
    ----------
    .. [1] Clopper, Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the
       binomial, Biometrika 26.

    Examples
    --------
    >>> low, high = clopper_pearson_interval(np.array([8.0]), np.array([10.0]), confidence=0.95)
    >>> low.round(4), high.round(4)
    (array([0.4439]), array([0.9748]))
    """
    tail = (1 - confidence) / 2
    known = np.where(n > 0, n, np.nan)
    low = betaincinv(np.maximum(successes, 1), np.maximum(known - successes, 0) + 1.0, tail)
    high = betaincinv(successes + 1.0, np.maximum(known - successes, 1), 1 - tail)
    zero = 0 * known
    return np.where(successes == 0, zero, low), np.where(successes == n, zero + 1, high)
