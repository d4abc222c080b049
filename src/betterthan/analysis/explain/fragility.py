"""On how few segments do the verdicts on a pair depend?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from betterthan.analysis.compare.mechanisms import permutation_test
from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray
from betterthan.kernels.influence.influence import (
    Removal,
    flips_mean,
    flips_median,
    flips_wins,
    no_removal,
    removal,
)
from betterthan.kernels.influence.significance import undoes_sign_flips, undoes_sign_test
from betterthan.kernels.resampling.resample import unit_sums
from betterthan.results.explanation import Flip, Mechanism

MEAN_SIGNIFICANCE = "significance of the mean"
WINS_SIGNIFICANCE = "significance of the wins"


def flips(
    x: FloatArray,
    y: FloatArray,
    found: Sequence[Mechanism],
    segments: Sequence[str],
    units: Units,
    *,
    alpha: float,
) -> tuple[Flip, ...]:
    """Find the smallest sets of segments whose removal flips each verdict, or undoes its significance.

    Parameters
    ----------
    x, y : array, shape (n,)
        Goodness of the two systems, complete.
    found : sequence of Mechanism
    segments : sequence of str
    units : Units
        What the tests swap as one.
    alpha : float
    """
    of = {mechanism.name: mechanism for mechanism in found}
    d = x - y
    removals = {
        "mean": flips_mean(d) if of["mean"].winner else no_removal(),
        "median": flips_median(x, y) if of["median"].winner else no_removal(),
        "bradley_terry": flips_wins(d),
        MEAN_SIGNIFICANCE: undoes_mean(d, units, alpha=alpha) if of["mean"].is_significant else no_removal(),
        WINS_SIGNIFICANCE: _undoes_wins(d, units, alpha=alpha)
        if of["bradley_terry"].is_significant
        else no_removal(),
    }
    return tuple(_flip(verdict, taken, segments) for verdict, taken in removals.items())


def _flip(verdict: str, taken: Removal, segments: Sequence[str]) -> Flip:
    return Flip(
        verdict=verdict,
        n_segments=taken.n_removed if taken.is_possible else None,
        share=taken.n_removed / len(segments) if taken.is_possible else float("nan"),
        segments=tuple(segments[i] for i in taken.indices.tolist()),
        is_exact=taken.is_exact,
    )


def _undoes_wins(differences: FloatArray, units: Units, *, alpha: float) -> Removal:
    if units.are_segments:
        return undoes_sign_test(differences, alpha=alpha)
    return undoes_mean(np.sign(differences), units, alpha=alpha)


def undoes_mean(differences: FloatArray, units: Units, *, alpha: float) -> Removal:
    r"""Find few segments whose removal makes the permutation test of the mean non-significant.

    The test statistic is approximately :math:`|S| / \sqrt Q`, with S the sum and Q the sum of squares of the
    remaining differences. The run of adjacent values in sorted order whose removal makes it smallest is verified with
    the permutation test itself, for lengths around the one that the normal approximation gives.

    Parameters
    ----------
    differences : array, shape (n,)
        a − b by segment, with a significant mean.
    units : Units
        What the test swaps as one. The run is chosen as for single segments, and verified on the units.
    alpha : float

    Returns
    -------
    Removal
        An upper bound, because fewer segments that are not adjacent in size may suffice; exact when it is one segment.

    Examples
    --------
    Six wins out of six are significant, five out of five are not:

    >>> undoes_mean(np.array([1.0, 2, 3, 4, 5, 6]), Units(np.arange(6), 6), alpha=0.05).indices
    array([3])
    """
    lead = 1.0 if differences.sum() > 0 else -1.0
    order = np.argsort(-lead * differences, kind="stable")
    guess = undoes_sign_flips(differences, alpha=alpha).n_removed
    stays = partial(
        _is_significant, differences[order], units._replace(of_segment=units.of_segment[order]), alpha
    )
    short, long = _bracketed(stays, min(max(1, guess), order.size - 1), order.size - 1)
    if long > order.size - 1:
        return no_removal(is_exact=False)
    while long - short > 1:
        middle = (short + long) // 2
        short, long = (middle, long) if stays(middle) else (short, middle)
    start = _weakest_run(differences[order], long)
    return removal(order[start : start + long], is_exact=long == 1)


def _bracketed(stays: Callable[[int], bool], guess: int, most: int) -> tuple[int, int]:
    """Return a length that leaves the test significant and a longer one that does not, or most + 1."""
    short, long, step = guess, guess, 1
    if stays(guess):
        while short < most and stays(long := min(most, short + step)):
            short, step = long, 2 * step
        return short, long if long > short else most + 1
    while (short := max(0, long - step)) > 0 and not stays(short):
        long, step = short, 2 * step
    return short, long


def _is_significant(ordered: FloatArray, units: Units, alpha: float, length: int) -> bool:
    """Whether the test remains significant after removing the run of this length that weakens it most."""
    start = _weakest_run(ordered, length)
    rest = np.delete(ordered, np.s_[start : start + length])
    if not units.are_segments:
        of_rest = np.delete(units.of_segment, np.s_[start : start + length])
        rest = unit_sums(rest[None], of_rest, units.n_units)[0]
    return permutation_test(rest).pvalue <= alpha


def _weakest_run(ordered: FloatArray, length: int) -> int:
    """Start of the run of this length whose removal makes |S| / √Q smallest."""
    # Values before and after the run are summed, never subtracted from the total, which would lose digits.
    total, squares = (_without_runs(powers, length) for powers in (ordered, ordered**2))
    return int(np.argmin(total**2 / np.where(squares > 0, squares, np.inf)))


def _without_runs(values: FloatArray, length: int) -> FloatArray:
    before = np.concatenate([[0.0], values.cumsum()])
    after = np.concatenate([values[::-1].cumsum()[::-1], [0.0]])
    return np.asarray(before[: before.size - length] + after[length:])
