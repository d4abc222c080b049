"""The bootstrap of measures of agreement: segments or documents are drawn, for people and metrics alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan import __version__
from betterthan.analysis.meta_inputs import Panel
from betterthan.analysis.meta_measures import Measure, Request
from betterthan.analysis.meta_segment import OwnFunction
from betterthan.arrays import FloatArray, digest
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.resample import bootstrap_counts

FEW_DRAWS = 200  # enough for an interval, where every sample needs all the work again


def bootstrap_draws(
    measure: Measure, panel: Panel, request: Request, *, for_tests: bool = False
) -> FloatArray | None:
    """Return the measure in bootstrap samples of units (b, k), or None where there is no way."""
    n_draws = request.n_resamples
    if measure.is_redone and not for_tests:
        n_draws = min(n_draws, FEW_DRAWS)
    if measure.draws(panel, request, np.ones((1, panel.human.n_segments))) is None:
        return None
    m, n, k = *panel.judged.shape, len(panel.metrics)
    blocks = block_ranges(n_draws, 16 * n + 16 * k * m * max(m, 4))
    name = f"{measure.name} {measure.level}{request.part}"
    what = f"{digest(request.units.of_segment)} {n_draws} {request.seed}"
    margins = f"{request.margin} {request.metric_margin}"
    job: Job[Any, FloatArray] = Job(
        name=f"bootstrap of {measure.name.replace('_', ' ')} ({n_draws:,} resamples)",
        function=_draw_part,
        payload=(measure, panel, request, name, blocks),
        n_blocks=len(blocks),
        digest=None
        if isinstance(measure, OwnFunction)
        else f"{panel.digest} bootstrap {name} {what} {margins} {__version__}",
    )
    return np.concatenate(request.computing.run(job))


def _draw_part(payload: tuple[Measure, Panel, Request, str, tuple[range, ...]], block: int) -> FloatArray:
    measure, panel, request, name, blocks = payload
    rng = stream(request.seed, f"bootstrap of {name}", block)
    weights = bootstrap_counts(len(blocks[block]), request.units.n_units, rng)[:, request.units.of_segment]
    drawn = measure.draws(panel, request, weights)
    return np.full((len(weights), len(panel.metrics)), np.nan) if drawn is None else drawn


def bootstrap_pvalues(draws: FloatArray | None, measure: Measure) -> FloatArray:
    """Return the share of bootstrap samples in which the row is not better than the column, add-one."""
    if draws is None:
        raise BetterThanError(
            f'by="{measure.name}" at level="{measure.level}" is not taken again in bootstrap samples. '
            f'Use significance="perm_inputs" or "none".'
        )
    gap = draws[:, :, None] - draws[:, None, :]
    known = ~np.isnan(gap)
    against = np.where(known, (gap < 0) + 0.5 * (gap == 0), 1.0).sum(axis=0)
    return np.asarray((against + 1) / (len(draws) + 1))
