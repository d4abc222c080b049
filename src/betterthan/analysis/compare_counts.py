"""Compare systems by a score of summed counts, such as corpus BLEU: the true corpus score is permuted."""

from __future__ import annotations

import numpy as np

from betterthan import __version__
from betterthan.analysis.pairwise import Decision, Findings, pairwise_table
from betterthan.analysis.strength_intervals import pooled_difference_limits
from betterthan.analysis.units import UnitName, Units, units_of
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.counts_permutation import counts_permutation_block
from betterthan.kernels.permutation import add_one
from betterthan.kernels.pvalues import Alternative
from betterthan.kernels.wins import win_counts
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.counts import Counts, Formula

_Part = tuple[FloatArray, Formula, float, Alternative, int, tuple[range, ...]]


def compare_counts(counts: Counts, units: UnitName, decision: Decision) -> PairwiseTable:
    """Paired permutation of the corpus score for all pairs, with bootstrap intervals of the differences."""
    if decision.correction == "max_statistic":
        raise BetterThanError(
            'correction="max_statistic" is for scores, not for counts. Use correction="holm".'
        )
    unit = units_of(counts, units)
    values = unit_counts(counts, unit)
    side = 1.0 if counts.higher_is_better else -1.0
    tallies = np.sum(np.stack(_permutations(counts, values, side, decision)), axis=0)
    limits = pooled_difference_limits(counts, values, decision)
    goodness = side * counts.pooled()
    effect = goodness[:, None] - goodness[None, :]
    wins = win_counts(counts.per_segment().goodness)
    return pairwise_table(
        Findings(
            systems=counts.systems,
            goodness=goodness,
            test="permutation",
            effect_name=f"difference of {counts.formula.name.partition('|')[0]}",
            size_name="difference over its standard error",
            effect=effect,
            low=limits.low,
            high=limits.high,
            size=_over_error(effect, limits.standard_error),
            wins=wins.wins,
            ties=wins.ties,
            pvalue=add_one(tallies, decision.n_resamples),
            drew=True,
            data=counts.digest,
            n_segments=counts.n_segments,
            options={"score": counts.formula.name, "p": str(decision.n_resamples), "units": units},
            notes=counts.notes,
        ),
        decision,
    )


def unit_counts(counts: Counts, units: Units) -> FloatArray:
    """Sum counts over the segments of each unit: (m, n, k) to (m, n_units, k)."""
    if units.are_segments:
        return counts.values
    summed = np.zeros((counts.n_systems, units.n_units, len(counts.columns)))
    for system, values in zip(summed, counts.values, strict=True):
        np.add.at(system, units.of_segment, values)
    return summed


def _permutations(counts: Counts, values: FloatArray, side: float, decision: Decision) -> list[IntArray]:
    m, n_units, k = values.shape
    n_resamples = decision.n_resamples
    blocks = block_ranges(n_resamples, 8 * (3 * n_units + 4 * m * k))
    name = "permutation of counts"
    job: Job[_Part, IntArray] = Job(
        name=f"{name} ({n_resamples:,} resamples)",
        function=_permuted,
        payload=(values, counts.formula, side, decision.alternative, decision.seed, blocks),
        n_blocks=len(blocks),
        digest=f"{counts.digest} {name} {decision.alternative} {n_units} {n_resamples} {decision.seed} {__version__}",
    )
    return decision.computing.run(job)


def _permuted(payload: _Part, block: int) -> IntArray:
    values, formula, side, alternative, seed, blocks = payload
    rng = stream(seed, "permutation of counts", block)
    tallies = counts_permutation_block(
        values,
        len(blocks[block]),
        rng,
        formula=lambda sums: side * formula.pooled(sums),
        alternative=alternative,
    )
    return np.asarray(tallies.greater + tallies.equal)


def _over_error(effect: FloatArray, error: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0, effect / error, np.nan)
