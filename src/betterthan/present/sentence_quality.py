"""Predicted quality of sentences as a table: a system a row, and the constant that knows nothing."""

from __future__ import annotations

import numpy as np

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Cell, Column, Table
from betterthan.results.sentence_quality import SentenceQuality
from betterthan.results.units import with_unit_first, without_unit


def sentence_quality_table(result: SentenceQuality) -> Table:
    """Return systems by Pearson's correlation, with the errors of a constant prediction below them."""
    widths = (result.high - result.low) / 2
    digits = [digits_for(widths[:, i].tolist()) for i in range(4)]
    columns = (
        Column(heading="system"),
        Column(heading="Pearson", kind="number", digits=digits[0]),
        Column(heading=percent(result.confidence), kind="interval", digits=digits[0]),
        Column(heading="letters"),
        Column(heading="Spearman", kind="number", digits=digits[1]),
        Column(heading="MAE", kind="number", digits=digits[2]),
        Column(heading="RMSE", kind="number", digits=digits[3]),
    )
    rows = [_row(result, i) for i in range(len(result.systems))]
    nothing = float("nan")
    constant: tuple[Cell, ...] = (
        *("[mean of the truth]", nothing, (nothing, nothing), "", nothing),
        *(result.constant_mae, result.constant_rmse),
    )
    p = result.pvalue
    told = int(np.count_nonzero(np.triu(_apart(result), 1)))
    pairs = len(p) * (len(p) - 1) // 2
    tested = (
        f"{told} of {pairs} pairs differ significantly ({test_name(result)}, Holm-adjusted, level {result.alpha:g}).",
    )
    return Table(
        title=f"Predicted quality of {result.settings.n_segments:,} sentences",
        columns=columns,
        rows=(*rows, constant),
        rules=frozenset({len(rows) - 1}),
        words=with_unit_first(
            (*(tested if pairs else ()), *result.sentences),
            result.unit_note,
            result.settings.options["units"],
        ),
        notes=without_unit(result.notes, result.unit_note, result.settings.options["units"]),
        signature=result.settings.signature,
    )


def test_name(result: SentenceQuality) -> str:
    """Return the test that decides whether two correlations differ."""
    return "Williams' test" if "williams" in str(result.settings.options["test"]) else "jackknife test"


def _row(result: SentenceQuality, i: int) -> tuple[Cell, ...]:
    return (
        result.systems[i],
        float(result.pearson[i]),
        (float(result.low[i, 0]), float(result.high[i, 0])),
        result.letters[i],
        float(result.spearman[i]),
        float(result.mae[i]),
        float(result.rmse[i]),
    )


def _apart(result: SentenceQuality) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    shared = [[bool(set(a) & set(b)) for b in result.letters] for a in result.letters]
    return ~np.array(shared, dtype=np.bool_)
