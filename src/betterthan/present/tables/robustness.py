"""Robustness as tables: the methods of a calibration; for each option of a choice, how many analyses support it."""

from __future__ import annotations

import math

from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.robustness import (
    CONTRADICTED,
    COVERS,
    REJECTS,
    SUPPORTED,
    CalibratedMethod,
    Calibration,
    ChosenOption,
    Multiverse,
    influence,
)

_NAMES = {
    "permutation": "permutation",
    "t": "t",
    "bootstrap": "bootstrap-t",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
    "sacrebleu": "bootstrap as in sacreBLEU",
    "wilcoxon": "Wilcoxon",
    "sign": "sign",
    "mood": "Mood",
}


def calibration_table(result: Calibration) -> Table:
    """Return the shares of false positives, of detected differences and of intervals with the truth."""
    columns = (
        TableColumn(heading="method"),
        TableColumn(heading="false +: swapped", kind="count"),
        TableColumn(heading="equal means", kind="count"),
        TableColumn(heading="power", kind="count"),
        TableColumn(heading="coverage: equal", kind="count"),
        TableColumn(heading="with effect", kind="count"),
        TableColumn(heading="width", kind="number", digits=_width_digits(result), spare=1),
        TableColumn(heading="verdict"),
    )
    return Table(
        title=_title(result),
        columns=columns,
        rows=tuple(_method_row(result, row) for row in result),
        verdict=calibration_sentences(result),
        legend=_calibration_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def method_name(result: Calibration, method: str) -> str:
    """Return what a method is called."""
    if method == "permutation" and result.is_right_wrong and result.units == "segments":
        return "permutation (McNemar)"
    return _NAMES[method]


def share(value: float) -> str | None:
    """Return a share as it is shown, or None for what there is not.

    Examples
    --------
    >>> share(0.1234), share(float("nan"))
    ('12.3%', None)
    """
    return None if math.isnan(value) else f"{100 * value:.1f}%"


def _method_row(result: Calibration, row: CalibratedMethod) -> tuple[TableCell, ...]:
    return (
        method_name(result, row.method),
        share(row.size_swapped),
        share(row.size_equal),
        share(row.power),
        share(row.coverage_equal),
        share(row.coverage_effect),
        None if math.isnan(row.width) else row.width,
        row.verdict,
    )


def _width_digits(result: Calibration) -> int:
    return digits_for([each / 2 for each in result.width.tolist() if math.isfinite(each) and each > 0])


def _units(result: Calibration) -> str:
    if result.units == "groups":
        return f"{result.n_units:,} documents ({result.n_segments:,} segments)"
    return f"{result.n_units:,} segments"


def _title(result: Calibration) -> str:
    return f"Tests and intervals on tables like this one: {result.measured}, {_units(result)}"


def calibration_sentences(result: Calibration) -> tuple[str, ...]:
    """Return which test and interval to use, and which fail by how much."""
    return (_recommendation(result), *_failures(result))


def _worst_size(row: CalibratedMethod) -> float:
    return max(each for each in (row.size_swapped, row.size_equal) if not math.isnan(each))


def _worst_coverage(row: CalibratedMethod) -> float:
    known = (row.coverage_swapped, row.coverage_equal, row.coverage_effect)
    return min(each for each in known if not math.isnan(each))


def _recommendation(result: Calibration) -> str:
    level = percent(result.alpha)
    if not result.recommended_test:
        return f"No test of equal means both holds the {level} level and detects a difference on tables like this one."
    row = result[result.recommended_test]
    name = method_name(result, row.method)
    true = "the observed differences" if result.n_pairs > 1 else "the observed difference"
    if not result.is_observed:
        true = f"a difference of {number(result.difference, digits_for([result.difference]))}"
    text = (
        f"Recommended test: {name}. It calls equal systems different in at most {share(_worst_size(row))} of "
        f"tables (nominal {level}), and detects {true} with a power of {share(row.power)}."
    )
    if not result.recommended_interval:
        return f"{text} No interval holds its level."
    interval = result[result.recommended_interval]
    called = (
        "its interval"
        if interval.method == row.method
        else f"the {method_name(result, interval.method)} interval"
    )
    return (
        f"{text} Recommended interval: {called}, which covers the true difference in at least "
        f"{share(_worst_coverage(interval))} of tables (nominal {percent(result.confidence)})."
    )


def _failures(result: Calibration) -> tuple[str, ...]:
    tests = [
        f"{method_name(result, row.method)} ({share(_worst_size(row))})"
        for row in result
        if REJECTS in row.verdict
    ]
    intervals = [
        f"{method_name(result, row.method)} ({share(_worst_coverage(row))})"
        for row in result
        if COVERS in row.verdict
    ]
    lines = []
    if tests:
        lines.append(f"Tests that call equal systems different too often: {', '.join(tests)}.")
    if intervals:
        lines.append(f"Intervals that cover too little: {', '.join(intervals)}.")
    return tuple(lines)


def _calibration_legend(result: Calibration) -> str:
    n = result.n_equal or result.n_swapped
    error = 100 * result.error(result.alpha, n)
    return (
        "False +: share of simulated tables in which systems that do not differ are called different. Swapped: systems "
        "swapped at random in each unit. Equal means: units drawn so that the means are equal and skewness is kept. "
        f"Monte Carlo standard error of {percent(result.alpha)}: {error:.1f} points ({n:,} tables of each kind)."
    )


_CHOICES = {
    "metric": "metric",
    "items": "items",
    "compared": "systems compared",
    "unit": "unit",
    "aggregation": "aggregation",
    "test": "test",
    "ties": "ties",
    "correction": "correction",
}
_OPTIONS = {
    "only those": "only these",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "benjamini_hochberg": "Benjamini–Hochberg",
}
_MATTERS = 0.1
"""A choice matters if the shares of its options differ by so much."""
_MOST_NAMED = 2


def multiverse_table(result: Multiverse) -> Table:
    """Return the shares of analyses by option, the most influential choice first."""
    options = result.options()
    columns = (
        TableColumn(heading="choice"),
        TableColumn(heading="option"),
        TableColumn(heading="analyses", kind="integer"),
        TableColumn(heading="supported", kind="count"),
        TableColumn(heading="ahead", kind="count"),
        TableColumn(heading="behind", kind="count"),
        TableColumn(heading="contradicted", kind="count"),
    )
    last = {i for i in range(len(options) - 1) if options[i].choice != options[i + 1].choice}
    rows = tuple(_analysis_row(option, is_first=i == 0 or i - 1 in last) for i, option in enumerate(options))
    return Table(
        title=f"{result.claim} by {len(result):,} analyses: {_measured(result)}",
        columns=columns,
        rows=(("all", "", len(result), *_shares(_whole(result))), *rows),
        rules=frozenset({0, *(i + 1 for i in last)}),
        verdict=multiverse_sentences(result),
        legend=_multiverse_legend(result),
        notes=(*_impossible(result), *result.notes),
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def choice_name(choice: str) -> str:
    """Return what a choice is called."""
    return _CHOICES[choice]


def option_name(option: str) -> str:
    """Return what an option is called."""
    return _OPTIONS.get(option, option)


def _measured(result: Multiverse) -> str:
    metrics = tuple(dict.fromkeys(result.metric))
    named = metrics[0] if len(metrics) == 1 else f"{len(metrics)} metrics"
    return f"{named}, {result.n_segments:,} segments"


def _whole(result: Multiverse) -> ChosenOption:
    n = len(result)
    return ChosenOption(
        choice="all",
        option="",
        n=n,
        supported=result.share(SUPPORTED),
        ahead=float((result.direction > 0).mean()),
        behind=float((result.direction < 0).mean()),
        contradicted=result.share(CONTRADICTED),
    )


def _analysis_row(option: ChosenOption, *, is_first: bool) -> tuple[TableCell, ...]:
    return (
        choice_name(option.choice) if is_first else "",
        option_name(option.option),
        option.n,
        *_shares(option),
    )


def _shares(option: ChosenOption) -> tuple[str, ...]:
    return tuple(
        whole_percent(share) for share in (option.supported, option.ahead, option.behind, option.contradicted)
    )


def whole_percent(share: float) -> str:
    """Return a share in whole percent that is 0% or 100% only if it is exactly that.

    Examples
    --------
    >>> whole_percent(0.0), whole_percent(0.001), whole_percent(0.456), whole_percent(0.999)
    ('0%', '<1%', '46%', '>99%')
    """
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 < share < 1 else f"{100 * share:.0f}%"


def multiverse_sentences(result: Multiverse) -> tuple[str, ...]:
    """Return whether the claim survives, and which choices decide."""
    n = len(result)
    whole = _whole(result)
    supported, contradicted = round(n * whole.supported), round(n * whole.contradicted)
    if supported == n:
        return (
            f"The claim {result.claim} survives every choice: all {n:,} analyses support it (p ≤ {result.alpha:g}).",
        )
    start = (
        f"None of {n:,} analyses supports the claim {result.claim}"
        if not supported
        else f"{supported:,} of {n:,} analyses ({whole_percent(whole.supported)}) support the claim {result.claim}"
    )
    lines = [f"{start} (p ≤ {result.alpha:g}). {_directions(result, whole, contradicted)}"]
    return (*lines, *_what_matters(result))


def _directions(result: Multiverse, whole: ChosenOption, contradicted: int) -> str:
    ahead, behind = whole_percent(whole.ahead), whole_percent(whole.behind)
    text = f"{result.system} is ahead in {ahead} of the analyses and behind in {behind}"
    if contradicted:
        text += f" (significantly in {contradicted:,} analyses)"
    equal = 1 - whole.ahead - whole.behind
    return f"{text}; they are equal in {whole_percent(equal)}." if equal > 1e-9 else f"{text}."


def _what_matters(result: Multiverse) -> tuple[str, ...]:
    options = result.options()
    by_choice = [
        [one for one in options if one.choice == choice]
        for choice in dict.fromkeys(o.choice for o in options)
    ]
    # A test belongs to an aggregation and differs at least as much.
    deciding = [one for one in by_choice if one[0].choice != "test" and max(influence(one)) >= _MATTERS]
    deciding = deciding[:_MOST_NAMED]
    if not deciding:
        return (
            ("No single choice changes the share of supporting analyses by 10 points or more.",)
            if options
            else ()
        )
    parts = [_contrast(result, group) for group in deciding]
    return (f"What decides: {'; '.join(parts)}.",)


def _contrast(result: Multiverse, group: list[ChosenOption]) -> str:
    """Name the options of a choice with the most and the least support, or lead."""
    is_support = influence(group)[0] >= _MATTERS
    name = "supported" if is_support else "ahead"
    what = "supported by" if is_support else f"{result.system} ahead in"
    low, high = (pick(group, key=lambda one: getattr(one, name)) for pick in (min, max))
    return (
        f"{choice_name(group[0].choice)} ({what} {whole_percent(getattr(high, name))} with {option_name(high.option)}, "
        f"{whole_percent(getattr(low, name))} with {option_name(low.option)})"
    )


def _multiverse_legend(result: Multiverse) -> str:
    return (
        f"Supported: {result.system} is better, and p ≤ {result.alpha:g} after correction. Contradicted: significantly "
        "worse. All analyses use the same data, so shares are not probabilities. The choice that decides most is first."
    )


def _impossible(result: Multiverse) -> tuple[str, ...]:
    if not result.n_impossible:
        return ()
    return (f"{result.n_impossible:,} further analyses have no answer on these data and are left out.",)
