"""The table of a page of segments, and what stands below each: its texts with the differing words marked, or its tags.

A page is the same for every reader, so it is rendered once and stays in memory for a while.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from betterthan.report.document import MarkedText
from betterthan.report.worddiff import marked, plain
from betterthan.report.wording import digits_of
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts
from betterthan.web.details.items import Filter, ItemsPage, items_page
from betterthan.web.render import environment
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.saved_tables import FolderStamp, SavedTables, saved_tables

GAP, END = "·", "⏎"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedWord:
    """A word as a system tagged it, and whether the truth is another."""

    word: str
    is_bad: bool
    is_wrong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLine:
    """The words of a segment with the tags of the truth or of a system."""

    label: str
    words: tuple[TaggedWord, ...]

    @property
    def n_wrong(self) -> int:
        """How many tags are wrong."""
        return sum(word.is_wrong for word in self.words)


def texts_below(
    tables: SavedTables, segments: Sequence[str], pair: tuple[str, str]
) -> dict[str, tuple[MarkedText, ...]]:
    """Return the texts of some segments: what all share, then both systems' with the words marked that differ."""
    texts = tables.texts
    if texts is None:
        return {}
    place = {segment: j for j, segment in enumerate(texts.segments)}
    return {segment: _words(texts, place[segment], pair) for segment in segments if segment in place}


def _words(texts: Texts, j: int, pair: tuple[str, str]) -> tuple[MarkedText, ...]:
    shown_lines = [] if texts.sources is None else [plain("source", texts.sources[j])]
    shown_lines += [
        plain(name, lines[j]) for name, lines in zip(texts.reference_names, texts.references, strict=False)
    ]
    outputs = {
        system: texts.outputs[texts.systems.index(system)][j] for system in pair if system in texts.systems
    }
    for system, text in outputs.items():
        other = texts.references[0][j] if texts.references else _other(outputs, system)
        shown_lines.append(
            plain(system, text) if text is None or other is None else marked(system, text, other)
        )
    return tuple(shown_lines)


def _other(outputs: dict[str, str | None], system: str) -> str | None:
    return next((text for name, text in outputs.items() if name != system), None)


def tags_below(
    tables: SavedTables, segments: Sequence[str], pair: tuple[str, str]
) -> dict[str, tuple[TagLine, ...]]:
    """Return the tags of some segments: the truth, then both systems'."""
    if tables.tags is None:
        return {}
    place = {segment: j for j, segment in enumerate(tables.tags.segments)}
    return {segment: _lines(tables.tags, tables.words, place[segment], pair) for segment in segments}


def _lines(
    tags: WordTags, words: tuple[tuple[str, ...], ...], j: int, pair: tuple[str, str]
) -> tuple[TagLine, ...]:
    here = slice(int(tags.offsets[j]), int(tags.offsets[j + 1]))
    gold = tags.gold[here].tolist()
    shown = shown_words(words[j] if words else (), len(gold))
    tags_by_name = {"truth": gold} | {
        name: tags.predicted[tags.systems.index(name), here].tolist() for name in pair
    }
    return tuple(
        TagLine(
            label=label,
            words=tuple(
                TaggedWord(word=word, is_bad=is_bad, is_wrong=is_bad != truth)
                for word, is_bad, truth in zip(shown, line, gold, strict=True)
            ),
        )
        for label, line in tags_by_name.items()
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


_REMEMBERED = 64


class SegmentRows(NamedTuple):
    """A page of segments, its own address without the page's number, and its table."""

    items: ItemsPage
    address: str
    table: Markup


@lru_cache(maxsize=_REMEMBERED)
def segment_rows(folder: RunFolder, _: FolderStamp | None, metric: str, filters: Filter) -> SegmentRows:
    """Return the table of a page of segments.

    Parameters
    ----------
    folder : RunFolder
    _ : FolderStamp
        Of what the run keeps: another one, another table.
    metric : str
        Of a table that the run keeps.
    filters : Filter
    """
    tables = saved_tables(folder)
    scores = next(table for table in tables.scores if table.name == metric)
    page = items_page(scores, filters)
    shown, pair = [item.segment for item in page.items], (filters.a, filters.b)
    plain = {name: getattr(filters, name) for name in ("a", "b", "who", "group", "find", "order")}
    address = address_of(folder.run_id, metric=metric, **plain)
    table = (
        environment()
        .get_template("item_rows.html.j2")
        .render(
            scores=scores,
            wanted=filters,
            items=page,
            groups=bool(scores.groups),
            digits=digits_of(scores),
            texts=texts_below(tables, shown, pair),
            tags=tags_below(tables, shown, pair),
            address=address,
        )
    )
    return SegmentRows(page, address, Markup(table))  # noqa: S704  (the template escapes)


def address_of(run_id: str, **address: str) -> str:
    """Return the address of a list, with what is given of its filter."""
    return f"/runs/{run_id}/items?" + urlencode({key: value for key, value in address.items() if value})


def forget_rows() -> None:
    """Drop what is remembered, such as of a run that was deleted."""
    segment_rows.cache_clear()
