"""What studies are run on: setups, each the scores of some systems on one data set by one metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from betterthan.arrays import digest
from betterthan.errors import BetterThanError, unknown_name
from betterthan.examples.campaign import campaign
from betterthan.read import long_table
from betterthan.read.columns import plain
from betterthan.read.open_grid import open_grid
from betterthan.read.protocol import Options
from betterthan.read.scores import read_metrics
from betterthan.read.sniff import recognise
from betterthan.read.source import open_source
from betterthan.read.where import select
from betterthan.tables.scores import Scores

_DATASETS = ("dataset", "testset", "lp", "langpair", "languagepair", "task", "benchmark")


class Setup(NamedTuple):
    """One evaluation setup.

    Attributes
    ----------
    dataset, metric : str
    scores : Scores
        Complete.
    """

    dataset: str
    metric: str
    scores: Scores


def demo_setups() -> tuple[Setup, ...]:
    """Return the demo campaign as setups: people and four metrics on each of its domains and on all.

    Examples
    --------
    >>> setups = demo_setups()
    >>> len(setups), setups[0].dataset, setups[0].metric
    (25, 'all', 'human')
    """
    example = campaign()
    tables = {"human": example.human, **example.metrics}
    parts = {"all": range(len(example.segments))} | {
        domain: [i for i, own in enumerate(example.domains) if own == domain]
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
    sources: str | Path | Sequence[str | Path], *, lower_is_better: Sequence[str] = ()
) -> tuple[Setup, ...]:
    """Read setups from files.

    A long table with a column for the data set is cut by it; any other table of scores is one data set, called after
    its file. Segments that some system has no score for are left out of their setup.

    Parameters
    ----------
    sources : path, or several
    lower_is_better : sequence of str
        Metrics of which less is better, beside those known by their name.

    Returns
    -------
    tuple of Setup

    Raises
    ------
    ReadError
        When a file cannot be understood.
    UnknownName
        When `lower_is_better` names a metric that there is not.
    BetterThanError
        When no setup has two systems.
    """
    several = [sources] if isinstance(sources, str | Path) else list(sources)
    found = [setup for source in several for setup in _read(str(source), frozenset(lower_is_better))]
    metrics = dict.fromkeys(setup.metric for setup in found)
    for metric in lower_is_better:
        if metric not in metrics:
            raise unknown_name("metric", metric, metrics)
    complete = [s._replace(scores=s.scores.complete(missing="drop")) for s in found]
    usable = tuple(setup for setup in complete if setup.scores.n_systems > 1)
    if not usable:
        raise BetterThanError(
            f"There is nothing to compare in {', '.join(map(str, several))}: no two systems."
        )
    return usable


def setups_of(tables: Mapping[str, Scores], dataset: str = "data") -> tuple[Setup, ...]:
    """Return tables that are at hand as the setups of one data set."""
    return tuple(Setup(dataset, metric, scores.complete(missing="drop")) for metric, scores in tables.items())


def setups_digest(setups: Sequence[Setup]) -> str:
    """Return eight hexadecimal digits that change whenever a setup does."""
    return digest(*((s.dataset, s.metric, s.scores.digest) for s in setups))


def _read(path: str, lower_is_better: frozenset[str]) -> list[Setup]:
    source = open_source(path, folders=True)
    options = Options(lower_is_better=lower_is_better)
    if not source.is_folder and recognise(source).format == long_table.FORMAT.name:
        with open_grid(source) as grid:
            column = next((name for name in grid.header if plain(name) in _DATASETS), None)
            if column is not None:
                values = grid.labels(grid.header.index(column)).names
                parts = [(value, select(grid, ((column, value),)).grid) for value in values]
                return [
                    Setup(value, scores.name, scores)
                    for value, part in parts
                    for scores in _tables(part, options, source.stem)
                ]
    known = read_metrics(path)
    return [
        Setup(source.stem, metric, replace(scores, higher_is_better=False))
        if metric in lower_is_better
        else Setup(source.stem, metric, scores)
        for metric, scores in known.items()
    ]


def _tables(part: object, options: Options, stem: str) -> list[Scores]:
    reading = long_table.read_grid(part, options, stem=stem, because="a column names the data set")  # type: ignore[arg-type]
    return [table for table in reading.tables if isinstance(table, Scores)]
