r"""A table in LaTeX with booktabs, ready for a paper of two columns.

It takes the smallest form in which it fits: one column, or both columns (``table*``), to which it is scaled down if
need be; long tables are a ``longtable``. Widths are estimated with a font that is a little wider than those of papers.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from betterthan.present.numbers import number
from betterthan.present.printable import printable
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.text_width import text_width

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "×": r"$\times$",
    "−": r"$-$",
    "±": r"$\pm$",
    "–": r"--",
    "—": r"---",
    "…": r"\ldots{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "≈": r"$\approx$",
    "→": r"$\to$",
    "Δ": r"$\Delta$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "\u00a0": "~",
    "\u202f": r"\,",
}
_TABLE = str.maketrans(_SPECIAL)
_QUOTES = re.compile(r'(?P<opening>(?<![^\s(\[])"(?=\S))|"')
_COLUMN, _PAGE = 216.0, 452.0
"""Points that one column and both columns have in the narrowest of the usual styles, that of ACL."""
_SEPARATION = 3.0  # points on each side of a cell
_SIZES = {r"\small": 9.0, r"\footnotesize": 8.0}
MOST_ROWS = 40
"""Rows of a table that fits on a page; more become a longtable."""
MOST_NOTES = 3
_LONGEST_LABEL = 48
_LATIN = 0x17F  # the last letter that pdfLaTeX has in its usual fonts


class _Typesetting(NamedTuple):
    """How a table is set: its environment, and the size of its letters."""

    environment: str
    size: str


def render_latex(table: Table) -> str:
    r"""Return a ``table``, ``table*`` or ``longtable`` with caption, label and notes.

    Columns that only repeat others in another form are left out. The verdict, the signature and notes beyond the first
    three are comments above it.
    """
    kept = [j for j, column in enumerate(table.columns) if column.in_paper]
    columns = [table.columns[j] for j in kept]
    body = [[_written(columns[k], row[j]) for k, j in enumerate(kept)] for row in table.rows]
    bold = {(i, kept.index(j)) for i, j in table.bold if j in kept}
    lines = _body(table, body, bold)
    notes = [note for note in (table.legend, *table.notes[:MOST_NOTES]) if note]
    further = [table.signature, *table.verdict, table.unit, *table.words, *table.notes[MOST_NOTES:]]
    layout = _layout(columns, body)
    if len(table.rows) > MOST_ROWS:
        layout = layout._replace(environment="longtable")
    heading = _row([_heading(column, [row[k] for row in body]) for k, column in enumerate(columns)])
    align = "".join("l" if column.kind == "text" else "r" for column in columns)
    compose = _long if layout.environment == "longtable" else _floating
    composed = compose(table, layout, f"@{{}}{align}@{{}}", heading, lines, notes)
    comments = [*_needed(layout, composed), *(line for line in further if line)]
    return "\n".join([*(f"% {printable(' '.join(comment.split()))}" for comment in comments), *composed, ""])


def _needed(layout: _Typesetting, composed: list[str]) -> list[str]:
    packages = ["booktabs"]
    packages += ["longtable"] if layout.environment == "longtable" else []
    packages += ["graphicx"] if layout.environment == "table*" else []
    others = sorted({c for line in composed for c in line if ord(c) > _LATIN})
    engine = [f"needs XeLaTeX or LuaLaTeX, and a font that has {' '.join(others[:10])}"] if others else []
    return [rf"needs \usepackage{{{','.join(packages)}}}", *engine]


def _floating(
    table: Table, layout: _Typesetting, align: str, heading: str, lines: list[str], notes: list[str]
) -> list[str]:
    # A page may be narrower than that of a paper of two columns: what is wider than it is scaled down.
    scaled = layout.environment == "table*"
    begin = [r"\sbox0{%"] if scaled else []
    fit = r"}\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi"
    return [
        rf"\begin{{{layout.environment}}}[t]",
        r"\centering",
        layout.size,
        rf"\setlength{{\tabcolsep}}{{{_SEPARATION:g}pt}}",
        *begin,
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        heading,
        r"\midrule",
        *lines,
        r"\bottomrule",
        rf"\end{{tabular}}{fit if scaled else ''}",
        *_notes(notes),
        rf"\caption{{{_flowing(table.title)}}}",
        rf"\label{{{label_of(table.title)}}}",
        rf"\end{{{layout.environment}}}",
    ]


def _long(
    table: Table, layout: _Typesetting, align: str, heading: str, lines: list[str], notes: list[str]
) -> list[str]:
    # A longtable cannot be set in two columns, so a paper of two columns changes to one and back.
    return [
        r"\makeatletter\let\ifbetterthancolumns\if@twocolumn\makeatother",
        r"\ifbetterthancolumns\onecolumn\fi",
        rf"\begingroup{layout.size}\setlength{{\tabcolsep}}{{{_SEPARATION:g}pt}}",
        rf"\begin{{longtable}}{{{align}}}",
        rf"\caption{{{_flowing(table.title)}}}\label{{{label_of(table.title)}}} \\",
        r"\toprule",
        heading,
        r"\midrule",
        r"\endfirsthead",
        r"\toprule",
        heading,
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *lines,
        r"\end{longtable}",
        *_notes(notes),
        r"\endgroup",
        r"\ifbetterthancolumns\twocolumn\fi",
    ]


def _notes(notes: list[str]) -> list[str]:
    """Return the notes as a block below the rows, as wide as the table may be."""
    if not notes:
        return []
    *before, last = map(_flowing, notes)
    text = [*(f"{note}\\par" for note in before), last]
    return [
        r"\par\smallskip\noindent",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright\sloppy",
        *text,
        r"\end{minipage}",
    ]


def _layout(columns: list[TableColumn], body: list[list[str]]) -> _Typesetting:
    """Return the smallest form in which the table fits: large letters before small ones, one column before two."""
    for environment, width in (("table", _COLUMN), ("table*", _PAGE)):
        for size, points in _SIZES.items():
            if _natural_width(columns, body, points) <= width:
                return _Typesetting(environment, size)
    return _Typesetting("table*", r"\footnotesize")


def _natural_width(columns: list[TableColumn], body: list[list[str]], size: float) -> float:
    widths = [
        max(
            [text_width(line, size) for line in _heading_lines(column, [row[k] for row in body])]
            + [text_width(row[k], size, is_bold=True) for row in body]
        )
        for k, column in enumerate(columns)
    ]
    return sum(widths) + 2 * _SEPARATION * (len(columns) - 1)


def _heading_lines(column: TableColumn, cells: list[str]) -> list[str]:
    """Break a heading that is wider than its cells into two lines of about the same length."""
    words = printable(column.heading).split()
    heading = " ".join(words)
    if len(words) < 2 or text_width(heading) <= max(map(text_width, cells), default=0.0):
        return [heading]
    breaks = ((abs(len(" ".join(words[:i])) - len(" ".join(words[i:]))), i) for i in range(1, len(words)))
    place = min(breaks)[1]
    return [" ".join(words[:place]), " ".join(words[place:])]


def _heading(column: TableColumn, cells: list[str]) -> str:
    lines = _heading_lines(column, cells)
    if len(lines) == 1:
        return escaped(lines[0])
    side = "l" if column.kind == "text" else "r"
    both = r"\\".join(map(escaped, lines))
    return rf"\shortstack[{side}]{{{both}}}"


def _written(column: TableColumn, cell: TableCell) -> str:
    """Return a cell as text before any escaping; intervals as papers write them."""
    if isinstance(cell, tuple):
        low, high = (number(end, column.digits) for end in cell)
        return column.written(cell) if "–" in (low, high) else f"[{low}, {high}]"
    return column.written(cell)


def _body(table: Table, body: list[list[str]], bold: set[tuple[int, int]]) -> list[str]:
    lines: list[str] = []
    for i, row in enumerate(body):
        cells = [rf"\textbf{{{escaped(c)}}}" if (i, j) in bold else escaped(c) for j, c in enumerate(row)]
        lines.append(_row(cells))
        if i in table.rules and i < len(table.rows) - 1:
            lines.append(r"\midrule")
    return lines


def label_of(title: str) -> str:
    """Return a label that is made of the title.

    Examples
    --------
    >>> label_of("Ranking by Bradley–Terry: chrF_2, 50% & more")
    'tab:ranking-by-bradley-terry-chrf-2-50-more'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "replace").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower())[:_LONGEST_LABEL].strip("-")
    return f"tab:{slug or 'table'}"


def escaped(text: str) -> str:
    r"""Return `text` such that LaTeX shows it as it is, on one line.

    Examples
    --------
    >>> print(escaped("50% of A_1 & B"))
    50\% of A\_1 \& B
    >>> print(escaped('the column "judge" (12 values)'))
    the column ``judge'' (12 values)
    """
    return _QUOTES.sub(_quotes, " ".join(printable(text).split()).translate(_TABLE))


def _quotes(found: re.Match[str]) -> str:
    """A straight quotation mark opens at the start of a word, and closes elsewhere."""
    return "''" if found.group("opening") is None else "``"


def _flowing(text: str) -> str:
    """Return a sentence that may be broken inside long names, behind the signs that join their parts."""
    return re.sub(r"(\\_|/|=|\$\|\$)", r"\1\\allowbreak{}", escaped(text))


def _row(cells: list[str]) -> str:
    row = " & ".join(cells)
    # At the start of a row LaTeX would take these for an argument of the line break before.
    return rf"{{{row[0]}}}{row[1:]} \\" if row.startswith(("[", "*")) else rf"{row} \\"
