"""Measures at the system level: correlations of system scores, pairwise accuracy, soft pairwise accuracy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from betterthan.analysis.meta.inputs import Panel
from betterthan.analysis.meta.measures import MeasuredMetrics, MeasureLevel, MeasureOptions, MeasureRequest
from betterthan.analysis.pairs.permutation import PairRequest, permutation
from betterthan.arrays import BoolArray, FloatArray, digest
from betterthan.engine.blocks import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.soft_pairwise import pvalues_of_tables, soft_draws, soft_pairwise_accuracy
from betterthan.kernels.sign_flips.permutation import share
from betterthan.kernels.significance.counts_permutation import counts_permutation_block
from betterthan.messages import NAME, Message, Option
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores

Statistic = Callable[[FloatArray, FloatArray], FloatArray]
PERMUTATIONS = "soft pairwise accuracy"  # the random stream shared by human and metric scores


@dataclass(frozen=True, slots=True, kw_only=True)
class MeansMeasure:
    """A function of two vectors of system scores, ``statistic(metric (…, m), human (…, m)) → (…)``."""

    name: str
    statistic: Statistic
    level: MeasureLevel = field(default="system", init=False)
    is_redone: bool = field(default=False, init=False)

    def take(self, panel: Panel, request: MeasureRequest) -> MeasuredMetrics:  # noqa: ARG002  (all measures are asked alike)
        """Return the statistic of system means, or of pooled scores for corpus metrics."""
        human, metrics = system_scores(panel)
        return MeasuredMetrics(value=np.asarray(self.statistic(metrics, human)), n_pairs=_n_pairs(human.size))

    def has_draws(self, panel: Panel) -> bool:
        """Whether there are segments to draw."""
        return not panel.is_systems_only

    def draws(self, panel: Panel, options: MeasureOptions, weights: FloatArray) -> FloatArray:
        """Return the statistic in bootstrap samples."""
        if options.resample == "human":
            human = _means(panel.human.goodness, panel.judged, weights)
            return np.asarray(self.statistic(system_scores(panel)[1], human[:, None, :]))
        human, metrics = weighted_scores(panel, weights)
        return np.asarray(self.statistic(metrics, human[:, None, :]))


_IN_RESAMPLES = (
    "Values use the requested p-values; comparisons of metrics and intervals use analytic ones, because every "
    "resample needs new ones."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftPairwiseAccuracy:
    """Agreement of human and metric confidence about each pair of systems ([1], eq. 1).

    .. [1] Thompson, Mathur, Deutsch, Khayrallah (2024), Improving statistical significance in human evaluation of
       automatic metrics via soft pairwise accuracy, WMT.
    """

    name: str = field(default="soft_pairwise_accuracy", init=False)
    level: MeasureLevel = field(default="system", init=False)
    is_redone: bool = field(default=False, init=False)

    def take(self, panel: Panel, request: MeasureRequest) -> MeasuredMetrics:
        """Return soft pairwise accuracy and its p-values."""
        if panel.is_systems_only:
            raise BetterThanError(
                Message(
                    "Soft pairwise accuracy needs scores of segments, and these metrics have one score per "
                    "system. Use {by}.",
                    by=Option("by", "pairwise_accuracy"),
                )
            )
        human_p, *of_metrics = _panel_pvalues(panel, request)
        metric_p = np.stack(of_metrics)
        sampled = request.options.p_values == "monte_carlo"
        how = (
            f"{request.options.p_values},{request.resampling.n_resamples}"
            if sampled
            else request.options.p_values
        )
        return MeasuredMetrics(
            value=np.asarray(soft_pairwise_accuracy(metric_p, human_p)),
            n_pairs=int(np.count_nonzero(~np.isnan(human_p[np.triu_indices(len(human_p), 1)]))),
            human_pvalue=human_p,
            metric_pvalue=metric_p,
            options={"p": how, "ties": "mid" if request.options.mid_p else None},
            drew=sampled,
            notes=(_IN_RESAMPLES,) if request.options.p_values == "exact" or request.options.mid_p else (),
        )

    def has_draws(self, panel: Panel) -> bool:
        """Whether there are segments to draw."""
        return not panel.is_systems_only

    def draws(self, panel: Panel, options: MeasureOptions, weights: FloatArray) -> FloatArray:
        """Return soft pairwise accuracy in bootstrap samples, from analytic p-values."""
        tables = np.concatenate([panel.human_goodness[None], panel.summands()])
        return soft_draws(tables, weights, draw_metrics=options.resample != "human")


def system_scores(panel: Panel) -> tuple[FloatArray, FloatArray]:
    """Return human (m,) and metric (k, m) scores of systems, over the cells that are used, higher is better."""
    if panel.is_systems_only:
        metrics = np.stack([metric.goodness[:, 0] for metric in panel.metrics if isinstance(metric, Scores)])
        return _settled(np.nanmean(panel.human_goodness, axis=1)), metrics
    human, metrics = weighted_scores(panel, np.ones((1, panel.human.n_segments)))
    return _settled(human[0]), np.stack([_settled(one) for one in metrics[0]])


def _settled(means: FloatArray) -> FloatArray:
    """Round away numerical noise, so that the same scores in another order give the same mean."""
    order = np.argsort(means)
    settled = means[order]
    slack = 1e-12 * np.abs(means).max(initial=0.0)
    for i in range(1, settled.size):
        if settled[i] - settled[i - 1] <= slack:
            settled[i] = settled[i - 1]
    result = np.empty_like(means)
    result[order] = settled
    return result


def weighted_scores(panel: Panel, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return human (b, m) and metric (b, k, m) scores with segments weighted by `weights` (b, n)."""
    human = _means(panel.human.goodness, panel.judged, weights)
    metrics = [
        _pooled(metric, panel.judged, weights)
        if isinstance(metric, Counts)
        else _means(metric.goodness, panel.judged, weights)
        for metric in panel.metrics
    ]
    return human, np.stack(metrics, axis=1)


def _means(values: FloatArray, judged: BoolArray, weights: FloatArray) -> FloatArray:
    total = weights @ np.where(judged, values, 0.0).T
    count = weights @ judged.T.astype(np.float64)
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


def _pooled(counts: Counts, judged: BoolArray, weights: FloatArray) -> FloatArray:
    m, n, k = counts.values.shape
    counted = counts.values * judged[:, :, None]
    sums = (weights @ counted.transpose(1, 0, 2).reshape(n, m * k)).reshape(len(weights), m, k)
    return _direct(np.asarray(counts.formula.pooled(sums)), counts.higher_is_better)


def _direct(values: FloatArray, higher_is_better: bool) -> FloatArray:  # noqa: FBT001  (a field of the table)
    return values if higher_is_better else 0.0 - values


def _n_pairs(m: int) -> int:
    return m * (m - 1) // 2


def pair_pvalues(goodness: FloatArray, request: MeasureRequest) -> FloatArray:
    """Return one-sided p-values (m, m) of all pairs of systems; [i, j]: is i better than j?"""
    return _pvalues_of([goodness], request)[0]


def _pvalues_of(tables: list[FloatArray], request: MeasureRequest) -> list[FloatArray]:
    units = request.units
    if not units.are_segments and any(np.isnan(table).any() for table in tables):
        raise BetterThanError(
            Message(
                "Whole documents cannot be permuted while human scores are missing. Use {units}, or leave "
                "out the systems with missing scores ({leave_out}).",
                units=Option("units", "segments"),
                leave_out=Option("leave_out", [NAME]),
            )
        )
    if request.options.p_values == "exact":
        literal = [_exact(table, request) for table in tables]
        return [(one + 1 - one.T) / 2 for one in literal] if request.options.mid_p else literal
    return pvalues_of_tables(
        [units.summed(table) for table in tables],
        request.options.p_values,
        n_resamples=request.resampling.n_resamples,
        rng=stream(request.resampling.seed, PERMUTATIONS, 0),
        mid_p=request.options.mid_p,
    )


def _exact(goodness: FloatArray, request: MeasureRequest) -> FloatArray:
    pairs = PairRequest(
        goodness=goodness,
        resampling=request.resampling.on(digest(goodness), request.units),
        alternative="greater",
        ties="drop",
        method="auto",
    )
    pvalue = permutation(pairs).pvalue.copy()
    np.fill_diagonal(pvalue, 1.0)
    return pvalue


def _panel_pvalues(panel: Panel, request: MeasureRequest) -> list[FloatArray]:
    """Return the p-values of the human scores and of every metric, all with the same permutations."""
    is_pooled = [
        isinstance(metric, Counts) and request.options.p_values != "analytic" for metric in panel.metrics
    ]
    plain = [table for table, pooled in zip(panel.summands(), is_pooled, strict=True) if not pooled]
    found = iter(_pvalues_of([panel.human_goodness, *plain], request))
    human_p = next(found)
    of_metrics = [
        _corpus_pvalues(panel, metric, request) if isinstance(metric, Counts) and pooled else next(found)
        for metric, pooled in zip(panel.metrics, is_pooled, strict=True)
    ]
    return [human_p, *of_metrics]


def _corpus_pvalues(panel: Panel, counts: Counts, request: MeasureRequest) -> FloatArray:
    """Permute segments and recompute the corpus score each time."""
    if request.options.p_values == "exact":
        raise BetterThanError(
            Message(
                '"{metric}" is a corpus metric, whose permutation p-values are sampled. Use {sampled} or '
                "{analytic}.",
                metric=counts.name,
                sampled=Option("p_values", "monte_carlo"),
                analytic=Option("p_values", "analytic"),
            )
        )
    if not panel.is_complete:
        raise BetterThanError(
            Message(
                '"{metric}" is a corpus metric and needs human scores for every segment of every system. '
                "Use {analytic}, or leave out the systems with missing scores ({leave_out}).",
                metric=counts.name,
                analytic=Option("p_values", "analytic"),
                leave_out=Option("leave_out", [NAME]),
            )
        )
    sign = 1.0 if counts.higher_is_better else -1.0
    values = counts.values
    if not request.units.are_segments:
        member = np.eye(request.units.n_units)[request.units.of_segment]
        values = np.einsum("mnk,nu->muk", values, member)
    tallies = counts_permutation_block(
        values,
        request.resampling.n_resamples,
        stream(request.resampling.seed, PERMUTATIONS, 0),
        formula=lambda sums: sign * np.asarray(counts.formula.pooled(sums)),
        alternative="greater",
    )
    literal = share(tallies.greater + tallies.equal, request.resampling.n_resamples)
    return (literal + 1 - literal.T) / 2 if request.options.mid_p else literal
