"""A calibration as a table: one method per row, with the share of tables in which it is right or wrong."""

from __future__ import annotations

import math

from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.calibration import COVERS, REJECTS, CalibratedMethod, Calibration

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
        rows=tuple(_row(result, row) for row in result),
        verdict=sentences(result),
        legend=_legend(result),
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


def _row(result: Calibration, row: CalibratedMethod) -> tuple[TableCell, ...]:
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


def sentences(result: Calibration) -> tuple[str, ...]:
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


def _legend(result: Calibration) -> str:
    n = result.n_equal or result.n_swapped
    error = 100 * result.error(result.alpha, n)
    return (
        "False +: share of simulated tables in which systems that do not differ are called different. Swapped: systems "
        "swapped at random in each unit. Equal means: units drawn so that the means are equal and skewness is kept. "
        f"Monte Carlo standard error of {percent(result.alpha)}: {error:.1f} points ({n:,} tables of each kind)."
    )
