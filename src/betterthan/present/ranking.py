"""A ranking as a table."""

from __future__ import annotations

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Column, Table
from betterthan.results.ranking import Ranking


def ranking_table(result: Ranking) -> Table:
    """Return the table of a ranking, best system first."""
    digits = digits_for((result.high - result.low) / 2, result.strength)
    columns = (
        Column(heading="rank", kind="integer"),
        Column(heading="system"),
        Column(heading=result.settings.method.replace("_", " "), kind="number", digits=digits),
        Column(heading=percent(result.confidence), kind="interval", digits=digits),
    )
    ends = zip(result.low.tolist(), result.high.tolist(), strict=True)
    rows = zip(result.rank.tolist(), result.systems, result.strength.tolist(), ends, strict=True)
    return Table(
        title=f"Ranking by {result.settings.method.replace('_', ' ')} of {result.unit}",
        columns=columns,
        rows=tuple(rows),
        bold=frozenset({(0, 1)}),
        notes=result.notes,
        signature=result.settings.signature,
    )
