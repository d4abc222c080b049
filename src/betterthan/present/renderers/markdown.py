"""A table in GitHub-flavored Markdown."""

from __future__ import annotations

import re

from betterthan.present.printable import printable
from betterthan.present.table import Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$])")


def render_markdown(table: Table) -> str:
    """Return the table as Markdown, with every cell escaped."""
    verdict = [" ".join(map(escaped, table.verdict)), ""] if table.verdict else []
    parts = [f"**{escaped(table.title)}**", "", *verdict]
    for one in (*table.above, table):
        parts += [*_grid(one), ""]
        if one is not table and one.legend:
            parts += [escaped(one.legend), ""]
    below = [table.unit, *table.words, table.legend, *table.notes]
    parts += [f"- {escaped(line)}" for line in below if line]
    if table.signature:
        parts += ["", f"`{printable(' '.join(table.signature.split())).replace('`', chr(39))}`"]
    return "\n".join(parts) + "\n"


def _grid(table: Table) -> list[str]:
    is_code = [column.kind == "code" for column in table.columns]
    head = [_cell(column.heading, is_code=code) for column, code in zip(table.columns, is_code, strict=True)]
    lines = [":---" if column.kind in ("text", "code") else "---:" for column in table.columns]
    body = [
        [
            f"**{escaped(cell)}**" if (i, j) in table.bold else _cell(cell, is_code=is_code[j])
            for j, cell in enumerate(row)
        ]
        for i, row in enumerate(table.written())
    ]
    return [_row(head), _row(lines), *map(_row, body)]


def _cell(text: str, *, is_code: bool) -> str:
    return f"`{printable(text)}`" if is_code and not _SPECIAL.search(text) else escaped(text)


def escaped(text: str) -> str:
    r"""Return `text` such that Markdown shows it as it is, on one line.

    Examples
    --------
    >>> print(escaped("a|b <i>"))
    a\|b \<i\>
    """
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
