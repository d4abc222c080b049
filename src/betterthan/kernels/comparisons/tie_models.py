"""Covariance of log strengths under the models of ties: of Davidson, and of Rao and Kupper.

Both say how likely a win, a tie and a loss are from the lead d = θ_left − θ_right and one parameter τ of ties: log ν of
Davidson, the threshold of Rao and Kupper. So a match has two scores, and an information of 2 × 2; everything here is
the sandwich of :mod:`betterthan.kernels.comparisons.sandwich` with these in place of residual and p (1 − p).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from betterthan.arrays import FloatArray, IntArray, numbered
from betterthan.kernels.comparisons.davidson import DavidsonFit
from betterthan.kernels.comparisons.match_counts import signed_sums, squares_of_designs
from betterthan.kernels.comparisons.rao_kupper import RaoKupperFit
from betterthan.kernels.comparisons.sandwich import inverse_with_others, small_sample_factor
from betterthan.kernels.resampling.clustered import (
    MOST_CLUSTERS,
    ClusterTerm,
    FewClusters,
    ManyClusters,
    few_clusters,
    is_affordable,
    many_clusters,
)

_ALONE = 1e-9  # as where a match alone connects two systems


class TieTerms(NamedTuple):
    """First and (negative) second derivatives of the log-likelihood of each match by its lead d and by τ.

    Attributes
    ----------
    lead, tie : array, shape (t,)
        The scores.
    of_lead, crossed, of_tie : array, shape (t,)
        The observed information.
    """

    lead: FloatArray
    tie: FloatArray
    of_lead: FloatArray
    crossed: FloatArray
    of_tie: FloatArray


def tie_terms(
    fit: DavidsonFit | RaoKupperFit, left: IntArray, right: IntArray, outcome: FloatArray
) -> TieTerms:
    r"""Scores and information of each match.

    Davidson's model is an exponential family in d and :math:`\tau = \log \nu`, with the statistics x = ½, 0 or −½ and
    y = 1 for a tie; its information is their covariance. For Rao and Kupper, with :math:`\sigma` the logistic function,

    .. math:: \log P(\text{left}) = \log \sigma(d - \tau), \quad
              \log P(\text{tie}) = \log \sigma(d - \tau) + \log \sigma(-d - \tau) + \log (e^{2 \tau} - 1).

    Parameters
    ----------
    fit : DavidsonFit or RaoKupperFit
        With ties.
    left, right : array of int, shape (t,)
    outcome : array, shape (t,)
        1 when left wins, ½ for a tie, 0 when right wins.

    Examples
    --------
    Two equal systems that tie in a third of the matches:

    >>> terms = tie_terms(DavidsonFit(np.zeros(2), 1.0, 0, 0.0), np.array([0]), np.array([1]), np.array([1.0]))
    >>> [(part.round(3) + 0.0).tolist() for part in terms]
    [[0.5], [-0.333], [0.167], [0.0], [0.222]]
    """
    ahead = fit.log_strength[left] - fit.log_strength[right]
    tied = (outcome == 0.5).astype(np.float64)
    if isinstance(fit, DavidsonFit):
        return _davidson_terms(ahead, fit.tie_strength, outcome, tied)
    return _rao_kupper_terms(ahead, fit.threshold, outcome, tied)


def _davidson_terms(ahead: FloatArray, strength: float, outcome: FloatArray, tied: FloatArray) -> TieTerms:
    largest = np.abs(ahead) / 2
    weights = np.stack(
        [np.exp(ahead / 2 - largest), np.exp(-ahead / 2 - largest), strength * np.exp(-largest)]
    )
    win, loss, tie = weights / weights.sum(axis=0)
    lead = (win - loss) / 2
    # (win + loss) / 4 − lead², without the difference of nearly equal numbers
    spread = win * loss + (win + loss) * tie / 4
    return TieTerms((outcome - 0.5) - lead, tied - tie, spread, -lead * tie, tie * (1 - tie))


def _rao_kupper_terms(ahead: FloatArray, threshold: float, outcome: FloatArray, tied: FloatArray) -> TieTerms:
    first, second = (outcome >= 0.5).astype(np.float64), (outcome <= 0.5).astype(np.float64)
    missed = first * expit(threshold - ahead)
    missed_back = second * expit(threshold + ahead)
    bent, bent_back = missed * expit(ahead - threshold), missed_back * expit(-ahead - threshold)
    grown = np.expm1(2 * threshold)
    return TieTerms(
        missed - missed_back,
        2 * tied * (1 + 1 / grown) - missed - missed_back,
        bent + bent_back,
        bent_back - bent,
        bent + bent_back + 4 * tied * (1 + 1 / grown) / grown,
    )


def tie_covariance(
    fit: DavidsonFit | RaoKupperFit,
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    weight: FloatArray,
    *,
    small_sample: bool = True,
) -> FloatArray:
    r"""Sandwich covariance of the log strengths and τ where matches are independent.

    Parameters
    ----------
    fit, left, right, outcome
        As in :func:`tie_terms`.
    weight : array, shape (t,)
        How often each row occurred.
    small_sample : bool, default True
        Make up for each match having pulled the fit toward itself: with its information :math:`g` and the covariance
        :math:`B` of its lead and τ, its scores are multiplied by :math:`(I - g B)^{-1/2}`, as for a cluster.

    Returns
    -------
    array, shape (m + 1, m + 1)
        Rows of log strengths have sum 0 over log strengths.
    """
    small_sample_factor(float(weight.sum()))  # refuses a single match
    terms, m = tie_terms(fit, left, right, outcome), fit.log_strength.size
    bread = _bread(terms, left, right, weight, m)
    lead, tie = terms.lead, terms.tie
    if small_sample:
        lead, tie = _freed(terms, bread, left, right)
    middle = np.empty((m + 1, m + 1))
    middle[:m, :m] = squares_of_designs(weight * lead**2, left, right, n_systems=m)
    middle[:m, m] = middle[m, :m] = signed_sums((weight * lead * tie)[:, None], left, right, n_systems=m)[
        :, 0
    ]
    middle[m, m] = weight @ tie**2
    return np.asarray(bread @ middle @ bread)


def _freed(
    terms: TieTerms, bread: FloatArray, left: IntArray, right: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Scores times (I − g B)^(−1/2), the root in closed form: √X = (X + √det X) / √(trace X + 2 √det X)."""
    m = len(bread) - 1
    own = np.diagonal(bread)
    lead = own[left] + own[right] - 2 * bread[left, right]
    both, tie = bread[left, m] - bread[right, m], own[m]
    a = 1 - terms.of_lead * lead - terms.crossed * both
    b = -terms.of_lead * both - terms.crossed * tie
    c = -terms.crossed * lead - terms.of_tie * both
    d = 1 - terms.crossed * both - terms.of_tie * tie
    root = np.sqrt(np.maximum(a * d - b * c, _ALONE))
    scale = np.sqrt(np.maximum(a + d + 2 * root, _ALONE)) / (root * (a + d + 2 * root))
    # The inverse of the root is its adjugate over its determinant, √det X.
    first = scale * ((d + root) * terms.lead - b * terms.tie)
    second = scale * ((a + root) * terms.tie - c * terms.lead)
    return np.asarray(first), np.asarray(second)


def clustered_tie_fit(
    fit: DavidsonFit | RaoKupperFit,
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    weight: FloatArray,
    cluster: IntArray,
) -> FewClusters | ManyClusters:
    """Covariance and degrees of freedom of the log strengths and τ that hold with few clusters, or with uneven ones.

    As :func:`betterthan.kernels.comparisons.sandwich.clustered_fit` does for ties as half.

    Parameters
    ----------
    fit, left, right, outcome, weight
        As in :func:`tie_covariance`.
    cluster : array of int, shape (t,)
        Rows with the same number belong together.
    """
    used, m = weight > 0, fit.log_strength.size
    left, right, weight = left[used], right[used], weight[used]
    number, n_clusters = numbered(cluster[used])
    small_sample_factor(n_clusters)  # refuses a single cluster
    terms = tie_terms(fit, left, right, outcome[used])
    bread = _bread(terms, left, right, weight, m)
    cells = _cells(terms, left, right, weight, number, m)
    n_pairs = np.bincount(cells.cluster, minlength=n_clusters)
    if n_clusters <= MOST_CLUSTERS and is_affordable(n_pairs + 1, m + 1):
        return few_clusters(bread, _blocks(cells, n_pairs, m))
    terms = cells.terms
    return many_clusters(
        np.tile(cells.cluster, 3),
        np.concatenate([cells.first, cells.second, np.full(cells.first.size, m)]),
        np.concatenate([terms.of_lead, terms.of_lead, terms.of_tie]),
        np.concatenate([terms.lead, -terms.lead, terms.tie]),
        n_parameters=m + 1,
        bread=bread,
    )


class _PairSums(NamedTuple):
    """Sums over the matches of two systems within a cluster, in the order of clusters."""

    cluster: IntArray
    first: IntArray
    second: IntArray
    terms: TieTerms


def _cells(
    terms: TieTerms, left: IntArray, right: IntArray, weight: FloatArray, number: IntArray, m: int
) -> _PairSums:
    pair = np.minimum(left, right) * m + np.maximum(left, right)
    codes, place = np.unique(number * m**2 + pair, return_inverse=True)
    turned = np.where(left < right, weight, -weight)
    signs = TieTerms(turned, weight, weight, turned, weight)
    sums = [
        np.asarray(np.bincount(place.reshape(-1), sign * term, codes.size), dtype=np.float64)
        for sign, term in zip(signs, terms, strict=True)
    ]
    return _PairSums(codes // m**2, codes % m**2 // m, codes % m, TieTerms(*sums))


def _blocks(cells: _PairSums, n_pairs: IntArray, m: int) -> Iterator[ClusterTerm]:
    """Design and score of each cluster: a row for each pair, and one for what they tell about τ beyond that."""
    terms = cells.terms
    root = np.sqrt(terms.of_lead)
    slope = np.divide(terms.crossed, root, out=np.zeros_like(root), where=root > 0)
    rest = np.maximum(terms.of_tie - slope**2, 0.0)
    end = 0
    for size in n_pairs.tolist():
        begin, end = end, end + size
        here, line = slice(begin, end), np.arange(size)
        first, second = cells.first[here], cells.second[here]
        design, score = np.zeros((size + 1, m + 1)), np.zeros(m + 1)
        design[line, first], design[line, second] = root[here], -root[here]
        design[line, m], design[size, m] = slope[here], np.sqrt(rest[here].sum())
        np.add.at(score, first, terms.lead[here])
        np.subtract.at(score, second, terms.lead[here])
        score[m] = terms.tie[here].sum()
        yield ClusterTerm(design, score)


def _bread(terms: TieTerms, left: IntArray, right: IntArray, weight: FloatArray, m: int) -> FloatArray:
    """Return the inverse of the observed information."""
    information = np.empty((m + 1, m + 1))
    information[:m, :m] = squares_of_designs(weight * terms.of_lead, left, right, n_systems=m)
    information[:m, m] = signed_sums((weight * terms.crossed)[:, None], left, right, n_systems=m)[:, 0]
    information[m, :m], information[m, m] = information[:m, m], weight @ terms.of_tie
    return inverse_with_others(information, m)
