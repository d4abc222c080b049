"""What one segment does to a score of summed counts: the score without it, exactly."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from betterthan.arrays import FloatArray

Formula = Callable[[FloatArray], FloatArray]


def leave_one_out_scores(counts: FloatArray, *, formula: Formula) -> FloatArray:
    r"""Pooled scores without each segment in turn, in one pass: :math:`f(\sum_j c_j - c_i)`.

    Parameters
    ----------
    counts : array, shape (m, n, k)
        Segments, or documents as their sums.
    formula : callable
        From sums of shape (…, k) to scores of shape (…).

    Returns
    -------
    array, shape (m, n)
        NaN where the formula is undefined without the segment, and everywhere when there is only one.

    Examples
    --------
    >>> counts = np.array([[[1.0, 1.0], [1.0, 3.0]]])
    >>> leave_one_out_scores(counts, formula=lambda sums: sums[..., 0] / sums[..., 1]).round(4)
    array([[0.3333, 1.    ]])
    """
    if counts.shape[1] < 2:
        return np.full(counts.shape[:2], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = [np.asarray(formula(system.sum(axis=0) - system), dtype=np.float64) for system in counts]
    return np.stack(rows)


def pooled_influence(counts: FloatArray, *, formula: Formula) -> FloatArray:
    r"""How each segment pulls the pooled score, from leaving it out.

    .. math:: \psi_i = (n - 1) \Big(f(C) - f(C - c_i)\Big) - \text{mean}

    For a ratio this is, to first order, :math:`n \frac{w_i}{w} (\frac{m_i}{w_i} - \frac{m}{w})`: the segment's share of
    the denominator times what sets it apart.

    Parameters
    ----------
    counts : array, shape (m, n, k)
    formula : callable

    Returns
    -------
    array, shape (m, n)
        Rows have mean 0; a row is NaN when the formula is undefined without one of the segments.

    Examples
    --------
    >>> counts = np.array([[[1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]])
    >>> pooled_influence(counts, formula=lambda sums: sums[..., 0] / sums[..., 1]).round(4)
    array([[ 0.3333, -0.6667,  0.3333]])
    """
    totals = np.asarray(formula(counts.sum(axis=1)), dtype=np.float64)
    pull = (counts.shape[1] - 1) * (totals[:, None] - leave_one_out_scores(counts, formula=formula))
    return np.asarray(pull - pull.mean(axis=1, keepdims=True))
