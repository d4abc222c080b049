"""A pair in word tags: differences of the measures, and which system is right on which words."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.present.numbers import interval, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.metrics import tag_measure_name
from betterthan.report.document import Paragraph, Section, TableBlock
from betterthan.results.pairwise import Pair, PairwiseTable, equals_p
from betterthan.tables.counts import Counts
from betterthan.tables.tags import WordTags

_DIGITS = 3
_SEED = 12345


class TagMeasurement(NamedTuple):
    """Both systems by one measure, and their difference."""

    measure: str
    first: float
    second: float
    pair: Pair
    confidence: float
    alpha: float
    units: str


def tag_pair_section(
    tags: WordTags, measured: list[TagMeasurement], pairs: PairwiseTable, a: str, b: str
) -> Section:
    """Return everything about one pair of systems that tagged the same words.

    Parameters
    ----------
    tags : WordTags
    measured : list of TagMeasurement
        As :func:`measured_pair` returns them.
    pairs : PairwiseTable
        The report's comparison of all pairs, by its first measure.
    a, b : str
    """
    main = next(one for one in measured if one.measure == "f1_mult")
    name, adjusted = tag_measure_name(main.measure), pairs.pair(a, b)
    verdict = "the two differ significantly" if adjusted.verdict else "no significant difference"
    lead = (
        f"{a} has {name} {number(main.first, _DIGITS)} and {b} {number(main.second, _DIGITS)}, a difference of "
        f"{_signed(main.pair.effect)} ({percent(main.confidence)} interval "
        f"{interval(main.pair.low, main.pair.high, _DIGITS)})."
    )
    words = Paragraph(
        f"Adjusted for all {len(pairs.systems) * (len(pairs.systems) - 1) // 2:,} pairs, "
        f"{equals_p(adjusted.adjusted)}: {verdict} at level {pairs.alpha:g}.",
        "why",
    )
    blocks = (words, _table(measured, a, b), _words_by_truth(tags, a, b))
    return Section(key="pair", title="What the tags say", lead=lead, blocks=blocks)


def tag_pair_data(measured: list[TagMeasurement], a: str, b: str) -> dict[str, Any]:
    """Return the numbers of a pair as plain data; what is not defined is None."""
    names = ("effect", "low", "high", "pvalue")
    return {
        "kind": "tag_pair",
        "a": a,
        "b": b,
        "confidence": measured[0].confidence,
        "units": measured[0].units,
        "measures": [
            {
                "measure": one.measure,
                "score_a": _defined(one.first),
                "score_b": _defined(one.second),
                **{name: _defined(getattr(one.pair, name)) for name in names},
            }
            for one in measured
        ],
    }


def measured_pair(counts: tuple[Counts, ...], a: str, b: str) -> list[TagMeasurement]:
    """Return a pair by every measure, tested for this pair alone.

    Parameters
    ----------
    counts : tuple of Counts
        One table per measure.
    a, b : str
    """
    measured = []
    for table in counts:
        both = table.select([a, b])
        tested = compare(both, rng=_SEED)
        first, second = both.pooled().tolist()
        pair = tested.pair(a, b)
        measured.append(
            TagMeasurement(both.name, first, second, pair, tested.confidence, tested.alpha, tested.units)
        )
    return measured


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + number(value, _DIGITS)


def _table(measured: list[TagMeasurement], a: str, b: str) -> TableBlock:
    columns = (
        TableColumn(heading="measure"),
        TableColumn(heading=a, kind="number", digits=_DIGITS),
        TableColumn(heading=b, kind="number", digits=_DIGITS),
        TableColumn(heading="difference", kind="count"),
        TableColumn(heading=percent(measured[0].confidence), kind="interval", digits=_DIGITS),
        TableColumn(heading="p", kind="pvalue"),
    )
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            tag_measure_name(one.measure),
            one.first,
            one.second,
            _signed(one.pair.effect),
            (one.pair.low, one.pair.high),
            one.pair.pvalue,
        )
        for one in measured
    )
    over = "documents" if measured[0].units == "groups" else "segments"
    words = (
        f"Scores of all words together; p by approximate randomization over {over}, for this pair alone.",
        f"The difference is positive when {a} is better.",
    )
    table = Table(title=f"{a} against {b} by measure", columns=columns, rows=rows, words=words)
    return TableBlock(key="pair-measures", table=table, words=True)


def _words_by_truth(tags: WordTags, a: str, b: str) -> TableBlock:
    """Return how many words both systems, one of them, or neither tags correctly."""
    right = tags.predicted == tags.gold
    first, second = (right[tags.systems.index(name)] for name in (a, b))
    cases = (first & second, first & ~second, ~first & second, ~first & ~second)
    columns = (
        TableColumn(heading="gold tag"),
        TableColumn(heading="words", kind="integer"),
        TableColumn(heading="both right", kind="integer"),
        TableColumn(heading=f"only {a} right", kind="integer"),
        TableColumn(heading=f"only {b} right", kind="integer"),
        TableColumn(heading="both wrong", kind="integer"),
    )
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (label, int(np.count_nonzero(some)), *(int(np.count_nonzero(case & some)) for case in cases))
        for label, some in (("BAD", tags.gold), ("OK", ~tags.gold), ("all", np.ones_like(tags.gold)))
    )
    return TableBlock(
        key="pair-words", table=Table(title="Words tagged correctly", columns=columns, rows=rows)
    )
