"""The tests of an explanation: one for each mechanism, all on the unit that the verdict goes by."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betterthan.analysis.computing import Computing
from betterthan.analysis.decide import Request, decide
from betterthan.analysis.mechanisms import PairTests, permutation_test
from betterthan.analysis.pairwise import Decision
from betterthan.analysis.ranking import wish_for
from betterthan.analysis.units import UnitName, Units
from betterthan.arrays import FloatArray
from betterthan.kernels.mood import mood_median
from betterthan.kernels.sign_test import sign_test
from betterthan.kernels.wilcoxon import signed_ranks, wilcoxon
from betterthan.kernels.wins import win_counts
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.scores import Scores


def decided(pair: Scores, units: UnitName, alpha: float, *, test: str = "auto") -> PairwiseTable:
    """The mean difference of the pair, decided where every other verb has it decided."""
    decision = Decision(
        alternative="two-sided",
        correction="none",
        alpha=alpha,
        confidence=1 - alpha,
        n_resamples=1,
        seed=0,
        computing=Computing(),
    )
    wish = wish_for(decision, "mean", ties="default", n_resamples=None)
    return decide(pair, Request(test=test, units=units), decision, wish=wish)


def pair_tests(pair: Scores, units: Units, compared: PairwiseTable) -> PairTests:
    """Return the p-value of each mechanism.

    Parameters
    ----------
    pair : Scores
        Two systems, complete.
    units : Units
        What the tests swap.
    compared : PairwiseTable
        Of the pair, by mean.
    """
    x, y = pair.goodness
    mean = compared.pair(*pair.systems).pvalue
    by_t = decided(pair, "segments" if units.are_segments else "groups", compared.alpha, test="t")
    t = by_t.pair(*pair.systems).pvalue
    if not units.are_segments:
        return PairTests(mean, t, *swapped_documents(x, y, units, alpha=compared.alpha))
    # Scores that are all alike leave Mood's table empty, but nothing to doubt.
    both = pair.goodness
    mood = 1.0 if np.array_equal(x, y) else float(mood_median(both).pvalue[0, 1])
    sign, ranks = sign_test(win_counts(both)).pvalue[0, 1], wilcoxon(both).pvalue[0, 1]
    return PairTests(mean, t, mood, float(sign), float(ranks))


class DocumentTests(NamedTuple):
    """P-values of the tests of Mood, of signs and of Wilcoxon when whole documents are swapped."""

    median: float
    wins: float
    shift: float


def swapped_documents(x: FloatArray, y: FloatArray, units: Units, *, alpha: float) -> DocumentTests:
    r"""Test median, wins and shift as the mean is tested: by swapping the two systems on whole documents.

    Each of the three statistics is a sum over segments of something that changes its sign, and nothing else, when the
    two systems are swapped there: whose score lies above the common median, who wins, and the signed rank of the
    difference [1]_. So

    .. math:: p = P\Big(\Big|\sum_g \varepsilon_g T_g\Big| \ge \Big|\sum_g T_g\Big|\Big),
              \qquad T_g = \sum_{i \in g} t_i, \quad \varepsilon_g = \pm 1 ,

    as for the mean. With a segment in each document the second is the sign test and the third Wilcoxon's exact test.

    Parameters
    ----------
    x, y : array, shape (n,)
        Goodness of the two systems, complete.
    units : Units
        The document of each segment.
    alpha : float
        Where p-values must be certain.

    References
    ----------
    .. [1] Rosner, Glynn and Lee (2006), The Wilcoxon signed rank test for paired comparisons of clustered data,
       Biometrics 62.

    Examples
    --------
    Five documents, of which the first system wins all:

    >>> x, y = np.arange(10.0) % 3 + 2, np.arange(10.0) % 3
    >>> swapped_documents(x, y, Units(np.arange(10) // 2, 5), alpha=0.05).wins
    0.0625
    """
    middle = np.median(np.concatenate([x, y]))  # no swap changes it
    above = (x > middle).astype(np.float64) - (y > middle)
    terms = np.stack([above, np.sign(x - y), _ranks(x, y)])
    median, wins, shift = (permutation_test(sums, alpha=alpha).pvalue for sums in units.summed(terms))
    # Mood's test is undefined where no score is above the median, unless there is nothing to doubt.
    is_defined = bool((np.maximum(x, y) > middle).any()) or np.array_equal(x, y)
    return DocumentTests(median if is_defined else math.nan, wins, shift)


def _ranks(x: FloatArray, y: FloatArray) -> FloatArray:
    """Signed ranks in the order of segments."""
    gaps = x - y
    order = np.argsort(np.where(gaps != 0, np.abs(gaps), np.inf), kind="stable")
    ranks = np.empty(gaps.size)
    ranks[order] = signed_ranks(x[None], y[None]).ranks[0]
    return np.asarray(np.sign(gaps) * ranks)
