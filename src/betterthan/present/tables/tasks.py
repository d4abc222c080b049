"""Tasks, metrics and runs as tables: a board, trade-offs between metrics, variance shares, and effects of factors.

A row is a system; a board of two systems has a row per task, and trade-offs against a baseline a row per metric and
system.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betterthan.arrays import IntArray
from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import best_sentence, rank_range, shows_letters, some_names
from betterthan.present.tables.together import MOST_WITH_INTERVALS, by_each
from betterthan.results.pairwise import equals_p
from betterthan.results.settings import unit_line
from betterthan.results.tasks import BOARD_METHODS, Board, Factors, MetricScore, Needed, Tradeoffs, Variation

_SHOWN_BESIDE = ("mean", "mean_win_rate", "average_rank")
"""Methods that have a column of their own where another one ranks."""
_PLURAL = {True: "tasks", False: "task"}


class _OnTheseTasks(NamedTuple):
    """Which ranks are possible for these tasks with other items."""

    systems: tuple[str, ...]
    rank_low: IntArray
    rank_high: IntArray


def board_table(result: Board) -> Table:
    """Return the table of a board: of two systems the tasks, of more the systems, best first."""
    tables = (_systems_table(result),)
    if not result.differences:
        return tables[0]
    return _tasks_table(result)


def _systems_table(result: Board) -> Table:
    digits = digits_for((result.high - result.low) / 2, result.strength)
    level = percent(result.confidence)
    columns = [
        TableColumn(heading="rank", kind="integer"),
        TableColumn(heading="rank range", kind="count"),
        TableColumn(heading="system"),
        TableColumn(heading=BOARD_METHODS[result.by], kind="number", digits=digits),
        TableColumn(heading=f"{level} CI, other tasks", kind="interval", digits=digits),
    ]
    if _has_item_limits(result):
        columns.append(
            TableColumn(heading=f"{level} CI, other items", kind="interval", digits=digits, spare=4)
        )
    columns.append(TableColumn(heading="tasks won", kind="number", digits=_won_digits(result), spare=1))
    beside = [method for method in _SHOWN_BESIDE if method != result.by and _is_known(result, method)]
    columns += [
        TableColumn(heading=BOARD_METHODS[method], kind="number", digits=_digits_of(result, method), spare=2)
        for method in beside
    ]
    if shows_letters(result.letters):
        columns.append(TableColumn(heading="group", spare=3))
    return Table(
        title=_board_title(result),
        columns=tuple(columns),
        rows=tuple(_board_row(result, i, beside) for i in range(len(result.systems))),
        rules=frozenset(i for i, c in enumerate(result.cluster[:-1]) if result.cluster[i + 1] != c),
        bold=frozenset((i, 2) for i, rank in enumerate(result.rank) if rank == 1),
        verdict=_board_verdict(result),
        words=(*_without(result), *_other_methods(result)),
        legend=_board_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _board_title(result: Board) -> str:
    items = f", {int(result.items.sum()):,} items" if result.knows_items else ""
    better = "higher" if result.higher_is_better else "lower"
    if result.by in ("mean", "iqm") and not any(result.task_higher_is_better):
        better = "lower"
    return f"Board of {len(result.tasks)} tasks{items}: {BOARD_METHODS[result.by]}, {better} is better"


def _has_item_limits(result: Board) -> bool:
    return bool(np.isfinite(result.item_low).any())


def _is_known(result: Board, method: str) -> bool:
    return bool(np.isfinite(result.others[method]).all())


def _digits_of(result: Board, method: str) -> int:
    values = result.others[method]
    if method == "mean_win_rate":
        return 2
    return 1 if method == "average_rank" else digits_for([float(np.ptp(values)) / 10], values)


def _won_digits(result: Board) -> int:
    return 0 if np.allclose(result.tasks_won, np.round(result.tasks_won)) else 1


def _board_row(result: Board, i: int, beside: list[str]) -> tuple[TableCell, ...]:
    cells: list[TableCell] = [
        int(result.rank[i]),
        rank_range(int(result.rank_low[i]), int(result.rank_high[i])),
        result.systems[i],
        float(result.strength[i]),
        (float(result.low[i]), float(result.high[i])),
    ]
    if _has_item_limits(result):
        cells.append((float(result.item_low[i]), float(result.item_high[i])))
    cells.append(float(result.tasks_won[i]))
    cells += [float(result.others[method][i]) for method in beside]
    return (*cells, result.letters[i]) if shows_letters(result.letters) else tuple(cells)


def _board_verdict(result: Board) -> tuple[str, ...]:
    """Answer for other tasks, then for these tasks where their items are known."""
    alpha = 1 - result.confidence
    over_tasks = result.undecidable or (
        "For other tasks like these: "
        + best_sentence(result, alpha, f"{len(result.tasks)} tasks, Holm-adjusted")
    )
    if not _has_item_limits(result):
        return (over_tasks,)
    here = _OnTheseTasks(result.systems, result.item_rank_low, result.item_rank_high)
    on_these = f"For these tasks with other items: {best_sentence(here, alpha, 'Holm-adjusted')}"
    return (on_these, over_tasks) if result.undecidable else (over_tasks, on_these)


def _without(result: Board) -> tuple[str, ...]:
    """Say whether the best system depends on a single task."""
    if not result.without or len(result.tasks) < 3:
        return ()
    leaders = {result.systems[i] for i, rank in enumerate(result.rank) if rank == 1}
    changing = [each for each in result.without if set(each.best) != leaders]
    if not changing:
        stays = "stays" if len(leaders) == 1 else "stay"
        return (f"{some_names(sorted(leaders))} {stays} first whichever task is left out.",)
    parts = [f"without {each.task}: {some_names(each.best)}" for each in changing[:3]]
    more = f" and {len(changing) - 3} more" if len(changing) > 3 else ""
    tasks = _PLURAL[len(changing) > 1]
    return (f"The first place depends on {len(changing)} {tasks} ({'; '.join(parts)}{more}).",)


def _other_methods(result: Board) -> tuple[str, ...]:
    """Say by which other methods another system is first."""
    leaders = {result.systems[i] for i, rank in enumerate(result.rank) if rank == 1}
    other: dict[str, list[str]] = {}
    for method, values in result.others.items():
        if not np.isfinite(values).all():
            continue
        is_lower = method == "average_rank" or (
            method in ("mean", "iqm") and not any(result.task_higher_is_better)
        )
        best = values.min() if is_lower else values.max()
        first = [name for name, value in zip(result.systems, values.tolist(), strict=True) if value == best]
        if not leaders & set(first):
            other.setdefault(some_names(first), []).append(BOARD_METHODS[method])
    if not other:
        return ()
    parts = [
        f"{names} by {' and '.join([', '.join(by[:-1]), by[-1]] if by[1:] else by)}"
        for names, by in other.items()
    ]
    return (f"Other ways of combining tasks put another system first: {'; '.join(parts)}.",)


def _board_legend(result: Board) -> str:
    first = "Rank range and groups: for other tasks like these"
    if shows_letters(result.letters):
        return f"{first}; systems that share a letter do not differ significantly."
    return f"{first}; rules separate significance clusters."


def _tasks_table(result: Board) -> Table:
    first, second = result.systems
    has_tests = result.knows_items
    widths = np.array([(each.high - each.low) / 2 for each in result.differences])
    digits = digits_for(
        widths if has_tests else (), np.array([each.difference for each in result.differences])
    )
    columns = [TableColumn(heading="task")]
    if has_tests:
        columns.append(TableColumn(heading="items", kind="integer", spare=1))
    columns += [
        TableColumn(heading=first, kind="number", digits=digits),
        TableColumn(heading=second, kind="number", digits=digits),
        TableColumn(heading="difference", kind="number", digits=digits),
    ]
    if has_tests:
        columns += [
            TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits),
            TableColumn(heading="p adjusted", kind="pvalue"),
            TableColumn(heading="verdict"),
        ]
    rows: list[tuple[TableCell, ...]] = []
    for each in result.differences:
        cells: list[TableCell] = [each.task]
        cells += [each.items] if has_tests else []
        cells += [each.first, each.second, each.difference]
        if has_tests:
            cells += [
                (each.low, each.high),
                each.adjusted,
                f"{each.verdict} *" if each.verdict else "not significant",
            ]
        rows.append(tuple(cells))
    return Table(
        title=f"{first} and {second} on {len(result.tasks)} tasks",
        columns=tuple(columns),
        rows=tuple(rows),
        verdict=(_summary(result), *_board_verdict(result)),
        words=_without(result),
        legend=_tasks_legend(result) if has_tests else "",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _tasks_legend(result: Board) -> str:
    return f"* significantly better (p ≤ {1 - result.confidence:.3g}, Holm-adjusted for the tasks)."


def _summary(result: Board) -> str:
    """Say on how many tasks the first of two systems is better, and by how much over all."""
    first, second = result.systems
    sides = np.array([1.0 if up else -1.0 for up in result.task_higher_is_better])
    lead = sides * np.array([each.difference for each in result.differences])
    up, down = int((lead > 0).sum()), int((lead < 0).sum())
    text = f"{first} scores better than {second} on {up} of {len(lead)} tasks and worse on {down}"
    if result.knows_items:
        won, lost = (sum(each.verdict == name for each in result.differences) for name in result.systems)
        text += (
            f"; significant: {won} up, {lost} down"
            if won + lost
            else "; no single task shows a significant difference"
        )
    digits = digits_for((result.high - result.low) / 2, result.strength)
    values = " against ".join(number(float(value), digits) for value in result.strength)
    reach = interval(float(result.low[0]), float(result.high[0]), digits)
    method = BOARD_METHODS[result.by].capitalize()
    return f"{text}. {method}: {values} ({first}: {percent(result.confidence)} CI {reach})."


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
        title=_tradeoffs_title(result),
        columns=tuple(columns),
        rows=tuple(rows),
        rules=rules,
        verdict=(*([result.undecidable] if result.undecidable else []), *_by_metric(result), *_front(result)),
        unit=unit_line(result.unit_note, result.units),
        legend=_tradeoffs_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _tradeoffs_title(result: Tradeoffs) -> str:
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


def _tradeoffs_legend(result: Tradeoffs) -> str:
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


def variation_table(result: Variation) -> Table:
    """Return the variance of each source with its share, and what would halve an interval."""
    digits = digits_for([], [max(result.variance.max(), 1e-6)])
    return Table(
        title=f"Variation of {result.measured}",
        columns=(
            TableColumn(heading="source"),
            TableColumn(heading="variance", kind="number", digits=digits),
            TableColumn(heading="share", kind="count"),
            TableColumn(heading=f"{percent(result.confidence)} CI", kind="count"),
        ),
        rows=tuple(
            (
                row.source,
                row.variance,
                _share(row.share),
                "–" if math.isnan(row.low) else f"{_share(row.low)} to {_share(row.high)}",
            )
            for row in result
        ),
        words=advice(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _share(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.0f}%"


def advice(result: Variation) -> tuple[str, ...]:
    """Return how many more runs or items would halve the interval of a difference.

    Examples
    --------
    >>> more = Needed(more=4.0, low=2.0, high=float("inf"))
    >>> counted(more, "run")
    'about 4 more runs (2 or more)'
    """
    if result.more_runs is None or result.more_items is None:
        return ()
    runs, items = counted(result.more_runs, "run"), counted(result.more_items, "item")
    if not runs and not items:
        times = f"about {result.times_both:.1f} times as many of both would"
        return (f"Neither more runs nor more items alone would halve the interval of a difference; {times}.",)
    if runs and items:
        return (f"To halve the interval of a difference: {runs} of each system, or {items}.",)
    other = "items" if runs else "runs"
    own = f"{runs} of each system" if runs else items
    return (f"To halve the interval of a difference: {own}; more {other} alone would not do it.",)


def counted(needed: Needed, what: str) -> str:
    """Return a number with its range; empty where no number is enough."""
    if math.isinf(needed.more):
        return ""
    if math.isinf(needed.high):
        spread = f"{_round(needed.low)} or more"
    else:
        spread = f"{_round(needed.low)} to {_round(needed.high)}"
    return f"about {_round(needed.more)} more {what}{'' if needed.more == 1 else 's'} ({spread})"


def _round(number: float) -> str:
    """Two digits are as many as an estimate of this kind has."""
    return f"{float(f'{number:.2g}'):,.0f}"


def factors_table(result: Factors) -> Table:
    """Return the effects of all factors and interactions, grouped by term."""
    digits = digits_for((result.high - result.low) / 2, result.effect)
    is_corrected = any(result.term.count(term) > 1 for term in result.terms)
    columns = [
        TableColumn(heading="factor"),
        TableColumn(heading="level"),
        TableColumn(heading="effect", kind="number", digits=digits),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits),
        TableColumn(heading="p", kind="pvalue"),
    ]
    if is_corrected:
        columns.append(TableColumn(heading="p adjusted", kind="pvalue"))
    last = [i for i in range(len(result) - 1) if result.term[i] != result.term[i + 1]]
    return Table(
        title=f"Effects of {_listed(result.terms)} on {result.measured}",
        columns=tuple(columns),
        rows=tuple(_factor_row(result, i, is_corrected=is_corrected) for i in range(len(result))),
        rules=frozenset(last) if is_corrected else frozenset(),
        verdict=tuple(_runs_verdict(result, term) for term in result.terms),
        unit=unit_line(result.unit_note, "runs"),
        legend=_runs_legend(is_corrected=is_corrected),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _factor_row(result: Factors, i: int, *, is_corrected: bool) -> tuple[TableCell, ...]:
    is_first = i == 0 or result.term[i] != result.term[i - 1]
    row = result[i]
    cells = (row.term if is_first else "", row.level, row.effect, (row.low, row.high), row.pvalue)
    return (*cells, row.adjusted) if is_corrected else cells


def _runs_verdict(result: Factors, term: str) -> str:
    p = result.pvalue_of(term)
    is_clear = p <= result.alpha
    if " × " in term:
        first, second = term.split(" × ")
        verb = "depends" if is_clear else "does not depend significantly"
        return f"The effect of {first} {verb} on {second} ({equals_p(p)})."
    return f"{term}: {'a significant' if is_clear else 'no significant'} effect ({equals_p(p)})."


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _runs_legend(*, is_corrected: bool) -> str:
    adjusted = " p adjusted: by Holm within a factor." if is_corrected else ""
    return f"A positive effect is better. A − B: A rather than B.{adjusted}"
