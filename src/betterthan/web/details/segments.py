"""One segment to read: two systems side by side with their differences marked, and how all others did on it.

The list of a page of segments beside it is the same for every reader, so it is rendered once and stays in memory for a
while.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from markupsafe import Markup

from betterthan.arrays import IntArray
from betterthan.report.document import MarkedText
from betterthan.report.worddiff import marked, plain
from betterthan.report.wording import digits_of
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts
from betterthan.web.details.items import (
    Filter,
    ItemsPage,
    SegmentItem,
    fitting_segments,
    items_page,
    segment_item,
)
from betterthan.web.render import environment
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.saved_tables import FolderStamp, SavedTables, saved_tables

GAP, END = "·", "⏎"
_EDGE = 2.0  # percent of the strip that stay free on either side, so that no dot is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedWord:
    """A word as a system tagged it, and whether the gold tag is another."""

    word: str
    is_bad: bool
    is_wrong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLine:
    """The words of a segment with the gold tags or those of a system."""

    label: str
    words: tuple[TaggedWord, ...]

    @property
    def n_wrong(self) -> int:
        """The number of wrong tags."""
        return sum(word.is_wrong for word in self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """A part of an output.

    `differs` says that the other output has something else here, `is_unreferenced` that the reference has.
    """

    text: str
    differs: bool = False
    is_unreferenced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOnSegment:
    """What a system made of the segment; nothing where its output is missing."""

    system: str
    pieces: tuple[TextPiece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """The score of a system on the segment, and its place on the strip in percent: right is better."""

    system: str
    score: float | None
    place: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricScores:
    """What another metric says about the pair; a positive difference favors the first."""

    metric: str
    first: float | None
    second: float | None
    difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentReading:
    """A segment with everything that a page shows of it.

    Attributes
    ----------
    item : SegmentItem
    number, total : int
        Its place among the segments that fit the filter, from 1.
    previous, following : str or None
        The segments beside it.
    systems : tuple of SystemScore
        All systems, the best on this segment first.
    shared : tuple of MarkedText
        Source and references.
    outputs, other_outputs : tuple of SystemOutput
        Of the pair, and of all others in the order of `systems`.
    tags, other_tags : tuple of TagLine
        The gold tags and those of the pair; those of the others.
    metrics : tuple of MetricScores
        The other metrics of the run.
    """

    item: SegmentItem
    number: int
    total: int
    previous: str | None
    following: str | None
    systems: tuple[SystemScore, ...]
    shared: tuple[MarkedText, ...] = ()
    outputs: tuple[OutputOnSegment, ...] = ()
    other_outputs: tuple[OutputOnSegment, ...] = ()
    tags: tuple[TagLine, ...] = ()
    other_tags: tuple[TagLine, ...] = ()
    metrics: tuple[MetricScores, ...] = ()

    def score_of(self, system: str) -> float | None:
        """Return the score of a system on this segment."""
        return next(one.score for one in self.systems if one.system == system)


def place_in_list(
    folder: RunFolder,
    stamp: FolderStamp | None,
    scores: Scores,
    filters: Filter,
    *,
    segment: str,
    per_page: int,
) -> int | None:
    """Return which of the fitting segments is read, from 0: the one that is named, or the first of the page."""
    chosen = _listed(folder, stamp, scores.name, _unpaged(filters))
    if not chosen.size:
        return None
    if segment in scores.segments:
        places = np.flatnonzero(chosen == scores.segments.index(segment))
        if places.size:
            return int(places[0])
    last_page = (int(chosen.size) - 1) // per_page
    return min(filters.page - 1, last_page) * per_page


def segment_reading(
    folder: RunFolder, stamp: FolderStamp | None, scores: Scores, filters: Filter, place: int
) -> SegmentReading:
    """Return what is shown of the segment at a place of the list."""
    tables = saved_tables(folder)
    chosen = _listed(folder, stamp, scores.name, _unpaged(filters))
    item = segment_item(scores, filters, int(chosen[place]))
    systems = _systems(scores, int(chosen[place]))
    pair = filters.a, filters.b
    others = [one.system for one in systems if one.system not in pair]
    gold_tags, other_tags = _tags(tables, item.segment, pair, others)
    shared, outputs, other_outputs = _texts(tables.texts, item.segment, pair, others)
    return SegmentReading(
        item=item,
        number=place + 1,
        total=int(chosen.size),
        previous=scores.segments[chosen[place - 1]] if place else None,
        following=scores.segments[chosen[place + 1]] if place + 1 < chosen.size else None,
        systems=systems,
        shared=shared,
        outputs=outputs,
        other_outputs=other_outputs,
        tags=gold_tags,
        other_tags=other_tags,
        metrics=tuple(
            _by_metric(table, item.segment, pair) for table in tables.scores if table.name != scores.name
        ),
    )


_REMEMBERED = 64


@lru_cache(maxsize=_REMEMBERED)
def _listed(folder: RunFolder, _: FolderStamp | None, metric: str, filters: Filter) -> IntArray:
    tables = saved_tables(folder)
    scores = next(table for table in tables.scores if table.name == metric)
    return fitting_segments(scores, filters, tables.texts)


def _unpaged(filters: Filter) -> Filter:
    return Filter(
        a=filters.a, b=filters.b, who=filters.who, group=filters.group, find=filters.find, order=filters.order
    )


def forget_lists() -> None:
    """Drop what is remembered, such as of a run that was deleted."""
    _listed.cache_clear()


def _systems(scores: Scores, position: int) -> tuple[SystemScore, ...]:
    goodness, values = scores.goodness[:, position], scores.values[:, position]
    # The best first; a missing score last.
    order = np.argsort(-goodness, kind="stable")
    places = strip_places(goodness.tolist())
    return tuple(
        SystemScore(system=scores.systems[i], score=_number(values[i]), place=places[i])
        for i in order.tolist()
    )


def strip_places(goodness: Sequence[float]) -> list[float | None]:
    """Return where numbers are on a strip, in percent from its left end; a missing one is nowhere.

    Examples
    --------
    >>> strip_places([1.0, 3.0, 2.0, float("nan")]), strip_places([5.0, 5.0])
    ([2.0, 98.0, 50.0, None], [50.0, 50.0])
    """
    known = [value for value in goodness if not math.isnan(value)]
    low, width = (min(known), max(known) - min(known)) if known else (0.0, 0.0)
    return [
        None
        if math.isnan(value)
        else round(_EDGE + (100 - 2 * _EDGE) * ((value - low) / width if width else 0.5), 2)
        for value in goodness
    ]


def _by_metric(table: Scores, segment: str, pair: tuple[str, str]) -> MetricScores:
    if segment not in table.segments or not set(pair) <= set(table.systems):
        return MetricScores(metric=table.name, first=None, second=None, difference=None)
    at = table.segments.index(segment)
    first, second = (table.systems.index(name) for name in pair)
    return MetricScores(
        metric=table.name,
        first=_number(table.values[first, at]),
        second=_number(table.values[second, at]),
        difference=_number(table.goodness[first, at] - table.goodness[second, at]),
    )


def _texts(
    texts: Texts | None, segment: str, pair: tuple[str, str], others: Sequence[str]
) -> tuple[tuple[MarkedText, ...], tuple[OutputOnSegment, ...], tuple[OutputOnSegment, ...]]:
    if texts is None or segment not in texts.segments:
        return (), (), ()
    j = texts.segments.index(segment)
    shared = [] if texts.sources is None else [plain("source", texts.sources[j])]
    shared += [
        plain(name, lines[j]) for name, lines in zip(texts.reference_names, texts.references, strict=False)
    ]
    lines = {name: texts.outputs[texts.systems.index(name)][j] for name in pair if name in texts.systems}
    reference = texts.references[0][j] if texts.references else None
    outputs = tuple(
        OutputOnSegment(
            system=name,
            pieces=marked_pieces(
                text, next((other for one, other in lines.items() if one != name), None), reference
            ),
        )
        for name, text in lines.items()
    )
    rest = tuple(
        OutputOnSegment(
            system=name, pieces=marked_pieces(texts.outputs[texts.systems.index(name)][j], None, None)
        )
        for name in others
        if name in texts.systems
    )
    return tuple(shared), outputs, rest


def marked_pieces(text: str | None, other: str | None, reference: str | None) -> tuple[TextPiece, ...]:
    """Return a text in pieces that say whether the other output and the reference have them.

    Examples
    --------
    >>> [(piece.text, piece.differs, piece.is_unreferenced)
    ...  for piece in marked_pieces("the old tree", "the new tree", "an old tree")]
    [('the', False, True), (' ', False, False), ('old', True, False), (' tree', False, False)]
    >>> marked_pieces(None, "a", "a")
    ()
    """
    if text is None:
        return ()
    differs, unreferenced = (_flags(text, one) for one in (other, reference))
    flags = list(zip(differs, unreferenced, strict=True))
    cuts = [0, *(k for k in range(1, len(text)) if flags[k] != flags[k - 1]), len(text)]
    return tuple(
        TextPiece(text=text[start:end], differs=flags[start][0], is_unreferenced=flags[start][1])
        for start, end in pairwise(cuts)
        if start < end
    )


def _flags(text: str, other: str | None) -> list[bool]:
    """Return for each character whether another text lacks it here; spaces between words are never marked."""
    if other is None:
        return [False] * len(text)
    pieces = marked("", text, other).pieces
    return [is_other and not letter.isspace() for piece, is_other in pieces for letter in piece]


def _tags(
    tables: SavedTables, segment: str, pair: tuple[str, str], others: Sequence[str]
) -> tuple[tuple[TagLine, ...], tuple[TagLine, ...]]:
    tags = tables.tags
    if tags is None or segment not in tags.segments:
        return (), ()
    j = tags.segments.index(segment)
    here = slice(int(tags.offsets[j]), int(tags.offsets[j + 1]))
    gold: list[bool] = tags.gold[here].tolist()
    words = shown_words(tables.words[j] if tables.words else (), len(gold))
    truth = _tag_line("gold", gold, gold, words)
    first = (truth, *(_tag_line(name, _predicted(tags, name, here), gold, words) for name in pair))
    return first, tuple(_tag_line(name, _predicted(tags, name, here), gold, words) for name in others)


def _predicted(tags: WordTags, system: str, here: slice) -> list[bool]:
    predicted: list[bool] = tags.predicted[tags.systems.index(system), here].tolist()
    return predicted


def _tag_line(label: str, line: list[bool], gold: list[bool], words: Sequence[str]) -> TagLine:
    return TagLine(
        label=label,
        words=tuple(
            TaggedWord(word=word, is_bad=is_bad, is_wrong=is_bad != truth)
            for word, is_bad, truth in zip(words, line, gold, strict=True)
        ),
    )


def shown_words(words: Sequence[str], n_tags: int) -> tuple[str, ...]:
    """Return what each tag is shown by: its word, a sign for a gap or the end, or its number.

    Examples
    --------
    >>> shown_words(["a", "b"], 2), shown_words(["a", "b"], 5), shown_words([], 2)
    (('a', 'b'), ('·', 'a', '·', 'b', '·'), ('1', '2'))
    """
    if len(words) == n_tags:
        return tuple(words)
    if words and n_tags == 2 * len(words) + 1:
        return (GAP, *(part for word in words for part in (word, GAP)))
    if words and n_tags == len(words) + 1:  # one for the end of the sentence
        return (*words, END)
    return tuple(str(i + 1) for i in range(n_tags))


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


class SegmentRows(NamedTuple):
    """A page of segments, its own address without page or segment, and its table."""

    items: ItemsPage
    address: str
    table: Markup


@lru_cache(maxsize=_REMEMBERED)
def segment_rows(
    folder: RunFolder, _: FolderStamp | None, metric: str, filters: Filter, segment: str
) -> SegmentRows:
    """Return the table of a page of segments.

    Parameters
    ----------
    folder : RunFolder
    _ : FolderStamp
        Of what the run keeps: another one, another table.
    metric : str
        Of a table that the run keeps.
    filters : Filter
    segment : str
        The one that is read.
    """
    tables = saved_tables(folder)
    scores = next(table for table in tables.scores if table.name == metric)
    page = items_page(scores, filters, tables.texts)
    plain = {name: getattr(filters, name) for name in ("a", "b", "who", "group", "find", "order")}
    address = address_of(folder.run_id, metric=metric, **plain)
    table = (
        environment()
        .get_template("item_rows.html.j2")
        .render(
            wanted=filters,
            found=page,
            groups=bool(scores.groups),
            digits=digits_of(scores),
            address=address,
            here=segment,
        )
    )
    return SegmentRows(page, address, Markup(table))  # noqa: S704  (the template escapes)


def address_of(run_id: str, **address: str) -> str:
    """Return the address of a list, with what its filter says."""
    return f"/runs/{run_id}/items?" + urlencode({key: value for key, value in address.items() if value})


def forget_rows() -> None:
    """Drop what is remembered, such as of a run that was deleted."""
    segment_rows.cache_clear()
    forget_lists()
