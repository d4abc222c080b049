"""What follows from the evidence so far: a confidence sequence, and how many more units would be enough."""

from __future__ import annotations

import math

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.sequential.betting import Bets, final_capital

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
