r"""Exact tests that two paired shares, such as two accuracies, differ by more than a margin.

Of n items b are right with the first system only and c with the second only. Given a difference :math:`\delta` of the
two shares, one probability remains unknown: q, of an item that only the second gets right. The p-value is the largest
over all q, so that the test holds its level whatever q is and however rare changes are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import betainc, gammaln, xlogy

from betterthan.arrays import BoolArray, FloatArray

_GRID = 160  # values of q; with ten times as many no p-value of 500 tables of 20 to 1,000 items was larger by 0.0003
_REACH = 8.0  # standard deviations of a binomial number beyond which less than 1e-15 is left
_FEW = 64  # items up to which all tables are listed
_ROWS = 256  # values of q at once, for 2,145 tables of 64 items
_SEVERAL = 800  # items up to which tables near the observed one are ordered by their estimated p-values
_CLEAR = 4.0  # p-values so many times above or below the level decide in either order
_TIE = 1e-9  # statistics that differ by less are equal
_FAR, _STEP, _STEPS = 0.3, 0.02, 5  # from this difference on, so many larger margins are looked at, too


def score_statistic(better: FloatArray, worse: FloatArray, n: float, difference: float) -> FloatArray:
    r"""Tango's score statistic of the hypothesis that the difference of two paired shares is `difference`.

    .. math:: z = \frac{b - c - n \delta}{\sqrt{n (2 \tilde q + \delta (1 - \delta))}},

    with :math:`\tilde q` the estimate of q under the hypothesis, the larger root of :math:`2n q^2 - (b + c -
    (2n - b + c) \delta) q - c \delta (1 - \delta) = 0`.

    Parameters
    ----------
    better, worse : array
        b and c.
    n : float
        Items.
    difference : float
        Between -1 and 1.

    References
    ----------
    .. [1] Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
       paired-sample design, Statistics in Medicine 17.

    Examples
    --------
    >>> score_statistic(np.array([8.0]), np.array([1.0]), 50, 0.0).round(4)
    array([2.3333])
    """
    share = likeliest_share(better, worse, n, difference)
    variance = n * (2 * share + difference * (1 - difference))
    distance = better - worse - n * difference
    with np.errstate(divide="ignore", invalid="ignore"):
        found = distance / np.sqrt(np.maximum(variance, 0.0))
    certain = np.where(distance > _TIE, np.inf, np.where(distance < -_TIE, -np.inf, 0.0))
    return np.where(variance <= 1e-12 * n, certain, found)


def likeliest_share(better: FloatArray, worse: FloatArray, n: float, difference: float) -> FloatArray:
    """Return q with the largest likelihood, given the difference: the larger root above.

    Examples
    --------
    >>> likeliest_share(np.array([8.0]), np.array([1.0]), 50, 0.0)
    array([0.09])
    """
    half = (2 * n - better + worse) * difference - better - worse
    last = worse * difference * (1 - difference)
    root = np.sqrt(np.maximum(half * half + 8 * n * last, 0.0))
    return np.asarray((root - half) / (4 * n))


def shares_exceed(better: int, worse: int, n: int, difference: float, *, level: float | None = None) -> float:
    r"""P-value of "the share of the first system exceeds that of the second by at most `difference`", one-sided, exact.

    .. math:: p = \sup_q P_{q, \delta}\big( Z(B, C) \ge z \big), \qquad
              (B, C, n - B - C) \sim \text{Mult}(n; q + \delta, q, 1 - 2q - \delta),

    with Tango's score statistic Z. Up to 800 items the tables (b, c) are ordered instead by the probability of a
    statistic as large at their own likeliest q, which has more power where few items change (the E + M p-value [3]_).
    Beyond, both orders have the same power within three points. At a difference of 0 the test that takes the number of
    changed items as given (McNemar's) is the one that :func:`betterthan.compare` reports.

    Parameters
    ----------
    better, worse : int
        Items that only the first system gets right, and only the second.
    n : int
    difference : float
        Such as minus the margin, to show that the first system is not worse by more than the margin.
    level : float, optional
        The level with which the p-value is compared: with more than 64 items, those that are four times as large or as
        small are those of the score statistic, which takes less time.

    References
    ----------
    .. [1] Hsueh, Liu and Chen (2001), Unconditional exact tests for equivalence or noninferiority for paired binary
       endpoints, Biometrics 57.
    .. [2] Sidik (2003), Exact unconditional tests for testing non-inferiority in matched-pairs design, Statistics in
       Medicine 22.
    .. [3] Lloyd and Moldovan (2008), A more powerful exact test of noninferiority from binary matched-pairs data,
       Statistics in Medicine 27.

    Examples
    --------
    Without any change on 50 items a decline by 0.02 remains possible, since 0.98**50 is 0.36:

    >>> round(shares_exceed(0, 0, 50, -0.02), 4), round(shares_exceed(0, 0, 200, -0.02), 4)
    (0.3719, 0.0191)
    """
    if not -1 < difference < 1:
        return 0.0 if difference <= -1 else 1.0
    if n <= _FEW:
        # The hypothesis includes lower differences, at one of which a large one may be a little more likely.
        lower = _STEP * math.ceil(difference / _STEP - 1) - _STEP * np.arange(_STEPS)
        all_of = [difference, *(lower[lower > -1] if abs(difference) > _FAR else ())]
        return max(_estimated_and_maximized(better, worse, n, float(at), _shares(float(at))) for at in all_of)
    z = float(score_statistic(np.array([float(better)]), np.array([float(worse)]), n, difference)[0])
    least = _least_of_score(z, n, difference)
    p = _largest_tail(least, n, difference)
    is_clear = level is not None and not level / _CLEAR < p < level * _CLEAR
    if n > _SEVERAL or is_clear:
        return p
    return _largest_tail(_least_of_estimate(better, worse, n, difference, least), n, difference)


def _least_of_score(z: float, n: int, difference: float) -> FloatArray:
    """Return for each number of losses the least number of wins with a score statistic as large."""

    def is_as_large(wins: FloatArray, lost: FloatArray) -> BoolArray:
        return np.asarray(score_statistic(wins, lost, n, difference) >= z - _TIE)

    return _least_wins(is_as_large, n, np.arange(n + 1.0))


def _least_of_estimate(better: int, worse: int, n: int, difference: float, near: FloatArray) -> FloatArray:
    """Return the same for the estimated p-value, searching near the tables with the same score statistic."""

    @cache
    def estimate(wins: int, losses: int) -> float:
        table = np.array([float(wins)]), np.array([float(losses)])
        z = round(float(score_statistic(*table, n, difference)[0]), 9)
        share = float(likeliest_share(*table, n, difference)[0])
        return _tail(_least_of_score(z, n, difference), n, share, difference)

    most = estimate(better, worse) + _TIE
    least = np.empty(n + 1)
    for losses, start in enumerate(near.tolist()):
        wins = min(int(start), n - losses + 1)
        while wins <= n - losses and estimate(wins, losses) > most:
            wins += 1
        while wins > 0 and estimate(wins - 1, losses) <= most:
            wins -= 1
        least[losses] = wins
    return least


def _largest_tail(least: FloatArray, n: int, difference: float) -> float:
    shares = _shares(difference).tolist()
    return float(min(1.0, max(_tail(least, n, share, difference) for share in shares)))


def _shares(difference: float) -> FloatArray:
    """Values of q; the p-value moves fastest where hardly any item changes, or hardly any stays."""
    low, high = max(0.0, -difference), (1 - difference) / 2
    return np.asarray(low + (high - low) * (1 - np.cos(np.linspace(0.0, np.pi, _GRID))) / 2)


def _estimated_and_maximized(better: int, worse: int, n: int, difference: float, shares: FloatArray) -> float:
    """Return the E + M p-value, over all tables of n items."""
    wins, losses = (part.ravel() for part in np.indices((n + 1, n + 1)).astype(np.float64))
    inside = wins + losses <= n
    wins, losses = wins[inside], losses[inside]
    z = np.round(score_statistic(wins, losses, n, difference), 9)
    order = np.argsort(-z, kind="stable")
    wins, losses, z = wins[order], losses[order], z[order]
    logs = gammaln(n + 1.0) - gammaln(wins + 1) - gammaln(losses + 1) - gammaln(n - wins - losses + 1)

    def chances(some: FloatArray) -> FloatArray:
        """Probabilities of all tables, a row for each q."""
        q = some[:, None]
        rest = xlogy(n - wins - losses, np.maximum(1 - 2 * q - difference, 0.0))
        return np.asarray(
            np.exp(logs + xlogy(wins, np.maximum(q + difference, 0.0)) + xlogy(losses, q) + rest)
        )

    own = np.round(likeliest_share(wins, losses, n, difference), 9)
    last = np.searchsorted(-z, -z, side="right") - 1  # the last table with the same statistic
    estimate = np.empty(z.size)
    for first in range(0, z.size, _ROWS):
        here = slice(first, first + _ROWS)
        tails = chances(own[here]).cumsum(axis=1)
        estimate[here] = tails[np.arange(len(tails)), last[here]]
    observed = estimate[(wins == better) & (losses == worse)][0]
    return float(min(1.0, (chances(shares) @ (estimate <= observed + _TIE)).max()))


def _least_wins(
    is_as_large: Callable[[FloatArray, FloatArray], BoolArray], n: int, losses: FloatArray
) -> FloatArray:
    """Return for each number of losses the least number of wins in the tail; one more than possible where none is."""
    low, high = np.full(losses.size, -1.0), n - losses + 1
    while (open_ := high - low > 1).any():
        middle = np.floor((low + high) / 2)
        inside = is_as_large(middle, losses) & (middle <= n - losses)
        high = np.where(open_ & inside, middle, high)
        low = np.where(open_ & ~inside, middle, low)
    return high


def _tail(least: FloatArray, n: int, share: float, difference: float) -> float:
    """Probability of the tail, given the share of items that only the second system gets right."""
    around = _REACH * math.sqrt(n * share * (1 - share)) + _REACH
    first, last = max(0, math.floor(n * share - around)), min(n, math.ceil(n * share + around))
    losses = np.arange(first, last + 1, dtype=np.float64)
    if share <= 0:
        losses, weight = np.zeros(1), np.ones(1)
    else:
        logs = gammaln(n + 1.0) - gammaln(losses + 1) - gammaln(n - losses + 1)
        weight = np.exp(logs + losses * math.log(share) + (n - losses) * math.log1p(-share))
    wins, rest = least[losses.astype(np.int64)], n - losses
    chance = min(max((share + difference) / (1 - share), 0.0), 1.0)
    inner = betainc(np.clip(wins, 1, None), np.clip(rest - wins + 1, 1, None), chance)
    return float(weight @ np.where(wins <= 0, 1.0, np.where(wins > rest, 0.0, inner)))
