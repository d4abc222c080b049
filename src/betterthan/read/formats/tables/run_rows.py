"""Repeated rows of a long table as runs, and systems that several columns name together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import TableError, unknown_name
from betterthan.messages import COLUMN, Message, Option, joined
from betterthan.read.formats.tables.cells import second_rows
from betterthan.read.grid.columns import plain
from betterthan.read.grid.grid import Grid, Labels, compact, fault, first_rows, quoted
from betterthan.read.grid.selection import telling_column
from betterthan.read.protocol import Options
from betterthan.tables.runs import Levels, Runs

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
