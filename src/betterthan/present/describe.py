"""From a result to the one table that shows it: a case for each kind."""

from __future__ import annotations

from functools import singledispatch

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Column, Table
from betterthan.results.base import Result
from betterthan.results.checkup import Checkup
from betterthan.results.ranking import Ranking


@singledispatch
def describe(result: Result) -> Table:
    """Return the :class:`Table` that shows `result`."""
    raise TypeError(f"No table is known for {type(result).__name__}.")


@describe.register
def _ranking(result: Ranking) -> Table:
    digits = digits_for((result.high - result.low) / 2, result.strength)
    covers = percent(result.confidence)
    columns = (
        Column(heading="rank", kind="integer"),
        Column(heading="system"),
        Column(heading=result.settings.method.replace("_", " "), kind="number", digits=digits),
        Column(heading=covers, kind="interval", digits=digits),
    )
    ends = zip(result.low.tolist(), result.high.tolist(), strict=True)
    rows = zip(result.rank.tolist(), result.systems, result.strength.tolist(), ends, strict=True)
    return Table(
        title=f"Ranking by {result.settings.method.replace('_', ' ')} of {result.unit}",
        columns=columns,
        rows=tuple(rows),
        bold=frozenset({(0, 1)}),
        notes=result.notes,
        signature=result.settings.signature,
    )


@describe.register
def _checkup(result: Checkup) -> Table:
    dropped = "; ".join(f"{count:,} dropped: {reason}" for reason, count in result.dropped.items())
    account = f"{result.rows_kept:,} of {result.rows_read:,} rows kept{f' ({dropped})' if dropped else ''}"
    problems = [
        line for p in result.problems for line in (f"{p.code} {p.title} · {p.place}", f"  {p.message}")
    ]
    return Table(
        title=f"{result.file}: {result.format} ({result.because})",
        columns=tuple(Column(heading=name) for name in result.preview_columns),
        rows=result.preview,
        words=(*result.contents, *([account] if result.rows_read else []), _verdict(result), *problems),
        notes=result.notes,
    )


def _verdict(result: Checkup) -> str:
    doubts = sum(problem.is_doubt for problem in result.problems)
    faults = len(result.problems) - doubts
    parts = [
        f"{n} {what}{'' if n == 1 else 's'}" for n, what in ((faults, "problem"), (doubts, "doubt")) if n
    ]
    return " and ".join(parts) + ":" if parts else "no problems found"
