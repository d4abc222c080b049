"""Play lists of matches by rules that learn match by match: in which order, and in whichever way is fastest here.

There are three ways to play, and they give the same numbers to the last bit: compiled by numba (the extra ``fast``); in
lockstep over many orders; one match at a time in the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray, read_only
from betterthan.errors import BetterThanError, TableError
from betterthan.kernels.compiled import compiled, is_loaded
from betterthan.kernels.ratings.loops import HALVES_MASK, LEFT_SHIFT, RIGHT_SHIFT, SYSTEM_MASK, pack_loop


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
            "The matches do not say to which segment they belong, so they cannot be played segment by segment."
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


FIXED_ORDERS: Mapping[str, Callable[[MatchList], MatchList]] = {
    "listed": lambda matches: matches,
    "as_published": as_published,
    "segments": segments_in_turn,
}
"""Orders that need no random numbers, by the name a user gives them."""


WORTH_COMPILING = 300_000  # matches: to load numba takes longer than to play fewer of them without it
AT_ONCE = 2**23  # matches held in lockstep, 64 MB of them


class Rules(NamedTuple):
    """How a match changes the state of the systems.

    Attributes
    ----------
    loop : callable
        ``loop(codes, *state, *settings, *tables)`` plays one order, on lists or compiled on arrays.
    helpers : tuple of callable
        What `loop` calls.
    lockstep : callable
        The same for codes (S, t) and states (S, m).
    worth_lockstep : int
        Number of orders below which the overhead of NumPy exceeds that of the interpreter.
    settings : tuple of float
    tables : tuple of array
    """

    loop: Callable[..., None]
    helpers: tuple[Callable[..., object], ...]
    lockstep: Callable[..., None]
    worth_lockstep: int
    settings: tuple[float, ...]
    tables: tuple[FloatArray, ...]


def packed(left: IntArray, right: IntArray, outcome: FloatArray, *, n_systems: int) -> IntArray:
    """Check the matches and pack each into one integer, so that an order of them is one array.

    Parameters
    ----------
    left, right : array of int, shape (t,)
    outcome : array, shape (t,)
        1 when left wins, 0.5 for a tie, 0 when right wins.
    n_systems : int

    Returns
    -------
    array of int, shape (t,)

    Raises
    ------
    TableError
        When shapes differ, a system does not exist or meets itself, or an outcome is none of the three.

    Examples
    --------
    >>> packed(np.array([0]), np.array([1]), np.array([0.5]), n_systems=2)
    array([5])
    """
    left, right = (read_only(np.ascontiguousarray(index, dtype=np.int64).view()) for index in (left, right))
    outcome = read_only(np.ascontiguousarray(outcome, dtype=np.float64).view())
    _check_shapes(left, right, outcome, n_systems)
    pack = compiled(pack_loop) if left.size >= WORTH_COMPILING else None
    codes = np.empty(left.size, dtype=np.int64)
    if pack is None or not pack(left, right, outcome, n_systems, codes):
        _check_values(left, right, outcome * 2, n_systems)
        codes = (left << LEFT_SHIFT) | (right << RIGHT_SHIFT) | (outcome * 2).astype(np.int64)
    return codes


def _check_shapes(left: IntArray, right: IntArray, outcome: FloatArray, n_systems: int) -> None:
    if not (left.ndim == 1 and left.shape == right.shape == outcome.shape):
        raise TableError(
            f"left, right and outcome must be lists of one length; their shapes are {left.shape}, {right.shape} "
            f"and {outcome.shape}."
        )
    if not 0 < n_systems <= SYSTEM_MASK:
        raise TableError(f"n_systems is {n_systems}; it must be 1 or more.")


def _check_values(left: IntArray, right: IntArray, halves: FloatArray, n_systems: int) -> None:
    for name, systems in (("left", left), ("right", right)):
        if systems.size and not 0 <= systems.min() <= systems.max() < n_systems:
            raise TableError(f"{name} must hold systems from 0 to {n_systems - 1}.")
    if (left == right).any():
        raise TableError(f"Match {np.flatnonzero(left == right)[0] + 1}: a system meets itself.")
    known = (halves == 0) | (halves == 1) | (halves == 2)
    if not known.all():
        first = np.flatnonzero(~known)[0]
        raise TableError(
            f"Match {first + 1}: the outcome is {halves[first] / 2}; use 1 (left wins), 0.5 (tie) or 0."
        )


def has_ties(codes: IntArray) -> bool:
    """Whether any match is a tie.

    Examples
    --------
    >>> has_ties(packed(np.array([0]), np.array([1]), np.array([0.5]), n_systems=2))
    True
    """
    return bool(((codes & HALVES_MASK) == 1).any())


class PlayOrders(NamedTuple):
    """The same matches in one or several orders.

    Attributes
    ----------
    shape : () or (S,)
        One order, or S of them.
    n_matches : int
        In each order.
    sequences : iterator over arrays of int, shape (n_matches,)
        Packed matches as they are played, made when they are needed.
    """

    shape: tuple[int, ...]
    n_matches: int
    sequences: Iterator[IntArray]

    def initial(self, value: float, n_systems: int) -> FloatArray:
        """The state before the first match: `value` for each system in each order."""
        return np.full((*self.shape, n_systems), float(value))


def in_orders(codes: IntArray, order: IntArray | None) -> PlayOrders:
    """Play packed matches in the orders given.

    Parameters
    ----------
    codes : array of int, shape (t,)
    order : array of int, shape (t',) or (S, t'), or None
        Indices of matches, one row per order; None is the order in which they are listed.

    Returns
    -------
    PlayOrders
    """
    if order is None:
        return PlayOrders((), codes.size, iter((codes,)))
    order = np.asarray(order, dtype=np.int64)
    if order.ndim not in {1, 2}:
        raise TableError(f"order must have one row per order of the matches; its shape is {order.shape}.")
    if order.size and not 0 <= order.min() <= order.max() < codes.size:
        raise TableError(f"order must hold indices of matches, from 0 to {codes.size - 1}.")
    rows = np.atleast_2d(order)
    return PlayOrders(order.shape[:-1], rows.shape[1], (codes[row] for row in rows))


def in_shuffles(codes: IntArray, n_shuffles: int, rng: np.random.Generator) -> PlayOrders:
    """Play packed matches in random orders; the same as :func:`in_orders` of permutations drawn by `rng`."""
    if n_shuffles < 1:
        raise BetterThanError(f"n_shuffles is {n_shuffles}; it must be 1 or more.")
    return PlayOrders((n_shuffles,), codes.size, (rng.permutation(codes) for _ in range(n_shuffles)))


def play(rules: Rules, orders: PlayOrders, *state: FloatArray) -> None:
    """Play each order from its own row of each array of `state`, which is changed.

    At most 64 MB of matches are held at once, or one order if that is larger.

    Parameters
    ----------
    rules : Rules
    orders : PlayOrders
    *state : array, shape (m,) or (S, m)
        As :meth:`Orders.initial` made it.
    """
    states = tuple(np.atleast_2d(array) for array in state)
    n_orders = len(states[0])
    at_once = min(n_orders, AT_ONCE // max(1, orders.n_matches))
    is_worth_it = is_loaded() or n_orders * orders.n_matches >= WORTH_COMPILING
    if is_worth_it and (loop := compiled(rules.loop, *rules.helpers)) is not None:
        for row, codes in enumerate(orders.sequences):
            loop(codes, *(array[row] for array in states), *rules.settings, *rules.tables)
    elif at_once < rules.worth_lockstep:
        _play_one_by_one(rules, orders.sequences, states)
    else:
        for begin in range(0, n_orders, at_once):
            codes = np.stack(list(islice(orders.sequences, at_once)))
            rows = (array[begin : begin + at_once] for array in states)
            rules.lockstep(codes, *rows, *rules.settings, *rules.tables)


def _play_one_by_one(rules: Rules, sequences: Iterator[IntArray], states: tuple[FloatArray, ...]) -> None:
    tables = [table.tolist() for table in rules.tables]
    for row, codes in enumerate(sequences):
        lists = [array[row].tolist() for array in states]
        rules.loop(codes.tolist(), *lists, *rules.settings, *tables)
        for array, values in zip(states, lists, strict=True):
            array[row] = values
