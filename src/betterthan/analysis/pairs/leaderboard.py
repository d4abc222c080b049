"""From pairwise decisions to a leaderboard: rank ranges, clusters, groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.display.letters import letter_display, letters_of_many
from betterthan.kernels.display.ranks import fuzzy_ranks, greedy_clusters, simultaneous_rank_intervals
from betterthan.results.pairwise import PairwiseTable

MOST_FOR_FEWEST_LETTERS = 200
# Beyond this number a system has hundreds of letters, which are unreadable and take minutes to compute.
MOST_FOR_LETTERS = 1000
# Strengths closer than this share of the largest are equal. Means are exact, also for scores that vary little around a
# large value.
SLACK = 1e-12
SLACK_OF_MEANS = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True)
class Placements:
    """Rank, rank range, fuzzy rank, cluster and groups of each system, best first."""

    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    fuzzy_rank: FloatArray
    cluster: IntArray
    letters: tuple[str, ...]
    beats_next: FloatArray
    differs_from_next: BoolArray


def standing(
    systems: tuple[str, ...], goodness: FloatArray, pairs: PairwiseTable, *, slack: float = SLACK
) -> Placements:
    """Return the leaderboard of `systems`, in order of descending `goodness`, from the verdicts of `pairs`.

    Ranks come from the strengths; rank ranges, clusters and groups come from the tests alone. More than 1,000
    systems get no letters.
    """
    better = decisions(systems, pairs)
    low, high = simultaneous_rank_intervals(better)
    different = better | better.T
    index = [pairs.systems.index(name) for name in systems]
    points = (pairs.wins + pairs.ties / 2)[np.ix_(index, index)]
    played = (pairs.wins + pairs.losses + pairs.ties)[np.ix_(index, index)]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = points / played
    rank = shared_ranks(goodness, slack)
    return Placements(
        rank=rank,
        rank_low=low,
        rank_high=high,
        fuzzy_rank=fuzzy_ranks(rank, different),
        cluster=greedy_clusters(different),
        letters=_letters(different),
        beats_next=np.append(np.diagonal(share, offset=1), np.nan),
        differs_from_next=np.append(np.diagonal(different, offset=1), False),
    )


def _letters(different: BoolArray) -> tuple[str, ...]:
    """Return the letters of each system; empty for very many systems."""
    m = len(different)
    if m > MOST_FOR_LETTERS:
        return ("",) * m
    display = letter_display if m <= MOST_FOR_FEWEST_LETTERS else letters_of_many
    return display(different).labels


def decisions(systems: tuple[str, ...], pairs: PairwiseTable) -> BoolArray:
    """Entry [a, b]: a is better than b at the table's level, after correction; in the order of `systems`."""
    place = {name: i for i, name in enumerate(pairs.systems)}
    index = [place[name] for name in systems]
    return np.asarray(pairs.better()[np.ix_(index, index)])


def shared_ranks(goodness: FloatArray, slack: float = SLACK) -> IntArray:
    """Rank 1 is best; values equal up to rounding share the best rank of the tie, and NaN comes last.

    Parameters
    ----------
    goodness : array, shape (m,)
    slack : float
        Tolerance for rounding error, as a share of the largest value.

    Examples
    --------
    >>> shared_ranks(np.array([3.0, 2.0, 2.0, np.nan, 1.0]))
    array([1, 2, 2, 5, 4])
    """
    known = ~np.isnan(goodness)
    values = np.where(known, goodness, -np.inf)
    least = slack * np.max(np.abs(goodness), initial=0.0, where=known)
    return np.asarray(1 + (values[None, :] > values[:, None] + least).sum(axis=1))
