"""Covariance of Bradley–Terry strengths in closed form: model-based and robust.

A match has the design vector z = e_left − e_right (and covariates after it), the probability p that left wins, and
the score (outcome − p) z. With A = Σ p (1 − p) z zᵀ, the covariance is A⁻¹ if the model holds, and A⁻¹ B A⁻¹ in any
case, where B adds up the squared scores of matches, or of clusters of matches (a judge, a session).
Strengths are only determined up to a shift; everything here refers to log strengths with sum 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from betterthan.arrays import FloatArray, IntArray, numbered
from betterthan.errors import NotEstimable
from betterthan.kernels.comparisons.match_counts import laplacian, squares_of_clusters, squares_of_designs
from betterthan.kernels.comparisons.wins import check_prior
from betterthan.kernels.resampling.clustered import (
    MOST_CLUSTERS,
    ClusterTerm,
    FewClusters,
    ManyClusters,
    few_clusters,
    is_affordable,
    many_clusters,
)

_ALONE = 1e-9  # what is left of 1 − h where a match alone connects two systems


def model_covariance(wins: FloatArray, log_strength: FloatArray, *, prior: float = 0.0) -> FloatArray:
    r"""Covariance of the log strengths if matches are independent and the model holds.

    .. math:: A_{ij} = -n_{ij} p_{ij} p_{ji}, \qquad A_{ii} = \sum_j n_{ij} p_{ij} p_{ji}, \qquad
              \operatorname{cov}\hat\theta = A^{+}

    Parameters
    ----------
    wins : array, shape (m, m)
        Wins of the row over the column, ties shared out.
    log_strength : array, shape (m,)
        The fit to these wins.
    prior : float, default 0
        The one of the fit.

    Returns
    -------
    array, shape (m, m)
        Rows have sum 0.

    References
    ----------
    .. [1] Bradley (1955), Rank analysis of incomplete block designs III, Biometrika 42.

    Examples
    --------
    Two systems, 3 : 1. The variance of the log odds is 1/3 + 1/1, four times that of each centred half.

    >>> covariance = model_covariance(np.array([[0.0, 3], [1, 0]]), np.log([3.0, 1.0]) - np.log(3) / 2)
    >>> (4 * covariance).round(9)
    array([[ 1.33333333, -1.33333333],
           [-1.33333333,  1.33333333]])
    """
    ahead = log_strength[:, None] - log_strength[None, :]
    curvature = (wins + wins.T) * _variance(ahead)
    return _bread(laplacian(curvature), log_strength, prior)


def robust_covariance(
    log_strength: FloatArray,
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    weight: FloatArray | None = None,
    *,
    cluster: IntArray | None = None,
    prior: float = 0.0,
    small_sample: bool = True,
) -> FloatArray:
    r"""Covariance of the log strengths that is robust to misspecification of the model (sandwich).

    Right when ties count as half, when systems beat each other in circles, and, with `cluster`, when matches of
    one judge or session are correlated.

    .. math:: \operatorname{cov}\hat\theta = A^{+} B A^{+}, \qquad
              B = \sum_c s_c s_c^{\mathsf T}, \qquad s_c = \sum_{r \in c} w_r (y_r - p_r) z_r

    Parameters
    ----------
    log_strength : array, shape (m,)
        The fit to these matches.
    left, right : array of int, shape (t,)
    outcome : array, shape (t,)
        1 when left wins, ½ for a tie, 0 when right wins.
    weight : array, shape (t,), optional
        How often each row occurred, 1 by default. Equal rows may be added up beforehand (within a cluster, if
        there are clusters): the result is the same.
    cluster : array of int, shape (t,), optional
        Rows with the same number belong together; by default every match stands for itself.
    prior : float, default 0
        The one of the fit; fictive matches are not data and add nothing to B.
    small_sample : bool, default True
        Make up for each match having pulled the fit toward itself: divide its squared residual by 1 − h, with the
        leverage :math:`h = p (1 - p) z^{\mathsf T} A^{+} z` [3]_. Clusters are multiplied by g / (g − 1), with g their
        number; :func:`clustered_fit` does better.

    Returns
    -------
    array, shape (m, m)
        Rows have sum 0.

    Raises
    ------
    NotEstimable
        When the matches do not connect all systems, or all belong to one cluster.

    References
    ----------
    .. [1] White (1982), Maximum likelihood estimation of misspecified models, Econometrica 50.
    .. [2] Liang and Zeger (1986), Longitudinal data analysis using generalized linear models, Biometrika 73.
    .. [3] MacKinnon and White (1985), Some heteroskedasticity-consistent covariance matrix estimators with improved
       finite sample properties, Journal of Econometrics 29; HC2.

    Examples
    --------
    Two systems, 3 : 1, which always fit: the robust covariance is the model's.

    >>> rows = np.array([0, 0]), np.array([1, 1]), np.array([1.0, 0.0]), np.array([3.0, 1.0])
    >>> robust = robust_covariance(np.log([3.0, 1.0]) - np.log(3) / 2, *rows, small_sample=False)
    >>> (4 * robust).round(9)
    array([[ 1.33333333, -1.33333333],
           [-1.33333333,  1.33333333]])
    """
    weight = np.ones(len(left)) if weight is None else np.asarray(weight, dtype=np.float64)
    n_systems = log_strength.size
    ahead = log_strength[left] - log_strength[right]
    residual = outcome - _probability(ahead)
    information = squares_of_designs(weight * _variance(ahead), left, right, n_systems=n_systems)
    bread = _bread(information, log_strength, prior)
    if cluster is None:
        small_sample_factor(float(weight.sum()))  # refuses a single match
        leverage = _variance(ahead) * _variance_of_design(bread, left, right) if small_sample else 0.0
        square = weight * residual**2 / np.maximum(1 - leverage, _ALONE)
        return np.asarray(bread @ squares_of_designs(square, left, right, n_systems=n_systems) @ bread)
    middle = squares_of_clusters(weight * residual, left, right, cluster, n_systems=n_systems)
    n_clusters = float(numbered(cluster[weight > 0])[1])
    covariance: FloatArray = bread @ middle @ bread
    return covariance * small_sample_factor(n_clusters) if small_sample else covariance


def clustered_fit(
    log_strength: FloatArray,
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    weight: FloatArray,
    cluster: IntArray,
    *,
    prior: float = 0.0,
) -> FewClusters | ManyClusters:
    """Covariance and degrees of freedom of log strengths that hold with few clusters, or with uneven ones.

    The bias-reduced covariance of :mod:`betterthan.kernels.resampling.clustered`, of the likelihood as Newton's last
    step sees it: least squares with weights p (1 − p).

    Parameters
    ----------
    log_strength, left, right, outcome, weight, cluster, prior
        As in :func:`robust_covariance`.

    Returns
    -------
    FewClusters or ManyClusters
        The latter, an approximation, where the former would take long: above 5,000 clusters, or some hundreds that each
        saw a hundred systems.

    Raises
    ------
    NotEstimable
        When the matches do not connect all systems, or all belong to one cluster.

    Examples
    --------
    Two judges, two systems: one degree of freedom.

    >>> rows = np.array([0, 0, 0, 0]), np.array([1, 1, 1, 1]), np.array([1.0, 0, 1, 0]), np.array([3.0, 1, 1, 3])
    >>> found = clustered_fit(np.zeros(2), *rows, np.array([0, 0, 1, 1]))
    >>> found.degrees_of_pairs(2).round(9)
    array([[nan,  1.],
           [ 1., nan]])
    """
    ahead = log_strength[left] - log_strength[right]
    curvature, residual = weight * _variance(ahead), weight * (outcome - _probability(ahead))
    information = squares_of_designs(curvature, left, right, n_systems=log_strength.size)
    bread = _bread(information, log_strength, prior)
    return clustered_rows(bread, curvature, residual, left, right, cluster)


def clustered_rows(
    bread: FloatArray,
    curvature: FloatArray,
    residual: FloatArray,
    left: IntArray,
    right: IntArray,
    cluster: IntArray,
    covariates: FloatArray | None = None,
) -> FewClusters | ManyClusters:
    """Return what :func:`clustered_fit` does, from the inverse information and the rows of any fit of matches.

    Parameters
    ----------
    bread : array, shape (m + k, m + k)
    curvature, residual : array, shape (t,)
        weight · p (1 − p), and weight · (outcome − p).
    left, right, cluster : array of int, shape (t,)
    covariates : array, shape (t, k), optional
    """
    used = curvature > 0
    left, right, curvature, residual = left[used], right[used], curvature[used], residual[used]
    number, n_clusters = numbered(cluster[used])
    width = len(bread)
    small_sample_factor(n_clusters)  # refuses a single cluster
    extra = np.zeros((left.size, 0)) if covariates is None else covariates[used]
    n_systems = width - extra.shape[1]
    if n_clusters <= MOST_CLUSTERS:
        order, rows = _by_cluster(number, left, right, n_clusters, n_systems, alone=extra.shape[1] > 0)
        if is_affordable(rows, width):
            blocks = _blocks(curvature, residual, left, right, extra, order, rows, n_systems)
            return few_clusters(bread, blocks)
    columns = [left, right, *(np.full(left.size, n_systems + i) for i in range(extra.shape[1]))]
    amounts = [curvature, curvature, *(curvature * column**2 for column in extra.T)]
    scores = [residual, -residual, *(residual * column for column in extra.T)]
    return many_clusters(
        np.tile(number, len(columns)),
        np.concatenate(columns),
        np.concatenate(amounts),
        np.concatenate(scores),
        n_parameters=width,
        bread=bread,
    )


def _by_cluster(
    number: IntArray, left: IntArray, right: IntArray, n_clusters: int, n_systems: int, *, alone: bool
) -> tuple[IntArray, IntArray]:
    """Return the place of each row among the design rows of all clusters, and how many of these each cluster has.

    Matches of the same two systems share a row, unless each stands alone because it has covariates.
    """
    if alone:
        order = np.argsort(number, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        return place, np.bincount(number, minlength=n_clusters)
    pair = np.minimum(left, right) * n_systems + np.maximum(left, right)
    code, n_cells = number * n_systems**2 + pair, n_clusters * n_systems**2
    if n_cells <= 4 * code.size:
        cells = np.flatnonzero(np.bincount(code, minlength=n_cells))
        place = np.zeros(n_cells, dtype=np.int64)
        place[cells] = np.arange(cells.size)
        place = place[code]
    else:
        cells, place = np.unique(code, return_inverse=True)
    return place.reshape(-1), np.bincount(cells // n_systems**2, minlength=n_clusters)


def _blocks(
    curvature: FloatArray,
    residual: FloatArray,
    left: IntArray,
    right: IntArray,
    extra: FloatArray,
    place: IntArray,
    rows: IntArray,
    n_systems: int,
) -> Iterator[ClusterTerm]:
    """Design and score of each cluster in turn."""
    total, n_extra = int(rows.sum()), extra.shape[1]
    root = np.sqrt(np.bincount(place, curvature, total))
    rest = np.bincount(place, np.where(left < right, residual, -residual), total)
    first, second = np.empty((2, total), dtype=np.int64)
    first[place], second[place] = np.minimum(left, right), np.maximum(left, right)
    values = np.empty((total, n_extra))
    values[place] = np.where(left < right, 1.0, -1.0)[:, None] * extra
    end = 0
    for size in rows.tolist():
        begin, end = end, end + size
        here, line = slice(begin, end), np.arange(size)
        design = np.zeros((size, n_systems + n_extra))
        design[line, first[here]], design[line, second[here]] = 1.0, -1.0
        design[:, n_systems:] = values[here]
        yield ClusterTerm(design * root[here, None], np.asarray(rest[here] @ design, dtype=np.float64))


def difference_errors(covariance: FloatArray) -> FloatArray:
    r"""Standard errors of all differences of log strengths.

    .. math:: \operatorname{se}(\hat\theta_i - \hat\theta_j) = \sqrt{C_{ii} + C_{jj} - 2 C_{ij}}

    Parameters
    ----------
    covariance : array, shape (m, m)

    Returns
    -------
    array, shape (m, m)

    Examples
    --------
    >>> difference_errors(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    array([[0., 2.],
           [2., 0.]])
    """
    variance = np.diagonal(covariance)
    return np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0))


def centred_inverse(information: FloatArray) -> FloatArray:
    """Pseudo-inverse of a symmetric matrix whose rows have sum 0: variances under "sum 0".

    Raises
    ------
    NotEstimable
        When more than the shift is undetermined.

    Examples
    --------
    >>> centred_inverse(np.array([[2.0, -2.0], [-2.0, 2.0]]))
    array([[ 0.125, -0.125],
           [-0.125,  0.125]])
    """
    n_systems = len(information)
    try:
        inverse = np.linalg.inv(information + np.trace(information) / n_systems**2)
    except np.linalg.LinAlgError:
        raise NotEstimable("The matches do not connect all systems, so errors do not exist.") from None
    return _centred(inverse)


def with_sum_zero(information: FloatArray, n_systems: int) -> FloatArray:
    """Add a constant to the cells of systems, which picks the log strengths with sum 0; other parameters follow them.

    Examples
    --------
    >>> with_sum_zero(np.array([[2.0, -2.0, 1.0], [-2.0, 2.0, -1.0], [1.0, -1.0, 3.0]]), 2)
    array([[ 3., -1.,  1.],
           [-1.,  3., -1.],
           [ 1., -1.,  3.]])
    """
    fixed = information.copy()
    fixed[:n_systems, :n_systems] += np.trace(information[:n_systems, :n_systems]) / n_systems**2
    return fixed


def inverse_with_others(information: FloatArray, n_systems: int) -> FloatArray:
    """Inverse information of log strengths under "sum 0", and of other parameters after them.

    Examples
    --------
    >>> inverse_with_others(np.diag([0.0, 0, 4]) + np.pad(np.array([[2.0, -2], [-2, 2]]), (0, 1)), 2)
    array([[ 0.125, -0.125,  0.   ],
           [-0.125,  0.125,  0.   ],
           [ 0.   ,  0.   ,  0.25 ]])
    """
    inverse = np.linalg.inv(with_sum_zero(information, n_systems))
    inverse[:n_systems] -= inverse[:n_systems].mean(axis=0)
    inverse[:, :n_systems] -= inverse[:, :n_systems].mean(axis=1, keepdims=True)
    return np.asarray((inverse + inverse.T) / 2)


def small_sample_factor(n_clusters: float) -> float:
    """Return g / (g − 1).

    Examples
    --------
    >>> small_sample_factor(5)
    1.25
    """
    if n_clusters <= 1:
        raise NotEstimable(
            "All matches belong to one cluster, so errors do not exist. Two or more are needed."
        )
    return n_clusters / (n_clusters - 1)


def _variance_of_design(covariance: FloatArray, left: IntArray, right: IntArray) -> FloatArray:
    """Return zᵀ C z with z = e_left − e_right for each row."""
    variance = np.diagonal(covariance)
    return np.asarray(variance[left] + variance[right] - 2 * covariance[left, right])


def _bread(information: FloatArray, log_strength: FloatArray, prior: float) -> FloatArray:
    """Return the inverse information under "sum 0", with the fictive matches of `prior`."""
    check_prior(prior)
    if not prior:
        return centred_inverse(information)
    fictive = 2 * prior * _variance(log_strength - _fictive(log_strength))
    widened = np.pad(information + np.diag(fictive), (0, 1))
    widened[-1, :-1] = widened[:-1, -1] = -fictive
    widened[-1, -1] = fictive.sum()
    return _centred(centred_inverse(widened)[:-1, :-1])


def _fictive(log_strength: FloatArray) -> float:
    """Return the log strength x of the fictive system: Σ P(i beats x) = m / 2, by bisection."""
    low, high = float(log_strength.min()), float(log_strength.max())
    for _ in range(60):
        middle = (low + high) / 2
        too_low = np.tanh((log_strength - middle) / 2).sum() > 0
        low, high = (middle, high) if too_low else (low, middle)
    return (low + high) / 2


def _centred(matrix: FloatArray) -> FloatArray:
    rows = matrix - matrix.mean(axis=0)
    centred: FloatArray = rows - rows.mean(axis=1, keepdims=True)
    return (centred + centred.T) / 2


def _probability(ahead: FloatArray) -> FloatArray:
    probability: FloatArray = np.exp(-np.logaddexp(0, -ahead))
    return probability


def _variance(ahead: FloatArray) -> FloatArray:
    """Return p (1 − p), exact also when p is near 1."""
    odds = np.exp(-np.abs(ahead))
    variance: FloatArray = odds / (1 + odds) ** 2
    return variance
