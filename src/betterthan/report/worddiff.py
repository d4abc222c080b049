"""Word differences between texts: of an output and its reference, and of two outputs."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import groupby

from betterthan.report.document import MarkedText

_WORD = re.compile(r"\s+|[^\s]+")
_LONGEST = 600


def marked(label: str, text: str, other: str) -> MarkedText:
    """Return `text` cut into pieces; True marks words that `other` does not have at this place.

    Texts without spaces are compared character by character.

    Examples
    --------
    >>> marked("A", "the old boat", "the new boat").pieces
    (('the ', False), ('old', True), (' boat', False))
    """
    return MarkedText(
        label=label, pieces=tuple((piece, bool(marks)) for piece, marks in compared(text, reference=other))
    )


def compared(
    text: str, *, reference: str | None = None, other: str | None = None
) -> tuple[tuple[str, str], ...]:
    """Return `text` in pieces with their marks: "r" where the reference differs, "o" where the other output does.

    Examples
    --------
    >>> compared("the old boat", reference="the new boat", other="an old boat")
    (('the', 'o'), (' ', ''), ('old', 'r'), (' boat', ''))
    """
    texts = {"r": reference, "o": other}
    words = _words(text, *(one for one in texts.values() if one is not None))
    marks = [""] * len(words)
    for mark, one in texts.items():
        if one is None:
            continue
        for place in _differing(words, _words(one, text)):
            marks[place] += mark
    pieces = groupby(zip(words, marks, strict=True), key=lambda piece: piece[1])
    return tuple(("".join(word for word, _ in run), mark) for mark, run in pieces)


def _words(text: str, *others: str) -> list[str]:
    """Return the words and blanks of a text; its characters where neither it nor the others have blanks."""
    by_word = any(" " in one.strip() for one in (text, *others))
    return _WORD.findall(text) if by_word else list(text)


def _differing(first: list[str], second: list[str]) -> list[int]:
    """Return the places of words in `first` that are not matched in `second`; none where texts are very long."""
    if max(len(first), len(second)) > _LONGEST:
        return []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return [
        place
        for kind, start, end, _, _ in matcher.get_opcodes()
        if kind != "equal"
        for place in range(start, end)
    ]


def plain(label: str, text: str | None) -> MarkedText:
    """Return a text with nothing marked; a missing one says so."""
    return MarkedText(label=label, pieces=(("(missing)" if text is None else text, False),))
