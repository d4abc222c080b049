"""Judges as a table: a judge a row."""

from __future__ import annotations

from betterthan.present.numbers import digits_for
from betterthan.present.table import Cell, Column, Table
from betterthan.results.judges import Judges


def judges_table(result: Judges) -> Table:
    """Return each judge beside the others; columns about controls and repeats only where there are any."""
    shown = _columns(result)
    cells = [column for _, column in shown]
    return Table(
        title=f"Judges of {result.metric}",
        columns=tuple(heading for heading, _ in shown),
        rows=tuple(zip(*cells, strict=True)),
        bold=frozenset((i, len(shown) - 1) for i, stays in enumerate(result.keep) if not stays),
        words=result.sentences,
        notes=result.notes,
        signature=result.settings.signature,
    )


def _columns(result: Judges) -> list[tuple[Column, list[Cell]]]:
    digits = min(digits_for([], result.deviation), 2)
    columns: list[tuple[Column, list[Cell]]] = [
        (Column(heading="judge"), list(result.judges)),
        (Column(heading="judgements", kind="integer"), result.n_judgements.tolist()),
        (Column(heading="mean", kind="number", digits=digits), result.mean.tolist()),
        (Column(heading="sd", kind="number", digits=digits), result.deviation.tolist()),
        (Column(heading="shared", kind="integer"), result.n_shared.tolist()),
        (Column(heading="bias", kind="number", digits=digits), result.bias.tolist()),
        (Column(heading="with others", kind="number"), result.correlation.tolist()),
        (Column(heading="variance ratio", kind="number"), result.variance_ratio.tolist()),
    ]
    if result.n_controls.any():
        pairs = zip(result.control_right.tolist(), result.n_controls.tolist(), strict=True)
        columns.append((Column(heading="controls"), [f"{right:g} of {n}" for right, n in pairs]))
    if result.n_repeats.any():
        columns.append(
            (Column(heading="repeats sd", kind="number", digits=digits), result.repeat_deviation.tolist())
        )
    said: list[Cell] = ["yes" if stays else "no" for stays in result.keep]
    return [*columns, (Column(heading="kept"), said)]
