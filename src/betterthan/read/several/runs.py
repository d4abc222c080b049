"""Several files, each the run of one system: ids, one or more columns of scores, and no column of systems.

A single such file does not show what its columns are. Together the files do: a column with the same name in all of them
is a metric, and the system is named by the user or by the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.formats.quality import number_files
from betterthan.read.formats.quality.quality_rows import refuse_truth_among
from betterthan.read.formats.registry import reader
from betterthan.read.formats.tables import long_table, wide_table
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.columns import find, is_called_score, plain
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import parse_all
from betterthan.read.plausibility.columns import doubtful_columns, meaning_of
from betterthan.read.plausibility.direction import direction, hint_of
from betterthan.read.protocol import Options, Reading, Run
from betterthan.read.source.source import Source
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

# A hyphen is a part of names (gpt-4, gpt-4o), so nothing is cut at one.
_SEPARATORS = "._ "
_is_name = re.compile(r"(?=[^\W\d_]).*[^\W\d_]{2}.*").fullmatch
_language_pair = re.compile(r"(?<![A-Za-z])[a-z]{2}-[a-z]{2}(?![A-Za-z])").search
_is_language = re.compile(
    "ar|bg|bn|ca|cs|da|de|el|en|es|et|fa|fi|fr|gu|ha|he|hi|hr|hu|id|is|it|ja|kk|km|ko|lt|lv|mk|ms|nl|no|pl|ps|pt|ro|ru|"
    "sk|sl|sq|sr|sv|sw|ta|th|tr|uk|ur|vi|zh"
).fullmatch
_TEST_SETS = frozenset(("train", "dev", "devtest", "test", "valid", "validation", "eval"))


class RunNames(NamedTuple):
    """The names of systems, and the common part of all file names."""

    names: tuple[str, ...]
    shared: str


def is_metric(name: str) -> bool:
    """Whether a name is that of a metric, or implies a direction.

    Examples
    --------
    >>> [is_metric(name) for name in ("COMET-22", "latency_ms", "score", "GPT-4", "distance")]
    [True, True, True, False, False]
    """
    hint = hint_of(name)
    is_told = hint is not None and hint.way in ("higher", "lower", "by values")
    return is_called_score(name) or meaning_of(name) == "metric" or is_told


def run_names(files: Sequence[Source]) -> RunNames:
    """Name the systems of runs.

    A name given with ``NAME=path`` is kept. Other systems are named after their files, or folders where all files have
    the same name, without common beginnings and endings.

    Raises
    ------
    ReadError
        When two have the same name (BT131), or the names are not those of systems (BT231, BT267).
    """
    free = [file for file in files if file.called is None]
    short, shared = short_names(_file_names(free))
    names = iter(short)
    systems = tuple(file.called if file.called is not None else next(names) for file in files)
    for place, name in enumerate(systems):
        if name in systems[:place]:
            raise ReadError(
                f'This file and {files[systems.index(name)].name} are both called "{name}". '
                f"Name one of them: NAME={files[place].name}",
                path=files[place].name,
                code="BT131",
            )
    refuse_truth_among(
        {name: file.name for name, file in zip(systems, files, strict=True) if file.called is None}
    )
    what = meaning_of_names(short, [file.name for file in free]) if free else ""
    if what:
        raise ReadError(
            f"The files are named like {what} ({some_of(short, limit=4)}), not like systems, and no column names the "
            f"systems. If each file is the run of a system, name them: NAME={free[0].name}",
            path=free[0].name,
            code="BT267",
        )
    return RunNames(systems, shared)


def _file_names(files: Sequence[Source]) -> list[str]:
    """Return the names of files without suffixes, or those of their folders where all files have the same name."""
    stems = [file.name.strip("<>") if file.name.startswith("<") else file.stem for file in files]
    folders = [Path(file.name).resolve().parent.name for file in files]
    is_by_folder = len(set(stems)) == 1 and len(set(folders)) == len(files) > 1
    return folders if is_by_folder and all(folders) else stems


def short_names(names: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return names without common beginnings and endings, and these; the names must stay nonempty and distinct.

    Examples
    --------
    >>> short_names(["newstest2016.GPT.de", "newstest2016.Llama.de"])
    (('GPT', 'Llama'), 'newstest2016 de')
    >>> short_names(["gpt_v1", "gpt_v2"])
    (('gpt_v1', 'gpt_v2'), '')
    """
    if len(names) < 2:
        return tuple(names), ""
    start = _cut(_shared_start(names))
    end = _cut(_shared_start([name[len(start) :][::-1] for name in names]))[::-1]
    for before, after in ((start, end), ("", end), (start, "")):
        rest = tuple(
            name[len(before) :].removesuffix(after) if after else name[len(before) :] for name in names
        )
        if all(map(_is_name, rest)) and len(set(rest)) == len(rest):
            return rest, " ".join(part.strip(_SEPARATORS) for part in (before, after) if part)
    return tuple(names), ""


def _shared_start(names: Sequence[str]) -> str:
    letters = takewhile(lambda same: len(set(same)) == 1, zip(*names, strict=False))
    return "".join(same[0] for same in letters)


def _cut(common: str) -> str:
    """Return the common part up to its last separator, so that no word is split."""
    return common[: max(common.rfind(separator) for separator in _SEPARATORS) + 1]


def meaning_of_names(names: Sequence[str], files: Sequence[str]) -> str:
    """Return what files are named after if not systems: metrics, languages, test sets; otherwise empty.

    Examples
    --------
    >>> meaning_of_names(["BLEU", "COMET"], ["BLEU.csv", "COMET.csv"])
    'metrics'
    >>> meaning_of_names(["GPT", "Llama"], ["GPT.csv", "Llama.csv"])
    ''
    """
    words = {name.casefold() for name in names}
    pairs = [match[0] for file in files if (match := _language_pair(Path(file).name))]
    if any(meaning_of(name) == "metric" for name in names) or all(map(is_metric, names)):
        return "metrics"
    if len(set(pairs)) > 1 and len(pairs) == len(files):
        return "language pairs"
    return "languages" if all(map(_is_language, words)) else "test sets" if words <= _TEST_SETS else ""


UNNAMED = "score"
"""Name of a metric that neither a column nor a file names."""
LONG_HINT = "If each file is the run of another system, name them: NAME=path."
WIDE_HINT = Message(
    "If each file is the run of one system, say which column holds its scores: {score}.",
    score=Option("score", COLUMN),
)
MIXED_HINT = "If they are the same metric, give its column one name in all files."
_LAYOUTS = (wide_table.FORMAT.name, number_files.FORMAT.name)


class Seen(NamedTuple):
    """First inspection of a file: its layout, and the columns that may hold scores."""

    source: Source
    layout: str
    columns: tuple[str, ...] = ()
    are_doubtful: bool = False
    is_declared: bool = False
    """Whether the format says that a file is a run."""


class RunFile(NamedTuple):
    """A file that is a run, its columns of scores, columns to ignore, and notes."""

    run: Run
    columns: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    note: str = ""


def look_at(source: Source, layout: str, options: Options) -> Seen | None:
    """Inspect a file that may be a run; None when it is not one, so that the others are not inspected."""
    if not source.is_folder and reader(layout).FORMAT.is_run:
        return Seen(source, layout, is_declared=True)
    if layout not in _LAYOUTS or {"system", "judge", "left", "right", "winner"} & options.columns.keys():
        return None
    if layout == number_files.FORMAT.name:
        return Seen(source, layout)
    look = peek(source)
    try:
        roles = find(look.header, options.columns, ("item", "group"), path=source.name)
    except ReadError:
        return None
    columns = [
        column
        for column, name in enumerate(look.header)
        if name
        and column not in roles.values()
        and name not in options.ignore_columns
        and wide_table.holds_numbers(look, column)
        and not _is_id(look, column)
    ]
    names = tuple(look.header[column] for column in columns)
    values = np.array([parse_all(look.column(column)) for column in columns]).reshape(
        len(columns), len(look.rows)
    )
    values[np.isinf(values)] = np.nan
    doubts = doubtful_columns(look.header, columns, values)
    return Seen(source, layout, names, are_doubtful=2 * len(doubts) >= max(len(columns), 1))


def _is_id(look: Peek, column: int) -> bool:
    """Whether a column is named like ids and has another value on every row."""
    cells = look.column(column)
    return meaning_of(look.header[column]) == "identifier" and len({str(cell) for cell in cells}) == len(
        cells
    )


def runs_of(files: Sequence[Seen], options: Options) -> tuple[RunFile, ...]:
    """Return the run of each file, or None when the files are tables of several systems.

    Parameters
    ----------
    files : sequence of Seen
        All of the files that are read together.
    options : Options
        With `metric`, or the column of scores, a column of each file is a metric.

    Raises
    ------
    ReadError
        When the files have no metric in common (BT266), or are named like metrics, languages or test sets and not like
        systems (BT267).
    """
    if len(files) < 2 or len({file.layout for file in files}) > 1:
        return ()
    if files[0].is_declared:
        return _named(files, run_names([file.source for file in files]), set())
    common = [name for name in files[0].columns if all(name in file.columns for file in files)]
    if files[0].layout != number_files.FORMAT.name:
        if not common:
            return _without_common(files)
        if not _are_metrics(common, files, options):
            return ()
    requested = options.columns.get("score") or options.metric
    metrics = {requested} if requested in common else set(common)
    return _named(files, run_names([file.source for file in files]), metrics)


def _are_metrics(common: Sequence[str], files: Sequence[Seen], options: Options) -> bool:
    """Whether the columns that all files have are metrics, and not systems that all files score."""
    if (options.columns.get("score") or options.metric) in common:
        return True
    if any(is_called_score(name) or meaning_of(name) == "metric" for name in common):
        return True
    if len(common) == 1:
        return is_metric(common[0])
    return all(file.are_doubtful and len(file.columns) == len(common) for file in files)


def _named(files: Sequence[Seen], names: RunNames, metrics: set[str]) -> tuple[RunFile, ...]:
    metric = names.shared if hint_of(names.shared) else UNNAMED
    runs = []
    for file, name in zip(files, names.names, strict=True):
        left_out = tuple(column for column in file.columns if column not in metrics)
        only_here = [
            quoted(column) for column in left_out if any(column not in other.columns for other in files)
        ]
        note = f"{file.source.name}: columns that other files lack were left out: {some_of(only_here)}."
        columns = tuple(column for column in file.columns if column in metrics)
        runs.append(RunFile(Run(name, metric), columns, left_out, note if only_here else ""))
    return tuple(runs)


def _without_common(files: Sequence[Seen]) -> tuple[RunFile, ...]:
    """Return the runs where the only column of each file has the name of the file; raise for different metrics."""
    columns = [file.columns[0] for file in files if len(file.columns) == 1]
    if len(columns) == len(files) and all(
        plain(column) == plain(file.source.stem) for file, column in zip(files, columns, strict=True)
    ):
        return tuple(RunFile(Run(column, UNNAMED)) for column in columns)
    if all(any(is_metric(name) for name in file.columns) for file in files):
        first = files[0]
        other = next(file for file in files if first.columns[0] not in file.columns)
        raise ReadError(
            f"No metric is in all of the files: here are {_listed(other)}, in {first.source.name} "
            f"{_listed(first)}. If they are the same, give the column one name in all files.",
            path=other.source.name,
            code="BT266",
        )
    return ()


def _listed(file: Seen) -> str:
    return some_of([quoted(name) for name in file.columns], limit=4)


def refuse_other_scale(
    tables: Sequence[Scores], files: Sequence[str], columns: Sequence[str], options: Options
) -> None:
    """Raise when one run has another scale than the others, such as percentages and shares.

    Parameters
    ----------
    tables : sequence of Scores
        Of all runs.
    files : sequence of str
    columns : sequence of str
        Those that all files have; none in lines of numbers.
    options : Options

    Raises
    ------
    ReadError
        With the file that differs (BT268), unless the user keeps the column.
    """
    for table in tables:
        column = table.name if table.name in columns else next(filter(is_called_score, columns), None)
        if column in options.keep_columns or table.n_systems != len(files):
            continue
        # Only the values count: a system may have any name.
        names = [f"system {place}" for place in range(len(files))]
        for doubt in doubtful_columns(names, range(len(files)), table.values):
            keep = "" if column is None else Message("; if so, use {keep}", keep=Option("keep", [column]))
            raise ReadError(
                Message(
                    "{metric} of {system} {reason}. "
                    "Check that every file is the run of a system, with scores in the same unit{keep}.",
                    metric=quoted(table.name),
                    system=quoted(table.systems[doubt.column]),
                    reason=doubt.reason,
                    keep=keep,
                ),
                path=files[doubt.column],
                code="BT268",
            )


class LongFile(NamedTuple):
    """The reading of one of several files, with the file's own name and the user's."""

    name: str
    stem: str
    called: str | None
    reading: Reading


def one_metric(files: Sequence[LongFile], options: Options) -> tuple[list[Reading], str]:
    """Name the metric of long tables with a generic column such as "score", and systems by ``NAME=path``.

    A single table of this kind is named after its file. Tables of different systems are one metric, unless the files
    are named like metrics or languages.

    Returns
    -------
    readings : list of Reading
        The tables by their new names.
    hint : str
        Hint where the files are still read as several metrics.
    """
    readings = [_with_named_system(file) for file in files]
    tables = [table for reading in readings for table in reading.tables if isinstance(table, Scores | Runs)]
    if len(files) < 2 or any(len(reading.tables) != 1 for reading in readings) or len(tables) < len(files):
        return readings, ""
    if any(table.name != file.stem for file, table in zip(files, tables, strict=True)):
        return readings, "" if len({table.name for table in tables}) == 1 else MIXED_HINT
    free = [file for file in files if file.called is None]
    names, shared = short_names([file.stem for file in free])
    if free and meaning_of_names(names, [file.name for file in free]):
        return readings, ""
    if any(reading.format.name != long_table.FORMAT.name for reading in readings):
        return readings, WIDE_HINT
    systems = [system for table in tables for system in table.systems]
    if len(set(systems)) < len(systems):
        return readings, LONG_HINT if len(systems) == len(files) else ""
    metric = shared if hint_of(shared) else UNNAMED
    return [
        replace(reading, tables=(_renamed(table, metric, options),))
        for reading, table in zip(readings, tables, strict=True)
    ], ""


def _renamed(table: Scores | Runs, metric: str, options: Options) -> Scores | Runs:
    """Return the scores under another name, and with the direction that the user gave for that name."""
    if metric not in options.lower_is_better | options.higher_is_better:
        return replace(table, name=metric)
    way = direction(metric, table.values if isinstance(table, Scores) else table.score, options)
    return replace(table, name=metric, higher_is_better=way.higher_is_better, direction_doubt=way.doubt)


def _with_named_system(file: LongFile) -> Reading:
    """Return a long table of one system under the name that the user gave, unless that is a metric's."""
    reading = file.reading
    if file.called is None or reading.format.name != long_table.FORMAT.name or is_metric(file.called):
        return reading
    return replace(
        reading,
        tables=tuple(
            replace(table, systems=(file.called,))
            if isinstance(table, Scores | Runs) and table.n_systems == 1 and not getattr(table, "factors", ())
            else table
            for table in reading.tables
        ),
    )
