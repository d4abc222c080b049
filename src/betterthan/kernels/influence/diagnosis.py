"""Diagnostics of a table of scores: outliers, variation, pairing, ties, cycles.

Arrow's criteria of an aggregation, counted on a table: unanimity, independence of third systems, no dictator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.comparisons.bradley_terry import bradley_terry_batch
from betterthan.kernels.comparisons.tied_ranks import tied_ranks
from betterthan.kernels.comparisons.wins import WinCounts, win_counts
from betterthan.kernels.significance.paired import geometric_mean

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
