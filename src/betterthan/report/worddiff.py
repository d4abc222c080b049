"""Which words of a text are not in another, in order."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from betterthan.report.document import MarkedText

_WORD = re.compile(r"\s+|[^\s]+")
_LONGEST = 600


def marked(label: str, text: str, other: str) -> MarkedText:
    """Return `text` cut into pieces; True marks words that `other` does not have at this place.

    Texts without spaces are compared character by character.

    Examples
    --------
    >>> marked("A", "the old house", "the new house").pieces
    (('the ', False), ('old', True), (' house', False))
    """
    by_word = " " in text.strip() or " " in other.strip()
    first, second = (_WORD.findall(t) if by_word else list(t) for t in (text, other))
    if max(len(first), len(second)) > _LONGEST:
        return plain(label, text)
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    pieces: list[tuple[str, bool]] = []
    for kind, start, end, _, _ in matcher.get_opcodes():
        if start < end:
            pieces.append(("".join(first[start:end]), kind != "equal"))
    return MarkedText(label=label, pieces=tuple(pieces))


def plain(label: str, text: str | None) -> MarkedText:
    """Return a text with nothing marked; a missing one says so."""
    return MarkedText(label=label, pieces=(("(missing)" if text is None else text, False),))
