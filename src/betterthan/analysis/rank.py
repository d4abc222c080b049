"""Which system is best, and how sure are we?"""

from __future__ import annotations

from concurrent.futures import Executor
from functools import partial
from typing import Literal

import numpy as np

from betterthan import __version__
from betterthan.analysis.computing import Computing, Rng, seed_of
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.kernels.intervals import percentile_interval
from betterthan.kernels.resample import bootstrap_counts, resampled_means, unit_sums
from betterthan.results.ranking import Ranking
from betterthan.results.settings import Settings
from betterthan.tables.scores import Scores

METHODS = ("mean",)
_FEW_SEGMENTS = 10


def rank(
    scores: Scores,
    *,
    by: Literal["mean"] = "mean",
    missing: Literal["raise", "drop"] = "raise",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    resample: Literal["segments", "groups"] = "segments",
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Ranking:
    r"""Rank systems from best to worst, with an interval for each strength.

    The mean is what most papers report. Its interval comes from the paired bootstrap: whole segments (or
    whole documents) are drawn with replacement, so that what one system finds hard the others meet too.

    .. math:: \bar x_s = \frac{1}{n} \sum_{i=1}^{n} x_{si}

    Parameters
    ----------
    scores : Scores
        At least two systems.
    by : {"mean"}, default "mean"
        How scores become a strength.
    missing : {"raise", "drop"}, default "raise"
        * "raise": refuse a table with empty cells.
        * "drop": leave out the segments with an empty cell for all systems, and say so.
    confidence : float, default 0.95
        Coverage of the intervals.
    n_resamples : int, default 2000
        Bootstrap resamples behind the intervals.
    resample : {"segments", "groups"}, default "segments"
        What is drawn. Documents ("groups") are right when segments of a document resemble each other.
    rng : int or numpy.random.Generator, default 12345
        Seed of the draws; recorded in the settings.
    workers, executor, cache, progress
        Who does the work; see :class:`betterthan.analysis.computing.Computing`. None changes a number.

    Returns
    -------
    Ranking
        Best first; systems with equal strength share a rank.

    Raises
    ------
    TableError
        With fewer than two systems.
    MissingScores
        When cells are empty and `missing` is "raise".

    Notes
    -----
    Cost grows with n_resamples × segments × systems, in blocks of bounded memory; the numbers do not depend on
    the number of workers. Percentile intervals need a few dozen segments to cover as they say.

    References
    ----------
    .. [1] Koehn (2004), Statistical significance tests for machine translation evaluation, EMNLP.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.Scores(name="acc", systems=["A", "B"], segments=["1", "2", "3"],
    ...                    values=[[1, 0, 0], [1, 1, 0]])
    >>> ranking = bt.rank(scores)
    >>> ranking.systems, ranking.strength.round(2).tolist()
    (('B', 'A'), [0.67, 0.33])
    """
    if by not in METHODS:
        raise unknown_name("method", by, METHODS)
    if not 0 < confidence < 1:
        raise BetterThanError(f"confidence must lie between 0 and 1, such as 0.95; it is {confidence}.")
    if n_resamples < 1:
        raise BetterThanError(f"n_resamples must be 1 or more; it is {n_resamples}.")
    if scores.n_systems < 2:
        raise TableError(
            f'"{scores.name}" has one system, {scores.systems[0]}; a ranking needs two or more. '
            f"If the columns are not systems, name the column that holds them."
        )
    complete = scores.complete(missing=missing)
    seed = seed_of(rng)
    units, n_units = _units(complete, resample)
    computing = Computing(workers=workers, executor=executor, cache=cache, progress=progress)
    draws = _resampled(complete, units, n_units, n_resamples, seed, computing)
    low, high = percentile_interval(draws, confidence)
    options = {"ci": f"{100 * confidence:g},percentile,{n_resamples}", "resample": resample}
    settings = Settings(
        method=by,
        options=dict(options),
        data=scores.digest,
        seed=seed,
        n_systems=complete.n_systems,
        n_segments=complete.n_segments,
    )
    return _ranking(complete, low, high, confidence, settings)


def _units(scores: Scores, resample: str) -> tuple[IntArray, int]:
    """Return the unit of each segment and the number of units that are drawn."""
    if resample == "segments":
        return np.arange(scores.n_segments), scores.n_segments
    if resample != "groups":
        raise unknown_name("resample", resample, ("groups", "segments"))
    if scores.groups is None:
        raise TableError(f'"{scores.name}" has no groups (documents) to resample. Use resample="segments".')
    names, codes = np.unique(np.array(scores.groups), return_inverse=True)
    return codes.astype(np.int64), names.size


def _resampled(
    scores: Scores, units: IntArray, n_units: int, n_resamples: int, seed: int, computing: Computing
) -> FloatArray:
    sums = unit_sums(scores.values, units, n_units)
    sizes = np.bincount(units, minlength=n_units).astype(np.float64)
    # A block holds draws, their flat indices and counts: about 24 bytes a unit and resample.
    blocks = block_ranges(n_resamples, 24 * n_units)
    job = Job(
        name="bootstrap of the mean",
        function=_resampled_block,
        payload=(sums, sizes, seed, tuple(blocks)),
        n_blocks=len(blocks),
        digest=f"{scores.digest} mean {n_units} {n_resamples} {seed} {__version__}",
    )
    return np.concatenate(computing.run(job))


def _resampled_block(
    payload: tuple[FloatArray, FloatArray, int, tuple[range, ...]], block: int
) -> FloatArray:
    sums, sizes, seed, blocks = payload
    draw = partial(bootstrap_counts, len(blocks[block]), sizes.size)
    return resampled_means(draw(stream(seed, "bootstrap of the mean", block)), sums, sizes)


def _ranking(
    scores: Scores, low: FloatArray, high: FloatArray, confidence: float, settings: Settings
) -> Ranking:
    strength = scores.values.mean(axis=1)
    goodness = strength if scores.higher_is_better else -strength
    order = np.argsort(-goodness, kind="stable")
    rank_of = 1 + (goodness[None, :] > goodness[:, None]).sum(axis=1)
    notes = list(scores.notes)
    if scores.n_segments < _FEW_SEGMENTS:
        notes.append(f"Only {scores.n_segments} segments: intervals of so few are rough.")
    direction = "higher" if scores.higher_is_better else "lower"
    return Ranking(
        systems=tuple(scores.systems[i] for i in order),
        strength=strength[order],
        low=low[order],
        high=high[order],
        confidence=confidence,
        rank=rank_of[order].astype(np.int64),
        unit=f"{scores.name}, {direction} is better",
        notes=tuple(notes),
        settings=settings,
    )
