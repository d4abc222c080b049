"""What a file holds as a table: a checkup with its preview; a diagnosis, one measure per row, then what it means."""

from __future__ import annotations

from betterthan.messages import joined
from betterthan.present.numbers import number, percent
from betterthan.present.table import Table, TableColumn
from betterthan.results.checkup import Checkup, Diagnosis

MOST_LINES = 20  # of contents; a file of many metrics and languages has hundreds


def checkup_table(result: Checkup) -> Table:
    """Return contents, account and verdict, the preview in canonical columns, and the problems below it."""
    dropped = "; ".join(f"{count:,} dropped: {reason}" for reason, count in result.dropped.items())
    account = f"{result.rows_kept:,} of {result.rows_read:,} rows kept{f' ({dropped})' if dropped else ''}"
    problems = [
        line
        for p in result.problems
        for line in (f"{p.code} {p.title} · {p.place}", joined(["  ", p.message], ""))
    ]
    return Table(
        title=f"{result.file}: {result.format} ({result.because})",
        columns=tuple(TableColumn(heading=name) for name in result.preview_columns),
        rows=result.preview,
        verdict=(*_folded(result.contents), *([account] if result.rows_read else []), _verdict(result)),
        words=tuple(problems),
        notes=result.notes,
    )


def _folded(contents: tuple[str, ...]) -> tuple[str, ...]:
    if len(contents) <= MOST_LINES:
        return contents
    rest = len(contents) - MOST_LINES
    return (*contents[:MOST_LINES], f"… and {rest:,} more; -f json lists them all")


def _verdict(result: Checkup) -> str:
    n_warnings = sum(problem.is_doubt for problem in result.problems)
    n_faults = len(result.problems) - n_warnings
    parts = [
        f"{n} {what}{'' if n == 1 else 's'}"
        for n, what in ((n_faults, "problem"), (n_warnings, "warning"))
        if n
    ]
    return " and ".join(parts) + ", see below" if parts else "no problems found"


def diagnosis_table(result: Diagnosis) -> Table:
    """Return the measures with their values, and the sentences below."""
    digits = 2 if result.system_spread < 100 else 0
    rows = (
        ("missing scores", _share(result.missing_share)),
        ("outliers among scores (1.5 IQR)", _share(result.outlier_share)),
        ("outliers among differences", _share(result.difference_outlier_share)),
        ("ties", _share(result.tie_share)),
        ("correlation between systems", number(result.pairing, 2)),
        ("Kendall's tau-b between systems", number(result.mean_kendall, 2)),
        ("noise removed by pairing", _share(result.variance_removed)),
        ("spread of systems on a segment", number(result.system_spread, digits)),
        ("spread of segments (difficulty)", number(result.segment_spread, digits)),
        ("spread of a system's rank", number(result.rank_spread, 2)),
        ("cycles of three systems", f"{result.count('cycle')} of {result.n_triples}"),
        ("cycles expected by chance", number(result.expected_cycles, 1)),
        ("pairs that a third system flips", str(result.count("flips"))),
        ("pairs that a third system levels", str(result.count("levels"))),
    )
    return Table(
        title=f"Diagnosis of {result.metric}{', lower is better' if result.lower_is_better else ''}",
        columns=(TableColumn(heading="measure"), TableColumn(heading="value", kind="number")),
        rows=rows,
        words=result.sentences,
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _share(value: float) -> str:
    return "–" if value != value else percent(round(value, 3)).replace("-", "−")  # noqa: PLR0124  (NaN is not equal to itself)
