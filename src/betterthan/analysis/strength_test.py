"""Test differences of strengths by their bootstrap draws, for mechanisms that have no test of their own."""

from __future__ import annotations

import numpy as np

from betterthan.analysis.pairwise import Decision, Findings, pairwise_table
from betterthan.arrays import FloatArray
from betterthan.errors import NotEstimable
from betterthan.kernels.intervals import percentile_interval
from betterthan.kernels.permutation import add_one
from betterthan.kernels.wins import win_counts
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.scores import Scores


def compare_draws(
    scores: Scores, strength: FloatArray, draws: FloatArray, n_units: int, decision: Decision
) -> PairwiseTable:
    r"""Two-sided percentile bootstrap test that two strengths are equal.

    .. math:: p = 2 \min(p_+, p_-), \qquad p_\pm = \frac{1 + \#\{\pm(s_a^* - s_b^*) \le 0\}}{B + 1}

    The interval of the difference at level 1 - p just touches 0. A handful of units hardly varies when drawn again,
    so p is at least :math:`2^{1-n}`, the least that n signs support.
    """
    usable = draws[~np.isnan(draws).any(axis=1)]
    m = strength.size
    if not len(usable):
        raise NotEstimable("No bootstrap sample has strengths of all systems. More segments are needed.")
    below = np.stack([(usable[:, a, None] <= usable).sum(axis=0) for a in range(m)])
    limits = [percentile_interval(usable[:, a, None] - usable, decision.confidence) for a in range(m)]
    p = np.minimum(1.0, 2 * np.minimum(add_one(below, len(usable)), add_one(below.T, len(usable))))
    p = np.maximum(p, 2.0 ** (1 - n_units))
    effect = strength[:, None] - strength[None, :]
    spread = np.stack([(usable[:, a, None] - usable).std(axis=0) for a in range(m)])
    counts = win_counts(scores.goodness)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(spread > 0, effect / spread, np.nan)
    return pairwise_table(
        Findings(
            systems=scores.systems,
            goodness=strength,
            test="bootstrap",
            effect_name="difference of strengths",
            size_name="difference over its standard error",
            effect=effect,
            low=np.array([low for low, _ in limits]),
            high=np.array([high for _, high in limits]),
            size=size,
            wins=counts.wins,
            ties=counts.ties,
            pvalue=p,
            drew=True,
            data=scores.digest,
            n_segments=scores.n_segments,
            options={"p": str(len(usable))},
        ),
        decision,
    )
