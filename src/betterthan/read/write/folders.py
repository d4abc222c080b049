"""Any scores as folders of the metrics task, as `convert --to mtme` writes them.

The layout has no names of segments and no field for a direction:

segments become lines in their order, documents are kept together, and lower-is-better scores are negated where their
name does not imply the direction.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from betterthan.arrays import read_only
from betterthan.errors import BetterThanError, ReadError, TableError, unknown_name
from betterthan.messages import Message, Option
from betterthan.read.formats.metrics_task.metrics_folder import (
    Level,
    MetricsFolder,
    read_pair,
    with_conditions,
)
from betterthan.read.formats.metrics_task.metrics_folder_files import Folder, pairs_of
from betterthan.read.formats.metrics_task.score_files import LEVELS, way
from betterthan.read.protocol import WHOLE_SYSTEM, Options
from betterthan.tables.any_table import AnyTable
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores
from betterthan.writing import write_whole

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
        Notes on information that the layout cannot represent.

    Raises
    ------
    ReadError
        For battles, texts and tags (BT315).
    UnknownName
        When there is no table of a name in `human`.
    TableError
        When a direction cannot be represented by name and sign.
    """
    scores: dict[str, Scores] = {}
    people, notes = set(human), []
    for table in tables:
        averaged = _as_scores(table, str(path))
        if isinstance(table, Ratings):
            people.add(table.name)
            notes.append(f'Ratings "{table.name}" were averaged over their judges.')
        if isinstance(table, Runs):
            notes.append(f'Runs of "{table.name}" were averaged.')
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
            request = replace(options, language_pair=pair, level=level)
            try:
                parts.append(read_pair(folder, request, include_references=True).folder)
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
            "A folder of the metrics task needs a language pair, for example {pair}.",
            pair=Option("language_pair", "en-de"),
        )
        raise ReadError(message, path=path, code="BT314")
    return pair


def refuse_full(path: str | os.PathLike[str]) -> None:
    """Raise when the output location is not empty.

    Raises
    ------
    BetterThanError
        Before anything is read or replaced.
    """
    target = Path(path)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BetterThanError(f"{path} exists and is not an empty folder. Choose another location.")


def _as_scores(table: AnyTable, path: str) -> Scores:
    if isinstance(table, Scores):
        return table
    if isinstance(table, Ratings | Runs):
        return table.to_scores()
    raise ReadError(
        f"{type(table).__name__} cannot be written to a folder of the metrics task, which holds scores. "
        f"Write them as a table: -o FILE.parquet.",
        path=path,
        code="BT315",
    )


def _level(table: Scores) -> Level:
    return "sys" if table.segments == (WHOLE_SYSTEM,) else "seg"


def _pointing(table: Scores) -> tuple[Scores, list[str]]:
    """Return the table with a direction that its reader can infer, and a note."""
    points_up = table.sign > 0
    if way(table.name, table.values, Options()).higher_is_better == points_up:
        return table, []
    turned = replace(
        table, values=read_only(-table.values), higher_is_better=not table.higher_is_better, notes=()
    )
    if way(table.name, turned.values, Options()).higher_is_better != turned.higher_is_better:
        raise TableError(
            f'The direction of "{table.name}" cannot be inferred from its name and sign, and this layout has no other '
            f"field for it. Rename it."
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
        notes.append("Segments have no names in this layout; they are numbered by line from 1.")
    part = metrics_folder_of(
        name,
        pair,
        metrics={key: table for key, table in tables.items() if key not in people},
        human={key: table for key, table in tables.items() if key in people},
        segments=segments,
        groups=[groups[each] for each in segments] if documented else None,
    )
    return replace(part, level=level, groups=part.groups if documented else None), notes


# Write scores in the layout of the metrics task, so that reading the folder gives the same numbers.


_DOMAIN = "all"
"""The domain of documents without one; the layout requires the field."""


def write_metrics_folder(
    path: str | os.PathLike[str], parts: MetricsFolder | Iterable[MetricsFolder], *, overwrite: bool = False
) -> None:
    r"""Write human and metric scores as a folder of the metrics task.

    Parameters
    ----------
    path : path
        The folder to create; its name is the name of the test set.
    parts : MetricsFolder or several
        One for each language pair and level.
    overwrite : bool, default False
        Whether to replace files in an existing folder. Other files there are kept.

    Raises
    ------
    BetterThanError
        When the folder exists and is not empty, a name cannot be written in this layout, or a file cannot be written.

    Notes
    -----
    Written are the documents and the scores, not the texts. Numbers are written with all their digits, missing ones as
    ``None``. Segments have no names in this layout: reading them back numbers them.

    Examples
    --------
    >>> import tempfile
    >>> from betterthan.read.formats.metrics_task.metrics_folder import read_metrics_folder
    >>> bleu = Scores(name="BLEU-refA", systems=["A", "B"], segments=["1", "2"], values=[[0.1, 0.2], [0.3, 0.4]])
    >>> parts = MetricsFolder(name="mini", language_pair="en-de", segments=("1", "2"), human={},
    ...                       metrics={"BLEU-refA": bleu}, groups=("x", "x"))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_metrics_folder(f"{place}/mini", parts)
    ...     read_metrics_folder(f"{place}/mini").metrics["BLEU-refA"].values.tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    target = Path(path)
    several = [parts] if isinstance(parts, MetricsFolder) else list(parts)
    files = dict(_all_files(several))
    if target.exists() and any(target.iterdir() if target.is_dir() else [target]) and not overwrite:
        raise BetterThanError(
            Message(
                "{path} exists and is not empty. Choose another location, or use {overwrite} to replace files in it.",
                path=path,
                overwrite=Option("overwrite", True),
            )
        )
    try:
        for place, lines in files.items():
            _write(target / place, lines)
    except OSError as error:
        raise BetterThanError(f"{path}: The folder cannot be written ({error.strerror}).") from error


def _write(target: Path, lines: Sequence[str]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, "".join(f"{line}\n" for line in lines))


def _all_files(parts: Sequence[MetricsFolder]) -> Iterator[tuple[str, list[str]]]:
    """Yield the path of each file and its lines; nothing is written before all names are checked."""
    seen: set[str] = set()
    # Documents of segments come last, so that they replace those of a part without segments.
    for part in sorted(parts, key=lambda each: each.level == "seg"):
        for place, lines in _files(part):
            if place in seen and not place.startswith("documents/"):
                raise BetterThanError(
                    f"{place} would be written twice. Pass each level of a language pair once."
                )
            seen.add(place)
            yield place, lines


def _files(part: MetricsFolder) -> Iterator[tuple[str, list[str]]]:
    pair = _safe(part.language_pair, "language pair")
    documents = _documents(part)
    if documents:
        yield f"documents/{pair}.docs", documents
    for name, table in part.human.items():
        yield f"human-scores/{pair}.{_safe(name, 'human score')}.{part.level}.score", _lines(table, part)
    for name, table in part.metrics.items():
        yield f"metric-scores/{pair}/{_safe(name, 'metric')}.{part.level}.score", _lines(table, part)


def _documents(part: MetricsFolder) -> list[str]:
    names = part.segments if part.level == "doc" else part.groups
    if part.level not in ("seg", "doc") or names is None:
        return []
    domains = part.domains or (_DOMAIN,) * len(names)
    return [
        f"{_word(domain, 'domain')} {_word(name, 'document')}"
        for domain, name in zip(domains, names, strict=True)
    ]


def _lines(table: Scores, part: MetricsFolder) -> list[str]:
    """Return the lines of a score file, system by system in the order of the segments."""
    _check_segments(table, part)
    place = {name: j for j, name in enumerate(table.segments)}
    columns = [place.get(name) for name in part.segments]
    # A column of NaN at the end is used for segments that the table lacks.
    values = np.column_stack([table.values, np.full(table.n_systems, np.nan)])
    taken = values[:, [-1 if column is None else column for column in columns]].tolist()
    starts = [f"{_word(name, 'domain')} " for name in part.segments] if part.level == "domain" else None
    return [
        f"{starts[j] if starts else ''}{_word(system, 'system')}\t{_number(value)}"
        for system, row in zip(table.systems, taken, strict=True)
        for j, value in enumerate(row)
    ]


def _check_segments(table: Scores, part: MetricsFolder) -> None:
    unknown = set(table.segments) - set(part.segments)
    if unknown:
        raise BetterThanError(
            f'"{table.name}" has a score for {min(unknown)}, which is not one of the {len(part.segments):,} '
            f"segments of {part.language_pair}. Select the segments first."
        )


def _number(value: float) -> str:
    return "None" if value != value else repr(value)  # noqa: PLR0124  (a missing number differs from itself)


def _word(name: str, what: str) -> str:
    """Return a name for a field delimited by white space."""
    if not name or name.split() != [name]:
        raise BetterThanError(
            f'The {what} "{name}" contains white space, which separates the fields of this layout. Rename it.'
        )
    return name


def _safe(name: str, what: str) -> str:
    """Return a name that can be part of a file's name."""
    if not name or name.startswith(".") or {"/", "\\", "\0"} & set(name):
        raise BetterThanError(f'The {what} "{name}" cannot be part of the name of a file. Rename it.')
    return name


def metrics_folder_of(
    name: str,
    language_pair: str,
    *,
    metrics: Mapping[str, Scores],
    human: Mapping[str, Scores] | None = None,
    segments: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    domains: Sequence[str] | None = None,
) -> MetricsFolder:
    """Combine tables of scores for writing.

    Parameters
    ----------
    name, language_pair : str
    metrics, human : mapping of str to Scores
        Metric names end in the reference used, as in "BLEU-refA", or in "-src" for none.
    segments, groups, domains : sequence of str, optional
        The order of the segments, their documents and their domains; by default those of the first table.
    """
    tables = [*metrics.values(), *(human or {}).values()]
    if not tables:
        raise BetterThanError("There are no scores to combine. Pass metrics or human scores.")
    systems = dict.fromkeys(system for table in tables for system in table.systems)
    documents = groups if groups is not None else tables[0].groups
    return MetricsFolder(
        name=name,
        language_pair=language_pair,
        segments=tuple(segments if segments is not None else tables[0].segments),
        groups=None if documents is None else tuple(documents),
        domains=None if domains is None else tuple(domains),
        human=dict(human or {}),
        metrics=dict(metrics),
        systems=tuple(systems),
    )
