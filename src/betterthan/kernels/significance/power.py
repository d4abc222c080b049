"""Power of the tests of two systems, and the least sample size or difference with a given power.

Power is the probability of a significant result in the right direction. Every function takes the level of one test;
for several pairs that is the level after correction.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import betainc, gammaln, nctdtr, ndtr, ndtri, stdtrit, xlogy

from betterthan.arrays import FloatArray
from betterthan.kernels.sign_flips.exact import Alternative

MOST = 10**9
"""Larger numbers of items are not searched."""
_TAIL = 9.0  # standard deviations of a binomial number beyond which nothing is added up
_STEPS = 100
_FAR = 1e3


def power_of_means(
    effect: float, n: int, *, level: float = 0.05, alternative: Alternative = "two-sided"
) -> float:
    r"""Power of a paired test of means.

    With :math:`\delta` the effect and t' a noncentral t variable with n − 1 degrees of freedom,

    .. math:: \text{power} = P\big( t'_{n - 1}(\delta \sqrt n) > t_{n - 1, 1 - \alpha / 2} \big).

    The permutation test has the same power, except that n sign flips give no p-value below :math:`2^{1 - n}`; then the
    power is 0.

    Parameters
    ----------
    effect : float
        True mean difference in standard deviations of the differences.
    n : int
        Number of differences.
    level : float, default 0.05
    alternative : {"two-sided", "greater", "less"}, default "two-sided"

    References
    ----------
    .. [1] Cohen (1988), Statistical power analysis for the behavioral sciences, chapter 2.
    .. [2] Hoeffding (1952), The large-sample power of tests based on permutations, Annals of Mathematical Statistics.

    Examples
    --------
    >>> round(power_of_means(0.5, 34), 3), round(power_of_means(0.5, 33), 3), power_of_means(5.0, 5)
    (0.808, 0.795, 0.0)
    """
    sides = 2 if alternative == "two-sided" else 1
    if n < 2 or sides * 0.5**n > level:
        return 0.0
    reach = -float(stdtrit(n - 1, level / sides))
    centre = abs(effect) * math.sqrt(n)
    # Far out SciPy's distribution gives NaN; the power there is 1 within any precision.
    return 1.0 if centre > _FAR * reach else float(1.0 - nctdtr(n - 1, centre, reach))


def power_of_right_wrong(
    difference: float,
    discordance: float,
    n: int,
    *,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    r"""Power of the exact test of two systems whose answers are right or wrong.

    Only items on which one system is right and the other wrong count. Given their number k, the exact permutation test
    is McNemar's: wins are compared with a binomial variable of k draws and probability ½. With :math:`\psi` the share
    of such items and :math:`\delta` the difference of accuracies,

    .. math:: \text{power} = \sum_k \binom{n}{k} \psi^k (1 - \psi)^{n - k} \; P(W_k \ge c_k), \qquad
              W_k \sim \text{Bin}\Big(k, \frac{1 + \delta / \psi}{2}\Big),

    where :math:`c_k` is the least number of wins that is significant.

    Parameters
    ----------
    difference : float
        True difference of the two accuracies.
    discordance : float
        Share of items on which exactly one system is right; at least the difference.
    n : int
        Number of items.
    level : float, default 0.05
    alternative : {"two-sided", "greater", "less"}, default "two-sided"

    References
    ----------
    .. [1] Duffy (1984), Asymptotic and exact power for the McNemar test, Biometrics 40.

    Examples
    --------
    >>> round(power_of_right_wrong(0.05, 0.1, 400), 3), power_of_right_wrong(0.5, 0.5, 5)
    (0.874, 0.0)
    """
    share = level / (2 if alternative == "two-sided" else 1)
    centre, deviation = n * discordance, math.sqrt(n * discordance * (1 - discordance))
    low = max(1, math.floor(centre - _TAIL * deviation - _TAIL))
    high = min(n, math.ceil(centre + _TAIL * deviation + _TAIL))
    if high < low:
        return 0.0
    k = np.arange(low, high + 1, dtype=np.float64)
    wins = _least_wins(k, share)
    is_reachable = wins <= k
    chance = min(1.0, (1 + abs(difference) / discordance) / 2)
    shown = np.where(is_reachable, _at_least(np.minimum(wins, k), k, chance), 0.0)
    return float(np.minimum(_binomial(k, n, discordance) @ shown, 1.0))


def power_of_normal(
    difference: float,
    standard_error: float,
    *,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    r"""Power of a test whose statistic is normal: :math:`\Phi(\delta / \text{se} - z_{1 - \alpha / 2})`.

    Examples
    --------
    >>> round(power_of_normal(2.8016, 1.0), 3)
    0.8
    """
    sides = 2 if alternative == "two-sided" else 1
    return float(ndtr(abs(difference) / standard_error + float(ndtri(level / sides))))


def power_of_battles(
    difference: float,
    ties: float,
    n: int,
    *,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    r"""Power of the Wald test of two systems after a few battles, summed over all numbers of wins and ties.

    With s the observed share of wins, ties as half, the log odds have the robust variance

    .. math:: \frac{s (1 - s) - t / 4n}{(n - 1) (s (1 - s))^2}

    for t ties; where one system wins every battle there is no estimate, and nothing is significant.

    Parameters
    ----------
    difference : float
        The probability of a win, ties as half, less one half.
    ties : float
        Probability of a tie.
    n : int
    level : float, default 0.05
    alternative : {"two-sided", "greater", "less"}, default "two-sided"

    Examples
    --------
    >>> round(power_of_battles(0.25, 0.2, 26), 3), power_of_battles(0.1, 0.0, 1)
    (0.853, 0.0)
    """
    if n < 2:
        return 0.0
    wins, tied = (part.ravel().astype(np.float64) for part in np.indices((n + 1, n + 1)))
    wins, tied = wins[wins + tied <= n], tied[wins + tied <= n]
    lost = n - wins - tied
    win = 0.5 + abs(difference) - ties / 2
    logs = gammaln(n + 1.0) - gammaln(wins + 1) - gammaln(tied + 1) - gammaln(lost + 1)
    chance = np.exp(logs + xlogy(wins, win) + xlogy(tied, ties) + xlogy(lost, max(1 - win - ties, 0.0)))
    share = (wins + tied / 2) / n
    known = (share > 0) & (share < 1)
    spread = np.where(known, share * (1 - share), 0.25)
    error = np.sqrt(np.maximum(spread - tied / (4 * n), 0.0) / (n - 1)) / spread
    reach = -float(ndtri(level / (2 if alternative == "two-sided" else 1)))
    log_odds = np.log(np.where(known, share / np.where(known, 1 - share, 1.0), 1.0))
    return float(chance @ (known & (log_odds > reach * error)))


def least_number(power_of: Callable[[int], float], power: float = 0.8, *, start: int = 2) -> int | None:
    """Return the least number of items with the desired power; None if a billion items do not have it.

    Parameters
    ----------
    power_of : callable
        From a number of items, 1 or more, to the power; it must grow with the number, except for the small steps back
        of exact tests.
    power : float, default 0.8
    start : int, default 2
        Where the search begins; a good guess saves time.

    Examples
    --------
    >>> least_number(lambda n: power_of_means(0.5, n))
    34
    >>> least_number(lambda n: power_of_right_wrong(0.01, 0.1, n))
    8032
    >>> least_number(lambda n: 0.1)
    """
    low = high = max(1, start)
    step = 1
    if power_of(high) >= power:
        while low > 0 and power_of(low) >= power:
            low, high, step = max(0, low - step), low, 2 * step
    else:
        while power_of(high) < power:
            if high >= MOST:
                return None
            low, high, step = high, min(high + step, MOST), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high


def least_difference(
    power_of: Callable[[float], float], power: float = 0.8, *, most: float = math.inf
) -> float:
    """Return the least true difference that is significant with the desired power; NaN if even `most` is not.

    Parameters
    ----------
    power_of : callable
        From a difference to the power, which must grow with the difference.
    power : float, default 0.8
    most : float, optional
        The largest difference there can be, such as the discordance.

    Examples
    --------
    >>> round(least_difference(lambda d: power_of_means(d, 34)), 3)
    0.495
    >>> least_difference(lambda d: power_of_means(d, 5))
    nan
    """
    high = min(1.0, most)
    low = 0.0
    while power_of(high) < power:
        if high >= min(most, 1e300):
            return math.nan
        low, high = high, min(4 * high, most)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high


def variance_error(squares: FloatArray, variance: float) -> float:
    r"""Return the relative standard error of a variance, from the squared deviations that it averages.

    .. math:: \sqrt{\frac 1n \Big(\frac{m_4}{s^4} - \frac{n - 3}{n - 1}\Big)}

    with :math:`m_4` the mean of the squared squares.

    Examples
    --------
    >>> round(variance_error(np.array([1.0, 4.0, 0.0, 1.0, 4.0]), 2.5), 3)
    0.343
    """
    n = squares.size
    excess = float(np.mean(squares**2)) / variance**2 - (n - 3) / (n - 1)
    return math.sqrt(max(excess, 0.0) / n)


def _least_wins(k: FloatArray, share: float) -> FloatArray:
    """Return for each number of decided items the least number of wins whose upper tail is at most `share`."""
    wins = np.clip(np.ceil((k - float(ndtri(share)) * np.sqrt(k)) / 2), 1, k + 1)
    while True:
        lower = (wins > 1) & (_at_least(wins - 1, k, 0.5) <= share)
        upper = (wins <= k) & (_at_least(np.minimum(wins, k), k, 0.5) > share)
        if not (lower.any() or upper.any()):
            return wins
        wins = wins - (lower & ~upper) + upper


def _at_least(wins: FloatArray, k: FloatArray, chance: float) -> FloatArray:
    """P(Bin(k, chance) ≥ wins), for 1 ≤ wins ≤ k."""
    return np.asarray(betainc(wins, k - wins + 1, chance))


def _binomial(k: FloatArray, n: int, chance: float) -> FloatArray:
    if chance >= 1:
        return np.where(k == n, 1.0, 0.0)
    logs = gammaln(n + 1.0) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.asarray(np.exp(logs + k * math.log(chance) + (n - k) * math.log1p(-chance)))
