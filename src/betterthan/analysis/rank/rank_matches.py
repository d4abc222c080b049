"""Ranking of systems from matches, such as the battles of an arena.

By Bradley–Terry strengths, with a bootstrap over matches or clusters of matches, or by win rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logsumexp, ndtr, stdtrit

from betterthan.analysis.compare.compare_matches import compare_matches, compare_ratings
from betterthan.analysis.compare.compare_win_rates import compare_win_rates, fitted_win_rates
from betterthan.analysis.matches.match_units import (
    effects_of,
    refuse_covariates,
    thin_note,
    units_of_matches,
)
from betterthan.analysis.matches.matches import (
    TIE_MODELS,
    MatchFit,
    TiesModel,
    added_up,
    critical_values,
    fit_matches,
    fitted,
    graph_note,
    refuse_unmet,
    side_effect,
    side_note,
    ties_note,
)
from betterthan.analysis.matches.ranking_lists import fit_rankings, rankings_with
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.aggregations import NAMES, SCALES, log_strengths
from betterthan.analysis.strengths.ordered import UNITS
from betterthan.analysis.strengths.ranking import RankOptions, SystemStrengths, ranking
from betterthan.analysis.strengths.rated_matches import rate_matches
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, NotEstimable, unknown_name
from betterthan.kernels.comparisons.match_counts import resampled_match_counts
from betterthan.kernels.comparisons.wins import WinCounts
from betterthan.kernels.intervals.intervals import percentile_interval
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.messages import Message, Option
from betterthan.results.pairwise import Effects, PairwiseTable, SideEffect
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
        uses="processes" if ties in TIE_MODELS else "threads",
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


RESAMPLES = 2000
PLACKETT_LUCE = "plackett_luce"
"""Ranks rankings of several systems, which are read as matches."""


def rank_matches(
    matches: Matches, options: RankOptions, resampling: Resampling, *, fit: MatchFit | None = None
) -> Ranking:
    """Rank by Bradley–Terry with robust intervals, by win rate, by Elo or by TrueSkill.

    A `fit` of all matches with the same treatment of ties and the same prior is used where there is one already.
    """
    by = _method(options)
    ties = "half" if options.ties == "default" else options.ties
    refuse_covariates(matches, by, ties=ties, prior=options.prior, interval=options.interval)
    summed = added_up(matches)
    counts = WinCounts(np.asarray(summed.wins()), np.asarray(summed.ties()))
    refuse_unmet(counts, matches.systems)
    digest = matches.digest
    if by == "bradley_terry" and options.interval in ("default", "robust"):
        ranked = _bradley_terry(summed, ties, options, fit)
    elif by == "bradley_terry":
        ranked = _drawn_bradley_terry(
            matches, counts, ties, options, resampling.on(digest, default=RESAMPLES)
        )
    elif by == PLACKETT_LUCE:
        ranked = _plackett_luce(matches, options)
    elif by == "win_rate":
        ranked = _win_rate(matches, counts, options)
    else:
        ranked = _ordered(matches, by, options, resampling.on(digest))
    pairs = ranked.pairs or _pairs(matches, ties, options, ranked.fit, digest)
    tied = () if by == PLACKETT_LUCE else ties_note(counts, ties)
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
        sigma=ranked.sigma,
        votes=rankings_with(matches)
        if by == PLACKETT_LUCE
        else np.asarray((counts.wins + counts.wins.T + counts.ties).sum(axis=1)),
        options={
            "matches": round(matches.n_matches),
            **ranked.options,
            "ci": f"{100 * options.confidence:g},{ranked.kind}",
        },
        notes=(*matches.notes, *tied, *ranked.notes, *graph_note(matches, counts, ties)),
        drew=ranked.drew,
        effects=ranked.effects,
        side=ranked.side,
    )
    return ranking(found, pairs, options, seed=resampling.seed)


def _method(options: RankOptions) -> str:
    by = "bradley_terry" if options.by is None else options.by
    if callable(by) or by not in ("bradley_terry", "win_rate", "elo", "trueskill", PLACKETT_LUCE):
        if isinstance(by, str) and by not in (*NAMES, "pooled"):
            raise unknown_name("method", by, (*NAMES, PLACKETT_LUCE))
        raise BetterThanError(
            "Matches have no scores to average. Rank them by bradley_terry, win_rate, elo, trueskill or, if they come "
            "from rankings, plackett_luce."
        )
    return by


def _pairs(
    matches: Matches, ties: str, options: RankOptions, fit: MatchFit | None, digest: str
) -> PairwiseTable:
    """Tests of all pairs by the model of the strengths."""
    treated: TiesModel = ties  # type: ignore[assignment]  # checked by the options
    return compare_matches(
        matches, treated, options.pair_options(), prior=options.prior, fit=fit, digest=digest
    )


def _unit(by: str, options: RankOptions) -> str:
    fixed = "" if options.anchor is None else f", {options.anchor} fixed at {_FIXED[options.scale]}"
    named = {
        "bradley_terry": SCALES.get(options.scale, ("",))[0] + fixed,
        PLACKETT_LUCE: SCALES.get(options.scale, ("",))[0] + fixed,
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
    sigma: FloatArray | None = None
    fit: MatchFit | None = None
    pairs: PairwiseTable | None = None
    notes: tuple[str, ...] = ()
    effects: Effects | None = None
    side: SideEffect | None = None


def _bradley_terry(matches: Matches, ties: str, options: RankOptions, fit: MatchFit | None) -> _Ranked:
    """Strengths with analytic robust errors."""
    fit = fit or fit_matches(matches, ties=ties, prior=options.prior)  # type: ignore[arg-type]
    low, high = _limits(fit, matches, options)
    side = side_effect(matches, fit, options.confidence)
    return _Ranked(
        strength=SCALES[options.scale][1](_anchored(fit.log_strength, matches, options)),
        low=low,
        high=high,
        kind="clustered" if fit.clusterings else "model" if options.prior else "robust",
        options=_options_of_fit(matches, ties, options),
        fit=fit,
        notes=(
            *side_note(side, options.confidence),
            *_thin(matches, fit),
        ),
        effects=effects_of(fit.style, options.confidence),
        side=side,
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


def _plackett_luce(matches: Matches, options: RankOptions) -> _Ranked:
    """Strengths from whole rankings."""
    if options.interval == "percentile":
        raise BetterThanError(
            Message(
                "{by} has analytic intervals only. Use {interval}.",
                by=Option("by", PLACKETT_LUCE),
                interval=Option("interval", "robust"),
            )
        )
    fit = fit_rankings(matches)
    low, high = _limits(fit, matches, options)
    return _Ranked(
        strength=SCALES[options.scale][1](_anchored(fit.log_strength, matches, options)),
        low=low,
        high=high,
        kind="clustered",
        options={"scale": options.scale, "anchor": options.anchor},
        fit=fit,
        notes=(*fit.notes[len(matches.notes) :], *_thin(matches, fit)),
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
    pairs = compare_win_rates(matches, found, options.pair_options())
    kind = "clustered" if found.is_clustered else "wilson"
    thin = thin_note(matches.systems, found.pair_degrees, units_of_matches(matches), matches)
    return _Ranked(strength=found.rate, low=low, high=high, kind=kind, options={}, pairs=pairs, notes=thin)


def _ordered(matches: Matches, by: str, options: RankOptions, resampling: Resampling) -> _Ranked:
    """Ratings, with tests and intervals from their joint distribution."""
    found = rate_matches(matches, by, options, resampling)
    low, high = percentile_interval(found.draws, options.confidence)
    return _Ranked(
        strength=found.strength,
        low=low,
        high=high,
        kind=f"percentile,{len(found.draws)}",
        options=found.options,
        drew=True,
        spread=found.order_spread,
        sigma=found.sigma,
        pairs=compare_ratings(
            matches,
            found,
            options.pair_options(),
            order=options.order,
            digest=matches.digest,
            seed=resampling.seed,
        ),
        notes=found.notes,
    )
