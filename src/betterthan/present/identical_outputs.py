"""Identical outputs as a table: a pair of systems on a segment a row."""

from __future__ import annotations

from betterthan.present.table import Cell, Column, Table
from betterthan.results.identical_outputs import IdenticalOutputs

ROWS = 20
_LONGEST = 40


def identical_outputs_table(result: IdenticalOutputs) -> Table:
    """Return the identical outputs that survive the margin, else the first ones; the rest is counted."""
    shown = [twin for twin in result.twins if twin.survives] or list(result.twins)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (twin.segment, twin.first, twin.second, twin.gap, _short(twin.text)) for twin in shown[:ROWS]
    )
    more = result.n_identical - len(rows)
    notes = (f"{more} more identical outputs are not shown; CSV and JSON have all.",) if more else ()
    better, worse = ("judged better", "judged worse") if result.n_judged else ("system", "and")
    return Table(
        title=f"Identical outputs of {len(result.systems)} systems",
        columns=(
            Column(heading="segment"),
            Column(heading=better),
            Column(heading=worse),
            Column(heading="apart", kind="number", digits=1),
            Column(heading="output"),
        ),
        rows=rows,
        words=result.sentences,
        notes=(*result.notes, *notes),
        signature=result.settings.signature,
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
