"""Rank systems by their scores on shared segments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from betterthan.analysis.aggregations import ORDERED, Aggregation, aggregation
from betterthan.analysis.compare import compare
from betterthan.analysis.detectable import detectable
from betterthan.analysis.matches import check_connected, ties_note
from betterthan.analysis.ordered import UNITS, Play, in_order, rated, refuse_too_many, shown_rating
from betterthan.analysis.ranking import FEW_SEGMENTS, Strengths, Wish, ranking
from betterthan.analysis.resampling import Bootstrap, bootstrap
from betterthan.analysis.significance import OWN_TEST, TESTS
from betterthan.analysis.strength_intervals import RESAMPLES, Basis, strength_limits, without_each_unit
from betterthan.analysis.strength_test import compare_draws
from betterthan.analysis.units import Units, units_of
from betterthan.analysis.wording import counted
from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import BetterThanError, NotEstimable
from betterthan.kernels.davidson import davidson_exists
from betterthan.kernels.match_order import score_matches
from betterthan.kernels.wins import win_counts, with_ties
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.settings import Option
from betterthan.tables.scores import Scores

MANY_PAIRS = 1000  # beyond, certain p-values of every pair would take minutes
HELP = 0.5  # wins and losses that every system gets where a bootstrap sample has no strengths

By = str | Callable[[FloatArray], FloatArray]


class _Estimated(NamedTuple):
    """Strengths in terms of goodness, their bootstrap draws, and what is to be said about them."""

    name: str
    unit: str
    n_units: int
    strength: FloatArray
    draws: FloatArray
    order_spread: FloatArray | None
    jackknife: Callable[[], FloatArray] | None
    options: dict[str, Option]
    notes: tuple[str, ...]


def rank_scores(scores: Scores, wish: Wish) -> Ranking:
    """Rank by any mechanism, with paired bootstrap intervals and the mechanism's own test."""
    complete = scores.complete(missing=wish.missing)  # type: ignore[arg-type]  # checked by the wish
    by: By = "mean" if wish.by is None else wish.by
    if isinstance(by, str) and by in ("pooled", "segment_mean", "bootstrap_mean"):
        raise BetterThanError(f'by="{by}" is for counts, such as corpus BLEU. Rank scores by="mean".')
    if wish.interval == "robust":
        raise BetterThanError(
            'interval="robust" is for matches. Use interval="percentile" or "bca" for scores.'
        )
    units = units_of(complete, wish.units)
    if isinstance(by, str) and by in ORDERED:
        found = _ordered(complete, by, units, wish)
    else:
        found = _aggregated(complete, by, units, wish)
    ranked = ranking(_strengths(complete, found, wish), _pairs(complete, found, by, wish), wish)
    return replace(ranked, segments_needed=_segments_needed(complete, ranked, wish))


def _ordered(scores: Scores, by: str, units: Units, wish: Wish) -> _Estimated:
    refuse_too_many(by, scores.n_systems * (scores.n_systems - 1) // 2 * scores.n_segments)
    matches = in_order(score_matches(scores.goodness), wish.order)
    segment = np.arange(0) if matches.segment is None else matches.segment
    found = rated(
        Play(
            by=by,
            matches=matches,
            unit_of_match=units.of_segment[segment],
            n_systems=scores.n_systems,
            n_units=units.n_units,
            order=wish.order,
            n_orders=wish.n_orders,
            rating=wish.rating,
            n_resamples=wish.n_resamples,
            seed=wish.seed,
            digest=scores.digest,
            computing=wish.computing,
        )
    )
    orders = wish.n_orders if wish.order == "shuffled" else None
    return _Estimated(
        name=by,
        unit=UNITS[by],
        n_units=units.n_units,
        strength=found.strength,
        draws=found.draws,
        order_spread=found.order_spread,
        jackknife=None,
        options={"order": wish.order, "orders": orders, "rating": shown_rating(by, wish.rating)},
        notes=(),
    )


def _aggregated(scores: Scores, by: By, units: Units, wish: Wish) -> _Estimated:
    ties = "drop" if wish.ties == "default" else wish.ties
    method = aggregation(by, ties=ties, prior=wish.prior, scale=wish.scale)
    is_model = by == "bradley_terry"
    notes = _about_wins(scores, ties, wish.prior) if is_model else ()
    strength = _checked(method, scores)
    draws = _drawn(method, scores, units, wish, f"{ties} {wish.prior} {wish.scale}")
    lost = np.asarray(np.isnan(draws).any(axis=1))
    if is_model and ties != "davidson" and lost.any():
        # Without these the interval would speak only of samples that look like the data.
        helped = aggregation(by, ties=ties, prior=HELP, scale=wish.scale)
        draws[lost] = _drawn(helped, scores, units, wish, f"{ties} {HELP} {wish.scale}")[lost]
        notes = (*notes, _about_lost(lost))
    return _Estimated(
        name=method.name,
        unit=method.unit,
        n_units=units.n_units,
        strength=strength,
        draws=draws,
        order_spread=None,
        jackknife=lambda: without_each_unit(method, scores.goodness, units),
        options={"ties": ties, "prior": wish.prior or None, "scale": wish.scale} if is_model else {},
        notes=notes,
    )


def _drawn(method: Aggregation, scores: Scores, units: Units, wish: Wish, extra: str) -> FloatArray:
    how = Bootstrap(
        units=units,
        n_resamples=wish.n_resamples or RESAMPLES,
        seed=wish.seed,
        digest=f"{scores.digest} {extra}",
        computing=wish.computing,
    )
    return bootstrap(
        method.name,
        scores.goodness,
        method.resampled,
        how,
        bytes_each=method.bytes_each(*scores.goodness.shape),
        is_ours=method.is_ours,
    )


def _segments_needed(scores: Scores, ranked: Ranking, wish: Wish) -> FloatArray | None:
    """Return how many segments would show each lead over the next; of means of segments only, and not of a few."""
    if ranked.settings.method != "mean" or wish.units != "segments" or scores.n_segments < FEW_SEGMENTS:
        return None
    rows = [scores.goodness[scores.systems.index(name)] for name in ranked.systems]
    needed = [detectable(a - b, alpha=1 - wish.confidence).n_needed for a, b in pairwise(rows)]
    return np.array([np.nan if n is None else n for n in (*needed, None)])


def _about_lost(lost: BoolArray) -> str:
    return (
        f"{np.count_nonzero(lost):,} of {lost.size:,} bootstrap samples had no strengths (somebody without a win or "
        f"without a loss); there, every system got half a win and half a loss more."
    )


def _checked(method: Aggregation, scores: Scores) -> FloatArray:
    strength = np.asarray(method.estimate(scores.goodness), dtype=np.float64)
    if strength.shape != (scores.n_systems,):
        raise BetterThanError(
            f"{method.name} gave an array of shape {strength.shape} for {scores.n_systems} systems. "
            f"It must return one number a system."
        )
    for name, value in zip(scores.systems, strength.tolist(), strict=True):
        if not np.isfinite(value):
            raise BetterThanError(
                f"{method.name} gave {value} for {name}. It must return one number a system."
            )
    return strength


def _about_wins(scores: Scores, ties: str, prior: float) -> tuple[str, ...]:
    """Refuse when strengths do not exist, and say what became of ties."""
    counts = win_counts(scores.goodness)
    if ties != "davidson" and prior == 0:
        check_connected(with_ties(counts.wins, counts.ties, ties), scores.systems)  # type: ignore[arg-type]
    elif ties == "davidson" and not davidson_exists(counts.wins, counts.ties):
        check_connected(counts.wins + counts.ties / 2, scores.systems)
        raise NotEstimable('The ties model of Davidson has no fit for these scores. Use ties="half".')
    return ties_note(counts, ties)


def _strengths(scores: Scores, found: _Estimated, wish: Wish) -> Strengths:
    basis = Basis(found.name, found.strength, found.draws, found.jackknife)
    low, high, interval, notes = strength_limits(scores, units_of(scores, wish.units), basis, wish)
    # Mean and median are shown in the metric's own direction; all other strengths are better when higher.
    is_turned = found.unit == "" and not scores.higher_is_better
    few = scores.n_segments < FEW_SEGMENTS
    direction = "higher" if scores.higher_is_better else "lower"
    return Strengths(
        systems=scores.systems,
        method=found.name,
        unit=f"{scores.name}, {direction} is better" if found.unit == "" else f"{scores.name}, {found.unit}",
        strength=-found.strength if is_turned else found.strength,
        low=-high if is_turned else low,
        high=-low if is_turned else high,
        higher_is_better=not is_turned,
        data=scores.digest,
        n_segments=scores.n_segments,
        order_spread=found.order_spread,
        options={
            **found.options,
            "ci": f"{100 * wish.confidence:g},{interval}",
            "units": wish.units,
        },
        notes=(*scores.notes, *found.notes, *notes, *([_few_segments(scores)] if few else [])),
    )


def _few_segments(scores: Scores) -> str:
    return f"Only {counted(scores.n_segments, 'segment')}: intervals of so few are rough."


def _pairs(scores: Scores, found: _Estimated, by: By, wish: Wish) -> PairwiseTable:
    """The test that belongs to the mechanism, or the bootstrap of strengths where it has none."""
    test = OWN_TEST.get(by) if isinstance(by, str) else None
    if test is None or (wish.units == "groups" and not TESTS[test].takes_groups):
        return compare_draws(scores, found.strength, found.draws, found.n_units, wish.decision())
    m = scores.n_systems
    computing = wish.computing
    return compare(
        scores,
        test=test,  # type: ignore[arg-type]  # a name of the dictionary
        method="auto" if m * (m - 1) // 2 <= MANY_PAIRS else "analytic",
        ties="default" if wish.ties == "davidson" else wish.ties,
        units=wish.units,
        alpha=1 - wish.confidence,
        confidence=wish.confidence,
        rng=wish.seed,
        workers=computing.workers,
        executor=computing.executor,
        cache=computing.cache,
        progress=computing.progress,
    )
