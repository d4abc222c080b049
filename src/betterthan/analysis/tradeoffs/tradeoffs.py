"""Which systems are best by several metrics, and which are the best trade-offs where metrics disagree?

From anything to one table per metric, all of the same systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.compare.decide import direction_note
from betterthan.analysis.pairs.pairwise import MOST_FOR_FEWEST_LETTERS
from betterthan.analysis.rank.rank import rank
from betterthan.analysis.resampling import Rng
from betterthan.analysis.table_argument import AnyData
from betterthan.analysis.units import UnitName
from betterthan.arrays import BoolArray, FloatArray, IntArray, digest
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, MissingScores, TableError, some_of, unknown_name
from betterthan.kernels.display.letters import letter_display, letters_of_many
from betterthan.kernels.display.ranks import simultaneous_rank_intervals
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.messages import Message, Option
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.settings import Settings, undecidable_sentence
from betterthan.results.tasks import Tradeoffs
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


# Strengths that differ by less are equal.
_ROUNDING = 1e-12


@with_one_blas_thread
def tradeoffs(
    data: AnyData,
    *more: AnyData,
    metric: str | Sequence[str] | None = None,
    system: str | Sequence[str] | None = None,
    run: str | None = None,
    systems: Sequence[str] | None = None,
    baseline: str | None = None,
    missing: Literal["raise", "drop"] = "raise",
    units: UnitName = "auto",
    alpha: float = 0.05,
    confidence: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Tradeoffs:
    r"""Compare systems by several metrics at once, and find the systems that no other one dominates.

    Every pair is compared by every metric as :func:`betterthan.compare` does by default, and all these p-values are
    adjusted together (Holm), so that with probability 1 − `alpha` none of the differences shown is false, however many
    metrics there are. System a dominates b when it is as good by all metrics and better by at least one; the systems
    that none dominates are the Pareto front.

    The front of the scores is subject to chance. That a is better than b by *every* metric is tested by the largest of
    the p-values of the metrics [1]_,

    .. math:: p_{ab} = \max_k p_{ab}^{(k)} \quad \text{where a is better by every metric k, otherwise } 1,

    adjusted for all pairs (Holm). A system that is not significantly dominated so may be on the front.

    Parameters
    ----------
    data, *more : Scores, Counts or Runs, or what they are read from
        A dict of names and tables, or several tables, one for each metric; or files, folders or a data frame with
        several metrics.
    metric : str or sequence of str, optional
        The metrics, each by its name or a part of it that no other has; all by default.
    system, run : optional
        As in :func:`betterthan.compare`.
    systems : sequence of str, optional
        Systems to compare; all by default.
    baseline : str, optional
        Compare every other system with this one only: fewer comparisons, and so smaller adjusted p-values.
    missing : {"raise", "drop"}, default "raise"
        "drop" leaves out metrics that do not have every system, and segments with a missing score of the metric.
    units : {"auto", "segments", "groups"}, default "auto"
        As in :func:`betterthan.compare`.
    alpha : float, default 0.05
        Significance level, of adjusted p-values.
    confidence : float, default 0.95
        Confidence level of each interval.
    n_resamples : int, optional
        For corpus scores; 9999 by default.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Tradeoffs

    Raises
    ------
    MissingScores
        When a metric does not have every system and `missing` is "raise".
    TableError
        With fewer than two systems or metrics.

    References
    ----------
    .. [1] Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24.

    Examples
    --------
    >>> import betterthan as bt
    >>> accuracy = bt.read_scores({"A": [5, 6, 7, 6, 8, 7], "B": [4, 5, 5, 5, 6, 5], "C": [3, 4, 4, 4, 5, 4]})
    >>> brevity = bt.read_scores({"A": [1, 2, 1, 1, 2, 1], "B": [7, 8, 7, 8, 7, 8], "C": [6, 6, 5, 6, 5, 5]})
    >>> found = bt.tradeoffs({"accuracy": accuracy, "brevity": brevity})
    >>> found.front, found.dominated_by("C"), found.n_tests
    (('A', 'B'), ('B',), 6)
    """
    if missing not in ("raise", "drop"):
        raise unknown_name("treatment of missing scores", missing, ("raise", "drop"))
    tables, notes = of_the_same_systems(metric_tables((data, *more), metric, system, run), systems, missing)
    known = next(iter(tables.values())).systems
    if baseline is not None and baseline not in known:
        raise unknown_name("system", baseline, known)
    if n_resamples is not None and not any(isinstance(table, Counts) for table in tables.values()):
        raise BetterThanError(
            Message(
                "{option} is for corpus scores, and there are none: these tests do not resample. Leave it out.",
                option=Option("n_resamples", n_resamples),
            )
        )
    computing = {"rng": rng, "workers": workers, "executor": executor, "cache": cache, "progress": progress}
    each = {
        name: _of_metric(table, missing, units, alpha, confidence, n_resamples, computing)
        for name, table in tables.items()
    }
    return _result(tables, each, baseline or "", alpha, confidence, missing, notes)


class _OfMetric(NamedTuple):
    """One metric: the ranking and the pairs, before any correction."""

    ranking: Ranking
    pairs: PairwiseTable


def _of_metric(
    table: MetricTable,
    missing: Literal["raise", "drop"],
    units: UnitName,
    alpha: float,
    confidence: float,
    n_resamples: int | None,
    computing: dict[str, Any],
) -> _OfMetric:
    shared: dict[str, Any] = {"missing": missing, "units": units, "confidence": confidence, **computing}
    draws: dict[str, Any] = {"n_resamples": n_resamples} if isinstance(table, Counts) else {}
    return _OfMetric(
        rank(table, by="pooled" if isinstance(table, Counts) else "mean", **shared),
        compare(table, correction="none", alpha=alpha, **draws, **shared),
    )


def _result(
    tables: Mapping[str, MetricTable],
    each: Mapping[str, _OfMetric],
    baseline: str,
    alpha: float,
    confidence: float,
    missing: str,
    notes: tuple[str, ...],
) -> Tradeoffs:
    """Put the metrics into one result, in the order of the first."""
    first = next(iter(each.values()))
    systems = first.ranking.systems
    if not baseline and len(systems) == 2:
        baseline = next(iter(tables.values())).systems[0]
    matrices = {name: _stacked(each, name, systems) for name in ("effect", "low", "high", "pvalue")}
    effect = _without_rounding(matrices["effect"], [one.ranking.strength for one in each.values()])
    asked = _asked(systems, baseline)
    corrected, n_tests = _corrected(matrices["pvalue"], asked)
    dominance = _dominance(effect, matrices["pvalue"])
    over = (effect >= 0).all(axis=0) & (effect > 0).any(axis=0)
    of_rankings = _of_rankings(each, systems)
    with np.errstate(invalid="ignore"):
        significant = (corrected <= alpha) & (effect > 0)
    ranges = np.stack([np.stack(simultaneous_rank_intervals(one)) for one in significant], axis=1)
    pairs = [one.pairs for one in each.values()]
    easiest = min(pairs, key=lambda one: one.least)
    return Tradeoffs(
        systems=systems,
        metrics=tuple(tables),
        higher_is_better=tuple(table.higher_is_better for table in tables.values()),
        segments=np.array([one.ranking.settings.n_segments or 0 for one in each.values()], dtype=np.int64),
        **of_rankings,
        rank_low=ranges[0],
        rank_high=ranges[1],
        letters=_letters(of_rankings["rank"], significant, has_groups=not baseline),
        effect=effect,
        effect_low=matrices["low"],
        effect_high=matrices["high"],
        pvalue=matrices["pvalue"],
        adjusted=corrected,
        n_tests=n_tests,
        dominance=dominance,
        on_front=np.asarray(~over.any(axis=0)),
        may_be_on_front=np.asarray(~(dominance <= alpha).any(axis=0)),
        baseline=baseline,
        alpha=alpha,
        confidence=confidence,
        units=first.pairs.units,
        unit_note=first.pairs.unit_note,
        undecidable=undecidable_sentence(
            alpha, easiest.units, easiest.n_units, min(1.0, easiest.least * n_tests)
        ),
        notes=(*notes, *_notes(tables, each)),
        settings=_settings(tables, first.pairs, baseline, confidence, missing),
    )


def _settings(
    tables: Mapping[str, MetricTable], pairs: PairwiseTable, baseline: str, confidence: float, missing: str
) -> Settings:
    return Settings(
        method="tradeoffs",
        options={
            "metrics": len(tables),
            "test": pairs.test,
            "baseline": baseline or None,
            "adjust": "holm",
            "ci": f"{100 * confidence:g}",
            "units": pairs.units,
            "missing": missing,
        },
        seed=pairs.settings.seed,
        data=digest(*(table.digest for table in tables.values())),
        n_systems=len(next(iter(tables.values())).systems),
        n_segments=next(iter(tables.values())).n_segments,
    )


def _of_rankings(each: Mapping[str, _OfMetric], systems: Sequence[str]) -> dict[str, Any]:
    """Return score, interval and rank by every metric, each of shape (k, m)."""
    rankings = [(one.ranking, [one.ranking.systems.index(name) for name in systems]) for one in each.values()]
    names = {"score": "strength", "low": "low", "high": "high", "rank": "rank"}
    return {
        name: np.stack([getattr(ranking, field)[at] for ranking, at in rankings])
        for name, field in names.items()
    }


def _stacked(each: Mapping[str, _OfMetric], name: str, systems: Sequence[str]) -> FloatArray:
    """Return a matrix of every metric, systems in the order of the first, shape (k, m, m)."""
    found = []
    for one in each.values():
        at = [one.pairs.systems.index(system) for system in systems]
        found.append(getattr(one.pairs, name)[np.ix_(at, at)])
    return np.stack(found)


def _without_rounding(effect: FloatArray, strengths: Sequence[FloatArray]) -> FloatArray:
    """Return effects with those that are rounding errors as 0."""
    least = np.array([_ROUNDING * np.max(np.abs(one), initial=0.0) for one in strengths])
    return np.where(np.abs(effect) <= least[:, None, None], 0.0, effect)


def _asked(systems: Sequence[str], baseline: str) -> BoolArray:
    """Return which pairs (upper triangle) are compared, shape (m, m)."""
    m = len(systems)
    upper = np.triu(np.ones((m, m), dtype=np.bool_), 1)
    if not baseline:
        return upper
    has_baseline = np.array([name == baseline for name in systems])
    return np.asarray(upper & (has_baseline[:, None] | has_baseline[None, :]))


def _corrected(pvalue: FloatArray, asked: BoolArray) -> tuple[FloatArray, int]:
    """Adjust the p-values of all metrics together; those not asked for are NaN."""
    found = np.full_like(pvalue, np.nan)
    values = pvalue[:, asked]
    holm = adjusted(values.ravel(), correction="holm").reshape(values.shape)
    found[:, asked] = holm
    for matrix in found:
        matrix.T[asked] = matrix[asked]
    return found, int(np.count_nonzero(~np.isnan(values)))


def _dominance(effect: FloatArray, pvalue: FloatArray) -> FloatArray:
    """P-values of "the row is better by every metric", adjusted for all pairs, shape (m, m)."""
    m = effect.shape[1]
    by_all = np.where((effect > 0).all(axis=0), np.max(pvalue, axis=0), 1.0)
    upper = np.triu_indices(m, 1)
    either = np.minimum(by_all, by_all.T)[upper]
    holm = np.ones((m, m))
    holm[upper] = adjusted(either, correction="holm")
    holm = np.minimum(holm, holm.T)
    return np.where((effect > 0).all(axis=0), holm, 1.0)


def _letters(rank: IntArray, better: BoolArray, *, has_groups: bool) -> tuple[tuple[str, ...], ...]:
    """Return the groups of the systems by each metric, with the letter a for the best."""
    if not has_groups:
        return tuple(("",) * rank.shape[1] for _ in rank)
    found = []
    for ranks, is_better in zip(rank, better, strict=True):
        order = np.argsort(ranks, kind="stable")
        different = (is_better | is_better.T)[np.ix_(order, order)]
        shown = (letter_display if len(order) <= MOST_FOR_FEWEST_LETTERS else letters_of_many)(
            different
        ).labels
        letters = dict(zip(order.tolist(), shown, strict=True))
        found.append(tuple(letters[s] for s in range(len(order))))
    return tuple(found)


def _notes(tables: Mapping[str, MetricTable], each: Mapping[str, _OfMetric]) -> tuple[str, ...]:
    """Return the notes on the comparisons, each once; the table names directions itself."""
    own = {name: direction_note(table) for name, table in tables.items()}
    return tuple(
        dict.fromkeys(note for name, one in each.items() for note in one.pairs.notes if note not in own[name])
    )
