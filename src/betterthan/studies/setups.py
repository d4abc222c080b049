"""What studies are run on: setups, each the scores of some systems on one data set by one metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from betterthan.arrays import digest
from betterthan.errors import BetterThanError, unknown_name
from betterthan.examples.campaign import campaign
from betterthan.messages import DIRECTION_NOTE
from betterthan.read.formats.tables import long_table
from betterthan.read.grid.columns import plain
from betterthan.read.grid.grid import Grid
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.grid.selection import select
from betterthan.read.protocol import Options
from betterthan.read.scores import read_metrics
from betterthan.read.sniff import recognise
from betterthan.read.source.source import open_source
from betterthan.tables.scores import Scores

_DATASETS = ("dataset", "testset", "lp", "langpair", "languagepair", "task", "benchmark")


class Setup(NamedTuple):
    """One evaluation setup.

    Attributes
    ----------
    dataset, metric : str
    scores : Scores
        Complete, unless gaps are kept.
    """

    dataset: str
    metric: str
    scores: Scores


def demo_setups() -> tuple[Setup, ...]:
    """Return the demo campaign as setups: human scores and four metrics on each of its domains and on all.

    Examples
    --------
    >>> setups = demo_setups()
    >>> len(setups), setups[0].dataset, setups[0].metric
    (25, 'all', 'human')
    """
    example = campaign()
    tables = {"human": example.human, **example.metrics}
    parts = {"all": range(len(example.segments))} | {
        domain: [i for i, segment_domain in enumerate(example.domains) if segment_domain == domain]
        for domain in dict.fromkeys(example.domains)
    }
    return tuple(
        Setup(
            dataset,
            metric,
            Scores(
                name=metric,
                systems=example.systems,
                segments=tuple(example.segments[i] for i in places),
                values=values[:, list(places)],
                higher_is_better=metric not in example.lower_is_better,
            ),
        )
        for dataset, places in parts.items()
        for metric, values in tables.items()
    )


def read_setups(
    sources: str | Path | Sequence[str | Path],
    *,
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
    keep_gaps: bool = False,
) -> tuple[Setup, ...]:
    """Read setups from files.

    A long table with a column for the data set is cut by it; any other table of scores is one data set, called after
    its file.

    Parameters
    ----------
    sources : path, or several
    lower_is_better, higher_is_better : sequence of str
        Metrics of which less, or more, is better, whatever their name.
    keep_gaps : bool, default False
        Keep the segments that some system has no score for; else they are left out of their setup.

    Returns
    -------
    tuple of Setup

    Raises
    ------
    ReadError
        When a file cannot be understood.
    UnknownName
        When a metric is named that there is not.
    BetterThanError
        When no setup has two systems.
    """
    several = [sources] if isinstance(sources, str | Path) else list(sources)
    directions = {**dict.fromkeys(higher_is_better, True), **dict.fromkeys(lower_is_better, False)}
    setups = [setup for source in several for setup in _read(str(source))]
    metrics = dict.fromkeys(setup.metric for setup in setups)
    for metric in directions:
        if metric not in metrics:
            raise unknown_name("metric", metric, metrics)
    directed = [_directed(setup, directions) for setup in setups]
    whole = [setup if keep_gaps else _complete(setup) for setup in directed]
    usable = tuple(setup for setup in whole if setup.scores.n_systems > 1)
    if not usable:
        raise BetterThanError(
            f"There is nothing to compare in {', '.join(map(str, several))}: no two systems."
        )
    return usable


def setups_of(
    tables: Mapping[str, Scores], dataset: str = "data", *, keep_gaps: bool = False
) -> tuple[Setup, ...]:
    """Return tables that are at hand as the setups of one data set."""
    setups = [Setup(dataset, metric, scores) for metric, scores in tables.items()]
    return tuple(setup if keep_gaps else _complete(setup) for setup in setups)


def setups_digest(setups: Sequence[Setup]) -> str:
    """Return eight hexadecimal digits that change whenever a setup does."""
    return digest(*((s.dataset, s.metric, s.scores.digest) for s in setups))


def _complete(setup: Setup) -> Setup:
    return setup._replace(scores=setup.scores.complete(missing="drop"))


def _directed(setup: Setup, directions: Mapping[str, bool]) -> Setup:
    """Return a setup with the direction that the user gave its metric, and without a note about its name."""
    if setup.metric not in directions:
        return setup
    notes = tuple(note for note in setup.scores.notes if getattr(note, "code", "") != DIRECTION_NOTE)
    return setup._replace(
        scores=replace(setup.scores, higher_is_better=directions[setup.metric], notes=notes)
    )


def _read(path: str) -> list[Setup]:
    source = open_source(path, folders=True)
    if not source.is_folder and recognise(source).format == long_table.FORMAT.name:
        with open_grid(source) as grid:
            column = next((name for name in grid.header if plain(name) in _DATASETS), None)
            if column is not None:
                values = grid.labels(grid.header.index(column)).names
                parts = [(value, select(grid, ((column, value),)).grid) for value in values]
                return [
                    Setup(value, scores.name, scores)
                    for value, part in parts
                    for scores in _tables(part, source.stem)
                ]
    return [Setup(source.stem, metric, scores) for metric, scores in read_metrics(path).items()]


def _tables(part: Grid, stem: str) -> list[Scores]:
    reading = long_table.read_grid(part, Options(), stem=stem, because="a column names the data set")
    return [table for table in reading.tables if isinstance(table, Scores)]
