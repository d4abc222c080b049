"""Scores of counts by several aggregations side by side.

Weight of a segment in a pooled score: its share of the denominator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from betterthan.analysis.pairs.pairwise import Placements, shared_ranks, standing
from betterthan.analysis.rank.rank_scores import bootstrap_means, pairs_of_counts, pooled, segment_means
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.strengths.ranking import RankOptions, SystemStrengths
from betterthan.analysis.units import UnitName, unit_note, units_of
from betterthan.arrays import FloatArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import TableError
from betterthan.kernels.influence.influence import effective_number, gini, share_of_largest
from betterthan.results.ranking import Aggregated
from betterthan.results.settings import Settings
from betterthan.tables.counts import Counts

LONGEST = 0.1
# Scores with one denominator for each n-gram length: the length that all of these derive from.
_LENGTH_COLUMNS = {
    "output length": "words of the output",
    "reference characters 1": "characters of the reference",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LengthWeights:
    """Weights of n segments in the pooled score of each of m systems, and how unequal they are.

    Attributes
    ----------
    systems, segments : tuple of str
    length : str
        Definition of the length of a segment.
    lengths : array, shape (m, n)
    pooled : array, shape (m, n)
        Share of the segment in the total length; rows sum to 1.
    segment_mean : float
        Weight of every segment in the mean of segment scores: 1 / n.
    effective_segments : array, shape (m,)
        Kish's effective sample size: (Σ w)² / Σ w².
    gini : array, shape (m,)
        Gini coefficient of the lengths; 0 when all segments are equally long.
    longest_tenth : array, shape (m,)
        Share of the longest tenth; 0.1 when all are equal.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    length: str
    lengths: FloatArray
    pooled: FloatArray
    segment_mean: float
    effective_segments: FloatArray
    gini: FloatArray
    longest_tenth: FloatArray


def length_weights(
    counts: Counts, *, lengths: Sequence[float] | Mapping[str, float] | None = None
) -> LengthWeights:
    r"""Compute the weight of each segment when counts are pooled, and when segment scores are averaged.

    A ratio of sums is a mean of ratios weighted by length [1]_:

    .. math:: \frac{\sum_i m_i}{\sum_i w_i} = \sum_i \frac{w_i}{w} \frac{m_i}{w_i}, \qquad
       \frac1n \sum_i \frac{m_i}{w_i} = \sum_i \frac1n \frac{m_i}{w_i}

    Parameters
    ----------
    counts : Counts
    lengths : sequence or mapping of segment to float, optional
        Lengths of the segments. By default the denominator of the score: the column for which doubling it halves the
        score. BLEU and chrF have several denominators; for these it is the number of words of the output, and of
        characters of the reference.

    Returns
    -------
    LengthWeights

    Raises
    ------
    TableError
        When the length cannot be determined from the counts, or lengths do not match the segments.

    Notes
    -----
    The weights are exact for a ratio. For BLEU and chrF, which combine several ratios, they are those of the ratios.

    References
    ----------
    .. [1] Cavalin, Domingues and Pinhanez (2024), Sentence-level aggregation of lexical metrics correlate stronger with
       human judgments than corpus-level aggregation, Eqs 1–3.

    Examples
    --------
    >>> import betterthan as bt
    >>> accuracy = bt.Formula(name="accuracy", pooled=lambda sums: sums[..., 0] / sums[..., 1])
    >>> counts = bt.Counts(name="accuracy", systems=["A"], segments=["1", "2"], columns=["right", "words"],
    ...                    values=[[[1, 1], [1, 3]]], formula=accuracy)
    >>> bt.length_weights(counts).pooled
    array([[0.25, 0.75]])
    """
    name, values = _lengths(counts, lengths)
    total = values.sum(axis=1, keepdims=True)
    if not (total > 0).all():
        raise TableError(f"The {name} of all segments sum to 0, so the weights are undefined.")
    weights = values / total
    return LengthWeights(
        systems=counts.systems,
        segments=counts.segments,
        length=name,
        lengths=values,
        pooled=weights,
        segment_mean=1 / counts.n_segments,
        effective_segments=effective_number(weights),
        gini=gini(weights),
        longest_tenth=share_of_largest(weights, LONGEST),
    )


def _lengths(counts: Counts, lengths: Sequence[float] | Mapping[str, float] | None) -> tuple[str, FloatArray]:
    """Return the definition of the lengths, and the lengths, shape (m, n)."""
    if lengths is not None:
        return "lengths given", np.tile(_checked(counts, lengths), (counts.n_systems, 1))
    column = divisor(counts)
    if column is not None:
        return counts.columns[column], counts.values[:, :, column]
    for known, name in _LENGTH_COLUMNS.items():
        if known in counts.columns:
            return name, counts.values[:, :, counts.columns.index(known)]
    raise TableError(
        f"The length of a segment cannot be determined from the counts of {counts.name} "
        f"({', '.join(counts.columns)}). Pass lengths=, one number per segment."
    )


def _checked(counts: Counts, lengths: Sequence[float] | Mapping[str, float]) -> FloatArray:
    if isinstance(lengths, Mapping):
        unknown = [segment for segment in counts.segments if segment not in lengths]
        if unknown:
            raise TableError(f'lengths has no segment "{unknown[0]}". Every segment needs a length.')
        lengths = [lengths[segment] for segment in counts.segments]
    values = np.asarray(lengths, dtype=np.float64)
    if values.shape != (counts.n_segments,):
        raise TableError(f"There are {values.size} lengths for {counts.n_segments} segments.")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise TableError("Lengths must be non-negative numbers. Leave out the segments without a length.")
    return values


def divisor(counts: Counts) -> int | None:
    """The denominator of the pooled score: doubling it halves every score; None unless exactly one column does.

    Examples
    --------
    >>> from betterthan.tables.counts import Formula
    >>> rate = Formula(name="rate", pooled=lambda sums: 100 * sums[..., 0] / sums[..., 1])
    >>> divisor(Counts(name="rate", systems=["A"], segments=["1"], columns=["edits", "words"], values=[[[1, 4]]],
    ...                formula=rate))
    1
    """
    sums = counts.values.sum(axis=1)
    score = np.asarray(counts.formula.pooled(sums), dtype=np.float64)
    if not np.any(score):  # a denominator of 0 cannot be detected
        return None
    found = []
    for column in range(sums.shape[1]):
        doubled = sums.copy()
        doubled[:, column] *= 2
        if np.allclose(2 * np.asarray(counts.formula.pooled(doubled)), score, rtol=1e-9, atol=0):
            found.append(column)
    return found[0] if len(found) == 1 else None


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
