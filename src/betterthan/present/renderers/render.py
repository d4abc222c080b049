"""Results to text in any format, by name."""

from __future__ import annotations

from collections.abc import Callable

from betterthan.errors import unknown_name
from betterthan.messages import Spelling
from betterthan.present.delimited import TidyResults, render_csv, render_jsonl
from betterthan.present.renderers.html import render_html
from betterthan.present.renderers.latex import render_latex
from betterthan.present.renderers.markdown import render_markdown
from betterthan.present.renderers.text import render_text
from betterthan.present.table import Table
from betterthan.present.tables.describe import describe, summarize
from betterthan.results.base import Result

TABLES: dict[str, Callable[[Table, Spelling], str]] = {
    "table": lambda table, spelling: render_text(table, spelling=spelling),
    "markdown": lambda table, spelling: render_markdown(table.spelled(spelling)),
    "latex": lambda table, spelling: render_latex(table.spelled(spelling)),
    "html": lambda table, spelling: render_html(table.spelled(spelling)),
}
"""Formats that show a table."""
ROWS: dict[str, Callable[[TidyResults, Spelling], str]] = {
    "csv": lambda tidy, spelling: render_csv(tidy, spelling=spelling),
    "tsv": lambda tidy, spelling: render_csv(tidy, delimiter="\t", spelling=spelling),
    "jsonl": lambda tidy, spelling: render_jsonl(tidy, spelling=spelling),
}
"""Formats that list tidy columns."""
FORMATS = ("table", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl")

SUFFIXES = {
    ".txt": "table",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
}


def render(
    result: Result,
    format: str = "table",  # noqa: A002  (the user's word)
    *,
    spelling: Spelling = str,
) -> str:
    """Return a result as text in the named format.

    Parameters
    ----------
    result : Result
    format : {"table", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl"}, default "table"
        "csv", "tsv" and "jsonl" are the tidy columns with all digits; "json" is the whole result. Of very many pairs
        "table", "markdown" and "html" show those that are next to each other in rank; the others have all.
    spelling : callable, optional
        How options named in messages are written; as keyword arguments by default.

    Examples
    --------
    >>> import betterthan as bt
    >>> ranking = bt.rank(bt.read_scores({"A": [1.0, 3.0], "B": [2.0, 1.0]}))
    >>> print(render(ranking, "csv").split(",")[0])
    rank
    """
    if format not in FORMATS:
        raise unknown_name("format", format, FORMATS)
    if format == "json":
        return result.to_json() + "\n"
    if format in ROWS:
        return ROWS[format](result, spelling)
    return TABLES[format](describe(result) if format == "latex" else summarize(result), spelling)
