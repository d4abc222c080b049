"""What a segment weighs in a pooled score: its share of what the score is divided by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import TableError
from betterthan.kernels.influence.influence import effective_number, gini, share_of_largest
from betterthan.tables.counts import Counts

LONGEST = 0.1
# Scores with several denominators, one a length of n-grams: the length of which all of them are made.
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
        What the length of a segment is.
    lengths : array, shape (m, n)
    pooled : array, shape (m, n)
        Share of the segment in the whole length; rows sum to 1.
    segment_mean : float
        What every segment weighs in the mean of segment scores: 1 / n.
    effective_segments : array, shape (m,)
        How many segments of equal length would be as unequal: (Σ w)² / Σ w².
    gini : array, shape (m,)
        0 when all segments are equally long.
    longest_tenth : array, shape (m,)
        Share that the longest tenth carries; 0.1 when all are equal.
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
    r"""Show what each segment weighs when counts are pooled, and what when segment scores are averaged.

    A ratio of sums is a mean of ratios weighted by length [1]_:

    .. math:: \frac{\sum_i m_i}{\sum_i w_i} = \sum_i \frac{w_i}{w} \frac{m_i}{w_i}, \qquad
       \frac1n \sum_i \frac{m_i}{w_i} = \sum_i \frac1n \frac{m_i}{w_i}

    Parameters
    ----------
    counts : Counts
    lengths : sequence or mapping of segment to float, optional
        The lengths themselves. By default the column by which the score is divided: one such that doubling it halves
        the score. BLEU and chrF have several denominators; theirs is the number of words of the output, and of
        characters of the reference.

    Returns
    -------
    LengthWeights

    Raises
    ------
    TableError
        When the length cannot be told from the counts, or lengths do not fit the segments.

    Notes
    -----
    For a ratio the weights are exact. For BLEU and chrF, products and means of ratios, they are those of the ratios.

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
        raise TableError(f"The {name} of all segments together are 0, so that weights do not exist.")
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
    """Return what the lengths are, and the lengths, shape (m, n)."""
    if lengths is not None:
        return "lengths given", np.tile(_checked(counts, lengths), (counts.n_systems, 1))
    column = divisor(counts)
    if column is not None:
        return counts.columns[column], counts.values[:, :, column]
    for known, name in _LENGTH_COLUMNS.items():
        if known in counts.columns:
            return name, counts.values[:, :, counts.columns.index(known)]
    raise TableError(
        f"Which of the counts of {counts.name} is the length of a segment cannot be told "
        f"({', '.join(counts.columns)}). Pass lengths=, one number a segment."
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
        raise TableError("Lengths must be numbers from 0. Leave out the segments without a length.")
    return values


def divisor(counts: Counts) -> int | None:
    """Which column the pooled score is divided by: doubling it halves every score; None if there is none or two.

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
    if not np.any(score):  # nothing is seen of a divisor of 0
        return None
    found = []
    for column in range(sums.shape[1]):
        doubled = sums.copy()
        doubled[:, column] *= 2
        if np.allclose(2 * np.asarray(counts.formula.pooled(doubled)), score, rtol=1e-9, atol=0):
            found.append(column)
    return found[0] if len(found) == 1 else None
