"""Plackett–Luce fit of matches that come from rankings: the rankings are recovered, and their errors are clustered."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.matches.matches import MatchFit, check_connected
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import TableError
from betterthan.kernels.comparisons.plackett_luce import Stages, plackett_luce
from betterthan.kernels.comparisons.sandwich import difference_errors
from betterthan.kernels.comparisons.wins import WinCounts
from betterthan.kernels.resampling.clustered import many_clusters
from betterthan.messages import Message, Option, method_note
from betterthan.tables.matches import Matches


class Rankings(NamedTuple):
    """The stages of rankings, equal ones once.

    Attributes
    ----------
    stages : Stages
        b distinct stages.
    weight : array, shape (b,)
    stage, cluster : array of int, shape (k,)
        Distinct pairs of a stage and a judge (or ranking).
    times : array, shape (k,)
        How often each pair occurred.
    n_rankings, n_places, n_shared : int
        Rankings, their stages, and those that are ties.
    """

    stages: Stages
    weight: FloatArray
    stage: IntArray
    cluster: IntArray
    times: FloatArray
    n_rankings: int
    n_places: int
    n_shared: int


class _RankedEntries(NamedTuple):
    """Systems in rankings, sorted by ranking and then from the last to the first."""

    block: IntArray
    system: IntArray
    below: IntArray
    above: IntArray
    tied: IntArray
    weight: FloatArray


def rankings_of(matches: Matches) -> Rankings:
    """Recover rankings from the matches of every two systems of a ranking.

    Matches belong to one ranking when they have the same segment and group. A last place whose systems have no matches
    among themselves is that of systems that were available and not ranked, as in lists of the best k.

    Raises
    ------
    TableError
        When matches do not come from rankings.
    """
    entries = _entries(matches)
    block, below = entries.block, entries.below
    start = np.searchsorted(block, block)
    order = np.lexsort((below, block))
    block, system, below, above, tied = (column[order] for column in entries[:5])
    weight = entries.weight[order]
    size = np.searchsorted(block, block, side="right") - start
    level = block * (matches.n_systems + 1) + below
    first, last = np.searchsorted(level, level), np.searchsorted(level, level, side="right")
    same = last - first - 1
    is_unranked = (below == 0) & (tied == 0)
    fits = (below == first - start) & (above == size - (last - start)) & ((tied == same) | is_unranked)
    if not fits.all():
        raise _no_rankings(matches)
    # A stage for every place but the last, unless the last is a tie.
    heads = np.flatnonzero((first == np.arange(first.size)) & ((below > 0) | ((same > 0) & ~is_unranked)))
    of_level = np.full(first.size, -1)
    of_level[heads] = np.arange(heads.size)
    mine = of_level[first]
    chosen = np.zeros((heads.size, matches.n_systems), dtype=bool)
    chosen[mine[mine >= 0], system[mine >= 0]] = True
    available = np.zeros_like(chosen)
    reach = last[heads] - start[heads]
    rows = np.repeat(np.arange(heads.size), reach)
    offset = np.arange(rows.size) - np.repeat(np.cumsum(reach) - reach, reach)
    available[rows, system[np.repeat(start[heads], reach) + offset]] = True
    clusters = _clusters(matches, block[heads])
    return _distinct(available, chosen, weight[heads], clusters, int(np.unique(block).size))


def rankings_with(matches: Matches) -> FloatArray:
    """Return the number of rankings that each system is in."""
    entries = _entries(matches)
    return np.bincount(entries.system, entries.weight, matches.n_systems).astype(np.float64)


def _blocks(matches: Matches) -> IntArray:
    if matches.segment is None:
        raise _no_rankings(matches)
    segment = np.unique(matches.segment, return_inverse=True)[1].reshape(-1)
    if matches.group is None:
        return np.asarray(segment, dtype=np.int64)
    group = np.unique(matches.group, return_inverse=True)[1].reshape(-1)
    return np.asarray(
        np.unique(segment * (group.max(initial=0) + 1) + group, return_inverse=True)[1].reshape(-1)
    )


def _entries(matches: Matches) -> _RankedEntries:
    block, m = _blocks(matches), matches.n_systems
    pair = np.minimum(matches.left, matches.right) * m + np.maximum(matches.left, matches.right)
    if np.unique(block * m**2 + pair).size < pair.size:
        raise _no_rankings(matches)
    cell = np.concatenate([block * m + matches.left, block * m + matches.right])
    points = np.concatenate([matches.outcome, 1 - matches.outcome])
    cells, at = np.unique(cell, return_inverse=True)
    at = at.reshape(-1)
    counts = [np.bincount(at, points == end, cells.size) for end in (1.0, 0.0, 0.5)]
    weights = np.concatenate([matches.weight, matches.weight])
    mean = np.bincount(at, weights, cells.size) / np.bincount(at, minlength=cells.size)
    if not np.allclose(mean[at], weights):
        raise _no_rankings(matches)
    won, lost, tied = (count.astype(np.int64) for count in counts)
    return _RankedEntries(cells // m, cells % m, won, lost, tied, mean)


def _clusters(matches: Matches, block: IntArray) -> IntArray:
    """The judge of each stage, or its ranking where there are no judges."""
    if matches.group is None:
        return block
    group = np.unique(matches.group, return_inverse=True)[1].reshape(-1)
    all_blocks = _blocks(matches)
    of_block = np.zeros(int(all_blocks.max(initial=0)) + 1, dtype=np.int64)
    of_block[all_blocks] = group
    return of_block[block]


def _distinct(
    available: BoolArray, chosen: BoolArray, weight: FloatArray, cluster: IntArray, n_rankings: int
) -> Rankings:
    packed = np.packbits(np.concatenate([available, chosen], axis=1), axis=1)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
    _, first, stage = np.unique(keys, return_index=True, return_inverse=True)
    stage = stage.reshape(-1)
    number = np.unique(cluster, return_inverse=True)[1].reshape(-1)
    pairs, at = np.unique(stage * (number.max(initial=0) + 1) + number, return_inverse=True)
    shared = chosen.sum(axis=1) > 1
    return Rankings(
        stages=Stages(available[first], chosen[first]),
        weight=np.bincount(stage, weight).astype(np.float64),
        stage=pairs // (number.max(initial=0) + 1),
        cluster=pairs % (number.max(initial=0) + 1),
        times=np.bincount(at.reshape(-1), weight).astype(np.float64),
        n_rankings=n_rankings,
        n_places=round(float(weight.sum())),
        n_shared=round(float(weight[shared].sum())),
    )


def _no_rankings(matches: Matches) -> TableError:
    what = (
        "no column says which of these battles belong to the same ranking"
        if matches.segment is None
        else "the battles of a segment do not form a ranking in which every two of its systems meet exactly once"
    )
    return TableError(
        Message(
            "{by} needs rankings, but {what}. "
            'Give lists such as "A > B = C" in a column called ranking, or use {other}.',
            by=Option("by", "plackett_luce"),
            what=what,
            other=Option("by", "bradley_terry"),
        )
    )


def fit_rankings(matches: Matches) -> MatchFit:
    """Fit Plackett–Luce, with a covariance clustered by judge, or by ranking where there are no judges."""
    counts = WinCounts(np.asarray(matches.wins()), np.asarray(matches.ties()))
    found = rankings_of(matches)
    check_connected(
        counts.wins + counts.ties / 2,
        matches.systems,
        hint="Leave out these systems, or include more rankings.",
        what="Plackett–Luce strengths",
    )
    fit = plackett_luce(found.stages, found.weight)
    m = matches.n_systems
    row, column = np.nonzero(fit.information[found.stage] > 0)
    times = found.times[row]
    by = many_clusters(
        found.cluster[row],
        column,
        times * fit.information[found.stage[row], column],
        times * fit.score[found.stage[row], column],
        n_parameters=m + len(fit.orders),
        bread=fit.inverse,
    )
    covariance = by.covariance[:m, :m]
    return MatchFit(
        log_strength=fit.log_strength,
        covariance=covariance,
        counts=counts,
        ties="davidson_luce",
        clusterings=(by,),
        pair_errors=difference_errors(covariance),
        pair_degrees=by.degrees_of_pairs(m),
        style=None,
        notes=(*matches.notes, *_notes(found, fit.orders, fit.log_prevalence)),
    )


def _notes(found: Rankings, orders: tuple[int, ...], log_prevalence: FloatArray) -> tuple[str, ...]:
    notes = [
        method_note("Rankings: {n:,}, with {places:,} choices.", n=found.n_rankings, places=found.n_places)
    ]
    if orders:
        sizes = ", ".join(
            f"δ{k} = {value:.3g}" for k, value in zip(orders, np.exp(log_prevalence).tolist(), strict=True)
        )
        notes.append(
            method_note(
                "{n:,} of {places:,} choices are ties ({share:.1f}%), modeled (Davidson–Luce; {sizes}).",
                n=found.n_shared,
                places=found.n_places,
                share=100 * found.n_shared / found.n_places,
                sizes=sizes,
            )
        )
    return tuple(notes)
