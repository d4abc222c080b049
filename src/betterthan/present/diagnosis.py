"""A diagnosis as a table: a measure a row, then what it means."""

from __future__ import annotations

from betterthan.present.numbers import number, percent
from betterthan.present.table import Column, Table
from betterthan.results.diagnosis import Diagnosis


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
        ("circles of three systems", f"{result.count('cycle')} of {result.n_triples}"),
        ("circles expected by chance", number(result.expected_cycles, 1)),
        ("pairs that a third system flips", str(result.count("flips"))),
        ("pairs that a third system levels", str(result.count("levels"))),
    )
    return Table(
        title=f"Diagnosis of {result.metric}{', lower is better' if result.lower_is_better else ''}",
        columns=(Column(heading="measure"), Column(heading="value", kind="number")),
        rows=rows,
        words=result.sentences,
        notes=result.notes,
        signature=result.settings.signature,
    )


def _share(value: float) -> str:
    return "–" if value != value else percent(round(value, 3)).replace("-", "−")  # noqa: PLR0124  (NaN is not equal to itself)
