"""Bradley–Terry strengths: scales, and the influence of each segment."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.comparisons.sandwich import model_covariance
from betterthan.kernels.comparisons.wins import TiesPolicy, win_counts, with_ties


def to_shares(log_strength: FloatArray) -> FloatArray:
    r"""Strengths with sum 1, the scale of [1].

    .. math:: \lambda_i = e^{\theta_i} / \sum_k e^{\theta_k}

    Parameters
    ----------
    log_strength : array, shape (..., m)

    Returns
    -------
    array, shape (..., m)

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average, ACL; appendix E, Eq. 4.

    Examples
    --------
    >>> to_shares(np.log([2.0, 1.0, 1.0]))
    array([0.5 , 0.25, 0.25])
    """
    strength = np.exp(log_strength - log_strength.max(axis=-1, keepdims=True))
    shares: FloatArray = strength / strength.sum(axis=-1, keepdims=True)
    return shares


def to_elo(log_strength: FloatArray, *, centre: float = 1500.0, scale: float = 400.0) -> FloatArray:
    r"""Strengths on the scale of chess: `scale` points more are ten to one.

    .. math:: R_i = c + s\,\theta_i / \log 10

    Parameters
    ----------
    log_strength : array, shape (..., m)
    centre : float, default 1500
        Points of a log strength of 0, which is the average when log strengths have sum 0.
    scale : float, default 400

    Returns
    -------
    array, shape (..., m)

    Examples
    --------
    >>> to_elo(np.log([10.0, 1.0]))
    array([1900., 1500.])
    """
    points: FloatArray = centre + scale / np.log(10) * log_strength
    return points


def win_probability(log_strength: FloatArray) -> FloatArray:
    r"""Probability that the row beats the column.

    .. math:: P(i \text{ beats } j) = \frac{\lambda_i}{\lambda_i + \lambda_j}

    Parameters
    ----------
    log_strength : array, shape (..., m)

    Returns
    -------
    array, shape (..., m, m)
        The diagonal is ½.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average, ACL; Eq. 1.

    Examples
    --------
    >>> win_probability(np.log([3.0, 1.0]))
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    behind = log_strength[..., None, :] - log_strength[..., :, None]
    probability: FloatArray = np.exp(-np.logaddexp(0, behind))
    return probability


def segment_win_rates(goodness: FloatArray) -> FloatArray:
    """Share of the other systems that each system beats on each segment, ties as half; their mean is the win rate.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Without gaps.

    Returns
    -------
    array, shape (n, m)

    Examples
    --------
    >>> segment_win_rates(np.array([[3.0, 1.0], [2.0, 1.0], [1.0, 0.0]]))
    array([[1.  , 0.5 , 0.  ],
           [0.75, 0.75, 0.  ]])
    """
    below = [((goodness < own).sum(axis=0) + (goodness <= own).sum(axis=0) - 1) / 2 for own in goodness]
    return np.asarray(np.stack(below, axis=1) / (len(goodness) - 1))


def log_strength_influence(
    goodness: FloatArray, log_strength: FloatArray, *, ties: TiesPolicy, prior: float = 0.0
) -> FloatArray:
    r"""Influence of each segment on Bradley–Terry log strengths: the infinitesimal jackknife.

    With :math:`w_{ij}` the wins of i over j on the segment, :math:`n_{ij}` whether the two were compared there, and
    :math:`J^+` the inverse of the information of all n segments,

    .. math:: \psi = n J^+ u, \qquad u_i = \sum_j \big( w_{ij} - n_{ij} P(i \text{ beats } j) \big) .

    Parameters
    ----------
    goodness : array, shape (m, n)
        Without gaps.
    log_strength : array, shape (m,)
        As fitted.
    ties : {"drop", "half", "as_published"}
    prior : float, default 0

    Returns
    -------
    array, shape (n, m)
        Sums to 0 over systems, and over segments where there is no prior.

    References
    ----------
    .. [1] Efron (1982), The jackknife, the bootstrap and other resampling plans, SIAM, chapter 6.

    Examples
    --------
    Three wins of four: the odds are 3, and log odds have a standard error of :math:`\sqrt{1/3 + 1}`.

    >>> wins = np.array([[1.0, 1, 1, 0], [0, 0, 0, 1]])
    >>> pull = log_strength_influence(wins, np.log([3.0, 1.0]) - np.log(3) / 2, ties="drop")
    >>> odds = pull[:, 0] - pull[:, 1]
    >>> (odds @ odds / 16).round(4), (1 / 3 + 1)
    (np.float64(1.3333), 1.3333333333333333)
    """
    counts = win_counts(goodness)
    bread = model_covariance(with_ties(counts.wins, counts.ties, ties), log_strength, prior=prior)
    chance = win_probability(log_strength)
    np.fill_diagonal(chance, 0.0)
    expected = chance.sum(axis=1)
    surprise = np.empty(goodness.shape)
    for i, own in enumerate(goodness):
        won = (goodness < own).sum(axis=0).astype(np.float64)
        if ties == "half":
            won += ((goodness == own).sum(axis=0) - 1) / 2
        elif ties == "as_published":
            won += (goodness[:i] == own).sum(axis=0)
        surprise[i] = won - expected[i]
        if ties == "drop" and counts.ties[i].any():
            surprise[i] += chance[i] @ (goodness == own)
    return np.asarray(goodness.shape[1] * surprise.T @ bread)
