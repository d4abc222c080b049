"""Every metric or task of the data: how one system changes against another in each of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from betterthan.analysis.compare.compare import compare
from betterthan.errors import BetterThanError
from betterthan.present.numbers import digits_for, interval, number
from betterthan.present.table import Table, TableColumn
from betterthan.report.document import Paragraph, Section, TableBlock
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.inputs import Inputs
from betterthan.report.wording import count, plural
from betterthan.results.pairwise import Pair

_ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChange:
    """A pair of systems by one metric: both means, their difference, and its p-value adjusted for all metrics."""

    metric: str
    higher_is_better: bool
    n_segments: int
    mean_a: float
    mean_b: float
    pair: Pair
    adjusted: float

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant after adjustment for all metrics."""
        return self.adjusted <= _ALPHA


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChanges:
    """A pair of systems by every metric that has scores of both."""

    a: str
    b: str
    changes: tuple[MetricChange, ...]
    left_out: tuple[str, ...]

    @property
    def summary(self) -> str:
        """How many metrics go up and down, and how many of them significantly."""
        better = [change for change in self.changes if change.pair.effect > 0]
        worse = [change for change in self.changes if change.pair.effect < 0]
        n = len(self.changes)
        equal = n - len(better) - len(worse)
        parts = [_counted(f"{self.a} is better", better), _counted(f"{self.b} is better", worse)]
        parts += [f"the two are equal by {count(equal)}"] if equal else []
        *first, last = [part for part in parts if part]
        listed = f"{', '.join(first)} and {last}" if first else last
        return f"Of {n} metrics, {listed}, at level {_ALPHA:g} after Holm's adjustment."

    @property
    def headline(self) -> str:
        """On how many metrics the first of the two is better, in a few words."""
        n, n_better = len(self.changes), sum(change.pair.effect > 0 for change in self.changes)
        sure = [change.pair.effect > 0 for change in self.changes if change.is_significant]
        start = f"{self.a} is better than {self.b} by {n_better} of {n} metrics"
        if not sure:
            return f"{start}, none significantly."
        if all(sure):
            return f"{start}, {'all' if len(sure) == n_better else count(len(sure))} significantly."
        worse = sum(not is_better for is_better in sure)
        return f"{start}; significantly better by {count(len(sure) - worse)} and worse by {count(worse)}."


def _counted(word: str, changes: list[MetricChange]) -> str:
    if not changes:
        return ""
    n = sum(change.is_significant for change in changes)
    sure = (
        "all significantly"
        if n == len(changes) > 1
        else f"{count(n)} significantly"
        if n
        else "none significantly"
    )
    if len(changes) == 1:
        sure = "significantly" if n else "not significantly"
    return f"{word} by {len(changes)} ({sure})"


def metric_changes(inputs: Inputs, a: str, b: str) -> MetricChanges | None:
    """Return how `a` compares with `b` by every metric; None where fewer than two metrics have both systems."""
    tested, left_out = [], []
    options = {key: inputs.options[key] for key in ("units", "rng") if key in inputs.options}
    for name, scores in inputs.metrics.items():
        if not {a, b} <= set(scores.systems):
            left_out.append(name)
            continue
        both = scores.select([a, b])
        units = "segments" if scores.groups is None else options.get("units", "auto")
        try:
            tests = compare(both, missing="drop", **{**options, "units": units}, **inputs.computing())
            pair = tests.pair(a, b)
        except BetterThanError:
            left_out.append(name)
            continue
        means = both.complete(missing="drop").values.mean(axis=1)
        tested.append((name, scores, pair, means))
    if len(tested) < 2:
        return None
    holm = holm_adjusted([pair.pvalue for _, _, pair, _ in tested])
    changes = tuple(
        MetricChange(
            metric=name,
            higher_is_better=scores.higher_is_better,
            n_segments=int(pair.wins + pair.ties + pair.losses),
            mean_a=float(means[0]),
            mean_b=float(means[1]),
            pair=pair,
            adjusted=float(p),
        )
        for (name, scores, pair, means), p in zip(tested, holm, strict=True)
    )
    return MetricChanges(a=a, b=b, changes=changes, left_out=tuple(left_out))


def holm_adjusted(pvalues: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's method; NaN is not counted.

    Examples
    --------
    >>> holm_adjusted([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted((i for i, p in enumerate(pvalues) if not math.isnan(p)), key=lambda i: pvalues[i])
    holm, largest = [math.nan] * len(pvalues), 0.0
    for k, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - k) * pvalues[i]))
        holm[i] = largest
    return holm


def every_metric_section(result: MetricChanges) -> Section:
    """Return one row per metric or task: both means, the difference, its interval and p-values."""
    a, b, changes = result.a, result.b, result.changes
    # In units of its own standard error, so that metrics on different scales can share one axis.
    numbers = [
        [getattr(change.pair, name) / _unit(change.pair) for change in changes]
        for name in ("effect", "low", "high")
    ]
    columns = (
        TableColumn(heading="metric"),
        TableColumn(heading="segments", kind="integer"),
        TableColumn(heading=b, kind="count"),
        TableColumn(heading=a, kind="count"),
        TableColumn(heading="difference", kind="count"),
        TableColumn(heading="95% CI", kind="count"),
        TableColumn(heading="p", kind="pvalue"),
        TableColumn(heading="p adjusted", kind="pvalue"),
        TableColumn(heading="verdict"),
    )
    block = TableBlock(
        key="every-metric",
        table=Table(
            title=f"{a} compared with {b} by every metric", columns=columns, rows=tuple(map(_row, changes))
        ),
        marks=interval_marks(*numbers, stressed=[change.is_significant for change in changes], zero=True),
        marks_heading=scale_heading(*numbers, zero=True),
    )
    notes = [
        (
            f"Differences are positive where {a} is better. The marks show them in quarters of the width of their "
            "intervals, about one standard error, so that metrics on different scales can be compared; p-values are "
            f"also adjusted for all {len(changes)} metrics (Holm)."
        )
    ]
    n = len(result.left_out)
    if n:
        notes.append(
            f"Not compared: {', '.join(result.left_out)} ({plural(n, 'it has', 'they have')} no scores of both)."
        )
    return Section(
        key="every-metric-section",
        title=f"{a} compared with {b}, by every metric",
        menu="Every metric",
        lead=result.summary,
        blocks=(block, *(Paragraph(note, "dim") for note in notes)),
    )


def _unit(pair: Pair) -> float:
    """Return a quarter of the interval's width, about one standard error."""
    width = pair.high - pair.low
    return width / 4 if width > 0 else 1.0


def _row(change: MetricChange) -> tuple[str | float | int, ...]:
    pair = change.pair
    digits = digits_for([(pair.high - pair.low) / 2], [change.mean_a, change.mean_b])
    return (
        f"{change.metric}{'' if change.higher_is_better else ' (lower is better)'}",
        change.n_segments,
        number(change.mean_b, digits),
        number(change.mean_a, digits),
        f"{'+' if pair.effect > 0 else ''}{number(pair.effect, digits)}",
        interval(pair.low, pair.high, digits),
        pair.pvalue,
        change.adjusted,
        "" if not change.is_significant else "better *" if pair.effect > 0 else "worse *",
    )
