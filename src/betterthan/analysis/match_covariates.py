"""Bradley–Terry of matches with covariates held equal (style control): the fit, and its coefficients in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.kernels.covariates import bradley_terry_covariates, covariate_covariance
from betterthan.tables.matches import Matches


class Style(NamedTuple):
    """What the covariates do.

    Attributes
    ----------
    names : tuple of str
    coefficients, errors : array, shape (c,)
        Change of the log odds that left wins, for one standard deviation of each covariate.
    """

    names: tuple[str, ...]
    coefficients: FloatArray
    errors: FloatArray


def refuse_covariates(matches: Matches, by: str, *, ties: str, prior: float, interval: str) -> None:
    """Raise where covariates would be ignored, or are not known to work."""
    if matches.covariates is None:
        return
    if by != "bradley_terry":
        raise BetterThanError(f'{by} cannot hold covariates equal. Rank by="bradley_terry", or read none.')
    if ties == "davidson":
        raise BetterThanError('Covariates do not go with ties="davidson". Use ties="half" or "drop".')
    if prior:
        raise BetterThanError(
            "Covariates do not go with a prior. Leave out the prior, or read no covariates."
        )
    if interval == "percentile":
        raise BetterThanError('Covariates need interval="robust". Leave out "percentile".')


def fit_with_covariates(
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    weight: FloatArray,
    covariates: FloatArray,
    *,
    cluster: IntArray | None,
    n_systems: int,
    names: tuple[str, ...],
) -> tuple[FloatArray, FloatArray, Style]:
    r"""Return log strengths at equal covariates, their covariance, and what the covariates do.

    Covariates are divided by their standard deviation about 0, which does not change when the sides of a match are
    swapped; nothing is subtracted, because a constant would favour one side:

    .. math:: s_j = \sqrt{\sum_r w_r x_{rj}^2 / \sum_r w_r}
    """
    scale = np.sqrt(weight @ covariates**2 / weight.sum())
    # Dividing is only for reporting; a covariate that is always 0 is refused by the kernel.
    scaled = covariates / np.where(scale > 0, scale, 1.0)
    fit = bradley_terry_covariates(left, right, outcome, scaled, n_systems=n_systems, weight=weight)
    covariance = covariate_covariance(fit, left, right, outcome, scaled, weight=weight, cluster=cluster)
    errors = np.sqrt(np.diagonal(covariance)[n_systems:])
    style = Style(names=names, coefficients=fit.coefficients, errors=errors)
    return fit.log_strength, covariance[:n_systems, :n_systems], style


def style_notes(style: Style | None, critical: float, confidence: float) -> tuple[str, ...]:
    """Say what each covariate does to the odds.

    Examples
    --------
    >>> style = Style(("length",), np.array([0.31]), np.array([0.03]))
    >>> style_notes(style, 2.0, 0.95)
    ('length: log odds +0.31 per standard deviation (95 % +0.25 to +0.37).',)
    """
    if style is None:
        return ()
    low, high = style.coefficients - critical * style.errors, style.coefficients + critical * style.errors
    rows = zip(style.names, style.coefficients, low, high, strict=True)
    return tuple(
        f"{name}: log odds {b:+.3g} per standard deviation ({100 * confidence:g} % {a:+.3g} to {c:+.3g})."
        for name, b, a, c in rows
    )
