"""The lesson of three systems on five segments: the same scores by mean, median and Bradley–Terry."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from betterthan.kernels.comparisons.bradley_terry import bradley_terry


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What the page shows before a point is moved.

    Attributes
    ----------
    systems : tuple of str
    scores : tuple of tuples of float
        One row per system.
    means, medians : tuple of float
    shares : tuple of float
        Bradley–Terry strengths as shares that sum to 1; NaN where they do not exist.
    wins : tuple of tuples of float
        The number of segments that the row wins against the column, ties as half.
    """

    systems: tuple[str, ...]
    scores: tuple[tuple[float, ...], ...]
    means: tuple[float, ...]
    medians: tuple[float, ...]
    shares: tuple[float, ...]
    wins: tuple[tuple[float, ...], ...]


def lesson(scores: dict[str, list[float]]) -> Lesson:
    """Return the three summaries of some scores, more being better.

    Examples
    --------
    >>> from betterthan.examples.figure_one import figure_one
    >>> found = lesson(figure_one())
    >>> [round(mean, 1) for mean in found.means], found.medians
    ([9.2, 9.2, 9.2], (11.0, 7.0, 11.0))
    >>> [round(share, 3) for share in found.shares]
    [0.094, 0.249, 0.657]
    """
    values = np.array(list(scores.values()))
    above = (values[:, None, :] > values[None, :, :]).sum(axis=2)
    level = (values[:, None, :] == values[None, :, :]).sum(axis=2)
    wins = above + 0.5 * level
    np.fill_diagonal(wins, 0.0)
    strength = np.exp(bradley_terry(wins).log_strength)
    return Lesson(
        systems=tuple(scores),
        scores=tuple(tuple(row) for row in scores.values()),
        means=tuple(fmean(row) for row in scores.values()),
        medians=tuple(float(median(row)) for row in scores.values()),
        shares=tuple(float(share) for share in strength / strength.sum()),
        wins=tuple(tuple(float(count) for count in row) for row in wins),
    )
