"""A table in LaTeX with booktabs, ready for a paper."""

from __future__ import annotations

from betterthan.present.printable import printable
from betterthan.present.table import Table

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
    "–": r"--",
    "…": r"\ldots{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "\u202f": r"\,",
}
_TABLE = str.maketrans(_SPECIAL)


def render_latex(table: Table) -> str:
    """Return a ``table`` environment; the signature and notes stand in comments above the caption."""
    align = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    comments = [line for line in (table.signature, *table.verdict, table.legend, *table.notes) if line]
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            *(f"% {printable(' '.join(comment.split()))}" for comment in comments),
            r"\begin{table}[t]",
            r"\centering",
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            _row([escaped(column.heading) for column in table.columns]),
            r"\midrule",
            *_body(table),
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{escaped(table.title)}}}",
            r"\end{table}",
            "",
        ]
    )


def _body(table: Table) -> list[str]:
    lines: list[str] = []
    for i, row in enumerate(table.written()):
        cells = [
            rf"\textbf{{{escaped(c)}}}" if (i, j) in table.bold else escaped(c) for j, c in enumerate(row)
        ]
        lines.append(_row(cells))
        if i in table.rules and i < len(table.rows) - 1:
            lines.append(r"\midrule")
    return lines


def escaped(text: str) -> str:
    r"""Return `text` such that LaTeX shows it as it is, on one line.

    Examples
    --------
    >>> print(escaped("50 % of A_1 & B"), escaped("[5pt]"))
    50 \% of A\_1 \& B {[}5pt]
    """
    shown = " ".join(printable(text).split()).translate(_TABLE)
    # At the start of a cell LaTeX would take these for an argument of the line before.
    return f"{{{shown[0]}}}{shown[1:]}" if shown.startswith(("[", "*")) else shown


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"
