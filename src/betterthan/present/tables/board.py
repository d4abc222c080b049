"""A board as a table: one system per row, or, for two systems, one task per row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import IntArray
from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import best_sentence, rank_range, shows_letters, some_names
from betterthan.results.board import BOARD_METHODS, Board

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
        title=_title(result),
        columns=tuple(columns),
        rows=tuple(_row(result, i, beside) for i in range(len(result.systems))),
        rules=frozenset(i for i, c in enumerate(result.cluster[:-1]) if result.cluster[i + 1] != c),
        bold=frozenset((i, 2) for i, rank in enumerate(result.rank) if rank == 1),
        verdict=_verdict(result),
        words=(*_without(result), *_other_methods(result)),
        legend=_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _title(result: Board) -> str:
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


def _row(result: Board, i: int, beside: list[str]) -> tuple[TableCell, ...]:
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


def _verdict(result: Board) -> tuple[str, ...]:
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


def _legend(result: Board) -> str:
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
        verdict=(_summary(result), *_verdict(result)),
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
