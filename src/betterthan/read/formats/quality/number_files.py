"""Files of one number per line, such as ``.hter``; and sentence scores in every layout, true and predicted."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError, TableError, some_of
from betterthan.read.formats.builders import finite
from betterthan.read.formats.quality.quality_rows import RowAccount, of_pair, order_of, refuse_same_names
from betterthan.read.formats.quality.sentence_scores import (
    ALONE,
    SCORES,
    TRAINING,
    SystemColumn,
    columns_of,
    doubts_of_quality,
)
from betterthan.read.formats.tables import long_table
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.numerals import parse
from betterthan.read.plausibility.direction import direction
from betterthan.read.protocol import Format, Guess, Options, Reading, reason
from betterthan.read.scores import scores_of, the_metric
from betterthan.read.source.paths import NamedSource, Several, open_named
from betterthan.read.source.source import FileLike, Source
from betterthan.tables.any_table import AnyTable
from betterthan.tables.row_order import BY_ORDER, RowOrder, check_start, numbers
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="numbers", kind="scores", description="one number per line, a sentence each, such as HTER"
)
_NAMED = {".hter": "HTER"}
_SURE = 0.9


def sniff(source: Source) -> Guess | None:
    """Recognize a file whose every line is a number, or one called .hter."""
    if source.is_parquet or source.is_folder:
        return None
    lines = [line.strip() for line in first_lines(source) if line.strip()]
    named = source.suffix in _NAMED
    if lines and all(math.isfinite(parse(line)) and line[0] not in "tTfF" for line in lines):
        return Guess(confidence=0.97 if named else 0.6, because="every line is a number")
    return Guess(confidence=0.5, because=f"the name ends in {source.suffix}") if named else None


def read(source: Source, options: Options) -> Reading:
    """Read one number per line as the scores of one system, named by the file."""
    values = _numbers(source)
    system, metric = options.run or (source.stem, source.stem)
    name = options.name or _NAMED.get(source.suffix, metric)
    way = direction(name, values, options)
    table = Scores(
        name=name,
        systems=(system,),
        segments=numbers(values.size),
        values=values[None],
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        notes=way.notes,
        row_order=RowOrder(values.size),
    )
    guess = sniff(source)
    n_missing = int(np.isnan(values).sum())
    return Reading(
        format=FORMAT,
        because=reason(guess),
        tables=(table,),
        rows_read=values.size,
        rows_kept=values.size - n_missing,
        dropped={"no number": n_missing} if n_missing else {},
        notes=table.notes if options.run else (*table.notes, ALONE),
        problems=doubts_of_quality(table, source),
    )


def read_sentence_scores(
    gold: FileLike, predictions: Several, *, name: str = "quality", language_pair: str | None = None
) -> tuple[Scores, Scores]:
    r"""Read the true scores of sentences and the predictions of one or more systems.

    Each file has one number per line, or rows ``lp name sid score``, or is training data with ``z_mean`` (which is
    used), or another table of scores. Sentences are paired by their ids, and by order where a file has none.

    Parameters
    ----------
    gold : path
    predictions : path, list of paths, or mapping of names to paths
        A system is named by the mapping, by ``"NAME=path"``, by the file's own column, or by the file's stem.
    name : str, default "quality"
        Name of the scores.
    language_pair : str, optional
        The language pair to read where the files share several.

    Returns
    -------
    gold, predicted : Scores
        On the same segments. An empty line is a missing score, and so is a sentence that a system did not score.

    Raises
    ------
    ReadError
        When a line is not a number (BT013), files differ in their number of lines (BT130), or several language pairs
        are possible (BT307).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gold, ours = Path(folder, "gold.hter"), Path(folder, "ours.hter")
    ...     _ = gold.write_text("0.1\n0.3\n"), ours.write_text("0.2\n0.2\n")
    ...     truth, predicted = read_sentence_scores(gold, [ours])
    >>> truth.values.tolist(), predicted.systems
    ([[0.1, 0.3]], ('ours',))
    """
    opened = open_named(gold)[0]
    systems = open_named(predictions)
    if not systems:
        raise ReadError(
            "No prediction was given. Pass at least one file.", path=opened.source.name, code="BT134"
        )
    notes: list[str] = []
    held = [_columns(named, notes) for named in (opened, *systems)]
    truth, others = of_pair(held[0], held[1:], language_pair, path=opened.source.name)
    refuse_same_names(others)
    predicted = np.stack([_aligned(truth, one, notes) for one in others])
    known = Scores(
        name=name,
        systems=(truth.name,),
        segments=truth.ids or numbers(truth.values.size),
        values=truth.values[None],
        notes=tuple(dict.fromkeys(notes)),
        row_order=None if truth.ids else RowOrder(truth.values.size),
    )
    return known, replace(known, systems=tuple(one.name for one in others), values=predicted)


def _columns(named: NamedSource, notes: list[str]) -> list[SystemColumn]:
    """Return the columns of scores in a file, by system and language pair."""
    source = named.source
    if SCORES.sniff(source):
        account = RowAccount()
        columns = columns_of(source, Options(), account)
        notes += account.notes(source.name)
        notes += [
            f"{source.name}: rows without a score ({why}): {n:,}." for why, n in account.dropped.items()
        ]
        is_one = len({column.name for column in columns}) == 1
        return (
            [replace(column, name=named.name) for column in columns]
            if named.is_explicit and is_one
            else columns
        )
    if TRAINING.sniff(source):
        table = TRAINING.read(source, Options()).tables[-1]
        notes.append(f"{source.name}: z_mean is used as the score.")
        return _of_table(table, named)
    guess = long_table.sniff(source)
    if guess and guess.confidence >= _SURE:
        tables = scores_of(long_table.read(source, Options()), path=source.name)
        return _of_table(the_metric(tables, None, source.name), named)
    return [SystemColumn(name=named.name, path=source.name, pair="", values=_numbers(source))]


def _of_table(table: AnyTable, named: NamedSource) -> list[SystemColumn]:
    assert isinstance(table, Scores)  # noqa: S101  (what these readers give)
    is_one = table.n_systems == 1
    return [
        SystemColumn(
            name=named.name if is_one and named.is_explicit else system,
            path=named.source.name,
            pair="",
            values=values,
            ids=table.segments,
        )
        for system, values in zip(table.systems, table.values, strict=True)
    ]


def _aligned(truth: SystemColumn, system: SystemColumn, notes: list[str]) -> FloatArray:
    """Return a system's scores in the order of the true scores, NaN where it has none."""
    if truth.ids is None or system.ids is None:
        if truth.values.size != system.values.size:
            raise ReadError(
                f"This file has {system.values.size:,} lines, but {truth.path} has {truth.values.size:,}. "
                f"Line k of both must be sentence k.",
                path=system.path,
                code="BT130",
            )
        if system.ids is not None:
            notes.append(_lines_note(system.path, truth.path))
            return system.values[order_of(system.ids, path=system.path)]
        if truth.ids is not None:
            notes.append(_lines_note(truth.path, system.path))
            return system.values[np.argsort(order_of(truth.ids, path=truth.path))]
        notes.append(BY_ORDER)
        return system.values
    _check_ids(truth.ids, system.ids, truth.path, system.path)
    place = {segment: j for j, segment in enumerate(system.ids)}
    absent = sum(segment not in place for segment in truth.ids)
    extra = len(place) - (len(truth.ids) - absent)
    if absent:
        notes.append(f'{system.path}: sentences that "{system.name}" did not score, missing: {absent:,}.')
    if extra:
        notes.append(f"{system.path}: sentences without a true score, left out: {extra:,}.")
    values = np.append(system.values, np.nan)
    return values[[place.get(segment, -1) for segment in truth.ids]]


def _lines_note(numbered: str, lines: str) -> str:
    return f"{lines} has no ids; its line k was matched with sentence k of {numbered}."


def _check_ids(truth: tuple[str, ...], system: tuple[str, ...], true_path: str, path: str) -> None:
    """Raise when ids count from 0 in one file and from 1 in the other, or files share too few sentences."""
    try:
        check_start((truth, true_path), (system, path))
    except TableError as error:
        raise ReadError(error.text, path=path, code=error.code) from error
    n_shared, n_least = len(set(truth).intersection(system)), min(len(truth), len(system))
    if 2 * n_shared < n_least:
        raise ReadError(
            f"This file and {true_path} share {n_shared:,} of {n_least:,} sentences ({some_of(system, limit=3)} here, "
            f"{some_of(truth, limit=3)} there). Check that both belong to the same test set.",
            path=path,
            code="BT236",
        )


def _numbers(source: Source) -> FloatArray:
    fix = "Write one number per line, and leave the line empty if it is missing."
    numbers = [
        finite(text, path=source.name, line=line, fix=fix) for line, text in enumerate(source.lines(), 1)
    ]
    return np.array(numbers, dtype=np.float64)
