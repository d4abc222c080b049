"""Ranking of systems from matches, such as the battles of an arena.

By Bradley–Terry strengths, with a bootstrap over matches or clusters of matches, or by win rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logsumexp, ndtr, stdtrit

from betterthan.analysis.compare.compare_matches import compare_matches
from betterthan.analysis.matches.match_covariates import refuse_covariates, style_notes, two_way
from betterthan.analysis.matches.match_units import (
    crossed,
    match_units,
    thin_note,
    units_of_matches,
)
from betterthan.analysis.matches.matches import (
    MatchFit,
    TiesModel,
    added_up,
    critical_values,
    fit_matches,
    fitted,
    graph_note,
    refuse_unmet,
    side_note,
    ties_note,
    upper_tail,
)
from betterthan.analysis.pairs.pairwise import PairFindings, PairOptions, pairwise_table
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.aggregations import NAMES, SCALES, log_strengths, win_rates
from betterthan.analysis.strengths.ordered import UNITS, Play, in_order, rated, refuse_too_many, shown_rating
from betterthan.analysis.strengths.ranking import RankOptions, SystemStrengths, ranking
from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, NotEstimable, TableError, unknown_name
from betterthan.kernels.comparisons.match_counts import resampled_match_counts
from betterthan.kernels.comparisons.sandwich import difference_errors
from betterthan.kernels.comparisons.wins import WinCounts
from betterthan.kernels.intervals.intervals import percentile_interval
from betterthan.kernels.ratings.match_play import MatchList
from betterthan.kernels.resampling.clustered import ManyClusters, many_clusters
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.kernels.significance.pvalues import pairwise_pvalues
from betterthan.messages import COLUMN, Message, Option
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.settings import OptionValue
from betterthan.tables.matches import Matches


class _Clusters(NamedTuple):
    """Matches aggregated to cells (left, right, outcome), and their weights in each cluster, a sparse matrix."""

    cells: Matches
    weights: Any


def bytes_of_a_draw(matches: Matches) -> int:
    """Return the memory that one bootstrap sample needs."""
    units = 0 if matches.group is None else matches.left.size
    return 64 * matches.n_systems**2 + 16 * units


def drawn_strengths(
    matches: Matches, counts: WinCounts, resampling: Resampling, *, ties: str, prior: float
) -> FloatArray:
    """Log strengths of bootstrap samples of the matches, or of their groups: (n_resamples, m).

    NaN for samples in which strengths do not exist.
    """
    blocks = resampling.run(
        "bootstrap of matches",
        (counts, None if matches.group is None else _clusters_to_draw(matches), ties, prior),
        _bootstrap_block,
        bytes_each=bytes_of_a_draw(matches),
        key=f"{ties} {prior}",
        label=f"bootstrap of Bradley–Terry ({resampling.n_resamples:,} resamples)",
        uses="processes" if ties == "davidson" else "threads",
    )
    return np.concatenate(blocks)


def usable_draws(draws: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the draws in which strengths exist, and a note on the number of others."""
    lost = np.isnan(draws).any(axis=1)
    if lost.all():
        raise NotEstimable(
            Message(
                "Strengths do not exist in any of the bootstrap samples, so there is no interval. Use {interval}, "
                "or add {prior}.",
                interval=Option("interval", "robust"),
                prior=Option("prior", 0.5),
            )
        )
    if not lost.any():
        return draws, ()
    note = f"{lost.sum():,} of {lost.size:,} bootstrap samples have no finite strengths and were left out."
    return draws[~lost], (note,)


def widened_percentiles(
    matches: Matches, draws: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Percentiles of the draws, expanded where there are few groups.

    Bootstrap draws of g groups have (g − 1) / g of the variance, and normal tails where Student's t applies; so the
    percentiles are taken at [1]_

    .. math:: \Phi\Big(-\sqrt{\tfrac{g}{g - 1}}\; t_{1 - \alpha / 2,\, g - 1}\Big),

    with g the effective number of groups for the system.

    References
    ----------
    .. [1] Hesterberg (2015), What teachers should know about the bootstrap, The American Statistician 69; section 3.
    """
    if matches.group is None:
        return percentile_interval(draws, confidence)
    m = matches.n_systems
    number = np.unique(matches.group, return_inverse=True)[1].reshape(-1)
    table = np.zeros((int(number.max(initial=0)) + 1, m))
    for side in (matches.left, matches.right):
        np.add.at(table, (number, side), matches.weight)
    degrees = np.maximum(table.sum(axis=0) ** 2 / (table**2).sum(axis=0) - 1, 1.0)
    t = -stdtrit(degrees, (1 - confidence) / 2)
    tail = ndtr(-t * np.sqrt((degrees + 1) / degrees))
    ends = [percentile_interval(draws[:, i], 1 - 2 * tail[i]) for i in range(m)]
    return np.array([low for low, _ in ends]), np.array([high for _, high in ends])


def _clusters_to_draw(matches: Matches) -> _Clusters:
    from scipy.sparse import csr_array  # noqa: PLC0415  (takes a while to load, and is needed only here)

    if matches.group is None or np.unique(matches.group).size < 2:
        raise NotEstimable(
            "All matches belong to one group, so groups cannot be resampled. Two or more are needed."
        )
    cells = matches.aggregated()
    code = _codes(matches)
    row = np.searchsorted(_codes(cells), code)
    column = np.unique(matches.group, return_inverse=True)[1].reshape(-1)
    shape = (cells.left.size, int(column.max()) + 1)
    return _Clusters(cells, csr_array((matches.weight, (row, column)), shape=shape))


def _codes(matches: Matches) -> FloatArray:
    """Number each (left, right, outcome) in the order of the aggregated rows."""
    pair = matches.left * matches.n_systems + matches.right
    return np.asarray(3 * pair + 2 - 2 * matches.outcome)


def _bootstrap_block(
    payload: tuple[WinCounts, _Clusters | None, str, float], part: range, rng: np.random.Generator
) -> FloatArray:
    counts, clusters, ties, prior = payload
    if clusters is None:
        drawn = resampled_match_counts(counts.wins, counts.ties, len(part), rng)
    else:
        drawn = _drawn_clusters(clusters, len(part), rng)
    return log_strengths(drawn, ties=ties, prior=prior)


def _drawn_clusters(clusters: _Clusters, n_resamples: int, rng: np.random.Generator) -> WinCounts:
    times = bootstrap_counts(n_resamples, clusters.weights.shape[1], rng)
    weights = (clusters.weights @ times.T).T
    cells, m = clusters.cells, clusters.cells.n_systems
    wins, ties = np.zeros((2, n_resamples, m, m))
    for outcome, first, second in ((1.0, cells.left, cells.right), (0.0, cells.right, cells.left)):
        rows = cells.outcome == outcome
        wins[:, first[rows], second[rows]] += weights[:, rows]
    tied = cells.outcome == 0.5
    ties[:, cells.left[tied], cells.right[tied]] += weights[:, tied]
    return WinCounts(wins, ties + ties.swapaxes(1, 2))


_TIES_UNSEEN = 4  # the share of ties is shrunk as if four more matches had been decided


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRates:
    """Win rates, with ties counted as half, and their errors.

    Attributes
    ----------
    rate, played : array, shape (m,)
    errors, degrees : array, shape (m,)
    pair_errors, pair_degrees : array, shape (m, m)
        Errors and degrees of freedom of differences of rates.
    is_clustered : bool
    """

    rate: FloatArray
    played: FloatArray
    errors: FloatArray
    degrees: FloatArray
    pair_errors: FloatArray
    pair_degrees: FloatArray
    is_clustered: bool

    def interval(self, confidence: float) -> tuple[FloatArray, FloatArray]:
        r"""Wilson's interval with the effective number of independent matches.

        .. math:: \tilde n = \frac{\hat r (1 - \hat r)}{\mathrm{se}^2}, \qquad
                  \frac{\hat r + t^2/2\tilde n \pm t \sqrt{\hat r (1 - \hat r)/\tilde n + t^2/4\tilde n^2}}
                       {1 + t^2/\tilde n}

        Without ties and clusters this is the number of matches, and the interval is Wilson's.
        """
        t = critical_values(confidence, self.degrees)
        spread = self.rate * (1 - self.rate)
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.where(self.errors > 0, spread / self.errors**2, self._fewest())
        size = np.where(spread > 0, size, self._fewest())
        middle = self.rate + t**2 / (2 * size)
        reach = t * np.sqrt(spread / size + (t / (2 * size)) ** 2)
        scale = 1 + t**2 / size
        return np.maximum((middle - reach) / scale, 0.0), np.minimum((middle + reach) / scale, 1.0)

    def _fewest(self) -> FloatArray:
        """Effective number for a system that always won or lost: its matches, or its clusters if fewer."""
        return np.asarray(np.minimum(self.played, np.nan_to_num(self.degrees, nan=0.0, posinf=np.inf) + 1))


def fitted_win_rates(matches: Matches, counts: WinCounts) -> WinRates:
    """Return the win rates of matches with cluster-robust errors."""
    rate = win_rates(counts)
    played = np.asarray((counts.wins + counts.wins.T + counts.ties).sum(axis=1))
    units = units_of_matches(matches)
    alone = _score_errors(counts, rate, played)
    m = rate.size
    if not units:
        ties = counts.ties.sum(axis=1)
        variance = (rate * (1 - rate) - ties / (played + _TIES_UNSEEN) / 4) / played
        return WinRates(
            rate=rate,
            played=played,
            errors=np.sqrt(np.maximum(variance, 0.0)),
            degrees=np.full(m, np.inf),
            pair_errors=alone,
            pair_degrees=np.full((m, m), np.inf),
            is_clustered=False,
        )
    by = [_clustered(matches, rate, unit.code) for unit in units]
    tables = [one.covariance for one in by]
    if len(by) == 2:
        both = _clustered(matches, rate, crossed(units))
        tables.append(two_way(tables[0], tables[1], both.covariance))
    return WinRates(
        rate=rate,
        played=played,
        errors=np.sqrt(np.max([np.diagonal(table) for table in tables], axis=0)),
        degrees=np.min([one.degrees(np.eye(m)) for one in by], axis=0),
        # Clusters that all agree have no variance; the error for independent matches is a lower bound.
        pair_errors=np.maximum(np.max([difference_errors(table) for table in tables], axis=0), alone),
        pair_degrees=np.min([one.degrees_of_pairs(m) for one in by], axis=0),
        is_clustered=True,
    )


def _clustered(matches: Matches, rate: FloatArray, code: IntArray) -> ManyClusters:
    used = matches.weight > 0
    number = np.unique(code[used], return_inverse=True)[1].reshape(-1)
    if number.max(initial=0) < 1:
        raise NotEstimable(
            "All matches belong to one group, so standard errors cannot be estimated. Two or more are needed."
        )
    left, right, weight, outcome = (
        getattr(matches, name)[used] for name in ("left", "right", "weight", "outcome")
    )
    system = np.concatenate([left, right])
    excess = np.concatenate([outcome, 1 - outcome]) - rate[system]
    twice = np.tile(weight, 2)
    return many_clusters(np.tile(number, 2), system, twice, twice * excess, n_parameters=rate.size)


def _score_errors(counts: WinCounts, rate: FloatArray, played: FloatArray) -> FloatArray:
    r"""Standard errors (m, m) of differences of win rates under the null hypothesis, for independent matches.

    Residuals are from the common rate, as in Wilson's interval, so that a perfect record has an error too:

    .. math:: \frac{1}{n_a^2} \sum_{r \ni a} (y_{ra} - r_0)^2 + \frac{1}{n_b^2} \sum_{r \ni b} (y_{rb} - r_0)^2
              - \frac{2}{n_a n_b} \sum_{r \ni a, b} (y_{ra} - r_0)(y_{rb} - r_0), \qquad r_0 = \tfrac12 (r_a + r_b)
    """
    middle = (rate[:, None] + rate[None, :]) / 2
    won, tied = counts.wins.sum(axis=1)[:, None], counts.ties.sum(axis=1)[:, None]
    lost = played[:, None] - won - tied
    own = (won * (1 - middle) ** 2 + tied * (0.5 - middle) ** 2 + lost * middle**2) / played[:, None] ** 2
    met = counts.wins + counts.wins.T
    shared = -met * middle * (1 - middle) + counts.ties * (0.5 - middle) ** 2
    return np.asarray(np.sqrt(np.maximum(own + own.T - 2 * shared / np.outer(played, played), 0.0)))


def compare_win_rates(
    matches: Matches, counts: WinCounts, found: WinRates, options: PairOptions
) -> PairwiseTable:
    """Tests of all differences of win rates."""
    difference = found.rate[:, None] - found.rate[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(found.pair_errors > 0, difference / found.pair_errors, 0.0)
    width = (
        critical_values(options.confidence_of_one(len(found.pair_errors)), found.pair_degrees)
        * found.pair_errors
    )
    units = units_of_matches(matches)
    return pairwise_table(
        PairFindings(
            systems=matches.systems,
            goodness=found.rate,
            test="wald",
            effect_name="difference of win rates",
            size_name="difference of win rates",
            effect=difference,
            low=np.maximum(difference - width, -1.0),
            high=np.minimum(difference + width, 1.0),
            size=difference,
            wins=counts.wins,
            ties=counts.ties,
            pvalue=pairwise_pvalues(upper_tail(z, found.pair_degrees), alternative=options.alternative),
            data=matches.digest,
            options={
                "matches": round(matches.n_matches),
                "se": "clustered" if found.is_clustered else "robust",
            },
            notes=(
                *matches.notes,
                *ties_note(counts, "half"),
                *thin_note(matches.systems, found.pair_degrees, units, matches),
            ),
            **match_units(matches),
        ),
        options,
    )


RESAMPLES = 2000
HELP = 0.5  # prior for the tests behind Elo and TrueSkill where strengths do not exist


def rank_matches(matches: Matches, options: RankOptions, resampling: Resampling) -> Ranking:
    """Rank by Bradley–Terry with robust intervals, by win rate, by Elo or by TrueSkill."""
    by = _method(options)
    ties = "half" if options.ties == "default" else options.ties
    refuse_covariates(matches, by, ties=ties, prior=options.prior, interval=options.interval)
    summed = added_up(matches)
    counts = WinCounts(np.asarray(summed.wins()), np.asarray(summed.ties()))
    refuse_unmet(counts, matches.systems)
    digest = matches.digest
    if by == "bradley_terry" and options.interval in ("default", "robust") and ties != "davidson":
        ranked = _bradley_terry(summed, ties, options)
    elif by == "bradley_terry":
        ranked = _drawn_bradley_terry(
            matches, counts, ties, options, resampling.on(digest, default=RESAMPLES)
        )
    elif by == "win_rate":
        ranked = _win_rate(matches, counts, options)
    else:
        ranked = _ordered(matches, by, options, resampling.on(digest))
    pairs, about = (
        (ranked.pairs, ()) if ranked.pairs else _pairs(matches, by, ties, options, ranked.fit, digest)
    )
    found = SystemStrengths(
        systems=matches.systems,
        method=by,
        unit=_unit(by, options),
        strength=ranked.strength,
        low=ranked.low,
        high=ranked.high,
        higher_is_better=True,
        data=digest,
        n_segments=None,
        order_spread=ranked.spread,
        votes=np.asarray((counts.wins + counts.wins.T + counts.ties).sum(axis=1)),
        options={
            "matches": round(matches.n_matches),
            **ranked.options,
            "ci": f"{100 * options.confidence:g},{ranked.kind}",
        },
        notes=(
            *matches.notes,
            *ties_note(counts, ties),
            *ranked.notes,
            *graph_note(matches, counts, ties),
            *about,
        ),
        drew=ranked.drew,
    )
    return ranking(found, pairs, options, seed=resampling.seed)


def _method(options: RankOptions) -> str:
    by = "bradley_terry" if options.by is None else options.by
    if callable(by) or by not in ("bradley_terry", "win_rate", "elo", "trueskill"):
        if isinstance(by, str) and by not in (*NAMES, "pooled"):
            raise unknown_name("method", by, NAMES)
        raise BetterThanError(
            "Matches have no scores to average. Rank them by bradley_terry, win_rate, elo or trueskill."
        )
    return by


def _pairs(
    matches: Matches, by: str, ties: str, options: RankOptions, fit: MatchFit | None, digest: str
) -> tuple[PairwiseTable, tuple[str, ...]]:
    """Tests of all pairs; with a prior, and a note, where strengths do not exist and are not requested."""
    tested: TiesModel = "half" if ties == "davidson" else ties  # type: ignore[assignment]  # checked by the options
    compared = partial(compare_matches, matches, tested, options.pair_options(), digest=digest)
    try:
        return compared(prior=options.prior, fit=fit), ()
    except NotEstimable:
        if by == "bradley_terry":
            raise
    note = f"Rank ranges and groups come from Bradley–Terry strengths, which exist here only with a prior of {HELP}."
    return compared(prior=HELP), (note,)


def _unit(by: str, options: RankOptions) -> str:
    fixed = "" if options.anchor is None else f", {options.anchor} fixed at {_FIXED[options.scale]}"
    named = {
        "bradley_terry": SCALES.get(options.scale, ("",))[0] + fixed,
        "win_rate": "share of matches won, ties as half",
        **UNITS,
    }
    return named[by]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    """Strengths from one method, in the order of the table."""

    strength: FloatArray
    low: FloatArray
    high: FloatArray
    kind: str
    options: dict[str, OptionValue]
    drew: bool = False
    spread: FloatArray | None = None
    fit: MatchFit | None = None
    pairs: PairwiseTable | None = None
    notes: tuple[str, ...] = ()


def _bradley_terry(matches: Matches, ties: str, options: RankOptions) -> _Ranked:
    """Strengths with analytic robust errors."""
    fit = fit_matches(matches, ties=ties, prior=options.prior)  # type: ignore[arg-type]
    low, high = _limits(fit, matches, options)
    return _Ranked(
        strength=SCALES[options.scale][1](_anchored(fit.log_strength, matches, options)),
        low=low,
        high=high,
        kind="clustered" if fit.clusterings else "model" if options.prior else "robust",
        options=_options_of_fit(matches, ties, options),
        fit=fit,
        notes=(
            *style_notes(fit.style, options.confidence),
            *side_note(matches, fit, options.confidence),
            *_thin(matches, fit),
        ),
    )


def _drawn_bradley_terry(
    matches: Matches, counts: WinCounts, ties: str, options: RankOptions, resampling: Resampling
) -> _Ranked:
    """Strengths with intervals from bootstrap samples."""
    to_scale = SCALES[options.scale][1]
    theta = _anchored(fitted(counts, matches.systems, ties=ties, prior=options.prior), matches, options)
    drawn = drawn_strengths(matches, counts, resampling, ties=ties, prior=options.prior)
    usable, notes = usable_draws(drawn)
    points = to_scale(_anchored(usable, matches, options))
    low, high = widened_percentiles(matches, points, options.confidence)
    return _Ranked(
        strength=to_scale(theta),
        low=low,
        high=high,
        kind=f"percentile,{len(drawn)}",
        options=_options_of_fit(matches, ties, options),
        drew=True,
        notes=notes,
    )


def _options_of_fit(matches: Matches, ties: str, options: RankOptions) -> dict[str, OptionValue]:
    return {
        "ties": ties,
        "prior": options.prior or None,
        "covariates": ",".join(matches.covariate_names) or None,
        "scale": options.scale,
        "anchor": options.anchor,
    }


_FIXED = {"elo": 1500, "log": 0}
"""Value of the anchor on each scale."""


def _anchored(log_strength: FloatArray, matches: Matches, options: RankOptions) -> FloatArray:
    """Return log strengths, or those of bootstrap samples, less that of the anchor."""
    if options.anchor is None:
        return log_strength
    at = matches.systems.index(options.anchor)
    return np.asarray(log_strength - log_strength[..., at, None])


def _limits(fit: MatchFit, matches: Matches, options: RankOptions) -> tuple[FloatArray, FloatArray]:
    r"""Return the limits of each strength on the requested scale.

    Log strengths and Elo points are linear. A share depends on all strengths, so its limits are computed on the scale
    of its log odds, where errors are nearly normal, by the delta method:

    .. math:: \operatorname{logit} \lambda_a = \theta_a - \log \sum_{b \ne a} e^{\theta_b}, \qquad
              \frac{\partial}{\partial \theta_b} = -\frac{\lambda_b}{1 - \lambda_a}
    """
    theta, m = fit.log_strength, fit.log_strength.size
    to_scale = SCALES[options.scale][1]
    if options.scale != "share":
        contrasts = np.eye(m) - 1 / m
        if options.anchor is not None:
            contrasts = np.eye(m) - np.eye(m)[matches.systems.index(options.anchor)]
            theta = _anchored(theta, matches, options)
        # The anchor does not differ from itself, and that is no estimate.
        reach = np.where(contrasts.any(axis=1), _reach(fit, contrasts, options.confidence), 0.0)
        return to_scale(theta - reach), to_scale(theta + reach)
    without = theta[None, :] + np.where(np.eye(m, dtype=bool), -np.inf, 0.0)
    rest = logsumexp(without, axis=1)
    contrasts = np.eye(m) - np.exp(without - rest[:, None])
    reach = _reach(fit, contrasts, options.confidence)
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


def _win_rate(matches: Matches, counts: WinCounts, options: RankOptions) -> _Ranked:
    """Win rates with Wilson's interval for the effective number of independent matches."""
    found = fitted_win_rates(matches, counts)
    low, high = found.interval(options.confidence)
    pairs = compare_win_rates(matches, counts, found, options.pair_options())
    kind = "clustered" if found.is_clustered else "wilson"
    thin = thin_note(matches.systems, found.pair_degrees, units_of_matches(matches), matches)
    return _Ranked(strength=found.rate, low=low, high=high, kind=kind, options={}, pairs=pairs, notes=thin)


def _ordered(matches: Matches, by: str, options: RankOptions, resampling: Resampling) -> _Ranked:
    refuse_too_many(by, matches.n_matches)
    listed = in_order(_listed(matches, options.order), options.order)
    t = listed.left.size
    clusters = _clusters(matches) if options.order == "shuffled" else np.arange(t)
    found = rated(
        Play(
            by=by,
            matches=listed,
            unit_of_match=clusters,
            n_systems=matches.n_systems,
            n_units=int(clusters.max()) + 1,
            order=options.order,
            n_orders=options.n_orders,
            rating=options.rating,
        ),
        resampling,
    )
    low, high = percentile_interval(found.draws, options.confidence)
    orders = None if found.order_spread is None else options.n_orders
    return _Ranked(
        strength=found.strength,
        low=low,
        high=high,
        kind=f"percentile,{len(found.draws)}",
        options={"order": options.order, "orders": orders, "rating": shown_rating(by, options.rating)},
        drew=True,
        spread=found.order_spread,
    )


def _clusters(matches: Matches) -> IntArray:
    """The resampling unit: all matches of a judge or session, or single matches."""
    times = np.rint(matches.weight).astype(np.int64)
    if matches.group is None:
        return np.arange(int(times.sum()))
    return np.unique(np.repeat(matches.group, times), return_inverse=True)[1].astype(np.int64)


def _listed(matches: Matches, order: str) -> MatchList:
    """Single matches; an aggregated row is repeated as often as its weight."""
    times = np.rint(matches.weight).astype(np.int64)
    if not np.allclose(times, matches.weight):
        raise BetterThanError("Elo and TrueSkill need whole matches, and these have non-integer weights.")
    if order == "listed" and (times > 1).any():
        raise BetterThanError(
            Message(
                "The matches were aggregated, so the order of play is not known. Name the column of the item with "
                "{item}, which keeps every row in its order, or use {order}.",
                item=Option("item", COLUMN),
                order=Option("order", "shuffled"),
            )
        )
    if order == "segments" and matches.segment is None:
        raise TableError(
            Message(
                "The matches have no segments, so they cannot be played segment by segment. "
                "Name the column of the segment with {item}, or use {order}.",
                item=Option("item", COLUMN),
                order=Option("order", "shuffled"),
            )
        )
    segment = None if matches.segment is None else np.repeat(matches.segment, times)
    return MatchList(
        np.repeat(matches.left, times),
        np.repeat(matches.right, times),
        np.repeat(matches.outcome, times),
        segment,
    )
