"""How often a third system changes the order of two under Bradley–Terry, counted over all triples."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.bradley_terry import bradley_terry_batch
from betterthan.kernels.connectivity import is_connected
from betterthan.kernels.diagnosis import majority_cycles

CLOSE = 0.55
"""A pair whose winner has no more of the decided segments is as good as level."""
_LEVEL = 1e-9
_CHUNK = 50_000
_PLACES = ((0, 1, 2), (0, 2, 1), (1, 2, 0))


class Changes(NamedTuple):
    """Counts over all triples of systems.

    Attributes
    ----------
    triples : int
    circles : int
        Triples in which each beats one of the others on most segments.
    flips, levels : int
        Pairs whose order the third system turns round, or makes level.
    close : int
        How many of these pairs the winner wins with no more than 55 % of the decided segments.
    without : int
        Triples without Bradley–Terry strengths.
    """

    triples: int
    circles: int
    flips: int
    levels: int
    close: int
    without: int


def changes(wins: FloatArray) -> Changes:
    r"""Count pairs (a, b) ordered by their own wins, and otherwise once c takes part.

    Where all three pairs of a triple met equally often, Bradley–Terry orders systems as their wins do: the likelihood
    equations are :math:`W_i = n \sum_j \lambda_i / (\lambda_i + \lambda_j)`, whose right side grows with
    :math:`\lambda_i`. No fit is needed then, and level strengths are equal whole numbers. Other triples are fitted.

    Parameters
    ----------
    wins : array, shape (m, m)

    Examples
    --------
    Appendix F of the paired-evaluation paper with C = 3, 1, 2: one circle, and every pair is levelled.

    >>> changes(np.array([[0.0, 1, 2], [2, 0, 1], [1, 2, 0]]))
    Changes(triples=1, circles=1, flips=0, levels=3, close=0, without=0)
    """
    every = np.array(list(combinations(range(len(wins)), 3)), dtype=np.int64).reshape(-1, 3)
    total = np.zeros(4, dtype=np.int64)
    for start in range(0, len(every), _CHUNK):
        total += _counted(wins, every[start : start + _CHUNK])
    flips, levels, close, without = total.tolist()
    return Changes(len(every), len(majority_cycles(wins)), flips, levels, close, without)


def _counted(wins: FloatArray, rows: IntArray) -> IntArray:
    tables = wins[rows[:, :, None], rows[:, None, :]]
    exists = is_connected(tables)
    gaps = _gaps(tables, exists)
    found = np.zeros(4, dtype=np.int64)
    for place, (a, b, _) in enumerate(_PLACES):
        won, lost, gap = tables[:, a, b], tables[:, b, a], gaps[:, place]
        decided = exists & (won != lost)
        level = decided & (gap == 0)
        flips = decided & (np.sign(gap) == -np.sign(won - lost))
        close = np.maximum(won, lost) <= CLOSE * (won + lost)
        found[:3] += np.array([flips.sum(), level.sum(), ((flips | level) & close).sum()])
    found[3] = (~exists).sum()
    return found


def _gaps(tables: FloatArray, exists: BoolArray) -> FloatArray:
    """Lead of the first over the second of each of the three pairs; 0 where they are level."""
    met = tables + tables.swapaxes(1, 2)
    balanced = (met[:, 0, 1] == met[:, 0, 2]) & (met[:, 0, 1] == met[:, 1, 2])
    strength = tables.sum(axis=2)
    fitted = np.flatnonzero(exists & ~balanced)
    if fitted.size:
        strength[fitted] = bradley_terry_batch(tables[fitted]).log_strength
    gaps = np.stack([strength[:, a] - strength[:, b] for a, b, _ in _PLACES], axis=1)
    return np.where(np.abs(gaps) <= _LEVEL, 0.0, gaps)
