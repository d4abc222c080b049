"""From a run down to a pair of systems, with what the run keeps: one view for every kind of data."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.exceptions import HTTPException

from betterthan.errors import BetterThanError
from betterthan.present.tables.tags import tag_measure_name
from betterthan.report.document import Section
from betterthan.report.inputs import Inputs
from betterthan.report.page import section_fragment
from betterthan.report.sections.one_pair import explained, pair_section
from betterthan.results.base import Result
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts
from betterthan.web.details.pair_battles import battle_pair, pair_as_data
from betterthan.web.details.pair_counts import explained_counts, text_pair
from betterthan.web.details.pair_decided import HowTested, decided_data, decided_section, how_tested
from betterthan.web.details.pair_tags import tag_pair, tag_pair_data
from betterthan.web.kept_answers import Shelf
from betterthan.web.routes.requests import system_named, table_named
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.kept_tables import Kept

_LAYOUT = 3  # of the kept page; one of another layout is made anew


class PairAsked(NamedTuple):
    """Two different systems of a run, and by which metric they are compared; battles have none."""

    a: str
    b: str
    scores: Scores | None

    @property
    def metric(self) -> str:
        """The metric's name, empty for battles."""
        return "" if self.scores is None else self.scores.name


def pair_asked(kept: Kept, a: str, b: str, metric: str) -> PairAsked:
    """Return the pair that an address names.

    Raises
    ------
    HTTPException
        404 when there is no such system or metric, or both are the same.
    """
    scores = None if kept.battles is not None else table_named(kept.scores, metric)
    systems = kept.systems if scores is None else scores.systems
    first, second = system_named(a, systems), system_named(b, systems)
    if first == second:
        raise HTTPException(404, "A pair needs two different systems.")
    return PairAsked(first, second, scores)


def pair_data(folder: RunFolder, kept: Kept, asked: PairAsked) -> dict[str, Any]:
    """Return what is known about a pair as plain data; under "decided" the run's own test, where it made one.

    Raises
    ------
    HTTPException
        409 when the data do not say anything about the pair, with the reason.
    """
    counts = kept.counts_named(asked.metric)
    try:
        if asked.scores is None:
            return pair_as_data(pairs_of(folder), asked.a, asked.b)
        how = how_tested(folder)
        own = _own_test(how, kept, asked)
        decided = None if own is None else decided_data(own, asked.a, asked.b)
        head = {"decided": decided}
        if kept.tags is not None:
            return head | tag_pair_data(kept.counts, asked.a, asked.b)
        if counts is not None:
            return head | explained_counts(counts, asked.a, asked.b).to_dict()
        return head | explained(inputs_of(asked.scores, units=how.units), asked.a, asked.b).to_dict()
    except BetterThanError as error:
        raise HTTPException(409, str(error)) from error


def pair_html(folder: RunFolder, kept: Kept, asked: PairAsked, shelf: Shelf) -> Markup:
    """Return the section on a pair as HTML; made once, then taken from the run's folder.

    Raises
    ------
    HTTPException
        409 when the data do not say anything about the pair, with the reason.
    """
    name = _file_name(kept, asked)
    copy = shelf.get(folder.answers / name)
    if copy is not None:
        return Markup(copy.plain.decode("utf-8"))  # noqa: S704  (written by us, below)
    try:
        html = "".join(section_fragment(section) for section in _sections(folder, kept, asked))
    except BetterThanError as error:
        raise HTTPException(409, str(error)) from error
    with suppress(OSError):  # a full disk keeps it from being kept, not from being shown
        folder.write(name, html)
    return Markup(html)  # noqa: S704  (the report escapes what it shows)


def pairs_of(folder: RunFolder) -> PairwiseTable:
    """Return the comparison of all pairs that the report is made of."""
    found = Result.from_dict(folder.read("results.json")["results"]["pairs"])
    assert isinstance(found, PairwiseTable)  # noqa: S101  (that is what the report calls pairs)
    return found


def measure_name(kept: Kept, metric: str) -> str:
    """Return a metric's name as people write it."""
    return metric if kept.tags is None else tag_measure_name(metric)


def inputs_of(scores: Scores, texts: Texts | None = None, *, units: str) -> Inputs:
    """Return what the report's sections are made from; segments that one system lacks are left out of a pair."""
    # The units of the run, unless this metric knows no documents.
    options = {"missing": "drop", "units": "segments" if units == "segments" else "auto"}
    return Inputs(kind="scores", command="", metrics={scores.name: scores}, texts=texts, options=options)


def _own_test(how: HowTested, kept: Kept, asked: PairAsked) -> PairwiseTable | None:
    """Return the run's own test, if it is of this pair: of the metric that the report is about, the first."""
    pairs = how.pairs
    if pairs is None or not {asked.a, asked.b} <= set(pairs.systems):
        return None
    # Of tags a page shows all measures, the report's own among them.
    return pairs if kept.tags is not None or asked.metric == kept.scores[0].name else None


def _sections(folder: RunFolder, kept: Kept, asked: PairAsked) -> list[Section]:
    """Return what the run decided first, and then the explanation, in the same units."""
    section = _section(folder, kept, asked)
    if asked.scores is None or kept.tags is not None:  # names its adjusted p itself
        return [section]
    own = _own_test(how_tested(folder), kept, asked)
    return [section] if own is None else [decided_section(own, asked.a, asked.b), section]


def _section(folder: RunFolder, kept: Kept, asked: PairAsked) -> Section:
    a, b, scores = asked
    if scores is None:
        assert kept.battles is not None  # noqa: S101  (asked so)
        return battle_pair(pairs_of(folder), kept.battles.matches, a, b)
    counts = kept.counts_named(scores.name)
    if kept.tags is not None:
        return tag_pair(kept.tags, kept.counts, pairs_of(folder), a, b)
    if counts is not None:
        return text_pair(counts, scores, a, b)
    inputs = inputs_of(scores, kept.texts, units=how_tested(folder).units)
    return replace(pair_section(inputs, a, b), title=f"By {scores.name}")


def _file_name(kept: Kept, asked: PairAsked) -> str:
    """Return a name that no other pair of the run has; names of systems never become paths."""
    if asked.scores is not None:
        table: Any = kept.tags if kept.tags is not None else asked.scores
    else:
        assert kept.battles is not None  # noqa: S101  (asked so)
        table = kept.battles.matches
    i, j = table.systems.index(asked.a), table.systems.index(asked.b)
    return f"pair-{_LAYOUT}-{table.digest}-{i}-{j}.html"
