"""A table in GitHub-flavoured Markdown."""

from __future__ import annotations

import re

from betterthan.present.printable import printable
from betterthan.present.table import Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$])")


def render_markdown(table: Table) -> str:
    """Return the table as Markdown, with every cell escaped."""
    head = [escaped(column.heading) for column in table.columns]
    lines = [":---" if column.kind == "text" else "---:" for column in table.columns]
    body = [
        [f"**{escaped(c)}**" if (i, j) in table.bold else escaped(c) for j, c in enumerate(row)]
        for i, row in enumerate(table.written())
    ]
    verdict = [" ".join(map(escaped, table.verdict)), ""] if table.verdict else []
    parts = [f"**{escaped(table.title)}**", "", *verdict, _row(head), _row(lines), *map(_row, body), ""]
    below = [table.unit, *table.words, table.legend, *table.notes]
    parts += [f"- {escaped(line)}" for line in below if line]
    if table.signature:
        parts += ["", f"`{printable(' '.join(table.signature.split())).replace('`', chr(39))}`"]
    return "\n".join(parts) + "\n"


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
