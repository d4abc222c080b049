"""Tags in tables of the word-level tasks, separated by tabs: one row per word, per sentence, or error spans."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.builders import unknown_values
from betterthan.read.formats.quality.quality_rows import (
    Layout,
    RowAccount,
    RowCells,
    guess,
    is_count,
    named,
    rows_of,
)
from betterthan.read.formats.quality.tag_labels import (
    END,
    IS_BAD,
    Collector,
    Labelling,
    Labellings,
    reading_of,
    split_words,
    tag,
)
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source


@dataclass(frozen=True, slots=True)
class TagTable:
    """A layout of tags, in the shape of a :class:`~betterthan.read.protocol.Reader`."""

    FORMAT: Format
    layout: Layout
    confidence: float
    labellings: Callable[[Source, str | None], Labellings]
    """Return the tags of a source and a side (mt, gap, source, or the default)."""

    def sniff(self, source: Source) -> Guess | None:
        """Recognize the names of the columns, or rows of this layout after metadata of the submission."""
        return guess(source, self.layout, self.confidence)

    def read(self, source: Source, options: Options) -> Reading:
        """Read the file; it gives a table where it has gold tags and a system."""
        return reading_of(self.labellings(source, None), self.FORMAT, self.sniff(source), options)


_TYPES = {
    "mt": "mt",
    "target": "mt",
    "tgt": "mt",
    "gap": "gap",
    "gaps": "gap",
    "source": "source",
    "src": "source",
}


def _is_tagged_word(cells: RowCells) -> bool:
    """Whether a row has a type, two numbers and a tag in their places."""
    known = cells[2].strip().casefold() in _TYPES and cells[6].strip().casefold() in IS_BAD
    return known and is_count(cells[3]) and is_count(cells[4])


_WORD_LAYOUT = Layout(columns=("type", "sent_id", "word_idx", "word", "tag"), looks_like=_is_tagged_word)

Words = dict[tuple[str, str, str], dict[int, tuple[str, bool, int]]]


def _tags_of_words(source: Source, side: str | None) -> Labellings:
    """Return the tags of one side: the requested one, else the only one, else that of the translation.

    Raises
    ------
    ReadError
        For an unknown type (BT306), a missing side (BT308), words that are numbered twice or not at all (BT303), and
        invalid tags (BT140).
    """
    account = RowAccount()
    words: dict[str, Words] = {}
    unknown: Counter[str] = Counter()
    for line, cells in rows_of(source, _WORD_LAYOUT, account):
        kind = _TYPES.get(cells[2].strip().casefold())
        if kind is None:
            unknown[cells[2].strip()] += 1
            continue
        _add_word(words.setdefault(kind, {}), cells, source, line)
    if unknown:
        known, fix = "mt, gap and source", "Correct them or remove the rows."
        raise unknown_values("types of tags", unknown, known, path=source.name, code="BT306", fix=fix)
    kind = _chosen_side(words, side, source)
    for other, of_other in words.items():
        if other != kind:
            account.dropped[f'side "{other}"'] = sum(map(len, of_other.values()))
    return Labellings(
        parts=_in_order(words.get(kind, {}), kind, source),
        rows_read=account.n_rows,
        dropped=account.dropped,
        notes=(*account.notes(source.name), *_side_note(words, kind, source)),
        row_is_word=True,
    )


def _add_word(words: Words, cells: RowCells, source: Source, line: int) -> None:
    pair, name, segment = named([cells[0], cells[1], cells[3]], source, line)
    if not is_count(cells[4]):
        raise source.error(
            f'"{cells[4][:40]}" is not the number of a word. Count words 0, 1, 2, …', line=line, code="BT303"
        )
    sentence = words.setdefault((pair, name, segment), {})
    place = int(cells[4])
    if place in sentence:
        raise source.error(
            f"Word {place} of sentence {segment[:40]} by {quoted(name)} was already tagged in line "
            f"{sentence[place][2]}. Remove one of the two.",
            line=line,
            code="BT303",
        )
    sentence[place] = (cells[5].strip(), tag(cells[6].strip(), source, line), line)


def _chosen_side(words: dict[str, Words], side: str | None, source: Source) -> str:
    if side is not None and words and side not in words:
        raise source.error(
            f'There are no tags of side "{side}", only of {some_of(sorted(words))}. Choose one of these.',
            code="BT308",
        )
    if side is not None:
        return side
    return "mt" if "mt" in words or not words else min(words)


def _side_note(words: dict[str, Words], kind: str, source: Source) -> tuple[str, ...]:
    others = sorted(words.keys() - {kind})
    if not others:
        return ()
    return (f'{source.name}: tags of side "{kind}" are used; there are also tags of {some_of(others)}.',)


def _in_order(words: Words, kind: str, source: Source) -> tuple[Labelling, ...]:
    # Gaps have no word to compare.
    collector = Collector(source, "gap" if kind == "gap" else "word", has_texts=kind != "gap")
    for key, sentence in words.items():
        order = sorted(sentence)
        start = min(order[0], 1)  # words are counted from 0, in some files from 1
        absent = next((i for i, place in enumerate(order, start) if place != i), None)
        first = sentence[order[0]][2]
        if absent is not None:
            raise source.error(
                f"Word {absent} of sentence {key[2][:40]} by {quoted(key[1])} has no tag. Number all words 0, 1, 2, …",
                line=first,
                code="BT303",
            )
        text = " ".join(sentence[place][0] for place in order)
        collector.add(key, text, [sentence[place][1] for place in order], first)
    return collector.labellings()


WORDS = TagTable(
    Format(
        name="tag_rows",
        kind="tags",
        description="OK or BAD for each word, one row per word: lp, method, type, sentence, word number, word, tag",
    ),
    _WORD_LAYOUT,
    0.99,
    _tags_of_words,
)
"""Submissions to the word-level tasks of WMT20 to WMT23: ``LP METHOD TYPE SENT_ID WORD_IDX WORD TAG``.

TYPE is mt, gap or source. Words are put in order by their number, not by their line. The gold labels of WMT21 have the
same layout, in files that end in ``.tags``.
"""


def _has_tag_per_word(cells: RowCells) -> bool:
    """Whether a row ends with as many tags as it has words."""
    tags = split_words(cells[5])
    return (
        is_count(cells[2])
        and len(tags) == len(split_words(cells[4]))
        and all(t.casefold() in IS_BAD for t in tags)
    )


_SENTENCE_LAYOUT = Layout(columns=("sid", "mt", "mttok", "tags"), looks_like=_has_tag_per_word)


def _tags_of_sentences(source: Source, side: str | None) -> Labellings:
    """Return the tags of the words of each language pair and system.

    Raises
    ------
    ReadError
        When words and tags differ in number (BT142), a tag is invalid (BT140), or gaps are requested (BT308).
    """
    if side not in (None, "mt"):
        raise source.error(f'There are no tags of side "{side}", only of mt. Choose that.', code="BT308")
    account = RowAccount()
    collector = Collector(source, "word")
    n_ends = 0
    for line, cells in rows_of(source, _SENTENCE_LAYOUT, account):
        words, tags = split_words(cells[4]), split_words(cells[5])
        if len(words) != len(tags):
            raise source.error(
                f"This row has {len(words)} words (mttok), but {len(tags)} tags. Tag every word, {END} included.",
                line=line,
                code="BT142",
            )
        n_ends += words[-1:] == [END]
        bad = [tag(word, source, line, position) for position, word in enumerate(tags, 1)]
        collector.add(named(cells, source, line), " ".join(words), bad, line)
    ends = f"{source.name}: {END} has its own tag in {n_ends:,} sentences, and is scored with the words."
    return Labellings(
        parts=collector.labellings(),
        rows_read=account.n_rows,
        dropped=account.dropped,
        notes=(*account.notes(source.name), *([ends] if n_ends else [])),
    )


SENTENCES = TagTable(
    Format(
        name="tag_sentences",
        kind="tags",
        description="OK or BAD for each word, one row per sentence: lp, name, sid, mt, mttok and tags",
    ),
    _SENTENCE_LAYOUT,
    0.99,
    _tags_of_sentences,
)
"""Word labels of WMT22 and WMT23: ``lp name sid mt mttok tags``, with or without a header.

``mttok`` are the words with blanks between them; they end in ``<EOS>``, which has a tag of its own.
"""


_NONE = "no-error"
_SEVERITIES = ("minor", "major", "critical")
_OFFSETS = re.compile(r"-?[0-9]{1,9}(?: +-?[0-9]{1,9})*")

Span = tuple[int, int]


def _has_whole_spans(cells: RowCells) -> bool:
    """Whether a row has a number for its segment, and as many starts as ends and labels."""
    if not is_count(cells[2]) or not all(_OFFSETS.fullmatch(cell.strip()) for cell in cells[4:6]):
        return False
    return len(cells[4].split()) == len(cells[5].split()) == len(cells[6].split())


_SPAN_LAYOUT = Layout(columns=("sid", "mt", "start_id", "end_id", "error"), looks_like=_has_whole_spans)


def _tags_of_spans(source: Source, side: str | None) -> Labellings:
    """Return the tags of the characters of each language pair and system.

    Raises
    ------
    ReadError
        For offsets outside the translation (BT305), an unknown severity (BT306), or when gaps are requested (BT308).
    """
    if side not in (None, "mt"):
        raise source.error(
            f'There are no tags of side "{side}": spans mark the translation. Choose mt.', code="BT308"
        )
    account = RowAccount()
    collector = Collector(source, "character")
    severities: Counter[str] = Counter()
    n_cut = 0
    for line, cells in rows_of(source, _SPAN_LAYOUT, account):
        text = cells[3].strip()
        spans = _spans(cells, source, line)
        severities.update(cells[6].casefold().split())
        n_cut += sum(end > len(text) for _, end in spans)
        collector.add(named(cells, source, line), text, _marked(text, spans, source, line), line)
    _check_severities(severities, source)
    return Labellings(
        parts=collector.labellings(),
        rows_read=account.n_rows,
        dropped=account.dropped,
        notes=(*account.notes(source.name), *_span_notes(severities, n_cut, source)),
    )


def _spans(cells: RowCells, source: Source, line: int) -> list[Span]:
    """Return the spans of a row; -1 -1 is none."""
    starts, ends, labels = (cell.split() for cell in cells[4:7])
    if not len(starts) == len(ends) == len(labels):
        raise source.error(
            f"The row has {len(starts)} starts, {len(ends)} ends and {len(labels)} labels. Write one of each per span.",
            line=line,
            code="BT305",
        )
    spans = []
    for start, end, label in zip(starts, ends, labels, strict=True):
        if not (_OFFSETS.fullmatch(start) and _OFFSETS.fullmatch(end)):
            raise _no_span(start, end, source, line, "are not offsets")
        span = (int(start), int(end))
        if (span == (-1, -1)) != (label.casefold() == _NONE):
            raise _no_span(start, end, source, line, f'and "{label[:20]}" contradict each other')
        if span != (-1, -1):
            spans.append(span)
    return spans


def _marked(text: str, spans: Sequence[Span], source: Source, line: int) -> list[bool]:
    """Return which characters, and whether the position after them, are in a span."""
    bad = [False] * (len(text) + 1)
    for start, end in spans:
        if not 0 <= start <= min(end, len(text)):
            raise _no_span(str(start), str(end), source, line, f"are outside the {len(text)} characters")
        for place in range(start, max(min(end, len(text)), start + 1)):
            bad[place] = True
    return bad


def _no_span(start: str, end: str, source: Source, line: int, what: str) -> ReadError:
    return source.error(
        f"Start {start[:20]} and end {end[:20]} {what}. Count characters from 0, the end not included; "
        f"-1 -1 {_NONE} is no error.",
        line=line,
        code="BT305",
    )


def _check_severities(severities: Mapping[str, int], source: Source) -> None:
    unknown = {label: count for label, count in severities.items() if label not in (*_SEVERITIES, _NONE)}
    if unknown:
        known = f"{', '.join(_SEVERITIES)} and {_NONE}"
        raise unknown_values(
            "severities", unknown, known, path=source.name, code="BT306", fix="Correct them."
        )


def _span_notes(severities: Mapping[str, int], n_cut: int, source: Source) -> list[str]:
    counts = [f"{label} {severities[label]:,}" for label in _SEVERITIES if label in severities]
    shown = f" ({', '.join(counts)})" if counts else ""
    about = "characters are tagged, and one position after the last; severities are not distinguished"
    notes = [f"{source.name}: {about}{shown}."]
    if n_cut:
        notes.append(f"{source.name}: spans that end after the translation and were truncated: {n_cut:,}.")
    return notes


SPANS = TagTable(
    Format(
        name="tag_spans",
        kind="tags",
        description="error spans by characters, one row per sentence: lp, name, sid, mt, start_id, end_id and error",
    ),
    _SPAN_LAYOUT,
    0.985,
    _tags_of_spans,
)
"""Error spans of WMT23: ``lp name sid mt start_id end_id error``, several spans with blanks between, -1 -1 no-error.

Offsets count characters of the translation from 0, and the end is not part of the span. A span of length 0 marks the
character at its position; at the end of the translation it marks an omission, so every sentence has one more position
than characters. All positions of a span are BAD, as in the task's own scorer.
"""

TAG_TABLES = (WORDS, SENTENCES, SPANS)
