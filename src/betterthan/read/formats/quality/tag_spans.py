"""Error spans of WMT23: ``lp name sid mt start_id end_id error``, several spans with blanks between, -1 -1 no-error.

Offsets count characters of the translation from 0, and the end is not part of the span. A span without length marks
the character at which it stands; at the end of the translation it says that something is missing there, so every
sentence has one more place than characters. What is a place of a span is BAD, as in the task's own scorer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.quality.quality_rows import (
    Account,
    Cells,
    Layout,
    guess,
    is_count,
    named,
    rows_of,
)
from betterthan.read.formats.quality.tag_labels import END, Collector, Labellings
from betterthan.read.formats.quality.tag_match import reading_of
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="tag_spans",
    kind="tags",
    description="error spans by characters, a row a sentence: lp, name, sid, mt, start_id, end_id and error",
)
_NONE = "no-error"
_SEVERITIES = ("minor", "major", "critical")
_OFFSETS = re.compile(r"-?[0-9]{1,9}(?: +-?[0-9]{1,9})*")

Span = tuple[int, int]


def _looks_like(cells: Cells) -> bool:
    """Whether a row has a number for its segment, and as many starts as ends and labels."""
    if not is_count(cells[2]) or not all(_OFFSETS.fullmatch(cell.strip()) for cell in cells[4:6]):
        return False
    return len(cells[4].split()) == len(cells[5].split()) == len(cells[6].split())


LAYOUT = Layout(columns=("sid", "mt", "start_id", "end_id", "error"), looks_like=_looks_like)


def sniff(source: Source) -> Guess | None:
    """Recognise the names of the columns, or seven cells that end with starts, ends and labels of errors."""
    return guess(source, LAYOUT, 0.985)


def read(source: Source, options: Options) -> Reading:
    """Read the file; a table comes of it where it holds the truth and a system."""
    return reading_of(labellings(source), FORMAT, sniff(source), options)


def labellings(source: Source, *, side: str | None = None) -> Labellings:
    """Return the tags of the characters of each language pair and system.

    Raises
    ------
    ReadError
        For offsets that fit no span of the translation (BT305), a severity that is not known (BT306), or when gaps are
        asked for (BT308).
    """
    if side not in (None, "mt"):
        raise ReadError(
            f'There are no tags of side "{side}": spans mark the translation. Choose mt.',
            path=source.name,
            code="BT308",
        )
    account = Account()
    collector = Collector(source, "character")
    severities: dict[str, int] = {}
    n_cut = 0
    for line, cells in rows_of(source, LAYOUT, account):
        text = cells[3].strip()
        spans = _spans(cells, source, line)
        for label in cells[6].split():
            severities[label.casefold()] = severities.get(label.casefold(), 0) + 1
        n_cut += sum(end > len(text) for _, end in spans)
        collector.add(named(cells, source, line), text, _marked(text, spans, source, line), line)
    _check_known(severities, source)
    return Labellings(
        found=collector.labellings(),
        rows_read=account.n_rows,
        dropped=account.dropped,
        notes=(*account.notes(source.name), *_notes(severities, n_cut, source)),
    )


def _spans(cells: Cells, source: Source, line: int) -> list[Span]:
    """Return the spans of a row; -1 -1 is none."""
    starts, ends, labels = (cell.split() for cell in cells[4:7])
    if not len(starts) == len(ends) == len(labels):
        raise ReadError(
            f"The row has {len(starts)} starts, {len(ends)} ends and {len(labels)} labels. Write one of each a span.",
            path=source.name,
            line=line,
            code="BT305",
        )
    spans = []
    for start, end, label in zip(starts, ends, labels, strict=True):
        if not (_OFFSETS.fullmatch(start) and _OFFSETS.fullmatch(end)):
            raise _no_span(start, end, source, line, "are no offsets")
        span = (int(start), int(end))
        if (span == (-1, -1)) != (label.casefold() == _NONE):
            raise _no_span(start, end, source, line, f'and "{label[:20]}" contradict each other')
        if span != (-1, -1):
            spans.append(span)
    return spans


def _marked(text: str, spans: Sequence[Span], source: Source, line: int) -> list[bool]:
    """Return which of the characters, and of the place behind them, are in a span."""
    bad = [False] * (len(text) + 1)
    for start, end in spans:
        if not 0 <= start <= min(end, len(text)):
            raise _no_span(str(start), str(end), source, line, f"fit no span of {len(text)} characters")
        for place in range(start, max(min(end, len(text)), start + 1)):
            bad[place] = True
    return bad


def _no_span(start: str, end: str, source: Source, line: int, what: str) -> ReadError:
    return ReadError(
        f"Start {start[:20]} and end {end[:20]} {what}. Count characters from 0, the end not included; "
        f"-1 -1 {_NONE} is no error.",
        path=source.name,
        line=line,
        code="BT305",
    )


def _check_known(severities: dict[str, int], source: Source) -> None:
    unknown = {label: count for label, count in severities.items() if label not in (*_SEVERITIES, _NONE)}
    if unknown:
        listed = [
            f'"{label[:40]}": {count}' for label, count in sorted(unknown.items(), key=lambda item: -item[1])
        ]
        raise ReadError(
            f"Unknown severities: {some_of(listed)}. Known are {', '.join(_SEVERITIES)} and {_NONE}. Correct them.",
            path=source.name,
            code="BT306",
        )


def _notes(severities: dict[str, int], n_cut: int, source: Source) -> list[str]:
    counts = [f"{label} {severities[label]:,}" for label in _SEVERITIES if label in severities]
    shown = f" ({', '.join(counts)})" if counts else ""
    notes = [
        f"{source.name}: characters are tagged, and one place behind the last; severities are not told apart{shown}."
    ]
    if n_cut:
        notes.append(f"{source.name}: spans that end behind the translation and were cut there: {n_cut:,}.")
    return notes


def on_words(text: str, bad: Sequence[bool], words: Sequence[str]) -> list[bool] | None:
    r"""Return the tags of words from those of characters: a word is BAD that shares a character with a span.

    A blank between words that is BAD while the characters beside it are not stands for something missing, and makes the
    next word BAD; the place behind the last character belongs to the last word if that is ``<EOS>``.

    Returns
    -------
    list of bool, or None
        None when the words are not those of the text.

    Examples
    --------
    >>> text = "The cat sat."
    >>> bad = [place in (3, 12) for place in range(13)]
    >>> on_words(text, bad, ["The", "cat", "sat", ".", "<EOS>"])
    [False, True, False, False, True]
    """
    tags, place = [], 0
    for word in words:
        behind = place
        while place < len(text) and text[place].isspace():
            place += 1
        if word == END and place == len(text):
            tags.append(any(bad[behind:]))
            place = len(text) + 1
            continue
        end = _end_of(text, word, place)
        if end is None:
            return None
        gap = any(bad[behind:place]) and not (behind and bad[behind - 1])
        tags.append(any(bad[place:end]) or gap)
        place = end
    return tags if not text[place:].strip() else None


def _end_of(text: str, word: str, place: int) -> int | None:
    """Return where a word ends that begins at a place of a text, case ignored."""
    end = place + len(word)
    return end if text[place:end].lower() == word.lower() else None
