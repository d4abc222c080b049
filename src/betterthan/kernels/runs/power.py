"""Power of the comparison of two systems that ran several times."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import chdtri, ndtr, stdtrit

from betterthan.kernels.sign_flips.exact import Alternative

_NODES = 64


def power_of_runs(
    difference: float,
    n: int,
    repeats: int,
    *,
    item_variance: float,
    run_variance: float,
    noise_variance: float,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    r"""Power of the test for other items and other runs, whose interval :mod:`betterthan.kernels.runs.limits` joins.

    The difference is normal; it is significant beyond :math:`\sqrt{t_{n-1}^2 S^2 / n + t_\nu^2 Q}`, where S² and Q are
    estimated. Given the true variances, :math:`(n - 1) S^2` and :math:`\nu (Q + c / 2)` are multiples of independent
    chi-squared variables with n − 1 and :math:`\nu = 2 (R - 1)` degrees of freedom, over whose quantiles the power is
    averaged.

    Parameters
    ----------
    difference : float
    n, repeats : int
        Items, and runs of each system.
    item_variance : float
        Of the differences of two items' means over their runs.
    run_variance : float
        Of the difference of two runs as a whole.
    noise_variance : float
        Of the difference of two scores of one item each, given items and runs.
    level : float, default 0.05
    alternative : {"two-sided", "greater", "less"}, default "two-sided"

    Examples
    --------
    >>> known = {"item_variance": 1.0, "noise_variance": 1.0}
    >>> round(power_of_runs(0.3, 100, 5, run_variance=0.0, **known), 2)
    0.81
    >>> round(power_of_runs(0.3, 100, 5, run_variance=0.05, **known), 2)
    0.48
    """
    sides = 2 if alternative == "two-sided" else 1
    if n < 2 or repeats < 2 or sides * 0.5**n > level:
        return 0.0
    degrees = 2 * (repeats - 1)
    noise = noise_variance / (n * repeats)
    error = math.sqrt(item_variance / n + run_variance / repeats)
    upper = (np.arange(_NODES) + 0.5) / _NODES
    item = item_variance / n * chdtri(n - 1, upper) / (n - 1)
    between = (run_variance / repeats + noise) * chdtri(degrees, upper) / degrees
    run = np.maximum(between - noise / 2, 0.0)
    t_items, t_runs = (float(stdtrit(each, level / sides)) ** 2 for each in (n - 1, degrees))
    bound = np.sqrt(t_items * item[:, None] + t_runs * run[None, :])
    return float(ndtr((abs(difference) - bound) / error).mean())
