r"""E-processes for the mean of paired differences, by betting.

A bettor starts with 1 and bets on every unit that its difference :math:`x_t` is positive. After n units the capital is

.. math:: E_n = \sum_k w_k \prod_{t \le n} \big(1 + f_k(x_t)\big), \qquad f_k(x_t) = \lambda_{k,t} x_t,

where the bets :math:`\lambda_{k,t}` depend on earlier units only. If the differences are not positive on average, given
the past, the capital is not expected to grow, and by Ville's inequality it ever reaches :math:`1 / \alpha` with a
probability of at most :math:`\alpha`. So one may look after every unit and stop at any of them.

A bet is :math:`\lambda_{k,t} = (c_k + \delta_k n_t / s_t) / s_t`: a multiple of the inverse scale of earlier
differences, and for an expected difference :math:`\delta` the multiple that suits it. Several of them share
the capital. Where the range of the differences is known, no bet can lose more than it has, and the above holds whatever
the distribution.
Otherwise :math:`f_k` is limited to the interval from -1 to 1; being an odd function of x, it has mean 0 whenever
differences are symmetric around 0 given the past, as they are when the systems are exchangeable.

Adjustment of e-values for many hypotheses, by closed testing with averages.

A hypothesis is rejected when every set of hypotheses that contains it has an average e-value of at least
:math:`1 / \alpha`. The adjusted e-value is therefore the least of these averages, that with the k smallest others for
some k. Averages of e-processes are e-processes, whatever their dependence, so the probability that a true hypothesis
is rejected at any look is at most :math:`\alpha`. It is never less powerful than the correction of Holm for e-values.

References
----------
.. [1] Vovk and Wang (2021), E-values: calibration, combination and applications, Annals of Statistics 49.

What follows from the evidence so far: a confidence sequence, and how many more units would be enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray

_RATIO = math.sqrt(2)
_LARGEST_BOUNDED, _LARGEST = 0.9, 0.25
_SMALLEST = 0.0028
"""Relative bets, from those for effects of one standard deviation to those for a million units."""
_START_BOUNDED, _START = 1.0, 8.0
"""As of how many units the scale is trusted."""
_MOST_LOST = 0.8
"""Share of a bet's capital that a loss as large as any before may take, where the range is not known."""
_AROUND = ((0.6, 0.3), (1.0, 0.4), (1.6, 0.3))
_ON_DESIGN = 0.8
_NEARLY_ALL = 1 - 1e-9


class Bets(NamedTuple):
    """Bets that share the capital.

    Attributes
    ----------
    relative : array, shape (k,)
        In inverse standard deviations.
    expected : array, shape (k,)
        Differences per segment that are expected; a bet is relative or for such a difference.
    weight : array, shape (k,)
        Shares of the capital, which sum to 1.
    """

    relative: FloatArray
    expected: FloatArray
    weight: FloatArray


class Evidence(NamedTuple):
    """Capital of the bettors on positive and on negative differences.

    Attributes
    ----------
    log_up, log_down : array, shape (n,)
        Logarithm of the capital after each unit.
    up, down : array, shape (k,)
        Logarithm of the final capital of each bet.
    """

    log_up: FloatArray
    log_down: FloatArray
    up: FloatArray
    down: FloatArray

    @property
    def log_both(self) -> FloatArray:
        """Logarithm of the mean of the two, which is the evidence against no difference."""
        return np.asarray(np.logaddexp(self.log_up, self.log_down) - math.log(2))


def bets_for(
    *,
    bounded: bool,
    horizon: float | None = None,
    difference: float | None = None,
    reach: float = 2.8,
) -> Bets:
    """Return bets that suit all sizes of effects, and most of all those of a design.

    Parameters
    ----------
    bounded : bool
        Whether the range of the differences is known; otherwise bets are smaller.
    horizon : float, optional
        The number of units that are planned at most.
    difference : float, optional
        The difference per segment that is expected or of interest.
    reach : float, default 2.8
        How many standard errors the planned number of units detects: 1.96 + 0.84 for a power of 80% at a level of 5%.

    Examples
    --------
    >>> bets = bets_for(bounded=True, horizon=100)
    >>> bets.relative[:3].round(3), round(float(bets.weight.sum()), 12)
    (array([0.168, 0.28 , 0.448]), 1.0)
    """
    largest = _LARGEST_BOUNDED if bounded else _LARGEST
    number = math.floor(math.log(largest / _SMALLEST, _RATIO)) + 1
    usual = largest * _RATIO ** -np.arange(number, dtype=np.float64)
    prior = 1 / (np.arange(number) + 3.0)
    prior /= prior.sum()
    relative, expected, weight = [], [], []
    designs = [(difference, True)] if difference is not None else []
    designs += [(reach / math.sqrt(horizon), False)] if horizon is not None else []
    for size, is_expected in designs:
        for factor, share in _AROUND:
            relative.append(0.0 if is_expected else min(factor * size, largest))
            expected.append(factor * size if is_expected else 0.0)
            weight.append(_ON_DESIGN * share / len(designs))
    rest = 1 - _ON_DESIGN if designs else 1.0
    return Bets(np.r_[relative, usual], np.r_[expected, np.zeros(number)], np.r_[weight, rest * prior])


def evidence(values: FloatArray, sizes: FloatArray, bets: Bets, *, bound: float = math.inf) -> Evidence:
    """Return the capital of bets on positive and on negative values.

    Parameters
    ----------
    values : array, shape (n,)
        Differences in the order of the units; sums where units have several segments.
    sizes : array, shape (n,)
        Segments of each unit.
    bets : Bets
    bound : float, optional
        The largest absolute difference of a segment that is possible.

    Examples
    --------
    >>> found = evidence(np.ones(12), np.ones(12), bets_for(bounded=True), bound=1.0)
    >>> np.exp(found.log_up).round(1)[[3, 7, 11]]
    array([  3.5,  24.7, 243.3])
    """
    n = values.size
    log_up, log_down = np.full(n, -np.inf), np.full(n, -np.inf)
    up, down = np.empty(bets.weight.size), np.empty(bets.weight.size)
    starts = np.log(bets.weight)
    for k, gain in enumerate(_gains(values, sizes, bets, bound)):
        for path, sign, last in ((log_up, 1.0, up), (log_down, -1.0, down)):
            # Sums run from left to right, so that they do not depend on how many units follow.
            capital = np.cumsum(np.log1p(sign * gain)) + starts[k]
            last[k] = capital[-1] if n else starts[k]
            np.logaddexp(path, capital, out=path)
    return Evidence(log_up, log_down, up, down)


def final_capital(values: FloatArray, sizes: FloatArray, bets: Bets, *, bound: float = math.inf) -> float:
    """Return the logarithm of the final capital of bets on positive values, without the path to it.

    Examples
    --------
    >>> round(final_capital(np.ones(12), np.ones(12), bets_for(bounded=True), bound=1.0), 2)
    5.49
    """
    sums = [float(np.log1p(gain).sum()) for gain in _gains(values, sizes, bets, bound)]
    return float(np.logaddexp.reduce(np.array(sums) + np.log(bets.weight)))


def growth(
    values: FloatArray, sizes: FloatArray, bets: Bets, *, bound: float = math.inf
) -> tuple[FloatArray, FloatArray]:
    """Return the mean growth per unit of the logarithm of each bet on positive and on negative values.

    Bets are those that would be made after all of these units.

    Examples
    --------
    >>> values = np.tile([0.5, -0.5, 0.5], 30)
    >>> up, down = growth(values, np.ones(90), bets_for(bounded=True), bound=0.5)
    >>> round(float(up.max()), 3), round(float(down.max()), 3)
    (0.057, -0.001)
    """
    scale = np.full(values.size, math.sqrt(float(np.mean(values**2))))
    gains = list(_gains(values, sizes, bets, bound, scale))
    up, down = (np.array([float(np.log1p(sign * gain).mean()) for gain in gains]) for sign in (1.0, -1.0))
    return up, down


def _gains(
    values: FloatArray, sizes: FloatArray, bets: Bets, bound: float, scale: FloatArray | None = None
) -> Iterator[FloatArray]:
    """Yield what each bet on positive values gains with each unit, as a share of its capital."""
    is_bounded = math.isfinite(bound)
    if scale is None:
        scale = _scales(values, sizes, bound, _START_BOUNDED if is_bounded else _START)
    with np.errstate(divide="ignore"):
        inverse = np.where(scale > 0, 1 / scale, 0.0)
    largest = _LARGEST_BOUNDED if is_bounded else _LARGEST
    for relative, expected in zip(bets.relative.tolist(), bets.expected.tolist(), strict=True):
        bet = np.minimum(relative + expected * sizes * inverse, largest) * inverse
        if is_bounded:
            bet = np.minimum(bet, _NEARLY_ALL / (bound * sizes))
        yield np.clip(bet * values, -_NEARLY_ALL, _NEARLY_ALL)


def _scales(values: FloatArray, sizes: FloatArray, bound: float, start: float) -> FloatArray:
    """Return the scale of each value from those before it; 0 where they say nothing."""
    before = np.arange(values.size, dtype=np.float64)
    squares = np.r_[0.0, np.cumsum(values**2)[:-1]] if values.size else values
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt(squares / before * (1 + start / before))
    scale = np.where(squares > 0, scale, 0.0)
    if math.isinf(bound) and values.size:
        largest = np.r_[0.0, np.maximum.accumulate(np.abs(values))[:-1]]
        scale = np.maximum(scale, _LARGEST / _MOST_LOST * largest)
    return np.where(scale > 0, scale, bound * sizes) if math.isfinite(bound) else scale


_MOST = 600.0
"""Logarithms above this are equal for every purpose here, and their exponentials can be added."""


def adjusted(log_e: FloatArray) -> FloatArray:
    """Return the logarithms of adjusted e-values.

    Parameters
    ----------
    log_e : array, shape (..., m)
        Logarithms of e-values of m hypotheses.

    Examples
    --------
    >>> np.exp(adjusted(np.log([100.0, 30.0, 0.5]))).round(2)
    array([43.5 , 15.25,  0.5 ])
    """
    capped = np.minimum(log_e, _MOST)
    order = np.argsort(capped, axis=-1, kind="stable")
    ascending = np.exp(np.take_along_axis(capped, order, axis=-1))
    # Of each hypothesis, in ascending order: the average with the k smallest others, which first falls and then rises.
    below = np.concatenate([np.zeros((*log_e.shape[:-1], 1)), np.cumsum(ascending, axis=-1)], axis=-1)
    averages = np.log(_least_averages(ascending, below))
    found = np.empty_like(averages)
    np.put_along_axis(found, order, averages, axis=-1)
    return np.where(log_e > _MOST, log_e - (capped - found), found)


def _least_averages(ascending: FloatArray, below: FloatArray) -> FloatArray:
    """Search the number of others from which on their e-values are above the average."""
    m = ascending.shape[-1]
    low = np.zeros(ascending.shape, dtype=np.int64)
    high: IntArray = np.broadcast_to(np.arange(m), ascending.shape).copy()
    while (low < high).any():
        middle = (low + high) // 2
        average = (ascending + np.take_along_axis(below, middle, axis=-1)) / (middle + 1)
        falls = (np.take_along_axis(ascending, middle, axis=-1) < average) & (low < high)
        low, high = np.where(falls, middle + 1, low), np.where(falls | (low >= high), high, middle)
    return np.asarray((ascending + np.take_along_axis(below, low, axis=-1)) / (low + 1))


_STEPS, _FARTHEST = 14, 256
MOST_MORE = 1e7
"""Larger numbers of further units are reported as infinite."""


def limits(
    values: FloatArray, sizes: FloatArray, bets: Bets, *, bound: float = math.inf, threshold: float
) -> tuple[float, float]:
    """Return the confidence limits of the mean per segment that hold at every look.

    A mean is outside when the evidence against it, which is that of the values less the mean, reaches the threshold.

    Parameters
    ----------
    values, sizes : array, shape (n,)
    bets : Bets
    bound : float, optional
    threshold : float
        Logarithm of 1 / alpha.

    Examples
    --------
    >>> from betterthan.kernels.sequential.betting import bets_for
    >>> values = np.tile([0.0, 0.0, 0.0, 1.0], 40)
    >>> low, high = limits(values, np.ones(160), bets_for(bounded=True), bound=1.0, threshold=math.log(20))
    >>> round(low, 2), round(high, 2)
    (0.16, 0.37)
    """
    total = float(sizes.sum())
    if not values.size or total == 0:
        return -bound, bound
    center = math.fsum(values.tolist()) / total
    spread = float(np.sqrt(np.mean((values - center * sizes) ** 2))) or abs(center) or 1.0

    target = threshold + math.log(2)
    return tuple(
        center + sign * _reach(sign * values, sign * center, sizes, bets, bound, target, spread)
        for sign in (-1.0, 1.0)
    )  # type: ignore[return-value]


def _reach(
    values: FloatArray,
    center: float,
    sizes: FloatArray,
    bets: Bets,
    bound: float,
    target: float,
    step: float,
) -> float:
    """Return how far above the center means are not outside; without a bound, infinite where none is."""
    end = bound - center

    def is_outside(reach: float) -> bool:
        mean = center + reach
        return final_capital(mean * sizes - values, sizes, bets, bound=bound + abs(mean)) >= target

    inside, outside = 0.0, min(step, end)
    while not is_outside(outside):
        if outside >= end or outside > _FARTHEST * step:
            return end
        inside, outside = outside, min(2 * outside, end)
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if is_outside(middle) else (middle, outside)
    return outside


def more_units(start: FloatArray, rates: FloatArray, target: float) -> float:
    """Return after how many more units the capital is enough if every bet grows at its rate; infinite if it does not.

    Parameters
    ----------
    start, rates : array, shape (k,)
        Logarithm of the capital of each bet, and its growth per unit.
    target : float
        Logarithm of the capital that is enough.

    Examples
    --------
    >>> more_units(np.array([0.0]), np.array([0.01]), 2.0)
    200.0
    """

    def is_reached(more: float) -> bool:
        return float(np.logaddexp.reduce(start + rates * more)) >= target

    if is_reached(0.0):
        return 0.0
    high = 1.0
    while not is_reached(high):
        high *= 2
        if high > MOST_MORE:
            return math.inf
    low = high / 2 if high > 1 else 0.0
    while high - low > max(0.5, 1e-3 * high):
        middle = (low + high) / 2
        low, high = (low, middle) if is_reached(middle) else (middle, high)
    return float(math.ceil(high))
