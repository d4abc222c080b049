"""Results to text in any format, by name."""

from __future__ import annotations

from collections.abc import Callable

from betterthan.errors import unknown_name
from betterthan.messages import Spelling
from betterthan.present.delimited import render_csv, render_jsonl
from betterthan.present.renderers.html import render_html
from betterthan.present.renderers.latex import render_latex
from betterthan.present.renderers.markdown import render_markdown
from betterthan.present.renderers.text import render_text
from betterthan.present.tables.describe import describe
from betterthan.results.base import Result

FORMATS: dict[str, Callable[[Result, Spelling], str]] = {
    "table": lambda result, spelling: render_text(describe(result).spelled(spelling)),
    "markdown": lambda result, spelling: render_markdown(describe(result).spelled(spelling)),
    "latex": lambda result, spelling: render_latex(describe(result).spelled(spelling)),
    "html": lambda result, spelling: render_html(describe(result).spelled(spelling)),
    "csv": lambda result, spelling: render_csv(result, spelling=spelling),
    "tsv": lambda result, spelling: render_csv(result, delimiter="\t", spelling=spelling),
    "json": lambda result, _: result.to_json() + "\n",
    "jsonl": lambda result, spelling: render_jsonl(result, spelling=spelling),
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
        "csv", "tsv" and "jsonl" are the tidy columns with all digits; "json" is the whole result.
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
    return FORMATS[format](result, spelling)
