"""All pairs of metrics: which test, its p-values, and which metrics differ significantly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betterthan.analysis.meta.bootstrap import bootstrap_tails
from betterthan.analysis.meta.inputs import Panel
from betterthan.analysis.meta.measures import Measure, MeasureRequest, UnitChoice
from betterthan.analysis.meta.segment import OwnFunction, TieTau
from betterthan.analysis.meta.swaps import (
    SwapTails,
    are_constant,
    pair_swaps,
    swapped_tails,
    tails_of_upper,
    williams_pvalues,
)
from betterthan.analysis.meta.system import MeansMeasure, SoftPairwiseAccuracy
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, some_of
from betterthan.kernels.agreement.correlation import pearson
from betterthan.kernels.significance.pvalues import adjusted_pairs
from betterthan.messages import Message, Option
from betterthan.results.metrics import SCOPES, Caveat, MetricComparisons

SWAPS = ("perm_inputs", "perm_systems", "perm_both", "perm_cells")
SIGNIFICANCE = ("default", *SWAPS, "perm_pairs", "williams", "bootstrap", "none")
ALTERNATIVES = ("two-sided", "wmt")
CORRECTIONS = ("auto", "none", "bonferroni", "holm", "benjamini_hochberg", "max_statistic")
FEWEST_FOR_WILLIAMS = 4
# Swapping whole systems has 2ᵐ masks, and a mask and its complement give the same split: with five systems the smallest
# two-sided p-value is 1/16, so nothing can be significant at 0.05.
FEWEST_FOR_SYSTEMS = 6
_ABOUT_PAIRS = (
    "PERM-PAIRS treats pairs of the same segment as independent and has a type I error rate of 15% in a simulation "
    "at level 0.05; perm_inputs keeps its level."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceOptions:
    """How metrics are compared, at which level, and the confidence level of their intervals."""

    significance: str
    alternative: str
    correction: str
    alpha: float
    confidence: float | None
    units: UnitChoice


class Compared(NamedTuple):
    """The test that was used, p-values of all pairs of metrics, and notes."""

    test: str
    tails: SwapTails
    notes: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()


def comparisons_of(tails: SwapTails, test: str, options: SignificanceOptions) -> MetricComparisons:
    """Choose the p-values that the options require, and correct them for multiple comparisons."""
    is_wmt = options.alternative == "wmt"
    pvalue = np.array(tails.upper if is_wmt else tails.two_sided)
    np.fill_diagonal(pvalue, np.nan)
    correction = correction_for(options, has_leads=tails.step_down is not None)
    adjusted = pvalue
    if correction == "max_statistic":
        if tails.step_down is None or is_wmt:
            raise BetterThanError(
                Message(
                    "{given} needs two-sided tests by random swaps, not {test}. Use {holm}.",
                    given=Option("correction", "max_statistic"),
                    test=Option("significance", test),
                    holm=Option("correction", "holm"),
                )
            )
        adjusted = np.array(tails.step_down)
        adjusted[np.isnan(pvalue)] = np.nan
    elif correction != "none":
        adjusted = adjusted_pairs(pvalue, correction=correction, family="pairs")  # type: ignore[arg-type]
    return MetricComparisons(
        test=test,
        alternative=options.alternative,
        generalises_to=SCOPES.get(test, ""),
        correction=correction,
        alpha=options.alpha,
        pvalue=pvalue,
        adjusted=adjusted,
    )


def correction_for(options: SignificanceOptions, *, has_leads: bool) -> str:
    """Return the correction that "auto" stands for.

    The shared tasks do not correct. Otherwise: Holm where p-values have no lower bound, and the step-down maximum where
    they come from random swaps. A thousand swaps give no p-value below 1/1,001, which Holm's factor of 300 for 25
    metrics would raise above any usual level.
    """
    if options.correction != "auto":
        return options.correction
    if options.alternative == "wmt":
        return "none"
    return "max_statistic" if has_leads else "holm"


def compared(
    measure: Measure,
    panel: Panel,
    request: MeasureRequest,
    options: SignificanceOptions,
    value: FloatArray,
    draws: FloatArray | None,
) -> Compared:
    """Compare all pairs of metrics of one panel."""
    test = chosen_test(measure, [panel], options)
    k = len(panel.metrics)
    if test == "none" or k < 2:
        return Compared("none", untested(k))
    if panel.is_systems_only and test != "williams":
        raise BetterThanError(
            Message(
                "{test} needs scores of segments, and these metrics have one score per system. Use {by} "
                "with {williams}, or {none}.",
                test=Option("significance", test),
                by=Option("by", "pearson"),
                williams=Option("significance", "williams"),
                none=Option("significance", "none"),
            )
        )
    if test == "williams":
        return Compared(test, tails_of_upper(williams_pvalues(measure, panel)), _about_williams(panel))
    if test == "perm_pairs":
        return Compared(test, tails_of_upper(pair_swaps(measure, panel)), (_ABOUT_PAIRS,))
    if test == "bootstrap":
        return Compared(test, bootstrap_tails(draws, value, measure))
    tails = swapped_tails(measure, panel, request, test)  # type: ignore[arg-type]  # one of the swaps
    notes = (*_about_constant(measure, panel, request), *_about_gaps(measure, panel, test))
    return Compared(test, tails, notes, _out_of_reach(measure, panel, request, test, options.alpha))


def untested(k: int) -> SwapTails:
    """Return p-values (NaN) of k metrics that were not compared."""
    return tails_of_upper(np.full((k, k), np.nan))


def _out_of_reach(
    measure: Measure, panel: Panel, request: MeasureRequest, test: str, alpha: float
) -> tuple[Caveat, ...]:
    """Return a note where too few units are swapped for any difference to be significant."""
    swapped = request.drawn if isinstance(measure, MeansMeasure | TieTau) else request.units
    counted = {
        "perm_systems": (panel.human.n_systems, "systems"),
        "perm_inputs": (swapped.n_units, "segments" if swapped.are_segments else "documents"),
    }
    n, name = counted.get(test, (request.resampling.n_resamples, "resamples"))
    by_design = (
        0.0 if test not in counted else 0.5 ** (n - 1)
    )  # swapping everything gives the same difference as swapping nothing
    by_draws = 1 / (request.resampling.n_resamples + 1)
    if max(by_design, by_draws) <= alpha:
        return ()
    few = f"{n:,} {name}" if by_design > by_draws else f"{request.resampling.n_resamples:,} resamples"
    return (Caveat(code="out_of_reach", names=(few,), alpha=alpha, least=max(by_design, by_draws)),)


def _about_williams(panel: Panel) -> tuple[str, ...]:
    few = panel.human.n_systems < FEWEST_FOR_WILLIAMS
    return (
        (f"Williams' test needs {FEWEST_FOR_WILLIAMS} systems or more; the metrics were not tested.",)
        if few
        else ()
    )


def _about_constant(measure: Measure, panel: Panel, request: MeasureRequest) -> tuple[str, ...]:
    names = [name for name, same in zip(panel.names, are_constant(panel), strict=True) if same]
    if not names:
        return ()
    note: str = f"Not compared with other metrics, because all scores are equal: {some_of(names)}."
    if (
        isinstance(measure, SoftPairwiseAccuracy)
        and request.options.p_values != "analytic"
        and not request.options.mid_p
    ):
        note = Message(
            "{note} The value depends on the order of the systems alone; {mid_p} counts ties as undecided.",
            note=note,
            mid_p=Option("mid_p", True),
        )
    return (note,)


def _about_gaps(measure: Measure, panel: Panel, test: str) -> tuple[str, ...]:
    """Return a note on the cells that the test used where human scores are incomplete."""
    if not isinstance(measure, SoftPairwiseAccuracy) or panel.is_complete:
        return ()
    if test == "perm_inputs":
        return ("Swaps used analytic p-values of pairs of systems, each on the segments judged for both.",)
    n, n_complete = panel.judged.shape[1], int(panel.judged.all(axis=0).sum())
    return (f"Swaps used the {n_complete} of {n} segments on which every system was judged.",)


def chosen_test(measure: Measure, panels: Sequence[Panel], options: SignificanceOptions) -> str:
    """Return the test that "default" stands for.

    At the system level whole systems are swapped. Metrics have biases for or against single systems; swapping segments
    treats the systems as fixed and breaks up these biases, so that equally good metrics differ significantly in a fifth
    of simulated tables, and in one in eight even when only these systems matter. Swapping systems keeps its level with
    and without such biases (see the page on calibration).
    """
    if options.significance != "default":
        return options.significance
    if isinstance(measure, OwnFunction):
        return "bootstrap"  # swaps require measures that do not depend on the scale of a metric
    if panels[0].is_systems_only:
        return "williams" if isinstance(measure, MeansMeasure) and measure.statistic is pearson else "none"
    if measure.level != "system" or options.alternative == "wmt":
        return "perm_inputs"
    fewest = min(panel.human.n_systems for panel in panels)
    return "perm_systems" if fewest >= FEWEST_FOR_SYSTEMS else "perm_inputs"
