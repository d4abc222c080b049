"""Bootstrap-resampled scores of a table: corpora are drawn, scored and averaged, block by block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from betterthan import __version__
from betterthan.analysis.compare.compare_counts import unit_counts
from betterthan.analysis.strengths.ranking import Wish
from betterthan.analysis.units import units_of
from betterthan.arrays import FloatArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import NotEstimable
from betterthan.kernels.influence.influence import pooled_influence
from betterthan.kernels.resampling.bootstrap_mean import ResampledScores, bootstrap_means, resampled_scores
from betterthan.tables.counts import Counts, Formula

CORPORA = 1000
STREAM = "bootstrap-resampled scores"
_Payload = tuple[FloatArray, FloatArray, Formula, int, int, tuple[range, ...]]


class BootstrapMean(NamedTuple):
    """Mean scores of drawn corpora, in the order of the table.

    Attributes
    ----------
    mean : array, shape (m,)
    covariance : array, shape (m, m)
        Over other units of the same kind.
    scores : array, shape (n_resamples, m)
        Of each drawn corpus.
    n_units : int
    """

    mean: FloatArray
    covariance: FloatArray
    scores: FloatArray
    n_units: int

    @property
    def n_resamples(self) -> int:
        """Corpora drawn."""
        return len(self.scores)


def bootstrap_mean(counts: Counts, wish: Wish) -> BootstrapMean:
    """Draw corpora of about `wish.size` segments, whole documents where these are the units, and average their scores.

    Raises
    ------
    NotEstimable
        When a drawn corpus has no score, such as 0 / 0.
    """
    units = units_of(counts, wish.units)
    values = unit_counts(counts, units)
    size = max(1, round(wish.size * units.n_units / counts.n_segments))
    influence = pooled_influence(values, formula=counts.formula.pooled)
    # Only an aid against noise: without it the answer is the same on average, so that gaps may be filled with anything.
    influence = np.where(np.isfinite(influence).all(axis=1, keepdims=True), influence, 0.0)
    found = _drawn(counts, values, influence, size, wish)
    lost = np.flatnonzero(np.isnan(found.scores).any(axis=0))
    if lost.size:
        system = counts.systems[lost[0]]
        n_lost = np.count_nonzero(np.isnan(found.scores[:, lost[0]]))
        raise NotEstimable(
            f"{n_lost:,} of {len(found.scores):,} drawn corpora of {wish.size:,} segments have no "
            f'{counts.formula.name} for {system}. Draw larger ones with size, or rank by="pooled".'
        )
    means = bootstrap_means(found, influence, size=size)
    return BootstrapMean(means.mean, means.covariance, found.scores, units.n_units)


def _drawn(
    counts: Counts, values: FloatArray, influence: FloatArray, size: int, wish: Wish
) -> ResampledScores:
    m, n_units, k = values.shape
    n_resamples = wish.n_resamples or CORPORA
    blocks = block_ranges(n_resamples, 24 * (n_units + size) + 32 * m * k)
    job: Job[_Payload, Any] = Job(
        name=f"{STREAM} ({n_resamples:,} corpora of {size:,})",
        function=_block,
        payload=(values, influence, counts.formula, size, wish.seed, blocks),
        n_blocks=len(blocks),
        digest=f"{counts.digest} {STREAM} {n_units} {size} {n_resamples} {wish.seed} {__version__}",
    )
    parts = wish.computing.run(job)
    return ResampledScores(
        scores=np.concatenate([part["scores"] for part in parts]),
        remainders=np.concatenate([part["remainders"] for part in parts]),
        drawn=np.sum([part["drawn"] for part in parts], axis=0),
        products=np.sum([part["products"] for part in parts], axis=0),
    )


def _block(payload: _Payload, block: int) -> dict[str, FloatArray]:
    values, influence, formula, size, seed, blocks = payload
    found = resampled_scores(
        values,
        len(blocks[block]),
        stream(seed, STREAM, block),
        size=size,
        formula=formula.pooled,
        influence=influence,
    )
    return found._asdict()
