"""One pair of systems from what a report is made of: the sections to show, and the numbers as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from betterthan.messages import Spelling
from betterthan.report.document import Section
from betterthan.report.inputs import Inputs
from betterthan.report.page import section_fragment
from betterthan.report.pair.battles import battle_pair_data, battle_pair_section
from betterthan.report.pair.decision import HowTested, decided_data, decided_section, how_tested
from betterthan.report.pair.scores import explained, pair_section
from betterthan.report.pair.tags import measured_pair, tag_pair_data, tag_pair_section
from betterthan.report.pair.texts import explained_counts, text_pair_section
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts


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
