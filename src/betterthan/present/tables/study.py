"""Tables of a study, with the numbers of the paper in brackets next to ours."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

from betterthan.present.delimited import safe
from betterthan.present.numbers import number
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.study import Study, StudyCell, StudyTable

_READINGS = {"text": "as the paper says it", "as_published": "as the released programs do it"}


def study_table(result: Study) -> Table:
    """Return the first table of a study with all that is said about the whole of it."""
    others = [table.name for table in result.tables[1:]]
    more = (f"Further tables: {', '.join(others)}.",) if others else ()
    first = study_tables(result)[0]
    return replace(
        first,
        title=f"{result.name}, {_READINGS.get(result.reading, result.reading)}: {first.title}",
        words=(*first.words, *result.sentences, *result.differences, *more),
        notes=(*first.notes, *result.notes),
        signature=result.settings.signature,
    )


def study_tables(result: Study) -> tuple[Table, ...]:
    """Return every table of a study; numbers of the paper are in brackets next to ours."""
    return tuple(_described(table) for table in result.tables)


def study_csv(table: StudyTable) -> str:
    """Return one table as CSV with all digits; the paper's numbers have columns of their own.

    Examples
    --------
    >>> table = StudyTable(name="t", title="T", columns=("pair", "share"), rows=(("a, b", 0.25),),
    ...                    printed=((None, 0.3),))
    >>> print(study_csv(table))
    pair,share,share (paper)
    "a, b",0.25,0.3
    <BLANKLINE>
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    printed = table.printed or tuple((None,) * len(table.columns) for _ in table.rows)
    with_paper = [j for j in range(len(table.columns)) if any(row[j] is not None for row in printed)]
    head = [
        name
        for j, column in enumerate(table.columns)
        for name in ([column, f"{column} (paper)"] if j in with_paper else [column])
    ]
    writer.writerow(safe(cell) for cell in head)
    for row, theirs in zip(table.rows, printed, strict=True):
        cells = [
            cell for j, ours in enumerate(row) for cell in ([ours, theirs[j]] if j in with_paper else [ours])
        ]
        writer.writerow(safe(cell) for cell in cells)
    return buffer.getvalue()


def _described(table: StudyTable) -> Table:
    numeric = [_is_numeric([row[j] for row in table.rows]) for j in range(len(table.columns))]
    columns = tuple(
        TableColumn(heading=heading, kind="count" if is_number else "text")
        for heading, is_number in zip(table.columns, numeric, strict=True)
    )
    rows = tuple(
        tuple(_shown(table, i, j) for j in range(len(table.columns))) for i in range(len(table.rows))
    )
    beside = ("In brackets: what the paper prints.",) if table.printed is not None else ()
    return Table(title=table.title, columns=columns, rows=rows, words=beside, notes=table.notes)


def _shown(table: StudyTable, i: int, j: int) -> TableCell:
    ours = _written(table.rows[i][j], table.digits)
    theirs = table.printed[i][j] if table.printed is not None else None
    return ours if theirs is None else f"{ours} ({_written(theirs, table.digits)})"


def _written(cell: StudyCell, digits: int) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "–"
    if isinstance(cell, str):
        return cell
    return number(float(cell), 0 if isinstance(cell, int) else digits)


def _is_numeric(cells: list[StudyCell]) -> bool:
    known = [cell for cell in cells if cell is not None]
    return bool(known) and not any(isinstance(cell, str) for cell in known)
