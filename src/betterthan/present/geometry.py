"""Where the marks of a picture lie, in the units of the data: scatter plots, histograms and scales of intervals.

The Altair charts and the SVG of the report draw the same dots, cells and bars, because both take them from here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import TableError
from betterthan.tables.scores import Scores

MOST_DOTS = 1000
"""Of more pairs of scores the density is drawn, in cells."""
BINS = 40
"""Cells along each axis of the plane, and bars of the distributions at its edges."""
_MOST_BARS = 60


class PairedScores(NamedTuple):
    """Two systems on the segments that both have a score for.

    Attributes
    ----------
    a, b : str
    first, second : array, shape (n,)
        Scores of a and of b.
    n_left_out : int
        Segments where one of them has none.
    """

    a: str
    b: str
    first: FloatArray
    second: FloatArray
    n_left_out: int

    @property
    def gaps(self) -> str:
        """A sentence about the segments that were left out, or nothing."""
        n = self.n_left_out
        return f" Left out for a missing score: {n:,} of {n + self.first.size:,} segments." if n else ""

    @property
    def heavier_half(self) -> int:
        """1 where `a` has the higher score on more segments than `b`, -1 where `b` has, 0 where they are level."""
        return int(np.sign((self.first > self.second).sum() - (self.first < self.second).sum()))

    @property
    def middles(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Means of both, then medians of both."""
        both = (self.first, self.second)
        mean_a, mean_b = (float(scores.mean()) for scores in both)
        median_a, median_b = (float(np.median(scores)) for scores in both)
        return (mean_a, mean_b), (median_a, median_b)

    def differences(self, *, higher_is_better: bool) -> FloatArray:
        """Return by how much `a` is better on each segment."""
        return self.first - self.second if higher_is_better else self.second - self.first

    def wins(self, *, higher_is_better: bool) -> tuple[int, int, int]:
        """Return on how many segments the first system is better, both are equal, and the second is better."""
        above, below = int((self.first > self.second).sum()), int((self.first < self.second).sum())
        better, worse = (above, below) if higher_is_better else (below, above)
        return better, self.first.size - above - below, worse


def paired_scores(scores: Scores, systems: Sequence[str] | None) -> PairedScores:
    """Return the two systems to be drawn, by default the only two that there are.

    Raises
    ------
    TableError
        When there are more and none are named, or no segment has both scores.
    """
    chosen = tuple(scores.systems if systems is None else systems)
    if len(chosen) != 2:
        raise TableError(
            f"This chart shows two systems, and {len(chosen)} are given. "
            f'Name two: systems=("{scores.systems[0]}", "{scores.systems[-1]}").'
        )
    table = scores.select(chosen)
    known = ~np.isnan(table.values).any(axis=0)
    if not known.any():
        raise TableError(f"{chosen[0]} and {chosen[1]} have no segment that both are scored on.")
    first, second = table.values[:, known]
    return PairedScores(chosen[0], chosen[1], first, second, int((~known).sum()))


def limits_around(
    values: Iterable[float] | FloatArray, *, share: float = 0.04, around_one: float = 0.5
) -> tuple[float, float] | None:
    """Return from where to where an axis reaches: a little beyond the known values; None where none is known.

    Parameters
    ----------
    values : iterable of float
    share : float
        Of the range of the values, added at both ends.
    around_one : float
        Added at both ends where all values are the same.

    Examples
    --------
    >>> limits_around([0.0, 50.0, 100.0]), limits_around([3.0]), limits_around([float("nan")])
    ((-4.0, 104.0), (2.5, 3.5), None)
    >>> limits_around([0.1 + 0.2, 0.3])
    (-0.2, 0.8)
    """
    known = [value for value in map(float, values) if math.isfinite(value)]
    if not known:
        return None
    low, high = min(known), max(known)
    # Values that differ by rounding only are the same: an axis that magnifies the last bits cannot be drawn.
    is_same = high - low <= 1e-9 * max(abs(low), abs(high))
    margin = around_one * max(1.0, abs(high) * 1e-6) if is_same else share * (high - low)
    return low - margin, high + margin


def ticks(low: float, high: float, *, most: int = 6) -> tuple[tuple[float, ...], int]:
    """Return round numbers between two limits, at most so many where two or more fit, and their decimals.

    Examples
    --------
    >>> ticks(-0.3, 1.1), ticks(0.0, 26.0), ticks(3.141, 3.142, most=3)
    (((0.0, 0.5, 1.0), 1), ((0.0, 5.0, 10.0, 15.0, 20.0, 25.0), 0), ((3.141, 3.1415, 3.142), 4))
    """
    span = high - low
    if not math.isfinite(span):
        return (low, high), 0
    power = math.floor(math.log10(span / most)) - 1
    for step, exponent in ((size, power + k) for k in range(4) for size in (1, 2, 5)):
        width = step * 10.0**exponent
        first, last = math.ceil(low / width - 1e-9), math.floor(high / width + 1e-9)
        if last - first + 1 <= most:
            break
    if last <= first:  # fewer than two round numbers lie between the limits: take the last step that had two
        return (low, high), max(0, 1 - math.floor(math.log10(span)))
    decimals = max(0, -exponent)
    return tuple(round(i * width, decimals + 1) for i in range(first, last + 1)), decimals


def rank_ticks(n: int) -> list[int]:
    """Return the ranks to be labeled on an axis from 1 to `n`: both ends, and round numbers between them.

    Examples
    --------
    >>> rank_ticks(3), rank_ticks(12), rank_ticks(60)
    ([1, 2, 3], [1, 2, 4, 6, 8, 10, 12], [1, 10, 20, 30, 40, 50, 60])
    """
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if n <= 8 * step)
    between = [rank for rank in range(step, n, step) if rank - 1 > 0.4 * step and n - rank > 0.6 * step]
    return sorted({1, *(between if step > 1 else range(1, n)), n})


def plane_limits(pairs: Iterable[PairedScores]) -> tuple[float, float]:
    """Return from where to where both axes of a plane reach that shows these pairs."""
    ends = [end for pair in pairs for each in (pair.first, pair.second) for end in (each.min(), each.max())]
    limits = limits_around(ends)
    assert limits is not None  # noqa: S101  (paired scores are known)
    return limits


class Dots(NamedTuple):
    """Pairs of scores that occur, and on how many segments."""

    x: FloatArray
    y: FloatArray
    segments: IntArray


def dots(pair: PairedScores) -> Dots | None:
    """Return a dot for each pair of scores, the first system upwards; None where they are too many to draw."""
    points, counts = np.unique(np.stack([pair.second, pair.first], axis=1), axis=0, return_counts=True)
    return Dots(points[:, 0], points[:, 1], counts) if len(points) <= MOST_DOTS else None


class DensityCells(NamedTuple):
    """Segments in each cell of the plane, and the edges of the cells."""

    segments: FloatArray
    across: FloatArray
    up: FloatArray


def cells(pair: PairedScores, limits: tuple[float, float]) -> DensityCells:
    """Count segments in the cells of the plane; the first system upwards."""
    return DensityCells(*np.histogram2d(pair.second, pair.first, bins=BINS, range=[limits, limits]))


def distribution(values: FloatArray, limits: tuple[float, float]) -> tuple[IntArray, FloatArray]:
    """Count the scores of one system along its axis; counts, and the edges of the bars."""
    return np.histogram(values, bins=BINS, range=limits)


def bar_width(difference: FloatArray) -> float:
    """Return a round width of bars, of which at most sixty cover the differences.

    Examples
    --------
    >>> bar_width(np.array([-3.0, 5.0])), bar_width(np.zeros(3)), bar_width(np.array([0.0, 59.0]))
    (0.2, 1.0, 2.0)
    """
    span = float(max(difference.max(), 0) - min(difference.min(), 0))
    if span == 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / _MOST_BARS))
    return next(size * power for size in (1, 2, 5, 10, 20) if span / (size * power) <= _MOST_BARS - 2)


class Bars(NamedTuple):
    """Bars of a histogram: where they begin and end, and how many segments they count; ties left aside."""

    low: FloatArray
    high: FloatArray
    segments: IntArray


def histogram(difference: FloatArray) -> Bars:
    """Count differences in bars that end at 0, so that none mixes wins with losses.

    A difference of exactly one width belongs to the first bar on either side, so that swapping systems mirrors it.

    Examples
    --------
    >>> bars = histogram(np.array([-1.0, 0.0, 1.0, 59.5]))
    >>> bars.low.tolist(), bars.high.tolist(), bars.segments.tolist()
    ([-2.0, 0.0, 58.0], [0.0, 2.0, 60.0], [1, 1, 1])
    """
    step = bar_width(difference)
    known = difference[difference != 0]
    place, counts = np.unique(np.sign(known) * np.ceil(np.abs(known) / step - 1e-9), return_counts=True)
    low, high = np.where(place > 0, place - 1, place), np.where(place > 0, place, place + 1)
    return Bars(low * step, high * step, counts)
