"""Whatever was read, as folders of the metrics task: what `convert --to mtme` writes.

The layout has no names for segments and no place for a direction: segments become lines in their order, documents stand
together, and scores of which less is better are turned round where their name does not say so.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from betterthan.arrays import read_only
from betterthan.errors import BetterThanError, ReadError, TableError, unknown_name
from betterthan.messages import Message, Option
from betterthan.read.formats.metrics_task.metrics_folder import Level, MetricsFolder, read_pair
from betterthan.read.formats.metrics_task.metrics_folder_files import Folder, pairs_of
from betterthan.read.formats.metrics_task.metrics_folder_reader import with_conditions
from betterthan.read.formats.metrics_task.score_rows import LEVELS, way
from betterthan.read.protocol import WHOLE_SYSTEM, AnyTable, Options
from betterthan.read.write.write_metrics_folder import metrics_folder_of, write_metrics_folder
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores

_NO_SCORES = "BT165"
_CONDITIONS = ("lp", "language_pair", "level")


def write_as_folder(
    tables: Sequence[AnyTable],
    path: str | os.PathLike[str],
    *,
    language_pair: str,
    human: Collection[str] = (),
) -> tuple[str, ...]:
    """Write scores and ratings as a folder of the metrics task.

    Parameters
    ----------
    tables : sequence of Scores or Ratings
        Ratings are averaged over judges and count as human scores. Scores of whole systems go to files of their own.
    path : path
        The folder to make.
    language_pair : str
    human : collection of str
        The tables that are human scores; all other scores are metrics. Names of metrics end in the reference used, as
        in "BLEU-refA", or in "-src".

    Returns
    -------
    tuple of str
        What the layout could not hold, and what was done about it.

    Raises
    ------
    ReadError
        For battles, texts and tags (BT315).
    UnknownName
        When there is no table of a name in `human`.
    TableError
        When a direction cannot be told by name and sign.
    """
    scores: dict[str, Scores] = {}
    people, notes = set(human), []
    for table in tables:
        averaged = _as_scores(table, str(path))
        if isinstance(table, Ratings):
            people.add(table.name)
            notes.append(f'Ratings "{table.name}" were averaged over their judges.')
        scores[averaged.name], turned = _pointing(averaged)
        notes += turned
    unknown = sorted(people - scores.keys())
    if unknown:
        raise unknown_name("table", unknown[0], list(scores))
    parts = []
    for level in ("seg", "sys"):
        chosen = {name: table for name, table in scores.items() if _level(table) == level}
        if chosen:
            part, more = _part(chosen, people, language_pair, level, Path(path).name)
            parts.append(part)
            notes += more
    write_metrics_folder(path, parts)
    return tuple(notes)


def copy_folder(folder: Folder, path: str | os.PathLike[str], options: Options) -> tuple[str, ...]:
    """Write the scores of a folder of the metrics task as another one: all levels, one language pair or all.

    Returns
    -------
    tuple of str
        The notes of the reading.
    """
    for column, _ in options.where:
        if column not in _CONDITIONS:
            raise unknown_name("condition for a folder to write", column, _CONDITIONS)
    options, _ = with_conditions(options)
    pairs = pairs_of(folder) if options.language_pair is None else [options.language_pair]
    parts = []
    for pair in pairs:
        for level in LEVELS if options.level is None else (options.level,):
            asked = replace(options, language_pair=pair, level=level)
            try:
                parts.append(read_pair(folder, asked, include_references=True).folder)
            except ReadError as error:
                if error.code != _NO_SCORES or options.level is not None:
                    raise
    write_metrics_folder(path, parts)
    return tuple(dict.fromkeys(note for part in parts for note in part.notes))


def needed_pair(options: Options, *, path: str) -> str:
    """Return the language pair that the user named, as such or as a condition on the column lp.

    Raises
    ------
    ReadError
        When there is none (BT314).
    """
    pair = options.language_pair or next((value for column, value in options.where if column == "lp"), None)
    if pair is None:
        message = Message(
            "A folder of the metrics task needs a language pair. Say which, for example {pair}.",
            pair=Option("language_pair", "en-de"),
        )
        raise ReadError(message, path=path, code="BT314")
    return pair


def refuse_full(path: str | os.PathLike[str]) -> None:
    """Raise when a place to write to holds something already.

    Raises
    ------
    BetterThanError
        So that nothing is replaced, and nothing is read in vain.
    """
    target = Path(path)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BetterThanError(f"{path} exists and is not an empty folder. Choose another place.")


def _as_scores(table: AnyTable, path: str) -> Scores:
    if isinstance(table, Scores):
        return table
    if isinstance(table, Ratings):
        return table.to_scores()
    raise ReadError(
        f"{type(table).__name__} have no place in a folder of the metrics task, which holds scores. "
        f"Write them as a table: -o FILE.parquet.",
        path=path,
        code="BT315",
    )


def _level(table: Scores) -> Level:
    return "sys" if table.segments == (WHOLE_SYSTEM,) else "seg"


def _pointing(table: Scores) -> tuple[Scores, list[str]]:
    """Return the table so that its reader will know its direction, and what was done for that."""
    points_up = table.sign > 0
    if way(table.name, table.values, Options()).higher_is_better == points_up:
        return table, []
    turned = replace(
        table, values=read_only(-table.values), higher_is_better=not table.higher_is_better, notes=()
    )
    if way(table.name, turned.values, Options()).higher_is_better != turned.higher_is_better:
        raise TableError(
            f'Whether more of "{table.name}" is better cannot be told from its name and sign, and this layout has no '
            f"other place for it. Rename it."
        )
    return turned, [f'"{table.name}" was written with its sign changed, so that its direction is known.']


def _part(
    tables: dict[str, Scores], people: Collection[str], pair: str, level: Level, name: str
) -> tuple[MetricsFolder, list[str]]:
    segments = list(dict.fromkeys(segment for table in tables.values() for segment in table.segments))
    groups: dict[str, str] = {}
    for table in tables.values():
        groups.update(zip(table.segments, table.groups or (), strict=bool(table.groups)))
    notes = []
    documented = len(groups) == len(segments)
    if groups and not documented:
        notes.append("Documents were left out, because some segments have none.")
    if documented:
        places = {document: i for i, document in enumerate(dict.fromkeys(groups[each] for each in segments))}
        ordered = sorted(segments, key=lambda each: places[groups[each]])
        if ordered != segments:
            notes.append("Segments were put in the order of their documents.")
        segments = ordered
    if level == "seg" and segments != [str(i + 1) for i in range(len(segments))]:
        notes.append("Segments have no names in this layout; they are the lines of the files, from 1.")
    part = metrics_folder_of(
        name,
        pair,
        metrics={key: table for key, table in tables.items() if key not in people},
        human={key: table for key, table in tables.items() if key in people},
        segments=segments,
        groups=[groups[each] for each in segments] if documented else None,
    )
    return replace(part, level=level, groups=part.groups if documented else None), notes
