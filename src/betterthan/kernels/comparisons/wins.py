"""Win and tie counts of pairs of systems from a score matrix.

Everything here is exact: counts are whole numbers, and two scores tie only when they are equal as numbers.
A segment counts for a pair when both systems have a score there (NaN is missing). Scores are first replaced by their
ranks within the segment, one or two bytes each, which compare faster; the counting loop is compiled by numba where it
is installed (see :mod:`betterthan.kernels.compiled`).

What happened to each pair of systems on each segment, and its sums over resamples of the segments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray, pairs_where
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.compiled import compiled, is_loaded
from betterthan.kernels.flag_counts import MOST_FLAGS, flag_space, sums_of_bytes

_BLOCK_BYTES = 2**26
_LARGEST_EXACT_FLOAT32 = 2**24

_Weights = npt.NDArray[np.floating[Any]]


def pair_indices(n_systems: int) -> tuple[IntArray, IntArray]:
    """Return the p = m(m − 1)/2 pairs (first, second) with first < second, in reading order.

    Examples
    --------
    >>> pair_indices(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    first, second = np.triu_indices(n_systems, 1)
    return first.astype(np.int64, copy=False), second.astype(np.int64, copy=False)


def resampled_win_counts(goodness: FloatArray, weights: FloatArray) -> WinCounts:
    """Win and tie counts in many resamples of the segments at once.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better, NaN is missing.
    weights : array, shape (b, n)
        How often each segment occurs in each resample. To draw documents, repeat each document's count
        over its segments: ``document_weights[:, document_of_segment]``.

    Returns
    -------
    WinCounts
        Two arrays of shape (b, m, m).

    Notes
    -----
    One product of (b × n) with (n × pairs), 2 b n m² operations at most, half of that when nothing ties or is
    missing. Draw counts are multiplied in single precision as long as that is exact.

    Examples
    --------
    >>> scores = np.array([[1.0, 2, 3], [2, 2, 1]])
    >>> resampled_win_counts(scores, np.array([[1.0, 1, 1], [0, 0, 3]])).wins[:, 0, 1]
    array([1., 3.])
    """
    goodness = checked_scores(goodness)
    n_systems, n_segments = goodness.shape
    weights = checked_weights(weights, goodness)
    exact = _in_exact_precision(weights)
    total = weights.sum(axis=1)
    wins, ties = np.zeros((2, len(weights), n_systems, n_systems))
    first, second = pair_indices(n_systems)
    step = max(1, _BLOCK_BYTES // (exact.itemsize * max(1, n_segments)))
    for start in range(0, first.size, step):
        i, j = first[start : start + step], second[start : start + step]
        left, right = goodness[i], goodness[j]
        won = wins[:, i, j] = _totals(exact, left > right)
        losses, ties_too = _lost_and_tied(exact, left, right, total[:, None] - won)
        wins[:, j, i] = losses
        ties[:, i, j] = ties[:, j, i] = ties_too
    return WinCounts(wins, ties)


def _lost_and_tied(
    weights: _Weights, left: FloatArray, right: FloatArray, not_won: FloatArray
) -> tuple[FloatArray, FloatArray]:
    equal = left == right
    plain = not equal.any() and not np.isnan(left).any() and not np.isnan(right).any()
    if plain:  # who does not win loses: half of the multiplications
        return not_won, np.zeros_like(not_won)
    return _totals(weights, left < right), _totals(weights, equal)


def _totals(weights: _Weights, happened: BoolArray) -> FloatArray:
    """Return (b, n) times (pairs, n) transposed, in the precision of the weights."""
    return np.asarray(weights @ happened.astype(weights.dtype).T, dtype=np.float64)


def _in_exact_precision(weights: FloatArray) -> _Weights:
    """Return whole weights as float32 when every sum of them is exact there, else float64."""
    exact = weights.sum(axis=1).max(initial=0) <= _LARGEST_EXACT_FLOAT32 and bool(
        (weights == np.floor(weights)).all()
    )
    return weights.astype(np.float32) if exact else weights


Ranks = npt.NDArray[np.unsignedinteger[Any]]


def segment_ranks(goodness: FloatArray) -> tuple[Ranks, Ranks]:
    """Dense ranks within each segment, in two versions that differ where a score is missing.

    Equal scores have equal ranks, so for all systems i, j and segments s

        goodness[i, s] > goodness[j, s]   if and only if   winner[i, s] > loser[j, s]

    also when a score is missing (NaN): a missing winner has rank 0, a missing loser the greatest rank.

    Parameters
    ----------
    goodness : array, shape (m, n)
        m up to 65,533 systems, n segments.

    Returns
    -------
    winner, loser : array of uint8 or uint16, shape (m, n)

    Examples
    --------
    >>> winner, loser = segment_ranks(np.array([[1.0, 5.0], [1.0, np.nan], [-2.0, 7.0]]))
    >>> winner
    array([[2, 1],
           [2, 0],
           [1, 2]], dtype=uint8)
    >>> loser
    array([[  2,   1],
           [  2, 255],
           [  1,   2]], dtype=uint8)
    """
    n_systems, n_segments = goodness.shape
    dtype = np.uint8 if n_systems < 254 else np.uint16
    missing = np.isnan(goodness)
    ranks = np.empty((n_systems, n_segments), dtype=dtype)
    step = max(1, 2**18 // max(1, n_systems))  # sorting is fastest while a piece fits in the cache
    for start in range(0, n_segments, step):
        piece = slice(start, start + step)
        ranks[:, piece] = _dense_ranks(goodness[:, piece], missing[:, piece], dtype).T
    return _at_the_ends(ranks, missing)


def _dense_ranks(goodness: FloatArray, missing: BoolArray, dtype: type[np.uint8 | np.uint16]) -> Ranks:
    """Return ranks from 1 on, shape (n, m); a missing score ranks above all others."""
    # Adding 0.0 turns -0.0 into 0.0: they are equal scores.
    values = np.ascontiguousarray(np.where(missing, np.inf, goodness).T) + 0.0
    order = _order(values)
    ascending = np.take(values, order)
    dense = np.ones(values.shape, dtype=dtype)
    np.cumsum(ascending[:, 1:] > ascending[:, :-1], axis=1, out=dense[:, 1:], dtype=dtype)
    dense[:, 1:] += dtype(1)
    ranks = np.empty(values.shape, dtype=dtype)
    ranks.reshape(-1)[order] = dense
    return ranks


def _at_the_ends(ranks: Ranks, missing: BoolArray) -> tuple[Ranks, Ranks]:
    if not missing.any():
        return ranks, ranks
    lowest, highest = ranks.dtype.type(0), ranks.dtype.type(np.iinfo(ranks.dtype).max)
    return np.where(missing, lowest, ranks), np.where(missing, highest, ranks)


def _order(values: FloatArray) -> IntArray:
    """Return the ascending order of each row of (n, m), as indices into the flattened array.

    The position of a system replaces the last bits of its score, and whole numbers are sorted: several times
    as fast as an argsort. Rows in which those bits mattered are found and sorted again.
    """
    n_segments, n_systems = values.shape
    position_bits = (1 << max(1, n_systems - 1).bit_length()) - 1
    bits = values.view(np.int64)
    # The bit pattern of a float64 grows with the number; of a negative one, when all but the sign are flipped.
    keys = bits ^ ((bits >> 63) & np.int64(2**63 - 1))
    keys &= ~np.int64(position_bits)
    keys |= np.arange(n_systems)
    keys.sort(axis=1)
    keys &= position_bits
    keys += np.arange(n_segments)[:, None] * n_systems
    ascending = np.take(values, keys)
    wrong = np.flatnonzero((ascending[:, 1:] < ascending[:, :-1]).any(axis=1))
    keys[wrong] = np.argsort(values[wrong], axis=1) + wrong[:, None] * n_systems
    return keys


def count_wins_loop(goodness: FloatArray, wins: FloatArray) -> None:
    """Add to `wins` (m, m) on how many segments of `goodness` (m, n) the row is above the column.

    Both directions are counted in one pass over a pair, and a missing score (NaN) is above nothing.

    Examples
    --------
    >>> import numpy as np
    >>> wins = np.zeros((2, 2))
    >>> count_wins_loop(np.array([[1.0, 2, 3], [2, 2, np.nan]]), wins)
    >>> wins
    array([[0., 0.],
           [1., 0.]])
    """
    n_systems, n_segments = goodness.shape
    for i in range(n_systems):
        for j in range(i):
            above, below = 0, 0
            for segment in range(n_segments):
                above += goodness[i, segment] > goodness[j, segment]
                below += goodness[j, segment] > goodness[i, segment]
            wins[i, j] += above
            wins[j, i] += below


TiesPolicy = Literal["drop", "half", "as_published"]
TIES_POLICIES: tuple[TiesPolicy, ...] = ("as_published", "drop", "half")

# Scores are compared as float64 below this many systems; above, ranking each segment first pays, because
# a rank of one or two bytes is compared four to eight times as fast.
_RANK_FROM = 128
# Number of comparisons that cost more than importing numba.
WORTH_COMPILING = 2**32
# The compiled loop meets every score m times: a piece of the table must stay in the cache.
_CACHED_NUMBERS = 2**17

_FIRST_SEGMENTS = 32

_Comparable = npt.NDArray[np.number[Any]]


class WinCounts(NamedTuple):
    """Counts for all ordered pairs.

    Attributes
    ----------
    wins : array, shape (..., m, m)
        Segments on which the row is strictly better than the column.
    ties : array, shape (..., m, m)
        Segments on which both are equal; symmetric with a diagonal of zeros.
    """

    wins: FloatArray
    ties: FloatArray


def win_counts(goodness: FloatArray, *, weights: FloatArray | None = None) -> WinCounts:
    r"""Count on how many segments each system beats, and ties with, each other system.

    .. math:: \omega_{ij} = \sum_s w_s [x_{is} > x_{js}], \qquad t_{ij} = \sum_s w_s [x_{is} = x_{js}]

    Parameters
    ----------
    goodness : array, shape (m, n)
        Scores of m systems on n segments, higher is better, NaN is missing.
    weights : array, shape (n,), optional
        How much each segment counts; 1 by default.

    Returns
    -------
    WinCounts
        Two arrays of shape (m, m).

    Notes
    -----
    Cost m² n comparisons in blocks of bounded memory: a compiled loop where numba is there and is loaded or
    worth loading; else NumPy, and from 128 systems on segments are ranked first.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL;
       the counts ω of appendix E.

    Examples
    --------
    The scores of [1]'s appendix F: B beats A on two of three segments.

    >>> counts = win_counts(np.array([[1.0, 2, 3], [2, 3, 1], [3, 2, 1]]))
    >>> counts.wins
    array([[0., 1., 1.],
           [2., 0., 1.],
           [1., 1., 0.]])
    >>> counts.ties
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 1., 0.]])
    """
    goodness = checked_scores(goodness)
    if weights is not None:
        return _weighted_counts(goodness, checked_weights(weights, goodness))
    wins = _wins(goodness)
    ties = _met(goodness) - wins - wins.T
    np.fill_diagonal(ties, 0)
    return WinCounts(wins, ties)


def with_ties(wins: FloatArray, ties: FloatArray, policy: TiesPolicy) -> FloatArray:
    """Assign ties to one of the systems, so that a model without ties can be fitted.

    Parameters
    ----------
    wins, ties : array, shape (..., m, m)
    policy : {"drop", "half", "as_published"}
        * "drop": ties do not count. Pairformance.
        * "half": half a win for both. The convention of chat arenas.
        * "as_published": the later system wins every tie, as in the code behind the tables of [1]. The
          result then depends on the order of systems; for comparison with those tables only.

    Returns
    -------
    array, shape (..., m, m)

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average, ACL.

    Examples
    --------
    >>> with_ties(np.array([[0.0, 3], [1, 0]]), np.array([[0.0, 2], [2, 0]]), "as_published")
    array([[0., 3.],
           [3., 0.]])
    """
    if policy not in TIES_POLICIES:
        raise unknown_name("ties", policy, TIES_POLICIES)
    if policy == "drop":
        return wins
    return wins + (ties / 2 if policy == "half" else np.tril(ties))


_MOST_PRIOR = 1e9  # far more than any data; sums over systems would overflow near the end of the range


def check_prior(prior: float) -> None:
    """Raise unless a prior is a number of matches.

    Examples
    --------
    >>> check_prior(1e308)
    Traceback (most recent call last):
    ...
    betterthan.errors.BetterThanError: prior must be 0 or more, and 1e+09 at most, such as 0.5; it is 1e+308.
    """
    if not 0 <= prior <= _MOST_PRIOR:
        raise BetterThanError(
            f"prior must be 0 or more, and {_MOST_PRIOR:g} at most, such as 0.5; it is {prior}."
        )


def with_prior(wins: FloatArray, prior: float) -> FloatArray:
    """Add a fictive system, last, that wins and loses `prior` matches against every other.

    Parameters
    ----------
    wins : array, shape (..., m, m)
    prior : float

    Returns
    -------
    array, shape (..., m + 1, m + 1)

    Examples
    --------
    >>> with_prior(np.array([[0.0, 4], [0, 0]]), 0.5)
    array([[0. , 4. , 0.5],
           [0. , 0. , 0.5],
           [0.5, 0.5, 0. ]])
    """
    check_prior(prior)
    widened = np.pad(wins, [(0, 0)] * (wins.ndim - 2) + [(0, 1), (0, 1)], constant_values=prior)
    widened[..., -1, -1] = 0
    return widened


def checked_scores(goodness: FloatArray) -> FloatArray:
    """Return scores as float64, or raise unless they are systems × segments."""
    goodness = np.asarray(goodness, dtype=np.float64)
    if goodness.ndim != 2:
        raise BetterThanError(f"goodness must be systems × segments; it has {goodness.ndim} axes.")
    return goodness


def checked_weights(weights: FloatArray, goodness: FloatArray) -> FloatArray:
    """Return weights as float64, or raise unless they match the segments."""
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape[-1:] != goodness.shape[1:]:
        raise BetterThanError(
            f"weights must have one number per segment, {goodness.shape[1]}; the shape is {weights.shape}."
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise BetterThanError("weights must be 0 or more and finite.")
    return weights


def _wins(goodness: FloatArray) -> FloatArray:
    n_systems, n_segments = goodness.shape
    wins = np.zeros((n_systems, n_systems))
    is_worth_it = is_loaded() or n_systems**2 * n_segments >= WORTH_COMPILING
    if is_worth_it and (loop := compiled(count_wins_loop)) is not None:
        step = max(256, _CACHED_NUMBERS // max(1, n_systems))
        for start in range(0, n_segments, step):
            loop(np.ascontiguousarray(goodness[:, start : start + step]), wins)
        return wins
    for block in _segment_blocks(goodness):
        wins += _wins_in_block(block)
    return wins


def _segment_blocks(goodness: FloatArray) -> Iterator[FloatArray]:
    n_systems, n_segments = goodness.shape
    size = max(2**14, 2**23 // max(1, n_systems))
    for start in range(0, n_segments, size):
        yield goodness[:, start : start + size]


def _wins_in_block(block: FloatArray) -> FloatArray:
    n_systems, n_segments = block.shape
    winner: _Comparable = block
    loser: _Comparable = block
    if n_systems >= _RANK_FROM:
        winner, loser = segment_ranks(block)
        if n_segments > 32 * n_systems and bool((winner.max(axis=0) == n_systems).all()):
            return _count_without_ties(winner)
    if n_segments < 16 * n_systems:
        return _count_by_segment(winner, loser)
    if winner is block and not _ties_at_once(block):
        return _count_in_single(block)
    return _count_by_system(winner, loser)


def _ties_at_once(block: FloatArray) -> bool:
    """Whether scores tie within the first segments, as ratings and marks do."""
    ascending = np.sort(block[:, :_FIRST_SEGMENTS], axis=0)
    return bool((ascending[1:] == ascending[:-1]).any())


def _count_in_single(block: FloatArray) -> FloatArray:
    """Compare in single precision, in half the time; pairs that are equal there somewhere are counted again."""
    with np.errstate(over="ignore", under="ignore"):
        single = block.astype(np.float32)
    wins = _count_by_system(single, single)
    first, second = pairs_where(wins + wins.T < _met(block))
    if first.size > len(block) ** 2 // 8:
        return _count_by_system(block, block)
    for a, b in zip(first, second, strict=True):
        wins[a, b], wins[b, a] = (block[a] > block[b]).sum(), (block[b] > block[a]).sum()
    return wins


def _count_by_segment(winner: _Comparable, loser: _Comparable) -> FloatArray:
    """Compare all pairs of a segment at once; good when segments are few."""
    n_systems, n_segments = winner.shape
    above, below = np.ascontiguousarray(winner.T), np.ascontiguousarray(loser.T)
    wins = np.zeros((n_systems, n_systems))
    step = min(255, max(1, _BLOCK_BYTES // n_systems**2))  # 255 wins still fit in a byte
    for start in range(0, n_segments, step):
        rows = slice(start, start + step)
        won = above[rows, :, None] > below[rows, None, :]
        wins += np.add.reduce(won.view(np.uint8), axis=0, dtype=np.uint8)
    return wins


def _count_by_system(winner: _Comparable, loser: _Comparable, *, above: bool = False) -> FloatArray:
    """Compare one system with all others, or those above it, over all segments; good when segments are many."""
    n_systems, n_segments = winner.shape
    wins = np.zeros((n_systems, n_systems), dtype=np.int64)
    lanes = np.zeros((n_systems, n_systems), dtype=np.uint64)
    for start in range(0, n_segments, MOST_FLAGS):
        own, others = winner[:, start : start + MOST_FLAGS], loser[:, start : start + MOST_FLAGS]
        flags = flag_space(*others.shape)
        filled, eights = flags[:, : others.shape[1]], flags.view(np.uint64)
        for system in range(n_systems):
            rows = slice(system if above else n_systems)
            np.greater(own[system], others[rows], out=filled[rows])
            np.add.reduce(eights[rows], axis=1, out=lanes[system, rows])
        wins += sums_of_bytes(lanes)
    return wins.astype(np.float64)


def _count_without_ties(ranks: _Comparable) -> FloatArray:
    """Count one triangle; without ties and missing scores the other triangle follows."""
    wins = _count_by_system(ranks, ranks, above=True)
    return np.asarray(wins + np.triu(ranks.shape[1] - wins.T, 1))


def _weighted_counts(goodness: FloatArray, weights: FloatArray) -> WinCounts:
    wins, ties = np.zeros((2, goodness.shape[0], goodness.shape[0]))
    for start in range(0, weights.size, 2**14):
        block, weight = goodness[:, start : start + 2**14], weights[start : start + 2**14]
        for system, own in enumerate(block):
            wins[system] += (own > block).astype(np.float64) @ weight
            ties[system] += (own == block).astype(np.float64) @ weight
    np.fill_diagonal(ties, 0)
    return WinCounts(wins, ties)


def _met(goodness: FloatArray) -> FloatArray:
    """Return how many segments each pair has in common, shape (m, m)."""
    n_systems, n_segments = goodness.shape
    there = ~np.isnan(goodness)
    if there.all():
        return np.full((n_systems, n_systems), float(n_segments))
    met = np.zeros((n_systems, n_systems))
    for start in range(0, n_segments, 2**16):
        block = there[:, start : start + 2**16].astype(np.float32)  # sums up to 65,536 are exact
        met += block @ block.T
    return met
