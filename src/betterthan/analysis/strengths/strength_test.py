"""Tests of differences of strengths by their joint distribution, for aggregations other than means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr, ndtri, stdtr, stdtrit

from betterthan.analysis.matches.matches import TIE_MODELS
from betterthan.analysis.pairs.pairwise import PairFindings, PairOptions
from betterthan.analysis.strengths.aggregations import ORDERED
from betterthan.analysis.strengths.ordered import ELO_SCALE, JointRatings
from betterthan.analysis.strengths.strength_intervals import decided_units, influence_of_units
from betterthan.analysis.strengths.strengths import Estimated
from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, NotEstimable
from betterthan.kernels.comparisons.strengths import log_strength_influence
from betterthan.kernels.comparisons.wins import WinCounts, win_counts
from betterthan.kernels.flag_counts import count_many_flags, flag_space
from betterthan.kernels.intervals.proportions import agresti_coull_interval
from betterthan.kernels.ratings.trueskill import BETA
from betterthan.kernels.resampling.clustered import degrees_of_mean
from betterthan.kernels.sign_flips.permutation import add_one
from betterthan.kernels.significance.pvalues import adjusted, pairs_matrix, stepped_pvalues
from betterthan.messages import Message, Option
from betterthan.results.pairwise import P_METHODS, WIN_PROBABILITY
from betterthan.tables.scores import Scores

PAIR_DRAWS = 1 << 22  # samples times pairs whose squares are added up at once
_CACHED_NUMBERS = 1 << 15
EFFECT_NAMES = {
    "median": "difference of medians",
    "bradley_terry": WIN_PROBABILITY,
    "elo": WIN_PROBABILITY,
    "trueskill": WIN_PROBABILITY,
    "irt": WIN_PROBABILITY,
    "irt_2pl": "difference of abilities",
}
_ROUNDING = 1e-12
_MANY_DEGREES = 10  # for each system, so that correlations of errors are known well enough for a maximum
_ELO_UNIT = 400 / float(np.log(10.0))  # points per unit of log strength


class _Tested(NamedTuple):
    """P-values of the pairs a < b, raw and adjusted, standard errors of their differences, and the method."""

    pvalue: FloatArray
    adjusted: FloatArray | None
    spread: FloatArray
    low: FloatArray
    high: FloatArray
    method: str
    n_resamples: int
    least: float


def _refuse_one_sided(alternative: str) -> None:
    if alternative != "two-sided":
        raise BetterThanError(
            Message(
                "Strengths are compared by two-sided tests. Use {alternative}, or {test} to compare wins.",
                alternative=Option("alternative", "two-sided"),
                test=Option("test", "sign"),
            )
        )


class ComparedTable(NamedTuple):
    """What findings say about the table that the strengths come from."""

    systems: tuple[str, ...]
    counts: WinCounts
    data: str
    n_segments: int | None
    notes: tuple[str, ...]
    units: str
    n_units: int


def strength_findings(scores: Scores, found: Estimated, units: Units, options: PairOptions) -> PairFindings:
    """Two-sided tests of equal strengths, from the joint distribution of the strengths themselves.

    Ranks, groups and verdicts thus refer to the quantity that is ranked. Bradley–Terry strengths are smooth functions
    of the segments and are tested by influence functions (:func:`_by_influence`); medians, ratings and user-defined
    functions by their draws (:func:`_by_draws`).
    """
    _refuse_one_sided(options.alternative)
    strength, difference = differences_of(found)
    is_model = found.name == "bradley_terry" and found.options.get("ties") not in TIE_MODELS
    is_smooth = is_model or found.influence is not None
    confidence = options.confidence_of_one(strength.size)
    is_perfect = is_smooth and not np.isfinite(strength).all()
    tested = (
        _by_wins(scores, units, difference, confidence)
        if is_perfect
        else _by_influence(scores, found, strength, units, difference, confidence)
        if is_smooth
        else _by_draws(found, strength, units.n_units, difference, confidence)
    )
    table = ComparedTable(
        systems=scores.systems,
        counts=win_counts(scores.goodness),
        data=scores.digest,
        n_segments=scores.n_segments,
        notes=scores.notes,
        units=units.name,
        n_units=units.n_units,
    )
    return _findings(table, found, tested)


def rating_findings(table: ComparedTable, found: Estimated, options: PairOptions) -> PairFindings:
    """Two-sided tests of equal ratings of matches, from the joint distribution of the ratings."""
    _refuse_one_sided(options.alternative)
    strength, difference = differences_of(found)
    confidence = options.confidence_of_one(strength.size)
    if found.joint is not None and table.units == "clusters":
        tested = _by_joint(found.joint, strength, difference, confidence, least=0.0)
    else:
        tested = _by_draws(found, strength, table.n_units, difference, confidence)
    return _findings(table, found, tested)


def differences_of(found: Estimated) -> tuple[FloatArray, FloatArray]:
    """Strengths (m,) on the scale of the test, and their differences of the pairs a < b."""
    strength = _log_scale(found, found.strength)
    left, right = np.triu_indices(strength.size, 1)
    difference = strength[left] - strength[right]
    largest = np.max(np.abs(strength), initial=0.0, where=np.isfinite(strength))
    difference[np.abs(difference) <= _ROUNDING * largest] = 0.0
    return strength, difference


def _findings(table: ComparedTable, found: Estimated, tested: _Tested) -> PairFindings:
    strength, difference = differences_of(found)
    m, low, high = strength.size, tested.low, tested.high
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(tested.spread > 0, difference / tested.spread, np.nan)
    stepped = None if tested.adjusted is None else pairs_matrix(m, tested.adjusted, tested.adjusted)
    findings = PairFindings(
        systems=table.systems,
        goodness=strength if np.isfinite(strength).all() else found.strength,
        test="strengths",
        effect_name=EFFECT_NAMES.get(found.name, "difference of strengths"),
        tie_policy=str(found.options.get("ties", "")),
        size_name="difference over its standard error",
        effect=pairs_matrix(m, difference, -difference),
        low=pairs_matrix(m, low, -high),
        high=pairs_matrix(m, high, -low),
        size=pairs_matrix(m, size, -size),
        wins=table.counts.wins,
        ties=table.counts.ties,
        pvalue=pairs_matrix(m, tested.pvalue, tested.pvalue),
        p_method=np.full((m, m), P_METHODS.index(tested.method)),
        stepped=stepped,
        n_resamples=tested.n_resamples,
        drew=tested.n_resamples > 0,
        data=table.data,
        n_segments=table.n_segments,
        options={
            **found.options,
            "by": found.name,
            "p": str(tested.n_resamples or "t"),
            "units": table.units,
        },
        notes=(*table.notes, *found.notes),
        units=table.units,
        n_units=table.n_units,
        least=tested.least,
    )
    return _shown(findings, found)


def _by_influence(
    scores: Scores,
    found: Estimated,
    strength: FloatArray,
    units: Units,
    difference: FloatArray,
    confidence: float,
) -> _Tested:
    r"""Student's t of differences of Bradley–Terry log strengths or abilities, from the influence of each unit.

    .. math:: t_{ab} = \frac{\hat\theta_a - \hat\theta_b}{s_{ab}}, \qquad
              s_{ab}^2 = \frac{1}{n^2} \sum_u \frac{(\psi_{ua} - \psi_{ub})^2}{1 - s_u} ,

    with :math:`s_u` the share of segments in the unit, and Holm's correction. Units of equal size have n - 1 degrees of
    freedom, uneven documents fewer (:func:`betterthan.kernels.resampling.clustered.degrees_of_mean`). No p-value is
    below :math:`2^{1-n}`, the smallest p-value of a sign test of n units.
    """
    pull = influence_of_units(_influence(scores, found, strength), units)
    n = units.n_units
    centred = pull - pull.mean(axis=0)
    if units.are_segments:
        degrees = max(n - 1.0, 1.0)
        covariance = centred.T @ centred / (n * degrees)
    else:
        degrees = degrees_of_mean(units.shares)
        covariance = (centred.T / (1 - units.shares)) @ centred / n**2
    left, right = np.triu_indices(strength.size, 1)
    variance = covariance[left, left] + covariance[right, right] - 2 * covariance[left, right]
    spread = np.sqrt(np.maximum(variance, 0.0))
    spread[spread <= _ROUNDING * np.max(np.abs(pull), initial=0.0)] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(spread > 0, np.abs(difference) / spread, np.inf)
    least = 2.0 ** (1 - n)
    p = np.where(difference == 0, 1.0, np.maximum(2 * stdtr(degrees, -t), least))
    reach = float(stdtrit(degrees, 0.5 + confidence / 2)) * np.where(spread > 0, spread, np.nan)
    return _Tested(p, None, spread, difference - reach, difference + reach, "formula", 0, least)


def _influence(scores: Scores, found: Estimated, strength: FloatArray) -> FloatArray:
    """Influence (n, m) of each segment on the strengths."""
    if found.influence is not None:
        return found.influence
    unit = _ELO_UNIT if found.options.get("scale") == "elo" else 1.0
    theta = strength / unit
    return unit * log_strength_influence(
        scores.goodness,
        theta - theta.mean(),
        ties=str(found.options["ties"]),  # type: ignore[arg-type]  # no model of ties comes here
        prior=float(found.options.get("prior") or 0.0),
    )


def _by_wins(scores: Scores, units: Units, difference: FloatArray, confidence: float) -> _Tested:
    """Sign test of one of two systems that won every decided unit, with the interval of a share of wins."""
    n = decided_units(scores, units)
    of_winner = np.where(difference > 0, n, 0)
    low, high = agresti_coull_interval(of_winner, np.full(1, n), confidence=confidence)
    with np.errstate(divide="ignore"):
        ends = np.log(low) - np.log1p(-low), np.log(high) - np.log1p(-high)
    p = np.full(1, 2.0 ** (1 - n))
    return _Tested(p, None, np.zeros(1), *ends, "exact", 0, 2.0 ** (1 - units.n_units))


def _by_draws(
    found: Estimated, strength: FloatArray, n: int, difference: FloatArray, confidence: float
) -> _Tested:
    r"""Step-down studentized maximum of the drawn differences over all pairs, and the corresponding intervals.

    With :math:`D` the difference of two strengths, :math:`D^*` that of a sample, and :math:`s_-, s_+` the spread of the
    samples below and above :math:`D`,

    .. math:: t = \frac{|D|}{s_\mp \sqrt{n / (n - 1)}}, \qquad z^* = \frac{|D^* - D|}{s_\mp}, \qquad
              p = \frac{1 + \#\{z^* \ge z\}}{B + 1},

    where z has the normal tail that t has under Student's distribution with n - 1 degrees of freedom, because with few
    units s is itself uncertain; draws of Elo and TrueSkill ratings have such tails already. Bootstrap distributions of
    medians are skewed, and the evidence against a lead is how far they extend toward 0: hence a standard deviation for
    each side, none smaller than half of the overall one. The interval inverts the test, so it excludes 0 when p is
    below its level. A p-value is never smaller than that of t, nor an adjusted one than Holm's of t
    (:mod:`betterthan.kernels.significance.pvalues` gives that of the maximum): bootstrap samples of few units
    underestimate the variance. Nor is it below :math:`2^{1-n}`, the smallest p-value of a sign test of n units.
    """
    if found.joint is not None:
        return _by_joint(found.joint, strength, difference, confidence, least=2.0 ** (1 - n))
    if len(found.draws) == 1:
        raise NotEstimable(
            Message(
                "One sample has no spread to test by. Use {resamples}.", resamples=Option("n_resamples", 2000)
            )
        )
    draws = _log_scale(found, found.draws[~np.isnan(found.draws).any(axis=1)])
    if len(draws) < 2:
        raise NotEstimable(
            "No bootstrap sample has finite strengths of all systems. More segments are needed."
        )
    drawn = _Drawn.of(draws - strength, strength)
    is_rating = found.name in ORDERED
    wider = 1.0 if is_rating else np.sqrt(n / max(n - 1, 1))
    toward = np.where(difference > 0, drawn.lower, drawn.upper)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(toward > 0, np.abs(difference) / (toward * wider), np.inf)
    tail = stdtr(max(n - 1, 1), -t)
    z = np.where(difference == 0, 0.0, t if is_rating else -ndtri(tail))
    counts = drawn.tallies(z, 1 - confidence)
    least = 2.0 ** (1 - n)
    p = np.maximum(add_one(counts.raw, len(draws)), least)
    stepped, reach = stepped_pvalues(counts.maxima, z, len(draws)), counts.reach
    if not is_rating:
        by_t = np.minimum(1.0, 2 * tail)
        p, stepped = np.maximum(p, by_t), np.maximum(stepped, adjusted(by_t, correction="holm"))
        reach = np.maximum(reach, -ndtri((1 - confidence) / 2))
        reach = -stdtrit(max(n - 1, 1), ndtr(-reach)) * wider
    p[difference == 0] = 1.0
    stepped = np.maximum(stepped, p)
    known = np.where(drawn.lower > 0, reach, np.nan)
    low, high = difference - known * drawn.lower, difference + known * drawn.upper
    spread = (drawn.lower + drawn.upper) / 2 * wider
    return _Tested(p, stepped, spread, low, high, "bootstrap", len(draws), max(least, 1 / (len(draws) + 1)))


def _by_joint(
    joint: JointRatings, strength: FloatArray, difference: FloatArray, confidence: float, *, least: float
) -> _Tested:
    r"""Student's t of differences of averaged ratings, and the step-down maximum over all pairs.

    Each difference has degrees of freedom of its own, :math:`\nu`, and is tested by Student's t. For the maximum, t
    becomes the normal deviate with its tail probability, and is compared with the maxima of normal draws of the
    ratings: errors of different pairs are estimated from different matches of the same few judges, so a common
    mixing variable of a multivariate t would make the maximum of many pairs too small. Where there are few degrees of
    freedom for each system, the correlations are uncertain too, and no adjusted p-value is smaller than Holm's.

    No p-value is below `least`: :math:`2^{1-n}` for n single matches, segments or documents, the smallest p-value of
    their sign test. A judge's or session's many battles add up to a nearly normal number, as for Bradley–Terry.
    """
    drawn = _Drawn.of(joint.normal, strength)
    degrees = joint.degrees[drawn.left, drawn.right]
    spread = np.sqrt((drawn.lower**2 + drawn.upper**2) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(spread > 0, np.abs(difference) / spread, np.inf)
    tail = stdtr(degrees, -t)
    z = np.where(difference == 0, 0.0, -ndtri(tail))
    n_draws = len(joint.normal)
    p = np.where(difference == 0, 1.0, np.maximum(2 * tail, least))
    stepped = np.maximum(stepped_pvalues(drawn.tallies(z).maxima, z, n_draws), p)
    if np.median(degrees) < _MANY_DEGREES * strength.size:
        stepped = np.maximum(stepped, adjusted(p, correction="holm"))
    reach = stdtrit(degrees, 0.5 + confidence / 2) * np.where(spread > 0, spread, np.nan)
    return _Tested(p, stepped, spread, difference - reach, difference + reach, "formula", n_draws, least)


def _log_scale(found: Estimated, strength: FloatArray) -> FloatArray:
    """Bradley–Terry strengths as logarithms, whose differences are log odds and nearly normal; others as they are."""
    if found.name != "bradley_terry" or found.options.get("scale") != "share":
        return strength
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(strength))


def _shown(findings: PairFindings, found: Estimated) -> PairFindings:
    r"""Convert differences into the effect that is usual for the aggregation.

    For TrueSkill the probability of winning one more match, with :math:`\sigma` the beliefs' standard deviations,

    .. math:: P(a \text{ beats } b) = \Phi\left(\frac{\mu_a - \mu_b}{\sqrt{2 \beta^2 + \sigma_a^2 + \sigma_b^2}}\right),

    in which the beliefs are those of the data; the interval is that of the difference of means.
    """
    if found.name == "trueskill":
        sigma = np.zeros_like(found.strength) if found.sigma is None else found.sigma
        beta = rating_parameters(found).get("beta", BETA)
        scale = np.sqrt(2 * beta**2 + sigma[:, None] ** 2 + sigma[None, :] ** 2)
        shares = {name: ndtr(getattr(findings, name) / scale) for name in ("effect", "low", "high")}
        return replace(findings, **shares)
    if findings.effect_name == WIN_PROBABILITY:
        unit = _odds_unit(found)
        parts = {name: expit(getattr(findings, name) * unit) for name in ("effect", "low", "high")}
        return replace(findings, **parts)
    return findings


def _odds_unit(found: Estimated) -> float:
    """Return the factor that converts a difference of strengths to log odds."""
    if found.name == "irt" or found.options.get("scale") in ("share", "log"):
        return 1.0
    return float(np.log(10.0)) / rating_parameters(found).get("scale", ELO_SCALE)


def rating_parameters(found: Estimated) -> dict[str, float]:
    """Return the parameters of Elo or TrueSkill that differ from their defaults."""
    parts = (part.split("=") for part in str(found.options.get("rating") or "").split(",") if part)
    return {name: float(value) for name, value in parts}


class _Drawn(NamedTuple):
    """Centered samples of strengths, the pairs a < b, and the standard deviations of their differences on each side."""

    centred: FloatArray
    left: IntArray
    right: IntArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, centred: FloatArray, strength: FloatArray) -> _Drawn:
        left, right = (index.astype(np.int64) for index in np.triu_indices(strength.size, 1))
        below, above = np.zeros((2, left.size))
        for part in _parts(centred, left.size):
            samples = np.ascontiguousarray(part)
            for some in _few_pairs(left.size, samples.shape[1]):
                gap = samples[left[some]] - samples[right[some]]
                below[some] += (np.minimum(gap, 0.0) ** 2).sum(axis=1)
                above[some] += (np.maximum(gap, 0.0) ** 2).sum(axis=1)
        whole = np.sqrt((below + above) / len(centred))
        whole[whole <= _ROUNDING * np.max(np.abs(strength), initial=0.0)] = 0.0
        sides = [np.maximum(np.sqrt(2 * side / len(centred)), whole / 2) for side in (below, above)]
        return cls(centred, left, right, *(np.where(whole > 0, side, 0.0) for side in sides))

    def statistics(self, samples: FloatArray, pairs: IntArray) -> FloatArray:
        """Distances from the observed difference in standard deviations of their side, shape (pairs, samples)."""
        gap = samples[self.left[pairs]] - samples[self.right[pairs]]
        is_known = self.lower[pairs] > 0
        below, above = (np.where(is_known, side[pairs], np.inf)[:, None] for side in (self.lower, self.upper))
        found = np.maximum(gap / above, np.divide(gap, -below, out=gap))
        if not is_known.all():
            found[~is_known] = 0.0
        return np.asarray(found)

    def tallies(self, z: FloatArray, alpha: float | None = None) -> _Tallies:
        """Count the samples that reach each pair's statistic, and the successive maxima that do.

        The critical value of each pair, where `alpha` is passed, is that for which the add-one p-value is at most
        alpha, and the normal quantile where samples are too few.
        """
        n_draws = len(self.centred)
        raw, maxima = np.zeros((2, z.size), dtype=np.int64)
        place = n_draws if alpha is None else n_draws - int(np.floor(alpha * (n_draws + 1) + 1e-9))
        reach = np.full(z.size, np.inf if alpha is None else -ndtri(alpha / 2))
        samples, so_far = np.ascontiguousarray(self.centred.T), np.full(n_draws, -np.inf)
        order = np.argsort(-z, kind="stable")[::-1]  # from the least to the most significant
        for some in _few_pairs(z.size, n_draws):
            pairs = order[some]
            statistics, edge = self.statistics(samples, pairs), z[pairs, None]
            flags = flag_space(2, *statistics.shape)
            np.greater_equal(statistics, edge, out=flags[0, :, :n_draws])
            if place < n_draws:
                reach[pairs] = np.partition(statistics, place, axis=1)[:, place]
            for row in statistics:
                so_far = np.maximum(row, so_far, out=row)
            np.greater_equal(statistics, edge, out=flags[1, :, :n_draws])
            raw[pairs], maxima[pairs] = count_many_flags(flags)
            so_far = so_far.copy()
        return _Tallies(raw, maxima, reach)


class _Tallies(NamedTuple):
    raw: IntArray
    maxima: IntArray
    reach: FloatArray


def _few_pairs(n_pairs: int, n_samples: int) -> Iterator[slice]:
    """Pieces of the pairs whose statistics stay in the cache."""
    step = max(1, _CACHED_NUMBERS // max(1, n_samples))
    for start in range(0, n_pairs, step):
        yield slice(start, start + step)


def _parts(centred: FloatArray, n_pairs: int) -> Iterator[FloatArray]:
    """Blocks of samples that fit in memory."""
    step = max(1, PAIR_DRAWS // max(1, n_pairs))
    for start in range(0, len(centred), step):
        yield centred[start : start + step].T
