"""Scores of counts by several aggregations side by side."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Literal

import numpy as np

from betterthan.analysis.computing import Rng
from betterthan.analysis.pairs.leaderboard import Placements, shared_ranks, standing
from betterthan.analysis.rank.aggregation_weights import length_weights
from betterthan.analysis.rank.rank_scores import bootstrap_means, pairs_of_counts, pooled, segment_means
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ranking import RankOptions, SystemStrengths
from betterthan.analysis.units import UnitName, unit_note, units_of
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import TableError
from betterthan.results.ranking import Aggregated
from betterthan.results.settings import Settings
from betterthan.tables.counts import Counts


@with_one_blas_thread
def aggregate(
    counts: Counts,
    *,
    missing: Literal["raise", "drop"] = "raise",
    units: UnitName = "auto",
    confidence: float = 0.95,
    n_resamples: int | None = None,
    size: int = 1000,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Aggregated:
    r"""Aggregate counts in three ways: pooled, mean of segments, mean of bootstrap corpora.

    Corpus BLEU pools; many neural metrics average segments; the mean over bootstrap corpora is used as well [1]_. With
    :math:`c_i` the counts of segment i, :math:`f` the formula and :math:`N_{bi}` the number of times that segment i is
    drawn for corpus b:

    .. math:: f\Big(\sum_i c_i\Big), \qquad \frac1n \sum_i f(c_i), \qquad \frac1B \sum_b f\Big(\sum_i N_{bi} c_i\Big)

    Parameters
    ----------
    counts : Counts
        Counts of one or more systems, such as those that :func:`betterthan.bleu` returns.
    missing : {"raise", "drop"}, default "raise"
        How to treat segments for which the formula is undefined, in the mean of segments.
    units : {"auto", "segments", "groups"}, default "auto"
        The units that are resampled and swapped, as in :func:`betterthan.rank`.
    confidence : float, default 0.95
    n_resamples : int, optional
        By default 2000 for the intervals of the first two, 1000 corpora for the third.
    size : int, default 1000
        Segments in a drawn corpus.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Aggregated
        Best first by the pooled score; clusters and groups come from its permutation tests, Holm-corrected.

    Notes
    -----
    The first and the third agree up to a bias of order 1 / `size`. The second weights short segments as much as long
    ones, and uses the formula's own variant for single segments (sentence BLEU has effective order).
    :func:`betterthan.rank` tests each of them.

    References
    ----------
    .. [1] Cavalin, Domingues and Pinhanez (2024), Sentence-level aggregation of lexical metrics correlate stronger with
       human judgments than corpus-level aggregation, §4.2.

    Examples
    --------
    >>> import betterthan as bt
    >>> accuracy = bt.Formula(name="accuracy", pooled=lambda sums: sums[..., 0] / sums[..., 1])
    >>> counts = bt.Counts(name="accuracy", systems=["A"], segments=["1", "2"], columns=["right", "words"],
    ...                    values=[[[1, 1], [1, 3]]], formula=accuracy)
    >>> found = bt.aggregate(counts)
    >>> found.pooled, found.segment_mean.round(3), found.bootstrap_mean.round(2)
    (array([0.5]), array([0.667]), array([0.5]))
    """
    options = RankOptions(missing=missing, units=units, confidence=confidence, size=size)
    resampling = Resampling.of(
        rng, n_resamples, workers=workers, executor=executor, cache=cache, progress=progress
    )
    ways = [
        pooled(counts, options, resampling),
        segment_means(counts, options),
        bootstrap_means(counts, options, resampling),
    ]
    goodness = ways[0].strength if counts.higher_is_better else -ways[0].strength
    order = np.argsort(shared_ranks(goodness), kind="stable")
    stand, undecidable = _standing(counts, options, resampling, goodness, order)
    effective, longest = _weights(counts)
    arrays = {
        f"{way.method}{end}": values[order]
        for way in ways
        for end, values in (("", way.strength), ("_low", way.low), ("_high", way.high))
    }
    return Aggregated(
        metric=counts.name,
        score=counts.formula.name,
        higher_is_better=counts.higher_is_better,
        confidence=confidence,
        n_segments=counts.n_segments,
        systems=tuple(counts.systems[i] for i in order),
        rank=stand.rank,
        rank_low=stand.rank_low,
        rank_high=stand.rank_high,
        cluster=stand.cluster,
        letters=stand.letters,
        effective_segments=effective,
        longest_tenth=longest,
        notes=tuple(dict.fromkeys(note for way in ways for note in way.notes)),
        settings=_settings(counts, options, ways, resampling.seed),
        unit_note=unit_note(counts, units_of(counts, options.units)),
        undecidable=undecidable,
        **arrays,
    )


def _standing(
    counts: Counts, options: RankOptions, resampling: Resampling, goodness: np.ndarray, order: np.ndarray
) -> tuple[Placements, str]:
    """Leaderboard by the pooled score, and a note when no pair could be significant."""
    if counts.n_systems > 1:
        systems = tuple(counts.systems[i] for i in order)
        pairs = pairs_of_counts(counts, options, resampling)
        return standing(systems, goodness[order], pairs), pairs.undecidable
    one = np.ones(1, dtype=np.int64)
    alone = Placements(
        rank=one,
        rank_low=one,
        rank_high=one,
        fuzzy_rank=np.ones(1),
        cluster=one,
        letters=("a",),
        beats_next=np.full(1, np.nan),
        differs_from_next=np.zeros(1, dtype=bool),
    )
    return alone, ""


def _weights(counts: Counts) -> tuple[float, float]:
    """Return the effective sample size and the share of the longest tenth, averaged over systems."""
    try:
        weights = length_weights(counts)
    except TableError:  # a user-defined formula without a length is not an error
        return np.nan, np.nan
    return float(np.median(weights.effective_segments)), float(np.median(weights.longest_tenth))


def _settings(counts: Counts, options: RankOptions, ways: list[SystemStrengths], seed: int) -> Settings:
    first, _, last = (way.options["ci"] for way in ways)
    return Settings(
        method="aggregate",
        options={
            "score": counts.formula.name,
            "ci": first,
            "corpora": str(last).partition("jackknife,")[2],
            "units": units_of(counts, options.units).name,
            "test": f"permutation,holm,{1 - options.confidence:.3g}" if counts.n_systems > 1 else None,
        },
        data=counts.digest,
        seed=seed,
        n_systems=counts.n_systems,
        n_segments=counts.n_segments,
    )
