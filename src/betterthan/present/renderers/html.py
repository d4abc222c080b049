"""A table in HTML, for notebooks and pages; everything shown is escaped."""

from __future__ import annotations

from html import escape as as_text

from betterthan.present.printable import printable
from betterthan.present.table import Table


def render_html(table: Table) -> str:
    """Return a ``<figure>`` with a captioned table, the notes and the signature."""
    head = "".join(
        f'<th scope="col"{_class(column.kind)}>{escape(column.heading)}</th>' for column in table.columns
    )
    body = "".join(_row(table, i, row) for i, row in enumerate(table.written()))
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in table.prose)
    notes = "".join(f"<li>{escape(note)}</li>" for note in table.notes)
    signature = f"<p><code>{escape(table.signature)}</code></p>" if table.signature else ""
    return (
        f'<figure class="betterthan">'
        f"<table><caption>{escape(table.title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<figcaption>{words}{f'<ul>{notes}</ul>' if notes else ''}{signature}</figcaption></figure>\n"
    )


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
    side = "left" if kind == "text" else "right"
    return f' style="text-align:{side}"'
