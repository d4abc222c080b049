"""Public readers of scores and repeated runs: from files, standard input, data frames and dicts to tables."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from betterthan.errors import BetterThanError, ReadError, some_of, unknown_name
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.formats.registry import reader
from betterthan.read.formats.tables.cells import Duplicates
from betterthan.read.formats.tables.tables_in_one_file import whole
from betterthan.read.grid.open_grid import FrameLike, is_frame
from betterthan.read.grid.selection import conditions
from betterthan.read.plausibility.direction import refuse_truth
from betterthan.read.plausibility.score_warnings import refuse_system_level
from betterthan.read.protocol import EVERY, Options, Reading
from betterthan.read.sniff import read_any, recognise
from betterthan.read.source.source import FileLike, Source, open_source
from betterthan.tables.counts import Counts
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

Table = TypeVar("Table", Scores, Ratings, Runs, Scores | Runs, Scores | Counts | Runs)
_SEVERAL = "several"


def read_scores(
    source: FileLike | FrameLike,
    *,
    metric: str | None = None,
    item: str | None = None,
    system: str | None = None,
    score: str | None = None,
    group: str | None = None,
    lower_is_better: bool | None = None,
    duplicates: Duplicates = "raise",
    name: str | None = None,
    where: Mapping[str, object] | None = None,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> Scores:
    r"""Read the scores of one metric: systems × segments.

    Wide tables (one column per system) and long tables (one row per score) are recognized by their header. Comma-,
    tab-, semicolon- and bar-separated text, JSON lines and Parquet are read, also compressed with gzip (except
    Parquet). Systems and segments keep the order of their first appearance. Single judgments, with a column of judges,
    are averaged over judges; :func:`read_ratings` keeps them separate. For several metrics at once use
    :func:`read_metrics`.

    Parameters
    ----------
    source : path, "-", open file, data frame or dict
        "-" is standard input. A folder of the metrics task and its score files are read too. Data frames may be
        pandas, polars or pyarrow. A dict of lists is a wide table, ``{"A": [0.5, 0.7], "B": [0.4, 0.9]}``, unless
        its keys name a system and a score column.
    metric : str, optional
        The metric to read when there are several.
    item, system, score, group : str, optional
        The columns that hold the segment's id, the system, the score, and the document (or other cluster) of the
        segment. Found by their names if not given. `group` may also name a column such as "domain".
    lower_is_better : bool, optional
        The direction of the metric. By default the file's own column ``higher_is_better`` decides, else the metric's
        name (TER, WER, perplexity, loss, … are lower-is-better); for MQM and MetricX the sign of the scores decides. An
        inferred direction is noted.
    duplicates : {"raise", "first", "last", "mean"}, default "raise"
        What to do when a segment of a system has several scores.
    name : str, optional
        The metric's name; by default as in the file, else the file's name without folder and suffix.
    where : mapping of str to str, optional
        Keep only the rows with these values in these columns, such as ``{"lp": "en-de"}``; of a folder of the metrics
        task, the language pair, level, reference or domain.
    ignore, keep : sequence of str, optional
        Columns to leave out, such as ``("length",)``, and columns of a wide table that are systems (of a long table,
        metrics) whatever their names or values. A column that may be an id, a length, a rank or an average is an
        error until it is in one of the two.

    Returns
    -------
    Scores
        Missing cells are NaN; the notes say what was left out.

    Raises
    ------
    ReadError
        When the file cannot be read, with the location and a hint. ``error.code`` is explained in
        :mod:`betterthan.read.problems`.
    UnknownName
        When a column or metric does not exist.

    Notes
    -----
    A cell that is empty, or reads NaN, NA, N/A, null, None or "-", is missing; it never becomes 0. ``True`` and
    ``False`` are 1 and 0. A long table without a column for the segment raises an error, because its scores cannot be
    paired.

    Examples
    --------
    >>> read_scores({"A": [0.5, 0.75], "B": [0.25, None]}, name="COMET")
    Scores('COMET', 2 systems × 2 segments, higher is better, 1 missing)

    >>> import io
    >>> table = "item,system,score\ns1,A,31.5\ns1,B,40\ns2,A,22\ns2,B,35.5\n"
    >>> scores = read_scores(io.StringIO(table), name="TER")
    >>> scores.systems, scores.segments, scores.higher_is_better
    (('A', 'B'), ('s1', 's2'), False)
    >>> scores.values
    array([[31.5, 22. ],
           [40. , 35.5]])
    """
    options = Options(
        columns=_columns(item=item, system=system, score=score, group=group),
        duplicates=duplicates,
        metric=metric,
        name=name,
        where=conditions(where),
        ignore_columns=_names(ignore),
        keep_columns=_names(keep),
        lower_is_better=_every(lower_is_better, True),
        higher_is_better=_every(lower_is_better, False),
    )
    opened = _opened(source)
    reading = read_any(opened, options)
    tables = scores_of(reading, path=_name_of(opened))
    chosen = the_metric(tables, metric, _name_of(opened), hint=reading.metric_hint)
    return replace(chosen, name=name) if name else chosen


def read_metrics(
    source: FileLike | FrameLike | Sequence[FileLike],
    *,
    item: str | None = None,
    system: str | None = None,
    score: str | None = None,
    group: str | None = None,
    lower_is_better: Collection[str] | bool | None = None,
    duplicates: Duplicates = "raise",
    name: str | None = None,
    where: Mapping[str, object] | None = None,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> dict[str, Scores]:
    """Read the scores of every metric in a table, a folder, or several files.

    A long table holds several metrics when a column names them, or when it has several columns of numbers. A folder
    holds score files, or is a folder of the metrics task, whose human scores are read as well.

    Parameters
    ----------
    source : as in :func:`read_scores`, or a list of files
        Files may have different layouts; each metric must be in one of them only, unless each file is the run of one
        system, with columns of scores and no column of systems. System-level score files are allowed: their only
        segment is called "system".
    item, system, score, group, duplicates, where, ignore, keep
        As in :func:`read_scores`.
    lower_is_better : collection of str or bool, optional
        The metrics for which lower is better, or True or False for all of them; for the others as in
        :func:`read_scores`.
    name : str, optional
        The metric's name where the table has none.

    Returns
    -------
    dict of str to Scores
        In order of first appearance. Tables may differ in their systems and segments; see
        :func:`betterthan.tables.align.align`.

    Raises
    ------
    ReadError, UnknownName
        As in :func:`read_scores`.

    Examples
    --------
    >>> columns = {"item": [1, 1, 2, 2], "system": ["A", "B", "A", "B"],
    ...            "BLEU": [30.5, 28.0, 41.5, 44.0], "TER": [50.5, 61.0, 44.0, 40.0]}
    >>> for scores in read_metrics(columns).values():
    ...     print(scores)
    Scores('BLEU', 2 systems × 2 segments, higher is better)
    Scores('TER', 2 systems × 2 segments, lower is better)
    """
    named: frozenset[str] = frozenset()
    if lower_is_better is not None and not isinstance(lower_is_better, bool):
        named = frozenset(lower_is_better)
    options = Options(
        columns=_columns(item=item, system=system, score=score, group=group),
        duplicates=duplicates,
        name=name,
        where=conditions(where),
        ignore_columns=_names(ignore),
        keep_columns=_names(keep),
        lower_is_better=_every(lower_is_better, True) | named,
        higher_is_better=_every(lower_is_better, False),
    )
    several = source if isinstance(source, list | tuple) else [source]
    tables = _merged(several, options)
    unknown = sorted(named - tables.keys())
    if unknown:
        raise unknown_name("metric", unknown[0], tables)
    return tables


def read_ratings(
    source: FileLike | FrameLike,
    *,
    metric: str | None = None,
    item: str | None = None,
    system: str | None = None,
    score: str | None = None,
    judge: str | None = None,
    group: str | None = None,
    lower_is_better: bool | None = None,
    duplicates: Duplicates = "raise",
    name: str | None = None,
    where: Mapping[str, object] | None = None,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> Ratings:
    """Read single judgments: scores by judge, segment and system.

    Parameters
    ----------
    source, metric, item, system, score, group, lower_is_better, name, where, ignore, keep
        As in :func:`read_scores`. MQM annotations, rating files, exports of Appraise and similar files are recognized.
    judge : str, optional
        The column that holds the judge; found by its name (rater, annotator, judge, …) if not given.
    duplicates : {"raise", "first", "last", "mean"}, default "raise"
        What to do when a judge rated a segment of a system more than once; "mean" keeps every judgment, and
        :meth:`Ratings.to_scores` averages them.

    Returns
    -------
    Ratings
        Rows without a score are left out and counted in the notes.

    Raises
    ------
    ReadError, UnknownName
        As in :func:`read_scores`.

    Examples
    --------
    >>> ratings = read_ratings({"item": [1, 1, 1], "system": ["A", "B", "A"], "rater": ["x", "x", "y"],
    ...                         "score": [70, 40, 90]}, name="DA")
    >>> ratings
    Ratings('DA', 3 judgments of 2 systems × 1 segments by 2 judges)
    """
    options = Options(
        columns=_columns(item=item, system=system, score=score, judge=judge, group=group),
        duplicates=duplicates,
        metric=metric,
        name=name,
        where=conditions(where),
        ignore_columns=_names(ignore),
        keep_columns=_names(keep),
        lower_is_better=_every(lower_is_better, True),
        higher_is_better=_every(lower_is_better, False),
    )
    opened = _opened(source)
    reading = whole(read_any(opened, options, format=_format_of_ratings(opened, options)))
    tables = ratings_of(reading, path=_name_of(opened))
    if not tables:
        message = Message(
            "These are {contents}, not judgments ({because}). Name the column of judges: {judge}.",
            contents=reading.format.contents,
            because=reading.because,
            judge=Option("judge", COLUMN),
        )
        raise ReadError(message, path=_name_of(opened), code="BT022")
    chosen = the_metric(tables, metric, _name_of(opened))
    return replace(chosen, name=name) if name else chosen


def _opened(source: FileLike | FrameLike) -> Source | FrameLike:
    """Open a file once, so that messages can name it and a stream is not read twice."""
    return source if is_frame(source) else open_source(source, folders=True)


def _format_of_ratings(source: Source | FrameLike, options: Options) -> str:
    """Return the recognized layout of single judgments; otherwise a table, whose reader reports what is missing."""
    if not isinstance(source, Source) or ("judge" in options.columns and not source.is_folder):
        return "ratings"
    try:
        layout = recognise(source).format
    except ReadError:
        return "ratings"
    return layout if layout == "several" or reader(layout).FORMAT.kind == "ratings" else "ratings"


def _merged(sources: Sequence[FileLike | FrameLike], options: Options) -> dict[str, Scores]:
    """Return the metrics of all sources; none may be in two of them."""
    if not sources:
        raise ReadError("The list of files is empty. Name at least one.", code="BT134")
    tables: dict[str, Scores] = {}
    places: dict[str, str] = {}
    for number, source in enumerate(runs_as_one(sources, options), 1):
        place = os.fspath(source) if isinstance(source, str | os.PathLike) else f"source {number}"
        for name, table in scores_of(
            read_any(source, options), path=_name_of(source), system_level=True
        ).items():
            if name in tables:
                raise ReadError(
                    f'"{name}" is in {places[name]} and in {place}. Rename one of them, or read them one by one.',
                    path=_name_of(source),
                    code="BT169",
                )
            tables[name], places[name] = table, place
    return tables


def runs_as_one(sources: Sequence[Any], options: Options) -> list[Any]:
    """Return the sources, combined where each file is the run of one system; otherwise each file holds metrics."""
    return [open_source(list(sources), folders=True)] if are_runs(sources, options) else list(sources)


def are_runs(sources: Sequence[Any], options: Options) -> bool:
    """Whether each of several files is the run of one system."""
    from betterthan.read.several.files import runs_in  # noqa: PLC0415  (it reads through this module)

    if len(sources) < 2 or not all(isinstance(source, str | os.PathLike) for source in sources):
        return False
    return bool(runs_in(open_source(list(sources), folders=True), options))


def scores_of(reading: Reading, *, path: str | None = None, system_level: bool = False) -> dict[str, Scores]:
    """Return the scores of a reading by metric; single judgments are averaged over judges, runs over runs.

    Parameters
    ----------
    reading : Reading
    path : str, optional
        For messages.
    system_level : bool, default False
        Whether tables of one score per system are allowed; systems cannot be compared by them segment by segment.

    Raises
    ------
    ReadError
        When it holds other data, such as battles or texts (BT022), one score for each system (BT103), or several
        tables that do not belong together (BT101, BT180).
    """
    tables: dict[str, Scores] = {}
    every = whole(reading).tables
    for table in every:
        if isinstance(table, Scores):
            scores = table if system_level else refuse_system_level(table, path=path, n_metrics=len(every))
        elif isinstance(table, Runs):
            note = f"The runs of each segment were averaged ({table.runs_in_words}), so results are for these runs."
            averaged = table.to_scores()
            scores = replace(averaged, notes=(*averaged.notes, note))
        elif isinstance(table, Ratings):
            note = f"{table.n_judgements:,} judgments by {len(table.judges):,} judges were averaged."
            averaged = table.to_scores()
            scores = replace(averaged, notes=(*averaged.notes, note))
        else:
            contents, hint = reading.format.contents, _HINTS.get(reading.format.kind, "")
            raise ReadError(
                f"These are {contents}, not scores ({reading.because}). {hint}".strip(),
                path=path,
                code="BT022",
            )
        _refuse_second(scores.name, tables, path=path)
        if reading.format.name == _SEVERAL:  # gold labels in a single file are checked by its reader
            refuse_truth(scores.systems, path=path)
        tables[scores.name] = scores
    if not tables:
        raise ReadError(
            f"There are no scores in it ({reading.because}). Name the file that has them.",
            path=path,
            code="BT022",
        )
    return tables


def ratings_of(reading: Reading, *, path: str | None = None) -> dict[str, Ratings]:
    """Return the single judgments of a reading by name; empty where it holds none.

    Raises
    ------
    ReadError
        When two tables have the same name (BT169).
    """
    tables: dict[str, Ratings] = {}
    for table in reading.tables:
        if isinstance(table, Ratings):
            _refuse_second(table.name, tables, path=path)
            tables[table.name] = table
    return tables


def judgements_of(reading: Reading, metric: str | None, *, path: str | None = None) -> Ratings | Scores:
    """Return the requested single judgments, or their means where the file has no judges."""
    ratings = ratings_of(reading, path=path)
    if ratings:
        return the_metric(ratings, metric, path)
    return the_metric(scores_of(reading, path=path), metric, path)


def _refuse_second(name: str, tables: Mapping[str, object], *, path: str | None) -> None:
    """Raise when two tables have the same name: one would hide the other."""
    if name in tables:
        raise ReadError(
            f'Two tables are called "{name}". Rename one of their columns or files.', path=path, code="BT169"
        )


_HINTS = {
    "matches": "Battles have no scores by segment; rank, compare, agree, boards, fragility, voters, gate, plan and "
    "watch take them.",
    "texts": "Score the texts first.",
    "tags": "Tags need gold tags.",
}


def _columns(**roles: str | None) -> dict[str, str]:
    return {role: column for role, column in roles.items() if column is not None}


def _names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns; a single one need not be in a list."""
    return (names,) if isinstance(names, str) else tuple(names)


def _every(value: object, answer: bool) -> frozenset[str]:  # noqa: FBT001
    """Return "every metric" when the user set the direction to `answer`."""
    if isinstance(value, str):
        raise BetterThanError(
            f'lower_is_better is True or False, or of several metrics a list of names; it is "{value}".'
        )
    return frozenset({EVERY}) if value is answer else frozenset()


def _name_of(source: object) -> str | None:
    if isinstance(source, Source):
        return None if source.name.startswith("<") else source.name
    return source if isinstance(source, str) else None


def the_metric(tables: Mapping[str, Table], metric: str | None, path: str | None, *, hint: str = "") -> Table:
    """Return the requested metric, by its name or an unambiguous part of it, or the only one.

    `hint` is added to the message.

    Raises
    ------
    UnknownName
        When there is no such metric, or the part is ambiguous.
    ReadError
        When there are several and none was chosen (BT023).
    """
    if metric is not None:
        fitting = (
            [metric] if metric in tables else [name for name in tables if metric.lower() in name.lower()]
        )
        if len(fitting) != 1 or not metric:
            raise unknown_name("metric", metric, tables)
        return tables[fitting[0]]
    if len(tables) > 1:
        first = next(iter(tables))
        raise ReadError(
            Message(
                "There are {n} metrics where one is needed: {metrics}. Choose one with {metric}.{space}{hint}",
                n=len(tables),
                metrics=some_of(list(tables)),
                metric=Option("metric", first),
                space=" " if hint else "",
                hint=hint,
            ),
            path=path,
            code="BT023",
        )
    return next(iter(tables.values()))


def naming(system: str | Sequence[str] | None, run: str | None, **roles: str | None) -> Options:
    """Return the options that name the columns of systems, of runs and of other roles.

    Examples
    --------
    >>> naming(["model", "prompt"], "seed").factors, naming("model", None, item="question").columns
    (('model', 'prompt'), {'system': 'model', 'item': 'question'})
    """
    several = () if system is None or isinstance(system, str) else tuple(system)
    one = system if isinstance(system, str) else several[0] if len(several) == 1 else None
    columns = {"system": one, "run": run, **roles}
    return Options(
        columns={role: column for role, column in columns.items() if column is not None},
        factors=several if len(several) > 1 else (),
    )


def read_runs(
    source: FileLike | FrameLike,
    *,
    system: str | Sequence[str] | None = None,
    run: str | None = None,
    metric: str | None = None,
    item: str | None = None,
    score: str | None = None,
    group: str | None = None,
    lower_is_better: bool | None = None,
    name: str | None = None,
    where: Mapping[str, object] | None = None,
) -> Runs:
    """Read repeated runs of systems on the same items: a row for each item, system and run.

    Parameters
    ----------
    source, metric, item, score, group, lower_is_better, name, where
        As in :func:`betterthan.read_scores`.
    system : str or sequence of str, optional
        The column of systems, or several that name them together, such as ["model", "prompt"].
    run : str, optional
        The column that numbers the runs. By default the first of run, seed, trial, replicate, sample, repeat, attempt
        and epoch (or a similar name), where rows repeat.

    Returns
    -------
    Runs
        Rows without a score are left out and counted in the notes.

    Raises
    ------
    ReadError
        When nothing tells the repeated rows of an item apart (BT101), or no rows repeat and no column of runs is named
        (BT022).

    Examples
    --------
    >>> read_runs({"item": [1, 1, 1, 1], "model": ["A", "A", "B", "B"], "seed": [1, 2, 1, 2], "score": [1, 0, 1, 1]})
    Runs('score', 4 scores of 2 systems × 1 segments, 2 runs each, higher is better)
    """
    named = naming(system, run, item=item, score=score, group=group)
    options = replace(
        named,
        metric=metric,
        name=name,
        where=conditions(where),
        lower_is_better=frozenset({EVERY} if lower_is_better is True else ()),
        higher_is_better=frozenset({EVERY} if lower_is_better is False else ()),
    )
    opened = source if is_frame(source) else open_source(source, folders=True)
    reading = whole(read_any(opened, options))
    tables = {table.name: table for table in reading.tables if isinstance(table, Runs)}
    path = getattr(opened, "name", None)
    if not tables:
        message = Message(
            "These are {contents} without repeated runs ({because}). Name the column that numbers the runs with {run}.",
            contents=reading.format.contents,
            because=reading.because,
            run=Option("run", COLUMN),
        )
        raise ReadError(message, path=path if isinstance(path, str) else None, code="BT022")
    chosen = the_metric(tables, metric, None, hint=reading.metric_hint)
    return replace(chosen, name=name) if name else chosen
