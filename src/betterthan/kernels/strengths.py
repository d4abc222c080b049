"""Scales on which a Bradley–Terry strength may be shown, and the chance to win that it stands for."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray


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
