"""How do two systems compare in every part of the test set?"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from betterthan.analysis.effects import clustered_mean_differences
from betterthan.analysis.mechanisms import mean_difference
from betterthan.analysis.slices import lengths_of, part_pvalue, part_units, parts_of
from betterthan.analysis.units import UnitName, Units, units_of
from betterthan.arrays import FloatArray
from betterthan.kernels.pvalues import adjusted
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts


class SliceEffect(NamedTuple):
    """Two systems in one part of the test set.

    Attributes
    ----------
    by, value, limits : str
        What the segments were parted by, which part this is, and where it begins and ends.
    n_segments : int
    effect, low, high : float
        Mean difference, positive when the first system is better, and its interval from Student's t.
    pvalue, adjusted : float
        Permutation test in this part, before and after Holm's correction over all parts. A single document has
        neither test nor interval where documents are the units.
    is_reversed : bool
        Whether the mean difference has the other sign than over all segments.
    """

    by: str
    value: str
    limits: str
    n_segments: int
    effect: float
    low: float
    high: float
    pvalue: float
    adjusted: float
    is_reversed: bool


def slice_effects(
    scores: Scores,
    a: str,
    b: str,
    *,
    texts: Texts | None = None,
    units: UnitName = "auto",
    alpha: float = 0.05,
) -> tuple[SliceEffect, ...]:
    """Compare `a` with `b` in each document, third of difficulty and, with texts, third of length.

    Who looks at many parts will find some reversed by chance, so p-values are corrected over all parts.

    Parameters
    ----------
    scores : Scores
        All systems: those other than a and b say which segments are hard.
    a, b : str
    texts : Texts, optional
        For parts by length.
    units : {"auto", "segments", "groups"}, default "auto"
        What the tests swap as one: as in :func:`betterthan.compare`.
    alpha : float, default 0.05
        The intervals cover with probability 1 − alpha, each on its own.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=list("123456"), groups=list("xxxyyy"),
    ...                 values=[[3, 3, 4, 1, 1, 2], [1, 2, 1, 2, 2, 2]])
    >>> [(part.value, round(part.effect, 2), part.is_reversed) for part in slice_effects(scores, "A", "B")[:2]]
    [('x', 2.0, False), ('y', -0.67, True)]
    """
    pair = scores.select([a, b]).complete(missing="drop")
    first, second = pair.goodness
    lead = mean_difference(first, second)
    parts = parts_of(scores, pair, lengths_of(scores, texts, None))
    chosen, gaps = units_of(pair, units), first - second
    pvalues = np.array([part_pvalue(gaps, part, chosen) for part in parts])
    corrected = adjusted(pvalues, correction="holm") if parts else pvalues
    found = []
    for part, p, q in zip(parts, pvalues.tolist(), corrected.tolist(), strict=True):
        effect = mean_difference(first[part.members], second[part.members])
        half = _half_width(pair.goodness[:, part.members], part_units(part, chosen), alpha)
        found.append(
            SliceEffect(
                part.by,
                part.value,
                part.limits,
                part.members.size,
                effect,
                effect - half,
                effect + half,
                p,
                q,
                effect * lead < 0,
            )
        )
    return tuple(found)


def _half_width(goodness: FloatArray, units: Units, alpha: float) -> float:
    if units.n_units < 2:
        return math.nan
    if units.are_segments:
        gap = goodness[0] - goodness[1]
        error, degrees = float(np.std(gap, ddof=1)) / math.sqrt(gap.size), gap.size - 1.0
    else:
        _, errors, degrees = clustered_mean_differences(goodness, units)
        error = float(errors[0, 1])
    return float(stdtrit(degrees, 1 - alpha / 2)) * error
