"""Rank systems that met in matches, such as the battles of an arena."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp

from betterthan.analysis.aggregations import NAMES, SCALES
from betterthan.analysis.compare_matches import compare_matches
from betterthan.analysis.match_covariates import refuse_covariates, style_notes
from betterthan.analysis.match_draws import (
    bytes_of_a_draw,
    drawn_strengths,
    usable_draws,
    widened_percentiles,
)
from betterthan.analysis.match_sides import side_note
from betterthan.analysis.match_units import cluster_note, thin_note, units_of_matches
from betterthan.analysis.match_win_rates import compare_win_rates, fitted_win_rates
from betterthan.analysis.matches import (
    MatchFit,
    TiesModel,
    critical_values,
    fit_matches,
    fitted,
    graph_note,
    refuse_unmet,
    ties_note,
)
from betterthan.analysis.ordered import UNITS, Play, in_order, rated, refuse_too_many, shown_rating
from betterthan.analysis.ranking import Strengths, Wish, ranking
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import block_ranges
from betterthan.errors import BetterThanError, NotEstimable, unknown_name
from betterthan.kernels.intervals import percentile_interval
from betterthan.kernels.match_order import MatchList
from betterthan.kernels.wins import WinCounts
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.settings import Option
from betterthan.tables.matches import Matches

RESAMPLES = 2000
HELP = 0.5  # prior of the tests behind Elo and TrueSkill where strengths do not exist


def rank_matches(matches: Matches, wish: Wish) -> Ranking:
    """Rank by Bradley–Terry with robust intervals, by win rate, or by Elo and TrueSkill."""
    by = _method(wish)
    ties = "half" if wish.ties == "default" else wish.ties
    refuse_covariates(matches, by, ties=ties, prior=wish.prior, interval=wish.interval)
    counts = WinCounts(np.asarray(matches.wins()), np.asarray(matches.ties()))
    refuse_unmet(counts, matches.systems)
    make = {"bradley_terry": _bradley_terry, "win_rate": _win_rate}.get(by, _ordered)
    made = make(matches, counts, ties, by, wish)
    pairs, about = (made.pairs, ()) if made.pairs else _pairs(matches, by, ties, wish, made.fit)
    found = Strengths(
        systems=matches.systems,
        method=by,
        unit=_unit(by, wish.scale),
        strength=made.strength,
        low=made.low,
        high=made.high,
        higher_is_better=True,
        data=matches.digest,
        n_segments=None,
        order_spread=made.spread,
        options={
            "matches": round(matches.n_matches),
            **made.options,
            "ci": f"{100 * wish.confidence:g},{made.kind}",
        },
        notes=(
            *matches.notes,
            *ties_note(counts, ties),
            *cluster_note(matches),
            *made.notes,
            *graph_note(matches, counts, ties),
            *about,
        ),
        drew=made.drew,
    )
    return ranking(found, pairs, wish)


def _method(wish: Wish) -> str:
    by = "bradley_terry" if wish.by is None else wish.by
    if callable(by) or by not in ("bradley_terry", "win_rate", "elo", "trueskill"):
        if isinstance(by, str) and by not in (*NAMES, "pooled"):
            raise unknown_name("method", by, NAMES)
        raise BetterThanError(
            "Matches have no scores to average. Rank them by bradley_terry, win_rate, elo or trueskill."
        )
    return by


def _pairs(
    matches: Matches, by: str, ties: str, wish: Wish, fit: MatchFit | None
) -> tuple[PairwiseTable, tuple[str, ...]]:
    """The tests of all pairs; with a prior, which is said, where strengths are not asked for and do not exist."""
    tested: TiesModel = "half" if ties == "davidson" else ties  # type: ignore[assignment]  # checked by the wish
    try:
        return compare_matches(matches, tested, wish.decision(), prior=wish.prior, fit=fit), ()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """Strengths by one method, in the order of the table."""

    strength: FloatArray
    low: FloatArray
    high: FloatArray
    kind: str
    options: dict[str, Option]
    drew: bool = False
    spread: FloatArray | None = None
    fit: MatchFit | None = None
    pairs: PairwiseTable | None = None
    notes: tuple[str, ...] = ()


def _bradley_terry(matches: Matches, counts: WinCounts, ties: str, _by: str, wish: Wish) -> _Made:
    to_scale = SCALES[wish.scale][1]
    options: dict[str, Option] = {
        "ties": ties,
        "prior": wish.prior or None,
        "covariates": ",".join(matches.covariate_names) or None,
        "scale": wish.scale,
    }
    if wish.interval in ("default", "robust") and ties != "davidson":
        fit = fit_matches(matches, ties=ties, prior=wish.prior)  # type: ignore[arg-type]
        low, high = _limits(fit, wish)
        return _Made(
            strength=to_scale(fit.log_strength),
            low=low,
            high=high,
            kind="clustered" if fit.clusterings else "model" if wish.prior else "robust",
            options=options,
            fit=fit,
            notes=(
                *style_notes(fit.style, wish.confidence),
                *side_note(matches, fit, wish.confidence),
                *_thin(matches, fit),
            ),
        )
    theta = fitted(counts, matches.systems, ties=ties, prior=wish.prior)
    blocks = block_ranges(wish.n_resamples or RESAMPLES, bytes_of_a_draw(matches))
    drawn = drawn_strengths(matches, counts, wish, ties, blocks)
    usable, notes = usable_draws(drawn)
    low, high = widened_percentiles(matches, to_scale(usable), wish.confidence)
    kind = f"percentile,{len(drawn)}"
    return _Made(
        strength=to_scale(theta), low=low, high=high, kind=kind, options=options, drew=True, notes=notes
    )


def _limits(fit: MatchFit, wish: Wish) -> tuple[FloatArray, FloatArray]:
    r"""Return the limits of each strength on the scale that was asked for.

    Log strengths and Elo points are linear. A share moves with all strengths, so its limits are found on the scale of
    its log odds, where errors are nearly normal, by the delta method:

    .. math:: \operatorname{logit} \lambda_a = \theta_a - \log \sum_{b \ne a} e^{\theta_b}, \qquad
              \frac{\partial}{\partial \theta_b} = -\frac{\lambda_b}{1 - \lambda_a}
    """
    theta, m = fit.log_strength, fit.log_strength.size
    to_scale = SCALES[wish.scale][1]
    if wish.scale != "share":
        contrasts = np.eye(m) - 1 / m
        reach = _reach(fit, contrasts, wish.confidence)
        return to_scale(theta - reach), to_scale(theta + reach)
    without = theta[None, :] + np.where(np.eye(m, dtype=bool), -np.inf, 0.0)
    rest = logsumexp(without, axis=1)
    contrasts = np.eye(m) - np.exp(without - rest[:, None])
    reach = _reach(fit, contrasts, wish.confidence)
    return expit(theta - rest - reach), expit(theta - rest + reach)


def _reach(fit: MatchFit, contrasts: FloatArray, confidence: float) -> FloatArray:
    error, degrees = fit.sureness(contrasts)
    return critical_values(confidence, degrees) * error


def _thin(matches: Matches, fit: MatchFit) -> tuple[str, ...]:
    return (
        thin_note(matches.systems, fit.pair_degrees, units_of_matches(matches), matches)
        if fit.clusterings
        else ()
    )


def _win_rate(matches: Matches, counts: WinCounts, _ties: str, _by: str, wish: Wish) -> _Made:
    """Win rates with Wilson's interval, for which ties and clusters change the number of independent matches."""
    found = fitted_win_rates(matches, counts)
    low, high = found.interval(wish.confidence)
    pairs = compare_win_rates(matches, counts, found, wish.decision())
    kind = "clustered" if found.is_clustered else "wilson"
    thin = thin_note(matches.systems, found.pair_degrees, units_of_matches(matches), matches)
    return _Made(strength=found.rate, low=low, high=high, kind=kind, options={}, pairs=pairs, notes=thin)


def _ordered(matches: Matches, _counts: WinCounts, _ties: str, by: str, wish: Wish) -> _Made:
    refuse_too_many(by, matches.n_matches)
    listed = in_order(_listed(matches, wish.order), wish.order)
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
            rating=wish.rating,
            n_resamples=wish.n_resamples,
            seed=wish.seed,
            digest=matches.digest,
            computing=wish.computing,
        )
    )
    low, high = percentile_interval(found.draws, wish.confidence)
    orders = None if found.order_spread is None else wish.n_orders
    return _Made(
        strength=found.strength,
        low=low,
        high=high,
        kind=f"percentile,{len(found.draws)}",
        options={"order": wish.order, "orders": orders, "rating": shown_rating(by, wish.rating)},
        drew=True,
        spread=found.order_spread,
    )


def _clusters(matches: Matches) -> IntArray:
    """What is drawn as one: all matches of a judge or session, or each match by itself."""
    times = np.rint(matches.weight).astype(np.int64)
    if matches.group is None:
        return np.arange(int(times.sum()))
    return np.unique(np.repeat(matches.group, times), return_inverse=True)[1].astype(np.int64)


def _listed(matches: Matches, order: str) -> MatchList:
    """Every match by itself; an aggregated row stands as often as its weight says."""
    times = np.rint(matches.weight).astype(np.int64)
    if not np.allclose(times, matches.weight):
        raise BetterThanError(
            "Elo and TrueSkill play whole matches; these have weights that are not whole numbers."
        )
    if order == "listed" and (times > 1).any():
        raise BetterThanError(
            "The matches were counted, so the order in which they were played is not known. Name the column of the "
            'item when they are read, which keeps every row in its order, or use order="shuffled".'
        )
    segment = None if matches.segment is None else np.repeat(matches.segment, times)
    return MatchList(
        np.repeat(matches.left, times),
        np.repeat(matches.right, times),
        np.repeat(matches.outcome, times),
        segment,
    )
