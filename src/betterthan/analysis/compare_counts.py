"""Compare systems by a score of summed counts, such as corpus BLEU: the true corpus score is permuted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from betterthan import __version__
from betterthan.analysis.pairwise import Decision, Findings, pairwise_table
from betterthan.analysis.strength_intervals import pooled_difference_limits
from betterthan.analysis.units import UnitName, Units, chosen_units
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.counts_permutation import (
    counts_maximum_block,
    counts_permutation_block,
    maximum_statistics,
)
from betterthan.kernels.permutation import add_one
from betterthan.kernels.pvalues import Alternative
from betterthan.kernels.step_down import stepped_pvalues
from betterthan.kernels.wins import win_counts
from betterthan.results.pairwise import P_METHODS, PairwiseTable
from betterthan.tables.counts import Counts, Formula

_Part = tuple[FloatArray, Formula, float, Alternative, int, tuple[range, ...], FloatArray | None]


def compare_counts(counts: Counts, units: UnitName, decision: Decision) -> PairwiseTable:
    """Paired permutation of the corpus score for all pairs, with intervals of the differences.

    P-values are adjusted by the maximum over all pairs on the same swaps, stepping down: Holm's multiples of one in
    10,000 would erase every verdict from 33 systems on.
    """
    unit, unit_notes = chosen_units(counts, units)
    values = unit_counts(counts, unit)
    m = counts.n_systems
    side = 1.0 if counts.higher_is_better else -1.0
    limits = pooled_difference_limits(counts, values, decision)
    correction = decision.correction
    if correction == "auto":
        correction = "max_statistic" if m > 2 and decision.alternative == "two-sided" else "holm"
    tallies = np.sum(np.stack(_permutations(counts, values, side, decision, None)), axis=0)
    p = add_one(tallies, decision.n_resamples)
    goodness = side * counts.pooled()
    stepped = None
    if correction == "max_statistic":
        stepped = _stepped(counts, values, goodness, limits.standard_error, decision)
    effect = goodness[:, None] - goodness[None, :]
    wins = win_counts(counts.per_segment().goodness)
    least = max(1 / (decision.n_resamples + 1), 2.0 ** (1 - unit.n_units))
    n_pairs = m * (m - 1) // 2
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
            pvalue=p,
            p_method=np.full((m, m), P_METHODS.index("permutations")),
            stepped=stepped,
            n_resamples=decision.n_resamples,
            drew=True,
            data=counts.digest,
            n_segments=counts.n_segments,
            options={"score": counts.formula.name, "p": str(decision.n_resamples), "units": unit.name},
            notes=(*unit_notes, *counts.notes),
            units=unit.name,
            n_units=unit.n_units,
            least=min(1.0, least * (n_pairs if correction in ("holm", "bonferroni") else 1)),
        ),
        replace(decision, correction=correction),
    )


def _stepped(
    counts: Counts, values: FloatArray, goodness: FloatArray, error: FloatArray, decision: Decision
) -> FloatArray:
    if decision.alternative != "two-sided":
        raise BetterThanError(
            'correction="max_statistic" asks a two-sided question. Use alternative="two-sided".'
        )
    scale = np.nan_to_num(error)
    reached = np.sum(np.stack(_permutations(counts, values, 1.0, decision, scale)), axis=0)
    adjusted = stepped_pvalues(reached, maximum_statistics(goodness, scale), decision.n_resamples)
    matrix = np.full(error.shape, np.nan)
    above = np.triu_indices(len(goodness), 1)
    matrix[above] = matrix.T[above] = adjusted
    return matrix


def unit_counts(counts: Counts, units: Units) -> FloatArray:
    """Sum counts over the segments of each unit: (m, n, k) to (m, n_units, k)."""
    if units.are_segments:
        return counts.values
    summed = np.zeros((counts.n_systems, units.n_units, len(counts.columns)))
    for system, values in zip(summed, counts.values, strict=True):
        np.add.at(system, units.of_segment, values)
    return summed


def _permutations(
    counts: Counts, values: FloatArray, side: float, decision: Decision, scale: FloatArray | None
) -> list[IntArray]:
    """Tallies of random swaps, or of their maxima over all pairs when a scale is given."""
    m, n_units, k = values.shape
    n_resamples = decision.n_resamples
    blocks = block_ranges(n_resamples, 8 * (3 * n_units + 4 * m * k))
    name = "permutation of counts" if scale is None else "maximum over pairs"
    job: Job[_Part, IntArray] = Job(
        name=f"{name} ({n_resamples:,} resamples)",
        function=_permuted if scale is None else _maxima,
        payload=(values, counts.formula, side, decision.alternative, decision.seed, blocks, scale),
        n_blocks=len(blocks),
        digest=f"{counts.digest} {name} {decision.alternative} {n_units} {n_resamples} {decision.seed} {__version__}",
    )
    return decision.computing.run(job)


def _permuted(payload: _Part, block: int) -> IntArray:
    values, formula, side, alternative, seed, blocks, _ = payload
    rng = stream(seed, "permutation of counts", block)
    tallies = counts_permutation_block(
        values,
        len(blocks[block]),
        rng,
        formula=lambda sums: side * formula.pooled(sums),
        alternative=alternative,
    )
    return np.asarray(tallies.greater + tallies.equal)


def _maxima(payload: _Part, block: int) -> IntArray:
    values, formula, _, _, seed, blocks, scale = payload
    rng = stream(seed, "permutation of counts", block)
    return counts_maximum_block(
        values, len(blocks[block]), rng, formula=formula.pooled, scale=np.asarray(scale)
    )


def _over_error(effect: FloatArray, error: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0, effect / error, np.nan)
