"""Decisions as tables: differences of a plan, metrics and slices of a gate against their margins, pairs of a watch."""

from __future__ import annotations

import math

from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.decisions import PASSING, Gate, GateRow, Plan, Watch, WatchedPair
from betterthan.results.pairwise import equals_p

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
        title=_plan_title(result),
        columns=tuple(columns),
        rows=tuple(_plan_row(result, i) for i in range(len(result))),
        verdict=plan_sentences(result),
        words=_plan_words(result),
        legend=_plan_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def heading(result: Plan) -> str:
    """Return what the differences are called: of battles the probability of a win."""
    return "win probability" if result.comparison == "battles" else "difference"


def shown(result: Plan | Watch, difference: float) -> float:
    """Return a difference as it is shown: of battles the probability of a win."""
    return 0.5 + difference if result.comparison == "battles" else difference


def difference_digits(result: Plan) -> int:
    """Return the decimals of the differences."""
    if result.pair:  # an observed difference has as many decimals as it has
        return max(digits_for([each]) for each in result.difference.tolist())
    return max(_decimals(shown(result, each)) for each in result.difference.tolist())


def _decimals(value: float) -> int:
    """Return the decimals of a number as people write it, such as 2 for 0.05."""
    return len(f"{value:.4f}".rstrip("0").partition(".")[2]) if value >= 1e-4 else digits_for([value])


def _plan_row(result: Plan, i: int) -> tuple[TableCell, ...]:
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


def _plan_title(result: Plan) -> str:
    if result.pilot_number is None:
        return f"Plan for {result.comparison}"
    pair = f", {' and '.join(result.pair)}" if result.pair else ""
    measured = "" if result.measured == result.unit else f": {result.measured}"
    return f"Plan from a pilot of {result.pilot_number:,} {result.unit}{measured}{pair}"


def plan_sentences(result: Plan) -> tuple[str, ...]:
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


def _plan_words(result: Plan) -> tuple[str, ...]:
    parts = [_assumption(name, value) for name, value in result.assumptions.items()]
    source = "Estimated from the pilot" if result.has_pilot else "Assumed"
    return (f"{source}: {'; '.join(parts)}.",)


def _assumption(name: str, value: float) -> str:
    text = _NAMES[name]
    return text.replace("{:%}", f"{100 * value:.3g}%") if "{:%}" in text else text.format(value)


def _plan_legend(result: Plan) -> str:
    parts = []
    if result.has_pilot:
        parts.append("Range: from the uncertainty of the variance in the pilot")
    if result.comparison == "battles":
        parts.append("a tie counts as half a win; battles of all systems together")
    if not parts:
        return ""
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


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
        rows=tuple(_gate_row(row, gate_digits(result, row.metric), has_slices=has_slices) for row in result),
        verdict=gate_sentences(result),
        words=_worst_words(result),
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


def _gate_row(row: GateRow, digits: int, *, has_slices: bool) -> tuple[TableCell, ...]:
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


def _worst_words(result: Gate) -> tuple[str, ...]:
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


_LARGEST_E = 1e6
_MOST_SENTENCES = 3
_FEWEST = 5
"""Units with which there is a forecast."""


def watch_table(result: Watch) -> Table:
    """Return the pairs with their evidence, those that are decided and those with the most evidence first."""
    rows = sorted(result, key=lambda row: (-row.adjusted_log_e, row.a, row.b))
    widths = [(row.high - row.low) / 2 for row in rows]
    sizes = [abs(row.difference) for row in rows]
    digits = digits_for(widths if any(map(math.isfinite, widths)) else sizes, sizes)
    is_gate = result.has_margin
    columns = [
        TableColumn(heading="candidate" if is_gate else "system"),
        TableColumn(heading="baseline" if is_gate else "compared with"),
        TableColumn(heading=result.unit, kind="integer"),
        TableColumn(heading=_effect(result), kind="number", digits=digits),
        TableColumn(
            heading=f"{percent(1 - result.alpha)} CI, any look", kind="interval", digits=digits, spare=1
        ),
        TableColumn(heading="e-value" if len(rows) == 1 else "e adjusted", kind="count"),
        TableColumn(heading="verdict"),
        TableColumn(heading="more needed", kind="count", spare=2 if result.top else 0),
    ]
    if result.top:
        columns.append(TableColumn(heading="next battles", kind="integer"))
    return Table(
        title=_watch_title(result),
        columns=tuple(columns),
        rows=tuple(_watch_row(result, row) for row in rows),
        verdict=watch_sentences(result),
        words=(*_next(result), _null(result)),
        legend=_watch_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _watch_row(result: Watch, row: WatchedPair) -> tuple[TableCell, ...]:
    if row.difference < 0 and not result.has_margin:
        a, b, sign = row.b, row.a, -1.0
    else:
        a, b, sign = row.a, row.b, 1.0
    ends = sorted((shown(result, sign * row.low), shown(result, sign * row.high)))
    interval: TableCell = (ends[0], ends[1]) if all(map(math.isfinite, ends)) else None
    log_e = row.adjusted_log_e if len(result) > 1 else row.log_e
    verdict = row.verdict or "undecided"
    more = "–" if row.verdict else _more(row)
    cells = (
        a,
        b,
        row.n,
        shown(result, sign * row.difference),
        interval,
        e_value(log_e),
        verdict,
        more,
    )
    return (*cells, row.ask or None) if result.top else cells


def _effect(result: Watch) -> str:
    return "P(win)" if result.comparison == "battles" else "difference"


def e_value(log_e: float) -> str:
    """Return an e-value from its logarithm, with about three digits.

    Examples
    --------
    >>> e_value(0.0), e_value(3.5), e_value(7.0), e_value(100.0), e_value(-3.0)
    ('1.00', '33.1', '1,097', '>1,000,000', '0.05')
    """
    if log_e > math.log(_LARGEST_E):
        return f">{_LARGEST_E:,.0f}"
    value = math.exp(log_e)
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _more(row: WatchedPair) -> str:
    if math.isinf(row.more):
        return "no end in sight" if row.n >= _FEWEST else "too few to say"
    ends = f"{rounded(row.more_low)} to {rounded(row.more_high)}"
    if math.isinf(row.more_high):
        ends = f"{rounded(row.more_low)} or more"
    return f"{rounded(row.more)} ({ends})"


def _needed(result: Watch, row: WatchedPair) -> str:
    unit = result.unit.removesuffix("s") if rounded(row.more) == "1" else result.unit
    high = f"to {rounded(row.more_high)}" if math.isfinite(row.more_high) else "or more"
    verb = "is" if rounded(row.more) == "1" else "are"
    return f"About {rounded(row.more)} more {unit} {verb} needed (80% range: {rounded(row.more_low)} {high})."


def counted_units(result: Watch) -> str:
    """Return what a curve over all pairs counts: judges vote on several pairs, and count once for each."""
    return f"{result.unit}, once for each pair" if _counts_by_pair(result) else result.unit


def _counts_by_pair(result: Watch) -> bool:
    return result.comparison == "battles" and result.unit != "battles" and len(result) > 1


def _watch_title(result: Watch) -> str:
    measured = f": {result.measured}" if result.measured else ""
    if _counts_by_pair(result):
        most = max(row.n for row in result)
        return f"Watch of {len(result.systems):,} systems, {len(result):,} pairs with up to {most:,} {result.unit} each"
    unit = result.unit if result.n_units != 1 else result.unit.removesuffix("s")
    return f"Watch of {len(result.systems):,} systems over {result.n_units:,} {unit}{measured}"


def watch_sentences(result: Watch) -> tuple[str, ...]:
    """Return whether the data are enough, and what is decided or how many more units would be enough."""
    if len(result) == 1:
        return (_of_one(result, result[0]),)
    left = len(result) - result.n_decided
    if not left:
        return (f"Enough: all {len(result):,} pairs are decided.",)
    start = f"Not enough: {result.n_decided:,} of {len(result):,} pairs are decided."
    nearest = sorted((row for row in result if not row.verdict), key=lambda row: row.more)
    soon = [row for row in nearest if math.isfinite(row.more)][:_MOST_SENTENCES]
    if not soon:
        return (start, "No end is in sight for the others.")
    listed = "; ".join(f"{row.a} and {row.b}, about {rounded(row.more)} more" for row in soon)
    return (start, f"Next to be decided: {listed} {result.unit}.")


def _of_one(result: Watch, row: WatchedPair) -> str:
    evidence = f"e-value {e_value(row.log_e)}, {1 / result.alpha:.4g} needed"
    if not row.verdict:
        unit = result.unit if row.n != 1 else result.unit.removesuffix("s")
        start = f"Not enough after {row.n:,} {unit} ({evidence})"
        if math.isinf(row.more):
            return f"{start}, and no end is in sight." if row.n >= _FEWEST else f"{start}."
        return f"{start}. {_needed(result, row)}"
    digits = digits_for([(row.high - row.low) / 2], [row.difference])
    ends = [number(shown(result, each), digits) for each in (row.low, row.high)]
    limits = f"{percent(1 - result.alpha)} CI at any look {ends[0]} to {ends[1]}"
    reached = "" if row.log_e >= -math.log(result.alpha) else f"; reached after {row.decided_at:,}"
    if result.has_margin:
        than = "not worse" if row.verdict == "not worse" else "worse"
        return (
            f"Enough: {row.a} is {than} than {row.b} by more than {result.margin:g} "
            f"({limits}; {evidence}{reached}), after {row.n:,} {result.unit}."
        )
    other = row.b if row.verdict == row.a else row.a
    if row.verdict != row.a:
        ends = [number(shown(result, -each), digits) for each in (row.high, row.low)]
        limits = f"{percent(1 - result.alpha)} CI at any look {ends[0]} to {ends[1]}"
    value = number(shown(result, row.difference if row.verdict == row.a else -row.difference), digits)
    if result.comparison == "battles":
        effect = f"{row.verdict} beats {other} with probability {value}"
    else:
        effect = f"{row.verdict} is better than {other} by {value}"
    return f"Enough: {effect} ({limits}; {evidence}{reached}), after {row.n:,} {result.unit}."


def _next(result: Watch) -> tuple[str, ...]:
    """Return the best systems so far, and which pairs to ask next."""
    if not result.top:
        return ()
    rows = sorted((row for row in result if row.ask), key=lambda row: (-row.ask, row.a, row.b))
    listed = ", ".join(f"{row.ask:,} of {row.a} and {row.b}" for row in rows[:_MOST_SENTENCES])
    rest = sum(row.ask for row in rows[_MOST_SENTENCES:])
    others = f", {rest:,} of other pairs" if rest else ""
    best = (
        f"Best {len(result.top):,} so far: {', '.join(result.top)}"
        if len(result.top) > 1
        else f"Best so far: {result.top[0]}"
    )
    misplaced = (
        f"expected number of pairs of systems in the wrong order across this cut: {result.misplaced:.2f}"
    )
    return (f"{best}; {misplaced}.", f"Next {int(result.ask.sum()):,} battles: {listed}{others}.")


def _null(result: Watch) -> str:
    if not result.has_margin:
        tested = "equal means"
    else:
        tested = f"a candidate whose mean is {result.margin:g} worse than that of the baseline"
    if result.null == "mean":
        return f"Null hypothesis: {tested}, whatever the distribution."
    return f"Null hypothesis: {tested}, with symmetric differences."


def _watch_legend(result: Watch) -> str:
    parts = []
    if len(result) > 1:
        parts.append(f"e adjusted: for {len(result):,} pairs; {1 / result.alpha:.4g} decides")
    if result.comparison == "battles":
        parts.append("a tie counts as half a win")
    if not all(math.isfinite(row.low) and math.isfinite(row.high) for row in result):
        parts.append("–: no finite interval yet")
    if any(not verdict for verdict in result.verdict):
        parts.append(
            f"more needed: about how many {result.unit} of the pair, if like those so far (80% range)"
        )
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""
