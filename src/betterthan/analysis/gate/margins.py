"""One comparison of a candidate with a baseline, set against a margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.compare.compare_runs import Over
from betterthan.analysis.units import UnitName
from betterthan.arrays import FloatArray
from betterthan.kernels.intervals.mean_differences import is_two_valued
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
    compared: PairwiseTable


def standing(table: GateTable, margin: float, options: GateOptions) -> Standing:
    """Compare candidate and baseline as :func:`betterthan.compare` does, and set the interval against the margin.

    For scores of two values on single items the margin is tested exactly
    (:func:`betterthan.kernels.significance.paired_shares.shares_exceed`), and an end of the interval on the wrong side
    of the margin is moved to it, as `compare` does at 0.
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
    if isinstance(table, Scores) and result.units == "segments":
        low, high = _exact_ends(table, pair, margin, (low, high), options)
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
        is_within=is_better or (margin > 0 and low > -margin),
        compared=result,
    )


def _exact_ends(
    scores: Scores, pair: Pair, margin: float, ends: tuple[float, float], options: GateOptions
) -> tuple[float, float]:
    """Return the ends of the interval on the sides of both margins that the exact tests say; for two values only."""
    values = scores.select((options.candidate, options.baseline)).goodness
    values = values[:, ~np.isnan(values).any(axis=0)]
    if not margin or not is_two_valued(values):
        return ends
    scale = float(np.ptp(values)) or 1.0
    n, share = values.shape[1], margin / scale
    wins, losses = round(pair.wins), round(pair.losses)
    level = options.alpha / 2
    above = {at: shares_exceed(wins, losses, n, at) <= level for at in (-share, share)}
    below = {at: shares_exceed(losses, wins, n, -at) <= level for at in (-share, share)}
    low, high = ends
    hair = _HAIR * margin
    for at in (-share, share):
        # What is shown to be above 0 is above every edge below 0.
        is_above = above[at] or (low > 0 and at < 0)
        low = max(low, at * scale + hair) if is_above else min(low, at * scale)
    for at in (share, -share):
        is_below = below[at] or (high < 0 and at > 0)
        high = min(high, at * scale - hair) if is_below else max(high, at * scale)
    return low, high


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
    is_different = adjusted <= alpha
    if one.effect > 0 and is_different:
        return "better"
    if one.is_within:
        return "equivalent" if one.high < margin else "pass"
    return "fail" if one.effect < 0 and is_different else "undecided"
