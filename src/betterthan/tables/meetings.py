"""Pairs of systems that were judged on the same segment, and their differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import TableError


class Meetings(NamedTuple):
    """Pairs of a system with later ones, one per row."""

    left: IntArray
    right: IntArray
    segment: IntArray
    outcome: FloatArray
    same: BoolArray
    """Whether the outputs are the same text."""
    apart: BoolArray
    """Whether the judgments are a margin or more apart."""


def meetings(goodness: FloatArray, codes: IntArray, left: int, *, margin: float, noise: float) -> Meetings:
    """Return the pairs of a system with later ones; close pairs and identical outputs are tied.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN where there is no judgment.
    codes : array of int, shape (m, n)
        Equal codes of 0 or more on a segment are the same text.
    left : int
        The system.
    margin : float
        Pairs at least this far apart are decided.
    noise : float
        Differences up to this size are rounding.

    Examples
    --------
    >>> meetings(np.array([[70.0], [40.0]]), np.array([[-1], [-1]]), 0, margin=25, noise=0).outcome
    array([1.])
    """
    gap = goodness[left] - goodness[left + 1 :]
    later, segment = np.nonzero(~np.isnan(gap))
    gap = gap[later, segment]
    right = left + 1 + later
    size = np.abs(gap)
    apart = (size >= margin - noise) & (size > noise)
    same = (codes[left, segment] == codes[right, segment]) & (codes[left, segment] >= 0)
    outcome = np.where(apart & ~same, (np.sign(gap) + 1) / 2, 0.5)
    return Meetings(np.full(gap.size, left), right, segment, outcome, same, apart)


def shares_kept(goodness: FloatArray, margins: FloatArray, *, noise: float) -> FloatArray:
    """Return the share of all pairs that differ by at least each margin; NaN when there are none.

    Examples
    --------
    >>> shares_kept(np.array([[70.0], [40.0], [50.0]]), np.array([0.0, 20.0, 25.0]), noise=0)
    array([1.        , 0.66666667, 0.33333333])
    """
    kept, judged = np.zeros(margins.size), 0
    for left in range(len(goodness)):
        gap = np.abs(goodness[left] - goodness[left + 1 :])
        gap = np.sort(gap[~np.isnan(gap)])
        judged += gap.size
        floor = np.searchsorted(gap, noise, side="right")  # equal scores are not kept by any margin
        kept += gap.size - np.maximum(np.searchsorted(gap, margins - noise, side="left"), floor)
    return kept / judged if judged else np.full(margins.size, np.nan)


def check_margin(margin: object) -> None:
    """Raise unless `margin` is a valid margin."""
    if not (isinstance(margin, int | float | np.number) and 0 <= margin < np.inf):
        raise TableError(f"margin must be a non-negative number, not {margin!r}.")
