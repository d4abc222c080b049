"""Results to text in any format, by name."""

from __future__ import annotations

from collections.abc import Callable

from betterthan.errors import unknown_name
from betterthan.present.delimited import render_csv, render_jsonl
from betterthan.present.renderers.html import render_html
from betterthan.present.renderers.latex import render_latex
from betterthan.present.renderers.markdown import render_markdown
from betterthan.present.renderers.text import render_text
from betterthan.present.tables.describe import describe
from betterthan.results.base import Result

FORMATS: dict[str, Callable[[Result], str]] = {
    "table": lambda result: render_text(describe(result)),
    "markdown": lambda result: render_markdown(describe(result)),
    "latex": lambda result: render_latex(describe(result)),
    "html": lambda result: render_html(describe(result)),
    "csv": render_csv,
    "tsv": lambda result: render_csv(result, delimiter="\t"),
    "json": lambda result: result.to_json() + "\n",
    "jsonl": render_jsonl,
}

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


def render(result: Result, format: str = "table") -> str:  # noqa: A002  (the user's word)
    """Return a result as text in the named format.

    Parameters
    ----------
    result : Result
    format : {"table", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl"}, default "table"
        "csv", "tsv" and "jsonl" are the tidy columns with all digits; "json" is the whole result.

    Examples
    --------
    >>> import betterthan as bt
    >>> ranking = bt.rank(bt.read_scores({"A": [1.0, 3.0], "B": [2.0, 1.0]}))
    >>> print(render(ranking, "csv").split(",")[0])
    rank
    """
    if format not in FORMATS:
        raise unknown_name("format", format, FORMATS)
    return FORMATS[format](result)
