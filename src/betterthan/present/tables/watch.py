"""A watch as a table: one pair per row, with its evidence and whether it is enough."""

from __future__ import annotations

import math

from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.plan import rounded
from betterthan.results.watch import Watch, WatchedPair

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
        title=_title(result),
        columns=tuple(columns),
        rows=tuple(_row(result, row) for row in rows),
        verdict=sentences(result),
        words=(*_next(result), _null(result)),
        legend=_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _row(result: Watch, row: WatchedPair) -> tuple[TableCell, ...]:
    if row.difference < 0 and not result.has_margin:
        a, b, sign = row.b, row.a, -1.0
    else:
        a, b, sign = row.a, row.b, 1.0
    ends = sorted((shown(result, sign * row.low), shown(result, sign * row.high)))
    interval: TableCell = (ends[0], ends[1]) if all(map(math.isfinite, ends)) else None
    log_e = row.adjusted_log_e if len(result) > 1 else row.log_e
    verdict = row.verdict or "undecided"
    more = "–" if row.verdict else _more(row)
    cells = (a, b, row.n, shown(result, sign * row.difference), interval, e_value(log_e), verdict, more)
    return (*cells, row.ask or None) if result.top else cells


def shown(result: Watch, difference: float) -> float:
    """Return a difference as it is shown: of battles the probability of a win."""
    return 0.5 + difference if result.comparison == "battles" else difference


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


def _title(result: Watch) -> str:
    measured = f": {result.measured}" if result.measured else ""
    if _counts_by_pair(result):
        most = max(row.n for row in result)
        return f"Watch of {len(result.systems):,} systems, {len(result):,} pairs with up to {most:,} {result.unit} each"
    unit = result.unit if result.n_units != 1 else result.unit.removesuffix("s")
    return f"Watch of {len(result.systems):,} systems over {result.n_units:,} {unit}{measured}"


def sentences(result: Watch) -> tuple[str, ...]:
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


def _legend(result: Watch) -> str:
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
