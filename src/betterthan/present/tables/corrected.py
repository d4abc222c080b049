"""Corrected means as a table: one system per row, with the judge and the labels alone beside it."""

from __future__ import annotations

import numpy as np

from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import best_sentence, rank_range
from betterthan.results.corrected import Corrected
from betterthan.results.pvalues import equals_p
from betterthan.results.units import unit_line


def corrected_table(result: Corrected) -> Table:
    """Return the corrected means, best first, and what they were made from."""
    digits = digits_for((result.high - result.low) / 2, result.mean)
    level = percent(result.confidence)
    columns = [
        TableColumn(heading="rank", kind="integer"),
        TableColumn(heading="rank range", kind="count"),
        TableColumn(heading="system"),
        TableColumn(heading="corrected", kind="number", digits=digits),
        TableColumn(heading=f"{level} CI", kind="interval", digits=digits),
        TableColumn(heading="judge", kind="number", digits=_judge_digits(result), spare=2),
        TableColumn(heading="labels alone", kind="number", digits=digits, spare=3),
        TableColumn(heading=f"{level} CI", kind="interval", digits=digits, spare=4),
        TableColumn(heading="labels", kind="integer"),
        TableColumn(heading="effective", kind="integer", spare=1),
    ]
    return Table(
        title=_title(result),
        columns=tuple(columns),
        rows=tuple(_row(result, i) for i in range(len(result))),
        rules=frozenset(i for i, c in enumerate(result.cluster[:-1]) if result.cluster[i + 1] != c),
        bold=frozenset((i, 2) for i, rank in enumerate(result.rank) if rank == 1),
        verdict=sentences(result),
        unit=unit_line(result.unit_note, result.units),
        words=_words(result),
        legend="Effective: how many labels would give as short an interval without the judge; "
        + ("rules separate significance clusters." if len(result) > 1 else "the judge is on its own scale."),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _judge_digits(result: Corrected) -> int:
    """As many decimals as show the differences between systems."""
    spread = float(np.ptp(result.judge))
    return digits_for([spread / 10], result.judge)


def _title(result: Corrected) -> str:
    direction = "higher" if result.higher_is_better else "lower"
    return f"{result.metric}, {direction} is better: {result.judge_metric} corrected by human labels"


def _row(result: Corrected, i: int) -> tuple[TableCell, ...]:
    row = result[i]
    effective = None if np.isnan(row.effective_labels) else round(row.effective_labels)
    return (
        row.rank,
        rank_range(row.rank_low, row.rank_high),
        row.system,
        row.mean,
        (row.low, row.high),
        row.judge,
        row.human,
        (row.human_low, row.human_high),
        row.labels,
        effective,
    )


def sentences(result: Corrected) -> tuple[str, ...]:
    """Return the answer: which system is best, or how two systems differ."""
    if len(result) == 2:
        return (_difference(result),)
    if len(result) > 2:
        how = f"t test, Holm-adjusted for {len(result.pairs()):,} pairs"
        return (best_sentence(result, 1 - result.confidence, how),)
    row = result[0]
    digits = digits_for([(row.high - row.low) / 2], [row.mean])
    reach = interval(row.low, row.high, digits)
    return (
        f"The mean of {row.system} is {number(row.mean, digits)} ({percent(result.confidence)} CI {reach}).",
    )


def _difference(result: Corrected) -> str:
    """Compare two systems in words."""
    pair = result.pairs()[0]
    digits = digits_for([(pair.high - pair.low) / 2], [pair.difference])
    if pair.difference < 0:
        first, second, size, low, high = pair.b, pair.a, -pair.difference, -pair.high, -pair.low
    else:
        first, second, size, low, high = pair.a, pair.b, pair.difference, pair.low, pair.high
    reach = f"{percent(result.confidence)} CI {interval(low, high, digits)}"
    text = f"{first} scores {number(size, digits)} higher than {second} ({reach}, {equals_p(pair.pvalue)}, t test)"
    return f"{text}." if pair.verdict else f"{text}; the difference is not significant."


def _words(result: Corrected) -> tuple[str, ...]:
    """Say how the judge alone would have ranked, and how many labels it saves."""
    lines = []
    sign = 1.0 if result.higher_is_better else -1.0
    by_judge = sign * np.sign(result.slope.mean()) * result.judge
    if len(result) > 1 and not np.isnan(by_judge).any():
        first = result.systems[int(np.argmax(by_judge))]
        if first != result.systems[0]:
            lines.append(f"The judge alone would put {first} first.")
    # The verdict of a comparison is a label of both systems.
    times = 2 if result.are_battles else 1
    total, effective = int(result.labels.sum()) // times, float(np.nansum(result.effective_labels)) / times
    lines.append(
        f"{total:,} labels with the judge are as precise as {effective:,.0f} labels without it"
        f"{' for the means of single systems' if len(result) > 1 else ''}."
    )
    return tuple(lines)
