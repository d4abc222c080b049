"""What each factor of the systems does: effects of model and prompt, and how they depend on each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from betterthan.analysis.compare.compare_runs import RunsDesign, degrees_of_items, design_of
from betterthan.analysis.pairs.effects import EFFECTS, EffectOptions, PairScores
from betterthan.analysis.runs.variation import as_runs
from betterthan.analysis.table_argument import AnyData
from betterthan.analysis.units import UnitName, few_units_note, units_of
from betterthan.arrays import FloatArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.blocks import stream
from betterthan.errors import TableError
from betterthan.kernels.runs.limits import RunVariance, joined_limits, joined_pvalue, run_variance
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.messages import COLUMN, Message, Option
from betterthan.results.settings import Settings
from betterthan.results.tasks import Factors
from betterthan.tables.runs import Runs

TIMES = " × "


class Contrast(NamedTuple):
    """An effect as a weighted sum of the systems' means."""

    term: str
    level: str
    weights: FloatArray


@with_one_blas_thread
def factors(
    table: AnyData,
    *more: AnyData,
    metric: str | None = None,
    system: Sequence[str] | None = None,
    run: str | None = None,
    missing: str = "raise",
    units: UnitName = "auto",
    over: str = "items and runs",
    alpha: float = 0.05,
    confidence: float = 0.95,
) -> Factors:
    r"""Estimate the effect of each factor, and the interactions of two, with intervals for other items and runs.

    A factor with two levels has one effect, the difference of the average systems with one and with the other level.
    A level of a factor with more is compared with the average of all levels. The interaction of two factors is what a
    combination adds to the sum of their effects:

    .. math:: \mu_{ab} - \bar\mu_{a\cdot} - \bar\mu_{\cdot b} + \bar\mu ,

    or for two levels each by how much the difference of one factor changes with the other.

    Parameters
    ----------
    table, *more : Runs, or what they are read from
        As for :func:`betterthan.compare`; without repeated runs the intervals are for other items.
    metric, run, missing, units, over
        As for :func:`betterthan.compare`.
    system : sequence of str
        The columns of the factors, such as ["model", "prompt"].
    alpha : float, default 0.05
    confidence : float, default 0.95
        Confidence level of each interval.

    Returns
    -------
    Factors
        p-values are corrected by Holm within each factor and interaction.

    Raises
    ------
    TableError
        When the systems have no factors, or effects cannot be separated because combinations of levels are missing.

    Notes
    -----
    All systems have the same items, so effects are computed item by item, and their intervals are those of
    :func:`betterthan.compare`: a comparison of two systems is the effect of a factor with two levels. Combinations of
    levels count equally. Where some are missing, main effects are those of least squares, and interactions are left
    out.

    Examples
    --------
    >>> import betterthan as bt
    >>> table = {"item": [1, 2, 3] * 4, "model": list("AAAAAABBBBBB"), "prompt": list("xxxyyyxxxyyy"),
    ...          "score": [3, 5, 4, 4, 6, 5, 1, 3, 3, 2, 3, 4]}
    >>> bt.factors(table, system=["model", "prompt"])[0].effect.__round__(2)
    1.83
    """
    runs = as_runs(table, *more, metric=metric, system=system, run=run, verb="factors")
    check_share("alpha", alpha)
    check_share("confidence", confidence)
    if not runs.factors:
        raise TableError(
            Message(
                "The systems have no factors. Name the columns that make up a system with {system}.",
                system=Option("system", [COLUMN, COLUMN]),
            )
        )
    design = design_of(runs, over, "mean", missing)
    contrasts, notes = _contrasts(design.runs)
    estimates = _estimates(design, contrasts, units, confidence)
    terms = tuple(dict.fromkeys(each.term for each in contrasts))
    term = tuple(each.term for each in contrasts)
    return Factors(
        terms=terms,
        term=term,
        level=tuple(each.level for each in contrasts),
        effect=estimates.effect,
        low=estimates.low,
        high=estimates.high,
        pvalue=estimates.pvalue,
        adjusted=_adjusted(estimates.pvalue, term),
        alpha=alpha,
        confidence=confidence,
        measured=f"{runs.name}, {runs.direction}",
        unit_note=design.unit_note,
        notes=(*design.runs.notes, *design.notes, *notes, *few_units_note(units_of(design.scores, units))),
        settings=Settings(
            method="factors",
            options={
                "factors": ",".join(runs.factors),
                "over": design.over,
                "units": units_of(design.scores, units).name,
                "adjust": "holm",
                "alpha": alpha,
                "ci": f"{100 * confidence:g}",
            },
            data=runs.digest,
            n_systems=runs.n_systems,
            n_segments=design.scores.n_segments,
        ),
    )


def _contrasts(runs: Runs) -> tuple[list[Contrast], tuple[str, ...]]:
    """Return the effects that the design allows, and notes on those it does not."""
    levels = [list(dict.fromkeys(row[k] for row in runs.levels)) for k in range(len(runs.factors))]
    several = [k for k in range(len(levels)) if len(levels[k]) > 1]
    means = _level_means(runs, levels)
    contrasts = [each for k in several for each in _main(runs.factors[k], levels[k], means[k])]
    if len(set(runs.levels)) < int(np.prod([len(names) for names in levels])):
        note = "Some combinations of levels are missing, so interactions were left out."
        return contrasts, (note,) if len(several) > 1 else ()
    for j, k in combinations(several, 2):
        contrasts += _interaction(runs, (j, k), levels, means)
    return contrasts, ()


def _level_means(runs: Runs, levels: list[list[str]]) -> list[FloatArray]:
    """Weights of the systems in the mean of each level, for each factor: levels × systems.

    Raises
    ------
    TableError
        When the effects of two factors cannot be separated.
    """
    m = runs.n_systems
    columns = [
        [np.array([row[k] == name for row in runs.levels], dtype=np.float64) for name in names]
        for k, names in enumerate(levels)
    ]
    # Coded against the last level; the rank is that of separable effects.
    coded = np.column_stack([np.ones(m), *(each - group[-1] for group in columns for each in group[:-1])])
    if np.linalg.matrix_rank(coded) < coded.shape[1]:
        raise TableError(
            "The effects of the factors cannot be separated, because too many combinations of levels are missing."
        )
    solved = np.linalg.pinv(coded)
    means, at = [], 1
    for names in levels:
        own = solved[at : at + len(names) - 1]
        at += len(names) - 1
        means.append(np.vstack([own, -own.sum(axis=0)]) + solved[0])
    return means


def _main(name: str, levels: list[str], means: FloatArray) -> Iterator[Contrast]:
    if len(levels) == 2:
        yield Contrast(name, f"{levels[0]} − {levels[1]}", means[0] - means[1])
        return
    for level, weights in zip(levels, means, strict=True):
        yield Contrast(name, level, weights - means.mean(axis=0))


def _interaction(
    runs: Runs, pair: tuple[int, int], levels: list[list[str]], means: list[FloatArray]
) -> Iterator[Contrast]:
    j, k = pair
    name = f"{runs.factors[j]}{TIMES}{runs.factors[k]}"
    overall = means[j].mean(axis=0)

    def cell(a: str, b: str) -> FloatArray:
        here = np.array([row[j] == a and row[k] == b for row in runs.levels], dtype=np.float64)
        return np.asarray(here / here.sum())

    if len(levels[j]) == len(levels[k]) == 2:
        (a, b), (x, y) = levels[j], levels[k]
        yield Contrast(name, f"{a} − {b}, {x} − {y}", cell(a, x) - cell(b, x) - cell(a, y) + cell(b, y))
        return
    for (i, a), (o, b) in product(enumerate(levels[j]), enumerate(levels[k])):
        yield Contrast(name, f"{a}, {b}", cell(a, b) - means[j][i] - means[k][o] + overall)


class _Estimates(NamedTuple):
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray


def _estimates(
    design: RunsDesign, contrasts: list[Contrast], unit: UnitName, confidence: float
) -> _Estimates:
    goodness = design.scores.goodness
    units = units_of(design.scores, unit)
    weights = np.stack([each.weights for each in contrasts])
    values = weights @ goodness
    effect = values.mean(axis=1)
    low = high = effect
    if design.over != "runs":
        setting = EffectOptions(units, confidence, "drop", partial(stream, 0, "intervals of effects", 0))
        # The interval of a mean is that of the difference from a system that always has 0.
        ends = [
            EFFECTS["mean_difference"].interval(PairScores(np.stack([row, np.zeros_like(row)])), setting)
            for row in values
        ]
        low, high = (np.array([end[side][0, 1] for end in ends]) for side in (0, 1))
    if design.over == "items":
        between = RunVariance(np.zeros(effect.size), np.ones(effect.size))
    else:
        between = run_variance(design.moments, weights, fixed_items=design.over == "runs")
    degrees = degrees_of_items(goodness, units)
    error = np.where(effect > 0, effect - low, high - effect) / -stdtrit(degrees, (1 - confidence) / 2)
    pvalue = joined_pvalue(effect, error, degrees, between)
    low, high = joined_limits(effect, low, high, between, confidence=confidence)
    return _Estimates(effect, low, high, pvalue)


def _adjusted(pvalue: FloatArray, term: tuple[str, ...]) -> FloatArray:
    """Holm's correction within each term."""
    result = pvalue.copy()
    names = np.array(term)
    for name in dict.fromkeys(term):
        here = names == name
        result[here] = adjusted(pvalue[here], correction="holm")
    return result
