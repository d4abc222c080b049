"""Strengths of systems by any aggregation, with their bootstrap draws, for ranking and comparing."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from betterthan.analysis.matches.matches import TIE_MODELS, check_connected, check_tie_model, ties_note
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.aggregations import (
    ITEM_RESPONSE,
    ORDERED,
    SCALES,
    AggregationMethod,
    WeightedStrengths,
    aggregation,
)
from betterthan.analysis.strengths.item_response import UNITS as ABILITY_UNITS
from betterthan.analysis.strengths.item_response import abilities_of
from betterthan.analysis.strengths.ordered import (
    UNITS,
    JointRatings,
    Play,
    in_order,
    rated,
    refuse_too_many,
    shown_rating,
)
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.strengths.strength_intervals import RESAMPLES, without_each_unit
from betterthan.analysis.units import Units
from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import BetterThanError
from betterthan.kernels.comparisons.wins import win_counts, with_ties
from betterthan.kernels.ratings.match_play import score_matches
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.results.ranking import Items
from betterthan.results.settings import OptionValue
from betterthan.tables.scores import Scores

HELP = 0.5  # wins and losses added for every system where a bootstrap sample has no finite strengths

By = str | Callable[[FloatArray], FloatArray]


class Estimated(NamedTuple):
    """Strengths in terms of goodness, their draws (none where formulas exist), and notes."""

    name: str
    unit: str
    n_units: int
    strength: FloatArray
    draws: FloatArray
    order_spread: FloatArray | None
    jackknife: Callable[[], FloatArray] | None
    options: dict[str, OptionValue]
    notes: tuple[str, ...]
    sigma: FloatArray | None = None
    influence: FloatArray | None = None
    items: Items | None = None
    joint: JointRatings | None = None


def estimate(scores: Scores, by: By, units: Units, options: RankOptions, resampling: Resampling) -> Estimated:
    """Return the strengths of a complete table by one aggregation, and in bootstrap samples of its units."""
    own = resampling.on(scores.digest, units)
    if isinstance(by, str) and by in ORDERED:
        return _ordered(scores, by, units, options, own)
    if isinstance(by, str) and by in ITEM_RESPONSE:
        return _by_items(scores, by, units, options)
    return _aggregated(scores, by, units, options, own)


def _ordered(
    scores: Scores, by: str, units: Units, options: RankOptions, resampling: Resampling
) -> Estimated:
    refuse_too_many(by, scores.n_systems * (scores.n_systems - 1) // 2 * scores.n_segments)
    matches = in_order(score_matches(scores.goodness), options.order)
    segment = np.arange(0) if matches.segment is None else matches.segment
    play = Play(
        by=by,
        matches=matches,
        unit_of_match=units.of_segment[segment],
        n_systems=scores.n_systems,
        n_units=units.n_units,
        order=options.order,
        n_orders=options.n_orders,
        rating=options.rating,
    )
    return estimated_ratings(play, resampling)


def estimated_ratings(play: Play, resampling: Resampling) -> Estimated:
    """Return the ratings of a list of matches."""
    found = rated(play, resampling)
    return Estimated(
        name=play.by,
        unit=UNITS[play.by],
        n_units=play.n_units,
        strength=found.strength,
        draws=found.draws,
        order_spread=found.order_spread,
        jackknife=None,
        options={
            "order": play.order,
            "orders": play.n_orders if play.order == "shuffled" else None,
            "rating": shown_rating(play.by, play.rating),
        },
        notes=found.notes,
        sigma=found.sigma,
        joint=found.joint,
    )


def _by_items(scores: Scores, by: str, units: Units, options: RankOptions) -> Estimated:
    """Abilities by an item response model, with the influence of each item."""
    ability, influence, items = abilities_of(scores, by, options)
    return Estimated(
        name=by,
        unit=ABILITY_UNITS[by],
        n_units=units.n_units,
        strength=ability,
        draws=np.empty((0, ability.size)),
        order_spread=None,
        jackknife=None,
        options={},
        notes=(),
        influence=influence,
        items=items,
    )


def _aggregated(
    scores: Scores, by: By, units: Units, options: RankOptions, resampling: Resampling
) -> Estimated:
    ties = "drop" if options.ties == "default" else options.ties
    method = aggregation(by, ties=ties, prior=options.prior, scale=options.scale)
    is_model = by == "bradley_terry"
    if is_model and (perfect := _perfect_record(scores, units, ties, options)) is not None:
        return perfect
    notes = _about_wins(scores, ties, options.prior) if is_model else ()
    strength = _checked(method, scores)
    if not _needs_draws(by, ties, options):
        draws = np.empty((0, scores.n_systems))
    else:
        draws = _drawn(method, scores, resampling, f"{ties} {options.prior} {options.scale}")
    lost = np.asarray(np.isnan(draws).any(axis=1))
    if is_model and ties not in TIE_MODELS and lost.any():
        # Dropping these samples would condition the interval on samples similar to the data.
        helped = aggregation(by, ties=ties, prior=HELP, scale=options.scale)
        draws[lost] = _drawn(helped, scores, resampling, f"{ties} {HELP} {options.scale}")[lost]
        notes = (*notes, _about_lost(lost))
    return Estimated(
        name=method.name,
        unit=method.unit,
        n_units=units.n_units,
        strength=strength,
        draws=draws,
        order_spread=None,
        jackknife=lambda: without_each_unit(method, scores.goodness, units),
        options={"ties": ties, "prior": options.prior or None, "scale": options.scale} if is_model else {},
        notes=notes,
    )


def _perfect_record(scores: Scores, units: Units, ties: str, options: RankOptions) -> Estimated | None:
    r"""Strengths 1 and 0 where one of two systems won every comparison; None otherwise.

    For two systems the strengths are the shares of comparisons won, :math:`\lambda_a = w_{ab} / (w_{ab} + w_{ba})`,
    which exist also where one of them is 0 [1]_. Their logarithms do not.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL; section 2.2.
    """
    has_formula = (
        scores.n_systems == 2
        and ties not in TIE_MODELS
        and (options.prior, options.scale, options.interval) == (0, "share", "default")
    )
    if not has_formula:
        return None
    counts = win_counts(scores.goodness)
    won = with_ties(counts.wins, counts.ties, ties).sum(axis=1)  # type: ignore[arg-type]  # checked by the options
    if np.count_nonzero(won) != 1:
        return None
    winner, loser = (scores.systems[int(i)] for i in np.argsort(-won))
    note = (
        f"{winner} won every decided comparison with {loser} ({won.sum():,.10g}): the shares of comparisons won, which "
        f"are the Bradley–Terry strengths of two systems, are 1 and 0."
    )
    return Estimated(
        name="bradley_terry",
        unit=SCALES["share"][0],
        n_units=units.n_units,
        strength=won / won.sum(),
        draws=np.empty((0, 2)),
        order_spread=None,
        jackknife=None,
        options={"ties": ties, "prior": None, "scale": "share"},
        notes=(note, *ties_note(counts, ties)),
    )


def _needs_draws(by: By, ties: str, options: RankOptions) -> bool:
    """Whether intervals or tests need bootstrap draws: means, win rates and Bradley–Terry have formulas."""
    is_smooth = by in ("mean", "win_rate") or (by == "bradley_terry" and ties not in TIE_MODELS)
    return not is_smooth or options.interval in ("percentile", "bca")


def _drawn(method: AggregationMethod, scores: Scores, resampling: Resampling, key: str) -> FloatArray:
    """Strengths in bootstrap samples of whole units, the same for every system; shape (n_resamples, m)."""
    own = resampling.on(scores.digest, default=RESAMPLES)
    m, n = scores.goodness.shape
    blocks = own.run(
        f"bootstrap of {method.name}",
        (scores.goodness, method.resampled, own.units),
        _bootstrap_block,
        bytes_each=method.bytes_each(m, n) + 24 * own.units.n_units + 8 * n,
        key=key if method.is_ours else None,
    )
    return np.concatenate(blocks)


def _bootstrap_block(
    payload: tuple[FloatArray, WeightedStrengths, Units], part: range, rng: np.random.Generator
) -> FloatArray:
    goodness, strengths, units = payload
    drawn = bootstrap_counts(len(part), units.n_units, rng)
    return strengths(goodness, drawn[:, units.of_segment], rng)


def _about_lost(lost: BoolArray) -> str:
    return (
        f"{np.count_nonzero(lost):,} of {lost.size:,} bootstrap samples had no finite strengths (a system without a "
        f"win or without a loss); there, half a win and half a loss were added for every system."
    )


def _checked(method: AggregationMethod, scores: Scores) -> FloatArray:
    strength = np.asarray(method.estimate(scores.goodness), dtype=np.float64)
    if strength.shape != (scores.n_systems,):
        raise BetterThanError(
            f"{method.name} gave an array of shape {strength.shape} for {scores.n_systems} systems. "
            f"It must return one number per system."
        )
    for name, value in zip(scores.systems, strength.tolist(), strict=True):
        if not np.isfinite(value):
            raise BetterThanError(
                f"{method.name} gave {value} for {name}. It must return one number per system."
            )
    return strength


def _about_wins(scores: Scores, ties: str, prior: float) -> tuple[str, ...]:
    """Raise when strengths do not exist; otherwise return a note on ties."""
    counts = win_counts(scores.goodness)
    if ties in TIE_MODELS:
        check_tie_model(counts, scores.systems, ties, what="scores")
    elif prior == 0:
        check_connected(with_ties(counts.wins, counts.ties, ties), scores.systems)  # type: ignore[arg-type]
    return ties_note(counts, ties)
