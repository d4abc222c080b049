"""Comparison of systems from matches: Bradley–Terry differences with robust standard errors, and ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import expit

from betterthan.analysis.matches.match_units import (
    match_unit_note,
    match_units,
    style_notes,
    thin_note,
    units_of_matches,
)
from betterthan.analysis.matches.matches import (
    MatchFit,
    TiesModel,
    added_up,
    critical_values,
    fit_matches,
    side_effect,
    side_note,
    upper_tail,
)
from betterthan.analysis.pairs.pairwise import PairFindings, PairOptions, pairwise_table
from betterthan.analysis.strengths.rated_matches import rating_units
from betterthan.analysis.strengths.strength_test import ComparedTable, rating_findings
from betterthan.analysis.strengths.strengths import Estimated
from betterthan.arrays import IntArray
from betterthan.kernels.comparisons.connectivity import connectivity
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
        sides = side_note(side_effect(summed, fit, options.confidence), options.confidence)
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


def compare_ratings(
    matches: Matches,
    found: Estimated,
    options: PairOptions,
    *,
    order: str = "shuffled",
    systems: Sequence[str] | None = None,
    digest: str | None = None,
    seed: int | None = None,
) -> PairwiseTable:
    """Tests of all differences of Elo or TrueSkill ratings of matches, from the joint distribution of the ratings.

    The effect is the probability of winning that the ratings imply. Ratings are those of all matches, then these
    `systems` are compared.
    """
    chosen = positions(systems, matches.systems, what="system")
    square = np.ix_(chosen, chosen)
    units = rating_units(matches, order)
    table = ComparedTable(
        systems=at(chosen, matches.systems),
        counts=WinCounts(np.asarray(matches.wins())[square], np.asarray(matches.ties())[square]),
        data=matches.digest if digest is None else digest,
        n_segments=None,
        notes=matches.notes,
        units="clusters" if units else "matches",
        n_units=found.n_units,
    )
    part = found._replace(
        strength=found.strength[chosen],
        draws=found.draws[:, chosen],
        sigma=None if found.sigma is None else found.sigma[chosen],
        joint=None if found.joint is None else found.joint.of(np.asarray(chosen)),
    )
    findings = rating_findings(table, part, options)
    note = match_unit_note(matches) if units else ""
    findings = _within_islands(
        replace(findings, unit_note=note),
        connectivity(np.asarray(matches.wins() + matches.wins().T + matches.ties())).island[chosen],
    )
    return pairwise_table(findings, options, seed=seed)


def _within_islands(findings: PairFindings, island: IntArray) -> PairFindings:
    """Leave pairs untested that no chain of matches connects: their ratings only share a starting point."""
    apart = island[:, None] != island[None, :]
    if not apart.any():
        return findings
    stepped = None if findings.stepped is None else np.where(apart, np.nan, findings.stepped)
    a, b = (findings.systems[int(i)] for i in np.argwhere(np.triu(apart))[0])
    n = int(np.triu(apart).sum())
    which = f"{a} and {b}" if n == 1 else f"{n:,} pairs of systems, such as {a} and {b}"
    note = f"Not compared, because no match connects them, even through others: {which}."
    return replace(
        findings,
        effect=np.where(apart, np.nan, findings.effect),
        low=np.where(apart, np.nan, findings.low),
        high=np.where(apart, np.nan, findings.high),
        size=np.where(apart, np.nan, findings.size),
        pvalue=np.where(apart, np.nan, findings.pvalue),
        stepped=stepped,
        notes=(*findings.notes, note),
    )
