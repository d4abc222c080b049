"""Bradley–Terry fit of matches with its covariance, for ranking and comparing battles; and position bias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, ndtr, ndtri, stdtr, stdtrit

from betterthan.analysis.matches.match_units import (
    Clustering,
    MatchUnit,
    Style,
    crossed,
    fit_with_covariates,
    refuse_covariates,
    two_way,
    units_of_matches,
)
from betterthan.arrays import FloatArray, IntArray, numbered
from betterthan.errors import BetterThanError, NotEstimable, some_of, unknown_name
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.connectivity import Connectivity, connectivity
from betterthan.kernels.comparisons.davidson import DavidsonFit, davidson, davidson_exists
from betterthan.kernels.comparisons.match_counts import signed_sums, squares_of_designs
from betterthan.kernels.comparisons.rao_kupper import RaoKupperFit, rao_kupper
from betterthan.kernels.comparisons.sandwich import (
    clustered_fit,
    difference_errors,
    model_covariance,
    robust_covariance,
)
from betterthan.kernels.comparisons.tie_models import clustered_tie_fit, tie_covariance
from betterthan.kernels.comparisons.wins import WinCounts, with_ties
from betterthan.kernels.resampling.clustered import many_clusters
from betterthan.messages import Message, Option, method_note
from betterthan.results.pairwise import SideEffect, equals_p
from betterthan.tables.matches import Matches

TiesModel = Literal["default", "half", "drop", "davidson", "rao_kupper", "as_published"]
TIES = ("half", "drop", "davidson", "rao_kupper", "as_published")
TIE_MODELS: dict[str, Callable[[FloatArray, FloatArray], DavidsonFit | RaoKupperFit]] = {
    "davidson": davidson,
    "rao_kupper": rao_kupper,
}
"""Treatments of ties that are a model with a parameter of its own."""
_TIE_MODEL_NAMES = {"davidson": "Davidson", "rao_kupper": "Rao and Kupper"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFit:
    """Log strengths of matches, their uncertainty, and notes.

    Attributes
    ----------
    log_strength : array, shape (m,)
    covariance : array, shape (m, m)
    counts : WinCounts
    ties : str
        How ties are treated.
    clusterings : tuple
        One by judges or sessions, one by questions, or both; empty where matches are independent.
    pair_errors, pair_degrees : array, shape (m, m)
        Standard errors of all differences of log strengths, and their degrees of freedom: infinite without clusters,
        NaN where there is only one cluster.
    style : Style, optional
        What the covariates do.
    notes : tuple of str
    """

    log_strength: FloatArray
    covariance: FloatArray
    counts: WinCounts
    ties: str
    clusterings: tuple[Clustering, ...]
    pair_errors: FloatArray
    pair_degrees: FloatArray
    style: Style | None
    notes: tuple[str, ...]

    def sureness(self, contrasts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Standard errors and degrees of freedom of contrasts (k, m) of the log strengths, both (k,)."""
        tables = _tables(self.covariance, self.clusterings)
        degrees = [by.degrees(_padded(contrasts, by)) for by in self.clusterings]
        return _largest([_variances(contrasts, table) for table in tables], degrees)


def _tables(covariance: FloatArray, clusterings: Sequence[Clustering]) -> list[FloatArray]:
    """The covariance, and with two-way clustering also that of each way."""
    m = len(covariance)
    return [covariance, *(by.covariance[:m, :m] for by in clusterings if len(clusterings) > 1)]


def _largest(variances: list[FloatArray], degrees: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return standard errors and degrees of freedom; with two-way clustering, the largest error and the fewest degrees.

    The fewest even where the largest error is that of the other way: three judges who differ can look alike by chance,
    and then the error by questions is too small (measured: docs/calibration.md, both orders). NaN stays NaN.
    """
    error = np.sqrt(np.maximum(np.max(variances, axis=0), 0))
    return error, np.min(degrees, axis=0) if degrees else np.full(error.shape, np.inf)


def _variances(contrasts: FloatArray, covariance: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ka,ab,kb->k", contrasts, covariance, contrasts))


def _padded(contrasts: FloatArray, by: Clustering) -> FloatArray:
    """Contrasts with zeros for covariates."""
    return np.pad(contrasts, ((0, 0), (0, len(by.covariance) - contrasts.shape[1])))


def fit_matches(matches: Matches, *, ties: TiesModel = "default", prior: float = 0.0) -> MatchFit:
    """Fit Bradley–Terry to matches; ties count as half by default, and robust errors account for clusters."""
    policy = "half" if ties == "default" else ties
    refuse_covariates(matches, "bradley_terry", ties=policy, prior=prior, interval="robust")
    refuse_prior(policy, prior)
    counts = WinCounts(np.asarray(matches.wins()), np.asarray(matches.ties()))
    refuse_unmet(counts, matches.systems)
    style = None
    if policy in TIE_MODELS and counts.ties.any():
        theta, covariance, clusterings = _with_modeled_ties(matches, counts, policy)
    elif matches.covariates is None:
        theta = fitted(counts, matches.systems, ties=policy, prior=prior)
        treated = "half" if policy in TIE_MODELS else policy  # nothing tied
        covariance, clusterings = _covariance(theta, matches, counts, treated, prior)
    else:
        theta, covariance, clusterings, style = _styled(matches, counts, policy)
    errors = [difference_errors(table) ** 2 for table in _tables(covariance, clusterings)]
    pair_errors, pair_degrees = _largest(errors, [by.degrees_of_pairs(theta.size) for by in clusterings])
    return MatchFit(
        pair_errors=pair_errors,
        pair_degrees=pair_degrees,
        log_strength=theta,
        covariance=covariance,
        counts=counts,
        ties=policy,
        clusterings=clusterings,
        style=style,
        notes=(*matches.notes, *ties_note(counts, policy)),
    )


def critical_values(confidence: float, degrees: FloatArray) -> FloatArray:
    """Critical value: half-width of an interval in standard errors; NaN without degrees of freedom.

    Examples
    --------
    >>> critical_values(0.95, np.array([np.inf, 11, np.nan])).round(3)
    array([1.96 , 2.201,   nan])
    """
    tail = (1 - confidence) / 2
    finite = np.where(np.isfinite(degrees), degrees, 1.0)
    t = np.where(np.isfinite(degrees), -stdtrit(finite, tail), -ndtri(tail))
    return np.where(np.isnan(degrees), np.nan, t)


def upper_tail(z: FloatArray, degrees: FloatArray) -> FloatArray:
    """Upper tail probability of Student's t, or of the normal distribution where degrees are infinite."""
    finite = np.where(np.isfinite(degrees), degrees, 1.0)
    upper = np.where(np.isfinite(degrees), stdtr(finite, -z), ndtr(-z))
    return np.where(np.isnan(degrees), np.nan, upper)


def _styled(
    matches: Matches, counts: WinCounts, policy: str
) -> tuple[FloatArray, FloatArray, tuple[Clustering, ...], Style]:
    wins = with_ties(counts.wins, counts.ties, policy)  # type: ignore[arg-type]  # one of the three
    check_connected(
        wins, matches.systems, hint="Leave out the covariates: a fit with covariates cannot use a prior."
    )
    rows = rows_of(matches, policy)
    kept = matches.outcome != 0.5 if policy == "drop" else slice(None)
    fit = fit_with_covariates(
        *rows[:4],
        np.asarray(matches.covariates)[kept],
        units=[unit.code for unit in rows.units],
        n_systems=matches.n_systems,
        names=matches.covariate_names,
    )
    m = matches.n_systems
    return fit.log_strength, fit.covariance[:m, :m], fit.clusterings, fit.style


def _covariance(
    theta: FloatArray, matches: Matches, counts: WinCounts, policy: str, prior: float
) -> tuple[FloatArray, tuple[Clustering, ...]]:
    """Robust covariance; with a prior at least the model-based one, because a perfect record leaves no residuals."""
    rows = rows_of(matches, policy)
    if not rows.units and prior == 0:
        return robust_covariance(theta, *rows[:4]), ()
    wins = with_ties(counts.wins, counts.ties, policy)  # type: ignore[arg-type]  # one of the three
    model = model_covariance(wins, theta, prior=prior) if prior else None
    if not rows.units:
        return np.asarray(model), ()
    codes = [unit.code for unit in rows.units]
    by = [clustered_fit(theta, *rows[:4], code, prior=prior) for code in codes]
    found = by[0].covariance
    if len(by) == 2:
        cells = crossed(rows.units)
        alone = np.unique(cells).size == cells.size
        both = robust_covariance(theta, *rows[:4], cluster=None if alone else cells, prior=prior)
        found = two_way(by[0].covariance, by[1].covariance, both)
    if model is not None and np.trace(model) > np.trace(found):
        found = model
    return found, tuple(by)


def _with_modeled_ties(
    matches: Matches, counts: WinCounts, policy: str
) -> tuple[FloatArray, FloatArray, tuple[Clustering, ...]]:
    """Log strengths of a model of ties, and their robust covariance from its own likelihood."""
    check_tie_model(counts, matches.systems, policy, what="matches")
    fit = TIE_MODELS[policy](counts.wins, counts.ties)
    rows, m = rows_of(matches, policy), matches.n_systems
    by = tuple(clustered_tie_fit(fit, *rows[:4], unit.code) for unit in rows.units)
    if not by:
        return fit.log_strength, tie_covariance(fit, *rows[:4])[:m, :m], ()
    found = by[0].covariance[:m, :m]
    if len(by) == 2:
        cells = crossed(rows.units)
        alone = np.unique(cells).size == cells.size
        both = (
            tie_covariance(fit, *rows[:4]) if alone else clustered_tie_fit(fit, *rows[:4], cells).covariance
        )
        found = two_way(found, by[1].covariance[:m, :m], both[:m, :m])
    return fit.log_strength, found, by


def added_up(matches: Matches) -> Matches:
    """Merge equal matches into one row with summed weights, where neither clusters nor covariates need single rows.

    Wins, ties and the fit are the same to the last bit: each cell sums the same weights in the same order. A million
    battles of a hundred systems become 30,000 rows, so do this first where several of these are needed.
    """
    is_needed_apart = matches.covariates is not None or bool(units_of_matches(matches))
    if is_needed_apart or matches.left.size <= 3 * matches.n_systems**2:
        return matches
    return matches.aggregated()


class MatchRows(NamedTuple):
    """Rows of the likelihood under a treatment of ties."""

    left: IntArray
    right: IntArray
    outcome: FloatArray
    weight: FloatArray
    units: tuple[MatchUnit, ...]


def rows_of(matches: Matches, ties: str) -> MatchRows:
    """Return the rows with ties as one half, left out, or given to the second system; equal rows are merged.

    A model of ties sees them as they are, like ties as one half.
    """
    units = units_of_matches(matches)
    matches = added_up(matches)
    tied = matches.outcome == 0.5
    keep = ~tied if ties == "drop" else np.ones(tied.size, dtype=bool)
    outcome = matches.outcome
    if ties == "as_published":
        outcome = np.where(tied, (matches.left > matches.right).astype(np.float64), outcome)
    units = tuple(MatchUnit(unit.name, unit.code[keep]) for unit in units)
    return MatchRows(matches.left[keep], matches.right[keep], outcome[keep], matches.weight[keep], units)


def fitted(counts: WinCounts, systems: tuple[str, ...], *, ties: str, prior: float) -> FloatArray:
    """Return log strengths, or raise an error that names the systems concerned and a remedy."""
    if ties not in TIES:
        raise unknown_name("ties", ties, TIES)
    if ties in TIE_MODELS:
        check_tie_model(counts, systems, ties, what="matches")
        return TIE_MODELS[ties](counts.wins, counts.ties).log_strength
    wins = with_ties(counts.wins, counts.ties, ties)  # type: ignore[arg-type]  # one of the three
    if prior == 0:
        check_connected(wins, systems)
    return bradley_terry(wins, prior=prior).log_strength


def refuse_prior(ties: str, prior: float) -> None:
    """Raise where a model of ties is to have a prior."""
    if prior and ties in TIE_MODELS:
        raise BetterThanError(
            Message(
                "{model} cannot be combined with {prior}. Use {half}, or leave out the prior.",
                model=Option("ties", ties),
                prior=Option("prior", prior),
                half=Option("ties", "half"),
            )
        )


def check_tie_model(counts: WinCounts, systems: tuple[str, ...], ties: str, *, what: str) -> None:
    """Raise when a model of ties has no finite strengths for these matches or scores."""
    if davidson_exists(counts.wins, counts.ties):
        return
    check_connected(counts.wins + counts.ties / 2, systems)
    raise NotEstimable(
        Message(
            "The {model} model of ties has no solution for these {what}. Use {ties}.",
            model=_TIE_MODEL_NAMES[ties],
            what=what,
            ties=Option("ties", "half"),
        )
    )


def refuse_unmet(counts: WinCounts, systems: tuple[str, ...]) -> None:
    """Raise when a system has no match."""
    unmet = [systems[i] for i in np.flatnonzero(_played(counts) == 0).tolist()]
    if unmet:
        raise NotEstimable(
            f"There are no matches of {some_of(unmet, limit=3)}. Leave out these systems, or include more matches.",
            systems=unmet,
        )


def check_connected(
    wins: FloatArray, systems: tuple[str, ...], *, hint: str = "", what: str = "Bradley–Terry strengths"
) -> None:
    """Raise unless the graph of wins is strongly connected; the error names the systems concerned and a remedy.

    Parameters
    ----------
    wins : array, shape (m, m)
    systems : tuple of str
    hint : str, optional
        Remedy, where that is not another method or a prior.
    what : str
        What does not exist otherwise.
    """
    graph = connectivity(wins)
    if graph.n_components <= 1:
        return
    if graph.n_islands > 1:
        sizes = np.bincount(graph.island)
        islands = [
            [systems[i] for i in np.flatnonzero(graph.island == k).tolist()] for k in np.argsort(sizes)
        ]
        shown = "; ".join(some_of(island, limit=3) for island in islands[:3])
        message = Message(
            "{what} do not exist. No match was decided between these sets of systems: {islands}. {hint}",
            what=what,
            islands=shown,
            hint=hint or _other_method(count_ties=True),
        )
        raise NotEstimable(message, systems=[name for island in islands[:-1] for name in island])
    blame, blamed = _blame(graph, systems)
    message = Message(
        "{what} do not exist: {blame}. {hint}",
        what=what,
        blame=blame,
        hint=hint or _other_method(count_ties=False),
    )
    raise NotEstimable(message, systems=blamed)


def _other_method(*, count_ties: bool) -> Message:
    return Message(
        "Use {by}, count ties with {ties}, or add {prior}." if count_ties else "Use {by}, or add {prior}.",
        by=Option("by", "win_rate"),
        ties=Option("ties", "half"),
        prior=Option("prior", 0.5),
    )


def _blame(graph: Connectivity, named: Sequence[str]) -> tuple[str, list[str]]:
    never_won = [named[i] for i in np.flatnonzero(graph.never_won).tolist()]
    never_lost = [named[i] for i in np.flatnonzero(graph.never_lost).tolist()]
    parts = []
    if never_won:
        parts.append(f"{some_of(never_won, limit=3)} never won")
    if never_lost:
        parts.append(f"{some_of(never_lost, limit=3)} never lost")
    if parts:
        return " and ".join(parts), [*never_won, *never_lost]
    top = [named[i] for i in np.flatnonzero(graph.component == 0).tolist()]
    return f"{some_of(top, limit=3)} never lost to any of the others", top


def ties_note(counts: WinCounts, policy: str) -> tuple[str, ...]:
    """Return a note on the number of ties and their treatment."""
    upper = np.triu_indices(len(counts.wins), k=1)
    ties = counts.ties[upper].sum()
    total = (counts.wins + counts.wins.T + counts.ties)[upper].sum()
    if ties == 0:
        return ()
    what = {
        "half": "counted as half a win for each",
        "drop": "left out",
        "davidson": "modeled (Davidson)",
        "rao_kupper": "modeled (Rao and Kupper)",
        "as_published": "given to the second system, as the published code does",
    }[policy]
    note = "{ties:,.10g} of {total:,.10g} comparisons are ties ({share:.1f}%), {what}."
    return (method_note(note, ties=ties, total=total, share=100 * ties / total, what=what),)


def graph_note(matches: Matches, counts: WinCounts, ties: str) -> tuple[str, ...]:
    """Return a note on whether wins connect all systems, and on the system with the fewest matches."""
    played = _played(counts)
    i = int(np.argmin(played))
    weakest = f"fewest matches: {matches.systems[i]} ({played[i]:,.10g})"
    graph = connectivity(with_ties(counts.wins, counts.ties, "drop" if ties == "drop" else "half"))
    if graph.n_components <= 1:
        return (method_note("Comparison graph: connected; {weakest}.", weakest=weakest),)
    if graph.n_islands > 1:
        parts = f"{graph.n_islands} sets of systems not connected by any decided match"
    else:
        parts = f"not connected, {_blame(graph, matches.systems)[0]}"
    return (Message("Comparison graph: {parts}; {weakest}.", parts=parts, weakest=weakest),)


def _played(counts: WinCounts) -> FloatArray:
    return np.asarray((counts.wins + counts.wins.T + counts.ties).sum(axis=1))


_BOTH_WAYS = 0.05  # smallest share of matches that must also occur in the other order


def side_effect(matches: Matches, fit: MatchFit, confidence: float) -> SideEffect | None:
    r"""Return the effect of being shown on the left (position bias), with its interval and p-value.

    The model gains a parameter, :math:`\operatorname{logit} P(\text{left wins}) = \theta_l - \theta_r + \delta`. With
    the residuals and weights of the fit without it, and :math:`x^*` the residual of the constant 1
    after projection on the systems,

    .. math:: \hat\delta = \frac{\sum_r w_r (y_r - p_r)}{\sum_r w_r p_r (1 - p_r) x_r^{*2}},

    one step of Newton's method; its standard error is clustered like all others. None where positions carry
    no information: no system ever won from the right, or hardly any pair met in both orders. Modeled ties
    count as half here.
    """
    rows = rows_of(matches, fit.ties)
    if matches.covariates is not None or not _sides_mean_something(rows, matches.n_systems):
        return None
    theta = fit.log_strength
    if fit.ties in TIE_MODELS:
        theta = fitted(fit.counts, matches.systems, ties="half", prior=0.0)
    ahead = theta[rows.left] - theta[rows.right]
    chance = expit(ahead)
    curvature, residual = rows.weight * chance * (1 - chance), rows.weight * (rows.outcome - chance)
    pull = signed_sums(curvature[:, None], rows.left, rows.right, n_systems=matches.n_systems)[:, 0]
    own = squares_of_designs(curvature, rows.left, rows.right, n_systems=matches.n_systems)
    slope = np.linalg.pinv(own, hermitian=True) @ pull
    free = 1 - (slope[rows.left] - slope[rows.right])
    information, score = curvature * free**2, residual * free
    if information.sum() <= 0:
        return None
    step = score.sum() / information.sum()
    error, degrees = _error(rows, information, score, step)
    if not error > 0:
        return None
    p = float(2 * upper_tail(np.array(abs(step) / error), np.array(degrees)))
    reach = float(critical_values(confidence, np.array(degrees))) * error
    won = np.array([rows.weight[rows.outcome == end].sum() for end in (1.0, 0.0)])
    if np.isnan(p):
        return None
    return SideEffect(
        left_wins=float(won[0]),
        right_wins=float(won[1]),
        log_odds=float(step),
        low=float(step - reach),
        high=float(step + reach),
        pvalue=p,
    )


def side_note(side: SideEffect | None, confidence: float) -> tuple[str, ...]:
    """Return a note on position bias: the odds ratio of being shown on the left, its interval and p-value."""
    if side is None:
        return ()
    p, won = side.pvalue, (side.left_wins, side.left_wins + side.right_wins)
    verdict = "position matters" if p <= 1 - confidence else "no significant position bias"
    low, middle, high = np.exp(np.clip([side.low, side.log_odds, side.high], -300, 300))
    text = (
        f"Position: the system on the left won {won[0]:,.10g} of {won[1]:,.10g} decided battles (odds ratio "
        f"{middle:.3g}, {100 * confidence:g}% CI {low:.3g} to {high:.3g}, {equals_p(p)}): {verdict}."
    )
    # That the side makes no difference is worth knowing, but changes nothing.
    return (Message("{text}", text=text) if p <= 1 - confidence else method_note("{text}", text=text),)


def _sides_mean_something(rows: MatchRows, n_systems: int) -> bool:
    if not ((rows.outcome == 1).any() and (rows.outcome == 0).any()):
        return False
    met = np.bincount(rows.left * n_systems + rows.right, rows.weight, n_systems**2).reshape(
        n_systems, n_systems
    )
    return bool(np.minimum(met, met.T).sum() >= 2 * _BOTH_WAYS * met.sum())


def _error(rows: MatchRows, information: FloatArray, score: FloatArray, step: float) -> tuple[float, float]:
    """Standard error of the step and its degrees of freedom, clustered, from the residuals after the step."""
    rest = score - step * information
    if not rows.units:
        with np.errstate(divide="ignore", invalid="ignore"):
            square = np.where(rows.weight > 0, rest**2 / rows.weight, 0.0).sum()
        return float(np.sqrt(square) / information.sum()), np.inf

    def by(code: IntArray) -> tuple[float, float]:
        number, _ = numbered(code)
        found = many_clusters(number, np.zeros_like(number), information, rest, n_parameters=1)
        return float(found.covariance[0, 0]), float(found.degrees(np.ones((1, 1)))[0])

    ways = [by(unit.code) for unit in rows.units]
    variance = ways[0][0]
    if len(ways) == 2:
        both, _ = by(crossed(rows.units))
        variance = max(ways[0][0], ways[1][0], ways[0][0] + ways[1][0] - both)
    return float(np.sqrt(variance)), min(degrees for _, degrees in ways)
