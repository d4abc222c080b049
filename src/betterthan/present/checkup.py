"""A checkup as a table: a preview, then what was found and what is wrong."""

from __future__ import annotations

from betterthan.present.table import Column, Table
from betterthan.results.checkup import Checkup

MOST_LINES = 20  # of contents; a file of many metrics and languages has hundreds


def checkup_table(result: Checkup) -> Table:
    """Return the preview in canonical columns, with contents, account, verdict and problems below it."""
    dropped = "; ".join(f"{count:,} dropped: {reason}" for reason, count in result.dropped.items())
    account = f"{result.rows_kept:,} of {result.rows_read:,} rows kept{f' ({dropped})' if dropped else ''}"
    problems = [
        line for p in result.problems for line in (f"{p.code} {p.title} · {p.place}", f"  {p.message}")
    ]
    return Table(
        title=f"{result.file}: {result.format} ({result.because})",
        columns=tuple(Column(heading=name) for name in result.preview_columns),
        rows=result.preview,
        words=(
            *_folded(result.contents),
            *([account] if result.rows_read else []),
            _verdict(result),
            *problems,
        ),
        notes=result.notes,
    )


def _folded(contents: tuple[str, ...]) -> tuple[str, ...]:
    if len(contents) <= MOST_LINES:
        return contents
    rest = len(contents) - MOST_LINES
    return (*contents[:MOST_LINES], f"… and {rest:,} more; -f json names them all")


def _verdict(result: Checkup) -> str:
    doubts = sum(problem.is_doubt for problem in result.problems)
    faults = len(result.problems) - doubts
    parts = [
        f"{n} {what}{'' if n == 1 else 's'}" for n, what in ((faults, "problem"), (doubts, "doubt")) if n
    ]
    return " and ".join(parts) + ":" if parts else "no problems found"
