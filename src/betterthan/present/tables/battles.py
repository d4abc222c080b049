"""Boards of battles as tables: by category, changes between snapshots, fragility of the first place, and voters."""

from __future__ import annotations

from collections import Counter

import numpy as np

from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import rank_range, some_names
from betterthan.results.battles import (
    BoardDiff,
    Boards,
    CategoryBoard,
    ChangedVotes,
    Fragility,
    TurnedBoard,
    Voters,
)

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
        verdict=_boards_verdict(result),
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


def _boards_verdict(result: Boards) -> tuple[str, ...]:
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
        verdict=_change_verdict(result, level),
        words=_movers(result),
        legend="Ranks and Elo points among the systems on both boards, whose average is 1500.",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _change_verdict(result: BoardDiff, level: float) -> tuple[str, ...]:
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


_DONE = {"removal": "Removing", "reversal": "Reversing"}


def fragility_table(result: Fragility) -> Table:
    """Return the table of the fewest battles, a kind per row."""
    columns = (
        TableColumn(heading="change"),
        TableColumn(heading="votes", kind="integer"),
        TableColumn(heading="in which"),
        TableColumn(heading="of", kind="integer"),
    )
    turned = [board for board in (result.removal, result.reversal) if board.votes is not None]
    same = "of: battles of the same two systems with the same outcome, which are interchangeable."
    ends = [sum(row.change == board.change for row in result.changed) for board in turned]
    return Table(
        title=f"How firmly is {result.first} first? Bradley–Terry, {result.battles:,} battles",
        columns=columns,
        rows=tuple(_row(row) for row in result.changed),
        rules=frozenset({ends[0] - 1}) if len(ends) == 2 else frozenset(),
        verdict=fragility_sentences(result),
        words=(_lead(result),),
        legend=same if turned else "",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def fragility_sentences(result: Fragility) -> tuple[str, ...]:
    """Say how many votes put another system first, by removal and by reversal."""
    return tuple(_sentence(result, board) for board in (result.removal, result.reversal))


def outcome(row: ChangedVotes, winner: str, loser: str) -> str:
    """Say how battles of this kind ended, with the names that are given."""
    return f"{winner} and {loser} tied" if row.is_tie else f"{winner} beat {loser}"


def _row(row: ChangedVotes) -> tuple[TableCell, ...]:
    return (row.change, row.votes, outcome(row, row.winner, row.loser), row.votes_of_kind)


def _sentence(result: Fragility, board: TurnedBoard) -> str:
    if board.votes is None:
        return f"{_DONE[board.change]} votes: no set was found that puts another system first."
    share = 100 * board.votes / result.battles
    votes = "vote" if board.votes == 1 else "votes"
    digits = digits_for([share / 10])
    return (
        f"{_DONE[board.change]} {board.votes:,} {votes} of {result.battles:,} ({number(share, digits)}%) puts "
        f"{board.new_first} first instead of {result.first}, confirmed by refitting."
    )


def _lead(result: Fragility) -> str:
    digits = digits_for([result.lead / 10]) if result.lead else 0
    return f"{result.first} leads {result.second} by {number(result.lead, digits)} Elo points."


_MOST = 20


def voters_table(result: Voters) -> Table:
    """Return the table of voters: those who deviate significantly, and others up to twenty, most suspicious first."""
    shown = max(_MOST, len(result.deviating))
    columns = (
        TableColumn(heading=result.by),
        TableColumn(heading="votes", kind="integer"),
        TableColumn(heading="with the board", kind="number", digits=2),
        TableColumn(heading="expected", kind="number", digits=2, spare=1),
        TableColumn(heading="deviates most"),
        TableColumn(heading="p", kind="pvalue", spare=2),
        TableColumn(heading="p adjusted", kind="pvalue"),
    )
    rows: list[tuple[TableCell, ...]] = [
        (row.voter, round(row.votes), row.agreement, row.expected, row.reason, row.pvalue, row.adjusted)
        for row in list(result)[:shown]
    ]
    return Table(
        title=f"Do voters deviate from the board? {len(result.voters):,} voters ({result.by})",
        columns=columns,
        rows=tuple(rows),
        bold=frozenset((i, 0) for i in range(len(result.deviating))),
        verdict=_voters_verdict(result),
        words=(f"The first {shown} of {len(result.voters):,} are shown.",)
        if len(result.voters) > shown
        else (),
        legend="With the board: share of decided votes for the stronger system, and what the board expects.",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _voters_verdict(result: Voters) -> tuple[str, ...]:
    how = f"{1 - result.confidence:.3g}, Holm-adjusted for {len(result.voters):,} voters"
    found = result.deviating
    if not found:
        return (f"No voter deviates significantly from the board (level {how}).",)
    n, who = len(found), "voter deviates" if len(found) == 1 else "voters deviate"
    votes = round(float(result.votes[:n].sum()))
    without = (
        f"Without their {votes:,} votes, {result.first} is still first."
        if result.first == result.first_without
        else f"Without their {votes:,} votes, {result.first_without} is first instead of {result.first}."
    )
    return (f"{n:,} {who} significantly from the board: {some_names(found)} (p ≤ {how}).", without)
