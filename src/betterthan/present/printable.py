"""Text from files, made harmless for a terminal."""

from __future__ import annotations

import re
from typing import TypeVar

Printed = TypeVar("Printed")

# Control characters but tab and line ends; embeddings, overrides and isolates, which turn what follows. The marks of
# Arabic and Hebrew (U+200E, U+200F) turn only themselves.
_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


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


def unturned(value: Printed) -> Printed:
    r"""Return text with control characters written out, and those that turn the direction of what follows; for pages.

    A name with such a character could rewrite the sentence that it stands in, or steer the terminal on which the page
    is printed. Text that is marked as safe stays so.

    Examples
    --------
    >>> unturned("a\u202eb\x1b[2J"), unturned(3)
    ('a\\u202eb\\x1b[2J', 3)
    """
    if not isinstance(value, str) or not _CONTROL_CHARACTERS.search(value):
        return value
    written = _CONTROL_CHARACTERS.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), value)
    return type(value)(written)
