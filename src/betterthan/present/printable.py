"""Text from files, made harmless for a terminal."""

from __future__ import annotations

import re
from typing import TypeVar

Value = TypeVar("Value")

# Embeddings, overrides and isolates; the marks of Arabic and Hebrew (U+200E, U+200F) turn only themselves.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""Return `text` with control characters written out, so that no file can steer the terminal.

    Characters that turn the reading direction around count as control characters: a name must not be able to
    reorder the line it stands in.

    Examples
    --------
    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(c if _is_harmless(c) else c.encode("unicode_escape").decode("ascii") for c in text)


def _is_harmless(character: str) -> bool:
    return character.isprintable() or character in "\n\u200c\u200d\u00a0\u202f"


def unturned(value: Value) -> Value:
    r"""Return text with the characters written out that turn the direction of what follows; for pages.

    A name with such a character could rewrite the sentence that it stands in. Text that is marked as safe stays so.

    Examples
    --------
    >>> unturned("a\u202eb"), unturned(3)
    ('a\\u202eb', 3)
    """
    if not isinstance(value, str) or not _TURNING.search(value):
        return value
    written = _TURNING.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    return type(value)(written)
