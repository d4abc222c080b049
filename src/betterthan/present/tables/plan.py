"""A plan as a table: one difference per row, with the number of units that shows it."""

from __future__ import annotations

import math

from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.plan import Plan

_EXACT = 100
"""Numbers from a pilot below this are shown as they are."""


def plan_table(result: Plan) -> Table:
    """Return the numbers of units that are needed, with the power of those that there are."""
    digits = difference_digits(result)
    columns = [
        TableColumn(heading=heading(result), kind="number", digits=digits),
        TableColumn(heading=f"{result.unit} needed", kind="count"),
    ]
    if result.has_pilot:
        columns.append(TableColumn(heading=f"{percent(result.confidence)} range", kind="count"))
    if result.number is not None:
        columns.append(TableColumn(heading=f"power with {result.number:,}", kind="count"))
    return Table(
        title=_title(result),
        columns=tuple(columns),
        rows=tuple(_row(result, i) for i in range(len(result))),
        verdict=sentences(result),
        words=_words(result),
        legend=_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def heading(result: Plan) -> str:
    """Return what the differences are called: of battles the probability of a win."""
    return "win probability" if result.comparison == "battles" else "difference"


def shown(result: Plan, difference: float) -> float:
    """Return a difference as it is shown."""
    return 0.5 + difference if result.comparison == "battles" else difference


def difference_digits(result: Plan) -> int:
    """Return the decimals of the differences."""
    if result.pair:  # an observed difference has as many decimals as it has
        return max(digits_for([each]) for each in result.difference.tolist())
    return max(_decimals(shown(result, each)) for each in result.difference.tolist())


def _decimals(value: float) -> int:
    """Return the decimals of a number as people write it, such as 2 for 0.05."""
    return len(f"{value:.4f}".rstrip("0").partition(".")[2]) if value >= 1e-4 else digits_for([value])


def _row(result: Plan, i: int) -> tuple[TableCell, ...]:
    row = result[i]
    cells: list[TableCell] = [shown(result, row.difference), _count(result, row.needed)]
    if result.has_pilot:
        cells.append(_range(row.low, row.high))
    if result.number is not None:
        cells.append(_share(row.power_here))
    return tuple(cells)


def _count(result: Plan, n: float) -> str:
    if math.isinf(n):
        return "none is enough"
    return rounded(n) if result.has_pilot else f"{n:,.0f}"


def rounded(n: float) -> str:
    """Return a number with two digits, as many as an estimate has.

    Examples
    --------
    >>> rounded(1646.0), rounded(34.0), rounded(256.0)
    ('1,600', '34', '260')
    """
    return f"{n:,.0f}" if n < _EXACT else f"{float(f'{n:.2g}'):,.0f}"


def _range(low: float, high: float) -> str:
    if math.isnan(low):
        return "–"
    if math.isinf(low):
        return "none is enough"
    return f"{rounded(low)} or more" if math.isinf(high) else f"{rounded(low)} to {rounded(high)}"


def _share(power: float) -> str:
    if power > 0.995:
        return ">99%"
    return f"{100 * power:.0f}%" if power >= 0.005 or power == 0 else "<1%"


def _title(result: Plan) -> str:
    if result.pilot_number is None:
        return f"Plan for {result.comparison}"
    pair = f", {' and '.join(result.pair)}" if result.pair else ""
    measured = "" if result.measured == result.unit else f": {result.measured}"
    return f"Plan from a pilot of {result.pilot_number:,} {result.unit}{measured}{pair}"


def sentences(result: Plan) -> tuple[str, ...]:
    """Return the answer: how many units show a difference, and what the units that there are show."""
    lines = []
    if len(result) == 1 or result.number is None:
        lines.append(_needed_sentence(result))
    if result.number is not None:
        lines.append(_least_sentence(result))
    return tuple(lines)


def _between(result: Plan) -> str:
    return "two systems" if result.n_systems == 2 else f"any two of {result.n_systems:,} systems"


def _conditions(result: Plan) -> str:
    sides = "two-sided" if result.alternative == "two-sided" else "one-sided"
    adjusted = "" if result.n_systems == 2 else f", Holm-adjusted for {result.n_pairs:,} pairs"
    return f"with a power of {percent(result.power)} ({sides} level {result.alpha:g}{adjusted})"


def _what(result: Plan, text: str) -> str:
    if result.comparison == "battles":
        return f"a win probability of {text} between {_between(result)}"
    return f"a difference of {text} between {_between(result)}"


def _units(result: Plan) -> str:
    if result.unit == "documents":
        return f"documents of {result.unit_size:.2g} segments"
    return result.unit


def _needed_sentence(result: Plan) -> str:
    row = result[0]
    text = number(shown(result, row.difference), difference_digits(result))
    start = f"To detect {_what(result, text)} {_conditions(result)},"
    if math.isinf(row.needed):
        return f"{start} no number of {_units(result)} is enough: {_limit(result)}."
    about = "about " if result.has_pilot else ""
    spread = f" ({_range(row.low, row.high)})" if result.has_pilot else ""
    return f"{start} {about}{_count(result, row.needed)} {_units(result)} are needed{spread}."


def _limit(result: Plan) -> str:
    if result.comparison == "runs":
        return "runs vary too much, and more of them are needed"
    return "more items that the judge has scored are needed"


def _least_sentence(result: Plan) -> str:
    there = f"{result.number:,} {_units(result)}"
    if math.isnan(result.least):
        return f"{there} detect no difference {_conditions(result)}, however large."
    digits = digits_for([result.least])
    text = number(shown(result, result.least), digits)
    if result.has_pilot and math.isfinite(result.least_low) and math.isfinite(result.least_high):
        ends = [number(shown(result, each), digits) for each in (result.least_low, result.least_high)]
        text += f" ({ends[0]} to {ends[1]})"
    return f"{there} detect {_what(result, text)} {_conditions(result)}."


_NAMES = {
    "sd": "standard deviation of differences {:.3g}",
    "document_sd": "standard deviation of documents' differences {:.3g}",
    "noise_sd": "of repeated scores of an item {:.3g}",
    "run_sd": "of whole runs {:.3g}",
    "repeats": "repeats {:.0f}",
    "document_size": "{:.3g} segments per document",
    "icc": "correlation within a document {:.3g}",
    "discordance": "only one system is right on {:%} of items",
    "ties": "ties {:%}",
    "judge_correlation": "correlation of judge and humans {:.3g}",
    "judged": "items scored by the judge {:,.0f}",
}


def _words(result: Plan) -> tuple[str, ...]:
    parts = [_assumption(name, value) for name, value in result.assumptions.items()]
    source = "Estimated from the pilot" if result.has_pilot else "Assumed"
    return (f"{source}: {'; '.join(parts)}.",)


def _assumption(name: str, value: float) -> str:
    text = _NAMES[name]
    return text.replace("{:%}", f"{100 * value:.3g}%") if "{:%}" in text else text.format(value)


def _legend(result: Plan) -> str:
    parts = []
    if result.has_pilot:
        parts.append("Range: from the uncertainty of the variance in the pilot")
    if result.comparison == "battles":
        parts.append("a tie counts as half a win; battles of all systems together")
    if not parts:
        return ""
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."
