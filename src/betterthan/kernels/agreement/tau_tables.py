"""Concordance of human and metric pairs, and the taus that WMT derived from it.

A table of counts has a row for what the human says of a pair and a column for what the metric says, both in the
order <, =, >. Of two systems the one with the lower index is on the left of the sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.agreement.correlation import CorrelationLevel, cells_by_group

Rule = Literal["tau_ties_ignored", "tau_ties_soft", "tau_ties_hard", "tau_human_ties"]
RULES: tuple[Rule, ...] = get_args(Rule)
SameOutput = BoolArray | Callable[[IntArray, IntArray], BoolArray]

_X = np.nan  # the paper's X: such a pair is left out
# [1] Tables 4a, 4b, 4c and 5; the middle of the last is filled in.
_SCORES: dict[Rule, list[list[float]]] = {
    "tau_ties_ignored": [[1, _X, -1], [_X, _X, _X], [-1, _X, 1]],
    "tau_ties_soft": [[1, 0, -1], [_X, _X, _X], [-1, 0, 1]],
    "tau_ties_hard": [[1, -1, -1], [_X, _X, _X], [-1, -1, 1]],
    "tau_human_ties": [[1, 0, -1], [0, 1, 0], [-1, 0, 1]],
}
# Cells in a block: its arrays stay in the cache, and a dozen of them are a few MB.
_BLOCK = 1 << 17

_Signs = tuple[BoolArray, BoolArray, BoolArray]


class Kept(NamedTuple):
    """Pairs that remain when small human differences are called ties.

    Attributes
    ----------
    n_kept : array of int, shape (k,)
        For each margin.
    n_pairs : int
        All pairs with two scores, equal ones too.
    """

    n_kept: IntArray
    n_pairs: int


def pair_blocks(n_elements: int, n_groups: int) -> Iterator[tuple[slice, slice, slice]]:
    """Iterate over every unordered pair of elements of the same group once, many pairs at a time.

    Parameters
    ----------
    n_elements, n_groups : int
        Of an array elements × groups, such as systems × segments.

    Yields
    ------
    first, second, groups : slice
        ``values[first, groups]`` stands opposite ``values[second, groups]``; the first has the lower index.

    Examples
    --------
    >>> [(first, second) for first, second, groups in pair_blocks(3, 10)]
    [(slice(0, 2, None), slice(1, 3, None)), (slice(0, 1, None), slice(2, 3, None))]
    """
    step = max(1, _BLOCK // max(1, n_elements))
    for start in range(0, n_groups, step):
        groups = slice(start, min(start + step, n_groups))
        for offset in range(1, n_elements):
            yield slice(0, n_elements - offset), slice(offset, n_elements), groups


def pair_table(
    metric: FloatArray,
    human: FloatArray,
    *,
    margin: float = 0.0,
    metric_margin: float = 0.0,
    same_output: SameOutput | None = None,
    level: CorrelationLevel = "segment",
) -> IntArray:
    """Cross-tabulate human and metric outcomes of all pairs, over all segments.

    Parameters
    ----------
    metric, human : array, shape (m, n)
        m systems on n segments, higher is better, NaN is missing; a pair needs all four scores.
    margin : float, default 0
        The human ties a pair whose scores differ by less; 25 for relative ranking out of direct assessment
        [1]_, which keeps a difference of 25. Equal scores are a tie whatever the margin.
    metric_margin : float, default 0
        The metric ties a pair whose scores differ by no more.
    same_output : array of bool, shape (n, m, m), or callable, optional
        Where both systems wrote the same, which is a human tie too [1]_. A callable is given the indices of
        the first and the second systems of p pairs and returns p × n.
    level : {"segment", "within_system", "global", "system"}, default "segment"
        Pairs of systems on a segment, of segments of a system, of all cells, or of system means.

    Returns
    -------
    array of int, shape (3, 3)
        Human <, =, > by metric <, =, >; see :func:`tau`.

    Notes
    -----
    Each unordered pair is counted once, and `<` says that the one with the lower index has the lower score.
    Swapping two systems exchanges `<` and `>` on both sides, which no tau minds.

    References
    ----------
    .. [1] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT.

    Examples
    --------
    >>> metric = np.array([[0.1, 0.4], [0.3, 0.4], [0.2, 0.9]])
    >>> human = np.array([[10.0, 50], [60, 40], [90, 90]])
    >>> pair_table(metric, human, margin=25)
    array([[4, 0, 1],
           [0, 1, 0],
           [0, 0, 0]])
    """
    tables = pair_tables_per_segment(
        metric, human, margin=margin, metric_margin=metric_margin, same_output=same_output, level=level
    )
    return np.asarray(tables.sum(axis=0))


def pair_tables_per_segment(
    metric: FloatArray,
    human: FloatArray,
    *,
    margin: float = 0.0,
    metric_margin: float = 0.0,
    same_output: SameOutput | None = None,
    level: CorrelationLevel = "segment",
) -> IntArray:
    """Count pairs as :func:`pair_table` does, a table for each segment: what a resample adds up.

    Parameters
    ----------
    metric, human, margin, metric_margin, same_output, level
        As in :func:`pair_table`.

    Returns
    -------
    array of int, shape (n, 3, 3)
        Or (m, 3, 3) and (1, 3, 3) at the other levels.

    Notes
    -----
    m² n / 2 comparisons, about 10 ns each; besides the answer a few MB.

    Examples
    --------
    >>> tables = pair_tables_per_segment(np.array([[1.0, 2], [3, 2]]), np.array([[5.0, 5], [6, 4]]))
    >>> tables[0]
    array([[1, 0, 0],
           [0, 0, 0],
           [0, 0, 0]])
    """
    _check_margins(margin=margin, metric_margin=metric_margin)
    # Elements × groups: pairs then lie opposite each other in long rows.
    scores, gold = (np.ascontiguousarray(side.T) for side in cells_by_group(metric, human, level))
    same = _same_outputs(same_output, level, scores.shape)
    tables = np.zeros((scores.shape[1], 3, 3), dtype=np.int64)
    for first, second, groups in pair_blocks(*scores.shape):
        lower, tied, higher = _signs(gold[first, groups], gold[second, groups], margin, strict=True)
        if same is not None:
            present = lower | tied | higher
            alike = same(first, second)[:, groups]
            lower, tied, higher = lower & ~alike, tied | (alike & present), higher & ~alike
        by_metric = _signs(scores[first, groups], scores[second, groups], metric_margin, strict=False)
        for row, said in enumerate((lower, tied, higher)):
            for column, found in enumerate(by_metric):
                tables[groups, row, column] += np.count_nonzero(said & found, axis=0)
    return tables


def match_tables_per_segment(
    metric: FloatArray,
    left: IntArray,
    right: IntArray,
    segment: IntArray,
    outcome: FloatArray,
    weight: FloatArray,
    *,
    metric_margin: float = 0.0,
) -> FloatArray:
    """Cross-tabulate human and metric outcomes of listed pairs, a table for each segment: what a resample adds up.

    Parameters
    ----------
    metric : array, shape (m, n)
        Higher is better, NaN is missing.
    left, right, segment : array of int, shape (t,)
        Systems and segment of each pair. The left system is on the left of <, =, >.
    outcome : array, shape (t,)
        1 when the human finds left better, ½ for a tie, 0 when right is better.
    metric_margin : float, default 0
        The metric ties a pair whose scores differ by no more.
    weight : array, shape (t,)
        How often each pair counts.

    Returns
    -------
    array, shape (n, 3, 3)

    Examples
    --------
    >>> one = np.array([0, 1])
    >>> metric = np.array([[0.5, 0.1], [0.4, 0.3]])
    >>> found = match_tables_per_segment(metric, one, one[::-1], one, np.ones(2), np.ones(2))
    >>> found.sum(axis=0)[2]
    array([0., 0., 2.])
    """
    _check_margins(metric_margin=metric_margin)
    _check_matches(metric.shape, left, right, segment, outcome)
    signs = _signs(metric[left, segment], metric[right, segment], metric_margin, strict=False)
    column = np.select(signs, range(3), default=-1)
    known = column >= 0
    row = np.rint(2 * outcome).astype(np.int64)
    cell = (segment * 9 + row * 3 + column)[known]
    n = metric.shape[1]
    counts = np.bincount(cell, weights=weight[known], minlength=9 * n).astype(np.float64)
    return counts.reshape(n, 3, 3)


def tau(counts: IntArray | FloatArray, rule: Rule, *, double_ties: Literal[1, -1] = 1) -> FloatArray:
    r"""Kendall's tau of WMT from counts of pairs, by one of four treatments of ties.

    .. math:: \tau = \frac{\sum_{hm} S_{hm} N_{hm}}{\sum_{hm:\, S_{hm} \ne X} N_{hm}}

    with N the counts and S the matrix of a rule, human by metric; X leaves a pair out.

    Parameters
    ----------
    counts : array, shape (..., 3, 3)
        Human <, =, > by metric <, =, >; sums over resamples too.
    rule : {"tau_ties_ignored", "tau_ties_soft", "tau_ties_hard", "tau_human_ties"}
        * "tau_ties_ignored": pairs the metric ties are left out. [1]_ Table 4a.
        * "tau_ties_soft": they score 0 and stay in the denominator. Table 4b.
        * "tau_ties_hard": they score −1. Table 4c; WMT19.
        * "tau_human_ties": human ties count as well; a tie of one side scores 0, of both `double_ties`. Table 5.

        The first three leave out what the human ties.
    double_ties : {1, −1}, default 1
        For "tau_human_ties": 1 for a metric of accuracy, −1 for an error rate that was not negated.

    Returns
    -------
    array, shape (...)
        In [−1, 1]; NaN when no pair counts.

    Notes
    -----
    Equations 1 and 2 of [1]_ print bars around the differences; as tau has a sign, they are read as counts of
    pairs. "tau_human_ties" is symmetric: an error rate with `double_ties` = −1 has minus the tau of its
    negative. "tau_ties_hard" is not, so that error rates must be negated first.

    References
    ----------
    .. [1] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT.

    Examples
    --------
    [1]_ section 3: 80 concordant pairs and 20 ties.

    >>> counts = np.array([[80, 20, 0], [0, 0, 0], [0, 0, 0]])
    >>> [float(tau(counts, rule)) for rule in ("tau_ties_ignored", "tau_ties_soft", "tau_ties_hard")]
    [1.0, 0.8, 0.6]
    """
    if rule not in RULES:
        raise unknown_name("rule", rule, RULES)
    if double_ties not in {1, -1}:
        raise BetterThanError(f"double_ties must be 1 (accuracy) or -1 (error rate); it is {double_ties!r}.")
    scores = np.array(_SCORES[rule])
    if rule == "tau_human_ties":
        scores[1, 1] = double_ties
    counts = np.asarray(counts, dtype=np.float64)
    counted = ~np.isnan(scores)
    total = (counts * counted).sum(axis=(-2, -1))
    signed = (counts * np.where(counted, scores, 0)).sum(axis=(-2, -1))
    return np.asarray(signed / np.where(total > 0, total, np.nan))


def kept_by_margin(human: FloatArray, margins: FloatArray) -> Kept:
    """Count the pairs of systems on a segment that differ by at least each of many margins.

    Parameters
    ----------
    human : array, shape (m, n)
        NaN is missing.
    margins : array, shape (k,)
        In any order, thousands if need be. Equal scores never differ, not even by 0.

    Returns
    -------
    Kept

    Notes
    -----
    The pairs are met once; each is dropped into its place among the sorted margins. Figure 1 of the paper that
    :func:`tau` cites.

    Examples
    --------
    >>> kept_by_margin(np.array([[10.0, 50], [60, 50], [85, 90]]), np.array([0.0, 25, 50]))
    Kept(n_kept=array([5, 5, 2]), n_pairs=6)
    """
    human, margins = np.asarray(human, dtype=np.float64), np.asarray(margins, dtype=np.float64)
    if np.isnan(margins).any():
        raise BetterThanError("A margin is NaN. Give differences of human scores, such as 25.")
    in_order, place = np.unique(margins, return_inverse=True)
    reached = np.zeros(in_order.size + 1, dtype=np.int64)
    n_pairs = 0
    for first, second, groups in pair_blocks(*human.shape):
        gap = np.abs(human[first, groups] - human[second, groups])
        n_pairs += int(np.count_nonzero(~np.isnan(gap)))
        reached += np.bincount(np.searchsorted(in_order, gap[gap > 0], side="right"), minlength=reached.size)
    # A gap that reaches j of the sorted margins is kept by the first j of them.
    at_least = reached[::-1].cumsum()[::-1][1:]
    return Kept(at_least[place.reshape(margins.shape)], n_pairs)


def _signs(left: FloatArray, right: FloatArray, margin: float, *, strict: bool) -> _Signs:
    """Say where left is lower, tied, higher; nowhere when one is NaN."""
    tied = left == right
    if margin > 0:
        gap = np.abs(left - right)
        tied |= (gap < margin) if strict else (gap <= margin)
    return (left < right) & ~tied, tied, (left > right) & ~tied


def _same_outputs(
    same_output: SameOutput | None, level: CorrelationLevel, shape: tuple[int, int]
) -> Callable[[slice, slice], BoolArray] | None:
    if same_output is None:
        return None
    if level != "segment":
        raise BetterThanError(
            f'same_output is about systems on a segment; it says nothing at level "{level}".'
        )
    m, n = shape
    if not callable(same_output) and np.shape(same_output) != (n, m, m):
        raise BetterThanError(
            f"same_output must be segments × systems × systems, {(n, m, m)}; it is {np.shape(same_output)}."
        )

    def of_pairs(first: slice, second: slice) -> BoolArray:
        i, j = np.arange(m)[first], np.arange(m)[second]
        found = same_output(i, j) if callable(same_output) else np.asarray(same_output)[:, i, j].T
        return np.asarray(found, dtype=np.bool_)

    return of_pairs


def _check_margins(**margins: float) -> None:
    for name, margin in margins.items():
        if not margin >= 0:
            raise BetterThanError(f"{name} must be 0 or more; it is {margin}.")


def _check_matches(
    shape: tuple[int, ...], left: IntArray, right: IntArray, segment: IntArray, outcome: FloatArray
) -> None:
    m, n = shape
    if not len(left) == len(right) == len(segment) == len(outcome):
        raise BetterThanError(
            "left, right, segment and outcome must be of one length; they have"
            f" {len(left)}, {len(right)}, {len(segment)} and {len(outcome)}."
        )
    for name, index, size in (("left", left, m), ("right", right, m), ("segment", segment, n)):
        if len(index) and not (np.min(index) >= 0 and np.max(index) < size):
            raise BetterThanError(
                f"{name} must lie between 0 and {size - 1}; it goes from {np.min(index)} to {np.max(index)}."
            )
    if not np.isin(outcome, (0.0, 0.5, 1.0)).all():
        raise BetterThanError("outcome must be 1 (left is better), 0.5 (tie) or 0 (right is better).")
