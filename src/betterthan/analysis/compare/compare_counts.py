"""Comparison of systems by a score of summed counts, such as corpus BLEU: the corpus score itself is permuted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from betterthan.analysis.pairs.pairwise import (
    TEST_RESAMPLES,
    PairFindings,
    PairOptions,
    corrected_by,
    pairwise_table,
)
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.strength_intervals import pooled_difference_limits
from betterthan.analysis.units import UnitName, Units, unit_note, units_of
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.sign_flips.all_pairs import PairTails, lattice_unit, pair_tails
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.sign_flips.permutation import add_one
from betterthan.kernels.significance.counts_permutation import (
    counts_maximum_block,
    counts_permutation_block,
    linearised_differences,
    swap_spread,
)
from betterthan.kernels.significance.pvalues import monte_carlo_limits, step_down
from betterthan.messages import Message, Option
from betterthan.results.pairwise import P_METHODS, PairwiseTable
from betterthan.tables.counts import Counts, Formula

SPREAD_RESAMPLES = 400
STREAM = "permutation of counts"  # the same swaps for single pairs and for the maximum over pairs
FEW_REACHED = 25  # resamples as extreme as the data: with fewer, the tail is extrapolated


def compare_counts(
    counts: Counts,
    units: UnitName,
    options: PairOptions,
    resampling: Resampling,
    *,
    is_extrapolated: bool = True,
) -> PairwiseTable:
    """Paired permutation of the corpus score for all pairs, with intervals of the differences.

    A p-value that few permutations reach is extrapolated (:func:`_extrapolated`). Otherwise nothing could be
    significant after Holm's correction from 33 systems on, where 1/10,000 times the number of pairs exceeds 0.05.
    Without extrapolation p-values are (b + 1) / (B + 1) throughout.
    """
    unit = units_of(counts, units)
    values = unit_counts(counts, unit)
    side = 1.0 if counts.higher_is_better else -1.0
    own = resampling.on(counts.digest, unit, default=TEST_RESAMPLES)
    confidence = options.confidence_of_one(counts.n_systems)
    limits = pooled_difference_limits(counts, values, unit, confidence, own)
    least = 2.0 ** (int(options.alternative == "two-sided") - unit.n_units)
    correction = corrected_by(options, counts.n_systems, least if is_extrapolated else 1.0)
    if correction == "max_statistic" or not is_extrapolated:
        least = max(least, 1 / (own.n_resamples + 1))
    goodness = side * counts.pooled()
    tails = _tails(counts, values, side, options, own, is_extrapolated=is_extrapolated)
    how = str(own.n_resamples) if is_extrapolated else f"monte-carlo,{own.n_resamples}"
    effect = goodness[:, None] - goodness[None, :]
    wins = win_counts(counts.per_segment().goodness)
    stepped = maximum_pvalues(counts, values, options, own) if correction == "max_statistic" else None
    return pairwise_table(
        PairFindings(
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
            pvalue=tails.pvalue,
            p_low=tails.low,
            p_high=tails.high,
            p_method=tails.method,
            stepped=stepped,
            n_resamples=own.n_resamples,
            drew=True,
            data=counts.digest,
            n_segments=counts.n_segments,
            options={"score": counts.formula.name, "p": how, "units": unit.name},
            notes=counts.notes,
            units=unit.name,
            n_units=unit.n_units,
            unit_note=unit_note(counts, unit),
            least=least,
        ),
        replace(options, correction=correction),
        seed=own.seed,
    )


def _tails(
    counts: Counts,
    values: FloatArray,
    side: float,
    options: PairOptions,
    resampling: Resampling,
    *,
    is_extrapolated: bool,
) -> PairTails:
    blocks = resampling.run(
        STREAM,
        (values, counts.formula, side, options.alternative),
        _permuted,
        bytes_each=_bytes_each(values),
        key=options.alternative,
    )
    tallies = np.sum(np.stack(blocks), axis=0)
    sampled = _sampled(tallies, resampling.n_resamples)
    if not is_extrapolated:
        return sampled
    is_two_sided = options.alternative == "two-sided"
    return _extrapolated(values, counts.formula, side, tallies, sampled, is_two_sided=is_two_sided)


def _sampled(tallies: FloatArray, n_resamples: int) -> PairTails:
    """P-values (b + 1) / (B + 1), and Clopper and Pearson's 95% interval of the p-value of all permutations."""
    pvalue = add_one(tallies.astype(np.int64), n_resamples)
    low, high = monte_carlo_limits(tallies, n_resamples)
    method = np.full(tallies.shape, P_METHODS.index("permutations"))
    for matrix in (pvalue, low, high):
        np.fill_diagonal(matrix, np.nan)
    return PairTails(pvalue, np.minimum(low, pvalue), np.maximum(high, pvalue), method)


def _extrapolated(
    values: FloatArray,
    formula: Formula,
    side: float,
    tallies: FloatArray,
    tails: PairTails,
    *,
    is_two_sided: bool,
) -> PairTails:
    """P-values from permutations, and in the far tail from sign flips of the linearized differences.

    Where fewer than 25 permutations were as extreme as the data, (b + 1) / (B + 1) says little more than that p is
    small. The extrapolation is restricted to the 95% confidence interval for p from the permutations. Compared with a
    million permutations it is exact for accuracy; for F1- and BLEU-like counts of 30 and of 200 segments, with p-values
    from 0.00002 to 0.0025, it was 0.6 to 2.3 times theirs; the largest errors occur where the mean output length of the
    two systems equals the reference length, at the kink of the brevity penalty. Its lower limit is a third of it.
    """
    few = np.argwhere(np.triu((tallies < FEW_REACHED) | (tallies.T < FEW_REACHED), 1))
    for a, b in few.tolist():
        d = side * linearised_differences(values[a], values[b], formula=formula.pooled)
        if np.isnan(d).any():
            continue
        both = np.stack([d, np.zeros(d.size)])
        tail = float(pair_tails(both, np.array([0]), np.array([1]), unit=lattice_unit(both)).pvalue[0])
        pair = ((a, b), (b, a)) if is_two_sided or tallies[a, b] < tallies[b, a] else ((b, a), (a, b))
        for i, j in pair if is_two_sided else pair[:1]:
            p = float(np.clip(tail if is_two_sided else tail / 2, tails.low[i, j], tails.high[i, j]))
            tails.pvalue[i, j] = p
            tails.low[i, j] = max(tails.low[i, j], p / 3)
            tails.method[i, j] = P_METHODS.index("extrapolation")
    return tails


def maximum_pvalues(
    counts: Counts, values: FloatArray, options: PairOptions, resampling: Resampling
) -> FloatArray:
    """Adjusted p-values of all pairs by the step-down maximum statistic, in the order of the table.

    Differences are divided by their standard deviation over the swaps, which no swap changes. With a standard error,
    which swaps do change, the familywise error rate for six equal taggers on 20 sentences is 21% instead of 6%.
    """
    if options.alternative != "two-sided":
        raise BetterThanError(
            Message(
                "{correction} needs two-sided tests. Use {alternative}.",
                correction=Option("correction", "max_statistic"),
                alternative=Option("alternative", "two-sided"),
            )
        )
    rng = stream(resampling.seed, "spread over swaps", 0)
    spread = swap_spread(values, SPREAD_RESAMPLES, rng, formula=counts.formula.pooled)
    blocks = resampling.run(
        STREAM,
        (values, counts.formula, np.asarray(spread)),
        _maxima,
        bytes_each=_bytes_each(values),
        key="maximum over pairs",
        label=f"maximum over pairs ({resampling.n_resamples:,} resamples)",
    )
    reached = np.sum(np.stack(blocks), axis=0)
    score = counts.pooled()
    return step_down(reached, np.abs(score[:, None] - score[None, :]) / spread, resampling.n_resamples)


def unit_counts(counts: Counts, units: Units) -> FloatArray:
    """Sum counts over the segments of each unit: (m, n, k) to (m, n_units, k)."""
    if units.are_segments:
        return counts.values
    summed = np.zeros((counts.n_systems, units.n_units, len(counts.columns)))
    for system, values in zip(summed, counts.values, strict=True):
        np.add.at(system, units.of_segment, values)
    return summed


def _bytes_each(values: FloatArray) -> int:
    m, n_units, k = values.shape
    return int(8 * (3 * n_units + 4 * m * k))


def _permuted(
    payload: tuple[FloatArray, Formula, float, Alternative], part: range, rng: np.random.Generator
) -> IntArray:
    """Tallies of random swaps."""
    values, formula, side, alternative = payload
    tallies = counts_permutation_block(
        values,
        len(part),
        rng,
        formula=lambda sums: side * formula.pooled(sums),
        alternative=alternative,
    )
    return np.asarray(tallies.greater + tallies.equal)


def _maxima(
    payload: tuple[FloatArray, Formula, FloatArray], part: range, rng: np.random.Generator
) -> IntArray:
    """Tallies of the maxima of random swaps over all pairs."""
    values, formula, scale = payload
    return counts_maximum_block(values, scale, len(part), rng, formula=formula.pooled)


def _over_error(effect: FloatArray, error: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0, effect / error, np.nan)
