"""Bootstrap of Bradley–Terry strengths of matches: matches are drawn, or whole clusters of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from betterthan import __version__
from betterthan.analysis.aggregations import log_strengths
from betterthan.analysis.ranking import Wish
from betterthan.arrays import FloatArray
from betterthan.engine.blocks import Job
from betterthan.engine.streams import stream
from betterthan.errors import NotEstimable
from betterthan.kernels.cells import resampled_match_counts
from betterthan.kernels.intervals import percentile_interval
from betterthan.kernels.resample import bootstrap_counts
from betterthan.kernels.wins import WinCounts
from betterthan.tables.matches import Matches


class _Clusters(NamedTuple):
    """Weights of the cells (left, right, outcome) in each cluster: a sparse matrix, cells × clusters."""

    cells: Matches
    weights: Any


class _Payload(NamedTuple):
    counts: WinCounts
    clusters: _Clusters | None
    ties: str
    prior: float
    seed: int
    blocks: tuple[range, ...]


def bytes_of_a_draw(matches: Matches) -> int:
    """Return the memory that one bootstrap sample needs."""
    units = 0 if matches.group is None else matches.left.size
    return 64 * matches.n_systems**2 + 16 * units


def drawn_strengths(
    matches: Matches, counts: WinCounts, wish: Wish, ties: str, blocks: tuple[range, ...]
) -> FloatArray:
    """Log strengths of bootstrap samples of the matches, or of their groups: (n_resamples, m).

    Samples in which strengths do not exist are NaN.
    """
    n_resamples = sum(map(len, blocks))
    clusters = None if matches.group is None else _clusters(matches)
    job: Job[_Payload, FloatArray] = Job(
        name=f"bootstrap of Bradley–Terry ({n_resamples:,} resamples)",
        function=_block,
        payload=_Payload(counts, clusters, ties, wish.prior, wish.seed, blocks),
        n_blocks=len(blocks),
        digest=f"{matches.digest} {ties} {wish.prior} {n_resamples} {wish.seed} {__version__}",
        uses="processes" if ties == "davidson" else "threads",
    )
    return np.concatenate(wish.computing.run(job))


def usable_draws(draws: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the draws in which strengths exist, and a note when there are others."""
    lost = np.isnan(draws).any(axis=1)
    if lost.all():
        raise NotEstimable(
            "Strengths exist in none of the bootstrap samples, so there is no interval. "
            'Use interval="robust", or add prior=0.5.'
        )
    if not lost.any():
        return draws, ()
    note = f"{lost.sum():,} of {lost.size:,} bootstrap samples have no strengths and were left out."
    return draws[~lost], (note,)


def widened_percentiles(
    matches: Matches, draws: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Percentiles of the draws, further out where few groups were drawn from.

    Draws of g groups vary (g − 1) / g of what they should, and like a normal variable where Student's t is due; so the
    tails are cut at [1]_

    .. math:: \Phi\Big(-\sqrt{\tfrac{g}{g - 1}}\; t_{1 - \alpha / 2,\, g - 1}\Big),

    with the number g of groups of equal size that would say as much about the system.

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


def _clusters(matches: Matches) -> _Clusters:
    from scipy.sparse import csr_array  # noqa: PLC0415  (takes a while to load, and is needed only here)

    if matches.group is None or np.unique(matches.group).size < 2:
        raise NotEstimable("All matches belong to one group, so none can be drawn. Two or more are needed.")
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


def _block(payload: _Payload, block: int) -> FloatArray:
    n_here = len(payload.blocks[block])
    rng = stream(payload.seed, "bootstrap of matches", block)
    if payload.clusters is None:
        drawn = resampled_match_counts(payload.counts.wins, payload.counts.ties, n_here, rng)
    else:
        drawn = _drawn_clusters(payload.clusters, n_here, rng)
    return log_strengths(drawn, ties=payload.ties, prior=payload.prior)


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
