"""Long tables: one score per row, with columns for the system, the segment and the score.

Repeated rows are runs, and several columns may name a system together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import ReadError, TableError, some_of, unknown_name
from betterthan.messages import COLUMN, Message, Option, joined
from betterthan.read.formats.tables import wide_table
from betterthan.read.formats.tables.cells import (
    fill,
    nameless_row,
    one_score_each,
    second_rows,
    usable_groups,
)
from betterthan.read.formats.tables.tables_in_one_file import read_separately
from betterthan.read.grid.beginning import Peek, once, peek
from betterthan.read.grid.columns import TASKS, find, is_descriptive, plain, role_option
from betterthan.read.grid.grid import (
    Grid,
    Labels,
    check_numbers,
    compact,
    fault,
    first_rows,
    has_numbers,
    has_text,
    quoted,
    score_numbers,
)
from betterthan.read.grid.numerals import parse_all
from betterthan.read.grid.open_grid import leave_out_nameless, read_table
from betterthan.read.grid.selection import forced_columns, hidden, telling_column, without_ignored
from betterthan.read.plausibility.columns import meaning_of, refuse_summary_system
from betterthan.read.plausibility.direction import direction
from betterthan.read.plausibility.layout import TURNED, check_systems, refuse_summary, turned_table
from betterthan.read.plausibility.score_warnings import doubts_of
from betterthan.read.protocol import (
    COLUMNS_NAMED,
    OF_SCORES,
    WHOLE_SYSTEM,
    Format,
    Guess,
    Options,
    Reading,
    reason,
)
from betterthan.read.source.source import Source
from betterthan.tables.runs import Levels, Runs
from betterthan.tables.scores import Scores

FACTOR = "system:"
"""The beginning of the names of columns that name the systems together, in tables that were converted."""
BETWEEN = " + "
"""Between the levels in the name of a system, such as "gpt + terse"."""
_INDEPENDENT = frozenset({"sample", "repeat", "repetition", "attempt", "epoch"})
ONLY_RUN = "1"
"""The name of the only run, where a table has no column of runs."""


def factor_columns(header: Sequence[str], options: Options) -> dict[str, int]:
    """Return the columns that name the systems together, by factor; empty where a single column does.

    Raises
    ------
    UnknownName
        When a named column does not exist.

    Examples
    --------
    >>> factor_columns(["item", "model", "prompt"], Options(factors=("model", "prompt")))
    {'model': 1, 'prompt': 2}
    >>> factor_columns(["item", "system:model", "score"], Options())
    {'model': 1}
    """
    for place, name in enumerate(options.factors):
        if name not in header:
            raise unknown_name("column", name, header)
        if name in options.factors[:place]:
            raise TableError(f'Column "{name}" is named twice. Leave one of the two out.')
    if options.factors:
        return {name: list(header).index(name) for name in options.factors}
    if "system" in options.columns:
        return {}
    return {name.removeprefix(FACTOR): i for i, name in enumerate(header) if name.startswith(FACTOR)}


def system_labels(parts: Sequence[Labels]) -> Labels:
    """Return the systems as combinations of the levels of all factors.

    Examples
    --------
    >>> model, prompt = (Labels(np.array(codes), names) for codes, names in (([0, 1], ("A", "B")), ([0, 0], ("x",))))
    >>> system_labels([model, prompt]).names
    ('A + x', 'B + x')
    """
    codes = np.zeros(parts[0].codes.size, dtype=np.int64)
    for part in parts:
        codes = np.where((codes < 0) | (part.codes < 0), -1, codes * (len(part.names) + 1) + part.codes)
    distinct, inverse = np.unique(codes, return_inverse=True)
    empty = int(distinct[0] < 0)
    systems = (inverse - empty).astype(np.int32)
    levels = system_levels(parts, Labels(systems, ("",) * (distinct.size - empty)))
    return compact(Labels(systems, tuple(map(BETWEEN.join, levels))))


def system_levels(parts: Sequence[Labels], systems: Labels) -> Levels:
    """Return the level of each factor of each system."""
    first = first_rows(systems.codes, len(systems.names))
    return tuple(tuple(part.names[part.codes[row]] for part in parts) for row in first.tolist())


def is_repeated(segments: Labels, systems: Labels) -> bool:
    """Whether a segment of a system has several rows."""
    cell = systems.codes.astype(np.int64) * len(segments.names) + segments.codes
    seen = np.zeros(len(systems.names) * len(segments.names), dtype=np.bool_)
    seen[cell] = True
    return int(np.count_nonzero(seen)) < cell.size


def runs_table(
    grid: Grid,
    rows: IntArray,
    labels: Mapping[str, Labels],
    scores: FloatArray,
    *,
    name: str,
    factors: Mapping[str, Labels],
    run_column: str | None,
) -> tuple[Runs, int]:
    """Return rows of a long table as runs, and the number of rows without a score.

    Raises
    ------
    ReadError
        When a row names no run (BT105), or a segment of a system occurs twice in a run (BT101).
    """
    segments, systems = labels["item"], labels["system"]
    runs = labels.get("run") or Labels(np.zeros(rows.size, dtype=np.int32), (ONLY_RUN,))
    nameless = np.flatnonzero(runs.codes < 0)
    if nameless.size:
        row = int(rows[nameless[0]])
        raise fault(
            grid, f"Column {quoted(str(run_column))} names no run here. Fill it in.", row=row, code="BT105"
        )
    cell = systems.codes.astype(np.int64) * len(segments.names) + segments.codes
    key = cell * len(runs.names) + runs.codes
    ordered = np.sort(key)
    if (ordered[1:] == ordered[:-1]).any():
        raise _twice(grid, rows, key, (segments, systems, runs), run_column)
    known = ~np.isnan(scores)
    lost = int((~known).sum())
    table = Runs(
        name=name,
        systems=systems.names,
        segments=segments.names,
        runs=runs.names,
        system=systems.codes[known].astype(np.int64),
        segment=segments.codes[known].astype(np.int64),
        run=runs.codes[known].astype(np.int64),
        score=scores[known],
        factors=tuple(factors),
        levels=system_levels(tuple(factors.values()), systems) if factors else (),
        independent=run_column is not None and plain(run_column) in _INDEPENDENT,
    )
    return table, lost


def _twice(
    grid: Grid, rows: IntArray, key: IntArray, labels: tuple[Labels, Labels, Labels], run_column: str | None
) -> Exception:
    first, second = second_rows(key)
    segment, system, run = (quoted(each.names[each.codes[second]]) for each in labels)
    line = grid.line(int(rows[first]))
    if run_column is None:
        hint = Message(
            "Name the column that numbers the runs with {run}, or average the rows with {mean}.",
            run=Option("run", COLUMN),
            mean=Option("duplicates", "mean"),
        )
    else:
        hint = joined(
            [
                telling_column(grid, int(rows[first]), int(rows[second])) or "",
                Message(
                    "Where several columns name a system, list them all in {system}.",
                    system=Option("system", [COLUMN, COLUMN]),
                ),
            ]
        )
    return fault(
        grid,
        Message(
            "Segment {segment} of system {system} was already given in {before}{run}. {hint}",
            segment=segment,
            system=system,
            before=f"line {line}" if line is not None else f"row {int(rows[first]) + 1}",
            run=f", also in run {run}" if run_column is not None else "",
            hint=hint,
        ),
        row=int(rows[second]),
        code="BT101",
    )


# The columns of a long table, by role, with every row accounted for.


_NEEDED = {"item": "segment", "system": "system", "metric": "metric", "judge": "judge"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LongColumns:
    """Labels of the kept rows, by role.

    Attributes
    ----------
    grid : Grid
    roles : dict
        The column of each role.
    rows : array of int
        The rows of the grid that are kept.
    labels : dict of str to Labels
        By role, for the kept rows.
    scores : dict of str to array of float
        By column name, for the kept rows; NaN is missing.
    dropped : int
        Empty rows.
    notes : tuple of str
    level : {"segment", "document", "system"}
        The unit of a score.
    factors : dict
        The labels of the columns that name the system together, where there are several; for the kept rows.
    """

    grid: Grid
    roles: dict[str, int]
    rows: IntArray = field(repr=False)
    labels: dict[str, Labels] = field(repr=False)
    scores: dict[str, FloatArray] = field(repr=False)
    dropped: int
    notes: tuple[str, ...]
    level: str = "segment"
    factors: dict[str, Labels] = field(default_factory=dict, repr=False)

    def declared(self, rows: IntArray | None) -> bool | None:
        """Return the direction of the metric in `rows` according to the file's own column.

        Raises
        ------
        ReadError
            When it is inconsistent, or neither true nor false (BT106).
        """
        directions = self.labels.get("direction")
        if directions is None:
            return None
        codes = np.unique(directions.codes if rows is None else directions.codes[rows])
        ways = set(parse_all(["" if code < 0 else directions.names[code] for code in codes]))
        if len(ways) == 1 and ways <= {0.0, 1.0}:
            return ways == {1.0}
        raise fault(
            self.grid,
            f'The column "{self.grid.header[self.roles["direction"]]}" must be true on every row of a metric, '
            f"or false on every row.",
            code="BT106",
        )


def load(grid: Grid, options: Options, roles: Sequence[str]) -> LongColumns:
    """Find the columns of `roles` and read them.

    Raises
    ------
    ReadError
        Without a system (BT021), item (BT021, BT103) or score column (BT021), at a row without a name in one of
        them (BT105), or at a cell that is not a number (BT013, BT014).
    """
    forced, factors = forced_columns(grid, options), factor_columns(grid.header, options)
    nameless, notes = leave_out_nameless(grid)
    header = hidden(grid.header, forced | frozenset(factors.values()))
    positions = find(
        header, options.columns, [role for role in roles if role != "system" or not factors], path=grid.name
    )
    if factors:
        positions["system"] = next(iter(factors.values()))
    _check_roles(grid, positions, roles)
    level = _level(grid, positions)
    score_columns, left_out = _score_columns(grid, positions, nameless | set(factors.values()), forced)
    values, percents = score_numbers(grid, score_columns)
    check_numbers(grid, values, score_columns)
    parts = {name: grid.labels(column) for name, column in factors.items()}
    labels = {
        role: grid.labels(column)
        for role, column in positions.items()
        if role != "score" and not (role == "system" and factors)
    }
    if factors:
        labels["system"] = system_labels(tuple(parts.values()))
    if level == "system":
        labels["item"] = Labels(np.zeros(grid.n_rows, dtype=np.int32), (WHOLE_SYSTEM,))
    rows = _rows_with_cells(labels, values)
    if rows.size < grid.n_rows:
        labels = {
            role: compact(Labels(positions.codes[rows], positions.names))
            for role, positions in labels.items()
        }
        values = values[:, rows]
    _check_names(grid, positions, labels, rows)
    labels, group_notes = usable_groups(labels, is_named="group" in options.columns)
    return LongColumns(
        grid=grid,
        roles=positions,
        rows=rows,
        labels=labels,
        scores={grid.header[column]: values[i] for i, column in enumerate(score_columns)},
        dropped=grid.n_rows - rows.size,
        notes=(*notes, *left_out, *percents, *group_notes),
        level=level,
        factors={name: Labels(part.codes[rows], part.names) for name, part in parts.items()},
    )


def _check_roles(grid: Grid, positions: dict[str, int], roles: Sequence[str]) -> None:
    if "system" not in positions:
        raise fault(grid, _no_column("No column names the systems", grid, "system"), code="BT021")
    if "judge" in roles and "judge" not in positions:
        raise fault(grid, _no_column("No column names the judges", grid, "judge"), code="BT021")


def _no_column(what: str, grid: Grid, role: str) -> Message:
    return Message(
        "{what} (columns: {columns}). Name the column: {fix}.",
        what=what,
        columns=some_of(grid.header),
        fix=role_option(role),
    )


def _level(grid: Grid, positions: dict[str, int]) -> str:
    """Return the unit of the scores; without a column of segments it is the document, else the system.

    Raises
    ------
    ReadError
        Without a column of segments, when a system or document has several scores of one metric (BT021).
    """
    if "item" in positions:
        return "segment"
    if "judge" not in positions and _is_once(grid, positions):
        if "group" not in positions:
            return "system"
        positions["item"] = positions.pop("group")
        return "document"
    task = next((name for name in grid.header if plain(name) in TASKS), None)
    if task is not None:
        raise fault(
            grid,
            Message(
                "No column identifies the segments (columns: {columns}), so systems cannot be compared segment by "
                "segment. If column {task} names them, use {item}; to rank over tasks, use board.",
                columns=some_of(grid.header),
                task=quoted(task),
                item=role_option("item", task),
            ),
            code="BT021",
        )
    raise fault(
        grid,
        Message(
            "No column identifies the segments (columns: {columns}), so systems cannot be compared segment by "
            "segment. Name the column with {item}, or write one column per system.",
            columns=some_of(grid.header),
            item=role_option("item"),
        ),
        code="BT021",
    )


def _is_once(grid: Grid, positions: dict[str, int]) -> bool:
    """Whether a system has one score for each metric, or for each metric and document."""
    cell = np.zeros(grid.n_rows, dtype=np.int64)
    for role in ("system", "metric", "group"):
        if role in positions:
            labels = grid.labels(positions[role])
            if role != "metric" and (labels.codes < 0).any():
                return False
            cell = cell * (len(labels.names) + 1) + labels.codes
    return bool(np.unique(cell).size == cell.size)


def system_level_note() -> str:
    """Return a note that a table has one score per system."""
    return "There is one score for each system, so systems cannot be compared segment by segment."


def _score_columns(
    grid: Grid, positions: dict[str, int], ignored: set[int], forced: frozenset[int]
) -> tuple[list[int], tuple[str, ...]]:
    """Return the column named as score; otherwise every column of numbers is a metric."""
    if "score" in positions:
        if forced:
            raise fault(
                grid,
                Message(
                    "Column {column} holds the scores, so no other column can be kept as a metric. "
                    "Leave {keep} out, or name the column of scores: {score}.",
                    column=quoted(grid.header[positions["score"]]),
                    keep=Option("keep"),
                    score=role_option("score"),
                ),
                code="BT214",
            )
        return [positions["score"]], ()
    taken = {*positions.values(), *ignored}
    free = [
        i
        for i, name in enumerate(grid.header)
        if i not in taken and (i in forced or not is_descriptive(name))
    ]
    values, _ = score_numbers(grid, free)
    some, text = has_numbers(values), has_text(values)
    chosen = [column for column, good in zip(free, some & ~text, strict=True) if good or column in forced]
    mixed = [column for column, bad in zip(free, some & text, strict=True) if bad and column not in forced]
    ids = [
        column
        for column in chosen
        if column not in forced and meaning_of(grid.header[column]) == "identifier"
    ]
    chosen = [column for column in chosen if column not in ids] or chosen
    for column in mixed:
        row = values[[free.index(column)]]
        # A few texts among many numbers are typos in a metric; a few numbers among many texts are answers.
        if not chosen or np.isfinite(row).sum() > np.isinf(row).sum():
            check_numbers(grid, row, [column])
    if not chosen:
        raise fault(grid, _no_column("No column holds scores", grid, "score"), code="BT021")
    left_out = {"with numbers and text": mixed, "of ids": [column for column in ids if column not in chosen]}
    notes = (
        f"Columns {what} were left out: {some_of([quoted(grid.header[column]) for column in columns])}."
        for what, columns in left_out.items()
        if columns
    )
    return chosen, tuple(notes)


def _rows_with_cells(labels: dict[str, Labels], values: FloatArray) -> IntArray:
    blank = np.isnan(values).all(axis=0)
    for role, names in labels.items():
        if role != "run":  # a number of a run alone is no row
            blank &= names.codes < 0
    return np.flatnonzero(~blank)


def _check_names(grid: Grid, positions: dict[str, int], labels: dict[str, Labels], rows: IntArray) -> None:
    for role, what in _NEEDED.items():
        empty = np.flatnonzero(labels[role].codes < 0) if role in labels else np.empty(0, dtype=np.int64)
        if empty.size:
            row = int(rows[empty[0]])
            raise fault(grid, nameless_row(grid, row, positions.get(role), what), row=row, code="BT105")
    if rows.size == 0:
        raise fault(grid, "Every row is empty. Check the program that wrote the file.", code="BT011")


FORMAT = Format(
    name="long",
    kind="scores",
    description="a table with one row for each score: columns for segment, system, score and, if any, metric",
    columns=OF_SCORES,
    chooses_columns=True,
    rows="grid",
)
_ROLES = ("item", "system", "score", "metric", "group", "direction", "run")


@once
def sniff(source: Source) -> Guess | None:
    """Recognize a header with a system column and a score column."""
    return guess(peek(source), path=source.name)


def guess(look: Peek, *, path: str) -> Guess | None:
    """Return the confidence that a table is long."""
    try:
        roles = find(look.header, {}, ("item", "system", "score"), path=path)
    except ReadError as error:
        return Guess(confidence=0.5, because=error.message)
    if any(name.startswith(FACTOR) for name in look.header):
        return Guess(confidence=0.95, because="columns name factors of the systems")
    if "system" not in roles:
        return None
    system = quoted(look.header[roles["system"]])
    if "score" in roles:
        because = f"columns {system} and {quoted(look.header[roles['score']])} name systems and scores"
        return Guess(confidence=0.9 if "item" in roles else 0.7, because=because)
    if look.rows and np.isfinite(parse_all(look.column(roles["system"]))).all():
        return Guess(confidence=0.5, because=f"column {system} may hold the names of systems")
    return Guess(confidence=0.8, because=f"column {system} holds the names of systems")


def read(source: Source, options: Options) -> Reading:
    """Read a long table into one :class:`Scores` for each metric."""
    return read_table(source, options, read_grid, because=reason(sniff(source), COLUMNS_NAMED))


def read_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    """Read a grid as a long table; `stem` names the metric if the table does not."""
    grid = without_ignored(grid, options)
    turned = turned_table(grid, options)
    if turned is not None:
        return _read_turned(turned, options, stem=stem)
    return read_separately(grid, options, lambda part: _read_one(part, options, stem=stem, because=because))


def _read_turned(grid: Grid, options: Options, *, stem: str) -> Reading:
    """Read a table that had one row per system."""
    plain_options = replace(
        options, columns={}, ignore_columns=(), keep_columns=()
    )  # these are columns of the file
    reading = wide_table.read_grid(grid, plain_options, stem=stem, because=TURNED)
    note = f"In this table {TURNED}."
    (scores,) = (table for table in reading.tables if isinstance(table, Scores))
    return replace(
        reading, tables=(replace(scores, notes=(note, *scores.notes)),), notes=(note, *reading.notes)
    )


def _read_one(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    columns = load(grid, options, _ROLES)
    refuse_summary(columns.grid, columns.labels["item"], columns.rows)
    check_systems(grid, columns.labels, options.columns)
    merged = 0
    tables: list[Scores | Runs] = []
    for part in _parts(columns, options, stem):
        table, lost = (_runs if _are_runs(part, columns, options) else _scores)(part, columns, options)
        tables.append(table)
        merged += lost
    dropped = {"empty row": columns.dropped, "duplicate": merged}
    return Reading(
        format=FORMAT,
        because=because,
        tables=tuple(tables),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows - columns.dropped - merged,
        dropped={reason: count for reason, count in dropped.items() if count},
        notes=(*columns.notes, *((system_level_note(),) if columns.level == "system" else ())),
        problems=doubts_of([table for table in tables if isinstance(table, Scores)], place=grid.name),
    )


class _MetricRows(NamedTuple):
    """The rows of one metric."""

    name: str
    rows: IntArray | None
    values: FloatArray


def _parts(columns: LongColumns, options: Options, stem: str) -> Iterator[_MetricRows]:
    metrics = columns.labels.get("metric")
    for column, values in columns.scores.items():
        if metrics is None:
            yield _MetricRows(table_name(column, columns, options, stem), None, values)
            continue
        for code, metric in enumerate(metrics.names):
            name = metric if len(columns.scores) == 1 else f"{metric} {column}"
            rows = None if len(metrics.names) == 1 else np.flatnonzero(metrics.codes == code)
            yield _MetricRows(name, rows, values if rows is None else values[rows])


def table_name(column: str, columns: LongColumns, options: Options, stem: str) -> str:
    """Return the name of the scores of a column; with several columns, the name of each column."""
    if len(columns.scores) > 1:
        return column
    return options.name or (stem if "score" in columns.roles else column)


def _scores(part: _MetricRows, columns: LongColumns, options: Options) -> tuple[Scores, int]:
    segments, systems = (_of(columns.labels[role], part.rows) for role in ("item", "system"))
    if segments.codes.size == len(systems.names) and columns.level == "segment":
        raise one_score_each(columns.grid)
    cells = fill(
        columns.grid,
        columns.rows if part.rows is None else columns.rows[part.rows],
        segments=segments,
        systems=systems,
        scores=part.values,
        duplicates=options.duplicates,
    )
    refuse_summary_system(columns.grid, systems.names, cells.values)
    column = next(iter(columns.scores)) if part.name == options.name else None
    way = direction(part.name, cells.values, options, declared=columns.declared(part.rows), column=column)
    notes = [*columns.notes, *([way.note] if way.note else [])]
    if columns.dropped:
        notes.append(f"{columns.dropped} empty rows were left out.")
    if cells.merged:
        notes.append(f"{cells.merged} rows repeat a segment of a system ({options.duplicates} kept).")
    scores = Scores(
        name=part.name,
        systems=systems.names,
        segments=segments.names,
        values=cells.values,
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        groups=_groups(part, columns, segments),
        notes=tuple(notes),
    )
    return scores, cells.merged


def _are_runs(part: _MetricRows, columns: LongColumns, options: Options) -> bool:
    """Whether the rows are runs: by the user's choice, or because a column tells repeated rows apart."""
    if options.duplicates != "raise" or columns.level != "segment":
        return False
    if columns.factors or "run" in options.columns:
        return True
    segments, systems = (_of(columns.labels[role], part.rows) for role in ("item", "system"))
    return "run" in columns.labels and is_repeated(segments, systems)


def _runs(part: _MetricRows, columns: LongColumns, options: Options) -> tuple[Runs, int]:
    labels = {role: _of(names, part.rows) for role, names in columns.labels.items()}
    rows = columns.rows if part.rows is None else columns.rows[part.rows]
    name = columns.grid.header[columns.roles["run"]] if "run" in columns.roles else None
    factors = {key: _of(levels, part.rows) for key, levels in columns.factors.items()}
    table, lost = runs_table(
        columns.grid, rows, labels, part.values, name=part.name, factors=factors, run_column=name
    )
    refuse_summary_system(columns.grid, table.systems, table.to_scores().values)
    way = direction(part.name, table.score, options, declared=columns.declared(part.rows))
    notes = [*columns.notes, *([way.note] if way.note else [])]
    if columns.dropped:
        notes.append(f"{columns.dropped} empty rows were left out.")
    if lost:
        notes.append(f"{lost} rows without a score were left out.")
    return replace(
        table,
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        groups=_groups(part, columns, labels["item"]),
        notes=tuple(notes),
    ), lost


def _of(labels: Labels, rows: IntArray | None) -> Labels:
    return labels if rows is None else compact(Labels(labels.codes[rows], labels.names))


def _groups(part: _MetricRows, columns: LongColumns, segments: Labels) -> tuple[str, ...] | None:
    groups = columns.labels.get("group")
    if groups is None:
        return None
    codes = groups.codes if part.rows is None else groups.codes[part.rows]
    first = first_rows(segments.codes, len(segments.names))
    return tuple(groups.names[code] for code in codes[first].tolist())
