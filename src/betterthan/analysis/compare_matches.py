"""Compare systems that met in matches: Bradley–Terry differences with robust errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, ndtr, stdtr

from betterthan.analysis.match_covariates import style_notes
from betterthan.analysis.matches import MatchFit, TiesModel, critical_value, fit_matches
from betterthan.analysis.pairwise import Decision, Findings, pairwise_table
from betterthan.kernels.pvalues import pairwise_pvalues
from betterthan.kernels.sandwich import difference_errors
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.checks import at, positions
from betterthan.tables.matches import Matches


def compare_matches(
    matches: Matches,
    ties: TiesModel,
    decision: Decision,
    *,
    prior: float = 0.0,
    systems: Sequence[str] | None = None,
    fit: MatchFit | None = None,
) -> PairwiseTable:
    r"""Wald tests of all differences of log strengths.

    .. math:: z_{ab} = \frac{\theta_a - \theta_b}{\sqrt{v_{aa} + v_{bb} - 2 v_{ab}}}

    with the sandwich covariance v. When the matches have groups, v is clustered by judge or session and z is
    referred to Student's t (:func:`betterthan.analysis.matches.degrees_of_freedom`). Covariates are held equal. All
    matches are fitted (a `fit` made before is not made again), and then these `systems` are compared.
    """
    chosen = positions(systems, matches.systems, what="system")
    square = np.ix_(chosen, chosen)
    fit = fit or fit_matches(matches, ties=ties, prior=prior)
    strength = fit.log_strength[chosen]
    difference = strength[:, None] - strength[None, :]
    error = difference_errors(fit.covariance[square])
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error > 0, difference / error, 0.0)
    critical = critical_value(decision.confidence, fit.degrees)
    width = critical * error
    upper = ndtr(-z) if np.isinf(fit.degrees) else stdtr(fit.degrees, -z)
    clustered = matches.group is not None
    return pairwise_table(
        Findings(
            systems=at(chosen, matches.systems),
            goodness=strength,
            test="wald",
            effect_name="P(row beats column)",
            size_name="log odds",
            effect=expit(difference),
            low=expit(difference - width),
            high=expit(difference + width),
            size=difference,
            wins=fit.counts.wins[square],
            ties=fit.counts.ties[square],
            pvalue=pairwise_pvalues(upper, alternative=decision.alternative),
            data=matches.digest,
            options={
                "matches": round(matches.n_matches),
                "ties": fit.ties,
                "prior": prior or None,
                "covariates": ",".join(matches.covariate_names) or None,
                "se": "clustered" if clustered else "model" if prior else "robust",
            },
            notes=(*fit.notes, *style_notes(fit.style, critical, decision.confidence)),
        ),
        decision,
    )
