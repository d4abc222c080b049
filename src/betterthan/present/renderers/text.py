"""A table for the terminal: plain text by rich, aligned, in color only on request."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from betterthan.messages import Spelling, spelled
from betterthan.present.printable import printable
from betterthan.present.table import Table, by_importance, is_method_note

WIDTH = 100
_ANY_WIDTH = 10_000
_ASCII = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "—": "-",
        "×": "x",
        "≥": ">=",
        "≤": "<=",
        "\u202f": " ",
        "…": "...",
        "·": ".",
        "━": "=",
        "●": "o",
        "┊": ":",
        "│": "|",
        "┿": "+",
    }
)


# A line below the heading, and one between clusters; nothing else. Rows of a box: top, head, line below the
# head, body, line between sections, line above the foot, foot, bottom.
_LINES = box.Box("    \n    \n ── \n    \n ── \n ── \n    \n    \n")
_ASCII_LINES = box.Box("    \n    \n -- \n    \n -- \n -- \n    \n    \n", ascii=True)


MOST_NOTES = 3
"""Notes below a table unless all are requested; the most important come first."""


def render_text(
    table: Table,
    *,
    width: int | None = None,
    color: bool = False,
    unicode: bool = True,
    all_notes: bool = False,
    whole_signature: bool = False,
    more_notes: str = "see .notes",
    spelling: Spelling = str,
) -> str:
    """Return the table as lines of text: title, verdict, rows, then what a reader must know about them.

    Parameters
    ----------
    width : int, optional
        Of the terminal; columns that can be spared are left out where it is too narrow, and the last line names them.
        Without a width, prose is wrapped at 100 characters and rows are as long as they need to be. No word of a name
        is broken in either case.
    color : bool, default False
        Write terminal colors.
    unicode : bool, default True
        Use typographic signs; False keeps to ASCII where the encoding cannot show them.
    all_notes, whole_signature : bool, default False
        Show all notes, not only the three most important; the whole signature, not only the short one.
    more_notes : str
        Where the other notes are.
    spelling : callable, optional
        How options named in messages are written; as keyword arguments by default.
    """
    notes, left_out = _shown_notes(table.notes, all_notes=all_notes)
    table = table.spelled(spelling)
    buffer = io.StringIO()
    console = _console(buffer, WIDTH if width is None else width, color=color)
    console.print(_line(table.title, style="bold"))
    for sentence in table.verdict:
        console.print(_line(sentence))
    console.print()
    hidden = [
        heading
        for one in (*table.above, table)
        for heading in _print_grid(console, one, width, unicode=unicode, is_main=one is table)
    ]
    for sentence in (table.unit, *table.words, table.legend):
        if sentence:
            indent = len(sentence) - len(sentence.lstrip(" "))
            console.print(Padding(_line(sentence.lstrip(" ")), (0, 0, 0, 2 + indent)))
    for note in notes:
        console.print(Padding(_line(f"note: {spelled(note, spelling)}", style="dim"), (0, 0, 0, 2)))
    signature = table.signature if whole_signature else table.short_signature or table.signature
    for last in _last_lines(signature, left_out, more_notes, hidden):
        # A signature is copied as one line, so it is never wrapped.
        console.print(_line("  " + last, style="dim"), no_wrap=True, overflow="ignore", crop=False)
    lines = [line.rstrip() for line in buffer.getvalue().split("\n")]
    text = "\n".join(lines).rstrip("\n") + "\n"
    return text if unicode else text.translate(_ASCII)


def _print_grid(
    console: Console, table: Table, width: int | None, *, unicode: bool, is_main: bool
) -> list[str]:
    """Print the rows, with title and legend where the table is not the main one, and return what was left out."""
    if not is_main and table.title:
        console.print(Padding(_line(table.title), (0, 0, 0, _MARGIN)))
    spared: list[str] = []
    if table.columns:
        shown, spared = _fitting(table, width)
        grid = Padding(_grid(shown, unicode=unicode), (0, 0, 0, _MARGIN))
        prose_width, console.width = console.width, _needed_width(shown, width)
        console.print(grid)
        console.width = prose_width
        console.print()
    if not is_main and table.legend:
        console.print(Padding(_line(table.legend), (0, 0, 1, _MARGIN)))
    return spared


def _last_lines(signature: str, left_out: int, more_notes: str, hidden: list[str]) -> list[str]:
    """Return how many notes and which columns are not shown, and the signatures, each on a line of its own."""
    rest = [f"{left_out} more note{'' if left_out == 1 else 's'}: {more_notes}"] if left_out else []
    if hidden:
        rest.append(f"columns left out for width: {', '.join(dict.fromkeys(hidden))}")
    return [line for line in ("; ".join(rest), *signature.split("\n")) if line]


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


_MARGIN, _BETWEEN = 2, 3
"""Characters before the rows, and between two columns."""


def _fitting(table: Table, width: int | None) -> tuple[Table, list[str]]:
    """Return the table without columns that can be spared, as far as the width demands, and their headings."""
    spared: list[str] = []
    while width is not None and _natural_width(table) > width and any(c.spare for c in table.columns):
        out = max(range(len(table.columns)), key=lambda i: (table.columns[i].spare, i))
        spared.append(table.columns[out].heading)
        table = _without_column(table, out)
    return table, spared[::-1]


def _natural_width(table: Table) -> int:
    return _total(max(map(cell_len, cells)) for cells in _columns(table))


def _needed_width(table: Table, width: int | None) -> int:
    """Return the width of the terminal, or more where it would break words."""
    if width is None:
        return _ANY_WIDTH
    least = (
        _longest_word(cells) if column.kind == "text" else max(map(cell_len, cells))
        for column, cells in zip(table.columns, _columns(table), strict=True)
    )
    return max(width, _total(least))


def _columns(table: Table) -> list[tuple[str, ...]]:
    """Return what is written in each column, the heading first."""
    return list(zip([column.heading for column in table.columns], *table.written(), strict=True))


def _total(widths: Iterable[int]) -> int:
    sizes = list(widths)
    return _MARGIN + sum(sizes) + _BETWEEN * (len(sizes) - 1)


def _longest_word(cells: tuple[str, ...]) -> int:
    return max(cell_len(word) for cell in cells for word in cell.split(" "))


def _without_column(table: Table, out: int) -> Table:
    return replace(
        table,
        columns=tuple(column for i, column in enumerate(table.columns) if i != out),
        rows=tuple(tuple(cell for i, cell in enumerate(row) if i != out) for row in table.rows),
        bold=frozenset((i, j - (j > out)) for i, j in table.bold if j != out),
    )


def _grid(table: Table, *, unicode: bool) -> RichTable:
    grid = RichTable(
        box=_LINES if unicode else _ASCII_LINES,
        show_edge=False,
        pad_edge=False,
        header_style="dim",
        safe_box=not unicode,
    )
    for column, texts in zip(table.columns, _columns(table), strict=True):
        is_text = column.kind == "text"
        grid.add_column(
            _line(column.heading),
            justify="left" if is_text or column.kind == "code" else "right",
            no_wrap=not is_text,
            min_width=_longest_word(texts) if is_text else None,
            overflow="fold",
        )
    for i, row in enumerate(table.written()):
        cells = [_line(cell, style="bold" if (i, j) in table.bold else "") for j, cell in enumerate(row)]
        grid.add_row(*cells, end_section=i in table.rules and i < len(table.rows) - 1)
    return grid


def _shown_notes(notes: tuple[str, ...], *, all_notes: bool) -> tuple[tuple[str, ...], int]:
    """Return the notes to show, most important first, and how many others there are.

    What only says how data were read or numbers made is left out without a word.
    """
    ordered = by_importance(notes)
    if all_notes:
        return ordered, 0
    telling = tuple(note for note in ordered if not is_method_note(note))
    # One note too many takes no more space than the line that would say so.
    shown = telling if len(telling) <= MOST_NOTES + 1 else telling[:MOST_NOTES]
    return shown, len(telling) - len(shown)


def _line(text: str, style: str = "") -> Text:
    return Text(printable(text.replace("\n", " ")), style=style)
