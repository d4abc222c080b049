"""Rank systems that met in matches, such as the battles of an arena."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan import __version__
from betterthan.analysis.aggregations import NAMES, SCALES, log_strengths, win_rates
from betterthan.analysis.compare_matches import compare_matches
from betterthan.analysis.matches import TiesModel, fit_matches, fitted, ties_note
from betterthan.analysis.ordered import UNITS, Play, in_order, rated, refuse_too_many
from betterthan.analysis.ranking import Strengths, Wish, ranking
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError, NotEstimable, unknown_name
from betterthan.kernels.cells import resampled_match_counts
from betterthan.kernels.intervals import normal_interval, percentile_interval
from betterthan.kernels.match_order import MatchList
from betterthan.kernels.wins import WinCounts
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.settings import Option
from betterthan.tables.matches import Matches

RESAMPLES = 2000
HELP = 0.5  # prior of the tests behind win rates, Elo and TrueSkill where strengths do not exist
Limits = tuple[FloatArray, FloatArray, str]


def rank_matches(matches: Matches, wish: Wish) -> Ranking:
    """Rank by Bradley–Terry with robust intervals, by win rate, or by Elo and TrueSkill."""
    by = "bradley_terry" if wish.by is None else wish.by
    if callable(by) or by not in ("bradley_terry", "win_rate", "elo", "trueskill"):
        if isinstance(by, str) and by not in (*NAMES, "pooled"):
            raise unknown_name("method", by, NAMES)
        raise BetterThanError(
            "Matches have no scores to average. Rank them by bradley_terry, win_rate, elo or trueskill."
        )
    ties = "half" if wish.ties == "default" else wish.ties
    counts = WinCounts(np.asarray(matches.wins()), np.asarray(matches.ties()))
    make = {"bradley_terry": _bradley_terry, "win_rate": _win_rate}.get(by, _ordered)
    strength, (low, high, kind), spread, options = make(matches, counts, ties, by, wish)
    pairs, about = _pairs(matches, by, ties, wish)
    found = Strengths(
        systems=matches.systems,
        method=by,
        unit=_unit(by, wish.scale),
        strength=strength,
        low=low,
        high=high,
        higher_is_better=True,
        data=matches.digest,
        n_segments=None,
        order_spread=spread,
        options={"matches": round(matches.n_matches), **options, "ci": f"{100 * wish.confidence:g},{kind}"},
        notes=(*matches.notes, *ties_note(counts, ties), *_weakest(matches, counts), *about),
        drew=kind not in {"robust", "clustered", "model"},
    )
    return ranking(found, pairs, wish)


def _pairs(matches: Matches, by: str, ties: str, wish: Wish) -> tuple[PairwiseTable, tuple[str, ...]]:
    """The tests of all pairs; with a prior, which is said, where strengths are not asked for and do not exist."""
    tested: TiesModel = "half" if ties == "davidson" else ties  # type: ignore[assignment]  # checked by the wish
    try:
        return compare_matches(matches, tested, wish.decision(), prior=wish.prior), ()
    except NotEstimable:
        if by == "bradley_terry":
            raise
    note = f"Spread and groups rest on Bradley–Terry strengths, which exist here only with a prior of {HELP}."
    return compare_matches(matches, tested, wish.decision(), prior=HELP), (note,)


def _unit(by: str, scale: str) -> str:
    named = {
        "bradley_terry": SCALES.get(scale, ("",))[0],
        "win_rate": "share of matches won, ties half",
        **UNITS,
    }
    return named[by]


_Made = tuple[FloatArray, Limits, FloatArray | None, dict[str, Option]]


def _bradley_terry(matches: Matches, counts: WinCounts, ties: str, _by: str, wish: Wish) -> _Made:
    if wish.scale not in SCALES:
        raise unknown_name("scale", wish.scale, SCALES)
    to_scale = SCALES[wish.scale][1]
    theta = fitted(counts, matches.systems, ties=ties, prior=wish.prior)
    options: dict[str, Option] = {"ties": ties, "prior": wish.prior or None, "scale": wish.scale}
    if wish.interval in ("default", "robust") and ties != "davidson":
        fit = fit_matches(matches, ties=ties, prior=wish.prior)  # type: ignore[arg-type]
        error = np.sqrt(np.diag(fit.covariance))
        low, high = normal_interval(theta, error, confidence=wish.confidence)
        kind = "clustered" if matches.group is not None else "model" if wish.prior else "robust"
        return to_scale(theta), (*_on_scale(theta, low, high, wish.scale), kind), None, options
    if matches.group is not None:
        raise BetterThanError('Matches with groups need interval="robust", which knows their clusters.')
    draws = to_scale(_drawn(matches, counts, wish, ties))
    low, high = percentile_interval(draws[~np.isnan(draws).any(axis=1)], wish.confidence)
    return to_scale(theta), (low, high, f"percentile,{len(draws)}"), None, options


def _on_scale(
    theta: FloatArray, low: FloatArray, high: FloatArray, scale: str
) -> tuple[FloatArray, FloatArray]:
    """Move the limits of each log strength to the scale, the others staying where they are."""
    to_scale = SCALES[scale][1]
    m = theta.size
    ends = []
    for limit in (low, high):
        moved = np.tile(theta, (m, 1))
        np.fill_diagonal(moved, limit)
        ends.append(np.diagonal(to_scale(moved)).copy())
    return ends[0], ends[1]


def _drawn(matches: Matches, counts: WinCounts, wish: Wish, ties: str) -> FloatArray:
    n_resamples = wish.n_resamples or RESAMPLES
    blocks = block_ranges(n_resamples, 64 * matches.n_systems**2)
    job: Job[Any, FloatArray] = Job(
        name=f"bootstrap of Bradley–Terry ({n_resamples:,} resamples)",
        function=_block,
        payload=(counts, ties, wish.prior, wish.seed, blocks),
        n_blocks=len(blocks),
        digest=f"{matches.digest} {ties} {wish.prior} {n_resamples} {wish.seed} {__version__}",
        uses="processes" if ties == "davidson" else "threads",
    )
    return np.concatenate(wish.computing.run(job))


def _block(payload: tuple[WinCounts, str, float, int, tuple[range, ...]], block: int) -> FloatArray:
    counts, ties, prior, seed, blocks = payload
    rng = stream(seed, "bootstrap of matches", block)
    drawn = resampled_match_counts(counts.wins, counts.ties, len(blocks[block]), rng)
    return log_strengths(drawn, ties=ties, prior=prior)


def _win_rate(_matches: Matches, counts: WinCounts, _ties: str, _by: str, wish: Wish) -> _Made:
    """Win rates, with the binomial error of what each system played (ties vary less, so this is safe)."""
    rate = win_rates(counts)
    played = (counts.wins + counts.wins.T + counts.ties).sum(axis=1)
    error = np.sqrt(rate * (1 - rate) / played)
    low, high = normal_interval(rate, error, confidence=wish.confidence)
    return rate, (np.maximum(low, 0.0), np.minimum(high, 1.0), "robust"), None, {}


def _ordered(matches: Matches, _counts: WinCounts, _ties: str, by: str, wish: Wish) -> _Made:
    refuse_too_many(by, matches.n_matches)
    listed = in_order(_listed(matches), wish.order)
    t = listed.left.size
    clusters = _clusters(matches) if wish.order == "shuffled" else np.arange(t)
    found = rated(
        Play(
            by=by,
            matches=listed,
            unit_of_match=clusters,
            n_systems=matches.n_systems,
            n_units=int(clusters.max()) + 1,
            order=wish.order,
            n_orders=wish.n_orders,
            n_resamples=wish.n_resamples,
            seed=wish.seed,
            digest=matches.digest,
            computing=wish.computing,
        )
    )
    low, high = percentile_interval(found.draws, wish.confidence)
    orders = None if found.order_spread is None else wish.n_orders
    options: dict[str, Option] = {"order": wish.order, "orders": orders}
    return found.strength, (low, high, f"percentile,{len(found.draws)}"), found.order_spread, options


def _clusters(matches: Matches) -> IntArray:
    """What is drawn as one: all matches of a judge or session, or each match by itself."""
    times = np.rint(matches.weight).astype(np.int64)
    if matches.group is None:
        return np.arange(int(times.sum()))
    return np.unique(np.repeat(matches.group, times), return_inverse=True)[1].astype(np.int64)


def _listed(matches: Matches) -> MatchList:
    """Every match by itself; an aggregated row stands as often as its weight says."""
    times = np.rint(matches.weight).astype(np.int64)
    if not np.allclose(times, matches.weight):
        raise BetterThanError(
            "Elo and TrueSkill play whole matches; these have weights that are not whole numbers."
        )
    segment = None if matches.segment is None else np.repeat(matches.segment, times)
    return MatchList(
        np.repeat(matches.left, times),
        np.repeat(matches.right, times),
        np.repeat(matches.outcome, times),
        segment,
    )


def _weakest(matches: Matches, counts: WinCounts) -> tuple[str, ...]:
    played = (counts.wins + counts.wins.T + counts.ties).sum(axis=1)
    i = int(np.argmin(played))
    return (f"Fewest matches: {matches.systems[i]} with {played[i]:,.10g}.",)
