"""The tables of uploaded files: parsed at the first look, saved, and used by the report if the choices are the same.

Files that the question of a run does not use are named, so that no one believes they counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from betterthan.errors import BetterThanError
from betterthan.read.check import checked
from betterthan.read.protocol import EVERY, Options, Reading
from betterthan.read.scores import scores_of
from betterthan.results.base import Result
from betterthan.results.checkup import Checkup
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.web.runs.run import Choices, StoredFile
from betterthan.web.runs.saved_tables import MOST_CELLS, packed, save_table, saved_table, unpacked
from betterthan.web.runs.task import Task


def options_of(choices: Choices) -> Options:
    """Return what the user said about columns and directions, as readers take it."""
    return Options(
        columns=choices.columns,
        lower_is_better=frozenset({EVERY} if choices.direction == "lower" else ()),
        higher_is_better=frozenset({EVERY} if choices.direction == "higher" else ()),
        duplicates=choices.duplicates,  # type: ignore[arg-type]  # checked where the request came in
        both_bad=choices.both_bad,  # type: ignore[arg-type]
        ignore_columns=choices.ignore,
        keep_columns=choices.keep,
        winner_labels=choices.winner_labels,
    )


def named_path(file: StoredFile) -> str:
    """Return a file as the readers take it: its shown stem, and where it lies."""
    return f"{file.stem}={file.stored}"


_USED = {
    "scores": ("data", "gold"),
    "battles": ("data", "gold"),
    "meta": ("data", "gold", "human"),
    "texts": ("data", "gold", "reference", "source"),
    "tags": ("data", "gold", "words"),
}
_PARTS = {
    "human": "human scores",
    "reference": "a reference text",
    "source": "a source text",
    "words": "words that were tagged",
}
_ABOUT = {"scores": "scores", "battles": "battles", "meta": "metrics", "texts": "texts", "tags": "tags"}


def unused(question: str, parts: Sequence[str], kinds: Sequence[str]) -> list[int]:
    """Return the positions of the files that a question does not use, those left out on purpose excepted.

    Parameters
    ----------
    question : str
        As it is answered; of one that is not known nothing is said.
    parts, kinds : sequence of str
        What each file is in the run, and what it looks like.

    Examples
    --------
    >>> unused("texts", ["human", "data", "reference"], ["scores", "texts", "texts"])
    [0]
    >>> unused("meta", ["human", "data", "nothing"], ["scores", "scores", "texts"])
    []
    """
    if question not in _USED:
        return []
    used = set(_USED[question])
    data = [kind for part, kind in zip(parts, kinds, strict=True) if part == "data"]
    if question == "scores" and "texts" in data[1:]:  # texts beside scores are shown with their references
        used |= {"reference", "source"}
    first = {part: parts.index(part) for part in ("source", "words") if part in parts}  # one of each is read
    return [
        at
        for at, part in enumerate(parts)
        if part != "nothing" and (part not in used or first.get(part, at) != at)
    ]


def unused_note(file: StoredFile, question: str, part: str) -> str:
    """Return the sentence that says that a file is not used, and what to do if it should be."""
    what = _PARTS.get(part, part)
    more = f"more than one file is {what}" if part in _USED[question] else f"it is {what}"
    return (
        f"{file.name} is not used: {more}, and this report is about {_ABOUT[question]}. "
        "Choose another question, or say what else the file is."
    )


_FILE = "look-tables-2.json"  # one of an earlier layout has another name, and is not read
# What the user can say that changes how a file is read.
_READING = ("columns", "ignore", "keep", "direction", "duplicates", "both_bad", "winner_labels", "format")


class FileTables(NamedTuple):
    """What is in a file, and what is wrong with it.

    Attributes
    ----------
    checkup : Checkup
    tables : tuple of Scores, or of one Matches
        Empty where the file holds something else, cannot be read, or is too large to be saved.
    language_pairs : tuple of str
        Those that a column of the file names.
    """

    checkup: Checkup
    tables: tuple[Scores | Matches, ...]
    language_pairs: tuple[str, ...]


def parsed(file: StoredFile, choices: Choices) -> FileTables:
    """Parse a file.

    Raises
    ------
    ReadError
        When it cannot be opened.
    """
    checkup, reading = checked(named_path(file), options=options_of(choices), format=choices.format or None)
    if reading is None:
        return FileTables(checkup, (), ())
    return FileTables(checkup, _tables(reading, file), tuple(reading.pairs))


def save_file_tables(tables: Sequence[FileTables | None], task: Task) -> None:
    """Write what was parsed into the run's folder; None stands for a file that cannot be opened."""
    entries = [None if one is None else _entry(one, f"look-{at}", task) for at, one in enumerate(tables)]
    task.folder.write(_FILE, {"choices": _reading_choices(task.choices), "files": entries})


def file_tables(task: Task) -> dict[StoredFile, FileTables]:
    """Return what is in each file: as it was saved, if it was read with the same choices, else parsed now."""
    saved = task.folder.read(_FILE)
    if saved is None or saved["choices"] != _reading_choices(task.choices):
        return {file: parsed(file, task.choices) for file in task.files}
    return {
        file: parsed(file, task.choices) if entry is None else _loaded(entry, task)
        for file, entry in zip(task.files, saved["files"], strict=True)
    }


def _tables(reading: Reading, file: StoredFile) -> tuple[Scores | Matches, ...]:
    first = reading.tables[0] if reading.tables else None
    if isinstance(first, Matches):
        return (first,) if len(reading.tables) == 1 and first.covariates is None else ()
    try:
        scores = tuple(scores_of(reading, path=named_path(file)).values())
    except (
        BetterThanError
    ):  # texts or tags; or what the report refuses, and says why when it reads the file itself
        return ()
    return scores if sum(table.values.size for table in scores) <= MOST_CELLS else ()


def _entry(one: FileTables, stem: str, task: Task) -> dict[str, Any]:
    tables = [save_table(table, f"{stem}-{k}", task.folder) for k, table in enumerate(one.tables)]
    return {
        "checkup": one.checkup.to_dict(),
        "messages": packed([problem.message for problem in one.checkup.problems]),
        "notes": packed(one.checkup.notes),
        "tables": tables,
        "language_pairs": list(one.language_pairs),
    }


def _loaded(entry: dict[str, Any], task: Task) -> FileTables:
    checkup = Result.from_dict(entry["checkup"])
    assert isinstance(checkup, Checkup)  # noqa: S101  (saved so)
    # A result in JSON holds plain sentences; here they keep the options that they name.
    problems = tuple(
        replace(problem, message=message)
        for problem, message in zip(checkup.problems, unpacked(entry["messages"]), strict=True)
    )
    checkup = replace(checkup, problems=problems, notes=tuple(unpacked(entry["notes"])))
    tables: Any = tuple(saved_table(labels, task.folder) for labels in entry["tables"])
    return FileTables(checkup, tables, tuple(entry["language_pairs"]))


def _reading_choices(choices: Choices) -> dict[str, Any]:
    plain = choices.to_dict()
    return {name: plain[name] for name in _READING}
