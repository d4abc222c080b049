"""What each way of aggregating says about two systems, and the test that belongs to it."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.sign_flips.all_pairs import (
    CERTIFIED,
    EXACT,
    certain_tail,
    lattice_unit,
    needs_referee,
    pair_tails,
)
from betterthan.kernels.significance.effects import rank_biserial
from betterthan.results.explanation import Mechanism, OtherTest
from betterthan.results.pairwise import MEAN_DIFFERENCE

_ROUNDING = 4 * float(np.finfo(np.float64).eps)
_SMALLEST = float(np.finfo(np.float64).tiny)


class Permutation(NamedTuple):
    """P-value of the sign-flip test, and what it lies between."""

    pvalue: float
    low: float
    high: float


def permutation_test(differences: FloatArray, *, alpha: float = 0.05) -> Permutation:
    r"""Test whether the mean difference is zero by swapping the two systems, two-sided, without any draw.

    .. math:: p = P\Big(\Big|\sum_i \varepsilon_i d_i\Big| \ge \Big|\sum_i d_i\Big|\Big),
              \qquad \varepsilon_i = \pm 1

    The same p-value as in :func:`betterthan.compare`: by inversion, and exact or certified where its second digit or
    the decision at `alpha` depends on it.

    Parameters
    ----------
    differences : array, shape (n,)
        Of segments, or of groups summed as units.
    alpha : float, default 0.05

    Examples
    --------
    >>> permutation_test(np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0])).pvalue
    0.03125
    """
    unit = lattice_unit(np.append(differences, 0.0))
    both = np.stack([differences, np.zeros(differences.size)])
    tails = pair_tails(both, np.array([0]), np.array([1]), unit=unit)
    p, low, high, method = (part[0] for part in tails)
    is_open = bool(needs_referee(tails)[0]) or (low <= alpha < high)
    if is_open and method not in (EXACT, CERTIFIED):
        low, high, method = certain_tail(differences, unit=unit)
        p = high if method == EXACT else min(max(p, low), high)
    return Permutation(max(float(p), _SMALLEST), float(low), max(float(high), _SMALLEST))


def mean_of(values: FloatArray) -> float:
    """The mean, correctly rounded, so that the order of segments does not matter; NaN of nothing.

    Examples
    --------
    >>> mean_of(np.array([0.1] * 10))
    0.1
    """
    return math.fsum(values.tolist()) / values.size if values.size else math.nan


def mean_difference(x: FloatArray, y: FloatArray) -> float:
    """Mean of x − y; 0 when it is no more than the rounding of the scores.

    Examples
    --------
    >>> mean_difference(np.array([0.1, 0.2]), np.array([0.3, 0.0]))
    0.0
    """
    return settled(mean_of(x - y), mean_of(np.maximum(np.abs(x), np.abs(y))))


def median_difference(x: FloatArray, y: FloatArray) -> float:
    """Median of x less median of y; 0 when it is no more than rounding."""
    middle_x, middle_y = float(np.median(x)), float(np.median(y))
    return settled(middle_x - middle_y, max(abs(middle_x), abs(middle_y)))


def median_of_differences(x: FloatArray, y: FloatArray) -> float:
    """Median of x − y; 0 when it is no more than rounding."""
    return settled(float(np.median(x - y)), float(np.maximum(np.abs(x), np.abs(y)).max()))


def settled(value: float, scale: float) -> float:
    """Return `value`, or 0 when it is rounding error of numbers of size `scale`."""
    return value + 0.0 if abs(value) > _ROUNDING * scale else 0.0


class PairTests(NamedTuple):
    """P-values of the tests of the aggregations, all on one unit; NaN where a test is undefined."""

    mean: float
    t: float
    median: float
    wins: float
    shift: float


def mechanisms(
    x: FloatArray, y: FloatArray, names: tuple[str, str], *, alpha: float, tests: PairTests
) -> tuple[Mechanism, ...]:
    """Let mean, median, Bradley–Terry and Wilcoxon judge x against y.

    Parameters
    ----------
    x, y : array, shape (n,)
        Goodness of the two systems, complete.
    names : (str, str)
    alpha : float
    tests : PairTests
    """
    lead = float(np.count_nonzero(x > y) - np.count_nonzero(x < y)) / x.size
    shift = float(rank_biserial(np.stack([x, y]))[0, 1])
    judge = partial(_mechanism, names, alpha)
    paired_t = (OtherTest(name="paired t", pvalue=tests.t),)
    return (
        judge("mean", mean_difference(x, y), MEAN_DIFFERENCE, "permutation", tests.mean, paired_t),
        judge("median", median_difference(x, y), "difference of medians", "Mood", tests.median),
        judge("bradley_terry", lead, "wins less losses, share of segments", "sign", tests.wins),
        judge("shift", shift, "rank-biserial correlation", "Wilcoxon", tests.shift),
    )


def _mechanism(
    names: tuple[str, str],
    alpha: float,
    name: str,
    effect: float,
    effect_name: str,
    test: str,
    pvalue: float,
    other_tests: tuple[OtherTest, ...] = (),
) -> Mechanism:
    return Mechanism(
        name=name,
        winner=winner_of(effect, names),
        effect=effect,
        effect_name=effect_name,
        test=test,
        pvalue=pvalue,
        is_significant=bool(pvalue <= alpha),
        other_tests=other_tests,
    )


def winner_of(effect: float, names: tuple[str, str]) -> str | None:
    """The first name for a positive effect, the second for a negative one, None for zero."""
    return None if effect == 0 else names[0 if effect > 0 else 1]
