"""The one place where a pair of systems gets its p-value, its interval and its verdict.

:func:`betterthan.rank`, :func:`betterthan.compare`, :func:`betterthan.explain`, the report and the app all use it, so
that the same scores, test and units give the same digits everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np

from betterthan.analysis.pairs.effects import EFFECTS, Effect, EffectOptions, PairScores, for_all_pairs
from betterthan.analysis.pairs.pairwise import (
    TEST_RESAMPLES,
    PairFindings,
    PairOptions,
    corrected_by,
    pairwise_table,
)
from betterthan.analysis.pairs.permutation import (
    PairPValues,
    PairRequest,
    PermutationMethod,
    SignificanceTest,
    TestTies,
    stepped_down,
)
from betterthan.analysis.pairs.significance import OWN_TEST, TESTS
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.strengths.strength_test import strength_findings
from betterthan.analysis.strengths.strengths import By, Estimated, estimate
from betterthan.analysis.units import UnitName, Units, few_units_note, has_documents, unit_note, units_of
from betterthan.arrays import BoolArray, FloatArray, pairs_where
from betterthan.engine.blocks import stream
from betterthan.errors import BetterThanError, some_of, unknown_name
from betterthan.kernels.comparisons.strengths import segment_win_rates
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.significance.paired import in_range
from betterthan.messages import Message, Option, joined
from betterthan.results.pairwise import WIN_PROBABILITY, PairwiseTable
from betterthan.tables.counts import Counts
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

MissingPolicy = Literal["raise", "drop", "pairwise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """Which test of which aggregation, on which units, and whether the intervals will be used."""

    by: By = "mean"
    test: str = "auto"
    method: PermutationMethod = "auto"
    ties: TestTies = "drop"
    missing: MissingPolicy = "raise"
    units: UnitName = "auto"
    only_verdicts: bool = (
        False  # which pairs differ is all that will be used; intervals and sizes are left out
    )


def decide(
    scores: Scores,
    comparison: ComparisonOptions,
    options: PairOptions,
    resampling: Resampling,
    *,
    ranked: RankOptions,
    estimated: Estimated | None = None,
) -> PairwiseTable:
    """Return p-value, interval and verdict of every pair.

    Parameters
    ----------
    scores : Scores
    comparison : ComparisonOptions
    options : PairOptions
        Level, correction and direction.
    resampling : Resampling
    ranked : RankOptions
        How strengths are estimated, for aggregations that are compared by them.
    estimated : Estimated, optional
        Strengths that are already estimated, so that they are not resampled twice.
    """
    usable = usable_scores(scores, comparison.missing)
    test = _test_of(comparison)
    if test is None:
        units = units_of(usable, comparison.units)
        by = comparison.by
        strengths = estimated or estimate(usable, by, units, ranked, resampling)
        findings = strength_findings(usable, strengths, units, options)
        notes = (*direction_note(usable), *findings.notes, *few_units_note(units))
        findings = replace(findings, unit_note=unit_note(usable, units), notes=notes)
        return pairwise_table(findings, options, seed=resampling.seed)
    units, about_units = _units(usable, comparison, test)
    by_rates = _compares_win_rates(comparison)
    digest = usable.digest
    # A win rate is a mean over segments of the share of other systems beaten there, so the test of means applies:
    # swapping two systems on a segment swaps these shares.
    goodness, unit = in_range(segment_win_rates(usable.goodness).T if by_rates else usable.goodness)
    request = PairRequest(
        goodness=goodness,
        resampling=resampling.on(
            f"{digest} win rates" if by_rates else digest, units, default=TEST_RESAMPLES
        ),
        alternative=options.alternative,
        ties=comparison.ties,
        method=comparison.method,
        alpha=options.alpha,
        correction=_correction(test, comparison, units, options, usable.n_systems),
        only_verdicts=comparison.only_verdicts,
    )
    tested = test.run(request)
    if request.correction == "max_statistic" and test.name not in ("permutation", "bootstrap"):
        raise BetterThanError(
            Message(
                "{given} is for tests that resample: permutation, bootstrap and strengths. Use {other}.",
                given=Option("correction", "max_statistic"),
                other=Option("correction", "holm"),
            )
        )
    if request.correction == "max_statistic" and tested.stepped is None:
        tested = replace(tested, stepped=stepped_down(request), drew=True)
    findings = _findings(usable, comparison, test, tested, request, unit, options)
    if by_rates:
        findings = replace(findings, effect_name="difference of win rates")
    return pairwise_table(
        replace(findings, unit_note=about_units, data=digest),
        replace(options, correction=request.correction),
        seed=resampling.seed,
    )


def usable_scores(scores: Scores, missing: MissingPolicy) -> Scores:
    """Return the complete segments, or all scores where missing values are dropped pair by pair."""
    if missing not in get_args(MissingPolicy):
        raise unknown_name("missing", missing, get_args(MissingPolicy))
    if missing == "pairwise":
        return scores
    return scores.complete(missing=missing)


def _test_of(comparison: ComparisonOptions) -> SignificanceTest | None:
    """Return the test, or None where strengths themselves are compared."""
    name = comparison.test
    if name == "auto":
        name = OWN_TEST.get(comparison.by, "") if isinstance(comparison.by, str) else "strengths"
        if not name:
            raise unknown_name("method", str(comparison.by), OWN_TEST)
    if name == "strengths":
        return None
    if name not in TESTS:
        raise unknown_name("test", name, ("auto", "strengths", *TESTS))
    return TESTS[name]


def _compares_win_rates(comparison: ComparisonOptions) -> bool:
    """Whether the test is about shares of other systems beaten, not about the scores themselves."""
    return comparison.test == "auto" and comparison.by == "win_rate"


def _units(scores: Scores, comparison: ComparisonOptions, test: SignificanceTest) -> tuple[Units, str]:
    """Return documents where they are known and the test supports them, with a note on the unit that was used."""
    if comparison.units == "groups" and not test.takes_groups:
        raise BetterThanError(
            Message(
                "{given} tests single segments and does not support {groups}. Use {others}.",
                given=Option("test", test.name),
                groups=Option("units", "groups"),
                others=joined(
                    [Option("test", name) for name, other in TESTS.items() if other.takes_groups], " or "
                ),
            )
        )
    if scores.n_missing and (test.name == "bootstrap" or comparison.units == "groups"):
        raise BetterThanError(
            Message(
                "Documents and bootstrap samples need every score, and some are missing. Use {drop}, or {test} with "
                "{units}.",
                drop=Option("missing", "drop"),
                test=Option("test", "permutation"),
                units=Option("units", "segments"),
            )
        )
    if comparison.units == "auto" and has_documents(scores) and (scores.n_missing or not test.takes_groups):
        why = (
            "scores are missing"
            if scores.n_missing
            else f"the {test.name} test treats segments as independent"
        )
        about = (
            f"Unit: single segments, because {why}. Segments of a document are correlated, so p-values may "
            f"be too small and intervals too narrow."
        )
        return units_of(scores, "segments"), about
    units = units_of(scores, comparison.units)
    return units, unit_note(scores, units)


def _correction(
    test: SignificanceTest, comparison: ComparisonOptions, units: Units, options: PairOptions, m: int
) -> str:
    """Return Holm, or the maximum statistic where p-values have a floor that Holm could not pass."""
    least = 0.0
    if test.is_resampled or (test.name == "permutation" and comparison.method == "monte_carlo"):
        least = 1.0
    elif test.name == "permutation":
        least = 2.0 ** (1 - units.n_units)
    return corrected_by(options, m, least)


def _least(test: SignificanceTest, comparison: ComparisonOptions, request: PairRequest) -> float:
    """The smallest uncorrected p-value that any outcome could have given."""
    if test.name not in ("permutation", "sign", "wilcoxon", "bootstrap"):
        return 0.0
    side = 1 if request.alternative == "two-sided" else 0
    least = 2.0 ** (side - request.units.n_units)
    drawn = request.correction == "max_statistic" or test.is_resampled or comparison.method == "monte_carlo"
    if drawn:
        least = max(least, 1 / (request.n_resamples + 1))
    return least


def _findings(
    scores: Scores,
    comparison: ComparisonOptions,
    test: SignificanceTest,
    tested: PairPValues,
    request: PairRequest,
    unit: float,
    options: PairOptions,
) -> PairFindings:
    effect = EFFECTS[test.effect]
    goodness = request.goodness
    is_probability = effect.name == WIN_PROBABILITY
    unit = 1.0 if is_probability else unit  # a probability has no unit
    setting = _setting(comparison, test, tested, request, options)
    counts = win_counts(scores.goodness)
    known = None if _compares_win_rates(comparison) else counts
    seen = PairScores(
        goodness, counts=known, cubes=request.units.are_segments and not comparison.only_verdicts
    )
    low, high, size = _described(effect, seen, setting, comparison)
    apart = counts.wins + counts.wins.T + counts.ties == 0
    return PairFindings(
        systems=scores.systems,
        goodness=unit * _means(goodness),
        test=test.name,
        effect_name=effect.name,
        tie_policy=comparison.ties if is_probability else "",
        size_name=effect.size_name,
        effect=unit * effect.of(seen, setting),
        low=unit * low,
        high=unit * high,
        size=size,
        wins=counts.wins,
        ties=counts.ties,
        pvalue=_without(tested.pvalue, apart),
        p_low=None if tested.p_low is None else _without(tested.p_low, apart),
        p_high=None if tested.p_high is None else _without(tested.p_high, apart),
        p_method=tested.p_method,
        stepped=None if tested.stepped is None else _without(tested.stepped, apart),
        n_resamples=request.n_resamples,
        drew=tested.drew or test.effect == "median_difference",
        n_segments=scores.n_segments,
        options={
            "p": tested.how,
            "units": request.units.name,
            "missing": comparison.missing if scores.n_missing else None,
        },
        notes=(
            *scores.notes,
            *tested.notes,
            *direction_note(scores),
            *_apart(scores.systems, apart),
            *few_units_note(request.units),
            *_unbounded(low, options.confidence),
        ),
        units=request.units.name,
        n_units=request.units.n_units,
        least=_least(test, comparison, request),
    )


def _described(
    effect: Effect, seen: PairScores, setting: EffectOptions, comparison: ComparisonOptions
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Interval and standardized effect of each pair; NaN where only verdicts will be used."""
    if comparison.only_verdicts:
        unknown = np.full_like(seen.goodness, np.nan, shape=(len(seen.goodness),) * 2)
        return unknown, unknown, unknown
    return *effect.interval(seen, setting), effect.size(seen)


def _setting(
    comparison: ComparisonOptions,
    test: SignificanceTest,
    tested: PairPValues,
    request: PairRequest,
    options: PairOptions,
) -> EffectOptions:
    """Return the options of intervals; those of the permutation test contain what it does not reject."""
    is_one = request.alternative == "two-sided" and request.method in ("auto", "exact", "analytic")
    swaps = test.name == "permutation"
    setting = EffectOptions(
        request.units,
        options.confidence,
        comparison.ties,
        partial(stream, request.resampling.seed, "intervals of effects", 0),
        swaps=swaps,
        pvalue=tested.pvalue if swaps and is_one else None,
    )
    return for_all_pairs(test.effect, request.goodness, setting) if options.simultaneous else setting


def _without(pvalues: FloatArray, apart: BoolArray) -> FloatArray:
    """A pair without common segments was not tested and must not count in the correction either."""
    return np.where(apart, np.nan, pvalues)


def _apart(systems: Sequence[str], apart: BoolArray) -> tuple[str, ...]:
    pairs = [f"{systems[a]} and {systems[b]}" for a, b in zip(*pairs_where(apart), strict=True)]
    return (f"Not compared, because they have no segment in common: {some_of(pairs)}.",) if pairs else ()


def _means(goodness: FloatArray) -> FloatArray:
    """Mean of the available scores; NaN for a system without any."""
    total = goodness.sum(axis=1)
    if not np.isnan(total).any():
        return np.asarray(total / goodness.shape[1])
    present = np.count_nonzero(~np.isnan(goodness), axis=1)
    return np.asarray(np.nansum(goodness, axis=1) / np.where(present > 0, present, np.nan))


def _unbounded(low: FloatArray, confidence: float) -> tuple[str, ...]:
    if not np.isinf(low).any():
        return ()
    return (f"Some pairs have too few segments for a confidence interval at {100 * confidence:g}%.",)


def direction_note(scores: Scores | Runs | Counts) -> tuple[str, ...]:
    """Return a note on metrics where lower is better, whose effects are positive where the first system is better."""
    if scores.higher_is_better:
        return ()
    return (f"Lower {scores.name} is better; a positive effect means that the first system is better.",)
