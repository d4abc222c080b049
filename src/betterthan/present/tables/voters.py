"""Voters whose votes deviate from the board, as a table."""

from __future__ import annotations

from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import some_names
from betterthan.results.voters import Voters

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
        verdict=_verdict(result),
        words=(f"The first {shown} of {len(result.voters):,} are shown.",)
        if len(result.voters) > shown
        else (),
        legend="With the board: share of decided votes for the stronger system, and what the board expects.",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _verdict(result: Voters) -> tuple[str, ...]:
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
