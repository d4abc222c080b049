"""From measures and p-values to the meta-evaluation: order, clusters, groups, settings and caveats.

Human translations among the systems, duplicates and metrics with many ties belong with the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from betterthan.analysis.meta.comparisons import (
    SWAPS,
    SignificanceOptions,
    bootstrap_draws,
    centred_percentile_interval,
    compared,
    comparisons_of,
)
from betterthan.analysis.meta.inputs import Panel
from betterthan.analysis.meta.measures import (
    Measure,
    MeasuredMetrics,
    MeasureOptions,
    MeasureRequest,
    UnitChoice,
    request_for,
)
from betterthan.analysis.meta.segment import AccuracyWithTies, OwnFunction, TieTau
from betterthan.analysis.meta.swaps import SwapTails
from betterthan.analysis.meta.system import SoftPairwiseAccuracy, system_scores
from betterthan.analysis.pairs.pairwise import shared_ranks
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.units import unit_note
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError, some_of
from betterthan.kernels.display.letters import letter_display
from betterthan.kernels.display.ranks import fuzzy_ranks, greedy_clusters
from betterthan.messages import Message, Option, method_note
from betterthan.results.metrics import Caveat, MetaEvaluation, MetricComparisons
from betterthan.results.settings import OptionValue, Settings
from betterthan.tables.metric_names import is_human_translation
from betterthan.tables.scores import Scores

NEARLY_ALL = 0.9  # share of tied pairs from which on a metric is said to tie nearly everything


def caveats_of(panel: Panel, n_decided: IntArray | None, n_pairs: int) -> tuple[Caveat, ...]:
    """Return the caveats to the verdict on the metrics of a panel.

    Parameters
    ----------
    panel : Panel
    n_decided : array of int, shape (k,), optional
        Pairs that each metric does not tie, of the `n_pairs` without human ties; if None, all pairs of systems on a
        segment are counted, because system scores, too, depend on the segments that a metric distinguishes.
    n_pairs : int
    """
    human = tuple(name for name in panel.human.systems if is_human_translation(name))
    found = [Caveat(code="by_order", names=(panel.human.name, *panel.names))] if panel.is_by_order else []
    found += [
        Caveat(code="unmatched", names=names, n_left_out=n, n_segments=n_segments)
        for names, n, n_segments in panel.unmatched
    ]
    found += [Caveat(code="human_translations", names=human)] if human else []
    found += [Caveat(code="same_systems", names=names) for names in _same_systems(panel)]
    found += [Caveat(code="same_metrics", names=names) for names in _same_metrics(panel)]
    if n_decided is None and not panel.is_systems_only:
        n_decided, n_pairs = _decided(panel.segment_scores(), panel)
    if n_decided is not None and n_pairs:
        found += [
            Caveat(code="many_ties", names=(name,), n_decided=int(n), n_pairs=n_pairs)
            for name, n in zip(panel.names, n_decided.tolist(), strict=True)
            if n <= (1 - NEARLY_ALL) * n_pairs
        ]
    return tuple(found)


def _groups(keys: dict[str, bytes]) -> list[tuple[str, ...]]:
    """Groups of two or more names with the same key."""
    groups: dict[bytes, list[str]] = {}
    for name, key in keys.items():
        groups.setdefault(key, []).append(name)
    return [tuple(names) for names in groups.values() if len(names) > 1]


def _same_systems(panel: Panel) -> list[tuple[str, ...]]:
    """Systems with identical scores by every metric: one output under several names (requires more than one score)."""
    if panel.is_systems_only:
        return []
    tables = [np.ascontiguousarray(metric.values) for metric in panel.metrics]
    varied = [table for table in tables if _is_varied(table)]
    if not varied:
        return []
    systems = panel.human.systems
    return _groups({name: b"".join(table[i].tobytes() for table in varied) for i, name in enumerate(systems)})


def _is_varied(table: FloatArray) -> bool:
    """Whether a table has more than two values; its first columns mostly settle it."""
    return any(np.unique(some[~np.isnan(some)]).size > 2 for some in (table[:, :8], table))


def _same_metrics(panel: Panel) -> list[tuple[str, ...]]:
    """Metrics with identical scores."""
    keys = {}
    for metric in panel.metrics:
        values = metric.goodness if isinstance(metric, Scores) else metric.values
        keys[metric.name] = np.ascontiguousarray(values).tobytes()
    return _groups(keys)


def _decided(scores: FloatArray, panel: Panel) -> tuple[IntArray, int]:
    """Pairs of systems on a segment that each metric does not tie (k,), and the number of pairs."""
    ordered = np.sort(np.where(panel.judged, scores, np.nan), axis=1)
    run = np.zeros((len(scores), ordered.shape[2]), dtype=np.int64)
    tied = np.zeros(len(scores), dtype=np.int64)
    has_ties = (ordered[:, 1:] == ordered[:, :-1]).any()
    for i in range(
        1, ordered.shape[1] if has_ties else 0
    ):  # each score ties with the earlier scores of its run
        run = np.where(ordered[:, i] == ordered[:, i - 1], run + 1, 0)
        tied += run.sum(axis=1)
    judged = panel.judged.sum(axis=0)
    n_pairs = int((judged * (judged - 1) // 2).sum())
    return n_pairs - tied, n_pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Systems:
    """Scores of systems of a system-level result, in the order of the table; empty when test sets are pooled."""

    names: tuple[str, ...] = ()
    human_mean: FloatArray = field(default_factory=lambda: np.zeros(0))
    metric_mean: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFindings:
    """Values, draws and p-values of the metrics, in the order of the caller."""

    metrics: tuple[str, ...]
    human: str
    taken: MeasuredMetrics
    draws: FloatArray | None
    test: str
    tails: SwapTails
    systems: Systems
    n_systems: int
    n_segments: int
    n_drawn: int
    data: str
    notes: tuple[str, ...]
    options: dict[str, OptionValue] = field(default_factory=dict)
    part_names: tuple[str, ...] = ()
    part_value: FloatArray | None = None
    caveats: tuple[Caveat, ...] = ()
    unit_note: str = ""
    lower_is_better: tuple[str, ...] = ()
    resample: str | None = None

    @property
    def drawn(self) -> str | None:
        """The resampling unit, for the signature where it is not single segments."""
        return None if self.n_drawn == self.n_segments else f"{self.n_drawn},groups"


def evaluated(
    panel: Panel,
    measure: Measure,
    options: MeasureOptions,
    resampling: Resampling,
    significance: SignificanceOptions,
) -> MetaEvaluation:
    """Evaluate the metrics of one panel by their agreement with human scores."""
    request = request_for(panel.human, options, resampling, unit_choice(significance))
    taken, draws = taken_and_drawn(panel, measure, request, significance)
    verdicts = compared(measure, panel, request, significance, taken.value, draws)
    human_mean, metric_mean = system_scores(panel)
    caveats = (*caveats_of(panel, taken.n_decided, taken.n_pairs), *verdicts.caveats)
    findings = MetricFindings(
        metrics=panel.names,
        human=panel.human.name,
        taken=taken,
        draws=draws,
        test=verdicts.test,
        tails=_without_ties(verdicts.tails, panel.names, measure, caveats),
        caveats=caveats,
        systems=Systems(names=panel.human.systems, human_mean=human_mean, metric_mean=metric_mean),
        n_systems=panel.human.n_systems,
        n_segments=panel.human.n_segments,
        data=panel.digest,
        n_drawn=request.drawn.n_units,
        unit_note=unit_sentence(panel.human, request, measure, verdicts.test),
        lower_is_better=panel.lower_is_better,
        resample=None if options.resample == "both" else options.resample,
        notes=(
            *panel.notes,
            *taken.notes,
            *about_undefined(panel.names, taken.value),
            *about_gaps(panel),
            *_about_intervals(draws, measure),
            *verdicts.notes,
        ),
    )
    return meta_evaluation(findings, measure, resampling, significance)


def taken_and_drawn(
    panel: Panel, measure: Measure, request: MeasureRequest, significance: SignificanceOptions
) -> tuple[MeasuredMetrics, FloatArray | None]:
    """Return the measure of every metric, and its bootstrap draws (b, k) if available."""
    if panel.is_systems_only and measure.level != "system":
        raise BetterThanError(
            Message(
                "{level} needs scores of segments, and these metrics have one score per system. Use "
                "{system}.",
                level=Option("level", measure.level),
                system=Option("level", "system"),
            )
        )
    taken = measure.take(panel, request)  # first, because its error names what is not available
    by_draws = significance.significance == "bootstrap" or isinstance(measure, OwnFunction)
    draws = None
    if significance.confidence is not None or by_draws:
        draws = bootstrap_draws(measure, panel, request, for_tests=by_draws)
    return taken, draws


def meta_evaluation(
    found: MetricFindings, measure: Measure, resampling: Resampling, significance: SignificanceOptions
) -> MetaEvaluation:
    """Sort the metrics best first and build the result."""
    value = found.taken.value
    order = np.argsort(shared_ranks(value), kind="stable")
    rank = shared_ranks(value)[order]
    comparisons = comparisons_of(_sorted_tails(found.tails, value, order), found.test, significance)
    different = comparisons.better
    low, high = _interval(found, measure, significance.confidence)
    low, high = (
        np.where(_rests_on_little(found.metrics, measure, found.caveats), np.nan, limit)
        for limit in (low, high)
    )
    means = found.systems.metric_mean
    return MetaEvaluation(
        level=measure.level,
        human=found.human,
        metrics=tuple(found.metrics[i] for i in order),
        value=value[order],
        low=low[order],
        high=high[order],
        confidence=np.nan if significance.confidence is None else significance.confidence,
        rank=rank,
        fuzzy_rank=fuzzy_ranks(rank, different | different.T),
        cluster=greedy_clusters(different),
        letters=letter_display(different | different.T).labels,
        comparisons=comparisons,
        threshold=None if found.taken.threshold is None else found.taken.threshold[order],
        systems=found.systems.names,
        human_mean=found.systems.human_mean,
        metric_mean=np.zeros((value.size, 0)) if means is None else means[order],
        human_pvalue=found.taken.human_pvalue,
        metric_pvalue=_sorted(found.taken.metric_pvalue, order),
        n_systems=found.n_systems,
        n_segments=found.n_segments,
        n_pairs=found.taken.n_pairs,
        notes=found.notes,
        settings=_settings(found, measure, resampling, comparisons, significance),
        part_names=found.part_names,
        part_value=_sorted(found.part_value, order),
        caveats=found.caveats,
        n_decided=None if found.taken.n_decided is None else found.taken.n_decided[order],
        units="segments" if found.drawn is None else "groups",
        unit_note=found.unit_note,
        lower_is_better=found.lower_is_better,
    )


def _without_ties(
    tails: SwapTails, names: tuple[str, ...], measure: Measure, caveats: tuple[Caveat, ...]
) -> SwapTails:
    """Leave metrics that tie nearly all pairs untested where ties do not count: their value rests on too few pairs."""
    return tails.without(_rests_on_little(names, measure, caveats))


def _rests_on_little(names: tuple[str, ...], measure: Measure, caveats: tuple[Caveat, ...]) -> BoolArray:
    tied = {name for one in caveats if one.code == "many_ties" for name in one.names}
    return np.array([measure.name == "tau_ties_ignored" and name in tied for name in names])


def _sorted_tails(tails: SwapTails, value: FloatArray, order: IntArray) -> SwapTails:
    """Return p-values in the order of the result, NaN for metrics without a value."""
    lost = np.isnan(value)

    def arranged(pvalue: FloatArray) -> FloatArray:
        return np.where(lost[:, None] | lost, np.nan, pvalue)[np.ix_(order, order)]

    step_down = None if tails.step_down is None else arranged(tails.step_down)
    return SwapTails(arranged(tails.upper), arranged(tails.two_sided), step_down)


def _sorted(values: FloatArray | None, order: IntArray) -> FloatArray | None:
    return None if values is None else values[order]


def unit_choice(significance: SignificanceOptions) -> UnitChoice:
    """Return the requested unit; the shared tasks use single segments."""
    return (
        "segments"
        if significance.units == "auto" and significance.alternative == "wmt"
        else significance.units
    )


def unit_sentence(human: Scores, request: MeasureRequest, measure: Measure, test: str) -> str:
    """Return notes on what is resampled by document, where documents are known, and what is not."""
    about = unit_note(human, request.drawn)
    if not about or request.drawn.are_segments or not request.units.are_segments:
        return about
    if isinstance(measure, SoftPairwiseAccuracy):
        about += " The p-values in soft pairwise accuracy permute single segments, as published."
    if test in SWAPS and measure.level != "system" and not isinstance(measure, TieTau):
        about += " Metrics are compared by swapping single segments."
    return about


def about_undefined(names: tuple[str, ...], value: FloatArray) -> tuple[str, ...]:
    """Return a note on metrics without a value."""
    lost = [name for name, one in zip(names, value, strict=True) if np.isnan(one)]
    if not lost:
        return ()
    return (f"Not defined, because all scores that would be compared are equal or missing: {some_of(lost)}.",)


def about_gaps(panel: Panel) -> tuple[str, ...]:
    """Return a note on the coverage of the human scores, if incomplete."""
    if panel.is_systems_only or panel.is_complete:
        return ()
    judged = panel.judged.astype(np.float64)
    shared = (judged @ judged.T)[np.triu_indices(len(judged), 1)]
    said = (
        f"Human scores cover {panel.judged.sum():,} of {panel.judged.size:,} cells; pairs of systems share "
        f"{int(shared.min()):,} to {int(shared.max()):,} segments."
    )
    return (said,)


def _about_intervals(draws: FloatArray | None, measure: Measure) -> tuple[str, ...]:
    if isinstance(measure, AccuracyWithTies) and draws is not None:
        return (method_note("Intervals keep each metric's threshold at its value for the full data."),)
    return ()


def _settings(
    found: MetricFindings,
    measure: Measure,
    resampling: Resampling,
    comparisons: MetricComparisons,
    significance: SignificanceOptions,
) -> Settings:
    is_sampled = found.test in (*SWAPS, "bootstrap")
    return Settings(
        method=measure.name,
        options={
            "level": measure.level,
            **found.taken.options,
            **found.options,
            "metrics": len(found.metrics),
            "resample": found.resample,
            "units": None if significance.units in ("auto", "segments") else significance.units,
            "drawn": found.drawn,
            "significance": f"{found.test},{resampling.n_resamples}" if is_sampled else found.test,
            "alternative": None if found.test == "none" else comparisons.alternative,
            "adjust": None
            if found.test == "none" or comparisons.correction == "none"
            else comparisons.correction,
            "alpha": significance.alpha,
            "ci": _interval_option(found.draws, significance.confidence),
        },
        data=found.data,
        seed=resampling.seed if found.draws is not None or is_sampled or found.taken.drew else None,
        n_systems=found.n_systems,
        n_segments=found.n_segments,
    )


def _interval_option(draws: FloatArray | None, confidence: float | None) -> str | None:
    return None if draws is None or confidence is None else f"{100 * confidence:g},centred-boot,{len(draws)}"


def _interval(
    found: MetricFindings, measure: Measure, confidence: float | None
) -> tuple[FloatArray, FloatArray]:
    """Return confidence limits for the expected value on test sets of this size, with these systems."""
    value = found.taken.value
    if found.draws is None or confidence is None:
        return np.full(value.size, np.nan), np.full(value.size, np.nan)
    low, high = centred_percentile_interval(found.draws, value, confidence, found.n_drawn)
    if isinstance(measure, OwnFunction):
        return low, high
    least = 0.0 if measure.name.endswith("accuracy") or measure.name == "accuracy_with_ties" else -1.0
    return np.maximum(low, least), np.minimum(high, 1.0)
