"""The paired bootstrap of strengths: whole segments or documents are drawn, and every system meets them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan import __version__
from betterthan.analysis.computing import Computing
from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.kernels.resampling.resample import bootstrap_counts

WeightedStrengths = Callable[[FloatArray, FloatArray, np.random.Generator], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """What is drawn, how often, and by whom."""

    units: Units
    n_resamples: int
    seed: int
    digest: str
    computing: Computing


def bootstrap(
    name: str,
    goodness: FloatArray,
    strengths: WeightedStrengths,
    how: Bootstrap,
    *,
    bytes_each: int,
    is_ours: bool = True,
) -> FloatArray:
    """Strengths in each bootstrap sample, shape (n_resamples, m).

    Parameters
    ----------
    name : str
        Of the analysis; part of the random streams.
    goodness : array, shape (m, n)
    strengths : callable
        ``strengths(goodness, weights, rng)`` with weights (b, n), how often each segment was drawn, to (b, m).
        Only mechanisms that draw more than segments (an order of play) use the generator.
    how : Bootstrap
    bytes_each : int
        Memory that one resample needs.
    is_ours : bool
        False for a user's own function, whose results are not kept.
    """
    blocks = block_ranges(how.n_resamples, bytes_each + 24 * how.units.n_units + 8 * goodness.shape[1])
    job: Job[Any, FloatArray] = Job(
        name=f"bootstrap of {name} ({how.n_resamples:,} resamples)",
        function=_block,
        payload=(goodness, strengths, how.units, how.seed, name, blocks),
        n_blocks=len(blocks),
        digest=f"{how.digest} {name} {how.units.n_units} {how.n_resamples} {how.seed} {__version__}"
        if is_ours
        else None,
    )
    return np.concatenate(how.computing.run(job))


def _block(
    payload: tuple[FloatArray, WeightedStrengths, Units, int, str, tuple[range, ...]], block: int
) -> FloatArray:
    goodness, strengths, units, seed, name, blocks = payload
    rng = stream(seed, f"bootstrap of {name}", block)
    drawn = bootstrap_counts(len(blocks[block]), units.n_units, rng)
    return strengths(goodness, drawn[:, units.of_segment], rng)


def drawn_segments(weights: FloatArray) -> IntArray:
    """Indices of the segments that one row of weights stands for, each as often as it was drawn."""
    return np.repeat(np.arange(weights.size), weights.astype(np.int64))
