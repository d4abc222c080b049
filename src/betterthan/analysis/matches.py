"""A Bradley–Terry fit of matches with its covariance: what ranking and comparing battles share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from betterthan.analysis.match_covariates import Style, fit_with_covariates, refuse_covariates
from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, NotEstimable, some_of, unknown_name
from betterthan.kernels.bradley_terry import bradley_terry
from betterthan.kernels.connectivity import Connectivity, connectivity
from betterthan.kernels.davidson import davidson, davidson_exists
from betterthan.kernels.sandwich import model_covariance, robust_covariance
from betterthan.kernels.wins import WinCounts, with_ties
from betterthan.tables.matches import Matches

TiesModel = Literal["default", "half", "drop", "davidson", "as_published"]
TIES = ("half", "drop", "davidson", "as_published")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFit:
    """Log strengths of matches, their covariance, and what is to be said.

    Attributes
    ----------
    log_strength : array, shape (m,)
    covariance : array, shape (m, m)
    counts : WinCounts
    ties : str
        The policy.
    degrees : float
        Of freedom of the errors: infinite unless they are clustered.
    style : Style, optional
        What the covariates do.
    notes : tuple of str
    """

    log_strength: FloatArray
    covariance: FloatArray
    counts: WinCounts
    ties: str
    degrees: float
    style: Style | None
    notes: tuple[str, ...]


def fit_matches(matches: Matches, *, ties: TiesModel = "default", prior: float = 0.0) -> MatchFit:
    """Fit Bradley–Terry to matches; ties count half unless said otherwise, and robust errors know clusters."""
    policy = "half" if ties == "default" else ties
    refuse_covariates(matches, "bradley_terry", ties=policy, prior=prior, interval="robust")
    counts = WinCounts(np.asarray(matches.wins()), np.asarray(matches.ties()))
    refuse_unmet(counts, matches.systems)
    if policy == "davidson":
        raise BetterThanError(
            'Standard errors of the Davidson model are found by resampling: use interval="percentile".'
        )
    style = None
    if matches.covariates is None:
        theta = fitted(counts, matches.systems, ties=policy, prior=prior)
        covariance = _covariance(theta, matches, counts, policy, prior)
    else:
        theta, covariance, style = _styled(matches, counts, policy)
    return MatchFit(
        log_strength=theta,
        covariance=covariance,
        counts=counts,
        ties=policy,
        degrees=degrees_of_freedom(matches),
        style=style,
        notes=(*matches.notes, *ties_note(counts, policy), *cluster_note(matches)),
    )


def degrees_of_freedom(matches: Matches) -> float:
    r"""Of clustered errors; infinite without groups.

    An error found from few judges is itself uncertain, which Student's t makes up for. Judges count by how evenly
    the n matches are spread over them [1]_; in simulations with 5 to 40 judges, even or very uneven, intervals of
    95 % cover 94 to 97 %.

    .. math:: \frac{(\sum_c n_c)^2}{\sum_c n_c^2} - 1, \qquad \text{at least } 1

    References
    ----------
    .. [1] Carter, Schnepel, Steigerwald (2017), Asymptotic behavior of a t-test robust to cluster heterogeneity,
       Review of Economics and Statistics 99.
    """
    sizes = _group_sizes(matches)
    return np.inf if sizes is None else max(1.0, _even_groups(sizes) - 1)


def _even_groups(sizes: FloatArray) -> float:
    """How many groups of equal size would tell as much."""
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def _group_sizes(matches: Matches) -> FloatArray | None:
    if matches.group is None:
        return None
    number = np.unique(matches.group, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(number, matches.weight)
    return np.asarray(sizes[sizes > 0], dtype=np.float64)


def n_groups(matches: Matches) -> int:
    """Number of groups that have a match."""
    sizes = _group_sizes(matches)
    return 0 if sizes is None else sizes.size


def critical_value(confidence: float, degrees: float) -> float:
    """How many standard errors an interval reaches to either side.

    Examples
    --------
    >>> round(critical_value(0.95, np.inf), 3), round(critical_value(0.95, 11), 3)
    (1.96, 2.201)
    """
    tail = (1 - confidence) / 2
    return float(-ndtri(tail) if np.isinf(degrees) else -stdtrit(degrees, tail))


def _styled(matches: Matches, counts: WinCounts, policy: str) -> tuple[FloatArray, FloatArray, Style]:
    wins = with_ties(counts.wins, counts.ties, policy)  # type: ignore[arg-type]  # one of the three
    check_connected(wins, matches.systems, cure="Read them without covariates, which take no prior.")
    rows = rows_of(matches, policy)
    kept = matches.outcome != 0.5 if policy == "drop" else slice(None)
    return fit_with_covariates(
        *rows[:4],
        np.asarray(matches.covariates)[kept],
        cluster=rows.cluster,
        n_systems=matches.n_systems,
        names=matches.covariate_names,
    )


def _covariance(
    theta: FloatArray, matches: Matches, counts: WinCounts, policy: str, prior: float
) -> FloatArray:
    """Robust covariance; with a prior the model's, because a perfect record leaves no residuals to judge by."""
    rows = rows_of(matches, policy)
    if prior == 0:
        return robust_covariance(theta, *rows[:4], cluster=rows.cluster)
    wins = with_ties(counts.wins, counts.ties, policy)  # type: ignore[arg-type]  # one of the three
    model = model_covariance(wins, theta, prior=prior)
    if rows.cluster is None:
        return model
    clustered = robust_covariance(theta, *rows[:4], cluster=rows.cluster, prior=prior)
    return max(model, clustered, key=np.trace)


class Rows(NamedTuple):
    """Matches as the likelihood sees them under a policy for ties."""

    left: IntArray
    right: IntArray
    outcome: FloatArray
    weight: FloatArray
    cluster: IntArray | None


def rows_of(matches: Matches, ties: str) -> Rows:
    """Return the rows with ties kept at one half, left out, or given to the later system."""
    tied = matches.outcome == 0.5
    keep = ~tied if ties == "drop" else np.ones(tied.size, dtype=bool)
    outcome = matches.outcome
    if ties == "as_published":
        outcome = np.where(tied, (matches.left > matches.right).astype(np.float64), outcome)
    cluster = None if matches.group is None else matches.group[keep]
    return Rows(matches.left[keep], matches.right[keep], outcome[keep], matches.weight[keep], cluster)


def fitted(counts: WinCounts, systems: tuple[str, ...], *, ties: str, prior: float) -> FloatArray:
    """Log strengths, or an error that names the systems concerned and the cure."""
    if ties not in TIES:
        raise unknown_name("ties", ties, TIES)
    if ties == "davidson":
        if not davidson_exists(counts.wins, counts.ties):
            check_connected(counts.wins + counts.ties / 2, systems)
            raise NotEstimable('The ties model of Davidson has no fit for these matches. Use ties="half".')
        return davidson(counts.wins, counts.ties).log_strength
    wins = with_ties(counts.wins, counts.ties, ties)  # type: ignore[arg-type]  # one of the three
    if prior == 0:
        check_connected(wins, systems)
    return bradley_terry(wins, prior=prior).log_strength


def refuse_unmet(counts: WinCounts, systems: tuple[str, ...]) -> None:
    """Raise when a system has no match, so that nothing at all is known about it."""
    unmet = [systems[i] for i in np.flatnonzero(_played(counts) == 0).tolist()]
    if unmet:
        raise NotEstimable(
            f"No match is left of {some_of(unmet, limit=3)}. Leave out such systems, or keep more matches.",
            systems=unmet,
        )


def check_connected(
    wins: FloatArray, systems: tuple[str, ...], *, cure: str = 'Rank by="win_rate", or add prior=0.5.'
) -> None:
    """Raise unless the graph of wins is strongly connected; name who is to blame, and the cure."""
    graph = connectivity(wins)
    if graph.n_components <= 1:
        return
    if graph.n_islands > 1:
        sizes = np.bincount(graph.island)
        islands = [
            [systems[i] for i in np.flatnonzero(graph.island == k).tolist()] for k in np.argsort(sizes)
        ]
        shown = "; ".join(some_of(island, limit=3) for island in islands[:3])
        text = f"No match was decided between these sets of systems: {shown}."
        cure = cure.replace('"win_rate", or', '"win_rate", count ties with ties="half", or')
        apart = [name for island in islands[:-1] for name in island]
        raise NotEstimable(f"Bradley–Terry strengths do not exist here. {text} {cure}", systems=apart)
    blame, blamed = _blame(graph, systems)
    raise NotEstimable(f"Bradley–Terry strengths do not exist here: {blame}. {cure}", systems=blamed)


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
    """Say how many comparisons were ties and what became of them."""
    upper = np.triu_indices(len(counts.wins), k=1)
    ties = counts.ties[upper].sum()
    total = (counts.wins + counts.wins.T + counts.ties)[upper].sum()
    if ties == 0:
        return ()
    what = {
        "half": "counted as half a win for both",
        "drop": "left out",
        "davidson": "modelled (Davidson)",
        "as_published": "given to the second system, as the published code does",
    }[policy]
    return (f"{ties:,.10g} of {total:,.10g} comparisons are ties ({100 * ties / total:.1f} %), {what}.",)


def cluster_note(matches: Matches) -> tuple[str, ...]:
    """Say that errors are clustered, by how many groups, and what these are worth when they are uneven."""
    sizes = _group_sizes(matches)
    if sizes is None:
        return ()
    worth = _even_groups(sizes)
    uneven = f", worth {worth:.3g} of equal size" if worth < 0.8 * sizes.size else ""
    return (f"Intervals and tests are clustered by group ({sizes.size:,} groups{uneven}).",)


def graph_note(matches: Matches, counts: WinCounts, ties: str) -> tuple[str, ...]:
    """Say whether wins connect all systems, and who hangs by the thinnest thread."""
    played = _played(counts)
    i = int(np.argmin(played))
    weakest = f"fewest matches: {matches.systems[i]} ({played[i]:,.10g})"
    graph = connectivity(with_ties(counts.wins, counts.ties, "drop" if ties == "drop" else "half"))
    if graph.n_components <= 1:
        return (f"Comparison graph: connected; {weakest}.",)
    if graph.n_islands > 1:
        return (
            f"Comparison graph: {graph.n_islands} sets of systems that no decided match connects; {weakest}.",
        )
    return (f"Comparison graph: not connected, {_blame(graph, matches.systems)[0]}; {weakest}.",)


def _played(counts: WinCounts) -> FloatArray:
    return np.asarray((counts.wins + counts.wins.T + counts.ties).sum(axis=1))
