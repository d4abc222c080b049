"""Arrow's criteria of an aggregation, counted on a table: unanimity, independence of third systems, no dictator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.comparisons.bradley_terry import bradley_terry_batch
from betterthan.kernels.comparisons.wins import WinCounts, win_counts

PRIOR = 0.5  # of Bradley–Terry, so that strengths exist whatever is left out
_SLACK = 1e-9
_CELLS = 1 << 22


class ArrowCounts(NamedTuple):
    """Pairs of systems at which an aggregation meets or misses a criterion.

    Attributes
    ----------
    unanimous : int
        Pairs of which one system is better on every segment.
    violated : int
        Unanimous pairs that the aggregation does not order so.
    dependent : int
        Pairs whose order changes when some third system is left out.
    decided : int
        Pairs whose order is reversed when some single segment is left out.
    """

    unanimous: int
    violated: int
    dependent: int
    decided: int


def arrow_counts(goodness: FloatArray, aggregation: str) -> ArrowCounts:
    r"""Count how often an aggregation misses Arrow's criteria on these scores.

    * Monotonicity: where :math:`x_{as} > x_{bs}` on every segment s, a is ranked above b.
    * Independence of irrelevant alternatives: the order of a and b does not change when a third system is left out.
    * No dictator: the order of a and b is not reversed when one segment is left out.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Complete, with two or more segments.
    aggregation : {"mean", "median", "win_rate", "bradley_terry"}
        Bradley–Terry with half a win and half a loss added for every system, so that strengths exist.

    Returns
    -------
    ArrowCounts

    Notes
    -----
    No aggregation of three or more systems can meet all criteria on every table; this is about one table. An order that
    becomes a tie has not been reversed.

    References
    ----------
    .. [1] Arrow (1950), A difficulty in the concept of social welfare, Journal of Political Economy 58.
    .. [2] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, App. F.

    Examples
    --------
    One segment decides the mean of two systems, but not the number of segments won:

    >>> goodness = np.array([[1.0, 1, 1, 9], [2, 2, 2, 0]])
    >>> arrow_counts(goodness, "mean").decided, arrow_counts(goodness, "win_rate").decided
    (1, 0)
    """
    m = len(goodness)
    order = _order(strengths_of(goodness, aggregation))
    unanimous = np.array([(row > goodness).all(axis=1) for row in goodness]).reshape(m, m)
    dependent = np.zeros((m, m), dtype=bool)
    if aggregation not in ("mean", "median") and m > 2:
        counts = win_counts(goodness)  # whom a system beats where does not depend on third systems
        for left_out in range(m):
            rest = np.delete(np.arange(m), left_out)
            pairs = np.ix_(rest, rest)
            others = WinCounts(counts.wins[pairs], counts.ties[pairs])
            dependent[pairs] |= (
                _order(_strengths_of_wins(others, goodness.shape[1], aggregation)) != order[pairs]
            )
    decided = np.zeros((m, m), dtype=bool)
    for part in _without_each_segment(goodness, aggregation):
        decided |= (_order(part) * order < 0).any(axis=0)
    upper = np.triu_indices(m, 1)
    violated = unanimous & (order <= 0)
    return ArrowCounts(
        unanimous=int(unanimous.sum()),
        violated=int(violated.sum()),
        dependent=int(dependent[upper].sum()),
        decided=int(decided[upper].sum()),
    )


def strengths_of(goodness: FloatArray, aggregation: str) -> FloatArray:
    """Strengths (m,) by an aggregation.

    Examples
    --------
    >>> strengths_of(np.array([[1.0, 2, 6], [2, 3, 1]]), "win_rate").round(2)
    array([0.33, 0.67])
    """
    if aggregation in ("mean", "median"):
        return np.asarray(getattr(np, aggregation)(goodness, axis=1))
    return _strengths_of_wins(win_counts(goodness), goodness.shape[1], aggregation)


def _strengths_of_wins(counts: WinCounts, n_segments: int, aggregation: str) -> FloatArray:
    if aggregation == "win_rate":
        played = n_segments * (len(counts.wins) - 1)
        return np.asarray((counts.wins + counts.ties / 2).sum(axis=1) / played)
    return np.asarray(bradley_terry_batch(counts.wins[None], prior=PRIOR).log_strength[0])


def _order(strength: FloatArray) -> FloatArray:
    """Sign (…, m, m) of the differences of strengths (…, m); 0 within rounding."""
    gap = strength[..., :, None] - strength[..., None, :]
    return np.where(np.abs(gap) <= _SLACK * np.abs(strength).max(initial=1e-300), 0.0, np.sign(gap))


def _without_each_segment(goodness: FloatArray, aggregation: str) -> Iterator[FloatArray]:
    """Yield strengths (b, m) without each segment, in blocks that fit in memory."""
    m, n = goodness.shape
    without = _WITHOUT[aggregation](goodness)
    step = max(1, _CELLS // (m * m))
    for start in range(0, n, step):
        yield without(goodness[:, start : start + step])


_Without = Callable[[FloatArray], FloatArray]
"""From some segments (m, b) to strengths (b, m) without each of them."""


def _means_without(goodness: FloatArray) -> _Without:
    total = goodness.sum(axis=1)[:, None]
    return lambda part: np.asarray((total - part).T / (goodness.shape[1] - 1))


def _medians_without(goodness: FloatArray) -> _Without:
    """Medians without each segment: the middle of the sorted scores moves by the place of what is left out."""
    n = goodness.shape[1]
    ordered = np.sort(goodness, axis=1)
    low, high = (n - 2) // 2, (n - 1) // 2  # places of the middle among the n − 1 others

    def without(part: FloatArray) -> FloatArray:
        place = np.stack([np.searchsorted(row, values) for row, values in zip(ordered, part, strict=True)])
        ends = [np.take_along_axis(ordered, middle + (place <= middle), axis=1) for middle in (low, high)]
        return np.asarray((ends[0] + ends[1]).T / 2)

    return without


def _wins_without(goodness: FloatArray) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    counts = win_counts(goodness)
    apart = ~np.eye(len(goodness), dtype=bool)

    def without(part: FloatArray) -> tuple[FloatArray, FloatArray]:
        here = part.T
        won = (here[:, :, None] > here[:, None, :]).astype(np.float64)
        tied = (here[:, :, None] == here[:, None, :]) & apart
        return counts.wins - won, counts.ties - tied

    return without


def _rates_without(goodness: FloatArray) -> _Without:
    wins_without = _wins_without(goodness)
    m, n = goodness.shape

    def without(part: FloatArray) -> FloatArray:
        wins, ties = wins_without(part)
        return np.asarray((wins + ties / 2).sum(axis=2) / ((n - 1) * (m - 1)))

    return without


def _log_strengths_without(goodness: FloatArray) -> _Without:
    wins_without = _wins_without(goodness)
    return lambda part: bradley_terry_batch(wins_without(part)[0], prior=PRIOR).log_strength


_WITHOUT: dict[str, Callable[[FloatArray], _Without]] = {
    "mean": _means_without,
    "median": _medians_without,
    "win_rate": _rates_without,
    "bradley_terry": _log_strengths_without,
}
