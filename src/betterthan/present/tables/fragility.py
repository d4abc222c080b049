"""On how few battles a first place depends, as a table."""

from __future__ import annotations

from betterthan.present.numbers import digits_for, number
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.arena import ChangedVotes, Fragility, TurnedBoard

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
