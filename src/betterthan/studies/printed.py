"""Numbers that the papers print, from the files in ``data``: each table with its paper and its place there."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from betterthan.results.study import StudyCell

PAPERS = ("paired", "soft_pairwise", "relative_ranking", "aggregation", "tagging")
"""Files in ``data``, by the package of studies that compares its results with them."""


class PrintedTable(NamedTuple):
    """Numbers as a paper prints them.

    Attributes
    ----------
    where : str
        Table, figure or section, and what the numbers are.
    columns : tuple of str
    rows : tuple of rows
    """

    where: str
    columns: tuple[str, ...]
    rows: tuple[tuple[StudyCell, ...], ...]

    def values(self, n_labels: int = 1) -> dict[tuple[StudyCell, ...], tuple[Any, ...]]:
        """Return the cells of each row by its first cells, which say what the row is about.

        Examples
        --------
        >>> printed_table("aggregation", "correlations").values(2)["BLEU", "x-BLEU"]
        (0.53,)
        """
        return {row[:n_labels]: row[n_labels:] for row in self.rows}


def printed_table(paper: str, name: str) -> PrintedTable:
    """Return a table by the paper it is in and its name there.

    Parameters
    ----------
    paper : str
        One of :data:`PAPERS`.
    name : str

    Examples
    --------
    >>> printed_table("paired", "table_2").rows[0]
    ('S', 23.0, 50.0, 40.0, 70.0, 60.0)
    """
    table = _paper(paper)[name]
    return PrintedTable(table["where"], tuple(table["columns"]), tuple(map(tuple, table["rows"])))


@cache
def _paper(paper: str) -> dict[str, Any]:
    text = (files("betterthan.studies") / "data" / f"{paper}.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
