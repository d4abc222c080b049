"""Rank systems by a score of summed counts, such as corpus BLEU."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan import __version__
from betterthan.analysis.compare_counts import compare_counts, unit_counts
from betterthan.analysis.rank_scores import RESAMPLES, rank_scores
from betterthan.analysis.ranking import Strengths, Wish, ranking
from betterthan.analysis.units import units_of
from betterthan.arrays import FloatArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.counts_permutation import counts_bootstrap_block
from betterthan.kernels.intervals import percentile_interval
from betterthan.results.ranking import Ranking
from betterthan.tables.counts import Counts, Formula


def rank_counts(counts: Counts, wish: Wish) -> Ranking:
    """Rank by the pooled score, or by segment scores for every other mechanism."""
    if wish.by not in (None, "pooled"):
        return rank_scores(counts.per_segment(), wish)
    if wish.interval not in ("default", "percentile"):
        raise BetterThanError('Intervals of pooled scores are interval="percentile".')
    draws = _draws(counts, wish)
    low, high = percentile_interval(draws, wish.confidence)
    direction = "higher" if counts.higher_is_better else "lower"
    found = Strengths(
        systems=counts.systems,
        method="pooled",
        unit=f"{counts.name}, {direction} is better",
        strength=counts.pooled(),
        low=low,
        high=high,
        higher_is_better=counts.higher_is_better,
        data=counts.digest,
        n_segments=counts.n_segments,
        options={
            "score": counts.formula.name,
            "ci": f"{100 * wish.confidence:g},percentile,{len(draws)}",
            "units": wish.units,
        },
        notes=counts.notes,
    )
    return ranking(found, compare_counts(counts, wish.units, wish.decision()), wish)


def _draws(counts: Counts, wish: Wish) -> FloatArray:
    units = units_of(counts, wish.units)
    n_resamples = wish.n_resamples or RESAMPLES
    blocks = block_ranges(n_resamples, 24 * units.n_units + 32 * counts.n_systems * len(counts.columns))
    job: Job[Any, FloatArray] = Job(
        name=f"bootstrap of {counts.formula.name} ({n_resamples:,} resamples)",
        function=_block,
        payload=(unit_counts(counts, units), counts.formula, wish.seed, blocks),
        n_blocks=len(blocks),
        digest=f"{counts.digest} pooled {units.n_units} {n_resamples} {wish.seed} {__version__}",
    )
    return np.concatenate(wish.computing.run(job))


def _block(payload: tuple[FloatArray, Formula, int, tuple[range, ...]], block: int) -> FloatArray:
    values, formula, seed, blocks = payload
    rng = stream(seed, "bootstrap of pooled scores", block)
    return counts_bootstrap_block(values, len(blocks[block]), rng, formula=formula.pooled)
