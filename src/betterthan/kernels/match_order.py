"""The order in which matches are played: ratings that learn match by match depend on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import TableError


class MatchList(NamedTuple):
    """Matches in the order in which they are played.

    Attributes
    ----------
    left, right : array of int, shape (t,)
        Systems, from 0 to m − 1.
    outcome : array, shape (t,)
        1 when left wins, 0.5 for a tie, 0 when right wins.
    segment : array of int, shape (t,), or None
        Segment of each match, if known.
    """

    left: IntArray
    right: IntArray
    outcome: FloatArray
    segment: IntArray | None = None


def score_matches(goodness: FloatArray) -> MatchList:
    """All matches of a table of scores: each segment lets each two systems meet once.

    Segment by segment, and in each the pairs (0, 1), (0, 2), …, (1, 2), …; a pair of which a score is missing
    does not meet. There are m (m − 1) / 2 matches a segment, 32 bytes each.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Scores of m systems on n segments, the higher the better, NaN where missing.

    Returns
    -------
    MatchList

    Examples
    --------
    >>> matches = score_matches(np.array([[1.0, 5.0], [2.0, 5.0], [0.0, np.nan]]))
    >>> for match in zip(*(column.tolist() for column in matches)):
    ...     print(match)
    (0, 1, 0.0, 0)
    (0, 2, 1.0, 0)
    (1, 2, 1.0, 0)
    (0, 1, 0.5, 1)
    """
    first, second = np.triu_indices(len(goodness), 1)
    a, b = goodness.T[:, first], goodness.T[:, second]
    segment, pair = np.nonzero(~(np.isnan(a) | np.isnan(b)))
    outcome = (a > b) + 0.5 * (a == b)
    return MatchList(first[pair], second[pair], outcome[segment, pair], segment)


def segments_in_turn(matches: MatchList) -> MatchList:
    """Play all matches of segment 0, then all of segment 1, and so on.

    Within a segment the matches stay as they are listed.

    Examples
    --------
    >>> both = np.array([0, 0]), np.array([1, 1])
    >>> segments_in_turn(MatchList(*both, np.array([1.0, 0.0]), np.array([7, 3]))).outcome
    array([0., 1.])
    """
    if matches.segment is None:
        raise TableError(
            "The matches do not say to which segment they belong, so they cannot be played segment by segment. "
            'Use order="shuffled".'
        )
    return _taken(matches, np.argsort(matches.segment, kind="stable"))


def as_published(matches: MatchList) -> MatchList:
    """Play all matches of systems (0, 1), then all of (0, 2), and so on.

    This is the order of the program released with [1]_. The result depends on the order of the systems: the last
    matches count most, and those are between the last systems. For comparison with published numbers only. That
    program plays ties as draws for TrueSkill; for Elo it gives them away, see :func:`ties_to_second`.

    Within a pair the segments follow each other; without segments the matches stay as they are listed.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than Average: Paired Evaluation of NLP Systems, ACL.
       Appendix G.

    Examples
    --------
    >>> tie_then_win = as_published(score_matches(np.array([[5.0, 2.0], [5.0, 1.0]])))
    >>> tie_then_win.outcome
    array([0.5, 1. ])
    """
    first, second = np.minimum(matches.left, matches.right), np.maximum(matches.left, matches.right)
    keys = (second, first) if matches.segment is None else (matches.segment, second, first)
    return _taken(matches, np.lexsort(keys))


def ties_to_second(matches: MatchList) -> MatchList:
    """Give every tie to the system with the higher index, as the released program does for Elo.

    Examples
    --------
    >>> tie = MatchList(np.array([1, 0]), np.array([0, 1]), np.array([0.5, 0.5]))
    >>> ties_to_second(tie).outcome
    array([1., 0.])
    """
    won_by_second = (matches.left > matches.right).astype(np.float64)
    return matches._replace(outcome=np.where(matches.outcome == 0.5, won_by_second, matches.outcome))


def _taken(matches: MatchList, order: IntArray) -> MatchList:
    segment = None if matches.segment is None else matches.segment[order]
    return MatchList(matches.left[order], matches.right[order], matches.outcome[order], segment)


def shuffled_orders(n_matches: int, n_shuffles: int, rng: np.random.Generator) -> IntArray:
    """Draw random orders, each one permutation of all matches.

    Parameters
    ----------
    n_matches, n_shuffles : int
    rng : numpy.random.Generator

    Returns
    -------
    array of int, shape (n_shuffles, n_matches)

    Examples
    --------
    >>> np.sort(shuffled_orders(3, 2, np.random.default_rng(0)))
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    orders = np.empty((n_shuffles, n_matches), dtype=np.int64)
    for row in orders:
        row[:] = rng.permutation(n_matches)
    return orders


FIXED_ORDERS: Mapping[str, Callable[[MatchList], MatchList]] = {
    "listed": lambda matches: matches,
    "as_published": as_published,
    "segments": segments_in_turn,
}
"""Orders that need no random numbers, by the name a user gives them."""
