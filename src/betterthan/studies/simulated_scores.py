"""Scores of systems whose true order is known: the three generators of the paired-evaluation paper, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.kendall import kendall_b

NOISE = 1.0
"""Standard deviation of a score around its mean; fixed in the paper and in its programs."""
OFFSET = 100.0
"""Offsets of types are uniform up to here."""
TOTAL = 10.0
"""Sum of the strengths in the released program."""


class Setting(NamedTuple):
    """One point of the grid of appendix A.2."""

    types: int
    outliers: float
    systems: int
    segments: int


class Simulated(NamedTuple):
    """Scores, and what they were drawn from.

    Attributes
    ----------
    strengths : array, shape (m,)
        The latent order.
    scores : array, shape (m, n)
    """

    strengths: FloatArray
    scores: FloatArray


def offsets(setting: Setting, rng: np.random.Generator) -> Simulated:
    r"""Draw as section 4 says: every type of segments adds an offset that all systems share.

    .. math:: x_{jl} \sim \mathcal N(\lambda_j + \varepsilon_{t(l)}, 1), \qquad \lambda_j \sim U(0, 1), \qquad
              \varepsilon_t \sim U(0, 100)

    The relative strengths are the same for all types, so the truth is :math:`\lambda`. The paper gives no size of the
    offsets; this is that of its program. Outliers are those of appendix A.2: on a share of the segments, at least one,
    the scores change hands at random.

    Examples
    --------
    >>> drawn = offsets(Setting(3, 0.0, 4, 12), np.random.default_rng(1))
    >>> drawn.scores.shape, bool(np.ptp(drawn.scores[0]) > 10)
    ((4, 12), True)
    """
    strengths = rng.random(setting.systems)
    shift = OFFSET * rng.random(setting.types) if setting.types > 1 else np.zeros(1)
    means = strengths[:, None] + shift[_types(setting)]
    return Simulated(strengths, _exchanged(rng.normal(means, NOISE), setting, rng))


def per_type(setting: Setting, rng: np.random.Generator) -> Simulated:
    r"""Draw as appendix A.2 says: every system has a strength of its own for every type of segments.

    .. math:: x_{jl} \sim \mathcal N(\lambda_{t(l), j}, 1), \qquad \lambda_{tj} \sim U(0, 1)

    The order then differs from type to type; the truth is taken to be the mean strength over types, weighted by how
    many segments they have. Outliers as in :func:`offsets`.

    Examples
    --------
    >>> per_type(Setting(3, 0.0, 4, 12), np.random.default_rng(1)).strengths.shape
    (4,)
    """
    own = rng.random((setting.systems, setting.types))
    means = own[:, _types(setting)]
    return Simulated(means.mean(axis=1), _exchanged(rng.normal(means, NOISE), setting, rng))


def released(setting: Setting, rng: np.random.Generator) -> Simulated:
    r"""Draw as the released program does.

    Strengths sum to 10, every type (also a single one) has an offset from U(0, 100) that all systems share and
    ⌊n / types⌋ segments, and outliers are further segments, at least one, with scores from U(0, 100) whose order is
    against the truth (Kendall's tau below 0).

    Examples
    --------
    >>> drawn = released(Setting(3, 0.025, 4, 200), np.random.default_rng(1))
    >>> drawn.scores.shape, round(float(drawn.strengths.sum()), 9)
    ((4, 202), 10.0)
    """
    weights = rng.random(setting.systems)
    strengths = TOTAL * weights / weights.sum()
    each = setting.segments // setting.types
    shift = np.repeat(OFFSET * rng.random(setting.types), each)
    scores = rng.normal(strengths[:, None] + shift, NOISE)
    n_outliers = max(1, int(setting.outliers * scores.shape[1])) if setting.outliers > 0 else 0
    against = [_against(strengths, rng) for _ in range(n_outliers)]
    return Simulated(strengths, np.column_stack([scores, *against]))


def _types(setting: Setting) -> IntArray:
    """Type of each segment: as evenly as possible."""
    return np.arange(setting.segments) % setting.types


def _exchanged(scores: FloatArray, setting: Setting, rng: np.random.Generator) -> FloatArray:
    """Let scores change hands on some segments."""
    if setting.outliers > 0:
        n_outliers = max(1, int(setting.outliers * setting.segments))
        for place in rng.choice(setting.segments, n_outliers, replace=False).tolist():
            scores[:, place] = rng.permutation(scores[:, place])
    return scores


def _against(strengths: FloatArray, rng: np.random.Generator) -> FloatArray:
    while True:
        drawn = rng.random(strengths.size)
        if kendall_b(drawn, strengths) < 0:
            return OFFSET * drawn


GENERATORS: dict[str, Callable[[Setting, np.random.Generator], Simulated]] = {
    "offsets": offsets,
    "per_type": per_type,
    "released": released,
}
"""By name: section 4, appendix A.2, and the released program."""
