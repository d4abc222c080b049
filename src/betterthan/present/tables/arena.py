"""Boards of battles by category as tables: one category per row, or the board of a single category."""

from __future__ import annotations

from collections import Counter

import numpy as np

from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import rank_range, some_names
from betterthan.results.arena import Boards, CategoryBoard

_MOST_LISTED = 5


def boards_table(result: Boards) -> Table:
    """Return the table of boards: a category per row, or, for a single one, a system per row."""
    return _one_board(result) if len(result.categories) == 1 else _all_boards(result)


def _digits(result: Boards) -> int:
    return digits_for(((result.high - result.low) / 2).ravel().tolist())


def _all_boards(result: Boards) -> Table:
    digits = _digits(result)
    columns = (
        TableColumn(heading=result.by),
        TableColumn(heading="battles", kind="integer"),
        TableColumn(heading="own weight", kind="count", spare=2),
        TableColumn(heading="first"),
        TableColumn(heading="Elo", kind="number", digits=digits),
        TableColumn(heading=f"± ({percent(result.confidence)})", kind="number", digits=digits),
        TableColumn(heading="may be first", kind="integer"),
        TableColumn(heading="differs most", spare=1),
    )
    return Table(
        title=f"Boards of {len(result.categories)} categories ({result.by}): Bradley–Terry, higher is better",
        columns=columns,
        rows=tuple(_category_row(result, board, digits) for board in result),
        verdict=_verdict(result),
        words=_differences(result, digits),
        legend="Own weight: share of a category's own battles in its strengths; the rest comes from all categories. "
        "* significantly different from the system's average over categories.",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _category_row(result: Boards, board: CategoryBoard, digits: int) -> tuple[TableCell, ...]:
    most = int(np.argmax(np.abs(board.deviation)))
    star = " *" if board.adjusted[most] <= 1 - result.confidence else ""
    return (
        board.category,
        int(board.battles),
        f"{100 * board.own_weight:.0f}%",
        board.systems[0],
        float(board.strength[0]),
        float(board.high[0] - board.low[0]) / 2,
        int((board.rank_low == 1).sum()),
        f"{board.systems[most]} {_signed(float(board.deviation[most]), digits)}{star}",
    )


def _signed(value: float, digits: int) -> str:
    text = number(value, digits)
    return text if text.startswith("−") else f"+{text}"


def _verdict(result: Boards) -> tuple[str, ...]:
    first = Counter(board.systems[0] for board in result)
    parts = [f"{name} ({n:,})" for name, n in first.most_common(_MOST_LISTED)]
    more = f" and {len(first) - _MOST_LISTED} others" if len(first) > _MOST_LISTED else ""
    sure = sum(board.rank_high[0] == 1 for board in result)
    n = len(result.categories)
    head = f"First place, by the number of categories: {', '.join(parts)}{more}"
    if len(first) == 1 and n > 1:
        head = f"{next(iter(first))} is first in all {n:,} categories"
    ahead = f"The first system is significantly ahead of all others in {sure or 'none'} of {n:,} categories"
    overall = "" if set(first) == {result.systems[0]} and n > 1 else f" First overall: {result.systems[0]}."
    return (f"{head}. {ahead}.{overall}",)


def _differences(result: Boards, digits: int) -> tuple[str, ...]:
    spread = f"Between categories, a system varies with a standard deviation of {number(result.spread, digits)} points."
    found = np.argwhere(result.adjusted <= 1 - result.confidence)
    if not found.size:
        line = "No system does significantly better or worse in a category than on average over categories"
        return (f"{spread} {line} (level {1 - result.confidence:.3g}, Holm-adjusted).",)
    size = np.abs(result.deviation[tuple(found.T)])
    largest = [found[i] for i in np.argsort(-size)[:_MOST_LISTED].tolist()]
    parts = [
        f"{result.systems[s]} in {result.categories[c]} ({_signed(float(result.deviation[c, s]), digits)})"
        for c, s in largest
    ]
    many = f"{len(found):,} of {result.adjusted.size:,} combinations of system and category"
    return (
        f"{spread} {many} differ significantly from the system's average over categories, most: {', '.join(parts)}.",
    )


def _one_board(result: Boards) -> Table:
    (board,) = result
    digits = _digits(result)
    overall = dict(zip(result.systems, result.overall_rank.tolist(), strict=True))
    columns = (
        TableColumn(heading="rank", kind="integer"),
        TableColumn(heading="rank range", kind="count"),
        TableColumn(heading="system"),
        TableColumn(heading="Elo", kind="number", digits=digits),
        TableColumn(heading=f"± ({percent(result.confidence)})", kind="number", digits=digits),
        TableColumn(heading="votes", kind="integer", spare=1),
        TableColumn(heading="overall rank", kind="integer", spare=3),
        TableColumn(heading="from average", kind="number", digits=digits),
        TableColumn(heading="p adjusted", kind="pvalue", spare=2),
    )
    rows: list[tuple[TableCell, ...]] = [
        (
            int(board.rank[i]),
            rank_range(int(board.rank_low[i]), int(board.rank_high[i])),
            name,
            float(board.strength[i]),
            float(board.high[i] - board.low[i]) / 2,
            int(board.votes[i]),
            overall[name],
            float(board.deviation[i]),
            float(board.adjusted[i]),
        )
        for i, name in enumerate(board.systems)
    ]
    first = [name for name, low in zip(board.systems, board.rank_low, strict=True) if low == 1]
    best = f"{first[0]} is first" if len(first) == 1 else f"{len(first)} of {len(rows)} systems may be first"
    named = "" if len(first) == 1 else f": {some_names(first)}"
    return Table(
        title=f"Board of {result.by} {board.category}, {int(board.battles):,} battles: higher is better",
        columns=columns,
        rows=tuple(rows),
        bold=frozenset({(0, 2)}),
        verdict=(f"{best}{named} (p ≤ {1 - result.confidence:.3g}, Holm-adjusted).",),
        legend=f"The category's own battles count {100 * board.own_weight:.0f}%, the rest is typical of all "
        "categories. From average: difference from the system's average over categories; p adjusted for all systems "
        "and categories.",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )
