"""Would fewer segments have said the same?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.computing import Rng, seed_of
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.streams import stream
from betterthan.kernels.kendall import concordant_pairs
from betterthan.tables.scores import Scores

_SHARES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0)
_FEWEST = 5
_WORK = 200_000_000


class Stability(NamedTuple):
    """What smaller test sets would have said.

    Attributes
    ----------
    sizes : array of int, shape (k,)
        Numbers of segments, rising; the last is all of them.
    first : array, shape (k, m)
        Share of drawn test sets of that size in which each system has the best mean; several that tie share it.
    alike : array, shape (k,)
        Share of the pairs of systems that a drawn test set orders as all segments do; NaN when all pairs tie.
    n_draws : int
    """

    sizes: IntArray
    first: FloatArray
    alike: FloatArray
    n_draws: int


def stability(scores: Scores, *, n_draws: int = 200, rng: Rng = 12345) -> Stability:
    r"""Draw smaller test sets from the segments, and say how often they agree with the whole.

    Each draw shuffles the segments and looks at the means of the first :math:`n' < n` of them, so that a larger set
    holds the smaller one. A curve that still rises at its end says that more segments could change the order; a flat
    one does not prove the opposite, because the draws come from the same segments.

    Parameters
    ----------
    scores : Scores
        Complete; higher or lower is better as it says.
    n_draws : int, default 200
        Fewer for very large tables.
    rng : int or Generator, default 12345

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=[str(i) for i in range(20)],
    ...                 values=[[1.0] * 20, [0.0] * 20])
    >>> found = stability(scores)
    >>> found.sizes, found.first[:, 0], found.alike
    (array([ 5,  7, 10, 14, 17, 20]), array([1., 1., 1., 1., 1., 1.]), array([1., 1., 1., 1., 1., 1.]))
    """
    goodness = scores.goodness
    m, n = goodness.shape
    draws = max(20, min(n_draws, _WORK // (m * n)))
    sizes = np.unique([max(min(_FEWEST, n), round(share * n)) for share in _SHARES]).astype(np.int64)
    starts = np.concatenate([[0], sizes[:-1]])
    target = goodness.mean(axis=1)
    n_ordered = concordant_pairs(target, target)
    first, alike = np.zeros((sizes.size, m)), np.zeros(sizes.size)
    seed, name = seed_of(rng), f"stability {scores.digest}"
    for draw in range(draws):
        order = stream(seed, name, draw).permutation(n)
        sums = np.add.reduceat(goodness[:, order], starts, axis=1).cumsum(axis=1)
        means = sums.T / sizes[:, None]
        # The whole set is always the same one; its sum must not depend on the order of adding.
        means[-1] = target
        best = means == means.max(axis=1, keepdims=True)
        first += best / best.sum(axis=1, keepdims=True)
        for k, row in enumerate(means):
            alike[k] += concordant_pairs(target, row)
    shares = alike / (draws * n_ordered) if n_ordered else np.full(sizes.size, np.nan)
    return Stability(sizes, first / draws, shares, draws)
