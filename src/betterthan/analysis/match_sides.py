"""Does the side matter? A test of position bias in matches, the strengths of the systems held equal."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from betterthan.analysis.match_units import crossed
from betterthan.analysis.matches import MatchFit, Rows, critical_values, rows_of, upper_tail
from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.clustered import many_clusters
from betterthan.kernels.designs import signed_sums, squares_of_designs
from betterthan.tables.matches import Matches

_BOTH_WAYS = 0.05  # of the matches at least must have stood the other way round as well


def side_note(matches: Matches, fit: MatchFit, confidence: float) -> tuple[str, ...]:
    r"""Say whether standing left helps: the odds ratio of doing so, its interval and p-value.

    The model gains a parameter, :math:`\operatorname{logit} P(\text{left wins}) = \theta_l - \theta_r + \delta`. With
    the residuals and weights of the fit without it, and :math:`x^*` what is left of the constant 1 when the systems
    have explained what they can,

    .. math:: \hat\delta = \frac{\sum_r w_r (y_r - p_r)}{\sum_r w_r p_r (1 - p_r) x_r^{*2}},

    one step of Newton's method; its error is clustered as all others are. Nothing is said where sides mean nothing: no
    system ever won from the right, or hardly any two met both ways round.
    """
    rows = rows_of(matches, fit.ties)
    if matches.covariates is not None or not _sides_mean_something(rows, matches.n_systems):
        return ()
    ahead = fit.log_strength[rows.left] - fit.log_strength[rows.right]
    chance = expit(ahead)
    curvature, residual = rows.weight * chance * (1 - chance), rows.weight * (rows.outcome - chance)
    pull = signed_sums(curvature[:, None], rows.left, rows.right, n_systems=matches.n_systems)[:, 0]
    own = squares_of_designs(curvature, rows.left, rows.right, n_systems=matches.n_systems)
    slope = np.linalg.pinv(own, hermitian=True) @ pull
    free = 1 - (slope[rows.left] - slope[rows.right])
    information, score = curvature * free**2, residual * free
    if information.sum() <= 0:
        return ()
    step = score.sum() / information.sum()
    error, degrees = _error(rows, information, score, step)
    if not error > 0:
        return ()
    p = float(2 * upper_tail(np.array(abs(step) / error), np.array(degrees)))
    reach = float(critical_values(confidence, np.array(degrees))) * error
    won = np.array([rows.weight[rows.outcome == end].sum() for end in (1.0, 0.0)])
    if np.isnan(p):
        return ()
    verdict = "the side matters" if p <= 1 - confidence else "no sign that the side matters"
    low, middle, high = np.exp(np.clip([step - reach, step, step + reach], -300, 300))
    text = (
        f"Position: left won {won[0]:,.10g} of {won.sum():,.10g} decided matches; standing left multiplies the odds by "
        f"{middle:.3g} ({100 * confidence:g}% {low:.3g} to {high:.3g}), p = {p:.2g}: {verdict}."
    )
    return (text,)


def _sides_mean_something(rows: Rows, n_systems: int) -> bool:
    if not ((rows.outcome == 1).any() and (rows.outcome == 0).any()):
        return False
    met = np.bincount(rows.left * n_systems + rows.right, rows.weight, n_systems**2).reshape(
        n_systems, n_systems
    )
    return bool(np.minimum(met, met.T).sum() >= 2 * _BOTH_WAYS * met.sum())


def _error(rows: Rows, information: FloatArray, score: FloatArray, step: float) -> tuple[float, float]:
    """Standard error of the step and its degrees of freedom, by the clusters of the rows; the residuals are its own."""
    rest = score - step * information
    if not rows.units:
        with np.errstate(divide="ignore", invalid="ignore"):
            square = np.where(rows.weight > 0, rest**2 / rows.weight, 0.0).sum()
        return float(np.sqrt(square) / information.sum()), np.inf

    def by(code: IntArray) -> tuple[float, float]:
        number = np.unique(code, return_inverse=True)[1].reshape(-1)
        found = many_clusters(number, np.zeros_like(number), information, rest, n_parameters=1)
        return float(found.covariance[0, 0]), float(found.degrees(np.ones((1, 1)))[0])

    ways = [by(unit.code) for unit in rows.units]
    variance = ways[0][0]
    if len(ways) == 2:
        both, _ = by(crossed(rows.units))
        variance = max(ways[0][0], ways[1][0], ways[0][0] + ways[1][0] - both)
    return float(np.sqrt(variance)), min(degrees for _, degrees in ways)
