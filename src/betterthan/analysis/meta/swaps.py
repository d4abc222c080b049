"""Does one metric agree better with human scores than another? Permutation tests that swap the two metrics' scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, singledispatch
from typing import Literal, NamedTuple

import numpy as np
from scipy import special

from betterthan.analysis.meta.inputs import Panel
from betterthan.analysis.meta.measures import Measure, MeasureRequest
from betterthan.analysis.meta.segment import (
    AccuracyWithTies,
    OwnFunction,
    SegmentCoefficient,
    TieTau,
    UserFunction,
)
from betterthan.analysis.meta.system import (
    PERMUTATIONS,
    MeansMeasure,
    SoftPairwiseAccuracy,
    Statistic,
    pair_pvalues,
    system_scores,
)
from betterthan.analysis.units import Units
from betterthan.arrays import BoolArray, FloatArray, IntArray, digest
from betterthan.engine.blocks import block_ranges, even_parts, stream
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.correlation import kendall_b_rows, pearson, spearman, williams_all_pairs
from betterthan.kernels.agreement.system_means import kendall_of_means, spearman_of_means
from betterthan.kernels.agreement.tau_tables import tau
from betterthan.kernels.metric_swaps.masks import (
    Leads,
    Streams,
    SwapScheme,
    joined_leads,
    leads_of_values,
    step_down_pvalues,
    two_sided_pvalues,
)
from betterthan.kernels.metric_swaps.means import VALUE_TOLERANCE, means_values, standardised
from betterthan.kernels.metric_swaps.segments import (
    WHOLE_GROUPS,
    closed_form,
    group_values,
    pooled_leads_block,
    segment_leads_block,
)
from betterthan.kernels.metric_swaps.segments_accuracy import accuracy_leads_block, pair_swap_pvalues
from betterthan.kernels.metric_swaps.soft import soft_values, soft_values_with_gaps
from betterthan.kernels.sign_flips.permutation import add_one
from betterthan.messages import Message, Option

# Function of the number of swaps and a generator; a partial of a module-level function, which can be pickled.
SwapBlock = Callable[[int, np.random.Generator], Leads]
Values = Callable[[Streams], tuple[FloatArray, Iterator[FloatArray]]]
SystemMeasure = MeansMeasure | SoftPairwiseAccuracy
LARGE_BLOCKS = 2000  # for blocks that begin with work shared by all of their resamples
RESAMPLES_TOGETHER = 100  # in a block that takes several random streams
SMALL_BLOCKS = 50  # resamples in a block, so that work can be shared and progress shown


class SwapTails(NamedTuple):
    """P-values of all pairs of metrics, shape (k, k) each.

    Parameters
    ----------
    upper : array
        One-sided, in favor of the row.
    two_sided : array
        Of a difference in either direction; symmetric.
    step_down : array, optional
        Two-sided and adjusted for all pairs by the largest lead, where metrics were swapped at random.
    """

    upper: FloatArray
    two_sided: FloatArray
    step_down: FloatArray | None = None

    def within(self, places: IntArray, k: int) -> SwapTails:
        """Return the p-values for all k metrics, NaN for those that were not tested."""

        def spread(values: FloatArray) -> FloatArray:
            whole = np.full((k, k), np.nan)
            whole[np.ix_(places, places)] = values
            return whole

        step_down = None if self.step_down is None else spread(self.step_down)
        return SwapTails(spread(self.upper), spread(self.two_sided), step_down)

    def without(self, gone: BoolArray) -> SwapTails:
        """Return the p-values with NaN for some of the metrics (k,)."""

        def cleared(values: FloatArray) -> FloatArray:
            return np.where(gone[:, None] | gone, np.nan, values)

        step_down = None if self.step_down is None else cleared(self.step_down)
        return SwapTails(cleared(self.upper), cleared(self.two_sided), step_down)


def tails_of_upper(upper: FloatArray) -> SwapTails:
    """Return tails from one-sided p-values in favor of the row: two-sided is twice the smaller of both."""
    return SwapTails(upper, np.minimum(1.0, 2 * np.minimum(upper, upper.T)))


def tails_of_leads(leads: Leads) -> SwapTails:
    """Return tails from leads after random swaps."""
    upper = add_one(leads.tallies(), leads.n_resamples)
    return SwapTails(upper, two_sided_pvalues(leads), step_down_pvalues(leads))


def tails_of_systems(leads: Leads, scheme: SwapScheme, n_systems: int) -> SwapTails:
    """Return tails of a measure over systems, from leads after random swaps by a scheme."""
    tails = tails_of_leads(leads)
    if scheme != "perm_systems" or tails.step_down is None:
        return tails
    two_sided, step_down = (_for_few_systems(p, n_systems) for p in (tails.two_sided, tails.step_down))
    return SwapTails(tails.upper, two_sided, step_down)


def _for_few_systems(pvalues: FloatArray, m: int) -> FloatArray:
    r"""Correct two-sided p-values of swaps of whole systems for the degree of freedom that standardizing takes.

    .. math:: p' = 2 \Phi\bigl(\sqrt{(m - 1) / m}\; \Phi^{-1}(p / 2)\bigr)

    Each metric's mean is subtracted before the swaps, so that the swapped differences between two metrics are too small
    by the square root. Without the correction the type I error rate for Pearson's r with 8 systems is 6.7% in
    simulations; the formula predicts 6.6%. For soft pairwise accuracy it is 6.0% (8 systems, 4,000 tables), 5.8% (14)
    and 6.0% (25). When segments are swapped their number is large enough for the effect to be negligible.
    """
    return np.asarray(2 * special.ndtr(np.sqrt((m - 1) / m) * special.ndtri(pvalues / 2)))


def swapped_tails(measure: Measure, panel: Panel, request: MeasureRequest, scheme: SwapScheme) -> SwapTails:
    """Return p-values of all pairs of metrics by swapping their scores.

    Under the null hypothesis that two metrics are exchangeable, their scores can be swapped: on whole
    segments ("perm_inputs"), for whole systems ("perm_systems"), both ("perm_both"), or cell by cell
    ("perm_cells") [1]_. Scores are standardized first, so that both metrics have the same scale.

    .. [1] Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using resampling
       methods, TACL 9.

    A metric that gives the same score to everything cannot be standardized; its p-values are NaN.
    """
    varies = np.flatnonzero(~are_constant(panel))
    k = len(panel.metrics)
    if varies.size < 2:
        return tails_of_upper(np.full((k, k), np.nan))
    some = panel if varies.size == k else replace(panel, metrics=tuple(panel.metrics[i] for i in varies))
    return _swapped(measure, some, request, scheme).within(varies, k)


def are_constant(panel: Panel) -> BoolArray:
    """Which metrics (k,) give the same score to everything."""
    scores = panel.summands()
    return np.asarray(np.nanmax(scores, axis=(1, 2)) == np.nanmin(scores, axis=(1, 2)))


@singledispatch
def _swapped(measure: Measure, panel: Panel, request: MeasureRequest, scheme: SwapScheme) -> SwapTails:  # noqa: ARG001
    raise BetterThanError(
        Message(
            "{by} cannot be tested with {scheme}. Use {bootstrap}.",
            by=Option("by", measure.name),
            scheme=Option("significance", scheme),
            bootstrap=Option("significance", "bootstrap"),
        )
    )


@_swapped.register(MeansMeasure)
@_swapped.register(SoftPairwiseAccuracy)
def _(measure: SystemMeasure, panel: Panel, request: MeasureRequest, scheme: SwapScheme) -> SwapTails:
    return tails_of_systems(swapped_leads(measure, panel, request, scheme), scheme, panel.human.n_systems)


def swapped_leads(measure: Measure, panel: Panel, request: MeasureRequest, scheme: SwapScheme) -> Leads:
    """Return the lead of each metric over each other after each swap; test sets are pooled by these."""
    if not isinstance(measure, MeansMeasure | SoftPairwiseAccuracy):
        raise BetterThanError(
            Message(
                "This test does not support {by} over several test sets. Use {bootstrap} or {none}.",
                by=Option("by", measure.name),
                bootstrap=Option("significance", "bootstrap"),
                none=Option("significance", "none"),
            )
        )
    values = _system_values(measure, panel, request, scheme)
    return _leads_of_streams(values, measure, panel, request, scheme)


def _system_values(
    measure: SystemMeasure, panel: Panel, request: MeasureRequest, scheme: SwapScheme
) -> Values:
    """Return functions for the observed values (k,) and for blocks of swapped values (b, k, k)."""
    if isinstance(measure, MeansMeasure):
        return _means_values(measure, panel, request, scheme)
    is_literal = request.options.p_values == "monte_carlo" and not request.options.mid_p
    p_values: Literal["analytic", "monte_carlo"] = "monte_carlo" if is_literal else "analytic"
    if not panel.is_complete and scheme == "perm_inputs":
        return _values_with_gaps(panel, _with_pvalues(request, "analytic"))
    whole = panel.complete()
    sums = _unit_sums(standardised(whole.summands(), where=whole.judged), request.units)
    human_p = pair_pvalues(whole.human_goodness, _with_pvalues(request, p_values))
    resampling = request.resampling
    return partial(_soft_values, sums, human_p, scheme, p_values, resampling.n_resamples, resampling.seed)


def _with_pvalues(request: MeasureRequest, p_values: Literal["analytic", "monte_carlo"]) -> MeasureRequest:
    return replace(request, options=replace(request.options, p_values=p_values, mid_p=False))


def _soft_values(
    sums: FloatArray,
    human_p: FloatArray,
    scheme: SwapScheme,
    p_values: Literal["analytic", "monte_carlo"],
    n_permutations: int,
    seed: int,
    streams: Streams,
) -> tuple[FloatArray, Iterator[FloatArray]]:
    """Swapped values of soft pairwise accuracy; every block permutes by the same signs."""
    return soft_values(
        sums,
        human_p,
        scheme,
        streams,
        p_values=p_values,
        n_permutations=n_permutations,
        signs_rng=stream(seed, PERMUTATIONS, 0),
        n_in_job=n_permutations,
    )


# Means that were equal before a swap differ by rounding after it; ranks must not see that.
_UP_TO_ROUNDING: dict[Statistic, Statistic] = {spearman: spearman_of_means, kendall_b_rows: kendall_of_means}


def _means_values(measure: MeansMeasure, panel: Panel, request: MeasureRequest, scheme: SwapScheme) -> Values:
    human = system_scores(panel)[0]
    statistic = _UP_TO_ROUNDING.get(measure.statistic, measure.statistic)
    # Sums over segments divided by the number of judged segments of each system are means; missing cells add 0.
    share = panel.judged.shape[1] / panel.judged.sum(axis=1)[:, None]
    scores = np.nan_to_num(standardised(panel.summands(), where=panel.judged)) * share
    sums = _unit_sums(scores, request.drawn)
    n = panel.judged.shape[1]
    return partial(means_values, sums, human, statistic, scheme, n_segments=n)


def _values_with_gaps(panel: Panel, request: MeasureRequest) -> Values:
    human_p = pair_pvalues(panel.human_goodness, request)
    scores = standardised(panel.summands(), where=panel.judged)
    return partial(soft_values_with_gaps, scores, human_p)


@_swapped.register
def _(measure: SegmentCoefficient, panel: Panel, request: MeasureRequest, scheme: SwapScheme) -> SwapTails:
    _refuse_units(measure, request)
    scores, human = standardised(panel.segment_scores(), where=panel.judged), panel.human_goodness
    if (scheme, measure.level) in WHOLE_GROUPS:
        return tails_of_upper(closed_form(group_values(scores, human, measure.name, measure.level)))  # type: ignore[arg-type]
    block = partial(segment_leads_block, scores, human, measure.name, measure.level, scheme)  # type: ignore[arg-type]
    return tails_of_leads(_leads_of_blocks(block, measure, panel, request, scheme))


@_swapped.register
def _(measure: AccuracyWithTies, panel: Panel, request: MeasureRequest, scheme: SwapScheme) -> SwapTails:
    _refuse_units(measure, request)
    scores, human = standardised(panel.segment_scores(), where=panel.judged), panel.human_goodness
    block = partial(accuracy_leads_block, scores, human, scheme, level=measure.level)  # type: ignore[arg-type]
    return tails_of_leads(_leads_of_blocks(block, measure, panel, request, scheme))


@_swapped.register
def _(measure: TieTau, panel: Panel, request: MeasureRequest, scheme: SwapScheme) -> SwapTails:
    if scheme != "perm_inputs":
        raise BetterThanError(
            Message(
                "{by} is tested by swapping whole segments. Use {inputs} or {bootstrap}.",
                by=Option("by", measure.name),
                inputs=Option("significance", "perm_inputs"),
                bootstrap=Option("significance", "bootstrap"),
            )
        )
    tables = _summed_tables(measure.tables(panel, request.options), request.drawn)
    block = partial(pooled_leads_block, tables, partial(tau, rule=measure.name))  # type: ignore[arg-type]
    return tails_of_leads(_leads_of_blocks(block, measure, panel, request, scheme))


@_swapped.register
def _(measure: OwnFunction, panel: Panel, request: MeasureRequest, scheme: SwapScheme) -> SwapTails:
    _refuse_units(measure, request)
    scores, human = standardised(panel.segment_scores(), where=panel.judged), panel.human_goodness
    own = [measure.function(metric, human) for metric in panel.segment_scores()]
    if not np.allclose(own, [measure.function(metric, human) for metric in scores], rtol=1e-9, atol=1e-12):
        raise BetterThanError(
            Message(
                "{name} depends on the scale of a metric, but swapping needs scores on a common scale. Use "
                "{bootstrap}.",
                name=measure.name,
                bootstrap=Option("significance", "bootstrap"),
            )
        )
    block = partial(
        segment_leads_block, scores, human, partial(_of_rows, measure.function, human), "global", scheme
    )
    return tails_of_leads(_leads_of_blocks(block, measure, panel, request, scheme, is_ours=False))


def _of_rows(function: UserFunction, human: FloatArray, metric: FloatArray, judged: FloatArray) -> FloatArray:
    """Apply a function of tables (m, n) to rows into which such tables were flattened."""
    flat = [function(one.reshape(human.shape), human) for one in metric.reshape(-1, *human.shape)]
    return np.array(flat).reshape(judged.shape[:-1] if metric.ndim == judged.ndim else metric.shape[:-1])


def pair_swaps(measure: Measure, panel: Panel) -> FloatArray:
    """Return p-values in closed form when every pair of systems on a segment is swapped independently."""
    if not isinstance(measure, AccuracyWithTies):
        raise BetterThanError(
            Message(
                "{pairs} is only for {by}. Use {inputs}.",
                pairs=Option("significance", "perm_pairs"),
                by=Option("by", "accuracy_with_ties"),
                inputs=Option("significance", "perm_inputs"),
            )
        )
    return pair_swap_pvalues(panel.segment_scores(), panel.human_goodness, level=measure.level)  # type: ignore[arg-type]


def williams_pvalues(measure: Measure, panel: Panel) -> FloatArray:
    """Return p-values of Williams' test for dependent correlations, which share the human scores."""
    if not (isinstance(measure, MeansMeasure) and measure.statistic is pearson):
        raise BetterThanError(
            Message(
                "Williams' test compares Pearson correlations of systems. Use {by} and {level}.",
                by=Option("by", "pearson"),
                level=Option("level", "system"),
            )
        )
    human, metrics = system_scores(panel)
    return williams_all_pairs(metrics, human)


def _refuse_units(measure: Measure, request: MeasureRequest) -> None:
    if not request.units.are_segments:
        raise BetterThanError(
            Message(
                "{by} at {level} is tested by swapping single segments. Use {units}, or {bootstrap}.",
                by=Option("by", measure.name),
                level=Option("level", measure.level),
                units=Option("units", "segments"),
                bootstrap=Option("significance", "bootstrap"),
            )
        )


def _unit_sums(scores: FloatArray, units: Units) -> FloatArray:
    """Scores (k, m, n), or their sums over documents (k, m, u)."""
    if units.are_segments:
        return scores
    if scores.shape[2] != units.of_segment.size:
        raise BetterThanError(
            Message(
                "Whole documents cannot be swapped while human scores are missing. Use {units}.",
                units=Option("units", "segments"),
            )
        )
    k, m, n = scores.shape
    return units.summed(scores.reshape(k * m, n)).reshape(k, m, -1)


def _summed_tables(tables: IntArray, units: Units) -> IntArray:
    if units.are_segments:
        return tables
    k, n = tables.shape[:2]
    flat = units.summed(tables.transpose(0, 2, 3, 1).reshape(k * 9, n).astype(np.float64))
    return flat.reshape(k, 3, 3, -1).transpose(0, 3, 1, 2).astype(np.int64)


def _leads_of_blocks(
    block: SwapBlock,
    measure: Measure,
    panel: Panel,
    request: MeasureRequest,
    scheme: str,
    *,
    is_ours: bool = True,
) -> Leads:
    """Run blocks of swaps; `is_ours` means that the function's name identifies it in the cache."""
    resampling = request.resampling.on(panel.digest, request.units)
    blocks = resampling.run(
        _stream_name(measure, request, scheme),
        block,
        _swap_block,
        bytes_each=_bytes_each(measure, panel, scheme),
        key=_checkpoint_key(request) if is_ours else None,
        label=_label(panel, request, scheme),
    )
    return _leads_of_rows(blocks, len(panel.metrics))


def _leads_of_streams(
    values: Values, measure: SystemMeasure, panel: Panel, request: MeasureRequest, scheme: SwapScheme
) -> Leads:
    """Run swaps of a measure over systems.

    Each random stream serves few resamples, as in :func:`_leads_of_blocks`. A block takes several streams, because it
    begins with work that all its resamples share.
    """
    resampling = request.resampling.on(panel.digest, request.units)
    sizes = [len(part) for part in block_ranges(resampling.n_resamples, _bytes_each(measure, panel, scheme))]
    name = _stream_name(measure, request, scheme)
    blocks = resampling.run(
        name,
        (values, sizes, resampling.seed, name),
        _streams_block,
        parts=even_parts(len(sizes), max(1, RESAMPLES_TOGETHER // max(sizes))),
        key=f"{_checkpoint_key(request)} {RESAMPLES_TOGETHER} together",
        label=_label(panel, request, scheme),
    )
    return _leads_of_rows(blocks, len(panel.metrics))


def _stream_name(measure: Measure, request: MeasureRequest, scheme: str) -> str:
    return f"{scheme} {measure.name} {measure.level}{request.part}"


def _bytes_each(measure: Measure, panel: Panel, scheme: str) -> int:
    """Estimated memory of a resample, which determines how many share a random stream."""
    if scheme == "perm_systems" and measure.level == "system":
        return 64 * 2**20 // LARGE_BLOCKS
    return max(24 * panel.judged.size * len(panel.metrics), 64 * 2**20 // SMALL_BLOCKS)


def _checkpoint_key(request: MeasureRequest) -> str:
    options = request.options
    how = f"{digest(request.drawn.of_segment)} {options.p_values} {options.mid_p}"
    return f"{how} {options.margin} {options.metric_margin}"


def _label(panel: Panel, request: MeasureRequest, scheme: str) -> str:
    swaps = f"{scheme.replace('_', '-')} of {len(panel.metrics)} metrics"
    return f"{swaps} ({request.resampling.n_resamples:,} resamples)"


def _swap_block(swap: SwapBlock, part: range, rng: np.random.Generator) -> FloatArray:
    return _rows_of_leads(swap(len(part), rng))


def _streams_block(
    payload: tuple[Values, list[int], int, str], part: range, _: np.random.Generator
) -> FloatArray:
    """Swap with the streams of these numbers; the generator of the block itself is not used."""
    values, sizes, seed, name = payload
    observed, portions = values([(sizes[number], stream(seed, name, number)) for number in part])
    leads = joined_leads([leads_of_values(one, observed, VALUE_TOLERANCE) for one in portions])
    return _rows_of_leads(leads)


def _rows_of_leads(leads: Leads) -> FloatArray:
    """Return observed leads, slack and swapped leads as the rows of one array, which the cache can store."""
    return np.vstack([leads.observed, leads.slack, leads.swapped])


def _leads_of_rows(blocks: list[FloatArray], n_metrics: int) -> Leads:
    swapped = np.concatenate([rows[2:] for rows in blocks])
    return Leads(blocks[0][0], swapped, blocks[0][1], n_metrics)
