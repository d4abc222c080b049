"""Effects with their confidence intervals, one record per effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from betterthan.analysis.units import Units
from betterthan.arrays import BoolArray, FloatArray
from betterthan.kernels.comparisons.tied_ranks import counted_medians
from betterthan.kernels.comparisons.wins import TiesPolicy, WinCounts, win_counts
from betterthan.kernels.intervals.intervals import percentile_interval, simultaneous_confidence
from betterthan.kernels.intervals.mean_differences import mean_difference_interval, median_interval
from betterthan.kernels.intervals.proportions import agresti_coull_interval, holding, sign_test_holds
from betterthan.kernels.resampling.clustered import degrees_of_mean
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.kernels.sign_flips.limits import Limits, has_limits, sign_flip_limits, without_zero
from betterthan.kernels.significance.effects import (
    cliffs_delta,
    dominance,
    median_differences,
    medians_of_differences,
    rank_biserial,
    shared_wins,
    standardised,
    win_probabilities,
)
from betterthan.kernels.significance.paired import Differences, differences
from betterthan.results.pairwise import MEAN_DIFFERENCE, WIN_PROBABILITY

_MEDIAN_RESAMPLES = 1000
_ROUNDING = 1e-14
_FEW_CHANGED = 0.5  # share of documents on which two systems differ


class EffectOptions(NamedTuple):
    """Options of an effect and its interval.

    Attributes
    ----------
    units : Units
    confidence : float
    ties : {"drop", "half", "as_published"}
    stream : callable
        Returns the generator of random numbers, for intervals that draw.
    swaps : bool, default False
        Whether the test swaps whole units, so that intervals of mean differences by documents invert it.
    pvalue : array, shape (m, m), optional
        Two-sided p-values of that test, where they are not random.
    """

    units: Units
    confidence: float
    ties: TiesPolicy
    stream: Callable[[], np.random.Generator]
    swaps: bool = False
    pvalue: FloatArray | None = None


class PairScores:
    """Scores of all systems, with quantities that effect, interval and size share, computed once.

    Parameters
    ----------
    goodness : array, shape (m, n)
    counts : WinCounts, optional
        Win counts, where already available.
    cubes : bool, default True
        Whether intervals need the third moments of the differences.
    """

    def __init__(self, goodness: FloatArray, *, counts: WinCounts | None = None, cubes: bool = True) -> None:
        self.goodness = goodness
        self._counts = counts
        self._cubes = cubes

    @cached_property
    def counts(self) -> WinCounts:
        """Win counts of all pairs."""
        return win_counts(self.goodness) if self._counts is None else self._counts

    @cached_property
    def moments(self) -> Differences:
        """Moments of the differences of all pairs."""
        return differences(self.goodness, cubes=self._cubes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An effect of one system over another, for all pairs at once.

    Attributes
    ----------
    name : str
    of : callable
        (seen, setting) to (m, m) effects; antisymmetric, or summing to 1 for a probability.
    interval : callable
        (seen, setting) to the lower and upper limits, both (m, m).
    size_name : str
        Name of the standardized effect.
    size : callable
        From the observed scores to (m, m) standardized effects.
    """

    name: str
    of: Callable[[PairScores, EffectOptions], FloatArray]
    interval: Callable[[PairScores, EffectOptions], Limits]
    size_name: str
    size: Callable[[PairScores], FloatArray]


def for_all_pairs(name: str, goodness: FloatArray, setting: EffectOptions) -> EffectOptions:
    """Return the options whose intervals cover the true effects of all pairs simultaneously.

    The correlation of mean differences is accounted for
    (:func:`betterthan.kernels.intervals.intervals.simultaneous_confidence`); for other effects, and where scores are
    missing, each pair gets an equal share of the level (Bonferroni).

    Parameters
    ----------
    name : str
        Of the effect, a key of `EFFECTS`.
    goodness : array, shape (m, n)
    setting : EffectOptions
        With the simultaneous confidence level.
    """
    m = len(goodness)
    if name == "mean_difference" and not np.isnan(goodness).any():
        pull = setting.units.summed(goodness - goodness.mean(axis=1, keepdims=True)).T
        return setting._replace(
            confidence=simultaneous_confidence(pull, setting.confidence, setting.stream())
        )
    return setting._replace(confidence=1 - (1 - setting.confidence) / max(m * (m - 1) // 2, 1))


def _mean_limits(seen: PairScores, setting: EffectOptions) -> Limits:
    goodness = seen.goodness
    if setting.units.are_segments:
        return mean_difference_interval(
            goodness, confidence=setting.confidence, moments=seen.moments, counts=seen.counts
        )
    found = clustered_mean_differences(goodness, setting.units)
    # Identical document differences carry no information on variance, like identical segment differences.
    error = np.where(
        found.error > 0, found.error, np.sqrt(2) * np.ptp(goodness) / (setting.units.n_units + 2)
    )
    np.fill_diagonal(error, 0.0)
    reach = -stdtrit(found.degrees, (1 - setting.confidence) / 2) * error
    limits = found.mean - reach, found.mean + reach
    if setting.swaps and has_limits(setting.units.n_units, setting.confidence):
        _not_rejected(goodness, setting, found.error > 0, limits)
    return limits


def _not_rejected(goodness: FloatArray, setting: EffectOptions, varies: BoolArray, limits: Limits) -> None:
    """Replace limits by those of the inverted permutation test, for pairs whose difference varies between documents."""
    left, right = np.nonzero(np.triu(varies, 1))
    sums, start = setting.units.summed(goodness), (limits[0][left, right], limits[1][left, right])
    low, high = sign_flip_limits(
        sums, setting.units.sizes, confidence=setting.confidence, start=start, pairs=(left, right)
    )
    # Where the systems are equal on most documents, a limit can be 0 merely because no document favors the other
    # system: coverage was 90% with failures in a fifth of the documents. There the hull of both intervals is used.
    changed = np.array([np.count_nonzero(sums[a] != sums[b]) for a, b in zip(left, right, strict=True)])
    few = changed <= _FEW_CHANGED * setting.units.n_units
    low, high = np.where(few, np.minimum(low, start[0]), low), np.where(few, np.maximum(high, start[1]), high)
    if setting.pvalue is not None:
        is_rejected = setting.pvalue[left, right] <= 1 - setting.confidence
        low, high = holding(0.0, low, high, where=~is_rejected)
        low, high = without_zero(low, high, where=is_rejected)
    limits[0][left, right], limits[1][left, right] = low, high
    limits[0][right, left], limits[1][right, left] = -high, -low


class ClusteredDifferences(NamedTuple):
    """Mean differences and their standard errors, both (m, m), with the degrees of freedom of the errors."""

    mean: FloatArray
    error: FloatArray
    degrees: float


def clustered_mean_differences(goodness: FloatArray, units: Units) -> ClusteredDifferences:
    r"""Mean differences and their standard errors, clustered by document.

    .. math:: \mathrm{se}^2 = \frac{1}{n^2} \sum_{g=1}^{G}
              \frac{\big( \sum_{i \in g} (d_i - \bar d) \big)^2}{1 - n_g / n}

    A large document has high leverage on the mean, which the divisor corrects for (CR2, see
    :mod:`betterthan.kernels.resampling.clustered`). Documents of equal size give the factor G / (G − 1) and G − 1
    degrees of freedom; uneven ones have fewer.

    Used for the interval of the t-test, and of the permutation test where it has too few documents or no variance;
    otherwise the latter uses :func:`betterthan.kernels.sign_flips.limits.sign_flip_limits`.
    """
    n = goodness.shape[1]
    mean = goodness.mean(axis=1)
    sums = units.summed(goodness) - mean[:, None] * units.sizes
    root = np.sqrt(1 - units.shares)
    between = np.stack([(((own - sums) / root) ** 2).sum(axis=1) for own in sums])
    error = np.sqrt(between) / n
    # When all differences are equal, the remaining variation is rounding error.
    noise = _ROUNDING * np.abs(goodness).max(axis=1, initial=0.0)
    error[error <= np.maximum(noise[:, None], noise[None, :])] = 0.0
    return ClusteredDifferences(mean[:, None] - mean[None, :], error, degrees_of_mean(units.shares))


def _median_of_differences_limits(seen: PairScores, setting: EffectOptions) -> Limits:
    goodness = seen.goodness
    m = len(goodness)
    low, high = np.zeros((m, m)), np.zeros((m, m))
    for a in range(m):
        found = median_interval(goodness[a] - goodness, confidence=setting.confidence)
        low[a], high[a] = found.low, found.high
    return low, high


def _median_difference_limits(seen: PairScores, setting: EffectOptions) -> Limits:
    goodness = seen.goodness
    drawn = resampled_medians(goodness, setting.units, _MEDIAN_RESAMPLES, setting.stream())
    m = len(goodness)
    low, high = np.zeros((m, m)), np.zeros((m, m))
    for a in range(m):
        # Bootstrap medians already vary more than medians of new segments, so percentiles are not expanded here.
        low[a], high[a] = percentile_interval(drawn[:, a, None] - drawn, setting.confidence)
    return low, high


def resampled_medians(
    goodness: FloatArray, units: Units, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Median of each system in each bootstrap sample of units, shape (n_resamples, m)."""
    counts = bootstrap_counts(n_resamples, units.n_units, rng)[:, units.of_segment]
    return counted_medians(goodness, counts)


def _probability_limits(seen: PairScores, setting: EffectOptions) -> Limits:
    won = shared_wins(seen.counts, setting.ties)
    low, high = agresti_coull_interval(won, won + won.T, confidence=setting.confidence)
    if setting.ties != "drop":
        return low, high
    return holding(0.5, low, high, where=sign_test_holds(won, won.T, setting.confidence))


def _mean_differences(seen: PairScores) -> FloatArray:
    """Return the differences of means; what rounding leaves of equal means is 0."""
    mean = seen.moments.mean
    largest = float(np.nanmax(np.abs(seen.goodness), initial=0.0))
    return np.where(np.abs(mean) <= _ROUNDING * largest, 0.0, mean)


EFFECTS = {
    "mean_difference": Effect(
        name=MEAN_DIFFERENCE,
        of=lambda seen, _: _mean_differences(seen),
        interval=_mean_limits,
        size_name="Cohen's d_z",
        size=lambda seen: standardised(seen.moments),
    ),
    "median_difference": Effect(
        name="difference of medians",
        of=lambda seen, _: median_differences(seen.goodness),
        interval=_median_difference_limits,
        size_name="Cliff's delta",
        size=lambda seen: cliffs_delta(seen.goodness),
    ),
    "median_of_differences": Effect(
        name="median of differences",
        of=lambda seen, _: medians_of_differences(seen.goodness),
        interval=_median_of_differences_limits,
        size_name="rank-biserial correlation",
        size=lambda seen: rank_biserial(seen.goodness),
    ),
    "win_probability": Effect(
        name=WIN_PROBABILITY,
        of=lambda seen, setting: win_probabilities(seen.goodness, setting.ties, seen.counts),
        interval=_probability_limits,
        size_name="dominance",
        size=lambda seen: dominance(seen.goodness, seen.counts),
    ),
}
