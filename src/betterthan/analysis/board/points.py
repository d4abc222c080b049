"""One number per system from its scores on all tasks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from betterthan.analysis.board.incomplete import met_strengths
from betterthan.arrays import FloatArray
from betterthan.errors import NotEstimable
from betterthan.kernels.comparisons.task_scores import (
    interquartile_mean,
    systems_beaten,
    task_ranks,
    task_win_rates,
)

POINTS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "mean": lambda goodness: goodness,
    "mean_win_rate": task_win_rates,
    "borda": systems_beaten,
    "average_rank": lambda goodness: 0.0 - task_ranks(goodness),
}
"""Points of each system on a task, whose mean over tasks is the strength; systems along the last axis."""


def combined(goodness: FloatArray, by: str) -> FloatArray:
    """Return strengths, higher is better, from goodness of shape (..., m, T); Borda points per task."""
    if np.isnan(goodness).any():
        return met_strengths(goodness, by)
    if by == "iqm":
        return interquartile_mean(goodness)
    if by == "bradley_terry":
        raise NotEstimable("Bradley–Terry is fitted by rank.")
    return np.asarray(np.swapaxes(POINTS[by](np.swapaxes(goodness, -1, -2)), -1, -2).mean(axis=-1))
