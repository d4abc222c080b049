"""Comparison of systems from matches: Bradley–Terry differences with robust standard errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from betterthan.analysis.matches.match_covariates import style_notes
from betterthan.analysis.matches.match_units import match_units, thin_note, units_of_matches
from betterthan.analysis.matches.matches import (
    MatchFit,
    TiesModel,
    added_up,
    critical_values,
    fit_matches,
    side_note,
    upper_tail,
)
from betterthan.analysis.pairs.pairwise import PairFindings, PairOptions, pairwise_table
from betterthan.kernels.comparisons.wins import WinCounts
from betterthan.kernels.significance.pvalues import pairwise_pvalues
from betterthan.results.pairwise import WIN_PROBABILITY, PairwiseTable
from betterthan.tables.checks import at, positions
from betterthan.tables.matches import Matches


def compare_matches(
    matches: Matches,
    ties: TiesModel,
    options: PairOptions,
    *,
    prior: float = 0.0,
    systems: Sequence[str] | None = None,
    fit: MatchFit | None = None,
    digest: str | None = None,
) -> PairwiseTable:
    r"""Wald tests of all differences of log strengths.

    .. math:: z_{ab} = \frac{\theta_a - \theta_b}{\sqrt{v_{aa} + v_{bb} - 2 v_{ab}}}

    with the sandwich covariance v. When the matches have groups, or segments that occur in several rows, v is clustered
    by these and z is compared with Student's t with the degrees of freedom of each pair
    (:mod:`betterthan.kernels.resampling.clustered`). Strengths are those at equal covariates. The model is fitted to
    all matches (unless `fit` and `digest` are passed), then these `systems` are compared.
    """
    chosen = positions(systems, matches.systems, what="system")
    square = np.ix_(chosen, chosen)
    sides: tuple[str, ...] = ()
    if fit is None:  # the ranking that made the fit has these notes already
        summed = added_up(matches)
        fit = fit_matches(summed, ties=ties, prior=prior)
        sides = side_note(summed, fit, options.confidence)
    strength = fit.log_strength[chosen]
    difference = strength[:, None] - strength[None, :]
    error, degrees = fit.pair_errors[square], fit.pair_degrees[square]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error > 0, difference / error, 0.0)
    width = critical_values(options.confidence_of_one(len(chosen)), degrees) * error
    named = at(chosen, matches.systems)
    counts = WinCounts(fit.counts.wins[square], fit.counts.ties[square])
    return pairwise_table(
        PairFindings(
            systems=named,
            goodness=strength,
            test="wald",
            effect_name=WIN_PROBABILITY,
            tie_policy=fit.ties,
            size_name="log odds",
            effect=expit(difference),
            low=expit(difference - width),
            high=expit(difference + width),
            size=difference,
            wins=counts.wins,
            ties=counts.ties,
            pvalue=pairwise_pvalues(upper_tail(z, degrees), alternative=options.alternative),
            data=matches.digest if digest is None else digest,
            options={
                "matches": round(matches.n_matches),
                "ties": fit.ties,
                "prior": prior or None,
                "covariates": ",".join(matches.covariate_names) or None,
                "se": "clustered" if fit.clusterings else "model" if prior else "robust",
            },
            notes=(
                *fit.notes,
                *style_notes(fit.style, options.confidence),
                *sides,
                *thin_note(named, degrees, units_of_matches(matches), matches),
            ),
            **match_units(matches),
        ),
        options,
    )
