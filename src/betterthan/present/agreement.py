"""An agreement as a table: two rankings a row."""

from __future__ import annotations

from betterthan.present.numbers import percent
from betterthan.present.table import Column, Table
from betterthan.results.agreement import Agreement


def agreement_table(result: Agreement) -> Table:
    """Return how each two rankings order the pairs of systems, and whether their tops are the same."""
    columns = (
        Column(heading="rankings"),
        Column(heading="alike", kind="number"),
        Column(heading="opposite", kind="number"),
        Column(heading="tied in one", kind="number"),
        Column(heading="tau-b", kind="number"),
        Column(heading="same best"),
        Column(heading=f"same top {result.top}"),
    )
    rows = tuple(
        (
            f"{c.first} and {c.second}",
            _share(c.alike),
            _share(c.flipped),
            _share(c.tied),
            c.tau_b,
            "yes" if c.same_best else "no",
            "yes" if c.same_top else "no",
        )
        for c in result.comparisons
    )
    return Table(
        title=f"Agreement of {len(result.rankings)} rankings of {len(result.systems)} systems",
        columns=columns,
        rows=rows,
        words=result.sentences,
        notes=result.notes,
        signature=result.settings.signature,
    )


def _share(value: float) -> str:
    return "–" if value != value else percent(round(value, 3))  # noqa: PLR0124  (NaN is not equal to itself)
