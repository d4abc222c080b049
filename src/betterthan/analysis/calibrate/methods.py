"""What every test and interval says of simulated tables, from the functions that the public verbs use."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betterthan.analysis.calibrate.designs import Simulated
from betterthan.analysis.pairs.effects import EFFECTS, EffectOptions, PairScores
from betterthan.analysis.pairs.request import PairRequest
from betterthan.analysis.pairs.significance import TESTS
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray
from betterthan.kernels.intervals.intervals import (
    bca_interval,
    bootstrap_t_interval,
    percentile_interval,
    t_interval,
)
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.kernels.sign_flips.all_pairs import certain_tails, pair_tails
from betterthan.kernels.sign_flips.permutation import add_one
from betterthan.kernels.significance.paired_bootstrap import (
    StudentizedDraws,
    bootstrap_t_counts,
    shifted_absolute_pvalues,
    studentized_draws,
)

N_BOOTSTRAP = 999
_NUMBERS_AT_ONCE = 1 << 22
_FEW = 20


class CheckedMethod(NamedTuple):
    """A method that is checked.

    Attributes
    ----------
    name : str
    has_test, has_interval : bool
    is_about_means : bool
        Otherwise its null hypothesis is another one.
    """

    name: str
    has_test: bool
    has_interval: bool
    is_about_means: bool = True


CHECKED = (
    CheckedMethod("permutation", has_test=True, has_interval=True),
    CheckedMethod("t", has_test=True, has_interval=True),
    CheckedMethod("bootstrap", has_test=True, has_interval=True),
    CheckedMethod("bca", has_test=False, has_interval=True),
    CheckedMethod("percentile", has_test=False, has_interval=True),
    CheckedMethod("sacrebleu", has_test=True, has_interval=False),
    CheckedMethod("wilcoxon", has_test=True, has_interval=False, is_about_means=False),
    CheckedMethod("sign", has_test=True, has_interval=False, is_about_means=False),
    CheckedMethod("mood", has_test=True, has_interval=False, is_about_means=False),
)
PLACES = {method.name: place for place, method in enumerate(CHECKED)}


class Answers(NamedTuple):
    """Answers to simulated tables; NaN for what a method does not have. All of shape (rows, methods).

    Attributes
    ----------
    pvalue : array
    low, high : array
    """

    pvalue: FloatArray
    low: FloatArray
    high: FloatArray


def answers_to(
    tables: Simulated, *, unit: float, alpha: float, confidence: float, rng: np.random.Generator
) -> Answers:
    """Return the p-values and intervals of every method.

    Parameters
    ----------
    tables : Simulated
    unit : float
        The step of scores, from :func:`betterthan.kernels.sign_flips.all_pairs.lattice_unit`.
    alpha, confidence : float
    rng : numpy.random.Generator
    """
    found = Answers(*np.full((3, len(tables.picks), len(CHECKED)), np.nan))
    sums = tables.sums
    found.pvalue[:, PLACES["permutation"]] = _permutation(sums, unit, alpha)
    _bootstraps(found, sums, tables.sizes, confidence, rng)
    for row in range(len(sums)):
        scores, units = tables.table(row)
        _one_table(found, row, scores, units, confidence)
    return found


def _permutation(sums: FloatArray, unit: float, alpha: float) -> FloatArray:
    """p-values by sign flips.

    Units that were drawn several times repeat their differences, for which inversion gives no error bound. Its p-values
    are within 0.1% of certified ones there, which matters to no share; only of few units all signs are counted.
    """
    rows = len(sums)
    stacked = np.concatenate([sums, np.zeros((1, sums.shape[1]))])
    tails = pair_tails(stacked, np.arange(rows), np.full(rows, rows), unit=unit)
    p = tails.pvalue.copy()
    few = np.count_nonzero(sums, axis=1) <= _FEW
    is_open = np.flatnonzero(few & (tails.low <= alpha) & (tails.high > alpha))
    if is_open.size:
        p[is_open] = certain_tails(sums[is_open], unit=unit)[:, 1]
    return p


def _bootstraps(
    found: Answers, sums: FloatArray, sizes: FloatArray, confidence: float, rng: np.random.Generator
) -> None:
    """Everything that draws bootstrap samples; those of one block share them."""
    n = sums.shape[1]
    draws = _draws(sums, sizes, rng)
    least = 2.0 ** (1 - min(n, 1000))
    p = np.maximum(add_one(bootstrap_t_counts(draws), N_BOOTSTRAP), least)
    found.pvalue[:, PLACES["bootstrap"]] = p
    found.pvalue[:, PLACES["sacrebleu"]] = shifted_absolute_pvalues(draws.drawn, draws.mean)
    total = np.atleast_2d(sizes).sum(axis=1, keepdims=True)
    without = (draws.mean[:, None] * total - sums) / (total - sizes)
    intervals = {
        "bootstrap": bootstrap_t_interval(draws.shifted, draws.mean, draws.error, confidence=confidence),
        "percentile": percentile_interval(draws.drawn, confidence),
        "bca": bca_interval(draws.drawn, draws.mean, without.T, confidence=confidence),
    }
    for name, (low, high) in intervals.items():
        found.low[:, PLACES[name]], found.high[:, PLACES[name]] = low, high


def _draws(sums: FloatArray, sizes: FloatArray, rng: np.random.Generator) -> StudentizedDraws:
    n = sums.shape[1]
    step = max(1, _NUMBERS_AT_ONCE // n)
    parts = [
        studentized_draws(bootstrap_counts(min(step, N_BOOTSTRAP - start), n, rng), sums, sizes)
        for start in range(0, N_BOOTSTRAP, step)
    ]
    drawn, shifted = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("drawn", "shifted")
    )
    return parts[0]._replace(drawn=drawn, shifted=shifted)


def _one_table(found: Answers, row: int, scores: FloatArray, units: Units, confidence: float) -> None:
    """Everything that takes one pair of systems at a time, as the verbs call it."""
    request = PairRequest(
        goodness=scores,
        resampling=Resampling(seed=0, units=units),
        alternative="two-sided",
        ties="drop",
        method="auto",
    )
    for name in ("t", "sign", "wilcoxon", "mood"):
        p = float(TESTS[name].run(request).pvalue[0, 1])
        found.pvalue[row, PLACES[name]] = 1.0 if math.isnan(p) else p
    seen = PairScores(scores)
    p = found.pvalue[row, PLACES["permutation"]]
    setting = EffectOptions(
        units, confidence, "drop", np.random.default_rng, swaps=True, pvalue=np.array([[1.0, p], [p, 1.0]])
    )
    limits = EFFECTS["mean_difference"].interval
    low, high = limits(seen, setting)
    found.low[row, PLACES["permutation"]], found.high[row, PLACES["permutation"]] = low[0, 1], high[0, 1]
    if units.are_segments:
        moments = seen.moments
        low, high = t_interval(moments.mean, moments.standard_error, moments.n, confidence=confidence)
    else:
        low, high = limits(seen, setting._replace(swaps=False))
    found.low[row, PLACES["t"]], found.high[row, PLACES["t"]] = low[0, 1], high[0, 1]
