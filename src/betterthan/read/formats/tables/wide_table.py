"""Wide tables: one row for each segment, one column of scores for each system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.formats.tables.cells import fill, nameless_row, one_score_each, usable_groups
from betterthan.read.formats.tables.tables_in_one_file import read_separately
from betterthan.read.grid.beginning import Peek, once, peek
from betterthan.read.grid.columns import find, is_called_score, is_descriptive, plain, role_option
from betterthan.read.grid.grid import (
    Grid,
    Labels,
    MemoryGrid,
    check_numbers,
    compact,
    fault,
    first_rows,
    has_numbers,
    has_text,
    is_like_a_number,
    quoted,
    score_numbers,
)
from betterthan.read.grid.numerals import parse_all
from betterthan.read.grid.open_grid import leave_out_nameless, read_table
from betterthan.read.grid.selection import RowsOf, forced_columns, hidden, without_ignored
from betterthan.read.plausibility.columns import doubtful_columns, meaning_of, refuse
from betterthan.read.plausibility.direction import direction
from betterthan.read.plausibility.layout import (
    LAST_ROWS,
    SummaryRows,
    check_layout,
    refuse_odd_row,
    summary_rows,
)
from betterthan.read.plausibility.score_warnings import doubts_of
from betterthan.read.protocol import OF_SCORES, Format, Guess, Options, Reading, reason
from betterthan.read.source.source import Source
from betterthan.tables.row_order import RowOrder, numbers
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="wide",
    kind="scores",
    description="a table with one row for each segment and one column of scores for each system",
    columns=OF_SCORES,
    chooses_columns=True,
    rows="grid",
)
_ROLES = ("item", "group")
# Columns beside the scores of runs that say what went wrong, or why.
_REMARKS = frozenset(
    (
        *("error", "errors", "errormessage", "errortype", "exception", "traceback", "message"),
        *("reason", "failurereason", "finishreason", "stopreason", "explanation", "rationale"),
        *("comment", "comments", "note", "notes"),
    )
)
# Texts that represent a score or a missing score, and not a remark.
OUTCOMES = frozenset(
    [
        "yes",
        "no",
        "pass",
        "passed",
        "fail",
        "failed",
        "correct",
        "incorrect",
        "right",
        "wrong",
        "error",
        "timeout",
    ]
)
_INPUTS = frozenset(("prompt", "question", "query", "instruction", "input", "source", "src", "problem"))


@once
def sniff(source: Source) -> Guess | None:
    """Recognize a table in which columns other than ids hold numbers."""
    return guess(peek(source), path=source.name)


def guess(look: Peek, *, path: str) -> Guess | None:
    """Return the confidence that a table is wide."""
    try:
        roles = find(look.header, {}, ("item", "group", "system", "score"), path=path)
    except ReadError:
        roles = {}
    if "system" in roles and ("score" in roles or not holds_numbers(look, roles["system"])):
        return None
    if not look.rows:
        return Guess(confidence=0.1, because="a header without rows") if look.header else None
    ids = {roles[role] for role in _ROLES if role in roles}
    systems = [i for i in range(len(look.header)) if i not in ids and holds_numbers(look, i)]
    if not systems:
        return None
    if "system" in roles:
        return Guess(confidence=0.5, because=f"{len(systems)} columns hold numbers and may be systems")
    because = f"{len(systems)} column{'' if len(systems) == 1 else 's'} of numbers, one per system"
    return Guess(confidence=0.7 if len(systems) > 1 else 0.4, because=because)


def holds_numbers(look: Peek, column: int) -> bool:
    """Whether the first rows of a column are scores, or are written like numbers."""
    if is_descriptive(look.header[column]):
        return False
    numbers = parse_all(look.column(column))
    if np.isfinite(numbers).any():
        return True
    # Percent signs can be read; for decimal commas and units the reader has a specific message.
    texts = [cell for cell, number in zip(look.column(column), numbers, strict=True) if np.isinf(number)]
    return bool(texts) and all(isinstance(cell, str) and is_like_a_number(cell) for cell in texts)


def read(source: Source, options: Options) -> Reading:
    """Read a wide table into one :class:`Scores`; the run of one system into one for each metric."""
    return read_table(source, options, read_grid, because=reason(sniff(source)))


def read_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    """Read a grid as a wide table; `stem` names the metric, where columns are systems."""
    table = without_ignored(grid, options)
    return read_separately(table, options, lambda part: _read_one(part, options, stem=stem, because=because))


def _read_one(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    runs = _run_column(grid, options)
    if runs is not None:
        return _read_runs(grid, options, runs, stem=stem, because=because)
    n_rows = grid.n_rows
    columns = _columns(grid, options)
    summaries = _summaries(columns)
    if summaries is not None:
        columns = columns.without_rows(summaries.rows)
    body = _body(columns, options)
    if body.values.shape[1] <= 1:
        raise one_score_each(grid)
    dropped = {"empty row": body.empty, "duplicate": body.merged}
    counted = tuple(
        f"{count:,} row{' was' if count == 1 else 's were'} left out: {why}."
        for why, count in dropped.items()
        if count
    )
    dropped["summary row"] = n_rows - columns.grid.n_rows
    notes = (*columns.notes, *([summaries.note] if summaries else []), *body.notes)
    order = None
    if "item" not in columns.roles:
        order = RowOrder(columns.grid.n_rows, _unused_ids(columns, is_run=options.run is not None))
    tables = tuple(
        _scores(part, body, options, row_order=order, notes=(*notes, *counted))
        for part in _parts(columns.names, body.values, options, stem)
    )
    return Reading(
        format=FORMAT,
        because=because,
        tables=tables,
        rows_read=n_rows,
        rows_kept=n_rows - sum(dropped.values()),
        dropped={reason: count for reason, count in dropped.items() if count},
        notes=notes,
        problems=doubts_of(tables, place=grid.name),
    )


def _run_column(grid: Grid, options: Options) -> int | None:
    """Return the column of runs, where the user names one or segments repeat; else None."""
    if options.run is not None or options.duplicates != "raise":
        return None
    roles = find(grid.header, options.columns, ("item", "run"), path=grid.name)
    if "run" not in roles or "item" not in roles:
        return None
    is_repeated = len(grid.labels(roles["item"]).names) < grid.n_rows
    return roles["run"] if "run" in options.columns or is_repeated else None


def _read_runs(grid: Grid, options: Options, run: int, *, stem: str, because: str) -> Reading:
    """Read repeated rows as runs: as a long table with a row for each system."""
    from betterthan.read.formats.tables import long_table  # noqa: PLC0415  (it reads turned tables by this module)

    rest = tuple(i for i in range(len(grid.header)) if i != run)
    rows = RowsOf(inner=grid, rows=np.arange(grid.n_rows), columns=rest)
    named = {role: name for role, name in options.columns.items() if role != "run"}
    columns = _columns(rows, replace(options, columns=named))
    m, header = len(columns.systems), grid.header[run]
    labels = {
        role: columns.grid.texts(column)
        for role, column in columns.roles.items()
        if role in ("item", "group")
    }
    parts = {**{role: cells * m for role, cells in labels.items()}, header: grid.texts(run) * m}
    parts |= {"system": [name for name in columns.names for _ in range(grid.n_rows)]}
    long = MemoryGrid(
        name=grid.name,
        header=(*parts, "score"),
        columns=[*parts.values(), columns.values.ravel()],
    )
    roles = {name: name for name in (*labels, "system", "score")} | {"run": header}
    reading = long_table.read_grid(long, replace(options, columns=roles), stem=stem, because=because)
    notes = tuple(note for note in columns.notes if header not in note)
    return replace(
        reading,
        format=FORMAT,
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows,
        dropped={},
        notes=(*notes, *reading.notes),
    )


class _MetricColumns(NamedTuple):
    """The scores of one metric."""

    name: str
    systems: tuple[str, ...]
    values: FloatArray


def _parts(
    names: tuple[str, ...], values: FloatArray, options: Options, stem: str
) -> Iterator[_MetricColumns]:
    """Yield the metrics: the whole table is one, but in the run of a system each column is one."""
    run = options.run
    if run is None:
        yield _MetricColumns(options.name or stem, names, values)
        return
    for row, name in enumerate(names):
        metric = run.metric if is_called_score(name) or name == run.system else name
        yield _MetricColumns(
            options.name if options.name and len(names) == 1 else metric, (run.system,), values[[row]]
        )


def _scores(
    part: _MetricColumns, body: _Body, options: Options, *, row_order: RowOrder | None, notes: tuple[str, ...]
) -> Scores:
    way = direction(part.name, part.values, options)
    return Scores(
        name=part.name,
        systems=part.systems,
        segments=body.segments,
        values=part.values,
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        groups=body.groups,
        row_order=row_order,
        notes=(*notes, *way.notes),
    )


class _Columns(NamedTuple):
    """The columns of a wide table by their roles."""

    grid: Grid
    roles: dict[str, int]
    systems: list[int]
    values: FloatArray
    texts: list[int]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems, or of the metrics in the run of one system."""
        return tuple(self.grid.header[column] for column in self.systems)

    def without_rows(self, gone: BoolArray) -> _Columns:
        """Return the same columns without some rows."""
        rows = np.flatnonzero(~gone)
        part = RowsOf(inner=self.grid, rows=rows, columns=tuple(range(len(self.grid.header))))
        return self._replace(grid=part, values=self.values[:, rows])


def _columns(grid: Grid, options: Options) -> _Columns:
    """Find segments, documents and systems.

    Raises
    ------
    ReadError
        When a column may be something other than a system (BT210, BT211), the table may have another layout (BT019,
        BT212, BT215), or a cell is not a number.
    """
    forced = forced_columns(grid, options)
    nameless, notes = leave_out_nameless(grid)
    roles = find(hidden(grid.header, forced), options.columns, _ROLES, path=grid.name)
    taken = {*roles.values(), *nameless}
    free = [
        i
        for i, name in enumerate(grid.header)
        if i not in taken and (i in forced or not is_descriptive(name))
    ]
    values, percents = score_numbers(grid, free)
    check_layout(grid, free, values, roles=roles, named=options.columns, forced=forced)
    notes = (*notes, *_described(grid, {*free, *taken}), *percents)
    identifiers, named = _identifiers(grid, free, roles, forced)
    chosen = [i for i, column in enumerate(free) if column not in identifiers]
    free, values = [free[i] for i in chosen], values[chosen]
    texts = _texts(grid, free, values, forced, is_run=options.run is not None)
    systems = [column for column in free if column not in texts]
    values = values[[free.index(column) for column in systems]]
    # A name or scale that is suspicious for a system is usual for the metrics of a run.
    doubtful = [] if options.run else doubtful_columns(grid.header, systems, values, forced=forced)
    if doubtful:
        raise refuse(grid, doubtful, systems)
    left_out = [quoted(grid.header[column]) for column in texts]
    remarks = (f"Columns without numbers were left out: {some_of(left_out)}.",) if left_out else ()
    return _Columns(grid, roles, systems, values, texts, (*notes, *named, *remarks))


def _described(grid: Grid, others: set[int]) -> tuple[str, ...]:
    """Return a note on columns of numbers left out because their names describe rows."""
    rest = [column for column in range(len(grid.header)) if column not in others]
    left_out = [column for column in rest if has_numbers(grid.numbers([column]))[0]]
    names = some_of([quoted(grid.header[column]) for column in left_out])
    return (f"Columns that describe rows were left out: {names}.",) if left_out else ()


def _identifiers(
    grid: Grid, free: list[int], roles: dict[str, int], forced: frozenset[int]
) -> tuple[set[int], tuple[str, ...]]:
    """Find columns that are ids by name and values; the first one identifies the segments if no other does."""
    ids = [
        column
        for column in free
        if column not in forced and meaning_of(grid.header[column]) == "identifier" and _is_key(grid, column)
    ]
    if not ids or len(ids) == len(free):
        return set(), ()
    notes = []
    if "item" not in roles:
        roles["item"] = ids[0]
        notes.append(f"Column {quoted(grid.header[ids[0]])} names the segments.")
    more = [quoted(grid.header[column]) for column in ids if column != roles["item"]]
    if more:
        notes.append(f"Columns of ids were left out: {some_of(more)}.")
    return set(ids), tuple(notes)


def _is_key(grid: Grid, column: int) -> bool:
    """Whether a column has a whole number or a text on every row, and never the same twice."""
    numbers = grid.numbers([column])[0]
    known = numbers[np.isfinite(numbers)]
    return bool((known == np.round(known)).all()) and _unique_names(grid, column) is not None


def _unique_names(grid: Grid, column: int) -> tuple[str, ...] | None:
    """Return the names in a column that has one on every row and never the same twice; else None."""
    try:
        labels = grid.labels(column)
    except ReadError:  # objects or lists
        return None
    return labels.names if len(labels.names) == grid.n_rows and not (labels.codes < 0).any() else None


def _texts(
    grid: Grid, free: list[int], values: FloatArray, forced: frozenset[int], *, is_run: bool
) -> list[int]:
    """Return the columns of remarks: those with text and without any number."""
    numeric = has_numbers(values)
    # A column with text but without numbers is a remark; an empty one is a system without scores.
    text = has_text(values) & ~numeric
    if text.any() and numeric.any() and numeric.sum() < 2 and not is_run:
        text[:] = False
    for i, column in enumerate(free):
        # Units and decimal commas turn numbers into text, and a system must not be lost by that.
        cell = _first_cell(grid, column, values[i]) if text[i] else ""
        if text[i] and (column in forced or is_like_a_number(cell)):
            text[i] = False
        elif (
            cell.strip().casefold() in OUTCOMES
            and numeric.any()
            and plain(grid.header[column]) not in _REMARKS
        ):
            raise fault(
                grid,
                Message(
                    "Column {column} holds {cell}, which is not a number. Write 1 and 0 for right and wrong, leave "
                    "missing scores empty, or leave the column out: {ignore}.",
                    column=quoted(grid.header[column]),
                    cell=quoted(cell),
                    ignore=Option("ignore", [grid.header[column]]),
                ),
                code="BT013",
            )
    chosen = [i for i in range(len(free)) if not text[i]]
    _check_names_among_numbers(grid, [free[i] for i in chosen], values[chosen])
    check_numbers(grid, values[chosen], [free[i] for i in chosen])
    if not numeric.any():
        raise fault(
            grid,
            Message(
                "No column holds scores (columns: {columns}). Write one column of numbers per system, or name the "
                "columns of a long table with {system}, {item} and {score}.",
                columns=some_of(grid.header),
                system=role_option("system"),
                item=role_option("item"),
                score=role_option("score"),
            ),
            code="BT021",
        )
    return [column for column, skip in zip(free, text, strict=True) if skip]


def _check_names_among_numbers(grid: Grid, columns: Sequence[int], values: FloatArray) -> None:
    """Raise when most cells of a column are text, with the options for ids and remarks.

    Some hashes, such as 1234e08, look like numbers.

    Where most cells are numbers, the others are mistakes.
    """
    for column, row in zip(columns, values, strict=True):
        n_texts, n_numbers = int(np.isinf(row).sum()), int(np.isfinite(row).sum())
        cell = _first_cell(grid, column, row) if n_texts else ""
        if not n_texts > n_numbers > 0 or is_like_a_number(cell):
            continue
        name = grid.header[column]
        is_key = _unique_names(grid, column) is not None
        item = Message(" If it names the segments, use {item}.", item=Option("item", name)) if is_key else ""
        raise fault(
            grid,
            Message(
                "Column {column} holds text such as {cell} in {n_texts:,} of {n_rows:,} rows and numbers in others, "
                "so it may not be a system. Leave it out with {ignore}.{item}",
                column=quoted(name),
                cell=quoted(cell),
                n_texts=n_texts,
                n_rows=grid.n_rows,
                ignore=Option("ignore", [name]),
                item=item,
            ),
            row=int(np.flatnonzero(np.isinf(row))[0]),
            code="BT013",
        )


def _first_cell(grid: Grid, column: int, numbers: FloatArray) -> str:
    return grid.cell(int(np.flatnonzero(np.isinf(numbers))[0]), column)


def _summaries(columns: _Columns) -> SummaryRows | None:
    grid = columns.grid
    named = [columns.roles["item"]] if "item" in columns.roles else columns.texts[:1]
    last = min(LAST_ROWS, grid.n_rows)
    labels = [""]
    if named:
        codes, names = labelled = grid.labels(named[0])
        if "item" in columns.roles:
            refuse_odd_row(grid, labelled, columns.values)
        labels = ["" if code < 0 else names[code].strip() for code in codes[-last:].tolist()]
    return summary_rows(grid, labels, columns.values)


class _Body(NamedTuple):
    """The rows of a wide table as segments."""

    segments: tuple[str, ...]
    groups: tuple[str, ...] | None
    values: FloatArray
    empty: int = 0
    merged: int = 0
    notes: tuple[str, ...] = ()


def _body(columns: _Columns, options: Options) -> _Body:
    grid, roles, values = columns.grid, columns.roles, columns.values
    # Messages name the system, also where the column is its only metric.
    systems = (options.run.system,) if options.run and len(columns.names) == 1 else columns.names
    labels = {role: grid.labels(column) for role, column in roles.items()}
    if "item" not in labels:
        return _by_order(labels, values)
    nameless = labels["item"].codes < 0
    lost = np.flatnonzero(nameless & ~np.isnan(values).all(axis=0))
    if lost.size:
        what = nameless_row(grid, int(lost[0]), roles["item"], "segment")
        raise fault(grid, what, row=int(lost[0]), code="BT105")
    rows = np.flatnonzero(~nameless)
    labels = {role: compact(Labels(names.codes[rows], names.names)) for role, names in labels.items()}
    labels, notes = usable_groups(labels, is_named="group" in options.columns)
    body = _by_name(grid, rows, {**labels, "system": _each(systems, rows.size)}, values[:, rows], options)
    return body._replace(empty=grid.n_rows - rows.size, notes=notes)


def _by_order(labels: dict[str, Labels], values: FloatArray) -> _Body:
    """Number the segments by row, because there are no ids."""
    segments = numbers(values.shape[1])
    groups = labels.get("group")
    if groups is None or (groups.codes < 0).any():
        notes = () if groups is None else ("Documents were left out, because some rows name none.",)
        return _Body(segments, None, values, notes=notes)
    return _Body(segments, tuple(groups.names[code] for code in groups.codes.tolist()), values)


def _unused_ids(columns: _Columns, *, is_run: bool) -> tuple[str, ...]:
    """Return the columns of text with a unique value without blanks in every row, as ids have."""
    grid, used = columns.grid, {*columns.systems, *columns.roles.values()}
    names_of_ids = []
    for column, name in enumerate(grid.header):
        # The prompt is the same in all runs, and so identifies rows like an id.
        is_input = is_run and plain(name) in _INPUTS
        if name and column not in used and (is_input or not is_descriptive(name)):
            names = _unique_names(grid, column)
            if names is not None and (is_input or not any(" " in each.strip() for each in names)):
                names_of_ids.append(name)
    return tuple(names_of_ids)


def _each(systems: tuple[str, ...], n_rows: int) -> Labels:
    """Return the system of each cell, row by row of systems × rows."""
    return Labels(np.repeat(np.arange(len(systems), dtype=np.int32), n_rows), systems)


def _by_name(
    grid: Grid, rows: IntArray, labels: dict[str, Labels], values: FloatArray, options: Options
) -> _Body:
    items, systems = labels["item"], labels["system"]
    merged = rows.size - len(items.names)
    if merged:
        # Only a table with repeated segments needs the slower layout cell by cell.
        values = fill(
            grid,
            np.tile(rows, len(systems.names)),
            segments=Labels(np.tile(items.codes, len(systems.names)), items.names),
            systems=systems,
            scores=values.ravel(),
            duplicates=options.duplicates,
        ).values
    groups = labels.get("group")
    first = first_rows(items.codes, len(items.names))
    named = None if groups is None else tuple(groups.names[c] for c in groups.codes[first].tolist())
    return _Body(items.names, named, values, merged=merged)
