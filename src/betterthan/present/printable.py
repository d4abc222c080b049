"""Text from files, made harmless for a terminal."""

from __future__ import annotations


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
