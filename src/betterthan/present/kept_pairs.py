"""What each margin keeps, as a table: a margin a row."""

from __future__ import annotations

from betterthan.present.numbers import number
from betterthan.present.table import Column, Table
from betterthan.results.kept_pairs import KeptPairs


def kept_pairs_table(result: KeptPairs) -> Table:
    """Return margins with the number and the share of pairs that they keep."""
    columns = result.columns()
    shares = ["–" if part != part else f"{100 * part:.1f}%" for part in columns["share"]]  # noqa: PLR0124  (NaN)
    margins = [f"{margin:g}" for margin in columns["margin"]]
    return Table(
        title=f"Pairs of {result.metric} that a margin keeps, of {number(result.n_pairs, 0)}",
        columns=(
            Column(heading="margin", kind="count"),
            Column(heading="pairs kept", kind="integer"),
            Column(heading="share", kind="count"),
        ),
        rows=tuple(zip(margins, columns["kept"], shares, strict=True)),
        notes=result.notes,
        signature=result.settings.signature,
    )
