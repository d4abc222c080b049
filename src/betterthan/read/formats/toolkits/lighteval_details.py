"""Details of lighteval: ``details/MODEL/TIME/details_TASK_TIME.parquet``, one file or a folder of them.

A row is a document with the model's answer and a structure that holds one value for each metric. Documents are
joined by their content, because their numbers change when a data set is filtered or sorted again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.toolkits.toolkit_json import ScoreRow, folder_of, reading_of_rows
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.source.paths import files_of, matching_files
from betterthan.read.source.source import Source

if TYPE_CHECKING:
    import duckdb

FORMAT = Format(
    name="lighteval",
    kind="scores",
    description="details_TASK_TIME.parquet of lighteval, one file or a folder of models",
)
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.\-]+"
_file_name = re.compile(rf"details_(?P<task>.+?)(?:_{_TIME})?\.parquet").fullmatch
_is_time = re.compile(_TIME).fullmatch
# Names of the columns in different versions.
_DOCUMENT = ("doc", "__doc__", "example", "full_prompt")
_METRIC = ("metric", "__metric__", "metrics")
_ANSWER = ("model_response", "__model_response__", "predictions")
_DEPTH = 5
_LABEL = 16
_BATCH = 1000


@dataclass(slots=True)
class _Details:
    """Contents of the files, and anomalies."""

    rows: list[ScoreRow] = field(default_factory=list)
    lists: dict[str, int] = field(default_factory=dict)
    seen: dict[tuple[str, str], str] = field(default_factory=dict)
    """By model and task, the file they come from."""


def sniff(source: Source) -> Guess | None:
    """Recognize the columns doc, metric and model_response; a folder by the names of its files."""
    if source.is_folder:
        files = matching_files(source, _is_details, depth=_DEPTH)
        return (
            Guess(confidence=0.95, because=f"a folder with {len(files)} details_*.parquet") if files else None
        )
    if not source.is_parquet:
        return None
    try:
        look = peek(source)
    except ReadError:
        return None
    metric = _column(look.header, _METRIC)
    if metric is None or not all(_column(look.header, names) for names in (_DOCUMENT, _ANSWER)):
        return None
    # A tidy table may have columns with these names too, but without structures.
    if any(_object(cell) is not None for cell in look.column(look.header.index(metric))):
        return Guess(
            confidence=0.98, because="columns for document, answer and metric, as lighteval writes them"
        )
    return None


def _is_details(path: Path) -> bool:
    return _file_name(path.name) is not None


def _column(header: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in header), None)


def read(source: Source, options: Options) -> Reading:
    """Read details; the system is the model's folder, and each metric and task gives one table."""
    guess = sniff(source)
    files = list(files_of(source, _is_details, depth=_DEPTH))
    tasks = {_task(file) for file in files}
    details = _Details()
    for file in files:
        _gather(file, details, prefix=f"{_task(file)}: " if len(tasks) > 1 else "")
    if details.lists and not details.rows:
        raise source.error(_no_number(details.lists), code="BT193")
    problems = []
    if details.lists:
        problems.append(Problem(code="BT193", place=source.name, message=_no_number(details.lists)))
    return reading_of_rows(
        details.rows,
        source,
        options,
        format=FORMAT,
        guess=guess,
        dropped={"list, not a score": sum(details.lists.values())},
        notes=[problem.message for problem in problems],
        problems=problems,
    )


def _task(file: Source) -> str:
    match = _file_name(Path(file.name).name)
    return match["task"] if match else file.stem


def _system(file: Source) -> str:
    """Return the name given by the user, or the model: the folders between "details" and the time of the run."""
    if file.called is not None or file.name.startswith("<"):
        return file.stem
    folders = list(folder_of(file).parts[1:])
    if folders and _is_time(folders[-1]):
        folders.pop()
    if "details" in folders:
        start = len(folders) - folders[::-1].index("details")
        return "/".join(folders[start:]) or file.stem
    return folders[-1] if folders else file.stem


def _gather(file: Source, details: _Details, *, prefix: str) -> None:
    task, system = _task(file), _system(file)
    other = details.seen.setdefault((system, task), file.name)
    if other != file.name:
        raise file.error(
            f"{quoted(system)} ran {quoted(task)} in {Path(other).name[:90]} and in {Path(file.name).name[:90]}. "
            f"Keep one of the two.",
            code="BT198",
        )
    twins: dict[str, dict[str, int]] = {}
    cells: dict[tuple[str, str], list[Any]] = {}
    for document, metrics in _rows(file):
        digest, number = _identity(document)
        # Equal documents within a data set are distinguished by their numbers.
        numbers = twins.setdefault(digest, {})
        twin = numbers.setdefault(number, len(numbers) + 1)
        item = f"{task}:{digest}" + (f"#{twin}" if twin > 1 else "")
        for name, value in metrics.items():
            if isinstance(value, list | dict | tuple):
                details.lists[name] = details.lists.get(name, 0) + 1
            else:
                cells.setdefault((item, name), []).append(value)
    for (item, name), values in cells.items():
        # A document has one row per request type, and a metric is null in the rows of other types.
        known = [value for value in values if value is not None] or [None]
        details.rows += [ScoreRow(item, system, prefix + name, value) for value in known]


def _rows(file: Source) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield the document and the metrics of every row; answers and logits are not read."""
    import duckdb  # noqa: PLC0415  (the engine takes a tenth of a second to load)

    from betterthan.read.grid.duck import connect, identifier, read_error, scan  # noqa: PLC0415

    header = peek(file).header if file.is_parquet else ()
    document, metric = _column(header, _DOCUMENT), _column(header, _METRIC)
    if document is None or metric is None:
        raise _odd("The file has no columns for the document and its metrics.", file)
    columns = f"{identifier(document)}, {identifier(metric)}"
    try:
        with connect(file) as connection:
            cursor = connection.execute(f"SELECT {columns} FROM {scan('read_parquet', file)}")  # noqa: S608  (quoted)
            yield from _fetched(cursor, file)
    except duckdb.Error as error:
        raise read_error(error, file) from error


def _fetched(cursor: duckdb.DuckDBPyConnection, file: Source) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    number = 0
    while batch := cursor.fetchmany(_BATCH):
        for document, metrics in batch:
            number += 1
            values = _object(metrics)
            if values is None or not all(isinstance(name, str) and name.strip() for name in values):
                raise _odd(f"The metrics of row {number:,} are not a structure of names and values.", file)
            yield document, values


def _object(value: Any) -> Mapping[str, Any] | None:  # noqa: ANN401  (whatever the column holds)
    """Return a structure, also one that was written as text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _identity(document: Any) -> tuple[str, str]:  # noqa: ANN401  (a structure, or the text of older files)
    """Return the identity of a document, question and choices, and its number in the data set."""
    keys = _object(document)
    content = document if keys is None else [keys.get("query"), keys.get("choices")]
    text = json.dumps(content, sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LABEL]
    return digest, "" if keys is None else str(keys.get("id"))


def _odd(what: str, file: Source) -> ReadError:
    return file.error(
        f"{what} Write the details again with a recent lighteval (--save-details).", code="BT190"
    )


def _no_number(lists: Mapping[str, int]) -> str:
    names = [f"{quoted(name)} ({count:,} rows)" for name, count in lists.items()]
    return (
        f"Not scores of single documents: {some_of(names, limit=3)}. These metrics are lists or structures, so they "
        f"were left out. Use a metric with a number for each document."
    )
