"""Measures at the segment level: grouped correlations, accuracy with ties, the taus of relative rankings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from betterthan.analysis.meta.inputs import Panel
from betterthan.analysis.meta.measures import MeasuredMetrics, MeasureLevel, MeasureOptions, MeasureRequest
from betterthan.analysis.resampling import drawn_segments
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.correlation import Grouped, grouped
from betterthan.kernels.agreement.tau_tables import match_tables_per_segment, pair_tables_per_segment, tau
from betterthan.kernels.agreement.tie_calibration import accuracy_at, calibrated_accuracy
from betterthan.messages import Message, Option

UserFunction = Callable[[FloatArray, FloatArray], float]
_GROUPS = {"segment": "segments", "within_system": "systems", "global": "tables"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentCoefficient:
    """Correlation within each group of scores, averaged over the groups where it is defined."""

    name: str
    level: MeasureLevel

    @property
    def is_redone(self) -> bool:
        """Whether every bootstrap sample needs a full recomputation."""
        return self.level != "segment"

    def take(self, panel: Panel, request: MeasureRequest) -> MeasuredMetrics:  # noqa: ARG002  (all measures are asked alike)
        """Return the average correlation of every metric."""
        found = self.of_metrics(panel)
        return MeasuredMetrics(
            value=np.array([one.value for one in found]),
            n_pairs=n_pairs_on_segments(panel),
            notes=_undefined(found[0], found, self),
        )

    def of_metrics(self, panel: Panel) -> list[Grouped]:
        """Return the correlations of every group, metric by metric."""
        human = panel.human_goodness
        return [grouped(self.name, metric, human, self.level) for metric in panel.segment_scores()]  # type: ignore[arg-type]  # one of the known names

    def has_draws(self, panel: Panel) -> bool:  # noqa: ARG002  (all measures are asked alike)
        """Every bootstrap sample has a value."""
        return True

    def draws(self, panel: Panel, options: MeasureOptions, weights: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the average correlation in bootstrap samples of segments."""
        if self.level == "segment":
            return weighted_averages(np.stack([one.per_group for one in self.of_metrics(panel)]), weights)
        return _redone(
            lambda metric, human: grouped(self.name, metric, human, self.level).value,  # type: ignore[arg-type]
            panel,
            weights,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyWithTies:
    """Share of pairs on which human and metric scores agree, with a calibrated tie threshold for each metric [1].

    .. [1] Deutsch, Foster and Freitag (2023), Ties matter: meta-evaluating modern metrics with pairwise accuracy and
       tie calibration, EMNLP.
    """

    level: MeasureLevel
    name: str = field(default="accuracy_with_ties", init=False)
    is_redone: bool = field(default=False, init=False)

    def take(self, panel: Panel, request: MeasureRequest) -> MeasuredMetrics:  # noqa: ARG002
        """Return the accuracy and the threshold of every metric."""
        human = panel.human_goodness
        found = [calibrated_accuracy(metric, human, self.level) for metric in panel.segment_scores()]
        empty = found[0].n_empty
        said = f"{empty} of {empty + found[0].n_groups} {_GROUPS[self.level]} have no pair to compare and are not used."
        return MeasuredMetrics(
            value=np.array([one.accuracy for one in found]),
            threshold=np.array([one.threshold for one in found]),
            n_pairs=found[0].n_pairs,
            notes=(said,) if empty else (),
        )

    def per_group(self, panel: Panel) -> FloatArray:
        """Return the accuracy of each group (k, g) at each metric's own threshold."""
        human = panel.human_goodness
        scores = panel.segment_scores()
        thresholds = [calibrated_accuracy(metric, human, self.level).threshold for metric in scores]
        return np.stack(
            [
                accuracy_at(metric, human, 0.0 if np.isnan(e) else e, self.level)[1]
                for metric, e in zip(scores, thresholds, strict=True)
            ]
        )

    def has_draws(self, panel: Panel) -> bool:  # noqa: ARG002  (all measures are asked alike)
        """Only averages over segments can be resampled without calibrating again."""
        return self.level == "segment"

    def draws(self, panel: Panel, options: MeasureOptions, weights: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the accuracy in bootstrap samples of segments; thresholds stay at their values for the full data."""
        return weighted_averages(self.per_group(panel), weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class TieTau:
    """Kendall's tau over pairs of systems on the same segment, with one of the treatments of ties of [1].

    .. [1] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT;
       tables 4 and 5.
    """

    name: str
    level: MeasureLevel = field(default="segment", init=False)
    is_redone: bool = field(default=False, init=False)

    def take(self, panel: Panel, request: MeasureRequest) -> MeasuredMetrics:
        """Return the tau of every metric over the same pairs."""
        tables = self.tables(panel, request.options).sum(axis=1)
        kept = tables[0].sum() if self.name == "tau_human_ties" else tables[0].sum() - tables[0, 1].sum()
        return MeasuredMetrics(
            value=np.asarray(tau(tables, self.name)),  # type: ignore[arg-type]  # one of the known rules
            n_pairs=int(kept),
            n_decided=kept - tables[:, :, 1].sum(axis=1)
            if self.name == "tau_human_ties"
            else tables[:, ::2, ::2].sum(axis=(1, 2)),
            options={
                "margin": request.options.margin,
                "metric_margin": request.options.metric_margin or None,
            },
            notes=_about_human_ties(tables[0], request.options.margin, is_kept=self.name == "tau_human_ties"),
        )

    def tables(self, panel: Panel, options: MeasureOptions) -> IntArray:
        """Return pair counts (k, n, 3, 3): human <, =, > by metric <, =, >."""
        if panel.pairs is not None:
            return np.stack(
                [
                    match_tables_per_segment(metric, *panel.pairs, metric_margin=options.metric_margin)
                    for metric in panel.segment_scores()
                ]
            )
        human = panel.human_goodness
        return np.stack(
            [
                pair_tables_per_segment(
                    metric,
                    human,
                    margin=options.margin,
                    metric_margin=options.metric_margin,
                    same_output=_same_texts(panel.same_text),
                )
                for metric in panel.segment_scores()
            ]
        )

    def has_draws(self, panel: Panel) -> bool:  # noqa: ARG002  (all measures are asked alike)
        """Every bootstrap sample has a value."""
        return True

    def draws(self, panel: Panel, options: MeasureOptions, weights: FloatArray) -> FloatArray:
        """Return tau in bootstrap samples of segments."""
        tables = self.tables(panel, options)
        k, n = tables.shape[:2]
        flat = tables.transpose(1, 0, 2, 3).reshape(n, k * 9).astype(np.float64)
        return np.asarray(tau((weights @ flat).reshape(len(weights), k, 3, 3), self.name))  # type: ignore[arg-type]


def _same_texts(code: IntArray | None) -> Callable[[IntArray, IntArray], BoolArray] | None:
    """Return whether pairs of systems wrote the same, from codes of outputs; None where texts are not known."""
    if code is None:
        return None

    def same(first: IntArray, second: IntArray) -> BoolArray:
        return np.asarray((code[first] == code[second]) & (code[first] >= 0))

    return same


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFunction:
    """User-defined measure of a metric's scores (m, n) and human scores (m, n), NaN where not judged."""

    function: UserFunction
    level: MeasureLevel
    is_redone: bool = field(default=True, init=False)

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.function, "__name__", "function")

    def take(self, panel: Panel, request: MeasureRequest) -> MeasuredMetrics:  # noqa: ARG002
        """Return the function of every metric."""
        if panel.is_systems_only:
            raise BetterThanError(
                Message(
                    "{name} needs scores of segments, and these metrics have one score per system. Use a "
                    "measure of system scores, such as {by}.",
                    name=self.name,
                    by=Option("by", "pearson"),
                )
            )
        human = panel.human_goodness
        value = [self._value(metric, human) for metric in panel.segment_scores()]
        return MeasuredMetrics(value=np.array(value), n_pairs=n_pairs_on_segments(panel))

    def _value(self, metric: FloatArray, human: FloatArray) -> float:
        value = self.function(metric, human)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise BetterThanError(
                f"{self.name} must return one number for a metric's scores and human scores, not {value!r:.80}."
            ) from None

    def has_draws(self, panel: Panel) -> bool:  # noqa: ARG002  (all measures are asked alike)
        """Every bootstrap sample has a value."""
        return True

    def draws(self, panel: Panel, options: MeasureOptions, weights: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the function in bootstrap samples of segments."""
        return _redone(self._value, panel, weights)


def weighted_averages(per_group: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted average over groups (k, g) with `weights` (b, g), skipping undefined ones: (b, k)."""
    defined = ~np.isnan(per_group)
    total = weights @ np.where(defined, per_group, 0.0).T
    count = weights @ defined.T.astype(np.float64)
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


def _redone(value: UserFunction, panel: Panel, weights: FloatArray) -> FloatArray:
    """Recompute the measure on the segments of each bootstrap sample."""
    human, scores = panel.human_goodness, panel.segment_scores()
    samples = [drawn_segments(row) for row in weights]
    return np.array([[value(metric[:, drawn], human[:, drawn]) for metric in scores] for drawn in samples])


def n_pairs_on_segments(panel: Panel) -> int:
    """Count pairs of systems judged on the same segment."""
    judged = panel.judged.sum(axis=0)
    return int((judged * (judged - 1) // 2).sum())


def _undefined(first: Grouped, found: list[Grouped], measure: SegmentCoefficient) -> tuple[str, ...]:
    if measure.level == "global" or not any(one.n_undefined for one in found):
        return ()
    counts = sorted({one.n_undefined for one in found})
    of = first.n_groups + first.n_undefined
    many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    groups = _GROUPS[measure.level]
    said = f"{many} of {of} {groups} are not used: a correlation needs two or more different scores."
    return (said,)


def _about_human_ties(table: IntArray, margin: float, *, is_kept: bool) -> tuple[str, ...]:
    tied, pairs = int(table[1].sum()), int(table.sum())
    what = f"closer than {margin:g}" if margin > 0 else "equal"
    fate = "count as ties" if is_kept else "do not count"
    return (f"{tied:,} of {pairs:,} pairs with human scores {what} {fate}.",) if tied else ()
