"""A pair as the report tested it, in the units that were chosen and adjusted for all pairs: the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableColumn
from betterthan.present.tables.pairwise import correction_words, name_of_test, pair_pvalue_words
from betterthan.report.document import Paragraph, Section, TableBlock
from betterthan.results.base import Result
from betterthan.results.pairwise import Pair, PairwiseTable, equals_p, pvalue

_UNITS = {"segments": "segments", "groups": "documents"}
_NUMBERS = ("effect", "low", "high", "wins", "ties", "losses", "pvalue", "adjusted", "p_low", "p_high")


class HowTested(NamedTuple):
    """How a report tested its pairs: the units, and the table of all pairs where there is one."""

    units: str
    pairs: PairwiseTable | None


def how_tested(results: Mapping[str, Any]) -> HowTested:
    """Return how a report tested its pairs, from its results as plain data."""
    stored = results.get("pairs", {})
    pairs = Result.from_dict(stored) if stored.get("kind") == "pairwise" else None
    assert pairs is None or isinstance(pairs, PairwiseTable)  # noqa: S101  (of that kind)
    units = {units_of(result) for result in results.values()}
    return HowTested("groups" if "groups" in units else "segments", pairs)


def units_of(result: dict[str, Any]) -> str:
    """Return the units of a result as plain data; empty where it has none.

    Examples
    --------
    >>> units_of({"settings": {"options": {"units": "groups"}}}), units_of({"kind": "diagnosis"})
    ('groups', '')
    """
    options = result.get("settings", {}).get("options", {})
    return str(options.get("units") or "")


def decided_data(pairs: PairwiseTable, a: str, b: str) -> dict[str, Any]:
    """Return the report's own numbers of a pair as plain data; what is not defined is None."""
    pair = pairs.pair(a, b)
    numbers = {name: getattr(pair, name) for name in _NUMBERS}
    return {
        "units": pairs.settings.options.get("units") or "segments",
        "test": pairs.test,
        "correction": pairs.correction,
        "alpha": pairs.alpha,
        "confidence": pairs.confidence,
        "effect_name": pairs.effect_name,
        **{name: None if math.isnan(value) else value for name, value in numbers.items()},
        "p_method": pair.p_method,
        "verdict": pair.verdict,
        "notes": [note for note in (pairs.undecidable, pairs.unit_note, *pairs.notes) if note],
    }


def decided_section(pairs: PairwiseTable, a: str, b: str) -> Section:
    """Return what the run decided about a pair, with the numbers that its report shows."""
    pair = pairs.pair(a, b)
    units = _UNITS[str(pairs.settings.options.get("units") or "segments")]
    return Section(
        key="decided",
        title="Verdict of this run",
        lead=f"{_verdict(pairs, pair)}: {_p(pairs, pair)}, with {units} as units.{_about_interval(pairs)}",
        blocks=(
            TableBlock(key="pair-decided", table=_table(pairs, pair)),
            *(
                Paragraph(note, "note")
                for note in (pair_pvalue_words(pair), pairs.unit_note, *pairs.notes)
                if note
            ),
        ),
    )


def _verdict(pairs: PairwiseTable, pair: Pair) -> str:
    if pairs.undecidable:
        return f"{pairs.undecidable} {pair.a} and {pair.b}"
    if pair.verdict is None:
        return f"No significant difference between {pair.a} and {pair.b} at level {pairs.alpha:g}"
    other = pair.b if pair.verdict == pair.a else pair.a
    return f"{pair.verdict} is better than {other} at level {pairs.alpha:g}"


def _about_interval(pairs: PairwiseTable) -> str:
    """Say that the interval is not adjusted, where the verdict is."""
    is_corrected = len(pairs.systems) > 2 and pairs.correction != "none" and not pairs.simultaneous
    return " The interval is for this pair alone." if is_corrected else ""


def _p(pairs: PairwiseTable, pair: Pair) -> str:
    n_pairs = math.comb(len(pairs.systems), 2)
    if n_pairs == 1 or pairs.correction == "none":
        return equals_p(pair.pvalue)
    return f"{equals_p(pair.adjusted)}, adjusted for all {n_pairs:,} pairs"


def _table(pairs: PairwiseTable, pair: Pair) -> Table:
    digits = digits_for([(pair.high - pair.low) / 2], [pair.effect])
    columns = (
        TableColumn(heading=f"{pair.a} against {pair.b}"),
        TableColumn(heading="value", kind="count"),
        TableColumn(heading=f"{percent(pairs.confidence)} CI", kind="count"),
    )
    rows = (
        (pairs.effect_name, number(pair.effect, digits), interval(pair.low, pair.high, digits)),
        (f"p, {name_of_test(pairs.test)}", pvalue(pair.pvalue), "–"),
        *(
            [(f"p, {correction_words(pairs.correction)}", pvalue(pair.adjusted), "–")]
            if len(pairs.systems) > 2
            else []
        ),
    )
    return Table(title="Test of this pair in this run", columns=columns, rows=rows)
