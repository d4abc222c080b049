"""Human judgments as tables: judges, identical outputs, and what each margin keeps."""

from __future__ import annotations

from betterthan.present.numbers import digits_for, number
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.human import IdenticalOutputs, Judges, KeptPairs

ROWS = 20
_LONGEST = 40


def identical_outputs_table(result: IdenticalOutputs) -> Table:
    """Return the identical outputs that survive the margin, else the first ones; the rest is counted."""
    shown = [pair for pair in result.identical_pairs if pair.survives] or list(result.identical_pairs)
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (pair.segment, pair.first, pair.second, pair.gap, _short(pair.text)) for pair in shown[:ROWS]
    )
    more = result.n_identical - len(rows)
    notes = (f"{more} more identical outputs are not shown; CSV and JSON have all.",) if more else ()
    better, worse = ("judged better", "judged worse") if result.n_judged else ("system", "and")
    return Table(
        title=f"Identical outputs of {len(result.systems)} systems",
        columns=(
            TableColumn(heading="segment"),
            TableColumn(heading=better),
            TableColumn(heading=worse),
            TableColumn(heading="apart", kind="number", digits=1),
            TableColumn(heading="output"),
        ),
        rows=rows,
        words=result.sentences,
        notes=(*result.notes, *notes),
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


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
        short_signature=result.settings.short_signature,
    )


def _columns(result: Judges) -> list[tuple[TableColumn, list[TableCell]]]:
    digits = min(digits_for([], result.deviation), 2)
    columns: list[tuple[TableColumn, list[TableCell]]] = [
        (TableColumn(heading="judge"), list(result.judges)),
        (TableColumn(heading="judgments", kind="integer"), result.n_judgements.tolist()),
        (TableColumn(heading="mean", kind="number", digits=digits), result.mean.tolist()),
        (TableColumn(heading="sd", kind="number", digits=digits), result.deviation.tolist()),
        (TableColumn(heading="shared", kind="integer"), result.n_shared.tolist()),
        (TableColumn(heading="bias", kind="number", digits=digits), result.bias.tolist()),
        (TableColumn(heading="with others", kind="number"), result.correlation.tolist()),
        (TableColumn(heading="variance ratio", kind="number"), result.variance_ratio.tolist()),
    ]
    if result.n_controls.any():
        pairs = zip(result.control_right.tolist(), result.n_controls.tolist(), strict=True)
        columns.append((TableColumn(heading="controls"), [f"{right:g} of {n}" for right, n in pairs]))
    if result.n_repeats.any():
        columns.append(
            (
                TableColumn(heading="repeats sd", kind="number", digits=digits),
                result.repeat_deviation.tolist(),
            )
        )
    cells: list[TableCell] = ["yes" if stays else "no" for stays in result.keep]
    return [*columns, (TableColumn(heading="kept"), cells)]


def kept_pairs_table(result: KeptPairs) -> Table:
    """Return margins with the number and the share of pairs that they keep."""
    columns = result.columns()
    shares = ["–" if part != part else f"{100 * part:.1f}%" for part in columns["share"]]  # noqa: PLR0124  (NaN)
    margins = [f"{margin:g}" for margin in columns["margin"]]
    return Table(
        title=f"Pairs of {result.metric} that a margin keeps, of {number(result.n_pairs, 0)}",
        columns=(
            TableColumn(heading="margin", kind="count"),
            TableColumn(heading="pairs kept", kind="integer"),
            TableColumn(heading="share", kind="count"),
        ),
        rows=tuple(zip(margins, columns["kept"], shares, strict=True)),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )
