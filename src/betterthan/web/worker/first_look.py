"""The worker's first look: what each file of a run is, what is wrong with it, and which question it can answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from betterthan.errors import BetterThanError, ReadError
from betterthan.read.check import check_runs
from betterthan.read.formats.quality.tag_labels import TAGS_ALONE
from betterthan.read.formats.registry import READERS, reader
from betterthan.read.grid.beginning import peek
from betterthan.read.source.source import open_source
from betterthan.results.checkup import Checkup
from betterthan.web.names import is_in_fold, page_text
from betterthan.web.runs.run import StoredFile
from betterthan.web.runs.task import Task
from betterthan.web.worker.file_tables import (
    FileTables,
    named_path,
    options_of,
    parsed,
    save_file_tables,
    unused,
    unused_note,
)
from betterthan.web.worker.worker import News, with_shown_names

ROWS = 5
COLUMNS = 200
_LONGEST_CELL = 60
_PROBLEMS = 50
# Words in a file's name that say what it is beside the data.
_BY_NAME = (
    ("human", re.compile(r"(^|[^a-z])(human|people|labels|mqm|esa|gold[-_ ]?scores)([^a-z]|$)")),
    ("reference", re.compile(r"(^|[^a-z])(ref|refs|reference|references)[a-z]?([^a-z]|$)")),
    ("source", re.compile(r"(^|[^a-z])(src|source)([^a-z]|$)")),
    ("gold", re.compile(r"(^|[^a-z])gold([^a-z]|$)")),
)
_QUESTION = {"matches": "battles", "texts": "texts", "tags": "tags", "scores": "scores", "ratings": "scores"}


def look(task: Task, news: News) -> None:
    """Look at every file of the task and write ``look.json``."""
    entries: list[dict[str, Any]] = []
    in_files: list[FileTables | None] = []
    for position, file in enumerate(task.files):
        news.start(len(task.files), f"Looking at {file.name}", done=position)
        entry, tables = _looked_at(file, task)
        entries.append(entry)
        in_files.append(tables)
    kinds = [entry["kind"] for entry in entries]
    parts = list(task.choices.parts) or suggested_parts([file.stem for file in task.files], kinds)
    for entry, part, tables in zip(entries, parts, in_files, strict=True):
        entry["part"] = part
        if "gold" in parts and tables is not None:  # what a file of tags needs is here
            others = [note for note in tables.checkup.notes if getattr(note, "code", "") != TAGS_ALONE]
            entry["notes"] = _with_names(_on_page(others), task)
    together = _read_together(task, entries, parts)
    question = suggested_question(kinds, parts)
    chosen_question = question if task.choices.question == "auto" else task.choices.question
    without = unused(chosen_question, parts, kinds)
    for at, entry in enumerate(entries):
        entry["unused"] = unused_note(task.files[at], chosen_question, parts[at]) if at in without else ""
    save_file_tables(in_files, task)
    task.folder.write("look.json", {"files": entries, "question": question, "together": together})


def _read_together(task: Task, entries: list[dict[str, Any]], parts: list[str]) -> dict[str, Any]:
    """Return what files that each are the run of one system hold together, and take back what each seemed to lack."""
    if set(parts) != {"data"} or not all(entry["kind"] in ("scores", "unknown") for entry in entries):
        return {}
    files = [named_path(file) for file in task.files]
    found = check_runs(files, options=options_of(task.choices), format=task.choices.format or None)
    if found is None or not found.rows_read:
        return {}
    for entry in entries:
        entry |= {"problems": [], "n_problems": 0, "because": "the run of one system"}
    whole = _entry(found, task.files[0], task)
    # The last lines are about single files.
    contents = whole["contents"][: len(found.contents) - len(entries)]
    return {"contents": contents, "problems": whole["problems"], "n_problems": whole["n_problems"]}


def suggested_parts(stems: list[str], kinds: list[str]) -> list[str]:
    """Say what each file of several seems to be, by its name.

    Examples
    --------
    >>> suggested_parts(["metrics", "human"], ["scores", "scores"])
    ['data', 'human']
    >>> suggested_parts(["human"], ["scores"])
    ['data']
    >>> suggested_parts(["gold", "Finch", "output"], ["tags", "tags", "texts"])
    ['gold', 'data', 'words']
    """
    if len(stems) == 1:
        return ["data"]
    parts = [_part(stem.lower(), kind) for stem, kind in zip(stems, kinds, strict=True)]
    if "tags" in kinds:  # a text beside tags is what was tagged
        words = ("words" if kind == "texts" else part for part, kind in zip(parts, kinds, strict=True))
        parts = list(words)
    return parts if "data" in parts else ["data"] * len(parts)


def _part(stem: str, kind: str) -> str:
    fitting = {
        "texts": ("reference", "source"),
        "tags": ("gold",),
        "scores": ("human",),
        "ratings": ("human",),
    }
    named = (part for part, words in _BY_NAME if part in fitting.get(kind, ()) and words.search(stem))
    return next(named, "data")


def suggested_question(kinds: list[str], parts: list[str]) -> str:
    """Return the question that these files can answer.

    Examples
    --------
    >>> suggested_question(["scores", "scores"], ["data", "human"]), suggested_question(["matches"], ["data"])
    ('meta', 'battles')
    """
    data = [kind for kind, part in zip(kinds, parts, strict=True) if part == "data"]
    if "human" in parts and data and data[0] == "scores":
        return "meta"
    if "texts" in kinds and "tags" in kinds:
        return "tags"
    return _QUESTION.get(data[0] if data else "", "auto")


def _looked_at(file: StoredFile, task: Task) -> tuple[dict[str, Any], FileTables | None]:
    try:
        parsed_file = parsed(file, task.choices)
    except ReadError as error:
        return _nothing(file, error, task), None
    if parsed_file.checkup.rows_read > task.rows:
        raise BetterThanError(
            f"{file.name} has {parsed_file.checkup.rows_read:,} rows, and a run may have {task.rows:,}. "
            "Take a part of the data, or use the command line."
        )
    return {**_entry(parsed_file.checkup, file, task), **_columns(file)}, parsed_file


def _entry(checkup: Checkup, file: StoredFile, task: Task) -> dict[str, Any]:
    names = ("code", "title", "place", "is_doubt")
    problems = [
        {
            **{name: getattr(problem, name) for name in names},
            "message": page_text(problem.message),
            "is_in_fold": is_in_fold(problem.message),
        }
        for problem in checkup.problems[:_PROBLEMS]
    ]
    plain = checkup.format if checkup.format in READERS else ""
    entry: dict[str, Any] = {
        "name": file.name,
        "size": file.size,
        "format": checkup.format,
        "kind": reader(plain).FORMAT.kind if plain else "unknown",
        "because": checkup.because,
        "contents": list(checkup.contents),
        "rows_read": checkup.rows_read,
        "rows_kept": checkup.rows_kept,
        "dropped": checkup.dropped,
        "preview_columns": list(checkup.preview_columns),
        "preview": [[_cell(cell) for cell in row] for row in checkup.preview],
        "problems": problems,
        "n_problems": len(checkup.problems),
        "notes": _on_page(checkup.notes),
    }
    named: dict[str, Any] = _with_names(entry, task)
    return named


def _on_page(notes: Iterable[str]) -> list[str]:
    return [page_text(note) for note in notes]


def _with_names(value: Any, task: Task) -> Any:  # noqa: ANN401  (any JSON)
    if isinstance(value, str):
        return with_shown_names(value, task.files)
    if isinstance(value, list):
        return [_with_names(item, task) for item in value]
    if isinstance(value, dict):
        return {key: _with_names(item, task) for key, item in value.items()}
    return value


def _columns(file: StoredFile) -> dict[str, Any]:
    """Return the file's own columns and first rows, for those who have to say which is which."""
    try:
        seen = peek(open_source(file.stored))
    except (BetterThanError, ValueError, OSError):
        return {"header": [], "rows": [], "n_columns": 0}
    header = [_cell(name) for name in seen.header[:COLUMNS]]
    rows = [[_cell(cell) for cell in row[:COLUMNS]] for row in seen.rows[:ROWS]]
    return {"header": header, "rows": rows, "n_columns": len(seen.header)}


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


def _nothing(file: StoredFile, error: ReadError, task: Task) -> dict[str, Any]:
    problem = {
        "code": error.code or "BT009",
        "title": "the file cannot be opened",
        "place": file.name,
        "message": with_shown_names(page_text(error.text), task.files),
        "is_doubt": False,
        "is_in_fold": is_in_fold(error.text),
    }
    empty: dict[str, Any] = {"contents": [], "rows_read": 0, "rows_kept": 0, "dropped": {}, "notes": []}
    shown: dict[str, Any] = {"preview_columns": [], "preview": [], "header": [], "rows": [], "n_columns": 0}
    about = {
        "name": file.name,
        "size": file.size,
        "format": "unknown",
        "kind": "unknown",
        "because": "it could not be opened",
    }
    return {**about, **empty, **shown, "problems": [problem], "n_problems": 1}
