"""Bootstrap of measures of agreement: segments or documents are drawn, for human and metric scores alike."""

from __future__ import annotations

import numpy as np
from scipy import special

from betterthan.analysis.meta.inputs import Panel
from betterthan.analysis.meta.measures import Measure, MeasureOptions, MeasureRequest
from betterthan.analysis.meta.segment import OwnFunction
from betterthan.analysis.meta.swaps import SwapTails
from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.messages import Message, Option

SMALLEST = float(np.finfo(np.float64).tiny)  # finite data never give certainty
FEW_DRAWS = 200  # enough for an interval of a measure that is recomputed for every sample


def bootstrap_draws(
    measure: Measure, panel: Panel, request: MeasureRequest, *, for_tests: bool = False
) -> FloatArray | None:
    """Return the measure in bootstrap samples of units (b, k), or None where it is not supported."""
    options, resampling = request.options, request.resampling.on(panel.digest, request.drawn)
    if measure.is_redone and not for_tests:
        resampling = resampling.times(min(resampling.n_resamples, FEW_DRAWS))
    if not measure.has_draws(panel):
        return None
    m, n, k = *panel.judged.shape, len(panel.metrics)
    blocks = resampling.run(
        f"bootstrap of {measure.name} {measure.level}{request.part}",
        (measure, panel, options, request.drawn),
        _bootstrap_block,
        bytes_each=16 * n + 16 * k * m * max(m, 4),
        key=None
        if isinstance(measure, OwnFunction)
        else f"{options.margin} {options.metric_margin} {options.resample}",
        label=f"bootstrap of {measure.name.replace('_', ' ')} ({resampling.n_resamples:,} resamples)",
    )
    return np.concatenate(blocks)


def _bootstrap_block(
    payload: tuple[Measure, Panel, MeasureOptions, Units], part: range, rng: np.random.Generator
) -> FloatArray:
    measure, panel, options, units = payload
    counts = bootstrap_counts(len(part), units.n_units, rng)
    return measure.draws(panel, options, counts if units.are_segments else counts[:, units.of_segment])


def bootstrap_tails(draws: FloatArray | None, value: FloatArray, measure: Measure) -> SwapTails:
    r"""Return p-values of all pairs of metrics from bootstrap samples.

    Two-sided: the observed difference over its standard error in the samples,
    :math:`p = 2 \Phi(-|v_a - v_b| / s_{ab})`. Resampling lowers the values themselves, so shares of samples would test
    a shifted difference; the standard error is not affected by the shift, and imposes no smallest p-value. One-sided:
    the share of samples in which the row is not better than the column, add-one.
    """
    if draws is None:
        raise BetterThanError(
            Message(
                "{by} at {level} cannot be computed on bootstrap samples. Use {inputs} or {none}.",
                by=Option("by", measure.name),
                level=Option("level", measure.level),
                inputs=Option("significance", "perm_inputs"),
                none=Option("significance", "none"),
            )
        )
    gap = draws[:, :, None] - draws[:, None, :]
    known = ~np.isnan(gap)
    against = np.where(known, (gap < 0) + 0.5 * (gap == 0), 1.0).sum(axis=0)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, gap, 0.0).sum(axis=0) / count
    variance = np.where(known, (gap - mean) ** 2, 0.0).sum(axis=0) / np.maximum(count - 1, 1)
    observed = np.abs(value[:, None] - value)
    # Metrics that never differ in any sample are equal, not infinitely different.
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(variance > 0, observed / np.sqrt(variance), np.where(observed > 0, np.nan, 0.0))
    two_sided = np.maximum(2 * special.ndtr(-distance), SMALLEST)
    return SwapTails(np.asarray((against + 1) / (len(draws) + 1)), two_sided)


def centred_percentile_interval(
    draws: FloatArray, value: FloatArray, confidence: float, n_units: int
) -> tuple[FloatArray, FloatArray]:
    r"""Percentiles of bootstrap draws, shifted so that their mean is the value, and widened for few units.

    Drawing segments adds noise to metric and human scores once more, and noise lowers agreement, so the draws are
    centered below the observed value. The interval is for the expected value on test sets of this size, of which the
    observed value is an unbiased estimate:

    .. math:: [v + w (q^*_{\alpha/2} - \bar v^*),\; v + w (q^*_{1-\alpha/2} - \bar v^*)], \qquad
              w = \sqrt{\frac{u}{u - 1}} \; \frac{t_{u-1,\,1-\alpha/2}}{z_{1-\alpha/2}}

    The factor w for u drawn units (segments or documents) is the ratio of Student's interval to the bootstrap interval:
    1.01 for 150 units, 1.09 for 20, 1.22 for 10.

    Measured with 8, 14 and 25 systems and 200 segments, these intervals cover the expectation in 94% to 97% of tables,
    for soft pairwise accuracy, pairwise accuracy and Pearson's r. The coverage of plain percentiles is 83% to 99%, of
    standard errors on a logit scale 91% to 94%, of the infinitesimal jackknife 94% to 98%.

    Examples
    --------
    >>> low, high = centred_percentile_interval(np.linspace(0.5, 0.7, 101)[:, None], np.array([0.8]), 0.9, 1000)
    >>> low.round(2), high.round(2)
    (array([0.71]), array([0.89]))
    """
    known = ~np.isnan(draws)
    count = known.sum(axis=0)
    mean = np.where(known, draws, 0.0).sum(axis=0) / np.maximum(count, 1)
    tail = (1 - confidence) / 2
    limits = np.full((2, value.size), np.nan)
    some = count > 0
    if some.any():
        quantile = np.quantile if known.all() else np.nanquantile
        limits[:, some] = quantile(draws[:, some], [tail, 1 - tail], axis=0)
    wider = (
        np.sqrt(n_units / (n_units - 1)) * special.stdtrit(n_units - 1, 1 - tail) / special.ndtri(1 - tail)
    )
    low, high = value + wider * (limits - mean)
    return np.minimum(low, value), np.maximum(high, value)
