"""Ranking of systems that ran several times: for other items and other runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from betterthan.analysis.compare.compare_runs import RunsDesign, decide_runs, design_of, refuse_of_items
from betterthan.analysis.compare.decide import ComparisonOptions
from betterthan.analysis.compare.run_scores import pass_rule
from betterthan.analysis.rank.rank_scores import rank_scores
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ranking import RankOptions, SystemStrengths, ranking
from betterthan.analysis.strengths.strength_intervals import mean_limits
from betterthan.analysis.units import few_units_note, units_of
from betterthan.kernels.runs.limits import joined_limits, run_variance
from betterthan.results.ranking import Ranking
from betterthan.tables.runs import Runs


def rank_runs(runs: Runs, options: RankOptions, resampling: Resampling, *, over: str) -> Ranking:
    """Rank by the mean over items and runs, by pass@k, or by any aggregation of the means over these runs.

    Raises
    ------
    BetterThanError
        When an option was given that applies to the means over these runs only.
    """
    rule = pass_rule(options.by)
    design = design_of(runs, over, options.by, options.missing)
    if design.over == "items":
        by = options.by if rule is None else "mean"
        ranked = rank_scores(design.scores, replace(options, by=by), resampling)
        return _named(ranked, design)
    usual = {"by": (None, "mean"), "interval": ("default",)}
    refuse_of_items(usual, {name: getattr(options, name) for name in usual})
    comparison = ComparisonOptions(units=options.units)
    pairs = decide_runs(design, comparison, options.pair_options(), resampling, ranked=options)
    return ranking(_strengths(design, options), pairs, options)


def _named(ranked: Ranking, design: RunsDesign) -> Ranking:
    """Return the ranking with the name of its aggregation and the notes on runs."""
    method = design.method if design.method != "mean" else ranked.settings.method
    settings = replace(ranked.settings, method=method)
    return replace(ranked, settings=settings, notes=(*ranked.notes, *design.notes))


def _strengths(design: RunsDesign, options: RankOptions) -> SystemStrengths:
    """Means with their intervals: joint for other items and other runs."""
    scores = design.scores
    units = units_of(scores, options.units)
    mean = scores.goodness.mean(axis=1)
    fixed_items = design.over == "runs"
    low = high = mean
    if not fixed_items:
        low, high, *_ = mean_limits(
            scores.goodness, units, systems=scores.systems, confidence=options.confidence
        )
    between = run_variance(design.moments, np.eye(mean.size), fixed_items=fixed_items, is_pooled=True)
    low, high = joined_limits(mean, low, high, between, confidence=options.confidence)
    least, most = float(design.runs.goodness.min()), float(design.runs.goodness.max())
    low, high = np.maximum(low, least), np.minimum(high, most)  # a mean lies within the scores
    is_turned = not scores.higher_is_better
    return SystemStrengths(
        systems=scores.systems,
        method="mean",
        unit=f"{scores.name}, {scores.direction}",
        strength=0.0 - mean if is_turned else mean,
        low=-high if is_turned else low,
        high=-low if is_turned else high,
        higher_is_better=not is_turned,
        data=design.runs.digest,
        n_segments=scores.n_segments,
        options={
            "ci": f"{100 * options.confidence:g},items+runs",
            "over": design.over,
            "units": units.name,
        },
        notes=(*scores.notes, *design.notes, *few_units_note(units)),
        drew=False,
    )
