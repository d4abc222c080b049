"""Study: a replicated experiment of one of the papers, with the printed numbers for comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.errors import BetterThanError, unknown_name
from betterthan.results.base import NamedRows, Result, index_of
from betterthan.results.metrics import MetaEvaluation
from betterthan.results.settings import Settings

StudyCell = str | float | int | None
"""One cell: text or a number, None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """One table of a study.

    Attributes
    ----------
    name : str
        File name, such as "table-1".
    title : str
    columns : tuple of str
    rows : tuple of rows
        Text, numbers, and None for empty cells.
    printed : tuple of rows, optional
        The printed value of each cell, None where there is none; same shape as `rows`.
    digits : int
        Decimals of the numbers when they are shown; files hold all digits.
    is_detail : bool
        A long table of details: written to files, shown only on request.
    notes : tuple of str

    Examples
    --------
    >>> table = StudyTable(name="table-1", title="Disagreement", columns=("pair", "share"),
    ...                    rows=(("mean, median", 0.037),), printed=((None, 0.04),))
    >>> table.pairs()
    [(0.037, 0.04)]
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[StudyCell, ...], ...]
    printed: tuple[tuple[StudyCell, ...], ...] | None = None
    digits: int = 2
    is_detail: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        sizes = {len(row) for row in (*self.rows, *(self.printed or ()))}
        if sizes - {len(self.columns)} or (self.printed is not None and len(self.printed) != len(self.rows)):
            raise BetterThanError(
                f'The rows of the table "{self.name}" do not fit its {len(self.columns)} columns.'
            )

    def pairs(self) -> list[tuple[float, float]]:
        """Return computed and printed values of all cells that have both, as numbers."""
        cells = [
            (ours, theirs)
            for row, printed in zip(self.rows, self.printed or (), strict=bool(self.printed))
            for ours, theirs in zip(row, printed, strict=True)
        ]
        return [(float(a), float(b)) for a, b in cells if _is_number(a) and _is_number(b)]  # type: ignore[arg-type]

    def column(self, name: str) -> tuple[StudyCell, ...]:
        """Return the cells of one column."""
        if name not in self.columns:
            raise unknown_name("column", name, self.columns)
        place = self.columns.index(name)
        return tuple(row[place] for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChart:
    """The data of one figure.

    Attributes
    ----------
    name : str
        File name, such as "figure-3".
    title : str
    kind : {"lines", "bars", "boxes", "points", "matrix", "grid", "pairs", "scatter", "metrics", "soft_pairwise"}
        * "lines": y over x, one line per series, with error bars from low to high;
        * "bars": the same with one bar per series;
        * "boxes": box plots: the median y, the quartiles q1 and q3, whiskers from low to high;
        * "points": single points, colored by series;
        * "matrix": a cell for each x and series (row), its number y;
        * "grid": a variable per panel, the value y of each observation x: histograms on the diagonal, scatter plots
          with Pearson's r elsewhere;
        * "pairs": the same variables, only the scatter plots of `pairs`;
        * "scatter", "metrics", "soft_pairwise": as :func:`betterthan.chart` draws them. A scatter plot has a table of
          two systems per panel, x and y; the others show `result`.
    x, y : str
        Titles of the axes; the names of the two systems in a scatter plot.
    columns : mapping of str to tuple
        "panel", "series", "x" and "y", for lines and bars also "low" and "high"; all of one length. "axis" is the title
        of the horizontal axis of a panel that has its own.
    log_x : bool
        Whether the horizontal axis is logarithmic.
    log_y : bool
        Whether the vertical axis is, of lines and points.
    rule : float, optional
        Height of a dashed line to compare values with.
    pairs : tuple of (str, str, float)
        Two variables of a grid and their correlation; the first is at the horizontal axis.
    result : MetaEvaluation, optional
    metric : str
        The metric to be shown of `result`.
    note : str
        What marks, intervals and lines are, in sentences, below the title.

    Examples
    --------
    >>> chart = StudyChart(name="figure-1", title="Scores", kind="points", x="segment", y="score",
    ...                    columns={"panel": ("",), "series": ("A",), "x": (1,), "y": (9.2,)})
    >>> chart.size
    1
    """

    name: str
    title: str
    kind: str
    x: str
    y: str
    columns: Mapping[str, tuple[StudyCell, ...]]
    log_x: bool = False
    log_y: bool = False
    rule: float | None = None
    pairs: tuple[tuple[str, str, float], ...] = ()
    result: MetaEvaluation | None = None
    metric: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown_name("kind of figure", self.kind, KINDS)
        if len({len(values) for values in self.columns.values()}) > 1:
            raise BetterThanError(f'The columns of the figure "{self.name}" differ in length.')

    @property
    def size(self) -> int:
        """Number of marks."""
        return len(self.columns.get("x", ()))


KINDS = (
    *("lines", "bars", "boxes", "points", "matrix", "grid", "pairs"),
    *("scatter", "metrics", "soft_pairwise"),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Study(NamedRows[StudyTable], Result):
    """A replicated experiment.

    Attributes
    ----------
    name : str
        Such as "paired-simulation".
    question : str
    paper : str
        The paper, and the place of the experiment in it.
    reading : {"text", "as_published"}
        Whether the text of the paper was followed or the code released with it.
    tables : tuple of StudyTable
    charts : tuple of StudyChart
    sentences : tuple of str
        The findings.
    differences : tuple of str
        Differences from the printed numbers, with reasons.

    Examples
    --------
    >>> import betterthan as bt
    >>> table = StudyTable(name="table-1", title="Shares", columns=("pair", "share"), rows=(("A, B", 0.5),))
    >>> study = Study(name="mine", question="How many?", paper="A paper", reading="text", tables=(table,), charts=(),
    ...               sentences=(), differences=(), notes=(), settings=bt.Settings(method="mine", options={}, data=""))
    >>> len(study), study["table-1"].column("share")
    (1, (0.5,))
    """

    kind: ClassVar[str] = "study"
    row_type: ClassVar[type] = StudyTable
    row_noun: ClassVar[str] = "table"

    name: str
    question: str
    paper: str
    reading: str
    tables: tuple[StudyTable, ...]
    charts: tuple[StudyChart, ...]
    sentences: tuple[str, ...]
    differences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings

    def table(self, name: str) -> StudyTable:
        """Return the table of this name."""
        return self[name]

    def _row_names(self) -> tuple[str, ...]:
        return tuple(table.name for table in self.tables)

    def _row(self, i: int) -> StudyTable:
        return self.tables[i]

    def chart(self, name: str) -> StudyChart:
        """Return the figure of this name."""
        return self.charts[index_of(name, [chart.name for chart in self.charts], "figure")]

    def _types_of(self, _: Mapping[str, Sequence[Any]]) -> dict[str, type]:
        return {"table": str, "row": int, "column": str, "value": float, "text": str, "printed": float}

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per cell of all tables: its position, its value, and the printed value."""
        cells = [
            (table.name, i + 1, table.columns[j], cell, table.printed[i][j] if table.printed else None)
            for table in self.tables
            for i, row in enumerate(table.rows)
            for j, cell in enumerate(row)
        ]
        return {
            "table": [name for name, *_ in cells],
            "row": [row for _, row, *_ in cells],
            "column": [column for _, _, column, *_ in cells],
            "value": [_number(cell) for *_, cell, _ in cells],
            "text": [cell if isinstance(cell, str) else None for *_, cell, _ in cells],
            "printed": [_number(printed) for *_, printed in cells],
        }

    def __repr__(self) -> str:
        return f"Study({self.name}, {len(self.tables)} tables, {len(self.charts)} figures)"


def _is_number(cell: StudyCell) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and cell == cell  # noqa: PLR0124  (NaN)


def _number(cell: StudyCell) -> float | None:
    return float(cell) if _is_number(cell) and cell is not None else None
