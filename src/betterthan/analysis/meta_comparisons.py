"""All pairs of metrics: which test, its p-values, and which metrics are told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betterthan.analysis.meta_bootstrap import bootstrap_pvalues
from betterthan.analysis.meta_inputs import Panel
from betterthan.analysis.meta_measures import Measure, Request, UnitChoice
from betterthan.analysis.meta_segment import OwnFunction
from betterthan.analysis.meta_swaps import are_constant, pair_swaps, swapped_pvalues, williams_pvalues
from betterthan.analysis.meta_system import MeansMeasure, SoftPairwiseAccuracy
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, some_of
from betterthan.kernels.correlation import pearson
from betterthan.kernels.pvalues import adjusted_pairs
from betterthan.results.meta_evaluation import MetricComparisons

SWAPS = ("perm_inputs", "perm_systems", "perm_both", "perm_cells")
SIGNIFICANCE = ("default", *SWAPS, "perm_pairs", "williams", "bootstrap", "none")
FEWEST_FOR_WILLIAMS = 4
CORRECTIONS = ("none", "bonferroni", "holm", "benjamini_hochberg")
_ABOUT_PAIRS = (
    "PERM-PAIRS treats pairs of the same segment as independent and calls metrics different too often (15 % of equal "
    "ones in a simulation); perm_inputs keeps its level."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """How metrics are compared, and how sure we want to be."""

    significance: str
    correction: str
    alpha: float
    confidence: float | None
    units: UnitChoice


def comparisons_of(pvalue: FloatArray, test: str, question: Question) -> MetricComparisons:
    """Correct p-values for many comparisons and wrap them."""
    pvalue = np.array(pvalue)
    np.fill_diagonal(pvalue, np.nan)
    adjusted = pvalue
    if question.correction != "none":
        adjusted = adjusted_pairs(pvalue, correction=question.correction, family="pairs")  # type: ignore[arg-type]
    return MetricComparisons(
        test=test, correction=question.correction, alpha=question.alpha, pvalue=pvalue, adjusted=adjusted
    )


class Compared(NamedTuple):
    """The test that was used, one-sided p-values (k, k) in favour of the row, and what must be said."""

    test: str
    pvalue: FloatArray
    notes: tuple[str, ...] = ()


def compared(
    measure: Measure, panel: Panel, request: Request, question: Question, draws: FloatArray | None
) -> Compared:
    """Compare all pairs of metrics of one panel."""
    test = _chosen(measure, panel, question.significance)
    k = len(panel.metrics)
    if test == "none" or k < 2:
        return Compared("none", np.full((k, k), np.nan))
    if panel.is_systems_only and test != "williams":
        raise BetterThanError(
            f'significance="{test}" needs scores of segments, and these metrics have one score a system. '
            f'Use by="pearson" with significance="williams", or significance="none".'
        )
    if test == "williams":
        return Compared(test, williams_pvalues(measure, panel), _about_williams(panel))
    if test == "perm_pairs":
        return Compared(test, pair_swaps(measure, panel), (_ABOUT_PAIRS,))
    if test == "bootstrap":
        return Compared(test, bootstrap_pvalues(draws, measure))
    pvalue = swapped_pvalues(measure, panel, request, test)  # type: ignore[arg-type]  # one of the swaps
    return Compared(
        test, pvalue, (*_about_constant(measure, panel, request), *_about_gaps(measure, panel, test))
    )


def _about_williams(panel: Panel) -> tuple[str, ...]:
    few = panel.human.n_systems < FEWEST_FOR_WILLIAMS
    return (
        (f"Williams' test needs {FEWEST_FOR_WILLIAMS} systems or more; metrics were not tested.",)
        if few
        else ()
    )


def _about_constant(measure: Measure, panel: Panel, request: Request) -> tuple[str, ...]:
    names = [name for name, same in zip(panel.names, are_constant(panel), strict=True) if same]
    if not names:
        return ()
    said = f"Not compared with others, because all scores are equal: {some_of(names)}."
    if isinstance(measure, SoftPairwiseAccuracy) and request.p_values != "analytic" and not request.mid_p:
        said += " Its value hangs on the order of the systems alone; mid_p=True takes ties as undecided."
    return (said,)


def _about_gaps(measure: Measure, panel: Panel, test: str) -> tuple[str, ...]:
    """Say which cells the test used where people did not judge everything."""
    if not isinstance(measure, SoftPairwiseAccuracy) or panel.is_complete:
        return ()
    if test == "perm_inputs":
        return ("Swaps used analytic p-values of pairs of systems, each on the segments that both have.",)
    n, n_complete = panel.judged.shape[1], int(panel.judged.all(axis=0).sum())
    return (f"Swaps used the {n_complete} of {n} segments on which every system was judged.",)


def _chosen(measure: Measure, panel: Panel, significance: str) -> str:
    if significance != "default":
        return significance
    if isinstance(measure, OwnFunction):
        return "bootstrap"  # swaps are for measures that do not depend on the scale of a metric
    if not panel.is_systems_only:
        return "perm_inputs"
    return "williams" if isinstance(measure, MeansMeasure) and measure.statistic is pearson else "none"
