"""Newton's method for log-likelihoods of logistic type: solving for the step, and how much of it to take."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray


def newton_steps(information: FloatArray, score: FloatArray) -> FloatArray:
    """Solve information · step = score for many tables; NaN where the information is singular.

    Parameters
    ----------
    information : array, shape (b, m, m)
    score : array, shape (b, m)

    Returns
    -------
    array, shape (b, m)

    Examples
    --------
    >>> newton_steps(np.array([[[2.0]], [[0.0]]]), np.array([[1.0], [1.0]]))
    array([[0.5],
           [nan]])
    """
    try:
        return np.asarray(np.linalg.solve(information, score[:, :, None])[:, :, 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        if len(score) == 1:
            return np.full_like(score, np.nan)
        return np.concatenate([newton_steps(information[[b]], score[[b]]) for b in range(len(score))])


def damping(reach: float) -> float:
    r"""Share of a Newton step to take, so that the likelihood rises.

    With M the largest change that the full step brings to the log odds of an observed match, a share t of the step
    raises the log-likelihood by at least

    .. math:: \delta^2 \left( t - \frac{e^{tM} - 1 - tM}{M^2} \right),

    where δ is the Newton decrement. That is positive for t = 1 while M ≤ 1, and greatest for t = log(1 + M) / M.

    Parameters
    ----------
    reach : float
        M.

    Returns
    -------
    float

    References
    ----------
    .. [1] Sun and Tran-Dinh (2019), Generalized self-concordant functions: a recipe for Newton-type methods,
       Mathematical Programming 178; section 4, case ν = 2.

    Examples
    --------
    >>> damping(0.3), round(damping(10.0), 3)
    (1.0, 0.24)
    """
    return float(np.log1p(reach) / reach) if reach > 1 else 1.0
