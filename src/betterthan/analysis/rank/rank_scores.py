"""Ranking of systems by their scores on shared segments, or by a score of summed counts such as BLEU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from betterthan.analysis.compare.compare_counts import compare_counts, unit_counts
from betterthan.analysis.compare.decide import ComparisonOptions, decide
from betterthan.analysis.matches.matches import TIE_MODELS
from betterthan.analysis.pairs.pairwise import TEST_RESAMPLES
from betterthan.analysis.rank.bootstrap_mean import bootstrap_mean
from betterthan.analysis.rank.detectable import segments_needed
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.aggregations import NAMES
from betterthan.analysis.strengths.ranking import RankOptions, SystemStrengths, ranking
from betterthan.analysis.strengths.strength_intervals import (
    Basis,
    mean_limits,
    pooled_limits,
    strength_limits,
)
from betterthan.analysis.strengths.strengths import By, Estimated, estimate
from betterthan.analysis.units import Units, few_units_note, units_of
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.intervals.intervals import t_interval
from betterthan.messages import Message, Option, method_note
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.settings import FEW_UNITS
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores


def rank_scores(scores: Scores, options: RankOptions, resampling: Resampling) -> Ranking:
    """Rank by any aggregation, with intervals of its strengths and its test."""
    complete = scores.complete(missing=options.missing)  # type: ignore[arg-type]  # checked by the options
    by: By = "mean" if options.by is None else options.by
    if isinstance(by, str) and by in ("pooled", "segment_mean", "bootstrap_mean"):
        raise BetterThanError(
            Message(
                "{given} is for counts, such as those of corpus BLEU. Use {mean} for scores.",
                given=Option("by", by),
                mean=Option("by", "mean"),
            )
        )
    if options.interval == "robust":
        raise BetterThanError(
            Message(
                "{robust} is for matches. Use {percentile} or {bca} for scores.",
                robust=Option("interval", "robust"),
                percentile=Option("interval", "percentile"),
                bca=Option("interval", "bca"),
            )
        )
    units = units_of(complete, options.units)
    found = estimate(complete, by, units, options, resampling)
    comparison = ComparisonOptions(
        by=by,
        ties="drop" if options.ties == "default" or options.ties in TIE_MODELS else options.ties,  # type: ignore[arg-type]  # of the sign test
        units=options.units,
        only_verdicts=True,
    )
    pairs = decide(
        complete,
        comparison,
        options.pair_options(),
        resampling.times(TEST_RESAMPLES),
        ranked=options,
        estimated=found,
    )
    strengths = _strengths(complete, found, units, options)
    ranked = ranking(strengths, pairs, options, seed=resampling.seed)
    return replace(ranked, segments_needed=_segments_needed(complete, ranked, units, options))


def _segments_needed(
    scores: Scores, ranked: Ranking, units: Units, options: RankOptions
) -> FloatArray | None:
    """Segments needed to detect each lead over the next system; for means of segments only."""
    if (
        not options.plans
        or ranked.settings.method != "mean"
        or not units.are_segments
        or scores.n_segments < FEW_UNITS
    ):
        return None
    order = [scores.systems.index(name) for name in ranked.systems]
    return np.append(segments_needed(scores.goodness[order], alpha=1 - options.confidence), np.nan)


def _strengths(scores: Scores, found: Estimated, units: Units, options: RankOptions) -> SystemStrengths:
    basis = Basis(found.name, found.strength, found.draws, found.jackknife, found.influence)
    low, high, interval, notes = strength_limits(scores, units, basis, options)
    # Mean and median are shown in the metric's own direction; for all other strengths higher is better.
    is_turned = found.unit == "" and not scores.higher_is_better
    return SystemStrengths(
        systems=scores.systems,
        method=found.name,
        unit=f"{scores.name}, {scores.direction}{f'; {found.unit}' if found.unit else ''}",
        strength=-found.strength if is_turned else found.strength,
        low=-high if is_turned else low,
        high=-low if is_turned else high,
        higher_is_better=not is_turned,
        data=scores.digest,
        n_segments=scores.n_segments,
        order_spread=found.order_spread,
        sigma=found.sigma,
        items=found.items,
        drew=len(found.draws) > 0,
        options={
            **found.options,
            "ci": f"{100 * options.confidence:g},{interval}",
            "units": units.name,
        },
        notes=(
            *scores.notes,
            *found.notes,
            *notes,
            *few_units_note(units),
        ),
    )


COUNT_METHODS = ("pooled", "segment_mean", "bootstrap_mean")


def rank_counts(counts: Counts, options: RankOptions, resampling: Resampling) -> Ranking:
    """Rank by the pooled score, the mean of segment scores, or the mean of bootstrap corpora.

    Every other aggregation ranks the segment scores.
    """
    if options.by in (None, "pooled", "bootstrap_mean"):
        way = bootstrap_means if options.by == "bootstrap_mean" else pooled
        strengths = way(counts, options, resampling)
        pairs = pairs_of_counts(counts, options, resampling)
        if options.by == "bootstrap_mean":
            pairs = as_bootstrap_means(counts, strengths, pairs)
        return ranking(strengths, pairs, options, seed=resampling.seed)
    if isinstance(options.by, str) and options.by not in (*COUNT_METHODS, *NAMES):
        raise unknown_name("method for counts", options.by, COUNT_METHODS)
    segments = counts.per_segment()
    if options.by != "segment_mean":
        return rank_scores(segments, options, resampling)
    by_mean = rank_scores(segments, replace(options, by="mean"), resampling)
    shown = {"score": counts.formula.name, **by_mean.settings.options}
    return replace(by_mean, settings=replace(by_mean.settings, method="segment_mean", options=shown))


def pooled(counts: Counts, options: RankOptions, resampling: Resampling) -> SystemStrengths:
    """The score of the summed counts (corpus-level), with its interval."""
    units = units_of(counts, options.units)
    limits = pooled_limits(counts, unit_counts(counts, units), units, options, resampling)
    shown = {"ci": f"{100 * options.confidence:g},{limits.method}"}
    return _strengths_of_counts(counts, "pooled", (counts.pooled(), limits.low, limits.high), shown, options)


def segment_means(counts: Counts, options: RankOptions) -> SystemStrengths:
    """The mean of segment scores (segment-level), with the default interval of ``by="mean"``."""
    scores = counts.per_segment().complete(missing=options.missing)  # type: ignore[arg-type]  # checked by the options
    units = units_of(scores, options.units)
    limits = mean_limits(scores.values, units, systems=scores.systems, confidence=options.confidence)
    low, high = limits.low, limits.high
    shown = {"ci": f"{100 * options.confidence:g},{limits.method}"}
    found = _strengths_of_counts(
        counts, "segment_mean", (scores.values.mean(axis=1), low, high), shown, options
    )
    return replace(found, n_segments=scores.n_segments, notes=scores.notes)


def bootstrap_means(counts: Counts, options: RankOptions, resampling: Resampling) -> SystemStrengths:
    """The mean score of bootstrap corpora, with an interval for the sampling of segments."""
    if options.interval != "default":
        raise BetterThanError(
            Message(
                "{interval} has no effect with {by}, whose intervals come from the infinitesimal "
                "jackknife. Leave it out.",
                interval=Option("interval", options.interval),
                by=Option("by", "bootstrap_mean"),
            )
        )
    found = bootstrap_mean(counts, options, resampling)
    error = standard_errors(found.covariance)
    n = np.full(error.size, found.n_units)
    low, high = t_interval(found.mean, error, n, confidence=options.confidence)
    interval = f"{100 * options.confidence:g},infinitesimal-jackknife,{found.n_resamples}"
    shown = {"ci": f"{interval},size={options.size}"}
    strengths = _strengths_of_counts(counts, "bootstrap_mean", (found.mean, low, high), shown, options)
    return replace(strengths, notes=(*strengths.notes, _about_size(counts, options)))


def pairs_of_counts(counts: Counts, options: RankOptions, resampling: Resampling) -> PairwiseTable:
    """The permutation tests of the pooled score behind a ranking."""
    return compare_counts(counts, options.units, options.pair_options(), resampling.times(TEST_RESAMPLES))


def as_bootstrap_means(counts: Counts, strengths: SystemStrengths, pairs: PairwiseTable) -> PairwiseTable:
    """The permutation test of the pooled score; pairs that the two order differently are not significant.

    Bootstrap corpora vary like corpora of `size` segments, not like the test set, so they do not give a test. The
    permutation test has the same null hypothesis for the score that the mean estimates, and is exact.
    """
    goodness = strengths.strength if counts.higher_is_better else -strengths.strength
    place = [counts.systems.index(name) for name in pairs.systems]
    lead = np.sign(goodness[place][:, None] - goodness[place][None, :])
    turned = lead * np.sign(np.nan_to_num(pairs.effect)) < 0  # NaN only on the diagonal
    return replace(
        pairs, pvalue=np.where(turned, 1.0, pairs.pvalue), adjusted=np.where(turned, 1.0, pairs.adjusted)
    )


def standard_errors(covariance: FloatArray) -> FloatArray:
    """Square roots of the diagonal; NaN where Monte Carlo noise from few corpora makes a variance negative."""
    variance = np.diag(covariance)
    slack = 1e-12 * np.max(np.abs(variance), initial=0.0)
    return np.sqrt(np.where(variance < -slack, np.nan, np.maximum(variance, 0.0)))


def _about_size(counts: Counts, options: RankOptions) -> str:
    return method_note(
        "bootstrap_mean is the mean score of corpora of {size:,} segments drawn from the {n:,}; its interval "
        "reflects the sampling of {n:,} segments, and its tests are those of the pooled score.",
        size=options.size,
        n=counts.n_segments,
    )


def _strengths_of_counts(
    counts: Counts,
    method: str,
    found: tuple[FloatArray, FloatArray, FloatArray],
    shown: dict[str, Any],
    options: RankOptions,
) -> SystemStrengths:
    strength, low, high = found
    if units_of(counts, options.units).n_units == 1:  # with one unit every bootstrap corpus is the same
        low = high = np.full_like(strength, np.nan)
    return SystemStrengths(
        systems=counts.systems,
        method=method,
        unit=f"{counts.name}, {counts.direction}",
        strength=strength,
        low=low,
        high=high,
        higher_is_better=counts.higher_is_better,
        data=counts.digest,
        n_segments=counts.n_segments,
        options={"score": counts.formula.name, **shown, "units": units_of(counts, options.units).name},
        notes=counts.notes,
    )
