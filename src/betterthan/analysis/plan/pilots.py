"""What a pilot shows of a design: how much differences vary, and how well that is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import betaincinv, expit, ndtri

from betterthan.analysis.compare.compare_runs import design_of
from betterthan.analysis.matches.match_units import units_of_matches
from betterthan.analysis.matches.matches import added_up, fit_matches
from betterthan.analysis.plan.designs import BattlesDesign, Design, Means, RightWrong
from betterthan.analysis.units import UnitName, Units, units_of
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import stream
from betterthan.errors import NotEstimable, TableError
from betterthan.kernels.resampling.resample import unit_sums
from betterthan.kernels.runs.components import SOURCES, component_draws, components
from betterthan.kernels.significance.power import variance_error
from betterthan.tables.checks import positions
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

PilotTable = Scores | Counts | Matches | Runs | Ratings
Ends = Callable[[float, float], tuple[Design, Design]]
"""From a difference and its distance in standard errors to designs that need less and more data."""
_DRAWS = 4000
_SEED = 12345
_ROUNDING = 1e-12
"""Share of the largest variance below which another is nothing but rounding."""
_TOO_SMALL = "A pilot of {} {} is too small."
_SAME_EVERYWHERE = "The systems differ by the same amount everywhere, so no number is needed to show it."


class Pilot(NamedTuple):
    """A design as a pilot shows it.

    Attributes
    ----------
    design : Design
    ends : callable
        Designs at both ends of what the pilot leaves possible.
    n : int
        Units of the pilot.
    systems : tuple of str
    measured : str
        The metric and its direction.
    digest : str
    notes : tuple of str
    observed : float
        The difference of a pair in the pilot; NaN for all pairs together.
    """

    design: Design
    ends: Ends
    n: int
    systems: tuple[str, ...]
    measured: str
    digest: str
    notes: tuple[str, ...]
    observed: float = math.nan


class PilotOptions(NamedTuple):
    """Which systems, and how the table is read.

    Attributes
    ----------
    systems : tuple of str, optional
        Of these; all by default.
    units : {"auto", "segments", "groups"}
    missing : {"raise", "drop"}
    repeats : int, optional
        Runs of each system or judgments of each item; as many as in the pilot by default.
    confidence : float
        Of the ends.
    """

    systems: tuple[str, ...] | None
    units: UnitName
    missing: Literal["raise", "drop"]
    repeats: int | None
    confidence: float


def pilot_of(table: PilotTable, options: PilotOptions) -> Pilot:
    """Return what a table shows of the design, for a pair of systems or a typical pair of several."""
    systems = table.systems if options.systems is None else options.systems
    if len(systems) < 2:
        raise TableError(
            f"A pilot needs two or more systems, and there is only {', '.join(systems) or 'none'}."
        )
    if isinstance(table, Matches):
        return _of_battles(table, options)
    if isinstance(table, Runs):
        return _of_runs(table, options)
    if isinstance(table, Ratings):
        return _of_ratings(table, options)
    chosen = table if options.systems is None else table.select(options.systems)
    if isinstance(chosen, Counts):
        units = units_of(chosen, options.units)
        side = 1.0 if chosen.higher_is_better else -1.0
        pooled = side * chosen.pooled()
        return _of_means(_influences(chosen, units), units, pooled, chosen, "corpus scores", options)
    return _of_scores(chosen.complete(missing=options.missing), options)


def _of_scores(scores: Scores, options: PilotOptions) -> Pilot:
    units = units_of(scores, options.units)
    goodness = scores.goodness
    if scores.is_binary and units.are_segments:
        return _of_right_wrong(scores, options)
    mean = goodness.mean(axis=1)
    around = units.summed(goodness - mean[:, None]) / (goodness.shape[1] / units.n_units)
    return _of_means(around, units, mean, scores, "scores", options)


def _of_means(
    around: FloatArray,
    units: Units,
    mean: FloatArray,
    table: Scores | Counts,
    of: str,
    options: PilotOptions,
) -> Pilot:
    """Design of means from the deviations of each unit, shape (m, units), whose mean squares are the variances."""
    squares = _between_systems(around)
    n = units.n_units
    if n < 3:
        unit = "item" if units.are_segments else "document"
        raise NotEstimable(_TOO_SMALL.format(n, unit if n == 1 else f"{unit}s"))
    variance = math.fsum(squares.tolist()) / (n - 1)
    if not variance > 0:
        raise NotEstimable(_SAME_EVERYWHERE)
    size = 1.0 if units.are_segments else table.n_segments / n
    # For documents the variance is that of their means, whatever their correlation within.
    design = Means(math.sqrt(variance * size), size=size, of=of)
    error = variance_error(squares, variance)
    return Pilot(
        design=design,
        ends=_scaled_ends(design, error, options.confidence),
        n=n,
        systems=table.systems,
        measured=f"{table.name}, {table.direction}",
        digest=table.digest,
        notes=table.notes,
        observed=float(mean[0] - mean[1]) if len(mean) == 2 else math.nan,
    )


def _scaled_ends(design: Means, error: float, confidence: float) -> Ends:
    """Designs with the variance at the ends of its interval, which is symmetric on the logarithmic scale."""
    factor = math.exp(-float(ndtri((1 - confidence) / 2)) * error / 2)
    low, high = (design._replace(sd=design.sd * each) for each in (1 / factor, factor))
    return lambda _difference, _reach: (low, high)


def _between_systems(values: FloatArray) -> FloatArray:
    """Return the mean over pairs of systems of their squared differences, for each column of (m, n)."""
    centred = values - values.mean(axis=0)
    return np.asarray((centred**2).sum(axis=0) * (2.0 / (len(values) - 1)))


def _of_right_wrong(scores: Scores, options: PilotOptions) -> Pilot:
    goodness = scores.goodness
    n = goodness.shape[1]
    discordant = _between_systems(goodness)
    share = float(discordant.mean())
    if share == 0:
        raise NotEstimable(
            "The systems are right and wrong on the same items, so a pilot of this size shows no discordance."
        )
    # Items of several pairs are worth more than one, and the interval is that of as many independent pairs.
    spread = float(discordant.var())
    worth = n * min(share * (1 - share) / spread, (len(goodness) - 1)) if 0 < share < 1 and spread > 0 else n
    tail = (1 - options.confidence) / 2
    hits = share * worth
    low = float(betaincinv(hits, worth - hits + 1, tail))
    high = float(betaincinv(hits + 1, worth - hits, 1 - tail)) if share < 1 else 1.0
    ends = (RightWrong(low, is_estimate=True), RightWrong(high, is_estimate=True))
    mean = goodness.mean(axis=1)
    return Pilot(
        design=RightWrong(share, is_estimate=True),
        ends=lambda _difference, _reach: ends,
        n=n,
        systems=scores.systems,
        measured=f"{scores.name}, {scores.direction}",
        digest=scores.digest,
        notes=scores.notes,
        observed=float(mean[0] - mean[1]) if len(mean) == 2 else math.nan,
    )


def _influences(counts: Counts, units: Units) -> FloatArray:
    r"""Return how much each unit moves the corpus score of each system, shape (m, units).

    To first order a corpus score f varies like the mean of :math:`n\, \nabla f(C) \cdot (c_i - C / n)`.
    """
    values = (
        counts.values
        if units.are_segments
        else np.stack([unit_sums(each.T, units.of_segment, units.n_units).T for each in counts.values])
    )
    totals = values.sum(axis=1)
    n = units.n_units
    result = np.empty((len(totals), n))
    for row, (own, total) in enumerate(zip(values, totals, strict=True)):
        step = np.diag(1e-4 * np.maximum(np.abs(total), 1.0))
        slopes = np.asarray(counts.formula.pooled(total + step)) - np.asarray(
            counts.formula.pooled(total - step)
        )
        gradient = slopes / (2 * np.diag(step))
        result[row] = n * ((own - total / n) @ gradient)
    if not np.isfinite(result).all():
        raise NotEstimable(f"The score {counts.formula.name} of the pilot has no gradient.")
    return result


def _of_battles(matches: Matches, options: PilotOptions) -> Pilot:
    """Design of battles: robust variances of the log strengths, as in the Wald tests, of a pair or of typical ones."""
    summed = added_up(matches)
    fit = fit_matches(summed)
    systems = matches.systems
    m, total = len(systems), summed.n_matches
    chosen = positions(options.systems, systems, what="system")
    errors = fit.pair_errors[np.ix_(chosen, chosen)][np.triu_indices(len(chosen), 1)]
    if not np.isfinite(errors).all() or not (errors > 0).all():
        raise NotEstimable(
            "Standard errors of these battles are not available, so nothing can be planned from them."
        )
    variance = float(np.mean(errors**2)) * total
    ties = float(summed.weight[summed.outcome == 0.5].sum() / total)
    design = BattlesDesign(ties, m, variance)
    error = _battle_error(summed, fit.log_strength, chosen)
    factor = math.exp(-float(ndtri((1 - options.confidence) / 2)) * error)
    ends = (design._replace(variance=variance / factor), design._replace(variance=variance * factor))
    strength = fit.log_strength[chosen]
    return Pilot(
        design=design,
        ends=lambda _difference, _reach: ends,
        n=round(total),
        systems=tuple(systems[i] for i in chosen),
        measured="battles",
        digest=matches.digest,
        notes=matches.notes,
        observed=float(expit(strength[0] - strength[1]) - 0.5) if len(chosen) == 2 else math.nan,
    )


def _battle_error(matches: Matches, strength: FloatArray, chosen: IntArray) -> float:
    """Return the relative standard error of the variance: how much squared influences vary between units."""
    m = len(strength)
    chance = expit(strength[matches.left] - strength[matches.right])
    information = np.zeros((m, m))
    weight = matches.weight * chance * (1 - chance)
    np.add.at(information, (matches.left, matches.right), -weight)
    information += information.T
    np.fill_diagonal(information, -information.sum(axis=1))
    inverse = np.linalg.pinv(information)[chosen]
    units = units_of_matches(matches)
    pull = (inverse[:, matches.left] - inverse[:, matches.right]) * (matches.outcome - chance)
    if units:
        codes = np.unique(units[0].code, return_inverse=True)[1].reshape(-1)
        sums: FloatArray = np.stack(
            [np.bincount(codes, weights=row * matches.weight) for row in pull], dtype=float
        )
        squares, count = _between_systems(sums), np.ones(sums.shape[1])
    else:
        squares, count = _between_systems(pull), matches.weight
    total, n = float(count @ squares), float(count.sum())
    return math.sqrt(max(float(count @ squares**2) / total**2 - 1 / n, 0.0))


def _of_runs(runs: Runs, options: PilotOptions) -> Pilot:
    """Design of runs: variance components of the systems, and draws of them for the ends."""
    chosen = runs if options.systems is None else runs.select(options.systems)
    planned = design_of(chosen, "items and runs", "mean", options.missing)
    whole = planned.runs
    if whole.n_segments < 3:
        raise NotEstimable(_TOO_SMALL.format(whole.n_segments, "item" if whole.n_segments == 1 else "items"))
    shape = (whole.n_systems, whole.n_segments, len(whole.runs))
    found = components(whole.system, whole.segment, whole.run, whole.goodness, shape=shape)
    if found.sources != SOURCES:
        scores = _of_scores(whole.to_scores(), options)
        return scores._replace(notes=(*scores.notes, *planned.notes))
    repeats = options.repeats or max(1, round(found.n_runs))
    of = "scores" if planned.over == "items" else "runs"
    parts = np.maximum(found.variance[2:], 0.0)
    parts[parts < _ROUNDING * parts.max()] = 0.0
    if not parts.any():
        raise NotEstimable(_SAME_EVERYWHERE)
    drawn = np.maximum(component_draws(found, _DRAWS, stream(_SEED, "variance components", 0))[:, 2:], 0.0)
    tail = (1 - options.confidence) / 2

    def ends(difference: float, reach: float) -> tuple[Design, Design]:
        designs = [_runs_design(draw, repeats, of) for draw in drawn]
        order = np.argsort([each.roughly(difference, reach) for each in designs], kind="stable")
        places = (math.floor(tail * (_DRAWS - 1)), math.ceil((1 - tail) * (_DRAWS - 1)))
        low, high = (designs[int(order[place])] for place in places)
        return low, high

    mean = whole.to_scores().goodness.mean(axis=1)
    return Pilot(
        design=_runs_design(parts, repeats, of),
        ends=ends,
        n=whole.n_segments,
        systems=whole.systems,
        measured=f"{whole.name}, {whole.direction}",
        digest=whole.digest,
        notes=(*runs.notes, *planned.notes),
        observed=float(mean[0] - mean[1]) if len(mean) == 2 else math.nan,
    )


def _runs_design(parts: FloatArray, repeats: int, of: str) -> Means:
    own, between, noise = (math.sqrt(each) for each in parts.tolist())
    is_whole = of == "runs"
    return Means(math.sqrt(2) * own, noise, between if is_whole else 0.0, repeats, of=of)


def _of_ratings(ratings: Ratings, options: PilotOptions) -> Pilot:
    """Design of judgments: the means over judges of each item."""
    scores = ratings.to_scores()
    chosen = scores if options.systems is None else scores.select(options.systems)
    return _of_scores(chosen.complete(missing=options.missing), options)
