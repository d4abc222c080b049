"""What a study reports: claims of a paper and whether they hold, the numbers it prints, and the data of figures.

Printed numbers are files in ``data``, each table with its paper and its place there; figures are lines, bars, boxes,
points, or the cells of a matrix.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from betterthan.results.metrics import MetaEvaluation
from betterthan.results.study import StudyCell, StudyChart, StudyTable

IN_PART, UNKNOWN = "in part", "–"


class Claim(NamedTuple):
    """One claim.

    Attributes
    ----------
    text : str
        What the paper says, in a few words, as it stands in the middle of a sentence.
    where : str
        Section, figure or table.
    holds : bool or str
        On the data of the study; :data:`IN_PART` where it holds for some of them, :data:`UNKNOWN` where they cannot
        tell.
    seen : str
        What was found instead of it or for it.
    """

    text: str
    where: str
    holds: bool | str
    seen: str

    @property
    def verdict(self) -> str:
        """Yes, no, in part, or a dash."""
        return self.holds if isinstance(self.holds, str) else "yes" if self.holds else "no"


def holds_in(n_holding: int, n: int) -> bool | str:
    """Return whether a claim holds that was checked in n cases.

    Examples
    --------
    >>> holds_in(3, 3), holds_in(0, 3), holds_in(1, 3), holds_in(0, 0)
    (True, False, 'in part', '–')
    """
    return UNKNOWN if not n else IN_PART if 0 < n_holding < n else n_holding == n


def claims_table(claims: Sequence[Claim]) -> StudyTable:
    """Return the claims as a table of a study."""
    return StudyTable(
        name="claims",
        title="Claims of the paper, compared with this data",
        columns=("claim", "where", "holds", "here"),
        rows=tuple(
            (claim.text[0].upper() + claim.text[1:], claim.where, claim.verdict, claim.seen)
            for claim in claims
        ),
    )


def conclusion(claims: Sequence[Claim]) -> str:
    """Return what is to be said of the claims as a whole: whether they hold, and which do not.

    Examples
    --------
    >>> conclusion([Claim("the mean fails with outliers", "section 4", True, "it does")])
    'The claim of the paper holds on this data: the mean fails with outliers.'
    >>> conclusion([Claim("one", "1", True, ""), Claim("two", "2", False, ""), Claim("three", "3", UNKNOWN, "")])
    'Of 2 claims of the paper that this data can check, 1 holds. Not: two.'
    """
    known = [claim for claim in claims if claim.verdict != UNKNOWN]
    if not known:
        return "This data cannot check the claims of the paper."
    if len(known) == 1:
        how = {"yes": "holds", "no": "does not hold", IN_PART: "holds in part"}[known[0].verdict]
        return f"The claim of the paper {how} on this data: {known[0].text}."
    n_holding = sum(claim.verdict == "yes" for claim in known)
    hold = {0: "none holds", 1: "1 holds", len(known): "all hold"}.get(n_holding, f"{n_holding} hold")
    sentences = [f"Of {len(known)} claims of the paper that this data can check, {hold}."]
    for verdict, start in (("no", "Not"), (IN_PART, "In part")):
        texts = [claim.text for claim in known if claim.verdict == verdict]
        sentences += [f"{start}: {'; '.join(texts)}."] if texts else []
    return " ".join(sentences)


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


_INTERVALS = {"lines": ("low", "high"), "bars": ("low", "high"), "boxes": ("low", "q1", "q3", "high")}
"""What marks of these kinds have beside y."""


class Mark(NamedTuple):
    """One point of a line, one bar, one box, one point or one cell.

    Attributes
    ----------
    panel, series : str
    x, y : number or text
    low, high : number, optional
        The interval around y, of lines and bars; the ends of the whiskers of a box.
    q1, q3 : number, optional
        The quartiles of a box.
    axis : str, optional
        Title of the horizontal axis of its panel, where panels have different ones.
    """

    panel: str
    series: str
    x: StudyCell
    y: StudyCell
    low: StudyCell = None
    high: StudyCell = None
    q1: StudyCell = None
    q3: StudyCell = None
    axis: str | None = None


def figure(
    marks: Iterable[Mark],
    *,
    name: str,
    title: str,
    x: str,
    y: str,
    kind: str = "lines",
    **look: Any,  # noqa: ANN401  (fields of StudyChart)
) -> StudyChart:
    """Return marks as the data of a figure; those whose y is NaN are left out.

    Parameters
    ----------
    marks : iterable of Mark
    name, title, x, y, kind : str
        As :class:`~betterthan.results.study.StudyChart` has them.
    **look
        Its other fields, such as `log_x`.

    Examples
    --------
    >>> marks = [Mark("news", "PA", 2, 0.5, 0.4, 0.6), Mark("news", "PA", 3, float("nan"))]
    >>> figure(marks, name="figure-2", title="Stability", x="systems", y="r").columns["x"]
    (2,)
    """
    known = [mark for mark in marks if mark.y == mark.y]  # NaN is not itself
    fields = ["panel", "series", "x", "y", *_INTERVALS.get(kind, ())]
    fields += ["axis"] if any(mark.axis for mark in known) else []
    columns = {field: tuple(getattr(mark, field) for mark in known) for field in fields}
    return StudyChart(name=name, title=title, kind=kind, x=x, y=y, columns=columns, **look)


def evaluation_figure(
    result: MetaEvaluation, kind: str, *, name: str, title: str, metric: str = ""
) -> StudyChart:
    """Return a figure that shows an evaluation of metrics, as the chart of this kind draws it."""
    return StudyChart(name=name, title=title, kind=kind, x="", y="", columns={}, result=result, metric=metric)
