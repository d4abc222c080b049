"""Many tasks, metrics and runs: boards, trade-offs, how a system changes in every metric or task, and factors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from betterthan.analysis.board.board import board
from betterthan.analysis.compare.compare import compare
from betterthan.analysis.tradeoffs.tradeoffs import tradeoffs
from betterthan.errors import BetterThanError
from betterthan.present.numbers import digits_for, interval, number
from betterthan.present.table import Table, TableColumn
from betterthan.present.tables.describe import describe
from betterthan.report.document import Bullets, Paragraph, Section, TableBlock, csv_of_result
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.inputs import Inputs
from betterthan.report.wording import count, page_table, plural
from betterthan.results.tasks import Board, Factors, MetricPair, Tradeoffs, Variation
from betterthan.tables.scores import Scores


def are_tasks(inputs: Inputs) -> bool:
    """Whether there are several tables, and they are about different items: tasks, not metrics of the same answers."""
    return len({table.segments for table in inputs.metrics.values()}) > 1


def over_tasks(inputs: Inputs) -> Board | None:
    """Rank the systems over all tasks, by mean win rate where lower is better on some only.

    None for two systems, whose tasks have a section of their own, and where tasks cannot be combined.
    """
    if not are_tasks(inputs) or inputs.scores.n_systems == 2:
        return None
    tables = list(inputs.metrics.values())
    options: dict[str, Any] = {key: inputs.options[key] for key in ("units", "rng") if key in inputs.options}
    if any(table.groups is None for table in tables):
        options.pop("units", None)
    is_mixed = len({table.higher_is_better for table in tables}) > 1
    try:
        return board(
            tables,
            by="mean_win_rate" if is_mixed else "mean",
            missing="drop",
            **options,
            **inputs.computing(),
        )
    except BetterThanError:
        return None


def board_section(result: Board) -> Section:
    """Return the table of all systems with both kinds of intervals."""
    shown = describe(result)
    table = TableBlock(
        key="board-table",
        table=page_table(replace(shown, verdict=())),
        csv=csv_of_result(result),
        words=True,
    )
    return Section(
        key="board",
        title="Which system is best over all tasks?",
        menu="All tasks",
        lead=shown.verdict[0],
        blocks=(*([Bullets(shown.verdict[1:])] if shown.verdict[1:] else []), table),
    )


def all_metrics(inputs: Inputs) -> Tradeoffs | None:
    """Compare the systems by every metric that has scores of all of them; None with fewer than two such metrics.

    Of two systems, differences are the later one minus the earlier.
    """
    systems = inputs.scores.systems
    tables = {name: table for name, table in inputs.metrics.items() if set(systems) <= set(table.systems)}
    options: dict[str, Any] = {key: inputs.options[key] for key in ("units", "rng") if key in inputs.options}
    if any(table.groups is None for table in tables.values()):
        options.pop("units", None)
    options |= inputs.computing()
    for _ in range(2):
        if len(tables) < 2:
            return None
        try:
            return tradeoffs(tables, systems=systems, missing="drop", **options)
        except BetterThanError:
            tables = {name: table for name, table in tables.items() if _is_comparable(table)}
    return None


def _is_comparable(table: Scores) -> bool:
    try:
        compare(table, missing="drop")
    except BetterThanError:
        return False
    return True


def tradeoffs_section(result: Tradeoffs) -> Section | None:
    """Return the table of all systems; None for two systems, which have a section of their own."""
    if len(result.systems) == 2:
        return None
    shown = describe(result)
    table = TableBlock(
        key="tradeoffs-table",
        table=page_table(replace(shown, verdict=())),
        csv=csv_of_result(result),
        words=True,
    )
    return Section(
        key="tradeoffs",
        title="Which systems are the best trade-offs of the metrics?",
        menu="Trade-offs",
        lead=shown.verdict[-1],
        blocks=(*([Bullets(shown.verdict[:-1])] if shown.verdict[1:] else []), table),
    )


_ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChange:
    """A pair of systems by one metric: both means, their difference, and its p-value adjusted for all metrics."""

    metric: str
    higher_is_better: bool
    n_segments: int
    mean_a: float
    mean_b: float
    pair: MetricPair

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant after adjustment for all metrics."""
        return self.pair.adjusted <= _ALPHA


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChanges:
    """A pair of systems by every metric that has scores of both."""

    a: str
    b: str
    changes: tuple[MetricChange, ...]
    left_out: tuple[str, ...]
    n_tests: int

    @property
    def summary(self) -> str:
        """How many metrics go up and down, and how many of them significantly."""
        better = [change for change in self.changes if change.pair.effect > 0]
        worse = [change for change in self.changes if change.pair.effect < 0]
        n = len(self.changes)
        equal = n - len(better) - len(worse)
        parts = [_counted("better", better), _counted("worse", worse)]
        parts += [f"equal by {count(equal)}"] if equal else []
        *first, last = [part for part in parts if part]
        listed = f"{', '.join(first)} and {last}" if first else last
        of = f"Of {n} metrics, {self.a} compared with {self.b} is"
        return f"{of} {listed}, at level {_ALPHA:g} after Holm's adjustment."

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


def metric_changes(result: Tradeoffs, inputs: Inputs, top: tuple[str, str]) -> MetricChanges:
    """Return how the best two compare by every metric; of two systems the later with the earlier.

    P-values are adjusted as in the comparison of all systems by all metrics.
    """
    systems = inputs.scores.systems
    a, b = (systems[1], systems[0]) if len(systems) == 2 else top
    at = {name: i for i, name in enumerate(result.systems)}
    changes = tuple(
        MetricChange(
            metric=metric,
            higher_is_better=result.higher_is_better[k],
            n_segments=int(result.segments[k]),
            mean_a=float(result.score[k, at[a]]),
            mean_b=float(result.score[k, at[b]]),
            pair=result.pair(metric, a, b),
        )
        for k, metric in enumerate(result.metrics)
    )
    left_out = tuple(name for name in inputs.metrics if name not in result.metrics)
    return MetricChanges(a=a, b=b, changes=changes, left_out=left_out, n_tests=result.n_tests)


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
            f"also adjusted for all {result.n_tests:,} comparisons by all metrics (Holm)."
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


def _unit(pair: MetricPair) -> float:
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
        pair.adjusted,
        "" if not change.is_significant else "better *" if pair.effect > 0 else "worse *",
    )


def variation_section(result: Variation) -> Section:
    """Return the share of each source, and what would make differences more precise."""
    table = TableBlock(
        key="variation-table", table=page_table(describe(result)), csv=csv_of_result(result), words=True
    )
    return Section(
        key="variation",
        title="More runs or more items?",
        menu="Variation",
        lead="Share of each source in the variance of a single score.",
        blocks=(table,),
    )


def factors_section(result: Factors) -> Section:
    """Return the effects of all factors and their interactions."""
    shown = describe(result)
    table = TableBlock(key="factors-table", table=page_table(shown), csv=csv_of_result(result), words=True)
    return Section(
        key="factors",
        title="What each factor does",
        menu="Factors",
        lead=" ".join(shown.verdict),
        blocks=(table,),
    )
