"""A table for the terminal: plain text by rich, aligned, coloured only when told to."""

from __future__ import annotations

import io

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from betterthan.present.table import Table

WIDTH = 100
_ASCII = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "×": "x", "≥": ">=", "≤": "<=", "\u202f": " ", "…": "..."}
)


def render_text(table: Table, *, width: int = WIDTH, color: bool = False, unicode: bool = True) -> str:
    """Return the table as lines of text.

    Parameters
    ----------
    width : int, default 100
        Of the terminal.
    color : bool, default False
        Write terminal colours.
    unicode : bool, default True
        Use typographic signs; False keeps to ASCII where the encoding cannot show them.
    """
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(Text(table.title, style="bold"))
    console.print()
    console.print(Padding(_grid(table, unicode=unicode), (0, 0, 0, 2)))
    _below(console, table)
    lines = [line.rstrip() for line in buffer.getvalue().split("\n")]
    text = "\n".join(lines).rstrip("\n") + "\n"
    return text if unicode else text.translate(_ASCII)


def _grid(table: Table, *, unicode: bool) -> RichTable:
    grid = RichTable(
        box=box.SIMPLE_HEAD if unicode else box.ASCII2,
        show_edge=False,
        pad_edge=False,
        header_style="dim",
        safe_box=not unicode,
    )
    for column in table.columns:
        is_text = column.kind == "text"
        grid.add_column(Text(column.heading), justify="left" if is_text else "right", overflow="fold")
    for i, row in enumerate(table.written()):
        cells = [Text(cell, style="bold" if (i, j) in table.bold else "") for j, cell in enumerate(row)]
        grid.add_row(*cells, end_section=i in table.rules and i < len(table.rows) - 1)
    return grid


def _below(console: Console, table: Table) -> None:
    console.print()
    for sentence in table.words:
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))
    for note in table.notes:
        console.print(Padding(Text(f"note: {note}", style="dim"), (0, 0, 0, 2)))
    if table.signature:
        if table.words or table.notes:
            console.print()
        # A signature is copied as one line, so it is never wrapped.
        console.print(Text("  " + table.signature, style="dim"), no_wrap=True, overflow="ignore", crop=False)
