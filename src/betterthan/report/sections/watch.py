"""Whether the data collected so far are enough: the evidence as it grew, and every pair."""

from __future__ import annotations

from dataclasses import replace

from betterthan.present.tables.describe import describe
from betterthan.report.document import Bullets, Figure, Section, TableBlock, csv_of
from betterthan.report.figures.lines import MOST_LINES, evidence_picture
from betterthan.report.wording import page_table
from betterthan.results.decisions import Watch


def watch_section(result: Watch) -> Section:
    """Return the curve of the e-values and the table of all pairs."""
    shown = describe(result)
    table = page_table(replace(shown, verdict=()))
    some = f" The {MOST_LINES} pairs with the most evidence are shown." if len(result) > MOST_LINES else ""
    caption = (
        f"Evidence after each of the {result.unit}: an e-value of {1 / result.alpha:.4g} decides a single pair, "
        f"whenever it is reached.{some}"
    )
    figure = Figure(key="evidence", svg=evidence_picture(result), caption=caption)
    notes = (Bullets(tuple(result.notes)),) if result.notes else ()
    return Section(
        key="watch",
        title=f"Evidence by the number of {result.unit}",
        menu="Enough data?",
        lead=" ".join(shown.verdict),
        blocks=(
            figure,
            TableBlock(key="watch-table", table=replace(table, notes=()), csv=csv_of(table), words=True),
            *notes,
        ),
    )
