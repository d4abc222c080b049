"""Intervals of strengths, and of differences of corpus scores: which method belongs to which strength."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from betterthan import __version__
from betterthan.analysis.aggregations import Aggregation
from betterthan.analysis.pairwise import Decision
from betterthan.analysis.ranking import Wish
from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError, some_of
from betterthan.kernels.counts_permutation import counts_bootstrap_block
from betterthan.kernels.intervals import bca_interval, percentile_interval
from betterthan.kernels.proportion_intervals import wilson_interval
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.scores import Scores

RESAMPLES = 2000
_JACKKNIFE_ROWS = 256
_ROUNDING = 1e-12
_OF_WINS = ("win_rate", "bradley_terry")


class Basis(NamedTuple):
    """What the intervals of strengths rest on; everything in terms of goodness.

    Attributes
    ----------
    name : str
        Of the mechanism.
    strength : array, shape (m,)
    draws : array, shape (n_resamples, m)
        Strengths in bootstrap samples; rows of NaN had none.
    jackknife : callable, optional
        Gives the strengths without each unit in turn, shape (n_units, m).
    """

    name: str
    strength: FloatArray
    draws: FloatArray
    jackknife: Callable[[], FloatArray] | None


class StrengthLimits(NamedTuple):
    """Intervals of strengths in the order of the table.

    Attributes
    ----------
    low, high : array, shape (m,)
    method : str
        As settings show it: the kind of interval, and the number of resamples where some were drawn.
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


def strength_limits(scores: Scores, units: Units, basis: Basis, wish: Wish) -> StrengthLimits:
    """Intervals of strengths of a table of scores, in terms of goodness."""
    low, high, notes = _resampled_limits(basis, units, wish)
    low, high, more = _with_spread(low, high, scores, basis, units, wish.confidence)
    kind = "bca" if wish.interval == "bca" else "percentile"
    return StrengthLimits(low, high, f"{kind},{len(basis.draws)}", (*notes, *more))


def without_each_unit(method: Aggregation, goodness: FloatArray, units: Units) -> FloatArray:
    """Strengths without each unit in turn, shape (n_units, m)."""
    rng = np.random.default_rng(0)  # never drawn from: aggregations draw nothing
    parts = []
    for start in range(0, units.n_units, _JACKKNIFE_ROWS):
        left_out = np.arange(start, min(start + _JACKKNIFE_ROWS, units.n_units))
        weights = (units.of_segment[None, :] != left_out[:, None]).astype(np.float64)
        parts.append(method.resampled(goodness, weights, rng))
    return np.concatenate(parts)


def _resampled_limits(
    basis: Basis, units: Units, wish: Wish
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    whole = np.asarray(~np.isnan(basis.draws).any(axis=1))
    lost = int((~whole).sum())
    notes = (
        (f"{lost:,} of {len(whole):,} bootstrap samples had no strengths and were left out.",) if lost else ()
    )
    if not whole.any():
        missing = np.full(basis.strength.size, np.nan)
        return missing, missing, notes
    if wish.interval != "bca":
        return *percentile_interval(basis.draws[whole], wish.confidence), notes
    if basis.jackknife is None:
        raise BetterThanError(f'interval="bca" is not known for {basis.name}. Use interval="percentile".')
    if units.n_units < 2:
        raise BetterThanError('interval="bca" leaves out one segment at a time, and there is only one.')
    limits = bca_interval(basis.draws[whole], basis.strength, basis.jackknife(), confidence=wish.confidence)
    return *limits, notes


def _with_spread(
    low: FloatArray, high: FloatArray, scores: Scores, basis: Basis, units: Units, confidence: float
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Mend intervals of no width: segments that all say the same do not make a strength certain.

    Shares of 0 or 1 (win rates, and means of nothing but 0 and 1) get Wilson's interval; nothing is known of others. A
    median of scores that do vary may well be certain.
    """
    drawn = basis.draws[~np.isnan(basis.draws).any(axis=1)]
    if len(drawn) < 2:
        return low, high, ()
    alike = np.ptp(scores.values, axis=1) == 0 if basis.name not in _OF_WINS else True
    still = alike & (np.ptp(drawn, axis=0) <= _ROUNDING * np.abs(basis.strength))
    are_shares = basis.name == "win_rate" or (
        basis.name == "mean" and bool(np.isin(scores.values, (0, 1)).all())
    )
    sure = still & are_shares & np.isin(np.abs(basis.strength), (0, 1))
    n = np.full(low.size, float(units.n_units))
    shares = np.where(sure, np.abs(basis.strength), 0.0)
    ends = np.array(wilson_interval(shares * n, n, confidence=confidence))
    if (
        are_shares and (basis.strength < 0).any()
    ):  # of what is better when lower, goodness is the share negated
        ends = -ends[::-1]
    low, high = (
        np.where(sure, end, np.where(still, np.nan, old)) for end, old in zip(ends, (low, high), strict=True)
    )
    names = np.array(scores.systems, dtype=object)
    notes = []
    if sure.any():
        notes.append(
            f"All segments say the same of {some_of(names[sure])}: the interval is Wilson's, not the bootstrap's."
        )
    if (still & ~sure).any():
        notes.append(
            f"All segments say the same of {some_of(names[still & ~sure])}: "
            f"resampling cannot tell how sure that is, hence no interval."
        )
    return low, high, tuple(notes)


# --- Scores of summed counts ----------------------------------------------------------------------------------


def pooled_limits(counts: Counts, values: FloatArray, wish: Wish) -> StrengthLimits:
    """Intervals of corpus scores, on the metric's own scale; `values` are the counts of each unit, (m, n_units, k)."""
    if wish.interval not in ("default", "percentile"):
        raise BetterThanError('Intervals of pooled scores are interval="percentile".')
    n_units = values.shape[1]
    n_resamples = wish.n_resamples or RESAMPLES
    blocks = block_ranges(n_resamples, 24 * n_units + 32 * counts.n_systems * len(counts.columns))
    job: Job[Any, FloatArray] = Job(
        name=f"bootstrap of {counts.formula.name} ({n_resamples:,} resamples)",
        function=_drawn_scores,
        payload=(values, counts.formula, wish.seed, "bootstrap of pooled scores", blocks),
        n_blocks=len(blocks),
        digest=f"{counts.digest} pooled {n_units} {n_resamples} {wish.seed} {__version__}",
    )
    draws = np.concatenate(wish.computing.run(job))
    low, high = percentile_interval(draws, wish.confidence)
    return StrengthLimits(low, high, f"percentile,{len(draws)}")


def pooled_difference_limits(counts: Counts, values: FloatArray, decision: Decision) -> DifferenceLimits:
    """Intervals of the differences of corpus scores; `values` are the counts of each unit, (m, n_units, k)."""
    m, n_units, k = values.shape
    blocks = block_ranges(RESAMPLES, 8 * (3 * n_units + 4 * m * k))
    name = "bootstrap of counts"
    job: Job[Any, FloatArray] = Job(
        name=f"{name} ({RESAMPLES:,} resamples)",
        function=_drawn_scores,
        payload=(values, counts.formula, decision.seed, name, blocks),
        n_blocks=len(blocks),
        digest=f"{counts.digest} {name} {n_units} {RESAMPLES} {decision.seed} {__version__}",
    )
    side = 1.0 if counts.higher_is_better else -1.0
    draws = side * np.concatenate(decision.computing.run(job))
    limits = [percentile_interval(draws[:, a, None] - draws, decision.confidence) for a in range(m)]
    covariance = np.cov(draws, rowvar=False)
    spread = np.diag(covariance)
    variance = np.maximum(spread[:, None] + spread[None, :] - 2 * covariance, 0.0)
    low, high = (np.array([limit[end] for limit in limits]) for end in (0, 1))
    return DifferenceLimits(low, high, np.sqrt(variance))


def _drawn_scores(payload: tuple[FloatArray, Formula, int, str, tuple[range, ...]], block: int) -> FloatArray:
    values, formula, seed, name, blocks = payload
    rng = stream(seed, name, block)
    return counts_bootstrap_block(values, len(blocks[block]), rng, formula=formula.pooled)
