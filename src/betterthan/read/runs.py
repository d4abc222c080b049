"""Public reader of repeated runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from betterthan.errors import ReadError
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.formats.tables.tables_in_one_file import whole
from betterthan.read.grid.open_grid import FrameLike, is_frame
from betterthan.read.grid.selection import conditions
from betterthan.read.protocol import EVERY, Options
from betterthan.read.scores import the_metric
from betterthan.read.sniff import read_any
from betterthan.read.source.source import FileLike, open_source
from betterthan.tables.runs import Runs


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
