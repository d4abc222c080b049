"""What rankings and auditions of word tags share: scores of real and synthetic systems, and tests of the real ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan import __version__
from betterthan.analysis.compare import compare
from betterthan.analysis.compare_counts import unit_counts
from betterthan.analysis.computing import Computing
from betterthan.analysis.tag_counts import tag_counts
from betterthan.analysis.units import UnitName, units_of
from betterthan.arrays import FloatArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.counts_permutation import counts_bootstrap_block
from betterthan.kernels.intervals import percentile_interval
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags

Measured = Counts | Scores
OwnMeasure = Callable[[WordTags], Measured]
INTERVAL_RESAMPLES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomisation:
    """How pairs of systems are tested."""

    correction: str
    alpha: float
    n_resamples: int
    units: UnitName
    seed: int
    computing: Computing


def measured(tags: WordTags, by: str | Formula | OwnMeasure, *, as_published: bool) -> Measured:
    """Return counts, or scores of segments, of all systems by a measure of any kind.

    A plain function is asked for the table of tags: it returns Counts or Scores of the same systems.
    """
    if isinstance(by, str):
        is_phrase = as_published and by.startswith("phrase_")
        return tag_counts(tags, by=by, as_published=is_phrase)  # type: ignore[arg-type]  # checked there
    if isinstance(by, Formula):
        return tag_counts(tags, by=by)
    found = by(tags)
    if not isinstance(found, Counts | Scores) or found.systems != tags.systems:
        raise BetterThanError(
            f'The measure "{getattr(by, "__name__", "of your own")}" must return Counts or Scores of all systems, in '
            f"their order. For a formula on tp, fp, fn, tn pass a Formula."
        )
    return found


def points(table: Measured) -> FloatArray:
    """Goodness of each system: the pooled score of counts, the mean of segment scores; higher is better."""
    if isinstance(table, Counts):
        return table.pooled() if table.higher_is_better else -table.pooled()
    known = ~np.isnan(table.goodness)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(known, table.goodness, 0.0).sum(axis=1) / known.sum(axis=1))


def compared(table: Measured, systems: tuple[str, ...], testing: Randomisation) -> PairwiseTable:
    """Randomisation tests of all pairs of these systems, which alone make up the family."""
    return compare(
        table.select(systems),
        units=testing.units,
        method="monte_carlo",
        missing="raise" if isinstance(table, Counts) else "pairwise",
        correction=testing.correction,  # type: ignore[arg-type]  # checked there
        alpha=testing.alpha,
        n_resamples=testing.n_resamples,
        rng=testing.seed,
        workers=testing.computing.workers,
        executor=testing.computing.executor,
        cache=testing.computing.cache,
        progress=testing.computing.progress,
    )


def interval(counts: Counts, testing: Randomisation, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Percentile bootstrap interval of the pooled score of each system."""
    unit = units_of(counts, testing.units)
    values = unit_counts(counts, unit)
    blocks = block_ranges(INTERVAL_RESAMPLES, 24 * unit.n_units + 32 * counts.n_systems * len(counts.columns))
    job: Job[Any, FloatArray] = Job(
        name=f"bootstrap of {counts.formula.name} ({INTERVAL_RESAMPLES:,} resamples)",
        function=_block,
        payload=(values, counts.formula, testing.seed, blocks),
        n_blocks=len(blocks),
        digest=f"{counts.digest} tags {unit.n_units} {INTERVAL_RESAMPLES} {testing.seed} {__version__}",
    )
    return percentile_interval(np.concatenate(testing.computing.run(job)), confidence)


def _block(payload: tuple[FloatArray, Formula, int, tuple[range, ...]], block: int) -> FloatArray:
    values, formula, seed, blocks = payload
    rng = stream(seed, "bootstrap of pooled scores", block)
    return counts_bootstrap_block(values, len(blocks[block]), rng, formula=formula.pooled)


def too_few(n_pairs: int, testing: Randomisation) -> tuple[str, ...]:
    """Say when no p-value can pass the correction."""
    if testing.correction != "bonferroni" or n_pairs <= testing.alpha * (testing.n_resamples + 1):
        return ()
    needed = int(np.ceil(n_pairs / testing.alpha))
    few = f"With {testing.n_resamples:,} resamples no pair of {n_pairs:,} can be told apart at {testing.alpha:g}."
    return (f"{few} Use {needed:,} or more.",)
