"""Three measures of how far two rankings of the same systems disagree."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.agreement.kendall import kendall_b
from betterthan.kernels.agreement.rankings import order_agreement, same_top

MEASURES = ("disagree", "best", "top3")
MEASURE_TITLES = {"disagree": "pairs disagree", "best": "other best", "top3": "other top 3"}
TOP = 3


def disagreement(first: FloatArray, second: FloatArray, *, as_published: bool) -> FloatArray:
    r"""Share of pairs ordered differently, whether the best differs, and whether the top three do.

    Flipped pairs are counted, and the best are compared as sets to which all who tie belong. As published [1]_, the
    first is :math:`(1 - \tau_b) / 2`, and ties at the border are broken by the order of the columns.

    Parameters
    ----------
    first, second : array, shape (m,)
        Strengths, higher is better.
    as_published : bool

    Returns
    -------
    array, shape (3,)
        The first is NaN as published when one of the two ties all systems.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than Average: Paired Evaluation of NLP Systems, ACL. Section 5.1.

    Examples
    --------
    >>> disagreement(np.array([4.0, 3, 2, 1]), np.array([3.0, 4, 2, 1]), as_published=False).round(3)
    array([0.167, 1.   , 0.   ])
    >>> disagreement(np.array([4.0, 3, 2, 1]), np.array([4.0, 4, 2, 1]), as_published=True).round(3)
    array([0.044, 0.   , 0.   ])
    """
    if as_published:
        flipped = (1 - kendall_b(first, second)) / 2
        other = [_first_of(first, k) != _first_of(second, k) for k in (1, TOP)]
    else:
        flipped = order_agreement(first, second).share_flipped
        other = [not same_top(first, second, k) for k in (1, TOP)]
    return np.array([flipped, *map(float, other)])


def _first_of(strength: FloatArray, k: int) -> frozenset[int]:
    return frozenset(np.argsort(-strength, kind="stable")[:k].tolist())
