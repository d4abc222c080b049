"""A table in HTML, for notebooks and pages; everything shown is escaped."""

from __future__ import annotations

from html import escape as as_text

from betterthan.present.printable import printable
from betterthan.present.table import Table


def render_html(table: Table) -> str:
    """Return a ``<figure>`` with a captioned table, the notes and the signature."""
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in table.prose)
    notes = "".join(f"<li>{escape(note)}</li>" for note in table.notes)
    signature = f"<p><code>{escape(table.signature)}</code></p>" if table.signature else ""
    above = "".join(_grid(one, one.legend) for one in table.above)
    return (
        f'<figure class="betterthan">{above}{_grid(table, table.title)}'
        f"<figcaption>{words}{f'<ul>{notes}</ul>' if notes else ''}{signature}</figcaption></figure>\n"
    )


def _grid(table: Table, caption: str) -> str:
    head = "".join(
        f'<th scope="col"{_class(column.kind)}>{escape(column.heading)}</th>' for column in table.columns
    )
    body = "".join(_row(table, i, row) for i, row in enumerate(table.written()))
    shown = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{shown}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def escape(text: str) -> str:
    """Return `text` such that a page shows it as it is."""
    return as_text(printable(text))


def _row(table: Table, i: int, row: list[str]) -> str:
    cells = "".join(
        f"<td{_class(column.kind)}>{_stressed(cell, is_bold=(i, j) in table.bold)}</td>"
        for j, (column, cell) in enumerate(zip(table.columns, row, strict=True))
    )
    rule = ' class="rule"' if i in table.rules and i < len(table.rows) - 1 else ""
    return f"<tr{rule}>{cells}</tr>"


def _stressed(cell: str, *, is_bold: bool) -> str:
    return f"<strong>{escape(cell)}</strong>" if is_bold else escape(cell)


def _class(kind: str) -> str:
    # Notebooks align cells themselves unless a style stands on the cell.
    side = "left" if kind in ("text", "code") else "right"
    font = ";font-family:monospace;white-space:pre" if kind == "code" else ""
    return f' style="text-align:{side}{font}"'
