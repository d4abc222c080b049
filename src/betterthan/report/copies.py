"""A table as LaTeX, Markdown and CSV, to be copied."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

from betterthan.present.delimited import render_csv
from betterthan.present.delimited import safe as safe_cell
from betterthan.present.renderers.latex import render_latex
from betterthan.present.renderers.markdown import render_markdown
from betterthan.present.table import Table
from betterthan.report.document import TableBlock
from betterthan.results.base import Result


class TableCopy(NamedTuple):
    """One text to copy, and what it is called."""

    label: str
    text: str


def copies_of(block: TableBlock) -> tuple[TableCopy, ...]:
    """Return the table in each format."""
    comma = TableCopy("CSV", block.csv or csv_of(block.table))
    return (
        TableCopy("LaTeX", render_latex(block.table)),
        TableCopy("Markdown", render_markdown(block.table)),
        comma,
    )


def csv_of_result(result: Result) -> str:
    """Return a result's tidy columns with all digits."""
    return render_csv(result)


def csv_of(table: Table) -> str:
    r"""Return the cells as they are shown, safe for spreadsheets.

    Examples
    --------
    >>> from betterthan.present.table import TableColumn
    >>> csv_of(Table(title="", columns=(TableColumn(heading="system"),), rows=(("=1+1",), ("a",))))
    "system\n'=1+1\na\n"
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([safe(column.heading) for column in table.columns])
    is_number = [column.kind != "text" for column in table.columns]
    for row in table.written():
        writer.writerow([safe(cell, thousands=comma) for cell, comma in zip(row, is_number, strict=True)])
    return buffer.getvalue()


def safe(cell: str, *, thousands: bool = False) -> str:
    """Return a cell with a leading quote where a spreadsheet would take it for a formula; numbers stay as they are.

    In columns of numbers the commas between `thousands` are left out; elsewhere a comma is part of a name.

    Examples
    --------
    >>> safe("=cmd()"), safe("-1.5"), safe("−1.5"), safe("12,345", thousands=True), safe("12,345")
    ("'=cmd()", '-1.5', '-1.5', '12345', '12,345')
    """
    as_number = cell.replace("−", "-")
    as_number = as_number.replace(",", "") if thousands else as_number
    try:
        float(as_number)
    except ValueError:
        return str(safe_cell(cell))
    return as_number
