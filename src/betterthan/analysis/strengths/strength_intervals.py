"""Confidence intervals of strengths, and of differences of corpus scores: the method for each strength."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from betterthan.analysis.matches.matches import TIE_MODELS
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.aggregations import AggregationMethod
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.units import Units
from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import BetterThanError, some_of
from betterthan.kernels.comparisons.strengths import log_strength_influence, segment_win_rates, to_elo
from betterthan.kernels.influence.influence import pooled_influence
from betterthan.kernels.intervals.intervals import (
    bca_interval,
    expanded_percentile_interval,
    influence_interval,
    percentile_interval,
    sample_skewness,
    standard_errors,
    t_interval,
)
from betterthan.kernels.intervals.mean_differences import interpolated_median_interval, is_two_valued
from betterthan.kernels.intervals.proportions import agresti_coull_interval
from betterthan.kernels.resampling.clustered import degrees_of_mean
from betterthan.kernels.significance.counts_permutation import counts_bootstrap_block
from betterthan.kernels.significance.paired import differences
from betterthan.messages import Message, Option
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.scores import Scores

RESAMPLES = 2000
_JACKKNIFE_ROWS = 256
_ROUNDING = 1e-12
_OF_WINS = ("win_rate", "bradley_terry")
# Below n = 5 G², G the skewness, intervals of means cover 84% to 92% for penalties and lognormal scores, above 93%.
_LOPSIDED = 5
_DEFAULT = {
    "elo": "percentile",
    "trueskill": "percentile",
}  # aggregations whose draws have the tails of Student's t


class Basis(NamedTuple):
    """Input of the intervals of strengths; everything in terms of goodness.

    Attributes
    ----------
    name : str
        Name of the aggregation.
    strength : array, shape (m,)
    draws : array, shape (n_resamples, m)
        Strengths in bootstrap samples; NaN where they do not exist.
    jackknife : callable, optional
        Returns the leave-one-unit-out strengths, shape (n_units, m).
    influence : array, shape (n, m), optional
        Of the segments, where the aggregation is smooth and provides it.
    """

    name: str
    strength: FloatArray
    draws: FloatArray
    jackknife: Callable[[], FloatArray] | None
    influence: FloatArray | None = None


class StrengthLimits(NamedTuple):
    """Intervals of strengths in the order of the table.

    Attributes
    ----------
    low, high : array, shape (m,)
    method : str
        As shown in settings: the kind of interval, and the number of resamples if any.
    notes : tuple of str
    """

    low: FloatArray
    high: FloatArray
    method: str
    notes: tuple[str, ...] = ()


class DifferenceLimits(NamedTuple):
    """Intervals of all differences of corpus scores, in terms of goodness: row minus column.

    Attributes
    ----------
    low, high : array, shape (m, m)
    standard_error : array, shape (m, m)
        0 where two systems never differ.
    """

    low: FloatArray
    high: FloatArray
    standard_error: FloatArray


# --- Strengths of scores --------------------------------------------------------------------------------------


def strength_limits(scores: Scores, units: Units, basis: Basis, options: RankOptions) -> StrengthLimits:
    """Intervals of strengths of a table of scores, in terms of goodness."""
    if options.interval != "default":
        return _resampled_limits(scores, units, basis, options)
    limits: Callable[[Scores, Units, Basis, RankOptions], StrengthLimits] = _resampled_limits
    if basis.influence is not None:
        limits = _influence_limits
    elif basis.name == "mean":
        limits = _limits_of_means
    elif basis.name == "median" and units.are_segments:
        limits = _median_limits
    elif basis.name == "win_rate":
        limits = _win_rate_limits
    elif basis.name == "bradley_terry" and options.ties not in TIE_MODELS:
        limits = _bradley_terry_limits
    return limits(scores, units, basis, options)


def _limits_of_means(scores: Scores, units: Units, _basis: Basis, options: RankOptions) -> StrengthLimits:
    limits = mean_limits(scores.values, units, systems=scores.systems, confidence=options.confidence)
    return limits if scores.higher_is_better else limits._replace(low=-limits.high, high=-limits.low)


def _influence_limits(_scores: Scores, units: Units, basis: Basis, options: RankOptions) -> StrengthLimits:
    pull = influence_of_units(np.asarray(basis.influence), units)
    ends = influence_interval(
        basis.strength, pull, confidence=options.confidence, is_skewed=False, shares=_shares(units)
    )
    return StrengthLimits(*ends, "t,infinitesimal-jackknife")


def mean_limits(
    values: FloatArray, units: Units, *, systems: tuple[str, ...], confidence: float
) -> StrengthLimits:
    """Intervals of means: shares by Agresti and Coull, others by Student's t, widened for skewness."""
    means = values.mean(axis=1)
    least, most = bounds(values)
    if units.are_segments and is_two_valued(values):
        scale = most - least
        n = np.full(means.shape, float(units.n_units))
        ends = agresti_coull_interval(n * (means - least) / scale, n, confidence=confidence)
        return StrengthLimits(least + scale * ends[0], least + scale * ends[1], "agresti-coull")
    pull = influence_of_units(values.T, units)
    low, high = influence_interval(means, pull, confidence=confidence, shares=_shares(units))
    low, high = np.maximum(low, least), np.minimum(high, most)
    alike = np.ptp(values, axis=1) == 0
    if is_two_valued(values):
        n = np.full(means.shape, float(units.n_units))
        ends = agresti_coull_interval(n * (means - least) / (most - least), n, confidence=confidence)
        low, high = (
            np.where(alike, least + (most - least) * end, old)
            for end, old in zip(ends, (low, high), strict=True)
        )
        return StrengthLimits(low, high, "t,skewness")
    what = "segments" if units.are_segments else "documents"
    limits = StrengthLimits(low, high, "t,skewness", _about_lopsided(pull, systems, what))
    return _without_certainty(limits, alike, systems)


def influence_of_units(influence: FloatArray, units: Units) -> FloatArray:
    """Influence of whole units, (n_units, m), from that of segments, (n, m).

    The influence of a unit on the mean of n segments in G units is its sum about the mean times G / n.
    """
    if units.are_segments:
        return influence
    centred = (influence - influence.mean(axis=0)).T
    return np.asarray(units.summed(centred).T * (units.n_units / len(influence)))


def _shares(units: Units) -> FloatArray | None:
    """Shares of segments in documents, which may be of unequal size."""
    return None if units.are_segments else units.shares


def _median_limits(scores: Scores, _units: Units, _basis: Basis, options: RankOptions) -> StrengthLimits:
    low, high = interpolated_median_interval(scores.goodness, confidence=options.confidence)
    limits = StrengthLimits(low, high, "order-statistics")
    return _without_certainty(limits, np.ptp(scores.values, axis=1) == 0, scores.systems)


def _win_rate_limits(scores: Scores, units: Units, basis: Basis, options: RankOptions) -> StrengthLimits:
    confidence = options.confidence
    rates = segment_win_rates(scores.goodness)
    n = np.full(basis.strength.shape, float(units.n_units))
    shares = agresti_coull_interval(n * basis.strength, n, confidence=confidence)
    if units.are_segments and scores.n_systems == 2:
        return StrengthLimits(*shares, "agresti-coull")
    pull = influence_of_units(rates, units)
    low, high = influence_interval(basis.strength, pull, confidence=confidence, shares=_shares(units))
    low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
    alike = np.ptp(rates, axis=0) == 0
    sure = alike & np.isin(basis.strength, (0.0, 1.0))
    low, high = (np.where(sure, end, old) for end, old in zip(shares, (low, high), strict=True))
    return _without_certainty(StrengthLimits(low, high, "t,skewness"), alike & ~sure, scores.systems)


def _bradley_terry_limits(scores: Scores, units: Units, basis: Basis, options: RankOptions) -> StrengthLimits:
    """Student's t on the scale of log strengths, or of the logits of shares, where strengths are nearly normal.

    Where one of two systems won every decided comparison, its strength is the share 1 of these, with the interval of
    such a share.
    """
    if np.isin(basis.strength, (0.0, 1.0)).all():
        n = np.full(2, float(decided_units(scores, units)))
        low, high = agresti_coull_interval(n * basis.strength, n, confidence=options.confidence)
        return StrengthLimits(low, high, "agresti-coull")
    ties = "drop" if options.ties == "default" else options.ties
    strength = basis.strength
    theta = np.log(strength) if options.scale == "share" else strength / _slope(options.scale)
    pull = log_strength_influence(
        scores.goodness,
        theta - theta.mean(),
        ties=ties,  # type: ignore[arg-type]  # no model of ties comes here
        prior=options.prior,
    )
    pull = influence_of_units(pull, units)
    alike = np.ptp(pull, axis=0) <= _ROUNDING
    interval = partial(
        influence_interval, confidence=options.confidence, is_skewed=False, shares=_shares(units)
    )
    if options.scale == "share":
        rest = np.maximum(1 - strength, np.finfo(np.float64).tiny)
        of_logits = (pull - (pull @ strength)[:, None]) / rest
        low, high = (np.asarray(expit(end)) for end in interval(np.log(strength / rest), of_logits))
    else:
        low, high = interval(strength, _slope(options.scale) * pull)
    return _without_certainty(StrengthLimits(low, high, "t,infinitesimal-jackknife"), alike, scores.systems)


def decided_units(scores: Scores, units: Units) -> int:
    """Number of units in which the first two systems differ."""
    differs = scores.goodness[0] != scores.goodness[1]
    return int(np.unique(units.of_segment[differs]).size)


def _slope(scale: str) -> float:
    """Points of a scale per unit of log strength."""
    return float(to_elo(np.ones(1))[0] - to_elo(np.zeros(1))[0]) if scale == "elo" else 1.0


def _about_lopsided(pull: FloatArray, systems: tuple[str, ...], what: str) -> tuple[str, ...]:
    """Return a note where the mean depends on so few units that coverage may be below the nominal level."""
    n = len(pull)
    lopsided = (
        n < _LOPSIDED * sample_skewness(pull) ** 2 if n > 2 else np.zeros(pull.shape[1], dtype=np.bool_)
    )
    if not lopsided.any():
        return ()
    few = f"A few of the {n:,} {what} dominate the mean of {_named(systems, lopsided)}"
    return (
        f"{few}: the confidence interval is approximate, and its coverage may be below the nominal level.",
    )


def _without_certainty(limits: StrengthLimits, alike: BoolArray, systems: tuple[str, ...]) -> StrengthLimits:
    """Replace intervals of zero width by NaN: identical segments do not make a strength certain."""
    if not alike.any():
        return limits
    note = (
        f"All segments give the same result for {_named(systems, alike)}, so there is no confidence interval."
    )
    low, high = (np.where(alike, np.nan, end) for end in (limits.low, limits.high))
    return limits._replace(low=low, high=high, notes=(*limits.notes, note))


def _named(systems: tuple[str, ...], chosen: BoolArray) -> str:
    return some_of([name for name, is_one in zip(systems, chosen.tolist(), strict=True) if is_one])


def bounds(values: FloatArray) -> tuple[float, float]:
    """Limits of the scale of the scores, guessed from their range: [0, 1], [0, 100], one side of 0, or none.

    Examples
    --------
    >>> bounds(np.array([[0.2, 0.5, 1.0]])), bounds(np.array([[-125.0, -5.0, 0.0]])), bounds(np.array([[-1.0, 0, 1]]))
    ((0.0, 1.0), (-inf, 0.0), (-inf, inf))
    """
    least, most = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
    if is_two_valued(values):
        return (least, most) if least < most else (min(least, 0.0), max(most, 1.0 if least >= 0 else 0.0))
    if least >= 0:
        return 0.0, next((top for top in (1.0, 100.0) if most <= top), np.inf)
    if most <= 0:
        return -next((top for top in (1.0, 100.0) if least >= -top), np.inf), 0.0
    return -np.inf, np.inf


def without_each_unit(method: AggregationMethod, goodness: FloatArray, units: Units) -> FloatArray:
    """Leave-one-unit-out strengths, shape (n_units, m)."""
    rng = np.random.default_rng(0)  # never used: aggregations do not draw random numbers
    parts = []
    for start in range(0, units.n_units, _JACKKNIFE_ROWS):
        left_out = np.arange(start, min(start + _JACKKNIFE_ROWS, units.n_units))
        weights = (units.of_segment[None, :] != left_out[:, None]).astype(np.float64)
        parts.append(method.resampled(goodness, weights, rng))
    return np.concatenate(parts)


def _resampled_limits(scores: Scores, units: Units, basis: Basis, options: RankOptions) -> StrengthLimits:
    """Intervals from bootstrap draws: those requested, or expanded percentiles by default."""
    whole = np.asarray(~np.isnan(basis.draws).any(axis=1))
    draws, lost = basis.draws[whole], int((~whole).sum())
    notes = (
        (f"{lost:,} of {len(whole):,} bootstrap samples had no finite strengths and were left out.",)
        if lost
        else ()
    )
    kind = (
        _DEFAULT.get(basis.name, "expanded-percentile") if options.interval == "default" else options.interval
    )
    method = f"{kind},{len(whole)}"
    if not len(draws):
        missing = np.full(basis.strength.size, np.nan)
        return StrengthLimits(missing, missing, method, notes)
    if kind == "percentile":
        low, high = percentile_interval(draws, options.confidence)
    elif kind == "expanded-percentile":
        low, high = expanded_percentile_interval(draws, units.n_units, options.confidence)
    else:
        low, high = _bca_limits(draws, units, basis, options.confidence)
    return _mended(StrengthLimits(low, high, method, notes), draws, scores, units, basis, options.confidence)


def _bca_limits(
    draws: FloatArray, units: Units, basis: Basis, confidence: float
) -> tuple[FloatArray, FloatArray]:
    if basis.jackknife is None:
        raise BetterThanError(
            Message(
                "{bca} is not available for {name}. Use {percentile}.",
                bca=Option("interval", "bca"),
                name=basis.name,
                percentile=Option("interval", "percentile"),
            )
        )
    if units.n_units < 2:
        raise BetterThanError(
            Message(
                "{bca} leaves out one unit at a time, and there is only one. Use {percentile}.",
                bca=Option("interval", "bca"),
                percentile=Option("interval", "percentile"),
            )
        )
    return bca_interval(draws, basis.strength, basis.jackknife(), confidence=confidence)


def _mended(
    limits: StrengthLimits,
    draws: FloatArray,
    scores: Scores,
    units: Units,
    basis: Basis,
    confidence: float,
) -> StrengthLimits:
    """Replace intervals of zero width: shares of 0 or 1 get the interval of a proportion, others NaN.

    A median of scores that vary may have zero width.
    """
    if len(draws) < 2:
        return limits
    alike = np.ptp(scores.values, axis=1) == 0 if basis.name not in _OF_WINS else True
    still = np.asarray(alike & (np.ptp(draws, axis=0) <= _ROUNDING * np.abs(basis.strength)))
    are_shares = basis.name == "win_rate" or (
        basis.name == "mean" and bool(np.isin(scores.values, (0, 1)).all())
    )
    sure = still & are_shares & np.isin(np.abs(basis.strength), (0, 1))
    n = np.full(still.shape, float(units.n_units))
    ends = np.array(agresti_coull_interval(np.abs(basis.strength) * n * sure, n, confidence=confidence))
    if (basis.strength < 0).any():  # where lower is better, goodness is the negated share
        ends = -ends[::-1]
    low, high = (np.where(sure, end, old) for end, old in zip(ends, limits[:2], strict=True))
    notes = limits.notes
    if sure.any():
        names = _named(scores.systems, sure)
        notes = (
            *notes,
            f"All segments give the same result for {names}: the interval is that of a proportion.",
        )
    mended = limits._replace(low=low, high=high, notes=notes)
    return _without_certainty(mended, still & ~sure, scores.systems)


# --- Scores of summed counts ----------------------------------------------------------------------------------


def pooled_limits(
    counts: Counts, values: FloatArray, units: Units, options: RankOptions, resampling: Resampling
) -> StrengthLimits:
    """Intervals of corpus scores, on the metric's own scale; `values` are the counts of each unit, (m, n_units, k).

    By default Student's t with the jackknife's standard error, widened for skewness; where the score is undefined
    without one of the units, bootstrap percentiles.
    """
    if options.interval not in ("default", "percentile"):
        raise BetterThanError(
            Message(
                "{given} is not available for pooled scores. Use {percentile}, or leave it out.",
                given=Option("interval", options.interval),
                percentile=Option("interval", "percentile"),
            )
        )
    if options.interval == "default":
        pull = _pooled_pull(counts, values, units).T
        if np.isfinite(pull).all():
            low, high = influence_interval(
                counts.pooled(), pull, confidence=options.confidence, shares=_shares(units)
            )
            least, most = counts.formula.limits or bounds(counts.per_segment().values)
            return StrengthLimits(np.maximum(low, least), np.minimum(high, most), "t,jackknife,skewness")
    draws = _drawn_scores(counts, values, resampling.on(counts.digest, units, default=RESAMPLES))
    low, high = percentile_interval(draws, options.confidence)
    return StrengthLimits(low, high, f"percentile,{len(draws)}")


def pooled_difference_limits(
    counts: Counts, values: FloatArray, units: Units, confidence: float, resampling: Resampling
) -> DifferenceLimits:
    """Intervals of the differences of corpus scores; `values` are the counts of each unit, (m, n_units, k).

    Student's t with the jackknife's standard error: differences of systems on the same segments have little skewness.
    """
    side = 1.0 if counts.higher_is_better else -1.0
    goodness = side * counts.pooled()
    effect = goodness[:, None] - goodness[None, :]
    pull = side * _pooled_pull(counts, values, units)
    n_units = values.shape[1]
    if np.isfinite(pull).all():
        shares = _shares(units)
        error = differences(pull).standard_error if shares is None else _clustered_errors(pull, shares)
        n = np.full(effect.shape, n_units if shares is None else degrees_of_mean(shares) + 1)
        low, high = t_interval(effect, error, n, confidence=confidence)
        return DifferenceLimits(low, high, error)
    draws = side * _drawn_scores(counts, values, resampling.on(counts.digest, units).times(RESAMPLES))
    limits = [
        expanded_percentile_interval(draws[:, a, None] - draws, n_units, confidence)
        for a in range(len(goodness))
    ]
    low, high = (np.array([limit[end] for limit in limits]) for end in (0, 1))
    return DifferenceLimits(low, high, differences(draws.T).deviation)


def _pooled_pull(counts: Counts, values: FloatArray, units: Units) -> FloatArray:
    """Influence of units on corpus scores, (m, n_units), which sums to 0.

    Leaving out a document with share s of all segments changes the score by 1 / (1 - s) times its influence; this
    factor is removed, because the standard errors already correct for the size of documents.
    """
    pull = pooled_influence(values, formula=counts.formula.pooled)
    if units.are_segments:
        return pull
    rest = 1 - units.shares
    centred = pull - np.average(pull, axis=1, weights=rest)[:, None]
    return np.asarray(centred * rest * units.n_units / (units.n_units - 1))


def _clustered_errors(pull: FloatArray, shares: FloatArray) -> FloatArray:
    """Standard errors (m, m) of differences of estimates, from the influence (m, n_units) of documents."""
    return np.stack([standard_errors((own - pull).T, shares) for own in pull])


def _drawn_scores(counts: Counts, values: FloatArray, resampling: Resampling) -> FloatArray:
    m, n_units, k = values.shape
    blocks = resampling.run(
        "bootstrap of pooled scores",
        (values, counts.formula),
        _pooled_block,
        bytes_each=24 * n_units + 32 * m * k,
        label=f"bootstrap of {counts.formula.name} ({resampling.n_resamples:,} resamples)",
    )
    return np.concatenate(blocks)


def _pooled_block(payload: tuple[FloatArray, Formula], part: range, rng: np.random.Generator) -> FloatArray:
    values, formula = payload
    return counts_bootstrap_block(values, len(part), rng, formula=formula.pooled)
