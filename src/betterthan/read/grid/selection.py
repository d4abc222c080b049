"""Selection of rows by the values of columns, before anything else is decided.

Files often hold several tables, distinguished by a column such as ``lp`` or ``dataset``.

A condition keeps one of them; several values for one column keep all of these; conditions on different columns must all
hold. Values are never inserted into a query.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import ReadError, some_of, unknown_name
from betterthan.messages import VALUE, Message, Option
from betterthan.read.grid.columns import ROLES, is_descriptive, plain, role_option
from betterthan.read.grid.grid import Codes, Grid, Labels, compact, has_text, label, quoted
from betterthan.read.grid.numerals import is_missing
from betterthan.read.protocol import EVERY, SEVERAL, Format, Options, Reading

Where = tuple[tuple[str, str], ...]
MOST_VALUES = 10
# A column with more values than this does not identify the table of a row.
_FEW = 1000
_RUNS = frozenset(map(plain, ROLES["run"]))
# Columns of runs have a role only where rows repeat.
_ROLE_NAMES = frozenset(plain(name) for role, names in ROLES.items() if role != "run" for name in names)


def conditions(where: Mapping[str, object] | None) -> Where:
    """Return a mapping of columns to values as conditions; a list of values keeps them all.

    Examples
    --------
    >>> conditions({"lp": "en-de", "year": [2019, 2020]})
    (('lp', 'en-de'), ('year', '2019'), ('year', '2020'))
    """
    pairs: list[tuple[str, str]] = []
    for column, value in (where or {}).items():
        several = value if isinstance(value, list | tuple | set | frozenset) else [value]
        pairs += [(str(column), label(each) or "") for each in several]
    return tuple(pairs)


def parse_conditions(texts: Iterable[str]) -> Where:
    """Return conditions written as ``COLUMN=VALUE``.

    Raises
    ------
    ReadError
        Without a column or without ``=`` (BT167).

    Examples
    --------
    >>> parse_conditions(["dataset=TAC08", "rule=a=b"])
    (('dataset', 'TAC08'), ('rule', 'a=b'))
    """
    pairs = []
    for text in texts:
        column, mark, value = text.partition("=")
        if not mark or not column.strip():
            raise ReadError(f"{quoted(text)} is not a condition. Write COLUMN=VALUE.", code="BT167")
        pairs.append((column.strip(), value.strip()))
    return tuple(pairs)


def by_column(where: Where) -> dict[str, list[str]]:
    """Return the values that each column may have."""
    values: dict[str, list[str]] = {}
    for column, value in where:
        values.setdefault(column, []).append(value)
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsOf:
    """Some rows and columns of another grid; locations in messages remain those of the file."""

    inner: Grid
    rows: IntArray = field(repr=False)
    columns: tuple[int, ...]

    @property
    def name(self) -> str:
        """The file, as the user named it."""
        return self.inner.name

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns that are left."""
        return tuple(self.inner.header[column] for column in self.columns)

    @property
    def n_rows(self) -> int:
        """Number of rows that are left."""
        return int(self.rows.size)

    def numbers(self, columns: Sequence[int]) -> FloatArray:
        """Return columns × rows; NaN is missing and infinity is not a number."""
        return self.inner.numbers([self.columns[column] for column in columns])[:, self.rows]

    def labels(self, column: int) -> Labels:
        """Return a column of names."""
        names = self.inner.labels(self.columns[column])
        return compact(Labels(names.codes[self.rows], names.names))

    def texts(self, column: int) -> list[str]:
        """Return a column of texts; an empty cell is an empty text."""
        every = self.inner.texts(self.columns[column])
        return [every[row] for row in self.rows.tolist()]

    def cell(self, row: int, column: int) -> str:
        """Return a cell as text, for messages."""
        return self.inner.cell(int(self.rows[row]), self.columns[column])

    def line(self, row: int) -> int | None:
        """Return the line of the file on which a row begins."""
        return self.inner.line(int(self.rows[row]))


class Selection(NamedTuple):
    """The rows that were kept, the numbers dropped by each condition, and a note."""

    grid: RowsOf
    dropped: dict[str, int]
    note: str

    def accounted(self, reading: Reading) -> Reading:
        """Return a reading of these rows as one of the whole grid."""
        return accounted(reading, self.grid.inner.n_rows, self.dropped, self.note)


def accounted(reading: Reading, n_rows: int, dropped: Mapping[str, int], note: str) -> Reading:
    """Return a reading of some rows as one of all `n_rows`, with the others dropped."""
    return replace(reading.with_note(note), rows_read=n_rows, dropped={**dropped, **reading.dropped})


def dropped_reason(column: str, values: Sequence[str]) -> str:
    """Return the reason why a condition drops a row."""
    return f"{column} is not {' or '.join(values)}"


def select(grid: Grid, where: Where, *, named: Iterable[str] = ()) -> Selection:
    """Keep the rows of a grid that satisfy all conditions.

    The columns of the conditions are removed, because they are now constant, unless they have a role (such as the
    metric's name), are `named` by the user, or still distinguish tables because several of their values were chosen.

    Raises
    ------
    UnknownName
        When there is no such column.
    ReadError
        When a value never occurs, or no row satisfies all conditions (BT167).

    Examples
    --------
    >>> from betterthan.read.grid.grid import MemoryGrid
    >>> grid = MemoryGrid(name="t", header=("lp", "A"), columns=[["en-de", "zh-en", "en-de"], ["1", "2", "3"]])
    >>> chosen = select(grid, (("lp", "en-de"),))
    >>> chosen.grid.header, chosen.grid.n_rows, chosen.dropped
    (('A',), 2, {'lp is not en-de': 1})
    """
    conditions_of = by_column(where)
    is_chosen = np.ones(grid.n_rows, dtype=np.bool_)
    dropped: dict[str, int] = {}
    for column, values in conditions_of.items():
        fits = _fits(grid, column, values)
        dropped[dropped_reason(column, values)] = int((is_chosen & ~fits).sum())
        is_chosen &= fits
    if not is_chosen.any():
        raise nothing_left(conditions_of, path=grid.name)
    held = {
        *named,
        *(column for column, values in conditions_of.items() if _still_tells(grid, column, values)),
    }
    gone = {column for column in conditions_of if plain(column) not in _ROLE_NAMES and column not in held}
    columns = tuple(i for i, name in enumerate(grid.header) if name not in gone)
    rows = RowsOf(inner=grid, rows=np.flatnonzero(is_chosen), columns=columns)
    reasons = {reason: count for reason, count in dropped.items() if count}
    note = selection_note(conditions_of, rows.n_rows, grid.n_rows) + _other_case(grid, conditions_of)
    return Selection(rows, reasons, note)


def _other_case(grid: Grid, conditions_of: Mapping[str, Sequence[str]]) -> str:
    """Return a note on values that were left out although they differ from a kept one only in case."""
    text = ""
    for column, values in conditions_of.items():
        chosen = {value.strip() for value in values}
        folded = {value.casefold() for value in chosen}
        names = dict.fromkeys(name.strip() for name in grid.labels(grid.header.index(column)).names)
        other = [quoted(name) for name in names if name not in chosen and name.casefold() in folded]
        if other:
            text += f" Not kept, although only the case differs: {some_of(other)}."
    return text


def _fits(grid: Grid, column: str, values: Sequence[str]) -> BoolArray:
    if column not in grid.header:
        raise unknown_name("column", column, grid.header)
    labels = grid.labels(grid.header.index(column))
    stripped = [name.strip() for name in labels.names]
    has_empty = bool((labels.codes < 0).any())
    for value in values:
        if value.strip() not in stripped and not (is_missing(value) and has_empty):
            raise never_occurs(column, value, stripped, path=grid.name)
    chosen = {"" if is_missing(value) else value.strip() for value in values}
    # The last position is for the empty cell, whose code is -1.
    fitting = np.array([*(name in chosen for name in stripped), "" in chosen], dtype=np.bool_)
    return np.asarray(fitting[labels.codes])


def _still_tells(grid: Grid, column: str, values: Sequence[str]) -> bool:
    """Whether a column with several chosen values identifies the table of a row."""
    if len(set(values)) < 2:
        return False
    return is_descriptive(column) or bool(has_text(grid.numbers([grid.header.index(column)]))[0])


def never_occurs(column: str, value: str, seen: Sequence[str], *, path: str) -> ReadError:
    """Build the error for a value that no row has."""
    known = some_of([quoted(name) for name in seen], limit=MOST_VALUES) or "none"
    return ReadError(
        f"No row has {quoted(value)} in column {quoted(column)}. Values in the column: {known}.",
        path=path,
        code="BT167",
    )


def nothing_left(conditions_of: Mapping[str, Sequence[str]], *, path: str) -> ReadError:
    """Build the error for conditions that hold separately, but never together."""
    text = " and ".join(f"{column} = {' or '.join(values)}" for column, values in conditions_of.items())
    return ReadError(
        f"No row has {text} at the same time. Leave out one of the conditions.", path=path, code="BT167"
    )


def selection_note(conditions_of: Mapping[str, Sequence[str]], n_kept: int, n_rows: int) -> str:
    """Return a note on the rows that were kept."""
    text = " and ".join(f"{column} = {' or '.join(values)}" for column, values in conditions_of.items())
    return f"Only rows with {text} were kept: {n_kept:,} of {n_rows:,}."


class Distinguishing(NamedTuple):
    """A column that distinguishes two rows: its name, the value of the first row, and its codes for every row."""

    name: str
    value: str
    codes: Codes


def distinguishing_column(grid: Grid, first: int, second: int) -> Distinguishing | None:
    """Return the first column that may sort rows into tables or runs and differs in two rows.

    Columns with a role, and numbers that may be scores, are not considered.
    """
    if isinstance(grid, RowsOf):
        # A column with several chosen values is removed from the rows, but distinguishes them.
        found = distinguishing_column(grid.inner, int(grid.rows[first]), int(grid.rows[second]))
        return None if found is None else found._replace(codes=found.codes[grid.rows])
    for column, name in enumerate(grid.header):
        if not name or plain(name) in _ROLE_NAMES:
            continue
        one, other = (grid.cell(row, column).strip() for row in (first, second))
        if one and other and one != other and _sorts_rows(grid, column, name):
            return Distinguishing(name, one, grid.labels(column).codes)
    return None


def telling_column(grid: Grid, first: int, second: int) -> str | None:
    """Return the hint for two rows of the same cell when another column distinguishes them.

    Examples
    --------
    >>> from betterthan.read.grid.grid import MemoryGrid
    >>> columns = [["en-de", "zh-en"], ["A", "A"], ["1", "2"]]
    >>> telling_column(MemoryGrid(name="t", header=("lp", "system", "score"), columns=columns), 0, 1)
    'Column "lp" distinguishes the rows: keep one value of it with where={"lp": "en-de"}.'
    """
    found = distinguishing_column(grid, first, second)
    return None if found is None else distinguishing_hint(found)


def distinguishing_hint(found: Distinguishing, *, are_tasks: bool = False) -> Message:
    """Return what to do about a column that distinguishes rows; `are_tasks` offers a board over all its values."""
    column, where = quoted(found.name), Option("where", {found.name: found.value})
    if plain(found.name) in _RUNS:
        return Message(
            "Column {column} numbers repeated runs: name it with {run}, average them with {mean}, or keep one "
            "with {where}.",
            column=column,
            run=Option("run", found.name),
            mean=Option("duplicates", "mean"),
            where=where,
        )
    if are_tasks:
        return Message(
            "Column {column} distinguishes the rows: keep one value of it with {where}, or use board with {task} to "
            "rank over all of them as tasks.",
            column=column,
            where=where,
            task=Option("task", found.name),
        )
    return Message(
        "Column {column} distinguishes the rows: keep one value of it with {where}.",
        column=column,
        where=where,
    )


def run_column(grid: Grid, rows: IntArray, cell: IntArray, n_runs: int) -> str | None:
    """Return the column without a role that has as many values as each cell has rows, and never twice the same.

    Examples
    --------
    >>> from betterthan.read.grid.grid import MemoryGrid
    >>> grid = MemoryGrid(name="t", header=("copy", "score"), columns=[["1", "2", "1", "2"], ["3", "4", "5", "6"]])
    >>> run_column(grid, np.arange(4), np.array([0, 0, 1, 1]), 2)
    'copy'
    """
    for column, name in enumerate(grid.header):
        if not name or plain(name) in _ROLE_NAMES:
            continue
        try:
            labels = grid.labels(column)
        except ReadError:  # objects or lists
            continue
        if len(labels.names) == n_runs and are_distinct(cell, labels.codes[rows]):
            return name
    return None


def are_distinct(cell: IntArray, codes: Codes) -> bool:
    """Whether no two rows have the same cell and the same code, and every row has one."""
    pairs = cell.astype(np.int64) * (int(codes.max(initial=0)) + 1) + codes
    return bool((codes >= 0).all()) and np.unique(pairs).size == cell.size


def _sorts_rows(grid: Grid, column: int, name: str) -> bool:
    """Whether a column describes rows or has recurring texts."""
    try:
        n_values = len(grid.labels(column).names)
    except ReadError:  # objects or lists
        return False
    if is_descriptive(name) or plain(name) in _RUNS:
        return True
    return n_values <= min(_FEW, grid.n_rows // 2) and bool(has_text(grid.numbers([column]))[0])


# Columns that the user leaves out or keeps as systems, and options that do not apply to a layout. A silently ignored
# option would answer a different question.


def without_ignored(grid: Grid, options: Options) -> Grid:
    """Return a table without the columns to ignore.

    Raises
    ------
    UnknownName
        When a name to ignore or to keep is not a column.
    ReadError
        When a column is both ignored and used (BT214).
    """
    for name in (*options.ignore_columns, *options.keep_columns):
        if name not in grid.header:
            raise unknown_name("column", name, grid.header)
    if not options.ignore_columns:
        return grid
    for name in options.ignore_columns:
        if name in options.keep_columns or name in options.columns.values():
            raise ReadError(
                f"Column {quoted(name)} is both ignored and used. Leave out one of the two options.",
                path=grid.name,
                code="BT214",
            )
    columns = tuple(i for i, name in enumerate(grid.header) if name not in set(options.ignore_columns))
    return RowsOf(inner=grid, rows=np.arange(grid.n_rows), columns=columns)


def forced_columns(grid: Grid, options: Options) -> frozenset[int]:
    """Return the positions of the columns that are systems or metrics by the user's choice."""
    return frozenset(column for column, name in enumerate(grid.header) if name in options.keep_columns)


def hidden(header: tuple[str, ...], forced: frozenset[int]) -> tuple[str, ...]:
    """Return a header with blank names for kept columns, so that none of them is matched to a role."""
    return tuple("" if column in forced else name for column, name in enumerate(header))


def refuse_unused(options: Options, layout: Format, *, path: str) -> None:
    """Raise when columns were named for a layout with fixed columns.

    Raises
    ------
    ReadError
        With the option to leave out (BT230).
    """
    if layout.name == SEVERAL:
        return
    for role, column in options.columns.items():
        if role == "category" and role not in layout.columns:
            raise ReadError(
                Message(
                    "Boards by category are for battles, and this is {layout}. To analyze a part of it, use {where}.",
                    layout=layout.description,
                    where=Option("where", {column: VALUE}),
                ),
                path=path,
                code="BT230",
            )
        if role not in layout.columns:
            raise ReadError(
                Message(
                    "{option} cannot be applied here, because this is {layout}. Leave it out.",
                    option=role_option(role, column),
                    layout=layout.description,
                ),
                path=path,
                code="BT230",
            )
    if options.factors and "system" not in layout.columns:
        raise ReadError(
            Message(
                "{option} cannot be applied here, because this is {layout}. Leave it out.",
                option=Option("system", list(options.factors)),
                layout=layout.description,
            ),
            path=path,
            code="BT230",
        )
    of_battles = {"both_bad": options.both_bad == "drop", "winner_labels": bool(options.winner_labels)}
    for name, is_given in of_battles.items():
        if is_given and layout.kind != "matches":
            raise ReadError(
                Message(
                    "{option} is for battles, and this is {layout}. Leave it out.",
                    option=Option(name),
                    layout=layout.description,
                ),
                path=path,
                code="BT230",
            )


def refuse_unknown_directions(options: Options, metrics: Collection[str]) -> None:
    """Raise when a direction is set for a metric that does not exist: a typo could silently reverse a ranking."""
    named = (options.lower_is_better | options.higher_is_better) - {EVERY}
    for name in sorted(named - set(metrics)):
        raise unknown_name("metric", name, metrics)
