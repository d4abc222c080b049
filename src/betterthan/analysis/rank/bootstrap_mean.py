"""Mean scores of bootstrap corpora, computed block by block."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.compare.compare_counts import unit_counts
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.units import units_of
from betterthan.arrays import FloatArray
from betterthan.errors import NotEstimable
from betterthan.kernels.influence.influence import pooled_influence
from betterthan.kernels.resampling.bootstrap_mean import ResampledScores, bootstrap_means, resampled_scores
from betterthan.messages import Message, Option
from betterthan.tables.counts import Counts, Formula

CORPORA = 1000
STREAM = "bootstrap-resampled scores"


class BootstrapMean(NamedTuple):
    """Mean scores of bootstrap corpora, in the order of the table.

    Attributes
    ----------
    mean : array, shape (m,)
    covariance : array, shape (m, m)
        Sampling covariance over units.
    scores : array, shape (n_resamples, m)
        Score of each bootstrap corpus.
    n_units : int
    """

    mean: FloatArray
    covariance: FloatArray
    scores: FloatArray
    n_units: int

    @property
    def n_resamples(self) -> int:
        """Number of bootstrap corpora."""
        return len(self.scores)


def bootstrap_mean(counts: Counts, options: RankOptions, resampling: Resampling) -> BootstrapMean:
    """Average the scores of bootstrap corpora of about `options.size` segments, drawn in whole units.

    Raises
    ------
    NotEstimable
        When the score of a bootstrap corpus is undefined, such as 0 / 0.
    """
    units = units_of(counts, options.units)
    values = unit_counts(counts, units)
    size = max(1, round(options.size * units.n_units / counts.n_segments))
    influence = pooled_influence(values, formula=counts.formula.pooled)
    # A control variate: it reduces noise without changing the expectation, so gaps may be filled with anything.
    influence = np.where(np.isfinite(influence).all(axis=1, keepdims=True), influence, 0.0)
    own = resampling.on(counts.digest, units, default=CORPORA)
    found = _drawn(counts.formula, values, influence, size, own)
    lost = np.flatnonzero(np.isnan(found.scores).any(axis=0))
    if lost.size:
        system = counts.systems[lost[0]]
        n_lost = np.count_nonzero(np.isnan(found.scores[:, lost[0]]))
        raise NotEstimable(
            Message(
                "{lost:,} of {drawn:,} drawn corpora of {n:,} segments have no {formula} for {system}. Draw "
                "larger corpora with a higher {size}, or use {by}.",
                lost=n_lost,
                drawn=len(found.scores),
                n=options.size,
                formula=counts.formula.name,
                system=system,
                size=Option("size"),
                by=Option("by", "pooled"),
            )
        )
    means = bootstrap_means(found, influence, size=size)
    return BootstrapMean(means.mean, means.covariance, found.scores, units.n_units)


def _drawn(
    formula: Formula, values: FloatArray, influence: FloatArray, size: int, resampling: Resampling
) -> ResampledScores:
    m, n_units, k = values.shape
    blocks = resampling.run(
        STREAM,
        (values, influence, formula, size),
        _corpora,
        bytes_each=24 * (n_units + size) + 32 * m * k,
        key=str(size),
        label=f"{STREAM} ({resampling.n_resamples:,} corpora of {size:,})",
    )
    return ResampledScores(
        scores=np.concatenate([block["scores"] for block in blocks]),
        remainders=np.concatenate([block["remainders"] for block in blocks]),
        drawn=np.sum([block["drawn"] for block in blocks], axis=0),
        products=np.sum([block["products"] for block in blocks], axis=0),
    )


def _corpora(
    payload: tuple[FloatArray, FloatArray, Formula, int], part: range, rng: np.random.Generator
) -> dict[str, FloatArray]:
    values, influence, formula, size = payload
    drawn = resampled_scores(values, len(part), rng, size=size, formula=formula.pooled, influence=influence)
    return drawn._asdict()
