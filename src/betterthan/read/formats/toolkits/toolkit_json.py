"""Shared parts of the readers of toolkit outputs: parsing JSON, and building scores from rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from betterthan.errors import ReadError
from betterthan.messages import Message, Option
from betterthan.read.formats.tables.long_table import read_grid
from betterthan.read.grid.grid import MemoryGrid
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading, reason
from betterthan.read.source.source import HEAD_BYTES, Source, small_text
from betterthan.tables.row_order import RowOrder
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

LARGEST_JSON = 512 << 20
_HEADER = ("item", "system", "metric", "score")
REPEAT, RUN = "repeat", "run"
"""Columns of repeated runs: drawn on its own for every item, or a run of all items."""


class ScoreRow(NamedTuple):
    """One score with its system, item and metric; values are checked when the table is built."""

    item: str
    system: str
    metric: str
    score: Any
    run: str = ""
    """Of repeated runs; empty where an item has one score."""


def whole_json(source: Source) -> Any:  # noqa: ANN401  (JSON)
    """Parse a file that is one JSON value.

    Raises
    ------
    ReadError
        When it is not JSON, nested too deeply, or larger than 512 MiB (BT016), or not UTF-8 text.
    """
    text = small_text(source, limit=LARGEST_JSON)
    if text is None:
        raise source.error(
            f"JSON of more than {LARGEST_JSON >> 20} MiB is not read at once. "
            f"Write a table with one row for each score.",
            code="BT016",
        )
    return parsed_json(text, path=source.name)


def parsed_json(text: str | bytes, *, path: str) -> Any:  # noqa: ANN401  (JSON)
    """Parse a JSON text; errors are reported with their line (BT016)."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        what = getattr(error, "msg", "too deeply nested, or a number too long, or not UTF-8")
        raise ReadError(
            f"The file is not JSON ({what}). Write it again, and check whether it was truncated.",
            path=path,
            line=getattr(error, "lineno", None),
            code="BT016",
        ) from error


def head_json(source: Source) -> Any:  # noqa: ANN401  (JSON)
    """Return the parsed file when all of it is in the first 64 KiB, else None; for sniffing."""
    if len(source.head) >= HEAD_BYTES or source.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in b"[{":
        return None
    try:
        return json.loads(source.head.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def folder_of(file: Source) -> Path:
    """Return the folder of a file, which names a run; an unpacked file is in another folder."""
    path = file.path if file.spool is None else Path(file.name).expanduser()
    return path.resolve().parent


def reading_of_rows(
    rows: Sequence[ScoreRow],
    source: Source,
    options: Options,
    *,
    format: Format,  # noqa: A002
    guess: Guess | None,
    dropped: Mapping[str, int] | None = None,
    notes: Sequence[str] = (),
    problems: Sequence[Problem] = (),
    by_position: bool = False,
    runs: str = REPEAT,
) -> Reading:
    """Make one table for each metric of the rows; `dropped` counts the rows left out, by reason.

    `runs` is what the runs of the rows are, where they have any.
    `by_position` says that items are positions of segments in a file without ids.

    Raises
    ------
    ReadError
        Without any row (BT011), or when rows of a folder are to be chosen by value (BT168).
    """
    if options.where:
        column, value = options.where[0]
        raise source.error(
            Message(
                "Rows cannot be chosen here, because this is {layout}. "
                "Leave out {where}, or name a single file with such a column.",
                layout=format.description,
                where=Option("where", {column: value}),
            ),
            code="BT168",
        )
    if not rows and source.is_folder:
        raise source.error("No file in this folder has scores.", code="BT011")
    if not rows:
        raise source.error("The file has no scores. Check the program that wrote the file.", code="BT011")
    header: tuple[str, ...] = _HEADER
    columns = list(zip(*rows, strict=True))
    if any(columns[-1]):
        header = (*_HEADER, runs)
    else:
        columns.pop()
    grid = MemoryGrid(name=source.name, header=header, columns=columns)
    # The roles of the columns are known here, whatever names the user passed.
    plain_options = replace(options, columns={})
    reading = read_grid(grid, plain_options, stem=source.stem, because=reason(guess))
    lost = {reason: count for reason, count in (dropped or {}).items() if count}
    tables = tuple(
        replace(
            table, notes=(*table.notes, *notes), row_order=RowOrder(table.n_segments) if by_position else None
        )
        if isinstance(table, Scores)
        else replace(table, notes=(*table.notes, *notes))
        for table in reading.tables
        if isinstance(table, Scores | Runs)
    )
    return replace(
        reading,
        format=format,
        tables=tables,
        rows_read=reading.rows_read + sum(lost.values()),
        dropped={**lost, **reading.dropped},
        notes=(*reading.notes, *notes),
        problems=(*problems, *reading.problems),
    )


def odd_shape(what: str, source: Source) -> ReadError:
    """Build the error for a file that lacks what its toolkit writes."""
    return source.error(f"{what} Write it again with the toolkit.", code="BT190")
