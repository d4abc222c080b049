"""On how few segments do the verdicts on a pair hang?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan.analysis.mechanisms import permutation_test
from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.influence import (
    Removal,
    flips_mean,
    flips_median,
    flips_wins,
    no_removal,
    removal,
)
from betterthan.kernels.significance_influence import undoes_sign_flips, undoes_sign_test
from betterthan.results.explanation import Flip, Mechanism

MEAN_SIGNIFICANCE = "significance of the mean"
WINS_SIGNIFICANCE = "significance of the wins"


def flips(
    x: FloatArray, y: FloatArray, found: Sequence[Mechanism], segments: Sequence[str], *, alpha: float
) -> tuple[Flip, ...]:
    """Find the fewest segments whose removal turns each verdict, or undoes its significance.

    Parameters
    ----------
    x, y : array, shape (n,)
        Goodness of the two systems, complete.
    found : sequence of Mechanism
    segments : sequence of str
    alpha : float
    """
    of = {mechanism.name: mechanism for mechanism in found}
    d = x - y
    removals = {
        "mean": flips_mean(d) if of["mean"].winner else no_removal(),
        "median": flips_median(x, y) if of["median"].winner else no_removal(),
        "bradley_terry": flips_wins(d),
        MEAN_SIGNIFICANCE: undoes_mean(d, alpha=alpha) if of["mean"].is_significant else no_removal(),
        WINS_SIGNIFICANCE: undoes_sign_test(d, alpha=alpha),
    }
    return tuple(_flip(verdict, taken, segments) for verdict, taken in removals.items())


def _flip(verdict: str, taken: Removal, segments: Sequence[str]) -> Flip:
    return Flip(
        verdict=verdict,
        n_segments=taken.n_removed if taken.is_possible else None,
        share=taken.n_removed / len(segments) if taken.is_possible else float("nan"),
        segments=tuple(segments[i] for i in taken.indices.tolist()),
        is_exact=taken.is_exact,
    )


def undoes_mean(differences: FloatArray, *, alpha: float) -> Removal:
    """Few segments without which the permutation test of the mean is not significant.

    The normal approximation proposes a run of neighbours in the order of differences; the permutation test itself
    must agree, and while it does not, the run grows by the largest differences beside it.

    Parameters
    ----------
    differences : array, shape (n,)
        a − b by segment, with a significant mean.
    alpha : float

    Returns
    -------
    Removal
        An upper bound; exact when it is one segment.

    Examples
    --------
    >>> undoes_mean(np.array([1.0, 2, 3, -0.5, 1.5, 2.5, 1.0]), alpha=0.05).n_removed
    1
    """
    proposed = undoes_sign_flips(differences, alpha=alpha).indices
    lead = 1.0 if np.nansum(differences) > 0 else -1.0
    order = np.argsort(-lead * differences, kind="stable")
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    start, stop = (int(place[proposed].min()), int(place[proposed].max()) + 1) if proposed.size else (0, 1)
    while stop - start < order.size:
        if permutation_test(differences[_without(order, start, stop)]).pvalue > alpha:
            return removal(order[start:stop], is_exact=stop - start == 1)
        growth = max(1, (stop - start) // 16)
        start, stop = max(0, start - growth), (stop if start > 0 else min(order.size, stop + growth))
    return no_removal(is_exact=False)


def _without(order: IntArray, start: int, stop: int) -> IntArray:
    return np.concatenate([order[:start], order[stop:]])
