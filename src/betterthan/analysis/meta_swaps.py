"""Is one metric more like people than another? Swap the two metrics' scores and see what that does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import singledispatch
from typing import Any, Literal

import numpy as np

from betterthan import __version__
from betterthan.analysis.meta_inputs import Panel
from betterthan.analysis.meta_measures import Measure, Request
from betterthan.analysis.meta_segment import AccuracyWithTies, Coefficient, OwnFunction, TieTau
from betterthan.analysis.meta_system import (
    PERMUTATIONS,
    MeansMeasure,
    SoftPairwiseAccuracy,
    pair_pvalues,
    system_scores,
)
from betterthan.arrays import BoolArray, FloatArray, IntArray, digest
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.correlation import pearson
from betterthan.kernels.dependent_correlation import williams_all_pairs
from betterthan.kernels.metric_swaps import means_values, standardised, tallies_of_values
from betterthan.kernels.metric_swaps_gaps import soft_values_with_gaps
from betterthan.kernels.metric_swaps_soft import soft_values
from betterthan.kernels.permutation import add_one
from betterthan.kernels.segment_swaps import WHOLE_GROUPS, closed_form, group_values, segment_swaps_block
from betterthan.kernels.segment_swaps_accuracy import accuracy_swaps_block, pair_swap_pvalues
from betterthan.kernels.segment_swaps_pooled import pooled_swaps_block
from betterthan.kernels.swap_masks import SwapScheme
from betterthan.kernels.tau_tables import tau

Block = Callable[[int, np.random.Generator], IntArray]
Values = Callable[[int, np.random.Generator], tuple[FloatArray, Iterator[FloatArray]]]
SystemMeasure = MeansMeasure | SoftPairwiseAccuracy
SMALL_BLOCKS = 50  # resamples in a block, so that there is something to share out and a bar that moves


def swapped_pvalues(measure: Measure, panel: Panel, request: Request, scheme: SwapScheme) -> FloatArray:
    """Return one-sided p-values (k, k) that the row's metric is better than the column's.

    Under the null hypothesis that two metrics are equally like people, their scores can be swapped: on whole
    segments ("perm_inputs"), for whole systems ("perm_systems"), both ("perm_both"), or cell by cell
    ("perm_cells") [1]_. Scores are standardised first, so that they can stand beside each other.

    .. [1] Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using resampling
       methods, TACL 9.

    A metric that gives the same score to everything has no scale to be swapped on; its p-values are NaN.
    """
    varies = np.flatnonzero(~are_constant(panel))
    k = len(panel.metrics)
    pvalues = np.full((k, k), np.nan)
    if varies.size > 1:
        some = panel if varies.size == k else replace(panel, metrics=tuple(panel.metrics[i] for i in varies))
        pvalues[np.ix_(varies, varies)] = _swapped(measure, some, request, scheme)
    return pvalues


def are_constant(panel: Panel) -> BoolArray:
    """Which metrics (k,) give the same score to everything."""
    scores = panel.summands()
    return np.asarray(np.nanmax(scores, axis=(1, 2)) == np.nanmin(scores, axis=(1, 2)))


@singledispatch
def _swapped(measure: Measure, panel: Panel, request: Request, scheme: SwapScheme) -> FloatArray:  # noqa: ARG001
    raise BetterThanError(
        f'by="{measure.name}" cannot be compared by "{scheme}". Use significance="bootstrap".'
    )


@_swapped.register(MeansMeasure)
@_swapped.register(SoftPairwiseAccuracy)
def _(measure: SystemMeasure, panel: Panel, request: Request, scheme: SwapScheme) -> FloatArray:
    values = _system_values(measure, panel, request, scheme)

    def block(size: int, rng: np.random.Generator) -> IntArray:
        observed, portions = values(size, rng)
        return np.asarray(sum(tallies_of_values(one, observed) for one in portions))

    return _tallied(block, measure, panel, request, scheme)


def swapped_leads(measure: Measure, panel: Panel, request: Request, scheme: SwapScheme) -> FloatArray:
    """Return by how much the row is ahead of the column after each swap, shape (b, k, k); for pooling test sets."""
    if not isinstance(measure, MeansMeasure | SoftPairwiseAccuracy):
        raise BetterThanError(
            f'by="{measure.name}" over several test sets is compared by significance="bootstrap", or "none".'
        )
    values = _system_values(measure, panel, request, scheme)

    def block(size: int, rng: np.random.Generator) -> FloatArray:
        found = np.concatenate(list(values(size, rng)[1]))
        return np.asarray(found - found.transpose(0, 2, 1))

    return np.concatenate(_in_blocks(block, measure, panel, request, scheme, what="leads"))


def _system_values(measure: SystemMeasure, panel: Panel, request: Request, scheme: SwapScheme) -> Values:
    """Return what gives observed values (k,) and portions of swapped values (b, k, k)."""
    if isinstance(measure, MeansMeasure):
        return _means_values(measure, panel, request, scheme)
    is_literal = request.p_values == "monte_carlo" and not request.mid_p
    p_values: Literal["analytic", "monte_carlo"] = "monte_carlo" if is_literal else "analytic"
    if not panel.is_complete and scheme == "perm_inputs":
        return _values_with_gaps(panel, replace(request, p_values="analytic"))
    whole = panel.complete()
    sums = _unit_sums(standardised(whole.summands(), where=whole.judged), request)
    human_p = pair_pvalues(whole.human_goodness, replace(request, p_values=p_values, mid_p=False))
    return lambda size, rng: soft_values(
        sums,
        human_p,
        scheme,
        size,
        rng,
        p_values=p_values,
        n_permutations=request.n_resamples,
        signs_rng=stream(request.seed, PERMUTATIONS, 0),
    )


def _means_values(measure: MeansMeasure, panel: Panel, request: Request, scheme: SwapScheme) -> Values:
    human, statistic = system_scores(panel)[0], measure.statistic
    # Divided by how many segments each system was judged on, sums over segments are means; empty cells add nothing.
    share = panel.judged.shape[1] / panel.judged.sum(axis=1)[:, None]
    scores = np.nan_to_num(standardised(panel.summands(), where=panel.judged)) * share
    sums = _unit_sums(scores, request)
    n = panel.judged.shape[1]
    return lambda size, rng: means_values(sums, human, statistic, scheme, size, rng, n_segments=n)


def _values_with_gaps(panel: Panel, request: Request) -> Values:
    human_p = pair_pvalues(panel.human_goodness, replace(request, mid_p=False))
    scores = standardised(panel.summands(), where=panel.judged)
    return lambda size, rng: soft_values_with_gaps(scores, human_p, size, rng)


@_swapped.register
def _(measure: Coefficient, panel: Panel, request: Request, scheme: SwapScheme) -> FloatArray:
    _refuse_units(measure, request)
    scores, human = standardised(panel.segment_scores(), where=panel.judged), panel.human_goodness
    if (scheme, measure.level) in WHOLE_GROUPS:
        return closed_form(group_values(scores, human, measure.name, measure.level))  # type: ignore[arg-type]

    def block(size: int, rng: np.random.Generator) -> IntArray:
        return segment_swaps_block(scores, human, measure.name, measure.level, scheme, size, rng)  # type: ignore[arg-type]

    return _tallied(block, measure, panel, request, scheme)


@_swapped.register
def _(measure: AccuracyWithTies, panel: Panel, request: Request, scheme: SwapScheme) -> FloatArray:
    _refuse_units(measure, request)
    scores, human = standardised(panel.segment_scores(), where=panel.judged), panel.human_goodness

    def block(size: int, rng: np.random.Generator) -> IntArray:
        return accuracy_swaps_block(scores, human, scheme, size, rng, level=measure.level)  # type: ignore[arg-type]

    return _tallied(block, measure, panel, request, scheme)


@_swapped.register
def _(measure: TieTau, panel: Panel, request: Request, scheme: SwapScheme) -> FloatArray:
    if scheme != "perm_inputs":
        raise BetterThanError(
            f'by="{measure.name}" is compared by swapping whole segments. Use "perm_inputs" or "bootstrap".'
        )
    tables = _summed_tables(measure.tables(panel, request), request)

    def block(size: int, rng: np.random.Generator) -> IntArray:
        return pooled_swaps_block(tables, lambda counts: tau(counts, measure.name), size, rng)  # type: ignore[arg-type]

    return _tallied(block, measure, panel, request, scheme)


@_swapped.register
def _(measure: OwnFunction, panel: Panel, request: Request, scheme: SwapScheme) -> FloatArray:
    _refuse_units(measure, request)
    scores, human = standardised(panel.segment_scores(), where=panel.judged), panel.human_goodness
    shape = human.shape
    own = [measure.function(metric, human) for metric in panel.segment_scores()]
    if not np.allclose(own, [measure.function(metric, human) for metric in scores], rtol=1e-9, atol=1e-12):
        raise BetterThanError(
            f"{measure.name} depends on the scale of a metric, and swapped scores must be brought to one scale. "
            f'Use significance="bootstrap".'
        )

    def of_rows(metric: FloatArray, judged: FloatArray) -> FloatArray:
        flat = [measure.function(one.reshape(shape), human) for one in metric.reshape(-1, *shape)]
        return np.array(flat).reshape(judged.shape[:-1] if metric.ndim == judged.ndim else metric.shape[:-1])

    def block(size: int, rng: np.random.Generator) -> IntArray:
        return segment_swaps_block(scores, human, of_rows, "global", scheme, size, rng)

    return _tallied(block, measure, panel, request, scheme, is_ours=False)


def pair_swaps(measure: Measure, panel: Panel) -> FloatArray:
    """Return p-values when every pair of systems on a segment is swapped by itself; in closed form."""
    if not isinstance(measure, AccuracyWithTies):
        raise BetterThanError(
            'significance="perm_pairs" belongs to by="accuracy_with_ties". Use "perm_inputs".'
        )
    return pair_swap_pvalues(panel.segment_scores(), panel.human_goodness, level=measure.level)  # type: ignore[arg-type]


def williams_pvalues(measure: Measure, panel: Panel) -> FloatArray:
    """Return p-values of Williams' test for dependent correlations, which share the human scores."""
    if not (isinstance(measure, MeansMeasure) and measure.statistic is pearson):
        raise BetterThanError(
            'Williams\' test compares Pearson correlations of systems. Use by="pearson" and level="system".'
        )
    human, metrics = system_scores(panel)
    return williams_all_pairs(metrics, human)


def _refuse_units(measure: Measure, request: Request) -> None:
    if not request.units.are_segments:
        raise BetterThanError(
            f'by="{measure.name}" at level="{measure.level}" swaps segments one by one. Use units="segments", or '
            f'significance="bootstrap".'
        )


def _unit_sums(scores: FloatArray, request: Request) -> FloatArray:
    """Scores (k, m, n), or their sums over documents (k, m, u)."""
    if request.units.are_segments:
        return scores
    if scores.shape[2] != request.units.of_segment.size:
        raise BetterThanError(
            'Documents with missing human scores cannot be swapped as one. Use units="segments".'
        )
    k, m, n = scores.shape
    return request.units.summed(scores.reshape(k * m, n)).reshape(k, m, -1)


def _summed_tables(tables: IntArray, request: Request) -> IntArray:
    if request.units.are_segments:
        return tables
    k, n = tables.shape[:2]
    flat = request.units.summed(tables.transpose(0, 2, 3, 1).reshape(k * 9, n).astype(np.float64))
    return flat.reshape(k, 3, 3, -1).transpose(0, 3, 1, 2).astype(np.int64)


def _tallied(
    block: Block, measure: Measure, panel: Panel, request: Request, scheme: str, *, is_ours: bool = True
) -> FloatArray:
    """Run blocks of swaps and turn the tallies into p-values (b + 1) / (B + 1)."""
    tallies = _in_blocks(block, measure, panel, request, scheme, is_ours=is_ours)
    return add_one(np.sum(np.stack(tallies), axis=0), request.n_resamples)


def _in_blocks(
    block: Callable[[int, np.random.Generator], Any],
    measure: Measure,
    panel: Panel,
    request: Request,
    scheme: str,
    *,
    what: str = "tallies",
    is_ours: bool = True,
) -> list[Any]:
    cells = panel.judged.size * len(panel.metrics)
    blocks = block_ranges(request.n_resamples, max(24 * cells, 64 * 2**20 // SMALL_BLOCKS))
    name = f"{scheme} {measure.name} {measure.level}{request.part}"
    how = f"{digest(request.units.of_segment)} {request.p_values} {request.mid_p}"
    margins = f"{request.margin} {request.metric_margin}"
    kept = f"{panel.digest} {what} {name} {how} {margins} {request.n_resamples} {request.seed} {__version__}"
    job: Job[Any, Any] = Job(
        name=f"{scheme.replace('_', '-')} of {len(panel.metrics)} metrics ({request.n_resamples:,} resamples)",
        function=_swap_part,
        payload=(block, request.seed, name, blocks),
        n_blocks=len(blocks),
        digest=kept if is_ours else None,
    )
    return request.computing.run(job)


def _swap_part(
    payload: tuple[Callable[[int, np.random.Generator], Any], int, str, tuple[range, ...]], number: int
) -> Any:  # noqa: ANN401  (tallies or leads)
    block, seed, name, blocks = payload
    return block(len(blocks[number]), stream(seed, name, number))
