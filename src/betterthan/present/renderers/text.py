"""A table for the terminal: plain text by rich, aligned, coloured only when told to."""

from __future__ import annotations

import io

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from betterthan.present.printable import printable
from betterthan.present.table import Table

WIDTH = 100
_ANY_WIDTH = 10_000
_ASCII = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "×": "x", "≥": ">=", "≤": "<=", "\u202f": " ", "…": "..."}
)


# A line below the heading, and one between clusters; nothing else. Rows of a box: top, head, line below the
# head, body, line between sections, line above the foot, foot, bottom.
_LINES = box.Box("    \n    \n ── \n    \n ── \n ── \n    \n    \n")
_ASCII_LINES = box.Box("    \n    \n -- \n    \n -- \n -- \n    \n    \n", ascii=True)


MOST_NOTES = 3
"""Notes below a table unless all are asked for; the most important come first."""


def render_text(
    table: Table,
    *,
    width: int | None = None,
    color: bool = False,
    unicode: bool = True,
    all_notes: bool = False,
    whole_signature: bool = False,
    more_notes: str = "see .notes",
) -> str:
    """Return the table as lines of text: title, verdict, rows, then what a reader must know about them.

    Parameters
    ----------
    width : int, optional
        Of the terminal. Without one, prose is wrapped at 100 and rows of the table are as long as they need to be, so
        that a name stays in one piece.
    color : bool, default False
        Write terminal colours.
    unicode : bool, default True
        Use typographic signs; False keeps to ASCII where the encoding cannot show them.
    all_notes, whole_signature : bool, default False
        Show all notes, not only three; the whole signature, not only the short one.
    more_notes : str
        Where the other notes are.
    """
    buffer = io.StringIO()
    console = _console(buffer, WIDTH if width is None else width, color=color)
    console.print(_line(table.title, style="bold"))
    for sentence in table.verdict:
        console.print(_line(sentence))
    console.print()
    if table.columns:
        grid = Padding(_grid(table, unicode=unicode), (0, 0, 0, 2))
        _console(buffer, _ANY_WIDTH if width is None else width, color=color).print(grid)
        console.print()
    notes = _shown_notes(table.notes, all_notes=all_notes, more_notes=more_notes)
    _below(
        console,
        table,
        notes,
        table.signature if whole_signature else table.short_signature or table.signature,
    )
    lines = [line.rstrip() for line in buffer.getvalue().split("\n")]
    text = "\n".join(lines).rstrip("\n") + "\n"
    return text if unicode else text.translate(_ASCII)


def _console(buffer: io.StringIO, width: int, *, color: bool) -> Console:
    return Console(
        file=buffer,
        width=width,
        force_terminal=color,
        # In a notebook rich would display the text in the cell and leave the buffer empty.
        force_jupyter=False,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )


def _grid(table: Table, *, unicode: bool) -> RichTable:
    grid = RichTable(
        box=_LINES if unicode else _ASCII_LINES,
        show_edge=False,
        pad_edge=False,
        header_style="dim",
        safe_box=not unicode,
    )
    for column in table.columns:
        is_text = column.kind == "text"
        grid.add_column(_line(column.heading), justify="left" if is_text else "right", overflow="fold")
    for i, row in enumerate(table.written()):
        cells = [_line(cell, style="bold" if (i, j) in table.bold else "") for j, cell in enumerate(row)]
        grid.add_row(*cells, end_section=i in table.rules and i < len(table.rows) - 1)
    return grid


def _below(console: Console, table: Table, notes: list[str], signature: str) -> None:
    for sentence in (table.unit, *table.words, table.legend):
        if sentence:
            indent = len(sentence) - len(sentence.lstrip(" "))
            console.print(Padding(_line(sentence.lstrip(" ")), (0, 0, 0, 2 + indent)))
    for note in notes:
        console.print(Padding(_line(note, style="dim"), (0, 0, 0, 2)))
    if signature:
        # A signature is copied as one line, so it is never wrapped.
        console.print(_line("  " + signature, style="dim"), no_wrap=True, overflow="ignore", crop=False)


def _shown_notes(notes: tuple[str, ...], *, all_notes: bool, more_notes: str) -> list[str]:
    # One note too many takes no more room than the line that would say so.
    shown = notes if all_notes or len(notes) <= MOST_NOTES + 1 else notes[:MOST_NOTES]
    left_out = len(notes) - len(shown)
    return [f"note: {note}" for note in shown] + [f"{left_out} more notes: {more_notes}"] * (left_out > 0)


def _line(text: str, style: str = "") -> Text:
    return Text(printable(text.replace("\n", " ")), style=style)
