"""Agreements as tables: two rankings a row; and scores aggregated three ways, a system a row."""

from __future__ import annotations

import math
from itertools import combinations

from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Cell, Column, Table
from betterthan.results.agreement import Aggregated, Agreement
from betterthan.results.units import with_unit_first

# Short headings, so that names of systems have room.
_WAYS = {"pooled": "pooled", "segment_mean": "segments", "bootstrap_mean": "bootstrap"}
_NAMES = {"segment_mean": "the mean of segments", "bootstrap_mean": "the mean of bootstrap corpora"}

_LEGEND = (
    "Pooled: sums first, then the score. Segments: mean of segment scores. Bootstrap: mean of drawn corpora."
)


def aggregated_table(result: Aggregated) -> Table:
    """Return the three scores of each system with their intervals, and in words where their orders differ."""
    digits = digits_for((result.pooled_high - result.pooled_low) / 2, result.pooled)
    columns = [Column(heading="rank", kind="integer"), Column(heading="system")]
    for heading in _WAYS.values():
        columns.append(Column(heading=heading, kind="number", digits=digits))
        columns.append(Column(heading=percent(result.confidence), kind="interval", digits=digits))
    direction = "higher" if result.higher_is_better else "lower"
    segments = f"{number(result.n_segments, 0)} segment{'' if result.n_segments == 1 else 's'}"
    cluster = result.cluster.tolist()
    return Table(
        title=f"{result.metric}, {direction} is better, {segments}",
        columns=(*columns, Column(heading="letters")),
        rows=tuple(_row(result, i) for i in range(len(result.systems))),
        rules=frozenset(i for i in range(len(cluster) - 1) if cluster[i] != cluster[i + 1]),
        bold=frozenset((i, 1) for i, rank in enumerate(result.rank) if rank == 1),
        words=with_unit_first(
            _words(result), result.unit_note, result.settings.options["units"], result.undecidable
        ),
        notes=result.notes,
        signature=result.settings.signature,
    )


def _row(result: Aggregated, i: int) -> tuple[Cell, ...]:
    cells: list[Cell] = [int(result.rank[i]), result.systems[i]]
    for way in _WAYS:
        cells.append(float(getattr(result, way)[i]))
        cells.append((float(getattr(result, f"{way}_low")[i]), float(getattr(result, f"{way}_high")[i])))
    return (*cells, result.letters[i])


def _words(result: Aggregated) -> tuple[str, ...]:
    words = [_LEGEND]
    if len(result.systems) > 1:
        words.append(_best(result))
        words.append(_orders(result))
    if not math.isnan(result.effective_segments):
        words.append(
            f"Pooled, the {number(result.n_segments, 0)} segments weigh as {number(result.effective_segments, 0)} of "
            f"equal length would; the longest tenth carries {100 * result.longest_tenth:.0f}%."
        )
    return tuple(words)


def _best(result: Aggregated) -> str:
    level = f"level {1 - result.confidence:.3g} (Holm-corrected permutation tests of the pooled score)"
    first = [name for name, low in zip(result.systems, result.rank_low, strict=True) if low == 1]
    if result.rank_high[0] == 1:
        return f"{result.systems[0]} is better than all others at {level}."
    if len(first) == 1:
        return f"Only {first[0]} may be best, though it is not better than each of the others, at {level}."
    if len(first) == len(result.systems):
        return f"No system can be called best at {level}."
    named = ", ".join(first[:4]) + (f" and {len(first) - 4} more" if len(first) > 4 else "")
    return f"{len(first)} systems may be best: {named}; no significant difference at {level}."


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
        parts.append(f"{_NAMES[way]} turns {len(turned)}" + (f" ({named})" if turned else ""))
    return f"Of {n_pairs} pair{'' if n_pairs == 1 else 's'} in pooled order, {parts[0]} and {parts[1]}."


def agreement_table(result: Agreement) -> Table:
    """Return how each two rankings order the pairs of systems, and whether their tops are the same."""
    columns = (
        Column(heading="rankings"),
        Column(heading="alike", kind="number"),
        Column(heading="opposite", kind="number"),
        Column(heading="tied in one", kind="number"),
        Column(heading="tau-b", kind="number"),
        Column(heading="same best"),
        Column(heading=f"same top {result.top}"),
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
        words=result.sentences,
        notes=result.notes,
        signature=result.settings.signature,
    )


def _share(value: float) -> str:
    return "–" if value != value else percent(round(value, 3))  # noqa: PLR0124  (NaN is not equal to itself)
