"""What each way of aggregating says about two systems, and the test that belongs to it."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.effects import rank_biserial
from betterthan.kernels.exact import exact_sign_flip
from betterthan.kernels.mood import mood_median
from betterthan.kernels.paired import paired_t
from betterthan.kernels.sign_flip_bracket import sign_flip_bracket
from betterthan.kernels.sign_test import sign_test
from betterthan.kernels.wilcoxon import wilcoxon
from betterthan.kernels.wins import win_counts
from betterthan.results.explanation import Mechanism, OtherTest

_ROUNDING = 4 * float(np.finfo(np.float64).eps)
_SMALLEST = float(np.finfo(np.float64).tiny)
_MOST_ADDITIONS = 2e8  # a fifth of a second; finer scores have a bracket, and the test is done many times


class Permutation(NamedTuple):
    """P-value of the sign-flip test: exact, or the upper end of a certified bracket."""

    pvalue: float
    low: float
    is_exact: bool


def permutation_test(differences: FloatArray) -> Permutation:
    r"""Test whether the mean difference is zero by swapping the two systems, two-sided, without any draw.

    .. math:: p = P\Big(\Big|\sum_i \varepsilon_i d_i\Big| \ge \Big|\sum_i d_i\Big|\Big),
              \qquad \varepsilon_i = \pm 1

    All :math:`2^n` swaps are counted where that is possible, and otherwise p is bracketed with certainty; its upper
    end is then reported, so that nothing is claimed that the exact value would not support.

    Parameters
    ----------
    differences : array, shape (n,)
        Of segments, or of groups summed as units.

    Examples
    --------
    >>> permutation_test(np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0]))
    Permutation(pvalue=0.03125, low=0.03125, is_exact=True)
    """
    # By size, so that neither the order of segments nor that of the two systems moves the last bit.
    by_size = differences[np.argsort(np.abs(differences), kind="stable")]
    tail = exact_sign_flip(by_size, most_additions=_MOST_ADDITIONS)
    if tail is not None:
        return Permutation(max(tail.pvalue, _SMALLEST), max(tail.pvalue, _SMALLEST), is_exact=True)
    bracket = sign_flip_bracket(by_size)
    return Permutation(max(bracket.high, _SMALLEST), bracket.low, is_exact=False)


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


def mechanisms(
    x: FloatArray, y: FloatArray, names: tuple[str, str], *, alpha: float, units: IntArray | None
) -> tuple[Mechanism, ...]:
    """Let mean, median, Bradley–Terry and Wilcoxon judge x against y.

    Parameters
    ----------
    x, y : array, shape (n,)
        Goodness of the two systems, complete.
    names : (str, str)
    alpha : float
    units : array of int, shape (n,), optional
        Group of each segment, for a second test of the mean that swaps whole groups.
    """
    both, counts = np.stack([x, y]), win_counts(np.stack([x, y]))
    permutation = permutation_test(x - y)
    way = "exact" if permutation.is_exact else "bracket"
    # Scores that are all alike leave Mood's table empty, but nothing to doubt.
    mood = 1.0 if np.array_equal(x, y) else float(mood_median(both).pvalue[0, 1])
    lead = float(counts.wins[0, 1] - counts.wins[1, 0]) / x.size
    sign, ranks = sign_test(counts).pvalue[0, 1], wilcoxon(both).pvalue[0, 1]
    shift = float(rank_biserial(both)[0, 1])
    others = _other_tests_of_mean(both, units, alpha)
    judge = partial(_mechanism, names, alpha)
    return (
        judge(
            "mean",
            mean_difference(x, y),
            "difference of means",
            f"permutation, {way}",
            permutation.pvalue,
            others,
        ),
        judge("median", median_difference(x, y), "difference of medians", "Mood", mood),
        judge("bradley_terry", lead, "wins less losses, share of segments", "sign", float(sign)),
        judge("shift", shift, "rank-biserial correlation", "Wilcoxon", float(ranks)),
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


def _other_tests_of_mean(both: FloatArray, units: IntArray | None, alpha: float) -> tuple[OtherTest, ...]:
    tests = [OtherTest(name="paired t", pvalue=float(paired_t(both).pvalue[0, 1]))]
    n_units = 0 if units is None else int(units.max()) + 1
    # So few groups that even all of them on one side would prove nothing are not worth a test.
    if units is not None and n_units < units.size and 2.0 ** (1 - n_units) <= alpha:
        sums = np.bincount(units, weights=both[0] - both[1]).astype(np.float64)
        tests.append(OtherTest(name="permutation, groups", pvalue=permutation_test(sums).pvalue))
    return tuple(tests)
