"""Whether a candidate may replace a baseline: every interval against its margin, and the items that lost most."""

from __future__ import annotations

from dataclasses import replace

from betterthan.present.table import Table
from betterthan.present.tables.describe import describe
from betterthan.report.document import Bullets, Figure, Section, TableBlock, csv_of
from betterthan.report.figures.margins import MOST_ROWS, margins_picture
from betterthan.report.wording import page_table
from betterthan.results.decisions import Gate


def gate_section(result: Gate) -> Section:
    """Return the picture of the intervals and the table of all rows."""
    shown = describe(result)
    table = _without_signs(page_table(replace(shown, verdict=(), legend="")))
    more = f" The first {MOST_ROWS} of {len(result):,} rows are shown." if len(result) > MOST_ROWS else ""
    caption = (
        "The dot is the difference, the bar its interval, the dashed lines are the margins. The candidate passes if "
        f"the whole bar is to the right of the left margin.{more}"
    )
    figure = Figure(key="margins", svg=margins_picture(result), caption=caption)
    sentences = (*shown.verdict[1:], *shown.notes)
    return Section(
        key="gate",
        title=f"{result.candidate} against {result.baseline}",
        menu="Gate",
        lead=shown.verdict[0],
        blocks=(
            figure,
            TableBlock(key="gate-table", table=replace(table, notes=()), csv=csv_of(table), words=True),
            *((Bullets(sentences),) if sentences else ()),
        ),
    )


def _without_signs(table: Table) -> Table:
    """Return the table without the column that draws intervals with letters: a page has a picture."""
    kept = [i for i, column in enumerate(table.columns) if column.kind != "code"]
    return replace(
        table,
        columns=tuple(table.columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in table.rows),
    )
