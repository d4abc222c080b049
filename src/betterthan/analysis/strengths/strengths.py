"""Strengths of systems by any mechanism, with their bootstrap draws: what ranking and comparing share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from betterthan.analysis.matches.matches import check_connected, ties_note
from betterthan.analysis.strengths.aggregations import ORDERED, Aggregation, aggregation
from betterthan.analysis.strengths.ordered import UNITS, Play, in_order, rated, refuse_too_many, shown_rating
from betterthan.analysis.strengths.ranking import Wish
from betterthan.analysis.strengths.resampling import Bootstrap, bootstrap
from betterthan.analysis.strengths.strength_intervals import RESAMPLES, without_each_unit
from betterthan.analysis.units import Units
from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import BetterThanError, NotEstimable
from betterthan.kernels.comparisons.davidson import davidson_exists
from betterthan.kernels.comparisons.wins import win_counts, with_ties
from betterthan.kernels.ratings.match_play import score_matches
from betterthan.results.settings import Option
from betterthan.tables.scores import Scores

HELP = 0.5  # wins and losses that every system gets where a bootstrap sample has no strengths

By = str | Callable[[FloatArray], FloatArray]


class Estimated(NamedTuple):
    """Strengths in terms of goodness, their draws (none where formulas do), and what is to be said about them."""

    name: str
    unit: str
    n_units: int
    strength: FloatArray
    draws: FloatArray
    order_spread: FloatArray | None
    jackknife: Callable[[], FloatArray] | None
    options: dict[str, Option]
    notes: tuple[str, ...]


def estimate(scores: Scores, by: By, units: Units, wish: Wish) -> Estimated:
    """Strengths of a complete table by one mechanism, and in bootstrap samples of its units."""
    if isinstance(by, str) and by in ORDERED:
        return _ordered(scores, by, units, wish)
    return _aggregated(scores, by, units, wish)


def _ordered(scores: Scores, by: str, units: Units, wish: Wish) -> Estimated:
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
    return Estimated(
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


def _aggregated(scores: Scores, by: By, units: Units, wish: Wish) -> Estimated:
    ties = "drop" if wish.ties == "default" else wish.ties
    method = aggregation(by, ties=ties, prior=wish.prior, scale=wish.scale)
    is_model = by == "bradley_terry"
    notes = _about_wins(scores, ties, wish.prior) if is_model else ()
    strength = _checked(method, scores)
    if not _needs_draws(by, ties, wish):
        draws = np.empty((0, scores.n_systems))
    else:
        draws = _drawn(method, scores, units, wish, f"{ties} {wish.prior} {wish.scale}")
    lost = np.asarray(np.isnan(draws).any(axis=1))
    if is_model and ties != "davidson" and lost.any():
        # Without these the interval would speak only of samples that look like the data.
        helped = aggregation(by, ties=ties, prior=HELP, scale=wish.scale)
        draws[lost] = _drawn(helped, scores, units, wish, f"{ties} {HELP} {wish.scale}")[lost]
        notes = (*notes, _about_lost(lost))
    return Estimated(
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


def _needs_draws(by: By, ties: str, wish: Wish) -> bool:
    """Whether intervals or tests rest on bootstrap draws: means, win rates and Bradley–Terry have formulas."""
    is_smooth = by in ("mean", "win_rate") or (by == "bradley_terry" and ties != "davidson")
    return not is_smooth or wish.interval in ("percentile", "bca")


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
