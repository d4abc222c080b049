"""What changed between two runs: each system against itself, by a paired test on the segments that both runs have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.errors import BetterThanError, TableError
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.report.pair.view import how_tested
from betterthan.results.pairwise import Pair, PairwiseTable
from betterthan.tables.counts import Counts
from betterthan.tables.row_order import check_identity
from betterthan.tables.scores import Scores
from betterthan.web.details.comparing import ComparedMeasure, compared_results, metric_of
from betterthan.web.details.pair_files import changes_file
from betterthan.web.names import page_text
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.saved_tables import saved_counts, saved_tables
from betterthan.web.runs.task import Task
from betterthan.web.worker.pairs import formula_named
from betterthan.web.worker.worker import News

BEFORE, AFTER = "before", "after"
_ALPHA = 0.05
_SEED = 12345
Tested = dict[str, dict[str, Any]]


def compute_changes(task: Task, news: News) -> None:
    """Test every system that two runs share and store the answer in the folder of the later one."""
    news.stage("Comparing the two runs")
    folders = RunFolder(task.folder.root, task.details[BEFORE]), task.folder
    name = changes_file(*folders)
    old, new = (folder.read("results.json")["results"] for folder in folders)
    tables = [_tables(folder) for folder in folders]
    tests: dict[str, Any] = {}
    measures: dict[str, Any] = {}
    for result in compared_results(old, new):
        metrics = metric_of(old[result]), metric_of(new[result])
        pair = [_table(known, metric) for known, metric in zip(tables, metrics, strict=True)]
        measures[result] = [_measure(table)._asdict() for table in pair]
        if pair[0] is not None and pair[1] is not None and _is_tested(old[result], new[result]):
            tests[result] = _answer(pair[0], pair[1], units=how_tested(new).units)
    task.folder.write(name, {"tests": tests, "measures": measures})


def changes(before: Scores | Counts, after: Scores | Counts, *, units: str = "auto") -> tuple[Tested, str]:
    """Test for every system in both tables whether its scores changed on the segments in both.

    A system before and the same system after are compared as two systems are, by
    :func:`betterthan.analysis.compare.compare`; so a p-value here is the p-value that it would give. Over systems
    p-values are adjusted by Holm's method, also where the units are so few that no p-value could pass it: with each
    system tested by itself, one of 30 that had not changed was significant in 75% of simulated runs of 10 segments.

    Parameters
    ----------
    before, after : Scores or Counts
        Of the same metric and direction.
    units : {"auto", "segments"}
        "auto" takes documents as units where the later table knows them.

    Returns
    -------
    tests : dict
        By system: effect (positive is better), low, high, pvalue, adjusted, is_significant, n_segments, units.
    note : str
        What must be known about the correction.

    Raises
    ------
    TableError
        When the segments of the two cannot be matched.

    Examples
    --------
    >>> segments = [str(k) for k in range(12)]
    >>> old = Scores(name="m", systems=["A"], segments=segments, values=[[float(k % 5) for k in range(12)]])
    >>> new = replace(old, values=old.values + 1)
    >>> changes(old, new)[0]["A"]["is_significant"]
    True
    """
    if type(before) is not type(after) or before.higher_is_better != after.higher_is_better:
        raise TableError("The scores of the two runs are not of one kind and direction.")
    check_identity([before, after], names=[BEFORE, AFTER])
    known = set(before.segments)
    shared = [segment for segment in after.segments if segment in known]
    if not shared:
        raise TableError("The two runs share no segment. Segments are matched by their names.")
    systems = [system for system in after.systems if system in before.systems]
    compared = {system: _compared(before, after, system, shared, units) for system in systems}
    known_pairs = {system: table for system, table in compared.items() if table is not None}
    return _adjusted(known_pairs)


def _compared(
    before: Scores | Counts, after: Scores | Counts, system: str, shared: list[str], units: str
) -> PairwiseTable | None:
    """Compare a system with itself; None where no segment has both scores."""
    first, second = (table.select([system], shared) for table in (before, after))
    values = np.concatenate([first.values, second.values])
    both = replace(second, systems=(BEFORE, AFTER), values=values, notes=())
    if isinstance(both, Counts):
        return compare(both, units=_units(both, units), correction="none", rng=_SEED)
    if np.isnan(both.values).any(axis=0).all():
        return None
    return compare(both, units=_units(both, units), missing="drop", correction="none", rng=_SEED)


def _units(table: Scores | Counts, units: str) -> Any:  # noqa: ANN401  (a literal of the verb)
    return "segments" if units == "segments" or table.groups is None else "auto"


def _adjusted(tables: dict[str, PairwiseTable]) -> tuple[Tested, str]:
    pairs = {system: table.pair(AFTER, BEFORE) for system, table in tables.items()}
    m = len(pairs)
    raw = np.array([pair.pvalue for pair in pairs.values()])
    tests = {
        system: _entry(pair, float(p), tables[system])
        for (system, pair), p in zip(pairs.items(), adjusted(raw, correction="holm"), strict=True)
    }
    if m < 2:
        return tests, ""
    note = f"P-values are adjusted for {m} systems by Holm's method."
    most = max(table.n_units for table in tables.values())
    if m * 2.0 ** (1 - most) > _ALPHA:
        note += f" With {most} units, none of the changes could be significant."
    return tests, note


def _entry(pair: Pair, p: float, table: PairwiseTable) -> dict[str, Any]:
    numbers = {
        "effect": pair.effect,
        "low": pair.low,
        "high": pair.high,
        "pvalue": pair.pvalue,
        "adjusted": p,
    }
    return {
        **{name: None if np.isnan(value) else float(value) for name, value in numbers.items()},
        "is_significant": bool(p <= _ALPHA),
        "n_segments": table.settings.n_segments,
        "units": table.units,
    }


def _answer(before: Scores | Counts, after: Scores | Counts, *, units: str) -> dict[str, Any]:
    try:
        tests, note = changes(before, after, units="segments" if units == "segments" else "auto")
    except BetterThanError as error:
        return {"systems": {}, "note": f"No test was made: {page_text(error.text)}"}
    return {"systems": tests, "note": note}


def _is_tested(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether strengths are means or pooled scores, which the paired test is about."""
    is_mean = after["kind"] == "aggregated" or after["method"] == "mean"
    return bool(is_mean and before["method"] == after["method"])


def _measure(table: Scores | Counts | None) -> ComparedMeasure:
    if table is None:
        return ComparedMeasure()
    return ComparedMeasure(metric=table.name, direction="higher" if table.higher_is_better else "lower")


def _tables(folder: RunFolder) -> tuple[Scores | Counts, ...]:
    saved = saved_tables(folder)
    if saved.tags is not None or saved.battles is not None:
        return ()
    return saved_counts(folder, formula_named) or saved.scores


def _table(tables: tuple[Scores | Counts, ...], metric: str) -> Scores | Counts | None:
    """Return the table of a metric; a ranking that does not name one is of the first."""
    return next((table for table in tables if metric in ("", table.name)), None)
