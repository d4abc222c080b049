"""Weight of a segment in a pooled score: its share of the denominator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import TableError
from betterthan.kernels.influence.influence import effective_number, gini, share_of_largest
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
