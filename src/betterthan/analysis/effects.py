"""How large a difference is, with its interval: one record an effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray
from betterthan.kernels.clustered import degrees_of_mean
from betterthan.kernels.effects import (
    cliffs_delta,
    dominance,
    median_differences,
    medians_of_differences,
    rank_biserial,
    shared_wins,
    standardised,
    win_probabilities,
)
from betterthan.kernels.intervals import percentile_interval, simultaneous_confidence
from betterthan.kernels.mean_difference_intervals import mean_difference_interval
from betterthan.kernels.median_interval import median_interval
from betterthan.kernels.paired import Differences, differences
from betterthan.kernels.proportion_intervals import agresti_coull_interval, holding, sign_test_holds
from betterthan.kernels.resample import bootstrap_counts
from betterthan.kernels.tied_ranks import counted_medians
from betterthan.kernels.wins import TiesPolicy, WinCounts, win_counts

Limits = tuple[FloatArray, FloatArray]
_MEDIAN_RESAMPLES = 1000
_ROUNDING = 1e-14


class Setting(NamedTuple):
    """What an effect and its interval need to know beside the scores."""

    units: Units
    confidence: float
    ties: TiesPolicy
    rng: np.random.Generator


class Seen:
    """Scores of all systems, and what effect, interval and size all need of them, computed once.

    Parameters
    ----------
    goodness : array, shape (m, n)
    counts : WinCounts, optional
        Where they were counted before.
    cubes : bool, default True
        Whether intervals will ask for the third moments of the differences.
    """

    def __init__(self, goodness: FloatArray, *, counts: WinCounts | None = None, cubes: bool = True) -> None:
        self.goodness = goodness
        self._counts = counts
        self._cubes = cubes

    @cached_property
    def counts(self) -> WinCounts:
        """Who beats whom on how many segments."""
        return win_counts(self.goodness) if self._counts is None else self._counts

    @cached_property
    def moments(self) -> Differences:
        """Means and squares of the differences of all pairs."""
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
        Of the standardised effect.
    size : callable
        What was seen to (m, m) standardised effects.
    """

    name: str
    of: Callable[[Seen, Setting], FloatArray]
    interval: Callable[[Seen, Setting], Limits]
    size_name: str
    size: Callable[[Seen], FloatArray]


def for_all_pairs(name: str, goodness: FloatArray, setting: Setting) -> Setting:
    """The setting whose intervals hold the true effects of all pairs at once with the confidence asked for.

    Mean differences hang together as their scores do (:func:`betterthan.kernels.intervals.simultaneous_confidence`);
    for other effects, and while scores are missing, each pair gets its share of the level (Bonferroni).

    Parameters
    ----------
    name : str
        Of the effect, a key of `EFFECTS`.
    goodness : array, shape (m, n)
    setting : Setting
        With the confidence of all intervals together; its generator is drawn from.
    """
    m = len(goodness)
    if name == "mean_difference" and not np.isnan(goodness).any():
        pull = setting.units.summed(goodness - goodness.mean(axis=1, keepdims=True)).T
        return setting._replace(confidence=simultaneous_confidence(pull, setting.confidence, setting.rng))
    return setting._replace(confidence=1 - (1 - setting.confidence) / max(m * (m - 1) // 2, 1))


def _mean_limits(seen: Seen, setting: Setting) -> Limits:
    goodness = seen.goodness
    if setting.units.are_segments:
        return mean_difference_interval(
            goodness, confidence=setting.confidence, moments=seen.moments, counts=seen.counts
        )
    found = clustered_mean_differences(goodness, setting.units)
    # Documents that all say the same are as little certain as segments that do.
    error = np.where(
        found.error > 0, found.error, np.sqrt(2) * np.ptp(goodness) / (setting.units.n_units + 2)
    )
    np.fill_diagonal(error, 0.0)
    reach = -stdtrit(found.degrees, (1 - setting.confidence) / 2) * error
    return found.mean - reach, found.mean + reach


class ClusteredDifferences(NamedTuple):
    """Mean differences and their standard errors, both (m, m), with the degrees of freedom of the errors."""

    mean: FloatArray
    error: FloatArray
    degrees: float


def clustered_mean_differences(goodness: FloatArray, units: Units) -> ClusteredDifferences:
    r"""Mean differences and their standard errors when segments of a document go together.

    .. math:: \mathrm{se}^2 = \frac{1}{n^2} \sum_{g=1}^{G}
              \frac{\big( \sum_{i \in g} (d_i - \bar d) \big)^2}{1 - n_g / n}

    A large document pulls the mean towards itself, which the divisor makes up for (CR2, see
    :mod:`betterthan.kernels.clustered`). Documents of one size give the factor G / (G − 1) and G − 1 degrees of
    freedom; uneven ones have fewer.
    """
    n = goodness.shape[1]
    mean = goodness.mean(axis=1)
    sums = units.summed(goodness) - mean[:, None] * units.sizes
    root = np.sqrt(1 - units.shares)
    between = np.stack([(((own - sums) / root) ** 2).sum(axis=1) for own in sums])
    error = np.sqrt(between) / n
    # What is left when all differences are equal is rounding of the scores.
    noise = _ROUNDING * np.abs(goodness).max(axis=1, initial=0.0)
    error[error <= np.maximum(noise[:, None], noise[None, :])] = 0.0
    return ClusteredDifferences(mean[:, None] - mean[None, :], error, degrees_of_mean(units.shares))


def _median_of_differences_limits(seen: Seen, setting: Setting) -> Limits:
    goodness = seen.goodness
    m = len(goodness)
    low, high = np.zeros((m, m)), np.zeros((m, m))
    for a in range(m):
        found = median_interval(goodness[a] - goodness, confidence=setting.confidence)
        low[a], high[a] = found.low, found.high
    return low, high


def _median_difference_limits(seen: Seen, setting: Setting) -> Limits:
    goodness = seen.goodness
    drawn = resampled_medians(goodness, setting.units, _MEDIAN_RESAMPLES, setting.rng)
    m = len(goodness)
    low, high = np.zeros((m, m)), np.zeros((m, m))
    for a in range(m):
        # Medians of resamples already spread more than medians of new segments: no expanded percentiles here.
        low[a], high[a] = percentile_interval(drawn[:, a, None] - drawn, setting.confidence)
    return low, high


def resampled_medians(
    goodness: FloatArray, units: Units, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Median of each system in each bootstrap sample of units, shape (n_resamples, m)."""
    counts = bootstrap_counts(n_resamples, units.n_units, rng)[:, units.of_segment]
    return counted_medians(goodness, counts)


def _probability_limits(seen: Seen, setting: Setting) -> Limits:
    won = shared_wins(seen.counts, setting.ties)
    low, high = agresti_coull_interval(won, won + won.T, confidence=setting.confidence)
    if setting.ties != "drop":
        return low, high
    return holding(0.5, low, high, where=sign_test_holds(won, won.T, setting.confidence))


EFFECTS = {
    "mean_difference": Effect(
        name="difference of means",
        of=lambda seen, _: seen.moments.mean,
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
        name="P(row beats column)",
        of=lambda seen, setting: win_probabilities(seen.goodness, setting.ties, seen.counts),
        interval=_probability_limits,
        size_name="dominance",
        size=lambda seen: dominance(seen.goodness, seen.counts),
    ),
}
