"""Rank systems by a score of summed counts, such as BLEU, aggregated in one of three ways."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from betterthan.analysis.aggregations import NAMES
from betterthan.analysis.bootstrap_mean import bootstrap_mean
from betterthan.analysis.compare_counts import compare_counts, unit_counts
from betterthan.analysis.rank_scores import rank_scores
from betterthan.analysis.ranking import Strengths, Wish, ranking
from betterthan.analysis.strength_intervals import mean_limits, pooled_limits
from betterthan.analysis.units import units_of
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.intervals import t_interval
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.tables.counts import Counts

COUNT_METHODS = ("pooled", "segment_mean", "bootstrap_mean")


def rank_counts(counts: Counts, wish: Wish) -> Ranking:
    """Rank by the pooled score, the mean of segment scores, or the mean of bootstrap corpora.

    Every other mechanism ranks the segment scores.
    """
    if wish.by in (None, "pooled"):
        return ranking(pooled(counts, wish), compare_counts(counts, wish.units, wish.decision()), wish)
    if wish.by == "bootstrap_mean":
        found = bootstrap_means(counts, wish)
        return ranking(found, pairs_of_bootstrap_means(counts, found, wish), wish)
    if isinstance(wish.by, str) and wish.by not in (*COUNT_METHODS, *NAMES):
        raise unknown_name("method for counts", wish.by, COUNT_METHODS)
    segments = counts.per_segment()
    if wish.by != "segment_mean":
        return rank_scores(segments, wish)
    by_mean = rank_scores(segments, replace(wish, by="mean"))
    options = {"score": counts.formula.name, **by_mean.settings.options}
    return replace(by_mean, settings=replace(by_mean.settings, method="segment_mean", options=options))


def pooled(counts: Counts, wish: Wish) -> Strengths:
    """The score of the summed counts (corpus-level), with its interval."""
    units = units_of(counts, wish.units)
    limits = pooled_limits(counts, unit_counts(counts, units), units, wish)
    options = {"ci": f"{100 * wish.confidence:g},{limits.method}"}
    return _strengths(counts, "pooled", (counts.pooled(), limits.low, limits.high), options, wish)


def segment_means(counts: Counts, wish: Wish) -> Strengths:
    """The mean of segment scores (segment-level), with its interval as ``by="mean"`` has it by default."""
    scores = counts.per_segment().complete(missing=wish.missing)  # type: ignore[arg-type]  # checked by the wish
    units = units_of(scores, wish.units)
    limits = mean_limits(scores.values, units, systems=scores.systems, confidence=wish.confidence)
    low, high = limits.low, limits.high
    options = {"ci": f"{100 * wish.confidence:g},{limits.method}"}
    found = _strengths(counts, "segment_mean", (scores.values.mean(axis=1), low, high), options, wish)
    return replace(found, n_segments=scores.n_segments, notes=scores.notes)


def bootstrap_means(counts: Counts, wish: Wish) -> Strengths:
    """The mean score of bootstrap corpora, with an interval for other segments of the same kind."""
    if wish.interval != "default":
        raise BetterThanError(
            'Intervals of bootstrap_mean come from the infinitesimal jackknife. Use interval="default".'
        )
    found = bootstrap_mean(counts, wish)
    error = standard_errors(found.covariance)
    n = np.full(error.size, found.n_units)
    low, high = t_interval(found.mean, error, n, confidence=wish.confidence)
    options = {"ci": f"{_ci(wish, 'infinitesimal-jackknife', found.n_resamples)},size={wish.size}"}
    strengths = _strengths(counts, "bootstrap_mean", (found.mean, low, high), options, wish)
    return replace(strengths, notes=(*strengths.notes, _about_size(counts, wish)))


def pairs_of_bootstrap_means(counts: Counts, found: Strengths, wish: Wish) -> PairwiseTable:
    """The permutation test of the pooled score; pairs that the two order differently are not told apart.

    Drawn corpora spread as corpora of `size` segments do, not as the test set does, so they are no test of it. The
    permutation test asks the same question (do the systems differ?) of the score that the mean stands for, and is
    exact.
    """
    pairs = compare_counts(counts, wish.units, wish.decision())
    goodness = found.strength if counts.higher_is_better else -found.strength
    place = [counts.systems.index(name) for name in pairs.systems]
    lead = np.sign(goodness[place][:, None] - goodness[place][None, :])
    turned = lead * np.sign(np.nan_to_num(pairs.effect)) < 0  # NaN only on the diagonal
    return replace(
        pairs, pvalue=np.where(turned, 1.0, pairs.pvalue), adjusted=np.where(turned, 1.0, pairs.adjusted)
    )


def standard_errors(covariance: FloatArray) -> FloatArray:
    """Roots of the diagonal; NaN where so few corpora were drawn that noise makes a variance negative."""
    variance = np.diag(covariance)
    slack = 1e-12 * np.max(np.abs(variance), initial=0.0)
    return np.sqrt(np.where(variance < -slack, np.nan, np.maximum(variance, 0.0)))


def _about_size(counts: Counts, wish: Wish) -> str:
    return (
        f"bootstrap_mean is the mean score of corpora of {wish.size:,} segments drawn from the {counts.n_segments:,}; "
        f"its interval is for other {counts.n_segments:,} segments of the same kind, and its tests are those of the "
        f"pooled score."
    )


def _ci(wish: Wish, kind: str, n_resamples: int) -> str:
    return f"{100 * wish.confidence:g},{kind},{n_resamples}"


def _strengths(
    counts: Counts,
    method: str,
    found: tuple[FloatArray, FloatArray, FloatArray],
    options: dict[str, Any],
    wish: Wish,
) -> Strengths:
    strength, low, high = found
    if units_of(counts, wish.units).n_units == 1:  # drawn again and again, it says nothing of others
        low = high = np.full_like(strength, np.nan)
    return Strengths(
        systems=counts.systems,
        method=method,
        unit=f"{counts.name}, {counts.direction}",
        strength=strength,
        low=low,
        high=high,
        higher_is_better=counts.higher_is_better,
        data=counts.digest,
        n_segments=counts.n_segments,
        options={"score": counts.formula.name, **options, "units": units_of(counts, wish.units).name},
        notes=counts.notes,
    )
