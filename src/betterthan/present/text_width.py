"""How wide a text is drawn, so that lines can be broken, labels placed and names shortened before anything is drawn."""

from __future__ import annotations

import unicodedata

FONTS = 'Arial, Helvetica, "Liberation Sans", "Noto Sans", sans-serif'
"""Fonts of charts. The first three have the same widths, which are those below."""
# Advance widths of the characters from space to tilde in Helvetica, in thousandths of the font size; Arial and
# Liberation Sans, which the converter draws with, share them.
_ASCII = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
_OTHERS = {
    "…": 1000,
    "–": 556,
    "—": 1000,
    "−": 584,
    "·": 333,
    "±": 584,
    "≤": 549,
    "≥": 549,
    "\u00a0": 278,
    "’": 222,
}
_WIDE, _UNKNOWN = 1000, 600
_BOLD = 1.07


def text_width(text: str, size: float = 12, *, is_bold: bool = False) -> float:
    """Return about how many pixels a text takes in a font of this size.

    Examples
    --------
    >>> round(text_width("Mistral-7B")), round(text_width("通义千问")), text_width("")
    (54, 48, 0.0)
    """
    thousandths = sum(map(_advance, text))
    return thousandths / 1000 * size * (_BOLD if is_bold else 1)


def is_measured(text: str) -> bool:
    """Return whether the widths of all characters are known and not guessed.

    Examples
    --------
    >>> is_measured("GPT-4…"), is_measured("通义千问"), is_measured("שלום")
    (True, True, False)
    """
    return all(is_basic(c) or unicodedata.east_asian_width(c) in "WF" for c in text)


def is_basic(character: str) -> bool:
    """Return whether every font has a character: ASCII, and the signs that charts use themselves."""
    return " " <= character <= "~" or character in _OTHERS


def wrapped(text: str, pixels: float, size: float = 12, *, is_bold: bool = False) -> list[str]:
    """Break a text at blanks into lines that are at most so wide; a longer word has a line of its own.

    Examples
    --------
    >>> wrapped("one two three", 45)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, is_bold=is_bold) <= pixels:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def columns_of(text: str) -> int:
    """Return how many Latin letters are about as wide as a text: wide characters count two.

    Examples
    --------
    >>> columns_of("GPT-4"), columns_of("通义")
    (5, 4)
    """
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def _advance(character: str) -> int:
    if " " <= character <= "~":
        return _ASCII[ord(character) - 32]
    if character in _OTHERS:
        return _OTHERS[character]
    if unicodedata.combining(character):
        return 0
    return _WIDE if unicodedata.east_asian_width(character) in "WF" else _UNKNOWN
