r"""Variance components of repeated runs: systems, items, their interaction, runs and the rest.

.. math:: y_{sir} = \mu + s_s + a_i + c_{si} + b_{sr} + e_{sir}

pass@k and pass^k: chances that one of k runs, or that all of k runs, solve an item.

Power of the comparison of two systems that ran several times.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri, ndtr, stdtrit

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import NotEstimable
from betterthan.kernels.sign_flips.exact import Alternative

SOURCES = ("system", "item", "item × system", "run", "residual")
WITHOUT_REPEATS = ("system", "item", "residual")


class Components(NamedTuple):
    """Estimated variances, which may be negative, and the sizes that belong to them.

    Attributes
    ----------
    sources : tuple of str
    variance : array, shape (k,)
    degrees : array, shape (k,)
        Degrees of freedom of the mean square of each source.
    expected : array, shape (k, k)
        Coefficients of the variances in the expected mean squares, for the typical numbers of runs and items.
    n_items, n_runs : float
        Typical numbers: the harmonic mean where they differ.
    """

    sources: tuple[str, ...]
    variance: FloatArray
    degrees: FloatArray
    expected: FloatArray
    n_items: float
    n_runs: float


def components(
    system: IntArray, item: IntArray, run: IntArray, score: FloatArray, *, shape: tuple[int, int, int]
) -> Components:
    r"""Variance components by the method of moments.

    Parameters
    ----------
    system, item, run : array of int, shape (t,)
    score : array, shape (t,)
    shape : (m, n, number of names of runs)

    Notes
    -----
    The uncorrected sums of squares :math:`T_g = \sum_{l} y_{l\cdot}^2 / n_l` over the levels l of each grouping g are
    set equal to their expectations, which are linear in the variances (Henderson's first method). With a score of
    every item in every run these are the estimates of the analysis of variance, and of restricted maximum likelihood
    where none is negative. Without repeats, runs and interaction cannot be separated from the rest.

    References
    ----------
    Henderson (1953), Estimation of variance and covariance components, Biometrics 9; Searle, Casella and McCulloch
    (1992), Variance components, chapters 4 and 5.

    Examples
    --------
    >>> table = np.array([[[3.0, 4], [5, 6], [4, 5]], [[2.0, 2], [3, 5], [3, 2]]])  # systems × items × runs
    >>> system, item, run = (index.ravel() for index in np.indices(table.shape))
    >>> found = components(system, item, run, table.ravel(), shape=table.shape)
    >>> dict(zip(found.sources, found.variance.round(3).tolist()))
    {'system': 1.333, 'item': 1.0, 'item × system': -0.25, 'run': 0.083, 'residual': 0.583}
    """
    m, n, names = shape
    level = score - score.mean()
    cells, runs = system * n + item, system * names + run
    count = {
        "system": np.bincount(system, minlength=m),
        "item": np.bincount(item, minlength=n),
        "item × system": np.bincount(cells, minlength=m * n),
        "run": np.bincount(runs, minlength=m * names),
    }
    n_rows, n_cells, n_runs = (
        score.size,
        int((count["item × system"] > 0).sum()),
        int((count["run"] > 0).sum()),
    )
    groups = {"system": system, "item": item, "item × system": cells, "run": runs}
    total = {name: _squares(level, groups[name], count[name]) for name in groups}
    if n_cells == n_rows or n_runs == m:
        return _without_repeats(level, count, total)
    by_system = {
        "item": _per(count["item × system"].reshape(m, n), axis=1, sizes=count["system"]),
        "run": _per(count["run"].reshape(m, names), axis=1, sizes=count["system"]),
    }
    by_item = _per(count["item × system"].reshape(m, n), axis=0, sizes=count["item"])
    overall = {name: float((part.astype(np.float64) ** 2).sum() / n_rows) for name, part in count.items()}
    size = float(n_rows)
    # Rows: sums of squares; columns: the squared mean, then the sources.
    matrix = np.array(
        [
            [size, overall["system"], overall["item"], overall["item × system"], overall["run"], 1.0],
            [size, size, by_system["item"], by_system["item"], by_system["run"], m],
            [size, by_item, size, by_item, n, n],
            [size, size, size, size, n_cells, n_cells],
            [size, size, n_runs, n_runs, size, n_runs],
            [size, size, size, size, size, size],
        ]
    )
    sums = np.array([level.sum() ** 2 / size, *total.values(), float(level @ level)])
    variance = _separated(matrix, sums)
    typical = n_cells / float((1.0 / count["item × system"][count["item × system"] > 0]).sum())
    degrees = [m - 1, n - 1, max(n_cells - n - m + 1, 1), n_runs - m, max(n_rows - n_cells - n_runs + m, 1)]
    expected = np.array(
        [
            [n * typical, 0, typical, n, 1],
            [0, m * typical, typical, 0, 1],
            [0, 0, typical, 0, 1],
            [0, 0, 0, n, 1],
            [0, 0, 0, 0, 1],
        ]
    )
    return Components(SOURCES, variance, np.array(degrees, dtype=np.float64), expected, float(n), typical)


def _squares(level: FloatArray, group: IntArray, count: IntArray) -> float:
    sums = np.bincount(group, weights=level, minlength=count.size)
    return float((sums[count > 0] ** 2 / count[count > 0]).sum())


def _per(count: IntArray, *, axis: int, sizes: IntArray) -> float:
    squares = (count.astype(np.float64) ** 2).sum(axis=axis)
    return float((squares[sizes > 0] / sizes[sizes > 0]).sum())


def _without_repeats(level: FloatArray, count: dict[str, IntArray], total: dict[str, float]) -> Components:
    """Two-way analysis without repeats: systems, items and the rest."""
    m, n, n_rows = count["system"].size, count["item"].size, float(level.size)
    of_cells = count["item × system"].reshape(m, n)
    overall = [float((count[name].astype(np.float64) ** 2).sum() / n_rows) for name in ("system", "item")]
    matrix = np.array(
        [
            [n_rows, overall[0], overall[1], 1.0],
            [n_rows, n_rows, _per(of_cells, axis=1, sizes=count["system"]), m],
            [n_rows, _per(of_cells, axis=0, sizes=count["item"]), n_rows, n],
            [n_rows, n_rows, n_rows, n_rows],
        ]
    )
    sums = np.array([level.sum() ** 2 / n_rows, total["system"], total["item"], float(level @ level)])
    variance = _separated(matrix, sums)
    degrees = np.array([m - 1, n - 1, max(n_rows - n - m + 1, 1)], dtype=np.float64)
    expected = np.array([[n, 0, 1], [0, m, 1], [0, 0, 1.0]])
    return Components(WITHOUT_REPEATS, variance, degrees, expected, float(n), 1.0)


def _separated(matrix: FloatArray, sums: FloatArray) -> FloatArray:
    """Solve for the variances, where the table has what separates them."""
    if np.linalg.matrix_rank(matrix) < len(matrix):
        raise NotEstimable(
            "The variances of systems, items and runs cannot be separated: too few of them were combined."
        )
    return np.asarray(np.linalg.solve(matrix, sums)[1:])


def component_draws(found: Components, n_draws: int, rng: np.random.Generator) -> FloatArray:
    r"""Draws of the variances from their generalized confidence distribution, shape (n_draws, k); none negative.

    Each mean square is divided by a draw of :math:`\chi^2_\nu / \nu`, and the expected mean squares are solved for the
    variances. Where numbers of runs differ, mean squares are those of a balanced table with the typical numbers.

    References
    ----------
    Weerahandi (1993), Generalized confidence intervals, J. American Statistical Association 88.
    """
    squares = np.maximum(found.expected @ found.variance, 0.0)
    drawn = squares * found.degrees / rng.chisquare(found.degrees, (n_draws, found.degrees.size))
    return np.asarray(np.maximum(np.linalg.solve(found.expected, drawn.T).T, 0.0))


def needed_for_half(variances: FloatArray, n_items: float, n_runs: float) -> tuple[FloatArray, FloatArray]:
    r"""Numbers of runs and of items that halve the interval of a difference of two systems; infinite where none does.

    The variance of a difference is :math:`2 (\sigma^2_c / n + \sigma^2_b / R + \sigma^2_e / (nR))`. A quarter of it is
    reached by more runs or by more items, the other number fixed.

    Parameters
    ----------
    variances : array, shape (..., 3)
        Interaction, run and residual.

    Examples
    --------
    >>> needed_for_half(np.array([0.0, 1.0, 0.0]), 100, 3)
    (array(12.), array(inf))
    """
    own, run, rest = (variances[..., i] for i in range(3))
    target = (own / n_items + run / n_runs + rest / (n_items * n_runs)) / 4
    with np.errstate(divide="ignore", invalid="ignore"):
        for_runs, for_items = target - own / n_items, target - run / n_runs
        runs = np.where(for_runs > 0, (run + rest / n_items) / for_runs, np.inf)
        items = np.where(for_items > 0, (own + rest / n_runs) / for_items, np.inf)
    return runs, items


def pass_at(right: IntArray, runs: IntArray, k: int) -> FloatArray:
    r"""Unbiased estimate of the chance that at least one of k runs is right.

    .. math:: \text{pass@}k = 1 - \binom{n - c}{k} \Big/ \binom{n}{k}

    Parameters
    ----------
    right, runs : array of int
        For each item, c right runs of n.
    k : int

    Returns
    -------
    array
        NaN where an item has fewer than k runs.

    References
    ----------
    Chen et al. (2021), Evaluating large language models trained on code, equation 1.

    Examples
    --------
    >>> pass_at(np.array([0, 1, 5]), np.array([5, 5, 5]), 2)
    array([0. , 0.4, 1. ])
    """
    return 1.0 - all_of(np.asarray(runs) - right, runs, k)


def all_of(right: IntArray, runs: IntArray, k: int) -> FloatArray:
    r"""Unbiased estimate of the chance that all of k runs are right, pass^k.

    .. math:: \text{pass}^\wedge k = \binom{c}{k} \Big/ \binom{n}{k} = \prod_{j=0}^{k-1} \frac{c - j}{n - j}

    References
    ----------
    Yao, Shinn, Razavi and Narasimhan (2024), τ-bench: a benchmark for tool-agent-user interaction in real-world
    domains.

    Examples
    --------
    >>> all_of(np.array([0, 3, 5]), np.array([5, 5, 5]), 2)
    array([0. , 0.3, 1. ])
    """
    right, runs = np.asarray(right, dtype=np.float64), np.asarray(runs, dtype=np.float64)
    chance = np.ones(np.broadcast(right, runs).shape)
    for j in range(k):
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = chance * np.maximum(right - j, 0.0) / (runs - j)
    return np.where(runs >= k, chance, np.nan)


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
