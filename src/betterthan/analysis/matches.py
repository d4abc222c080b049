"""A Bradley–Terry fit of matches with its covariance: what ranking and comparing battles share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

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
    """Log strengths of matches, their covariance, and what is to be said."""

    log_strength: FloatArray
    covariance: FloatArray
    counts: WinCounts
    ties: str
    notes: tuple[str, ...]


def fit_matches(matches: Matches, *, ties: TiesModel = "default", prior: float = 0.0) -> MatchFit:
    """Fit Bradley–Terry to matches; ties count half unless said otherwise, and robust errors know clusters."""
    policy = "half" if ties == "default" else ties
    counts = WinCounts(np.asarray(matches.wins()), np.asarray(matches.ties()))
    theta = fitted(counts, matches.systems, ties=policy, prior=prior)
    if policy == "davidson":
        raise BetterThanError(
            'Standard errors of the Davidson model are found by resampling: use interval="percentile".'
        )
    return MatchFit(
        log_strength=theta,
        covariance=_covariance(theta, matches, counts, policy, prior),
        counts=counts,
        ties=policy,
        notes=(*matches.notes, *ties_note(counts, policy)),
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


def check_connected(wins: FloatArray, systems: tuple[str, ...]) -> None:
    """Raise unless the graph of wins is strongly connected; name who is to blame, and the cure."""
    graph = connectivity(wins)
    if graph.n_components <= 1:
        return
    cure = 'Rank by="win_rate", or add prior=0.5.'
    if graph.n_islands > 1:
        sizes = np.bincount(graph.island)
        islands = [
            some_of([systems[i] for i in np.flatnonzero(graph.island == k).tolist()], limit=3)
            for k in np.argsort(sizes)
        ]
        text = f"No match was decided between these sets of systems: {'; '.join(islands[:3])}."
        cure = 'Rank by="win_rate", count ties with ties="half", or add prior=0.5.'
        raise NotEstimable(f"Bradley–Terry strengths do not exist here. {text} {cure}", systems=systems)
    raise NotEstimable(
        f"Bradley–Terry strengths do not exist here: {_blame(graph, systems)}. {cure}", systems=systems
    )


def _blame(graph: Connectivity, named: Sequence[str]) -> str:
    never_won = [named[i] for i in np.flatnonzero(graph.never_won).tolist()]
    never_lost = [named[i] for i in np.flatnonzero(graph.never_lost).tolist()]
    parts = []
    if never_won:
        parts.append(f"{some_of(never_won, limit=3)} never won")
    if never_lost:
        parts.append(f"{some_of(never_lost, limit=3)} never lost")
    if not parts:
        top = [named[i] for i in np.flatnonzero(graph.component == 0).tolist()]
        parts.append(f"{some_of(top, limit=3)} never lost to any of the others")
    return " and ".join(parts)


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
