"""A sample as a table: one output to label per row."""

from __future__ import annotations

from betterthan.present.numbers import number
from betterthan.present.table import Table, TableColumn
from betterthan.results.sample import Sample

_WAYS = {
    "uniform": "drawn with equal probabilities",
    "disagreement": "drawn more often where scores disagree",
}


def sample_table(result: Sample) -> Table:
    """Return the outputs to label, in the order in which they should be labeled."""
    return Table(
        title=f"Outputs to label: {result.n_drawn:,} of {result.n_available:,} {result.of}",
        columns=(
            TableColumn(heading="item"),
            TableColumn(heading="system"),
            TableColumn(heading="weight", kind="number", digits=2),
        ),
        rows=tuple((row.item, row.system, row.weight) for row in result),
        verdict=(_sentence(result),),
        words=(*_strata(result), *_weights(result)),
        legend="Weight: 1 / probability of being drawn.",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _sentence(result: Sample) -> str:
    outputs = f"{len(result):,} outputs" if len(result) != 1 else "1 output"
    systems = f"{len(result.systems)} systems" if len(result.systems) > 1 else result.systems[0]
    of_items = f" of {result.n_drawn:,} items" if result.of == "items" else ""
    return f"{outputs}{of_items} by {systems} to label, {_WAYS[result.by]}, in random order."


def _strata(result: Sample) -> tuple[str, ...]:
    if not result.strata:
        return ()
    counts = sorted(result.strata.values())
    reach = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    return (f"From each of {len(counts):,} strata: {reach} {result.of}.",)


def _weights(result: Sample) -> tuple[str, ...]:
    low, high = float(result.weight.min()), float(result.weight.max())
    if high - low < 1e-9 * high:
        return ()
    return (f"Weights: {number(low, 2)} to {number(high, 2)}. Keep their column with the labels.",)
