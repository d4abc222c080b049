"""Bradley–Terry with covariates of a match, such as the difference in length (style control)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, NotConverged, NotEstimable
from betterthan.kernels.comparisons.bradley_terry import damping, newton_steps
from betterthan.kernels.comparisons.connectivity import is_connected
from betterthan.kernels.comparisons.match_counts import (
    match_counts,
    signed_sums,
    squares_of_clusters,
    squares_of_designs,
)
from betterthan.kernels.comparisons.sandwich import (
    clustered_rows,
    inverse_with_others,
    small_sample_factor,
    with_sum_zero,
)
from betterthan.kernels.comparisons.wins import with_ties
from betterthan.kernels.resampling.clustered import FewClusters, ManyClusters

_SINGULAR = 1e-11


class CovariateFit(NamedTuple):
    """Strengths at equal covariates.

    Attributes
    ----------
    log_strength : array, shape (m,)
        Natural logarithms, with sum 0.
    coefficients : array, shape (k,)
        Change in the log odds that left wins, for one unit of each covariate.
    iterations : int
    last_change : float
        The largest change of the log odds of a match in the last iteration.
    """

    log_strength: FloatArray
    coefficients: FloatArray
    iterations: int
    last_change: float


def bradley_terry_covariates(
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    covariates: FloatArray,
    *,
    n_systems: int,
    weight: FloatArray | None = None,
    tolerance: float = 1e-12,
    max_iterations: int = 100,
) -> CovariateFit:
    r"""Maximum-likelihood strengths and coefficients.

    .. math:: \operatorname{logit} P(\text{left wins}) = \theta_{\text{left}} - \theta_{\text{right}}
              + x^{\mathsf T} \beta

    Parameters
    ----------
    left, right : array of int, shape (t,)
    outcome : array, shape (t,)
        1 when left wins, ½ for a tie, which counts as half a win for both, 0 when right wins.
    covariates : array, shape (t, k)
        Of the match, with the sign that favors left: usually left's value less right's. A column of ones is the
        advantage of the left position.
    n_systems : int
        m.
    weight : array, shape (t,), optional
        How often each row occurred; 1 by default.
    tolerance : float, default 1e-12
        On the change of any match's log odds.
    max_iterations : int, default 100

    Returns
    -------
    CovariateFit

    Raises
    ------
    NotEstimable
        When wins do not connect all systems, or covariates repeat each other or the systems.
    NotConverged
        After `max_iterations`; a sign that covariates predict the outcome without fault.

    Notes
    -----
    Newton's method with damping; each iteration costs
    t (k² + k) + (m + k)³ operations.

    References
    ----------
    .. [1] Agresti (2013), Categorical data analysis, 3rd edition; section 11.6.

    Examples
    --------
    The left system wins more often than not, whichever it is:

    >>> left, right = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    >>> fit = bradley_terry_covariates(
    ...     left, right, np.array([1.0, 0, 1, 0]), np.ones((4, 1)), n_systems=2, weight=np.array([3.0, 1, 3, 1])
    ... )
    >>> np.exp(fit.coefficients).round(9), np.abs(fit.log_strength).round(9)
    (array([3.]), array([0., 0.]))
    """
    matches = _CovariateRows.checked(left, right, outcome, covariates, weight, n_systems)
    scale = _scales(matches)
    scaled = matches._replace(covariates=matches.covariates / scale)
    parameters, iterations, last_change = _newton(scaled, tolerance, max_iterations)
    theta = parameters[:n_systems] - parameters[:n_systems].mean()
    return CovariateFit(theta, parameters[n_systems:] / scale, iterations, last_change)


def covariate_covariance(
    fit: CovariateFit,
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    covariates: FloatArray,
    *,
    weight: FloatArray | None = None,
    robust: bool = True,
    cluster: IntArray | None = None,
    small_sample: bool = True,
) -> FloatArray:
    """Covariance of log strengths (first m) and coefficients (last k).

    Parameters
    ----------
    fit : CovariateFit
        To these matches.
    left, right, outcome, covariates, weight
        As in :func:`bradley_terry_covariates`.
    robust : bool, default True
        The sandwich; otherwise the inverse information, which trusts the model.
    cluster, small_sample
        As in :func:`betterthan.kernels.comparisons.sandwich.robust_covariance`; for the sandwich.

    Returns
    -------
    array, shape (m + k, m + k)

    Examples
    --------
    >>> rows = np.array([0, 1]), np.array([1, 0]), np.array([0.5, 0.5]), np.ones((2, 1))
    >>> fit = CovariateFit(np.zeros(2), np.zeros(1), 0, 0.0)
    >>> covariate_covariance(fit, *rows, robust=False)
    array([[ 0.5, -0.5,  0. ],
           [-0.5,  0.5,  0. ],
           [ 0. ,  0. ,  2. ]])
    """
    n_systems = fit.log_strength.size
    matches = _CovariateRows.checked(left, right, outcome, covariates, weight, n_systems)
    probability = _probability(matches, np.append(fit.log_strength, fit.coefficients))
    bread = inverse_with_others(matches.squares(matches.weight * probability * (1 - probability)), n_systems)
    if not robust:
        return bread
    residual = matches.outcome - probability
    if cluster is None:
        middle, n_clusters = matches.squares(matches.weight * residual**2), float(matches.weight.sum())
    else:
        middle = squares_of_clusters(
            matches.weight * residual, left, right, cluster, matches.covariates, n_systems=n_systems
        )
        n_clusters = float(np.unique(cluster[matches.weight > 0]).size)
    covariance: FloatArray = bread @ middle @ bread
    return covariance * small_sample_factor(n_clusters) if small_sample else covariance


def clustered_covariate_fit(
    fit: CovariateFit,
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    covariates: FloatArray,
    *,
    cluster: IntArray,
    weight: FloatArray | None = None,
) -> FewClusters | ManyClusters:
    """Covariance and degrees of freedom that hold with few clusters; log strengths first, then coefficients.

    Parameters
    ----------
    fit, left, right, outcome, covariates, weight
        As in :func:`covariate_covariance`.
    cluster : array of int, shape (t,)

    Returns
    -------
    FewClusters or ManyClusters
        As :func:`betterthan.kernels.comparisons.sandwich.clustered_fit` does.
    """
    n_systems = fit.log_strength.size
    matches = _CovariateRows.checked(left, right, outcome, covariates, weight, n_systems)
    probability = _probability(matches, np.append(fit.log_strength, fit.coefficients))
    curvature = matches.weight * probability * (1 - probability)
    bread = inverse_with_others(matches.squares(curvature), n_systems)
    residual = matches.weight * (matches.outcome - probability)
    return clustered_rows(bread, curvature, residual, left, right, cluster, matches.covariates)


class _CovariateRows(NamedTuple):
    """Matches that fit together."""

    left: IntArray
    right: IntArray
    outcome: FloatArray
    covariates: FloatArray
    weight: FloatArray
    n_systems: int

    @classmethod
    def checked(
        cls,
        left: IntArray,
        right: IntArray,
        outcome: FloatArray,
        covariates: FloatArray,
        weight: FloatArray | None,
        n_systems: int,
    ) -> _CovariateRows:
        covariates = np.asarray(covariates, dtype=np.float64)
        if covariates.ndim != 2 or len(covariates) != len(left):
            raise BetterThanError(
                f"covariates must be matches × covariates with {len(left)} rows; the shape is {covariates.shape}."
            )
        if not np.isfinite(covariates).all():
            raise BetterThanError("covariates must be finite numbers. Leave out matches without them.")
        weight = np.ones(len(left)) if weight is None else np.asarray(weight, dtype=np.float64)
        return cls(left, right, np.asarray(outcome, dtype=np.float64), covariates, weight, n_systems)

    def squares(self, value: FloatArray) -> FloatArray:
        """Add up value · z zᵀ."""
        return squares_of_designs(value, self.left, self.right, self.covariates, n_systems=self.n_systems)

    def design_times(self, parameters: FloatArray) -> FloatArray:
        """Return zᵀ parameters for each row."""
        theta, beta = parameters[: self.n_systems], parameters[self.n_systems :]
        products: FloatArray = theta[self.left] - theta[self.right] + self.covariates @ beta
        return products

    def design_sums(self, value: FloatArray) -> FloatArray:
        """Add up value · z."""
        systems = signed_sums(value[:, None], self.left, self.right, n_systems=self.n_systems)
        return np.append(systems[:, 0], value @ self.covariates)


def _scales(matches: _CovariateRows) -> FloatArray:
    """Return the size of each covariate; raise when covariates are collinear."""
    counts = match_counts(
        matches.left, matches.right, matches.outcome, matches.weight, n_systems=matches.n_systems
    )
    if not is_connected(with_ties(counts.wins, counts.ties, "half")):
        raise NotEstimable(
            "Strengths do not exist here: some systems never beat any of the others. Leave them out."
        )
    squares = with_sum_zero(matches.squares(matches.weight), matches.n_systems)
    size = np.sqrt(np.diagonal(squares))
    smallest = np.linalg.eigvalsh(squares / np.outer(size, size))[0] if size.all() else 0.0
    if smallest < _SINGULAR:
        raise NotEstimable(
            "The covariates repeat each other, are always 0, or only say which systems met; leave some out."
        )
    scale: FloatArray = size[matches.n_systems :] / np.sqrt(matches.weight.sum())
    return scale


def _newton(matches: _CovariateRows, tolerance: float, max_iterations: int) -> tuple[FloatArray, int, float]:
    parameters = np.zeros(matches.n_systems + matches.covariates.shape[1])
    change, iteration = np.inf, 0
    for iteration in range(1, max_iterations + 1):
        probability = _probability(matches, parameters)
        score = matches.design_sums(matches.weight * (matches.outcome - probability))
        information = matches.squares(matches.weight * probability * (1 - probability))
        step = newton_steps(with_sum_zero(information, matches.n_systems)[None], score[None])[0]
        change = float(np.abs(matches.design_times(step)[matches.weight > 0]).max())
        if np.isnan(change):
            break
        parameters += step * damping(change)
        if change <= tolerance * max(1.0, float(np.abs(parameters).max())):
            return parameters, iteration, change
    raise NotConverged(
        f"The strengths still changed by {change:.1e} after {iteration} iterations. "
        f"If covariates foretell every outcome, leave some out.",
        iterations=iteration,
        last_change=change,
    )


def _probability(matches: _CovariateRows, parameters: FloatArray) -> FloatArray:
    probability: FloatArray = np.exp(-np.logaddexp(0, -matches.design_times(parameters)))
    return probability
