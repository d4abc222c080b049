"""Shared parts of the readers of toolkit outputs: parsing JSON, and building scores from rows.

Items of graded answers are named by content, and repeated answers are runs.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from betterthan.errors import ReadError
from betterthan.messages import Message, Option
from betterthan.read.formats.tables.long_table import read_grid
from betterthan.read.grid.grid import MemoryGrid, quoted
from betterthan.read.grid.numerals import parse
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


_DIGITS = 12
_LONGEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedCase:
    """An answer of a system to an item, with its scores.

    Attributes
    ----------
    system, item : str
    scores : dict
        By metric; None is missing.
    run : str
        Of all items, where the file or folder has several; empty otherwise.
    failed : bool
        Whether the system or a judge ended in an error, so that a score is missing.
    """

    system: str
    item: str
    scores: Mapping[str, float | None]
    run: str = ""
    failed: bool = False


@dataclass(slots=True)
class CaseRows:
    """The rows of all answers, and what was left out of them."""

    rows: list[ScoreRow]
    left_out: dict[str, int] = field(default_factory=dict)


def content_name(question: Any, *more: Any) -> str:  # noqa: ANN401  (JSON)
    """Return a name for an item that depends on its content only: its first words and a digest.

    Positions would pair different items after a data set is filtered or sorted again.

    Examples
    --------
    >>> content_name("What is 2 + 2?", "4")
    'What is 2 + 2? [7196e5f92aa9]'
    """
    text = json.dumps([question, *more], sort_keys=True, ensure_ascii=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    shown = question if isinstance(question, str) else json.dumps(question, ensure_ascii=False, default=str)
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in shown).split())
    words = words if len(words) <= _LONGEST else words[: _LONGEST - 1].rstrip() + "…"
    return f"{words} [{digest}]".strip()


def number(name: str, value: Any, source: Source, *, line: int | None = None) -> float | None:  # noqa: ANN401  (JSON)
    """Return a score, None if it is missing.

    Raises
    ------
    ReadError
        For anything else (BT013).
    """
    score = parse(value)
    if math.isinf(score):
        raise source.error(
            f"The value of {quoted(name)} is not a number: {quoted(str(value))}. Write it again with the toolkit.",
            line=line,
            code="BT013",
        )
    return None if math.isnan(score) else score


def case_rows(cases: Sequence[GradedCase]) -> CaseRows:
    """Return one row for each answer and metric, also where a metric is missing.

    Where a system answered every item several times these are runs. Otherwise equal items are different ones, told
    apart by their order. A metric without any number is left out.
    """
    items = _numbered(cases)
    numbers = Counter(metric for case in cases for metric, value in case.scores.items() if value is not None)
    metrics = dict.fromkeys(metric for case in cases for metric in case.scores)
    rows = [
        ScoreRow(item, case.system, metric, case.scores.get(metric), run)
        for metric in metrics
        if numbers[metric]
        for case, (item, run) in zip(cases, items, strict=True)
    ]
    left_out = Counter(metric for case in cases for metric in case.scores if not numbers[metric])
    return CaseRows(rows, dict(left_out))


def _numbered(cases: Sequence[GradedCase]) -> list[tuple[str, str]]:
    """Return the item and the run of each answer."""
    times = Counter((case.system, case.run, case.item) for case in cases)
    has_runs = any(case.run for case in cases)
    are_repeats = not has_runs and len(times) < len(cases) and min(times.values()) > 1
    seen: Counter[tuple[str, str, str]] = Counter()
    numbered = []
    for case in cases:
        key = (case.system, case.run, case.item)
        seen[key] += 1
        again = seen[key]
        item = case.item if are_repeats or again == 1 else f"{case.item} #{again}"
        numbered.append((item, str(again) if are_repeats else case.run))
    return numbered


def failures(cases: Sequence[GradedCase], place: str, *, fix: str) -> Iterator[Problem]:
    """Yield a problem for each system with answers or scores that ended in an error (BT199)."""
    failed = Counter(case.system for case in cases if case.failed)
    total = Counter(case.system for case in cases)
    for system, count in failed.items():
        message = (
            f"{count:,} of {total[system]:,} answers of {quoted(system)} or their scores ended in an error, so a score "
            f"is missing, not 0. {fix}"
        )
        yield Problem(code="BT199", place=place, message=message)
