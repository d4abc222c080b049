"""Compare systems that met in matches: Bradley–Terry differences with robust errors."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr, ndtri

from betterthan.analysis.matches import TiesModel, fit_matches
from betterthan.analysis.pairwise import Decision, Findings, pairwise_table
from betterthan.kernels.pvalues import pairwise_pvalues
from betterthan.kernels.sandwich import difference_errors
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.matches import Matches


def compare_matches(
    matches: Matches, ties: TiesModel, decision: Decision, *, prior: float = 0.0
) -> PairwiseTable:
    r"""Wald tests of all differences of log strengths.

    .. math:: z_{ab} = \frac{\theta_a - \theta_b}{\sqrt{v_{aa} + v_{bb} - 2 v_{ab}}}

    with the sandwich covariance v, clustered by judge or session when the matches have groups.
    """
    fit = fit_matches(matches, ties=ties, prior=prior)
    difference = fit.log_strength[:, None] - fit.log_strength[None, :]
    error = difference_errors(fit.covariance)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error > 0, difference / error, 0.0)
    width = -ndtri((1 - decision.confidence) / 2) * error
    clustered = matches.group is not None
    return pairwise_table(
        Findings(
            systems=matches.systems,
            goodness=fit.log_strength,
            test="wald",
            effect_name="P(row beats column)",
            size_name="log odds",
            effect=expit(difference),
            low=expit(difference - width),
            high=expit(difference + width),
            size=difference,
            wins=fit.counts.wins,
            ties=fit.counts.ties,
            pvalue=pairwise_pvalues(ndtr(-z), alternative=decision.alternative),
            data=matches.digest,
            options={
                "matches": round(matches.n_matches),
                "ties": fit.ties,
                "prior": prior or None,
                "se": "clustered" if clustered else "model" if prior else "robust",
            },
            notes=fit.notes,
        ),
        decision,
    )
