"""What changed between two snapshots of a board, as a table."""

from __future__ import annotations

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import some_names
from betterthan.results.board_diff import BoardDiff


def board_diff_table(result: BoardDiff) -> Table:
    """Return the table of changes: the systems of both boards in the new order."""
    digits = digits_for(((result.high - result.low) / 2).tolist(), result.change.tolist())
    columns = (
        TableColumn(heading="rank", kind="integer"),
        TableColumn(heading="before", kind="integer"),
        TableColumn(heading="system"),
        TableColumn(heading="Elo before", kind="number", digits=digits, spare=2),
        TableColumn(heading="Elo", kind="number", digits=digits),
        TableColumn(heading="change", kind="number", digits=digits),
        TableColumn(heading=f"± ({percent(result.confidence)})", kind="number", digits=digits),
        TableColumn(heading="p adjusted", kind="pvalue"),
        TableColumn(heading="votes", kind="integer", spare=1),
    )
    rows: list[tuple[TableCell, ...]] = [
        (
            row.new_rank,
            row.old_rank,
            row.system,
            row.old,
            row.new,
            row.change,
            (row.high - row.low) / 2,
            row.adjusted,
            round(row.new_votes),
        )
        for row in result
    ]
    level = 1 - result.confidence
    return Table(
        title=f"Changes of a board: {result.old_battles:,} and {result.new_battles:,} battles",
        columns=columns,
        rows=tuple(rows),
        bold=frozenset((i, 2) for i, row in enumerate(result) if row.adjusted <= level),
        verdict=_verdict(result, level),
        words=_movers(result),
        legend="Ranks and Elo points among the systems on both boards, whose average is 1500.",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _verdict(result: BoardDiff, level: float) -> tuple[str, ...]:
    up = [row.system for row in result if row.adjusted <= level and row.change > 0]
    down = [row.system for row in result if row.adjusted <= level and row.change < 0]
    how = f"{level:.3g}, Holm-adjusted for {len(result.systems)} systems"
    parts = [f"{some_names(names)} {word}" for names, word in ((up, "stronger"), (down, "weaker")) if names]
    change = (
        f"Significantly changed: {'; '.join(parts)} (p ≤ {how})."
        if parts
        else f"No strength changed significantly (level {how})."
    )
    same = result.old_first == result.new_first
    first = (
        f"{result.new_first} is still first."
        if same
        else f"First is {result.new_first}, not {result.old_first}."
    )
    return (change, first)


def _movers(result: BoardDiff) -> tuple[str, ...]:
    moved = sum(row.old_rank != row.new_rank for row in result)
    words = [f"{moved:,} of {len(result.systems):,} systems have another rank."] if moved else []
    if result.entered:
        words.append(f"New: {some_names(result.entered)}.")
    if result.left:
        words.append(f"No longer there: {some_names(result.left)}.")
    return tuple(words)
