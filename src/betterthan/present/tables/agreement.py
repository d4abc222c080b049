"""Agreements as tables, two rankings per row; scores aggregated three ways, one system per row."""

from __future__ import annotations

import math
from itertools import combinations

from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import best_sentence, rank_range, shows_letters
from betterthan.results.agreement import Aggregated, Agreement
from betterthan.results.units import unit_line

# Short headings, so that names of systems fit.
_WAYS = {"pooled": "pooled", "segment_mean": "segment mean", "bootstrap_mean": "bootstrap mean"}

_LEGEND = (
    "Pooled: score of the summed counts. Segment mean: mean of segment scores. Bootstrap mean: mean over resampled "
    "corpora."
)


def aggregated_table(result: Aggregated) -> Table:
    """Return the three scores of each system with their intervals, and in words where their orders differ."""
    digits = digits_for((result.pooled_high - result.pooled_low) / 2, result.pooled)
    columns = [TableColumn(heading="rank", kind="integer"), TableColumn(heading="system")]
    for heading in _WAYS.values():
        columns.append(TableColumn(heading=heading, kind="number", digits=digits))
        columns.append(
            TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits)
        )
    direction = "higher" if result.higher_is_better else "lower"
    segments = f"{result.n_segments:,} segment{'' if result.n_segments == 1 else 's'}"
    cluster = result.cluster.tolist()
    return Table(
        title=f"{result.metric}, {direction} is better, {segments}",
        columns=(*columns, _last_column(result)),
        rows=tuple(_row(result, i) for i in range(len(result.systems))),
        rules=frozenset(i for i in range(len(cluster) - 1) if cluster[i] != cluster[i + 1]),
        bold=frozenset((i, 1) for i, rank in enumerate(result.rank) if rank == 1),
        verdict=tuple(line for line in (result.undecidable or _best(result),) if line),
        unit=unit_line(result.unit_note, str(result.settings.options["units"])),
        words=_words(result),
        legend=_LEGEND,
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _row(result: Aggregated, i: int) -> tuple[TableCell, ...]:
    cells: list[TableCell] = [int(result.rank[i]), result.systems[i]]
    for way in _WAYS:
        cells.append(float(getattr(result, way)[i]))
        cells.append((float(getattr(result, f"{way}_low")[i]), float(getattr(result, f"{way}_high")[i])))
    ranks = rank_range(int(result.rank_low[i]), int(result.rank_high[i]))
    return (*cells, result.letters[i] if shows_letters(result.letters) else ranks)


def _last_column(result: Aggregated) -> TableColumn:
    if shows_letters(result.letters):
        return TableColumn(heading="group", spare=1)
    return TableColumn(heading="rank range", kind="count", spare=1)


def _words(result: Aggregated) -> tuple[str, ...]:
    words = [_orders(result)] if len(result.systems) > 1 else []
    if not math.isnan(result.effective_segments):
        words.append(
            f"Pooled scores have an effective sample size of {number(result.effective_segments, 0)} of "
            f"{number(result.n_segments, 0)} segments; the longest 10% carry {100 * result.longest_tenth:.0f}% of the "
            f"weight."
        )
    return tuple(words)


def _best(result: Aggregated) -> str:
    return best_sentence(
        result, 1 - result.confidence, "permutation tests of the pooled score, Holm-adjusted"
    )


def _orders(result: Aggregated) -> str:
    """Return how many pairs each of the other two orders otherwise than the pooled score."""
    n_pairs = len(result.systems) * (len(result.systems) - 1) // 2
    parts = []
    for way in ("segment_mean", "bootstrap_mean"):
        turned = [
            (a, b)
            for (a, x, u), (b, y, v) in combinations(
                zip(result.systems, result.pooled.tolist(), getattr(result, way).tolist(), strict=True), 2
            )
            if (x - y) * (u - v) < 0
        ]
        named = "; ".join(f"{a} and {b}" for a, b in turned[:3]) + ("; …" if len(turned) > 3 else "")
        parts.append(f"the {_WAYS[way]} reverses {len(turned) or 'none'}" + (f" ({named})" if turned else ""))
    pairs = "the one pair" if n_pairs == 1 else f"the {n_pairs:,} pairs"
    return f"Compared with the pooled score, of {pairs} {' and '.join(parts)}."


def agreement_table(result: Agreement) -> Table:
    """Return how each two rankings order the pairs of systems, and whether their tops are the same."""
    columns = (
        TableColumn(heading="rankings"),
        TableColumn(heading="alike", kind="number"),
        TableColumn(heading="opposite", kind="number"),
        TableColumn(heading="tied in one", kind="number"),
        TableColumn(heading="tau-b", kind="number"),
        TableColumn(heading="same best"),
        TableColumn(heading=f"same top {result.top}"),
    )
    rows = tuple(
        (
            f"{c.first} and {c.second}",
            _share(c.alike),
            _share(c.flipped),
            _share(c.tied),
            c.tau_b,
            "yes" if c.same_best else "no",
            "yes" if c.same_top else "no",
        )
        for c in result.comparisons
    )
    return Table(
        title=f"Agreement of {len(result.rankings)} rankings of {len(result.systems)} systems",
        columns=columns,
        rows=rows,
        verdict=result.sentences[:1],
        words=result.sentences[1:],
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _share(value: float) -> str:
    return "–" if value != value else percent(round(value, 3))  # noqa: PLR0124  (NaN is not equal to itself)
