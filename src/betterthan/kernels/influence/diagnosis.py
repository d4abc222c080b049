"""Diagnostics of a table of scores: outliers, variation, pairing, ties, cycles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.comparisons.tied_ranks import tied_ranks
from betterthan.kernels.comparisons.wins import WinCounts
from betterthan.kernels.significance.paired import geometric_mean

_ROUNDING = 4 * float(np.finfo(np.float64).eps)


class Spread(NamedTuple):
    """How scores vary across systems and across segments; standard deviations with n − 1."""

    across_systems: float
    """Spread of the systems on a segment, averaged over segments."""
    of_ranks: FloatArray
    """(m,); spread of a system's rank (midranks) across segments: 0 means the order never changes."""
    of_difficulty: float
    """Spread of the segments' mean scores: how much easier some segments are than others."""


class Pairing(NamedTuple):
    """Correlation of scores on the same segment."""

    correlation: FloatArray
    """(m, m); Pearson's r between systems over shared segments."""
    variance_removed: FloatArray
    """(m, m); 1 − Var(a − b) / (Var a + Var b): the share of noise that comparing segment by segment takes out."""


def outlier_shares(goodness: FloatArray) -> tuple[float, FloatArray]:
    """Share of scores beyond 1.5 interquartile ranges from the quartiles (Tukey), overall and by system.

    Parameters
    ----------
    goodness : array, shape (m, n)
        NaN is missing.

    Returns
    -------
    overall : float
        With the quartiles of all scores together.
    by_system : array, shape (m,)
        With the quartiles of each system.

    Examples
    --------
    >>> outlier_shares(np.array([[1.0, 2, 3, 4, 5, 6, 7, 8, 9, 99]]))
    (0.1, array([0.1]))
    """
    return float(row_outlier_shares(goodness.reshape(1, -1))[0]), row_outlier_shares(goodness)


def row_outlier_shares(goodness: FloatArray) -> FloatArray:
    """Share of outliers in each row by the quartiles of that row; NaN is missing."""
    shares = np.full(len(goodness), np.nan)
    missing = np.isnan(goodness).any(axis=1)
    if goodness.shape[1]:
        shares[~missing] = _outlier_shares(goodness[~missing])
    for row in np.flatnonzero(missing):
        known = goodness[row, ~np.isnan(goodness[row])]
        if known.size:
            shares[row] = _outlier_shares(known[None, :])[0]
    return shares


def _outlier_shares(scores: FloatArray) -> FloatArray:
    first, third = np.quantile(scores, [0.25, 0.75], axis=1)[:, :, None]
    reach = 1.5 * (third - first)
    return np.asarray(np.mean((scores < first - reach) | (scores > third + reach), axis=1))


def spread(goodness: FloatArray) -> Spread:
    """How scores vary across systems, ranks and segments.

    Segments with a missing score give no ranks; elsewhere what is there is used.

    Examples
    --------
    >>> found = spread(np.array([[1.0, 5, 3], [2.0, 7, 1]]))
    >>> round(found.across_systems, 4), found.of_ranks.round(4), round(found.of_difficulty, 4)
    (1.1785, array([0.5774, 0.5774]), 2.4664)
    """
    complete = goodness[:, ~np.isnan(goodness).any(axis=0)]
    ranks = tied_ranks(complete.T).middle
    return Spread(
        across_systems=float(_mean(_deviations(goodness.T))),
        of_ranks=_deviations(ranks.T),
        of_difficulty=float(_deviations(_row_means(goodness.T)[None, :])[0]),
    )


def _row_means(values: FloatArray) -> FloatArray:
    known = ~np.isnan(values)
    n = known.sum(axis=1)
    return np.asarray(np.where(known, values, 0.0).sum(axis=1) / np.where(n > 0, n, np.nan))


def _deviations(values: FloatArray) -> FloatArray:
    n = (~np.isnan(values)).sum(axis=1)
    gaps = values - _row_means(values)[:, None]
    squares = np.where(np.isnan(gaps), 0.0, gaps**2).sum(axis=1)
    return np.asarray(np.sqrt(squares / np.where(n > 1, n - 1.0, np.nan)))


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else np.nan


def pairing(goodness: FloatArray) -> Pairing:
    r"""Effect of pairing: correlation, and the share of variance it removes.

    .. math:: 1 - \frac{\operatorname{Var}(a - b)}{\operatorname{Var} a + \operatorname{Var} b}
       = \frac{2 \operatorname{Cov}(a, b)}{\operatorname{Var} a + \operatorname{Var} b}

    With variance removed v, an unpaired comparison needs 1 / (1 − v) times the segments of a paired one. A
    negative value says that pairing hurts.

    Returns
    -------
    Pairing
        NaN where a variance is zero or fewer than two segments are shared.

    Examples
    --------
    >>> found = pairing(np.array([[1.0, 2, 3], [2.0, 4, 6]]))
    >>> found.correlation[0, 1].round(6), found.variance_removed[0, 1].round(6)
    (np.float64(1.0), np.float64(0.8))
    """
    here = (~np.isnan(goodness)).astype(np.float64)
    # Nothing that is returned has a unit, and a power of two changes no digit; squares must not overflow.
    goodness = np.ldexp(goodness, -np.frexp(np.abs(goodness).max(initial=0.0, where=here > 0))[1])
    centred = np.where(here > 0, goodness - _row_means(goodness)[:, None], 0.0)
    n = np.maximum(here @ here.T, 1)
    sums = centred @ here.T
    own = np.maximum(centred**2 @ here.T - sums**2 / n, 0.0)
    size = np.abs(goodness).max(axis=1, initial=0.0, where=here > 0)[:, None]
    own = np.where(own > n * (_ROUNDING * size) ** 2, own, 0.0)
    shared = centred @ centred.T - sums * sums.T / n
    total = own + own.T
    scale = geometric_mean(own, own.T)
    removed = 2 * shared / np.where(total > 0, total, np.nan)
    return Pairing(np.asarray(np.clip(shared / scale, -1, 1)), np.asarray(removed))


def tie_share(counts: WinCounts) -> float:
    """Share of all comparisons of two systems on a segment that are ties; NaN without any comparison.

    Examples
    --------
    >>> tie_share(WinCounts(np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])))
    0.25
    """
    ties = np.triu(counts.ties, 1).sum()
    total = ties + counts.wins.sum()
    return float(ties / total) if total else np.nan


def majority_cycles(wins: FloatArray | IntArray) -> IntArray:
    """All triples in which a beats b, b beats c and c beats a.

    Such a triple has no order that agrees with all three comparisons, and adding one of its systems to a
    Bradley–Terry fit can move the other two [1]_.

    Parameters
    ----------
    wins : array, shape (m, m)
        Entry [a, b]: how often a beat b. a beats b when it won more often than it lost.

    Returns
    -------
    array of int, shape (n_cycles, 3)
        Each row in the order of beating, from its smallest number; rows sorted.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, App. F.

    Examples
    --------
    Rock, paper, scissors:

    >>> majority_cycles(np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]))
    array([[0, 2, 1]])
    """
    beats = wins > wins.T
    found = [np.zeros((0, 3), dtype=np.int64)]
    for a in range(len(beats)):
        later = slice(a + 1, None)
        closes = beats[a, later, None] & beats[later, later] & beats[later, a][None, :]
        b, c = np.nonzero(closes)
        found.append(np.column_stack([np.full(b.size, a), b + a + 1, c + a + 1]))
    return np.concatenate(found).astype(np.int64)
