"""Systems by several metrics as a table: a row per system, or, against a baseline, a row per metric and system."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betterthan.arrays import IntArray
from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import best_sentence, shows_letters, some_names
from betterthan.present.tables.together import MOST_WITH_INTERVALS, by_each
from betterthan.results.tradeoffs import MetricScore, Tradeoffs
from betterthan.results.units import unit_line

_Body = tuple[list[TableColumn], list[tuple[TableCell, ...]], frozenset[int]]
_MOST_BESIDE = 6
"""With more metrics each has a row instead of columns."""
_FRONT = {(True, True): "yes", (True, False): "yes", (False, True): "maybe", (False, False): "no"}


class _ByMetric(NamedTuple):
    """Which ranks are possible by one metric."""

    systems: tuple[str, ...]
    rank_low: IntArray
    rank_high: IntArray


def tradeoffs_table(result: Tradeoffs) -> Table:
    """Return the table: with a baseline a row per metric and system, otherwise a row per system."""
    if len(result.systems) == 2:
        columns, rows, rules = _two(result)
    elif result.baseline:
        columns, rows, rules = _against(result)
    elif len(result.metrics) <= _MOST_BESIDE:
        columns, rows, rules = _beside(result)
    else:
        columns, rows, rules = _below(result)
    return Table(
        title=_title(result),
        columns=tuple(columns),
        rows=tuple(rows),
        rules=rules,
        verdict=(*([result.undecidable] if result.undecidable else []), *_by_metric(result), *_front(result)),
        unit=unit_line(result.unit_note, result.units),
        legend=_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _title(result: Tradeoffs) -> str:
    shown = [
        name if is_higher else f"{name} (lower is better)"
        for name, is_higher in zip(result.metrics, result.higher_is_better, strict=True)
    ]
    named = ", ".join(shown) if len(shown) <= 6 else f"{len(shown)} metrics"
    sizes = sorted(set(result.segments.tolist()))
    n = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    against = f", compared with {result.baseline}" if result.baseline else ""
    return f"{len(result.systems)} systems by {named}, {n} segments{against}"


def _digits(result: Tradeoffs, k: int) -> int:
    return digits_for((result.high[k] - result.low[k]) / 2, result.score[k])


def _beside(result: Tradeoffs) -> _Body:
    """Return one row per system, with the score and group of each metric."""
    columns = [TableColumn(heading="system")]
    cells: list[list[TableCell]] = [[name] for name in result.systems]
    has_groups = shows_letters(result.letters[0])
    with_intervals = len(result.metrics) <= MOST_WITH_INTERVALS
    for k, metric in enumerate(result.metrics):
        digits = _digits(result, k)
        columns.append(TableColumn(heading=metric, kind="number", digits=digits))
        if with_intervals:
            columns.append(
                TableColumn(
                    heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits, spare=2
                )
            )
        if has_groups:
            columns.append(TableColumn(heading="group", spare=1))
        for s, row in enumerate(cells):
            row.append(float(result.score[k, s]))
            if with_intervals:
                row.append((float(result.low[k, s]), float(result.high[k, s])))
            if has_groups:
                row.append(result.letters[k][s])
    columns.append(TableColumn(heading="front"))
    for s, row in enumerate(cells):
        row.append(_FRONT[bool(result.on_front[s]), bool(result.may_be_on_front[s])])
    return columns, list(map(tuple, cells)), frozenset()


def _below(result: Tradeoffs) -> _Body:
    """Return one row per metric: the best system, its score, and which systems may be the best."""
    columns = [
        TableColumn(heading="metric"),
        TableColumn(heading="best system"),
        TableColumn(heading="score", kind="count"),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="count", spare=1),
        TableColumn(heading="may be the best"),
    ]
    rows: list[tuple[TableCell, ...]] = []
    for k in range(len(result.metrics)):
        order = np.argsort(result.rank[k], kind="stable").tolist()
        digits = _digits(result, k)
        best = order[0]
        rows.append(
            (
                _directed(result, k),
                result.systems[best],
                number(float(result.score[k, best]), digits),
                interval(float(result.low[k, best]), float(result.high[k, best]), digits),
                some_names([result.systems[i] for i in order if result.rank_low[k, i] == 1]),
            )
        )
    return columns, rows, frozenset()


def _two(result: Tradeoffs) -> _Body:
    """Return one row per metric: both scores, the difference, its interval and p-value."""
    base, other = result.baseline, next(name for name in result.systems if name != result.baseline)
    columns = [
        TableColumn(heading="metric"),
        TableColumn(heading=base, kind="count"),
        TableColumn(heading=other, kind="count"),
        *_difference_columns(result),
    ]
    by_name = {(row.metric, row.system): row for row in result}
    rows: list[tuple[TableCell, ...]] = []
    for k, metric in enumerate(result.metrics):
        digits, row = _digits(result, k), by_name[metric, other]
        scores = [number(by_name[metric, name].score, digits) for name in (base, other)]
        rows.append((_directed(result, k), *scores, *_difference(row, digits)))
    return columns, rows, frozenset()


def _against(result: Tradeoffs) -> _Body:
    """Return for each metric the baseline, and every other system with its difference from it."""
    columns = [
        TableColumn(heading="metric"),
        TableColumn(heading="system"),
        TableColumn(heading="score", kind="count"),
        *_difference_columns(result),
    ]
    rows: list[tuple[TableCell, ...]] = []
    rules = set()
    listed = list(result)
    m = len(result.systems)
    for k in range(len(result.metrics)):
        digits = _digits(result, k)
        of_metric = listed[k * m : (k + 1) * m]
        base = next(row for row in of_metric if row.system == result.baseline)
        rows.append((_directed(result, k), base.system, number(base.score, digits), "baseline", "", "", ""))
        others = sorted((row for row in of_metric if row is not base), key=lambda row: row.rank)
        rows += [("", row.system, number(row.score, digits), *_difference(row, digits)) for row in others]
        rules.add(len(rows) - 1)
    return columns, rows, frozenset(rules)


def _directed(result: Tradeoffs, k: int) -> str:
    return result.metrics[k] if result.higher_is_better[k] else f"{result.metrics[k]} (lower is better)"


def _difference_columns(result: Tradeoffs) -> list[TableColumn]:
    return [
        TableColumn(heading="difference", kind="count"),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="count"),
        TableColumn(heading="p adjusted", kind="pvalue"),
        TableColumn(heading="verdict"),
    ]


def _difference(row: MetricScore, digits: int) -> tuple[TableCell, ...]:
    """Return the difference from the baseline with its interval, p-value and verdict."""
    gain, low, high = (
        math.nan if value is None else value
        for value in (row.difference, row.difference_low, row.difference_high)
    )
    verdict = (
        "not significant" if row.verdict is None else "better *" if row.verdict == row.system else "worse *"
    )
    return (number(gain, digits), interval(low, high, digits), row.adjusted, verdict)


def _by_metric(result: Tradeoffs) -> tuple[str, ...]:
    """Say what each metric says; metrics that say the same share a sentence."""
    if result.undecidable or (len(result.metrics) > _MOST_BESIDE and not result.baseline):
        return ()
    sentences = []
    for metric in result.metrics:
        if result.baseline:
            sentences.append(_baseline_sentence(result, metric))
            continue
        k = result.metrics.index(metric)
        order = np.argsort(result.rank[k], kind="stable")
        names = tuple(result.systems[i] for i in order)
        sentences.append(
            best_sentence(
                _ByMetric(names, result.rank_low[k][order], result.rank_high[k][order]), result.alpha
            )
        )
    return by_each(result.metrics, sentences)


def _family(result: Tradeoffs) -> str:
    return f"{result.n_tests:,} comparisons of {len(result.metrics)} metrics"


def _baseline_sentence(result: Tradeoffs, metric: str) -> str:
    others = [name for name in result.systems if name != result.baseline]
    verdicts = {name: result.pair(metric, name, result.baseline).verdict for name in others}
    groups = {
        "significantly better than": [name for name, winner in verdicts.items() if winner == name],
        "significantly worse than": [name for name, winner in verdicts.items() if winner == result.baseline],
        "not significantly different from": [name for name, winner in verdicts.items() if winner is None],
    }
    parts = [
        f"{some_names(names)} {'is' if len(names) == 1 else 'are'} {what} {result.baseline}"
        for what, names in groups.items()
        if names
    ]
    is_found = any(verdict is not None for verdict in verdicts.values())
    return f"{'; '.join(parts)} ({'p ≤' if is_found else 'level'} {result.alpha:.3g})."


def _front(result: Tradeoffs) -> tuple[str, ...]:
    """Say which systems are the best trade-offs, and which certainly are not."""
    front = result.front
    m, k = len(result.systems), len(result.metrics)
    both = "both metrics" if k == 2 else f"all {k} metrics"
    if m == 2:
        if len(front) == 2:
            equal = not np.any(np.abs(result.effect) > 0)
            return (
                f"{result.systems[0]} and {result.systems[1]} have equal scores by {both}."
                if equal
                else f"Each of the two has the better score by some metric.{_sides(result)}",
            )
        other = next(name for name in result.systems if name not in front)
        return (f"{front[0]} is at least as good as {other} by {both}.{_sure(result)}",)
    if len(front) == m:
        return (f"Pareto front: all {m} systems; none is as good as another by {both} and better by one.",)
    if len(front) == 1:
        return (
            f"Pareto front: {front[0]} alone, which is at least as good as every other by {both}.{_sure(result)}",
        )
    matched = "at least as good as each of the others"
    return (f"Pareto front: {some_names(front)}; one of these is {matched} by {both}.{_sure(result)}",)


def _sides(result: Tradeoffs) -> str:
    """Say whether the significant differences between two systems favor one of them only."""
    first, second = result.systems
    winners = {result.pair(metric, first, second).verdict for metric in result.metrics} - {None}
    if len(winners) == 2:
        return " Both have significant leads."
    if winners:
        return f" All significant differences favor {winners.pop()}."
    return " No difference is significant."


def _sure(result: Tradeoffs) -> str:
    """Say which systems are significantly dominated."""
    out = [name for name, may in zip(result.systems, result.may_be_on_front, strict=True) if not may]
    rest = int((result.may_be_on_front & ~result.on_front).sum())
    level = f"p ≤ {result.alpha:.3g}"
    if not out:
        return f" No system is significantly worse than another by every metric (level {result.alpha:.3g})."
    more = f"; the other {rest} may be on it" if rest > 1 else "; the other one may be on it" if rest else ""
    verb = "is" if len(out) == 1 else "are"
    other = "another system" if len(result.systems) > 2 else next(n for n in result.systems if n not in out)
    return f" {some_names(out)} {verb} significantly worse than {other} by every metric ({level}){more}."


def _legend(result: Tradeoffs) -> str:
    star = f"* p ≤ {result.alpha:g}, Holm-adjusted for {_family(result)}"
    if result.baseline:
        return f"{star}; difference: from {result.baseline}."
    if len(result.metrics) > _MOST_BESIDE:
        how = f"p ≤ {result.alpha:g}, Holm-adjusted for {_family(result)}"
        return f"May be the best: not significantly worse than another ({how})."
    shared = "Systems that share a letter do not differ significantly by that metric; "
    letters = shared if shows_letters(result.letters[0]) else ""
    front = (
        "front: no system is as good by all metrics and better by one (yes), or none significantly (maybe)."
    )
    text = f"{letters}{front}"
    return f"{text[0].upper()}{text[1:]} P-values are Holm-adjusted for {_family(result)}."
