"""Test differences of strengths by their joint bootstrap distribution, for every mechanism but the mean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit, ndtri, stdtr, stdtrit

from betterthan.analysis.effects import EFFECTS, Setting
from betterthan.analysis.pairwise import Decision, Findings
from betterthan.analysis.strengths import Estimated
from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError, NotEstimable
from betterthan.kernels.permutation import add_one
from betterthan.kernels.step_down import stepped_pvalues, successive_maxima
from betterthan.kernels.wins import win_counts
from betterthan.results.pairwise import P_METHODS
from betterthan.tables.scores import Scores

PAIR_DRAWS = 1 << 22  # statistics of pairs in memory at once
EFFECT_NAMES = {
    "median": "difference of medians",
    "win_rate": "difference of win rates",
    "bradley_terry": "P(row beats column)",
    "elo": "P(row beats column)",
    "trueskill": "difference of TrueSkill means",
}
_ROUNDING = 1e-12


def strength_findings(scores: Scores, found: Estimated, units: Units, decision: Decision) -> Findings:
    r"""Two-sided tests that two strengths are equal, from the strengths in bootstrap samples of the units.

    With :math:`D` the difference of two strengths, :math:`D^*` that of a sample and :math:`s` the standard deviation of
    the samples,

    .. math:: t = \frac{|D|}{s \sqrt{n / (n - 1)}}, \qquad z^* = \frac{|D^* - D|}{s}, \qquad
              p = \frac{1 + \#\{z^* \ge z\}}{B + 1},

    where z has the normal tail that t has under Student's distribution with n - 1 degrees of freedom, because with few
    units s is itself uncertain. Adjusted p-values are those of the maximum of :math:`z^*` over all pairs, stepping down
    (:mod:`betterthan.kernels.step_down`), so that ranks, groups and verdicts rest on the joint distribution of the very
    strengths that are ranked. No p-value is below :math:`2^{1-n}`, the least that n signs support.
    """
    if decision.alternative != "two-sided":
        raise BetterThanError(
            'Strengths are compared two-sided. Use alternative="two-sided", or test="sign" for wins.'
        )
    draws = _log_scale(found, found.draws[~np.isnan(found.draws).any(axis=1)])
    strength = _log_scale(found, found.strength)
    if len(draws) < 2:
        raise NotEstimable("No bootstrap sample has strengths of all systems. More segments are needed.")
    m, n = strength.size, units.n_units
    left, right = (index.astype(np.int64) for index in np.triu_indices(m, 1))
    difference = strength[left] - strength[right]
    scale = np.max(np.abs(strength), initial=0.0)
    difference[np.abs(difference) <= _ROUNDING * scale] = 0.0
    spread = _spreads(draws, left, right)
    spread[spread <= _ROUNDING * scale] = 0.0
    z = _normal_equivalent(np.abs(difference), spread, n)
    raw, maxima = _tallies(draws, strength, left, right, spread, z)
    least = 2.0 ** (1 - n)
    p = np.maximum(add_one(raw, len(draws)), least)
    p[difference == 0] = 1.0
    adjusted = np.maximum(np.maximum(stepped_pvalues(maxima, z, len(draws)), p), least)
    low, high = _limits(difference, spread, n, decision.confidence)
    effect = _square(m, difference, -difference)
    counts = win_counts(scores.goodness)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(spread > 0, difference / spread, np.nan)
    findings = Findings(
        systems=scores.systems,
        goodness=strength,
        test="strengths",
        effect_name=EFFECT_NAMES.get(found.name, "difference of strengths"),
        size_name="difference over its standard error",
        effect=effect,
        low=_square(m, low, -high),
        high=_square(m, high, -low),
        size=_square(m, size, -size),
        wins=counts.wins,
        ties=counts.ties,
        pvalue=_square(m, p, p),
        p_method=np.full((m, m), P_METHODS.index("bootstrap")),
        stepped=_square(m, adjusted, adjusted),
        n_resamples=len(draws),
        drew=True,
        data=scores.digest,
        n_segments=scores.n_segments,
        options={**found.options, "by": found.name, "p": str(len(draws)), "units": units.name},
        notes=(*scores.notes, *found.notes),
        units=units.name,
        n_units=n,
        least=max(least, 1 / (len(draws) + 1)),
    )
    return _shown(findings, found, scores, units, decision)


def _log_scale(found: Estimated, strength: FloatArray) -> FloatArray:
    """Bradley–Terry strengths as logarithms, whose differences are log odds and nearly normal; others as they are."""
    if found.name != "bradley_terry" or found.options.get("scale") != "share":
        return strength
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(strength))


def _shown(
    findings: Findings, found: Estimated, scores: Scores, units: Units, decision: Decision
) -> Findings:
    """Turn differences into the effect that a reader expects of the mechanism."""
    if findings.effect_name.startswith("P("):
        unit = _odds_unit(found)
        parts = {name: expit(getattr(findings, name) * unit) for name in ("effect", "low", "high")}
        return replace(findings, **parts)
    if found.name == "median":
        rng = stream(decision.seed, "intervals of effects", 0)
        setting = Setting(units, decision.confidence, "drop", rng)
        low, high = EFFECTS["median_difference"].interval(scores.goodness, setting)
        return replace(findings, low=low, high=high)
    return findings


def _odds_unit(found: Estimated) -> float:
    """Return what a difference of strengths is multiplied by to give log odds."""
    if found.name == "bradley_terry" and found.options.get("scale") in ("share", "log"):
        return 1.0
    rating = dict(part.split("=") for part in str(found.options.get("rating") or "").split(",") if part)
    return float(np.log(10.0)) / float(rating.get("scale", 400))


def _spreads(draws: FloatArray, left: IntArray, right: IntArray) -> FloatArray:
    covariance = np.cov(draws, rowvar=False)
    variance = covariance[left, left] + covariance[right, right] - 2 * covariance[left, right]
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _normal_equivalent(difference: FloatArray, spread: FloatArray, n: int) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(spread > 0, difference / (spread * np.sqrt(n / max(n - 1, 1))), np.inf)
    z = -ndtri(stdtr(max(n - 1, 1), -t))
    return np.where(difference == 0, 0.0, z)


def _tallies(
    draws: FloatArray,
    strength: FloatArray,
    left: IntArray,
    right: IntArray,
    spread: FloatArray,
    z: FloatArray,
) -> tuple[IntArray, IntArray]:
    """How many draws reach each pair's statistic, and how many successive maxima do."""
    raw, maxima = np.zeros((2, left.size), dtype=np.int64)
    centred = draws - strength
    scale = np.where(spread > 0, spread, 1.0)[:, None]
    step = max(1, PAIR_DRAWS // max(1, left.size))
    for start in range(0, len(draws), step):
        part = centred[start : start + step].T
        statistics = np.abs(part[left] - part[right]) / scale
        statistics[spread == 0] = 0.0
        raw += np.count_nonzero(statistics >= z[:, None], axis=1)
        maxima += successive_maxima(statistics, z)
    return raw, maxima


def _limits(
    difference: FloatArray, spread: FloatArray, n: int, confidence: float
) -> tuple[FloatArray, FloatArray]:
    reach = float(stdtrit(max(n - 1, 1), 0.5 + confidence / 2)) * spread * np.sqrt(n / max(n - 1, 1))
    reach = np.where(spread > 0, reach, np.nan)
    return difference - reach, difference + reach


def _square(m: int, forward: FloatArray, backward: FloatArray) -> FloatArray:
    matrix = np.full((m, m), np.nan)
    above, below = np.triu_indices(m, 1)
    matrix[above, below], matrix[below, above] = forward, backward
    return matrix
