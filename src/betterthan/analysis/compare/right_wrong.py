"""Scores that only say right or wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.tables.scores import Scores


def both_right(scores: Scores, systems: Sequence[str]) -> FloatArray | None:
    """Return on how many segments each two systems are right, or None where scores are not 0 and 1.

    With wins and losses, which are the segments on which only one of the two is right, this is the table of McNemar's
    test. A missing score is neither right nor wrong.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=["1", "2", "3"], values=[[1, 1, 0], [1, 0, 0]])
    >>> both_right(scores, ["A", "B"])
    array([[2., 1.],
           [1., 1.]])
    """
    if not scores.is_binary:
        return None
    right = (scores.values == (1.0 if scores.higher_is_better else 0.0)).astype(np.float64)
    right = right[[scores.systems.index(name) for name in systems]]
    return np.asarray(right @ right.T)
