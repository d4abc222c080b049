"""From anything to one table per metric, all of the same systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from betterthan.analysis.table_argument import AnyData
from betterthan.errors import BetterThanError, MissingScores, TableError, some_of
from betterthan.messages import Message, Option
from betterthan.tables.any_table import AnyTable
from betterthan.tables.counts import Counts
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

MetricTable = Scores | Counts | Runs


class MetricTables(NamedTuple):
    """Tables by the names of their metrics, and what was left out."""

    tables: dict[str, MetricTable]
    notes: tuple[str, ...]


def metric_tables(
    data: tuple[AnyData, ...],
    metric: str | Sequence[str] | None,
    system: str | Sequence[str] | None,
    run: str | None,
) -> dict[str, MetricTable]:
    """Return the tables of all metrics, or of those named.

    Examples
    --------
    >>> clear = Scores(name="clear", systems=["A", "B"], segments=["1"], values=[[1], [2]])
    >>> list(metric_tables((clear, {"A": [1, 0], "B": [0, 0]}), None, None, None))
    Traceback (most recent call last):
    ...
    betterthan.errors.TableError: tradeoffs takes a table for each metric, not Scores and dict.
    >>> list(metric_tables(([clear, replace(clear, name="short")],), "short", None, None))
    ['short']
    """
    first, *more = data
    members = list(first.values()) if isinstance(first, Mapping) else first
    several = [*(members if isinstance(members, list | tuple) else [members]), *more]
    tables: dict[str, MetricTable]
    if any(isinstance(one, AnyTable) for one in several):
        _require_tables(several, system, run)
        names = list(map(str, first)) if isinstance(first, Mapping) else [one.name for one in several]
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            raise TableError(f"Two metrics are called {some_of(twice)}. Pass a dict of names and tables.")
        tables = {name: replace(one, name=name) for name, one in zip(names, several, strict=True)}
    else:
        from betterthan.read.inputs import TableReader  # noqa: PLC0415  (a verb on a table loads no reader)
        from betterthan.read.scores import naming  # noqa: PLC0415

        tables = dict(TableReader(naming(system, run)).runs_or_scores(data if more else first))
    return chosen_metrics(tables, metric)


def chosen_metrics(
    tables: Mapping[str, MetricTable], metric: str | Sequence[str] | None
) -> dict[str, MetricTable]:
    """Return the metrics that are named, each by its name or a part of it that no other has; all by default."""
    from betterthan.read.scores import the_metric  # noqa: PLC0415

    if not metric:
        return dict(tables)
    wanted = [metric] if isinstance(metric, str) else list(metric)
    named = [the_metric(tables, name, None) for name in wanted]
    return {name: table for name, table in tables.items() if any(table is one for one in named)}


def _require_tables(several: Sequence[object], system: object, run: object) -> None:
    if not all(isinstance(one, Scores | Counts | Runs) for one in several):
        kinds = " and ".join(dict.fromkeys(type(one).__name__ for one in several))
        raise TableError(f"tradeoffs takes a table for each metric, not {kinds}.")
    for name, value in (("system", system), ("run", run)):
        if value is not None:
            raise BetterThanError(
                Message(
                    "{option} names columns to be read and has no effect on a table. Leave it out.",
                    option=Option(name, value),
                )
            )


def of_the_same_systems(
    tables: Mapping[str, MetricTable],
    systems: Sequence[str] | None,
    missing: Literal["raise", "drop"],
) -> MetricTables:
    """Return tables that all have the systems in the same order.

    Raises
    ------
    MissingScores
        When a metric lacks a system and `missing` is "raise".
    TableError
        With fewer than two systems or metrics.
    """
    known = tuple(dict.fromkeys(name for table in tables.values() for name in table.systems))
    wanted = known if systems is None else tuple(dict.fromkeys(systems))
    gaps = {name: [one for one in wanted if one not in table.systems] for name, table in tables.items()}
    lacking = [name for name, absent in gaps.items() if absent]
    notes: tuple[str, ...] = ()
    if lacking:
        shown = some_of([f"{name}: no scores of {some_of(gaps[name])}" for name in lacking], limit=3)
        if len(lacking) == len(tables):
            raise MissingScores(
                f"No metric has scores of all {len(wanted)} systems ({shown}). Leave out systems, or choose one metric."
            )
        if missing == "raise":
            raise MissingScores(
                Message(
                    "{n} of {n_metrics} metrics do not have every system ({gaps}). Use {drop} to leave these metrics "
                    "out.",
                    severity="error",
                    n=len(lacking),
                    n_metrics=len(tables),
                    gaps=shown,
                    drop=Option("missing", "drop"),
                )
            )
        tables = {name: table for name, table in tables.items() if not gaps[name]}
        notes = (
            f"{len(lacking)} of {len(gaps)} metrics left out, because they do not have every system ({shown}).",
        )
    if len(tables) < 2:
        there = f"there is only {next(iter(tables))}" if tables else "there is none with all systems"
        raise TableError(
            f"Trade-offs need two metrics or more; {there}. Use rank or compare for a single metric."
        )
    if len(wanted) < 2:
        raise TableError(f"Trade-offs need two systems or more; there is only {some_of(list(wanted))}.")
    return MetricTables({name: table.select(wanted) for name, table in tables.items()}, notes)
