"""Kendall's tau-b."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray, Scalar
from betterthan.kernels.comparisons.tied_ranks import tied_ranks

_BY_PRODUCT_UP_TO = 6000
_BY_PAIRS_UP_TO = 200
_BLOCK = 1 << 20

Single = npt.NDArray[np.float32]


def kendall_b(x: FloatArray, y: FloatArray) -> float:
    r"""Kendall's tau-b of two rankings with ties.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(n_0 - n_x)(n_0 - n_y)}}

    with C concordant and D discordant pairs of elements, :math:`n_0 = n(n-1)/2`, and :math:`n_x`, :math:`n_y` the
    pairs tied in x and in y [1]_.

    Parameters
    ----------
    x, y : array, shape (n,)
        Elements that are NaN in either are left out.

    Returns
    -------
    float
        NaN when x or y is constant.

    Notes
    -----
    Knight's method [2]_: sort by x, count the inversions of y by merging; O(n log² n) here.

    References
    ----------
    .. [1] Kendall (1945), The treatment of ties in ranking problems, Biometrika 33.
    .. [2] Knight (1966), A computer method for calculating Kendall's tau with ungrouped data, JASA 61.

    Examples
    --------
    >>> round(kendall_b(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 2])), 4)
    0.1826
    """
    both = ~np.isnan(x + y)
    low_x, low_y = tied_ranks(x[both]).low, tied_ranks(y[both]).low
    n = low_x.size
    tied_x, tied_y = _tied_pairs(low_x), _tied_pairs(low_y)
    concordant, discordant = _ordered_pairs(low_x, low_y)
    pairs = n * (n - 1) // 2
    excess = concordant - discordant
    scale = float(pairs - tied_x) * float(pairs - tied_y)
    return float(np.clip(excess / np.sqrt(scale), -1, 1)) if scale > 0 else np.nan


def concordant_pairs(x: FloatArray, y: FloatArray) -> int:
    """Number of pairs of elements that x and y put in the same order; a tie is no order.

    Parameters
    ----------
    x, y : array, shape (n,)
        Without missing values.

    Examples
    --------
    >>> concordant_pairs(np.array([1.0, 2, 3, 3]), np.array([1.0, 3, 2, 2]))
    3
    """
    if x.size <= _BY_PAIRS_UP_TO:
        same = np.sign(x[:, None] - x) * np.sign(y[:, None] - y) > 0
        return int(np.count_nonzero(same)) // 2
    return _ordered_pairs(tied_ranks(x).low, tied_ranks(y).low)[0]


def _ordered_pairs(low_x: IntArray, low_y: IntArray) -> tuple[int, int]:
    """Numbers of concordant and of discordant pairs, from ranks."""
    n = low_x.size
    order = np.lexsort((low_y, low_x))
    discordant = inversions(low_y[order] - 1)
    tied_both = _tied_pairs(low_x * (n + 1) + low_y)
    untied = n * (n - 1) // 2 - _tied_pairs(low_x) - _tied_pairs(low_y) + tied_both
    return untied - discordant, discordant


def _tied_pairs(labels: IntArray) -> int:
    counts = np.unique(labels, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def inversions(ranks: IntArray) -> int:
    """Number of pairs in the wrong order, by merging sorted halves.

    Parameters
    ----------
    ranks : array of int, shape (n,)
        From 0 to n − 1, ties allowed (a tie is no inversion).

    Examples
    --------
    >>> inversions(np.array([2, 0, 1, 1]))
    3
    """
    size = 1 << max(0, ranks.size - 1).bit_length()
    blocks = np.full(size, size, dtype=np.int64)
    blocks[: ranks.size] = ranks
    width, count = 1, 0
    while width < size:
        halves = blocks.reshape(-1, 2, width)
        # Shifting each block past the one before lets one search serve all blocks.
        shift = np.arange(len(halves), dtype=np.int64)[:, None] * (size + 1)
        left, right = (halves[:, 0] + shift).ravel(), (halves[:, 1] + shift).ravel()
        ends = np.repeat(np.arange(1, len(halves) + 1) * width, width)
        count += int((ends - np.searchsorted(left, right, side="right")).sum())
        blocks = np.sort(blocks.reshape(-1, 2 * width), axis=1)
        width *= 2
    return count


def kendall_b_matrix(values: FloatArray) -> FloatArray:
    r"""Kendall's tau-b between all pairs of rows.

    With :math:`s_a` the signs of all :math:`x_{ai} - x_{aj}` written as one long row, :math:`C - D = s_a \cdot s_b`:
    a matrix product serves all pairs at once.

    Parameters
    ----------
    values : array, shape (m, n)
        NaN is missing, and a pair uses the columns both rows have.

    Returns
    -------
    array, shape (m, m)
        Symmetric; the diagonal is 1, or NaN for a constant row.

    Examples
    --------
    >>> kendall_b_matrix(np.array([[1.0, 2, 3], [3.0, 2, 1]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    m, n = values.shape
    if n > _BY_PRODUCT_UP_TO:
        return _pair_by_pair(values)
    present = ~np.isnan(values)
    whole = bool(present.all())
    places = _places(values, present)
    excess, untied = np.zeros((m, m)), np.zeros((m, m))
    step = max(1, _BLOCK // max(1, m * n))
    for start in range(0, n, step):
        block, rest = slice(start, start + step), slice(start + step, n)
        # Within a block each pair of columns is met twice, beyond it once.
        for later, share in ((block, 0.5), (rest, 1.0)):
            signs = _flat(np.clip(places[:, block, None] - places[:, None, later], -1, 1))
            if not whole:
                known = _flat(present[:, block, None] & present[:, None, later])
                signs[~known] = 0
                untied += share * (np.abs(signs) @ known.astype(np.float32).T)
            excess += share * (signs @ signs.T)
    if whole:
        untied += np.diag(excess)[:, None]
    scale = np.sqrt(untied * untied.T)
    return np.asarray(np.clip(excess / np.where(scale > 0, scale, np.nan), -1, 1))


def _places(values: FloatArray, present: BoolArray) -> Single:
    """Dense ranks of each row, in single precision: small whole numbers are exact, and half the work."""
    places = np.zeros(values.shape, dtype=np.float32)
    for row, known, place in zip(values, present, places, strict=True):
        place[known] = np.unique(row[known], return_inverse=True)[1]
    return places


def _flat(cube: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    return cube.reshape(len(cube), -1)


def _pair_by_pair(values: FloatArray) -> FloatArray:
    m = len(values)
    tau = np.empty((m, m))
    for a in range(m):
        for b in range(a, m):
            tau[a, b] = tau[b, a] = kendall_b(values[a], values[b])
    return tau
