r"""Variance components of repeated runs: systems, items, their interaction, runs and the rest.

.. math:: y_{sir} = \mu + s_s + a_i + c_{si} + b_{sr} + e_{sir}
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray

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
    variance = np.linalg.solve(matrix, sums)[1:]
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
    variance = np.linalg.solve(matrix, sums)[1:]
    degrees = np.array([m - 1, n - 1, max(n_rows - n - m + 1, 1)], dtype=np.float64)
    expected = np.array([[n, 0, 1], [0, m, 1], [0, 0, 1.0]])
    return Components(WITHOUT_REPEATS, variance, degrees, expected, float(n), 1.0)


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
