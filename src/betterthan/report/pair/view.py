"""One pair of systems from what a report is made of: the sections to show, and the numbers as plain data.

The verdict is that of the report: in the units that were chosen, and adjusted for all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from betterthan.messages import Spelling
from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableColumn
from betterthan.present.tables.pairwise import correction_words, name_of_test, pair_pvalue_words
from betterthan.report.document import Paragraph, Section, TableBlock
from betterthan.report.inputs import Inputs
from betterthan.report.page import section_fragment
from betterthan.report.pair.battles import battle_pair_data, battle_pair_section
from betterthan.report.pair.scores import explained, pair_section
from betterthan.report.pair.tags import measured_pair, tag_pair_data, tag_pair_section
from betterthan.report.pair.texts import explained_counts, text_pair_section
from betterthan.results.base import Result
from betterthan.results.pairwise import Pair, PairwiseTable, equals_p, pvalue
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

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


class PairView(NamedTuple):
    """A pair as it is shown, and its numbers; under "decided" the report's own test, where it made one."""

    sections: tuple[Section, ...]
    data: dict[str, Any]

    def html(self, *, spelling: Spelling = str) -> str:
        """Return the sections as HTML, for a page that has its own head and style."""
        return "".join(section_fragment(section, spelling=spelling) for section in self.sections)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTables:
    """What pairs of a report are computed from.

    Attributes
    ----------
    results : mapping of str to plain data
        The report's own results.
    scores : tuple of Scores
        One table per metric; the first is what the report is about.
    counts : tuple of Counts
        Of texts and tags, one table per metric.
    texts, tags, matches
        Where the report is about them.
    """

    results: Mapping[str, Any]
    scores: tuple[Scores, ...] = ()
    counts: tuple[Counts, ...] = ()
    texts: Texts | None = None
    tags: WordTags | None = None
    matches: Matches | None = None


def pair_view(tables: PairTables, a: str, b: str, *, metric: str = "") -> PairView:
    """Compute everything about a pair.

    Parameters
    ----------
    tables : PairTables
    a, b : str
        Two systems.
    metric : str
        One of the tables of scores; the first when empty. Battles have none, and tags are shown by all measures.

    Raises
    ------
    BetterThanError
        When the data do not say anything about the pair.
    """
    how = how_tested(tables.results)
    if tables.matches is not None:
        assert how.pairs is not None  # noqa: S101  (a report on battles compares all pairs)
        section = battle_pair_section(how.pairs, tables.matches, a, b)
        return PairView((section,), battle_pair_data(how.pairs, a, b))
    report_test = _report_test(how, tables, a, b, metric)
    head = {"decided": None if report_test is None else decided_data(report_test, a, b)}
    if tables.tags is not None:
        assert how.pairs is not None  # noqa: S101  (of two systems or more)
        measured = measured_pair(tables.counts, a, b)
        section = tag_pair_section(tables.tags, measured, how.pairs, a, b)
        return PairView((section,), head | tag_pair_data(measured, a, b))
    view = _of_segments(tables, how, a, b, metric)
    first = () if report_test is None else (decided_section(report_test, a, b),)
    return PairView((*first, *view.sections), head | view.data)


def inputs_of_pair(scores: Scores, texts: Texts | None = None, *, units: str) -> Inputs:
    """Return the inputs of one pair; segments that one system lacks are left out.

    The units are those of the report, unless this metric knows no documents.
    """
    options = {"missing": "drop", "units": "segments" if units == "segments" else "auto"}
    return Inputs(kind="scores", command="", metrics={scores.name: scores}, texts=texts, options=options)


def _of_segments(tables: PairTables, how: HowTested, a: str, b: str, metric: str) -> PairView:
    scores = next(table for table in tables.scores if metric in ("", table.name))
    counts = next((table for table in tables.counts if table.name == scores.name), None)
    if counts is not None:
        pooled = explained_counts(counts, a, b)
        return PairView((text_pair_section(counts, scores, pooled),), pooled.to_dict())
    inputs = inputs_of_pair(scores, tables.texts, units=how.units)
    explanation = explained(inputs, a, b)
    section = replace(pair_section(inputs, a, b, explanation), title=f"Segment by segment, by {scores.name}")
    return PairView((section,), explanation.to_dict())


def _report_test(how: HowTested, tables: PairTables, a: str, b: str, metric: str) -> PairwiseTable | None:
    """Return the report's own test, if it is of this pair and metric: the report is about the first."""
    pairs = how.pairs
    if pairs is None or not {a, b} <= set(pairs.systems):
        return None
    # Of tags a page shows all measures, the report's own among them.
    is_of_report = tables.tags is not None or metric in ("", tables.scores[0].name)
    return pairs if is_of_report else None
