"""How large a difference is, with its interval: one record an effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray
from betterthan.kernels.effects import (
    cliffs_delta,
    cohens_dz,
    dominance,
    mean_differences,
    median_differences,
    medians_of_differences,
    rank_biserial,
    shared_wins,
    win_probabilities,
)
from betterthan.kernels.intervals import expanded_percentile_interval, simultaneous_confidence, t_interval
from betterthan.kernels.mean_difference_intervals import mean_difference_interval
from betterthan.kernels.median_interval import median_interval
from betterthan.kernels.proportion_intervals import agresti_coull_interval, holding, sign_test_holds
from betterthan.kernels.resample import bootstrap_counts
from betterthan.kernels.tied_ranks import row_medians
from betterthan.kernels.wins import TiesPolicy, win_counts

Limits = tuple[FloatArray, FloatArray]
_MEDIAN_RESAMPLES = 1000
_ROUNDING = 1e-14


class Setting(NamedTuple):
    """What an effect and its interval need to know beside the scores."""

    units: Units
    confidence: float
    ties: TiesPolicy
    rng: np.random.Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An effect of one system over another, for all pairs at once.

    Attributes
    ----------
    name : str
    of : callable
        (goodness, setting) to (m, m) effects; antisymmetric, or summing to 1 for a probability.
    interval : callable
        (goodness, setting) to the lower and upper limits, both (m, m).
    size_name : str
        Of the standardised effect.
    size : callable
        (m, n) goodness to (m, m) standardised effects.
    """

    name: str
    of: Callable[[FloatArray, Setting], FloatArray]
    interval: Callable[[FloatArray, Setting], Limits]
    size_name: str
    size: Callable[[FloatArray], FloatArray]


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


def _mean_limits(goodness: FloatArray, setting: Setting) -> Limits:
    if setting.units.are_segments:
        return mean_difference_interval(goodness, confidence=setting.confidence)
    mean, error = clustered_mean_differences(goodness, setting.units)
    n = np.full(mean.shape, setting.units.n_units, dtype=np.int64)
    # Documents that all say the same are as little certain as segments that do.
    error = np.where(error > 0, error, np.sqrt(2) * np.ptp(goodness) / (n + 2))
    np.fill_diagonal(error, 0.0)
    return t_interval(mean, error, n, confidence=setting.confidence)


def clustered_mean_differences(goodness: FloatArray, units: Units) -> Limits:
    r"""Mean differences and their standard errors when segments of a document go together.

    .. math:: \mathrm{se}^2 = \frac{G}{G-1} \frac{1}{n^2} \sum_{g=1}^{G} \Big( \sum_{i \in g} (d_i - \bar d) \Big)^2

    Returns
    -------
    mean, standard_error : array, shape (m, m)
    """
    n, n_units = goodness.shape[1], units.n_units
    mean = goodness.mean(axis=1)
    sums = units.summed(goodness) - mean[:, None] * units.sizes
    between = np.stack([((own - sums) ** 2).sum(axis=1) for own in sums])
    error = np.sqrt(between * n_units / (n_units - 1)) / n
    # What is left when all differences are equal is rounding of the scores.
    noise = _ROUNDING * np.abs(goodness).max(axis=1, initial=0.0)
    error[error <= np.maximum(noise[:, None], noise[None, :])] = 0.0
    return mean[:, None] - mean[None, :], error


def _median_of_differences_limits(goodness: FloatArray, setting: Setting) -> Limits:
    m = len(goodness)
    low, high = np.zeros((m, m)), np.zeros((m, m))
    for a in range(m):
        found = median_interval(goodness[a] - goodness, confidence=setting.confidence)
        low[a], high[a] = found.low, found.high
    return low, high


def _median_difference_limits(goodness: FloatArray, setting: Setting) -> Limits:
    drawn = resampled_medians(goodness, setting.units, _MEDIAN_RESAMPLES, setting.rng)
    m = len(goodness)
    low, high = np.zeros((m, m)), np.zeros((m, m))
    for a in range(m):
        low[a], high[a] = expanded_percentile_interval(
            drawn[:, a, None] - drawn, setting.units.n_units, setting.confidence
        )
    return low, high


def resampled_medians(
    goodness: FloatArray, units: Units, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Median of each system in each bootstrap sample of units, shape (n_resamples, m)."""
    counts = bootstrap_counts(n_resamples, units.n_units, rng).astype(np.int64)[:, units.of_segment]
    segments = np.arange(goodness.shape[1])
    return np.array([row_medians(goodness[:, np.repeat(segments, row)]) for row in counts])


def _probability_limits(goodness: FloatArray, setting: Setting) -> Limits:
    won = shared_wins(win_counts(goodness), setting.ties)
    low, high = agresti_coull_interval(won, won + won.T, confidence=setting.confidence)
    if setting.ties != "drop":
        return low, high
    return holding(0.5, low, high, where=sign_test_holds(won, won.T, setting.confidence))


EFFECTS = {
    "mean_difference": Effect(
        name="difference of means",
        of=lambda goodness, _: mean_differences(goodness),
        interval=_mean_limits,
        size_name="Cohen's d_z",
        size=cohens_dz,
    ),
    "median_difference": Effect(
        name="difference of medians",
        of=lambda goodness, _: median_differences(goodness),
        interval=_median_difference_limits,
        size_name="Cliff's delta",
        size=cliffs_delta,
    ),
    "median_of_differences": Effect(
        name="median of differences",
        of=lambda goodness, _: medians_of_differences(goodness),
        interval=_median_of_differences_limits,
        size_name="rank-biserial correlation",
        size=rank_biserial,
    ),
    "win_probability": Effect(
        name="P(row beats column)",
        of=lambda goodness, setting: win_probabilities(goodness, setting.ties),
        interval=_probability_limits,
        size_name="dominance",
        size=dominance,
    ),
}
