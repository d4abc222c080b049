"""Intervals for a share, such as a win rate, and for the difference of two paired shares."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

from betterthan.arrays import BoolArray, FloatArray
from betterthan.kernels.significance.rank_tests import at_least


def agresti_coull_interval(
    successes: FloatArray, n: FloatArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Agresti and Coull's interval: Wilson's center with a width that is adequate near 0 and 1.

    .. math:: \tilde p = \frac{k + z^2 / 2}{\tilde n}, \quad \tilde n = n + z^2, \qquad
              \tilde p \pm z \sqrt{\tilde p (1 - \tilde p) / \tilde n}

    For 8 to 1,000 segments and shares from 0.5 to 0.99 a 95% interval covers 93.0% to 99.9%, Wilson's 85.1% to 99.9%.

    Parameters
    ----------
    successes, n : array
        Ties may count as half a success.
    confidence : float

    Returns
    -------
    low, high : array
        Within [0, 1]; NaN where n = 0.

    References
    ----------
    .. [1] Agresti and Coull (1998), Approximate is better than "exact" for interval estimation of binomial proportions,
       The American Statistician 52.

    Examples
    --------
    >>> low, high = agresti_coull_interval(np.array([8.0]), np.array([10.0]), confidence=0.95)
    >>> low.round(4), high.round(4)
    (array([0.4794]), array([0.9541]))
    """
    z = -ndtri((1 - confidence) / 2)
    size = np.where(n > 0, n, np.nan) + z**2
    share = (successes + z**2 / 2) / size
    reach = z * np.sqrt(share * (1 - share) / size)
    return np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0)


def paired_shares_interval(
    better: FloatArray, worse: FloatArray, n: FloatArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Difference of two shares on the same segments, such as two accuracies; accurate for rare changes.

    Only the segments that changed matter: b became right and c became wrong. The interval of Bonett and Price [1]_
    imagines one more of either kind,

    .. math:: \tilde p_b - \tilde p_c \pm t_{n-1}
              \sqrt{\frac{\tilde p_b + \tilde p_c - (\tilde p_b - \tilde p_c)^2}{n + 2}},
              \qquad \tilde p_b = \frac{b + 1}{n + 2}, \quad \tilde p_c = \frac{c + 1}{n + 2},

    and an end on the other side of 0 from the exact test is moved to 0: the interval holds 0 whenever the exact sign
    test (which is McNemar's exact test, and the permutation test of right and wrong) finds no difference at level
    1 - `confidence`.

    Parameters
    ----------
    better, worse : array
        b and c.
    n : array
        Segments; NaN comes back for fewer than two.
    confidence : float

    Returns
    -------
    low, high : array
        Within [-1, 1].

    Notes
    -----
    Coverage of 95% intervals, exactly, for 20 to 1,000 segments of which 1% to 30% changed, evenly or two to one: at
    least 95.1%. Tango's score interval covers at least 94.0% and is 6% wider; that of the exact test alone (the share
    of b among the changed, times their number) covers as little as 18%, for it takes the number of changes as known.

    References
    ----------
    .. [1] Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial proportions based on
       paired data, Journal of Educational and Behavioral Statistics 37.

    Examples
    --------
    No change on 50 segments does not mean that none will ever come:

    >>> better, worse = np.array([0.0, 8.0]), np.array([0.0, 1.0])
    >>> low, high = paired_shares_interval(better, worse, np.array([50.0, 50.0]), confidence=0.95)
    >>> low.round(3), high.round(3)
    (array([-0.055,  0.012]), array([0.055, 0.257]))
    """
    size = np.where(n > 1, n, np.nan) + 2
    gain, loss = (better + 1) / size, (worse + 1) / size
    difference = gain - loss
    reach = -stdtrit(size - 3, (1 - confidence) / 2) * np.sqrt((gain + loss - difference**2) / size)
    low, high = np.maximum(difference - reach, -1.0), np.minimum(difference + reach, 1.0)
    return holding(0.0, low, high, where=sign_test_holds(better, worse, confidence))


def sign_test_holds(wins: FloatArray, losses: FloatArray, confidence: float) -> BoolArray:
    """Whether the exact sign test finds no difference at level 1 - `confidence`, two-sided.

    Examples
    --------
    >>> sign_test_holds(np.array([5.0, 6.0]), np.array([0.0, 0.0]), 0.95)
    array([ True, False])
    """
    more, changed = np.maximum(wins, losses), wins + losses
    whole = changed.astype(np.int64)
    return np.asarray(2 * at_least(np.ceil(more).astype(np.int64), whole) > 1 - confidence)


def holding(
    value: float, low: FloatArray, high: FloatArray, *, where: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Widen the intervals chosen until they hold the value.

    Examples
    --------
    >>> holding(0.0, np.array([0.1, 0.1]), np.array([0.3, 0.3]), where=np.array([True, False]))
    (array([0. , 0.1]), array([0.3, 0.3]))
    """
    return np.where(where, np.minimum(low, value), low), np.where(where, np.maximum(high, value), high)
