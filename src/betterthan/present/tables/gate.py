"""A gate as a table: a row for each metric and slice, with its interval drawn against the margin."""

from __future__ import annotations

import math

from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.plan import rounded
from betterthan.results.gate import PASSING, Gate, GateRow
from betterthan.results.pvalues import equals_p

_CELLS = 4  # of the picture, for one margin
_MARGINS = 3  # to either side of 0
_INTERVAL, _EFFECT, _EDGE, _ZERO, _BEYOND = "━", "●", "┊", "│", ("<", ">")
_CROSSED = "┿"
_SHOWN_ITEMS = 5
_SHOWN_LENGTH = 40


def gate_table(result: Gate) -> Table:
    """Return the rows, with the verdict in words above and the largest losses below."""
    has_slices = any(result.slice)
    columns = [
        TableColumn(heading="metric"),
        *([TableColumn(heading="slice")] if has_slices else []),
        TableColumn(heading=result.baseline, kind="count", spare=2),
        TableColumn(heading=result.candidate, kind="count", spare=2),
        TableColumn(heading="difference", kind="count"),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="count"),
        TableColumn(heading="margin", kind="count"),
        TableColumn(heading="CI and margin", kind="code", spare=1, in_paper=False),
        TableColumn(heading="verdict"),
    ]
    return Table(
        title=f"Gate: {result.candidate} against {result.baseline}",
        columns=tuple(columns),
        rows=tuple(_row(row, gate_digits(result, row.metric), has_slices=has_slices) for row in result),
        verdict=gate_sentences(result),
        words=_words(result),
        legend=f"CI and margin: {_EFFECT} difference, {_INTERVAL} interval, {_ZERO} no difference, {_EDGE} margin; "
        "to the right the candidate is better."
        + (_BATTLES if result[0].unit == "battles" else "")
        + (_SLICES if has_slices else ""),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def gate_digits(result: Gate, metric: str) -> int:
    """Return the decimals of differences of a metric and their intervals."""
    rows = [row for row in result if row.metric == metric]
    widths = [(row.high - row.low) / 2 for row in rows]
    return digits_for(widths, [*(row.effect for row in rows), *(row.margin for row in rows)])


def _row(row: GateRow, digits: int, *, has_slices: bool) -> tuple[TableCell, ...]:
    return (
        row.metric,
        *([row.slice or "all"] if has_slices else []),
        number(row.baseline_score, digits),
        number(row.candidate_score, digits),
        number(row.effect, digits),
        interval(row.low, row.high, digits),
        f"{row.margin:g}",
        picture(row),
        row.verdict,
    )


def picture(row: GateRow) -> str:
    """Return the interval of a row as signs: 0 in the middle, a margin to either side, signs at the ends for more.

    Examples
    --------
    >>> import betterthan as bt
    >>> print(picture(bt.gate([0, 1, 1, 0, 1] * 60, [0, 1, 1, 0, 1] * 59 + [0, 1, 0, 1, 1], margin=0.05)[0]))
            ┊  ━●━  ┊
    """
    half = _CELLS * _MARGINS
    signs = [" "] * (2 * half + 1)
    size = row.margin or max(abs(row.low), abs(row.high), 1e-300) / 2
    for margin in (-row.margin, row.margin):
        signs[half + round(margin / size) * _CELLS] = _EDGE
    signs[half] = _ZERO
    if math.isnan(row.low) or math.isnan(row.high):
        return "".join(signs).rstrip()
    low, middle, high = (round(value / size * _CELLS) + half for value in (row.low, row.effect, row.high))
    for place in range(max(low, 0), min(high, 2 * half) + 1):
        signs[place] = _INTERVAL if signs[place] == " " else _CROSSED
    if low < 0:
        signs[0] = _BEYOND[0]
    if high > 2 * half:
        signs[-1] = _BEYOND[1]
    if 0 <= middle <= 2 * half:
        signs[middle] = _EFFECT
    return "".join(signs).rstrip()


def gate_sentences(result: Gate) -> tuple[str, ...]:
    """Return the answer in words: the verdict, why, and what would decide an undecided row."""
    if len(result) == 1:
        shown = _SHOWN[result.verdict]
        return (f"{shown}: {row_sentence(result, 0)}.", *_deciding(result, 0), *_counted(result))
    if sum(result.is_required) == 1 and "fail" not in result.verdicts:
        n = len(result) - 1
        none = "the slice does not fail" if n == 1 else f"none of {n} slices fails"
        said = f"{_SHOWN[result.verdict]}: {row_sentence(result, 0)}; {none}."
        return (said, *_deciding(result, 0), *_counted(result))
    lines = [f"{_SHOWN[result.verdict]}: {summary(result)}."]
    for i in [*failing_rows(result), *open_rows(result)][:_SHOWN_ITEMS]:
        lines.append(f"{row_name(result[i])}: {row_sentence(result, i)}.")
        lines += _deciding(result, i)
    return (*lines, *_counted(result))


_SHOWN = {
    "better": "Better",
    "equivalent": "Equivalent",
    "pass": "Pass",
    "fail": "Fail",
    "undecided": "Undecided",
}
_BATTLES = " Difference: how far the candidate's probability of a win is from 0.5."
_SLICES = " Slices need not be shown to be within the margin; none may fail."


def failing_rows(result: Gate) -> list[int]:
    """Return the rows that fail."""
    return [i for i, verdict in enumerate(result.verdicts) if verdict == "fail"]


def open_rows(result: Gate) -> list[int]:
    """Return the metrics that are undecided; slices need not be decided."""
    return [
        i for i, verdict in enumerate(result.verdicts) if verdict == "undecided" and result.is_required[i]
    ]


def row_name(row: GateRow) -> str:
    """Return what a row is about: the metric, and the slice where it is one."""
    return f"{row.metric}, {row.slice}" if row.slice else row.metric


def summary(result: Gate) -> str:
    """Return the verdict on several rows in words, without a full stop."""
    required = [row for row in result if row.is_required]
    slices = [row for row in result if not row.is_required]
    failed = failing_rows(result)
    opened = sum(row.verdict == "undecided" for row in required)
    if failed:
        return f"{result.candidate} is worse than {result.baseline} on {_failures(result)}"
    a, b, n = result.candidate, result.baseline, len(required)
    none = f", and none of {len(slices)} slices fails" if slices else ""
    if opened:
        return f"{a} may be worse than {b} by more than the margin on {opened} of {n} metrics{none}"
    if result.verdict == "better":
        return f"{a} is significantly better than {b} on all {n} metrics{none}"
    return f"{a} is not worse than {b} by more than the margin on any of {n} metrics{none}"


def _failures(result: Gate) -> str:
    """Return how many metrics and slices fail, in words."""
    parts = []
    for noun, is_required in (("metric", True), ("slice", False)):
        rows = [row for row in result if row.is_required == is_required]
        failed = sum(row.verdict == "fail" for row in rows)
        if failed:
            parts.append(f"the {noun}" if len(rows) == 1 else f"{failed} of {len(rows)} {noun}s")
    return " and ".join(parts)


def row_sentence(result: Gate, i: int) -> str:
    """Return what is shown of one row, without a full stop."""
    row = result[i]
    digits = gate_digits(result, row.metric)
    a, b, margin = result.candidate, result.baseline, f"{row.margin:g}"
    said = {
        "better": f"{a} is significantly better than {b}",
        "equivalent": f"{a} and {b} differ by less than {margin}",
        "pass": f"{a} is not worse than {b} by more than {margin}",
        "fail": f"{a} is worse than {b} by more than {margin}"
        if row.high < -row.margin
        else f"{a} is significantly worse than {b}, and may be so by more than {margin}",
        "undecided": f"{a} may be worse than {b} by more than {margin}",
    }[row.verdict]
    if row.verdict in ("equivalent", "pass") and row.high < 0:
        said = f"{a} is worse than {b}, but by less than {margin}"
    p = row.adjusted if len(result) > 1 else row.pvalue
    how = f", {equals_p(p)}" if row.verdict in ("better", "fail") and not math.isnan(p) else ""
    limits = interval(row.low, row.high, digits)
    return (
        f"{said} (difference {number(row.effect, digits)}, {percent(result.confidence)} CI {limits}{how}, "
        f"{row.n_units:,} {row.unit})"
    )


def _deciding(result: Gate, i: int) -> tuple[str, ...]:
    row = result[i]
    if math.isnan(row.needed):
        return ()
    effect = number(row.effect, gate_digits(result, row.metric))
    if math.isinf(row.needed):
        start = f"No number of {row.unit} decides if the difference stays at {effect}"
    else:
        more = max(row.needed - row.n_units, 1.0)
        start = (
            f"About {rounded(more)} more {row.unit} decide with a power of {percent(result.power)} if the difference "
            f"stays at {effect}"
        )
    if math.isinf(row.needed_if_equal) or row.needed_if_equal <= row.n_units:
        return (f"{start}.",)
    return (f"{start}, about {rounded(row.needed_if_equal - row.n_units)} more if the two are equally good.",)


def _counted(result: Gate) -> tuple[str, ...]:
    if result.verdict != "undecided" or not result.undecided:
        return ()
    return (f"An undecided gate counts as a {'pass' if result.undecided == 'pass' else 'failure'} here.",)


def _words(result: Gate) -> tuple[str, ...]:
    stopping = [row.metric for row in result if row.verdict not in PASSING and row.is_required]
    metric = stopping[0] if stopping else result.metric[0]
    shown = [item for item in result.worst if item.metric == metric][:_SHOWN_ITEMS]
    if not shown:
        return ()
    digits = min(3, max(digits_for([], [abs(item.loss) for item in shown]), 0))
    parts = [
        f"{_cut(item.item)} ({without_zeros(item.baseline_score, digits)} to "
        f"{without_zeros(item.candidate_score, digits)})"
        for item in shown
    ]
    of = f" by {metric}" if len({*result.metric}) > 1 else ""
    return (f"Largest losses{of}: {', '.join(parts)}.",)


def _cut(name: str) -> str:
    return name if len(name) <= _SHOWN_LENGTH else f"{name[: _SHOWN_LENGTH - 1]}…"


def without_zeros(value: float, digits: int) -> str:
    """Return a score without needless zeros."""
    text = number(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text
