"""Single grades of MT-bench: ``question_id, model, score, turn``, one object per line, as FastChat's judge writes them.

A question has two turns, so a segment is ``QUESTION:TURN`` and its document is the question. A judge's answer without a
grade is written as −1: a missing score, never a grade.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.read.formats.tables.cells import fill, nameless_row
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.columns import plain
from betterthan.read.grid.grid import Grid, Labels, check_numbers, compact, fault, first_rows, quoted
from betterthan.read.grid.numerals import parse_all
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.plausibility.direction import direction
from betterthan.read.plausibility.score_warnings import doubts
from betterthan.read.protocol import Format, Guess, Options, Reading, reason
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="mt_bench",
    kind="scores",
    description="single grades of MT-bench: question_id, model, score and turn on every line",
)
_COLUMNS = ("questionid", "model", "score", "turn")
_NO_GRADE = -1.0


def sniff(source: Source) -> Guess | None:
    """Recognize the four columns, where turns are whole numbers."""
    look = peek(source)
    positions = _positions(look.header)
    if positions is None or not look.rows or not _are_turns(parse_all(look.column(positions[3]))).all():
        return None
    return Guess(confidence=0.97, because="columns question_id, model, score and turn, as in MT-bench")


def read(source: Source, options: Options) -> Reading:
    """Read the grades into :class:`Scores`: models × turns of questions."""
    guess = sniff(source)
    because = reason(guess)
    with open_grid(source) as grid:
        return _reading(grid, options, stem=source.stem, because=because)


def _positions(header: Sequence[str]) -> tuple[int, ...] | None:
    known = {plain(name): i for i, name in reversed(list(enumerate(header)))}
    return tuple(known[name] for name in _COLUMNS) if set(_COLUMNS) <= known.keys() else None


def _are_turns(values: FloatArray) -> BoolArray:
    return np.asarray((values >= 1) & (values < 1e6) & (values == np.floor(values)))


def _reading(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    positions = _positions(grid.header)
    if positions is None:
        message = "Columns question_id, model, score and turn are needed. Rename the columns."
        raise fault(grid, message, code="BT312")
    question, model, score, turn = positions
    grades, failed = _grades(grid, score)
    questions, systems = (_labels(grid, column) for column in (question, model))
    segments = _segments(questions, _turns(grid, turn))
    rows = np.arange(grid.n_rows)
    cells = fill(grid, rows, segments=segments, systems=systems, scores=grades, duplicates=options.duplicates)
    name = options.name or stem
    way = direction(name, cells.values, options)
    notes = [way.note] if way.note else []
    if failed:
        notes.append(f"{failed:,} answers of the judge had no grade (−1); these scores are missing.")
    first = first_rows(segments.codes, len(segments.names))
    table = Scores(
        name=name,
        systems=systems.names,
        segments=segments.names,
        values=cells.values,
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        groups=tuple(questions.names[code] for code in questions.codes[first].tolist()),
        notes=tuple(notes),
    )
    again = _repeated(segments, systems, ~np.isnan(grades))
    dropped = {"no grade": failed, "duplicate": again}
    return Reading(
        format=FORMAT,
        because=because,
        tables=(table,),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows - failed - again,
        dropped={reason: count for reason, count in dropped.items() if count},
        notes=table.notes,
        problems=doubts(table, place=grid.name),
    )


def _repeated(segments: Labels, systems: Labels, known: BoolArray) -> int:
    """Return the number of grades that were merged into another one."""
    cell = systems.codes[known].astype(np.int64) * len(segments.names) + segments.codes[known]
    return int(cell.size - np.unique(cell).size)


def _grades(grid: Grid, column: int) -> tuple[FloatArray, int]:
    """Return the grades with NaN where there is none, and the number of these."""
    values = grid.numbers([column])
    check_numbers(grid, values, [column])
    grades = values[0]
    failed = grades == _NO_GRADE
    low = np.flatnonzero((grades < 0) & ~failed)
    if low.size:
        row = int(low[0])
        text = f"{quoted(grid.cell(row, column))} is not a grade. Grades are 0 or more; −1 is an answer without one."
        raise fault(grid, text, row=row, code="BT313")
    return np.where(failed, np.nan, grades), int(failed.sum())


def _labels(grid: Grid, column: int) -> Labels:
    labels = grid.labels(column)
    empty = np.flatnonzero(labels.codes < 0)
    if empty.size:
        text = nameless_row(grid, int(empty[0]), column, quoted(grid.header[column]))
        raise fault(grid, text, row=int(empty[0]), code="BT105")
    return labels


def _turns(grid: Grid, column: int) -> IntArray:
    values: Any = grid.numbers([column])[0]
    odd = np.flatnonzero(~_are_turns(values))
    if odd.size:
        row = int(odd[0])
        text = f"{quoted(grid.cell(row, column))} is not a turn. Turns are counted from 1."
        raise fault(grid, text, row=row, code="BT313")
    return np.asarray(values, dtype=np.int64)


def _segments(questions: Labels, turns: IntArray) -> Labels:
    distinct, inverse = np.unique(
        questions.codes.astype(np.int64) * (turns.max() + 1) + turns, return_inverse=True
    )
    names = tuple(
        f"{questions.names[code // (turns.max() + 1)]}:{code % (turns.max() + 1)}"
        for code in distinct.tolist()
    )
    return compact(Labels(inverse.reshape(-1).astype(np.int32), names))
