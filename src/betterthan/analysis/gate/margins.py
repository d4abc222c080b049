"""One comparison of a candidate with a baseline, set against a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.compare.compare_runs import Over
from betterthan.analysis.units import UnitName
from betterthan.arrays import FloatArray
from betterthan.kernels.intervals.mean_differences import is_two_valued
from betterthan.kernels.intervals.proportions import interval_with_unseen
from betterthan.kernels.significance.paired_shares import shares_exceed
from betterthan.results.pairwise import Pair, PairwiseTable
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

GateTable = Scores | Counts | Matches | Runs
_HAIR = 1e-6
_BATTLES = ("matches", "clusters")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """How every row of a gate is compared; see :func:`betterthan.gate`."""

    baseline: str
    candidate: str
    alpha: float
    power: float
    units: UnitName
    over: Over
    missing: Literal["raise", "drop"]


class Standing(NamedTuple):
    """Where the difference of the two systems lies, with its interval at the level 1 - alpha.

    Attributes
    ----------
    baseline_score, candidate_score : float
    effect, low, high : float
    pvalue : float
        Of no difference, two-sided.
    n_units : int
    unit : str
    is_within : bool
        Whether the candidate is shown not to be worse by more than the margin.
    may_be_equal : bool
        Whether equality remains possible whatever the p-value says, because a long tail may not have been seen.
    compared : PairwiseTable
        What :func:`betterthan.compare` says of the two.
    """

    baseline_score: float
    candidate_score: float
    effect: float
    low: float
    high: float
    pvalue: float
    n_units: int
    unit: str
    is_within: bool
    may_be_equal: bool
    compared: PairwiseTable


def standing(table: GateTable, margin: float, options: GateOptions) -> Standing:
    """Compare candidate and baseline as :func:`betterthan.compare` does, and set the interval against the margin.

    For scores of two values on single items the margin is tested exactly
    (:func:`betterthan.kernels.significance.paired_shares.shares_exceed`). For other scores of single items an interval
    that allows for losses not yet seen (:func:`betterthan.kernels.intervals.proportions.interval_with_unseen`) must
    exclude the margin and 0, too. An end of the interval on the wrong side of either is moved to it, as `compare` does
    at 0.
    """
    result = compare(
        table,
        systems=(options.candidate, options.baseline),
        alpha=options.alpha,
        confidence=1 - options.alpha,
        missing=options.missing,
        over=options.over,
        units=options.units,
    )
    pair = result.pair(options.candidate, options.baseline)
    middle = 0.5 if result.is_probability else 0.0
    low, high = pair.low - middle, pair.high - middle
    is_better = bool(pair.pvalue <= options.alpha and pair.effect > middle)
    may_be_equal = False
    if isinstance(table, Scores) and result.units == "segments":
        low, high, may_be_equal = _ends_at_margins(table, pair, margin, (low, high), options)
    before, after = _scores(table, pair, options)
    return Standing(
        baseline_score=before,
        candidate_score=after,
        effect=pair.effect - middle,
        low=low,
        high=high,
        pvalue=pair.pvalue,
        n_units=_number(table, result, pair),
        unit=_unit(result),
        is_within=(is_better and not may_be_equal) or (margin > 0 and low > -margin),
        may_be_equal=may_be_equal,
        compared=result,
    )


def standing_of_part(table: Scores | Runs, margin: float, options: GateOptions) -> Standing:
    """Return the standing of a slice; without interval and p-value where it is too small for either.

    A slice of one document is too small where documents are the units.
    """
    is_whole = table.groups is not None and len(set(table.groups)) == 1 and len(table.segments) > 1
    if options.units == "segments" or not is_whole:
        return standing(table, margin, options)
    known = standing(table, margin, replace(options, units="segments"))
    return known._replace(
        low=math.nan, high=math.nan, pvalue=math.nan, n_units=1, unit="documents", is_within=False
    )


def _ends_at_margins(
    scores: Scores, pair: Pair, margin: float, ends: tuple[float, float], options: GateOptions
) -> tuple[float, float, bool]:
    """Return the ends of the interval, moved to a margin or 0 where a sharper method puts them on its other side.

    That is the exact test for two values, and otherwise an interval that allows for losses not yet seen. The last
    value says whether that interval contains 0.
    """
    values = scores.select((options.candidate, options.baseline)).goodness
    values = values[:, ~np.isnan(values).any(axis=0)]
    if math.isnan(ends[0]):
        return *ends, False
    if is_two_valued(values):
        return *(_exact_ends(values, pair, margin, ends, options.alpha / 2) if margin else ends), False
    low, high = ends
    wide = interval_with_unseen(values[0] - values[1], confidence=1 - options.alpha)
    for at in (margin, 0.0, -margin):
        if wide[0] <= at < low:
            low = at
        if high < -at <= wide[1]:
            high = -at
    return low, high, wide[0] <= 0 <= wide[1]


def _exact_ends(
    values: FloatArray, pair: Pair, margin: float, ends: tuple[float, float], level: float
) -> tuple[float, float]:
    scale = float(np.ptp(values)) or 1.0
    n, share = values.shape[1], margin / scale
    wins, losses = round(pair.wins), round(pair.losses)
    low, high = ends
    # The upper end is minus the lower one of the opposite difference.
    low = _exact_end(low, (wins, losses, n), share, scale, level)
    return low, -_exact_end(-high, (losses, wins, n), share, scale, level)


def _exact_end(low: float, counts: tuple[int, int, int], share: float, scale: float, level: float) -> float:
    hair = _HAIR * share * scale
    for at in (-share, share):
        # What is shown to be above 0 is above every edge below 0.
        if not (low > 0 and at < 0) and shares_exceed(*counts, at, level=level) > level:
            return min(low, at * scale)
        low = max(low, at * scale + hair)
    return low


def _scores(table: GateTable, pair: Pair, options: GateOptions) -> tuple[float, float]:
    """Return the scores of baseline and candidate, in the metric's own direction."""
    if isinstance(table, Matches):
        return 1 - pair.effect, pair.effect
    chosen = table.select((options.baseline, options.candidate))
    if isinstance(chosen, Counts):
        both: FloatArray = np.asarray(chosen.pooled())
    else:
        scores = chosen.to_scores() if isinstance(chosen, Runs) else chosen
        both = scores.complete(missing=options.missing).values.mean(axis=1)
    return float(both[0]), float(both[1])


def _unit(result: PairwiseTable) -> str:
    if result.units in _BATTLES:
        return "battles"
    return "documents" if "groups" in (result.units, result.settings.options.get("units")) else "items"


def _number(table: GateTable, result: PairwiseTable, pair: Pair) -> int:
    """Return the number of units; of battles those of all systems, which inform the strengths."""
    if isinstance(table, Matches):
        return round(table.n_matches)
    if result.units in ("groups", "runs"):
        return result.n_units
    return round(pair.wins + pair.ties + pair.losses)


def verdict_of(one: Standing, margin: float, adjusted: float, alpha: float) -> str:
    """Return the verdict on one row; `adjusted` is its p-value after correction over all rows.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.gate([0, 1, 1, 0, 1, 1] * 4, [1, 0, 1, 0, 1, 1] * 4, margin=0.2).verdict
    'undecided'
    """
    is_different = adjusted <= alpha and not one.may_be_equal
    if one.effect > 0 and is_different:
        return "better"
    if one.is_within:
        return "equivalent" if one.high < margin else "pass"
    return "fail" if one.effect < 0 and is_different else "undecided"
