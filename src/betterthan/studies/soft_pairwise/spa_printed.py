"""What the paper on soft pairwise accuracy prints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan.results.study import Entry

TABLE_1: tuple[tuple[Entry, ...], ...] = (
    ("wmt22 en-de", 14, 21, 11, 21, 21, 108, 163, 210, 5, 8, 21),
    ("wmt22 zh-en", 15, 21, 12, 21, 21, 150, 177, 210, 6, 9, 21),
    ("wmt22 en-ru", 15, 20, 10, 20, 20, 88, 133, 190, 4, 6, 20),
    ("wmt23 en-de", 12, 25, 12, 24, 24, 171, 206, 276, 5, 6, 24),
    ("wmt23 he-en", 13, 25, 11, 25, 25, 180, 224, 300, 5, 8, 25),
    ("wmt23 zh-en", 14, 25, 12, 25, 25, 186, 229, 300, 7, 7, 25),
)
"""Test set and pair, systems, metrics; then distinct values, significant comparisons and clusters, each by pairwise
accuracy, by soft pairwise accuracy, and at most."""
SAME_READING = "The released programs do here what the paper says; both readings are the same."


def mean_gain(rows: Sequence[tuple[Entry, ...]], column: int) -> float:
    """Return by which share the column after `column` is larger, on average over rows; NaN if there is no such row.

    Examples
    --------
    The 31 % and 40 % of section 4.4:

    >>> round(mean_gain(TABLE_1, 6), 3), round(mean_gain(TABLE_1, 9), 3)
    (0.313, 0.4)
    """
    pairs = [(float(row[column] or 0), float(row[column + 1] or 0)) for row in rows]
    ratios = [soft / hard - 1 for hard, soft in pairs if hard > 0]
    return float(np.mean(ratios)) if ratios else float("nan")
