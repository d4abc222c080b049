"""Which system is best in each category of battles, and where does a system do better than elsewhere?"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit

from betterthan.analysis.matches.match_units import match_unit_note
from betterthan.analysis.matches.matches import (
    MatchFit,
    MatchRows,
    critical_values,
    fit_matches,
    rows_of,
    upper_tail,
)
from betterthan.analysis.rank.rank import check_matches, check_systems
from betterthan.analysis.rank.rank_matches import rank_matches
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.table_argument import AnyData, as_divided_battles
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.kernels.comparisons.categories import (
    CategoryFit,
    UnitScores,
    category_errors,
    category_strengths,
    unit_scores,
)
from betterthan.kernels.comparisons.sandwich import difference_errors, model_covariance
from betterthan.kernels.comparisons.strengths import to_elo
from betterthan.kernels.comparisons.wins import with_ties
from betterthan.kernels.display.ranks import simultaneous_rank_intervals
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.messages import method_note
from betterthan.results.battles import Boards
from betterthan.results.ranking import Ranking
from betterthan.results.settings import Settings
from betterthan.tables.matches import Matches

MOST_CATEGORIES = 500
_MOST_NUMBERS = 2e8
"""Categories times squared systems: above it the tables of wins do not fit in memory."""
_LEAST_DISPERSION = 0.25
_SEED = 12345
"""That of a ranking by default; nothing is drawn."""


@with_one_blas_thread
def boards(
    data: AnyData,
    *,
    by: str | None = None,
    ties: Literal["half", "drop"] = "half",
    confidence: float = 0.95,
) -> Boards:
    r"""Rank systems in every category of battles, with strengths shrunk toward what is typical of all categories.

    A small category says little by itself, so strengths come from one model of all categories [1]_:

    .. math:: P(i \text{ beats } j \text{ in } c) = \sigma(\theta_{ci} - \theta_{cj}), \qquad
              \theta_{ci} \sim N(\mu_i, \tau^2)

    τ is estimated. A category with many battles keeps its own strengths, one with few is close to :math:`\mu`, and a
    system without battles in a category has what is typical of it, with a wide interval.

    Parameters
    ----------
    data : Matches, or what they are read from
        Battles, which are read once.
    by : str, optional
        The column of categories, such as "language"; needed unless `data` are :class:`Matches` with categories.
    ties : {"half", "drop"}, default "half"
    confidence : float, default 0.95

    Returns
    -------
    Boards
        Intervals cover the true strengths of a category with this probability on average over systems and categories.
        P-values of deviations are Holm-adjusted for all systems and categories, and conservative because deviations are
        shrunk.

    Raises
    ------
    TableError
        When there are no categories, or more than 500.
    NotEstimable
        When battles of all categories together do not connect the systems.

    Notes
    -----
    Where judges or questions occur in several battles, errors are those of these units, with Student's t and degrees
    of freedom for each system in each category, as in :func:`betterthan.rank`.

    References
    ----------
    .. [1] Efron and Morris (1975), Data analysis using Stein's estimator and its generalizations, JASA 70.

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["A"] * 8, "right": ["B"] * 8, "winner": ["A", "A", "B", "A", "B", "B", "A", "A"],
    ...            "topic": ["code"] * 5 + ["math"] * 3}
    >>> boards = bt.boards(battles, by="topic")
    >>> boards.categories, boards["math"].systems, boards["math"].strength.round().tolist()
    (('code', 'math'), ('A', 'B'), [1547.0, 1453.0])
    """
    check_share("confidence", confidence)
    if ties not in ("half", "drop"):
        raise unknown_name("ties", ties, ("half", "drop"))
    matches = divided(data, by)
    if matches.covariates is not None:
        raise BetterThanError("Boards by category cannot adjust for covariates. Leave the covariates out.")
    options = RankOptions(by="bradley_terry", ties=ties, scale="elo", confidence=confidence)
    check_systems(matches)
    check_matches(matches, options)
    pooled = fit_matches(matches, ties=ties)
    total = rank_matches(matches, options, Resampling.of(_SEED), fit=pooled)
    wins, votes = _tables(matches, ties)
    fit, degrees = _fitted(matches, pooled, wins)
    systems = [matches.systems.index(name) for name in total.systems]
    counted = np.bincount(np.asarray(matches.category), matches.weight, len(matches.categories))
    battles = np.asarray(counted, dtype=np.float64)
    sizes = np.argsort(-battles, kind="stable")
    return _result(
        matches, total, fit, degrees, by=by or "category", cells=np.ix_(sizes, np.array(systems)), votes=votes,
        battles=battles, confidence=confidence, ties=ties,
    )  # fmt: skip


def divided(data: AnyData, by: str | None) -> Matches:
    """Return battles with their categories, reading them where that is needed."""
    matches = as_divided_battles(data, by, verb="boards")
    k, m = len(matches.categories), matches.n_systems
    if k > MOST_CATEGORIES or k * m**2 > _MOST_NUMBERS:
        raise TableError(
            f"There are {k:,} categories of {m:,} systems, which is too many. Name a column with fewer categories; at "
            f"most {min(MOST_CATEGORIES, int(_MOST_NUMBERS / m**2)):,} are possible."
        )
    return matches


def _tables(matches: Matches, ties: Literal["half", "drop"]) -> tuple[FloatArray, FloatArray]:
    """Wins (k, m, m) with ties as half or left out, and the battles of each system (k, m)."""
    k, m = len(matches.categories), matches.n_systems
    cell = (np.asarray(matches.category) * m + matches.left) * m + matches.right
    sums = [
        np.bincount(cell[rows], matches.weight[rows], k * m * m).reshape(k, m, m).astype(np.float64)
        for rows in (matches.outcome == 1, matches.outcome == 0, matches.outcome == 0.5)
    ]
    won, tied = sums[0] + sums[1].swapaxes(1, 2), sums[2] + sums[2].swapaxes(1, 2)
    votes = (won + won.swapaxes(1, 2) + tied).sum(axis=2)
    return np.asarray(with_ties(won, tied, ties)), votes


class _Degrees(NamedTuple):
    """Degrees of freedom of strengths and of deviations, both (k, m)."""

    strength: FloatArray
    deviation: FloatArray


def _fitted(matches: Matches, pooled: MatchFit, wins: FloatArray) -> tuple[CategoryFit, _Degrees]:
    """Strengths by category, with errors that account for judges and questions."""
    rows = rows_of(matches, pooled.ties)
    if not rows.units:
        fit = category_strengths(wins, pooled.log_strength, dispersion=_dispersion(pooled))
        endless = np.full(fit.log_strength.shape, np.inf)
        return fit, _Degrees(endless, endless)
    first = category_strengths(wins, pooled.log_strength)
    dispersion = category_errors(wins, first, _unit_scores(matches, rows, first)).dispersion
    dispersion = max(_LEAST_DISPERSION, dispersion) if np.isfinite(dispersion) else 1.0
    fit = category_strengths(wins, pooled.log_strength, dispersion=dispersion)
    errors = category_errors(wins, fit, _unit_scores(matches, rows, fit), dispersion=dispersion)
    fit = fit._replace(covariance=errors.covariance, deviation_variance=errors.deviation_variance)
    return fit, _Degrees(errors.degrees, errors.deviation_degrees)


def _unit_scores(matches: Matches, rows: MatchRows, fit: CategoryFit) -> list[UnitScores]:
    """Scores of judges, of questions, or of both."""
    category = np.asarray(matches.category)
    if category.size > rows.left.size:  # ties are left out
        category = category[matches.outcome != 0.5]
    chance = expit(fit.log_strength[category, rows.left] - fit.log_strength[category, rows.right])
    parts = rows.weight * (rows.outcome - chance), rows.weight * chance * (1 - chance)
    shape = fit.log_strength.shape
    return [unit_scores(unit.code, category, (rows.left, rows.right), parts, shape) for unit in rows.units]


def _dispersion(pooled: MatchFit) -> float:
    """How many times larger variances of differences are than independent battles imply."""
    wins = with_ties(pooled.counts.wins, pooled.counts.ties, pooled.ties)  # type: ignore[arg-type]
    model = difference_errors(model_covariance(wins, pooled.log_strength)) ** 2
    found = np.nansum(pooled.pair_errors**2) / max(float(model.sum()), 1e-300)
    return max(_LEAST_DISPERSION, float(found)) if np.isfinite(found) else 1.0


def _result(
    matches: Matches,
    total: Ranking,
    fit: CategoryFit,
    degrees: _Degrees,
    *,
    by: str,
    cells: tuple[IntArray, ...],
    votes: FloatArray,
    battles: FloatArray,
    confidence: float,
    ties: str,
) -> Boards:
    sizes = cells[0].reshape(-1)
    factor = 400 / np.log(10)
    reach = critical_values(confidence, degrees.strength) * np.sqrt(
        np.diagonal(fit.covariance, axis1=1, axis2=2)
    )
    deviation = fit.log_strength - fit.typical
    z = np.abs(deviation) / np.sqrt(np.maximum(fit.deviation_variance, 1e-300))
    holm = adjusted(2 * upper_tail(z, degrees.deviation).ravel()).reshape(z.shape)
    ranks = [
        _ranks(theta, table, freedom, confidence)
        for theta, table, freedom in zip(fit.log_strength, fit.covariance, degrees.strength, strict=True)
    ]
    rank_, low, high = (np.array([each[i] for each in ranks]) for i in range(3))
    names = matches.categories
    return Boards(
        by=by,
        categories=tuple(names[i] for i in sizes.tolist()),
        systems=total.systems,
        battles=battles[sizes],
        own_weight=fit.own_weight[sizes],
        overall=total.strength,
        overall_low=total.low,
        overall_high=total.high,
        overall_rank=total.rank,
        strength=to_elo(fit.log_strength)[cells],
        low=to_elo(fit.log_strength - reach)[cells],
        high=to_elo(fit.log_strength + reach)[cells],
        rank=rank_[cells],
        rank_low=low[cells],
        rank_high=high[cells],
        votes=votes[cells],
        deviation=(factor * deviation)[cells],
        adjusted=holm[cells],
        spread=float(factor * fit.spread),
        confidence=confidence,
        notes=(*matches.notes, *_unit_note(matches)),
        settings=Settings(
            method="boards",
            options={
                "by": by,
                "matches": round(matches.n_matches),
                "categories": len(sizes),
                "ties": ties,
                "ci": f"{100 * confidence:g}",
            },
            data=matches.digest,
            n_systems=matches.n_systems,
        ),
    )  # fmt: skip


def _unit_note(matches: Matches) -> tuple[str, ...]:
    note = match_unit_note(matches)
    return (method_note("{text}", text=note),) if note else ()


def _ranks(
    theta: FloatArray, covariance: FloatArray, degrees: FloatArray, confidence: float
) -> tuple[IntArray, IntArray, IntArray]:
    """Ranks by strength, and the ranks that Holm-adjusted comparisons of all pairs leave possible."""
    m = theta.size
    first, second = np.triu_indices(m, k=1)
    error = difference_errors(covariance)[first, second]
    ahead = theta[first] - theta[second]
    z = np.abs(ahead) / np.where(error > 0, error, np.inf)
    p = 2 * upper_tail(z, np.minimum(degrees[first], degrees[second]))
    is_clear = adjusted(p) <= 1 - confidence
    better: BoolArray = np.zeros((m, m), dtype=bool)
    better[first, second], better[second, first] = is_clear & (ahead > 0), is_clear & (ahead < 0)
    low, high = simultaneous_rank_intervals(better)
    rank_ = np.empty(m, dtype=np.int64)
    rank_[np.argsort(-theta, kind="stable")] = np.arange(1, m + 1)
    return rank_, low, high
