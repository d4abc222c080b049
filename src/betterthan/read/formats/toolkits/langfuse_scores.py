"""Scores of Langfuse: the table of scores as exported from its app (CSV, JSON, JSON lines) or to blob storage.

Every run of a data set has traces of its own, so scores alone cannot be paired. With the exported items of each run
(``datasetItemId`` and ``traceId``) in one folder or list, the systems are these files and the items those of the data
set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.toolkits.toolkit_json import ScoreRow, number, reading_of_rows
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.columns import plain
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.source.paths import files_of, matching_files
from betterthan.read.source.source import Source, open_source

FORMAT = Format(
    name="langfuse",
    kind="scores",
    description="scores of Langfuse (CSV, JSON or JSON lines), alone or in a folder with the items of each run",
    is_run=True,
)
_SCORES = frozenset({"name", "value", "traceid", "source", "stringvalue"})
_RUN_ITEMS = frozenset({"datasetitemid", "traceid"})
_NUMBERS = ("NUMERIC", "BOOLEAN", "")
_DEPTH = 2
_NO_NUMBER, _WHOLE_RUN, _NO_RUN = (
    "not a number",
    "score of a whole run or session",
    "trace of no exported run",
)


@dataclass(frozen=True, slots=True)
class _Score:
    """A row of the table of scores."""

    trace: str
    observation: str
    name: str
    origin: str
    value: float | None


@dataclass(slots=True)
class _Found:
    """The scores of all files, the item and run of each trace, and what was left out."""

    scores: list[_Score] = field(default_factory=list)
    items: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    n_runs: int = 0
    dropped: Counter[str] = field(default_factory=Counter)


def sniff(source: Source) -> Guess | None:
    """Recognize the columns of a table of scores; a folder or list that has items of runs as well."""
    if not source.is_folder:
        if _columns(source) >= _SCORES:
            return Guess(
                confidence=0.97, because="columns traceId, name, value and stringValue of Langfuse's scores"
            )
        return None
    files = matching_files(source, _is_export, depth=_DEPTH)
    columns = [_columns(file) for file in files_of(source, _is_export, depth=_DEPTH)]
    if not any(each >= _SCORES for each in columns) or not any(each >= _RUN_ITEMS for each in columns):
        return None
    return Guess(confidence=0.95, because=f"{len(files)} exports of Langfuse: scores, and items of runs")


def _columns(source: Source) -> frozenset[str]:
    return frozenset(map(plain, peek(source).header))


def _is_export(path: Path) -> bool:
    """Whether a file is a table of scores or of the items of a run."""
    if path.suffix not in (".csv", ".json", ".jsonl", ".gz") or not path.is_file():
        return False
    try:
        columns = _columns(open_source(path))
    except ReadError:
        return False
    return columns >= _SCORES or columns >= _RUN_ITEMS


def read(source: Source, options: Options) -> Reading:
    """Read every score by its name; where items of runs are given, these name systems and items."""
    guess = sniff(source)
    found = _Found()
    for file in files_of(source, _is_export, depth=_DEPTH):
        if _columns(file) >= _SCORES:
            _take_scores(file, found)
        else:
            _take_items(file, found)
    rows = _rows(found, options.run.system if options.run else source.stem)
    notes = []
    if not found.n_runs:
        notes.append(
            "Items are traces, which differ between runs. To compare runs, put the exported items of each run into "
            "one folder with the scores."
        )
    problems = list(_problems(found, source))
    return reading_of_rows(
        rows,
        source,
        options,
        format=FORMAT,
        guess=guess,
        dropped=dict(found.dropped),
        notes=[*notes, *(problem.message for problem in problems)],
        problems=problems,
    )


def _texts(file: Source, needed: Iterable[str]) -> dict[str, list[str]]:
    """Return columns by their plain names; absent ones are empty."""
    with open_grid(file) as grid:
        place = {plain(name): column for column, name in enumerate(grid.header)}
        return {
            name: [text.strip() for text in grid.texts(place[name])] if name in place else [""] * grid.n_rows
            for name in needed
        }


def _take_scores(file: Source, found: _Found) -> None:
    columns = ("traceid", "observationid", "name", "source", "datatype", "value")
    texts = _texts(file, columns)
    if not any(texts["name"]):
        raise file.error("The scores have no names. Export the table again.", code="BT021")
    for row, cells in enumerate(zip(*(texts[name] for name in columns), strict=True), 1):
        trace, observation, name, origin, kind, value = cells
        if not name:
            raise file.error("The score has no name. Export the table again.", row=row, code="BT105")
        if not trace:
            found.dropped[_WHOLE_RUN] += 1
        elif kind.upper() not in _NUMBERS:
            found.dropped[_NO_NUMBER] += 1
        else:
            found.scores.append(_Score(trace, observation, name, origin, number(name, value, file)))


def _take_items(file: Source, found: _Found) -> None:
    texts = _texts(file, ("datasetitemid", "traceid"))
    found.n_runs += 1
    for item, trace in zip(texts["datasetitemid"], texts["traceid"], strict=True):
        if item and trace:
            found.items.setdefault(trace, []).append((file.stem, item))


def _rows(found: _Found, system: str) -> list[ScoreRow]:
    """Return a row for every score; several of one name, item and system are repeats."""
    names = _names(found.scores)
    cells: dict[tuple[str, str, str], list[float | None]] = {}
    for score in found.scores:
        places = found.items.get(score.trace, ()) if found.n_runs else [(system, score.trace)]
        found.dropped[_NO_RUN] += not places
        for run, item in places:
            cells.setdefault((item, run, names[score.name, score.origin]), []).append(score.value)
    is_repeated = any(len(values) > 1 for values in cells.values())
    return [
        ScoreRow(*cell, value, str(again) if is_repeated else "")
        for cell, values in cells.items()
        for again, value in enumerate(values, 1)
    ]


def _names(scores: Sequence[_Score]) -> Mapping[tuple[str, str], str]:
    """Name a metric by its score, with the origin where people and judges used the same name."""
    origins: dict[str, dict[str, None]] = {}
    for score in scores:
        origins.setdefault(score.name, {}).setdefault(score.origin)
    return {
        (name, origin): f"{name} [{origin}]" if len(several) > 1 else name
        for name, several in origins.items()
        for origin in several
    }


def _problems(found: _Found, source: Source) -> list[Problem]:
    left_out = {why: count for why, count in found.dropped.items() if count}
    if not left_out:
        return []
    listed = some_of([f"{count:,} {why}" for why, count in left_out.items()])
    message = f"Scores left out: {listed}. Check that the exported runs and scores belong together."
    return [Problem(code="BT193", place=source.name, message=message)] if _NO_RUN in left_out else []
