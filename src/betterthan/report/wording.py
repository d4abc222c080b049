"""Small words that several reports need: numbers of things, and p-values inside a sentence."""

from __future__ import annotations

from betterthan.present.numbers import pvalue


def count(n: float) -> str:
    """Return a number with thin spaces between thousands.

    Examples
    --------
    >>> count(4088).replace("\u202f", " "), count(12), count(2.5)
    ('4 088', '12', '2.5')
    """
    return f"{n:,.10g}".replace(",", "\u202f")


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return the word for one thing or for several.

    Examples
    --------
    >>> plural(1, "system"), plural(3, "system"), plural(2, "scores", "score")
    ('system', 'systems', 'score')
    """
    return one if n == 1 else many or f"{one}s"


def equals_p(p: float) -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> equals_p(0.0312), equals_p(1e-9)
    ('p = 0.0312', 'p < 0.0001')
    """
    written = pvalue(p)
    return f"p < {written.removeprefix('<')}" if written.startswith("<") else f"p = {written}"


def corrected(p: float, n_pairs: int) -> str:
    """Say what the p-value of a pair becomes when all pairs are looked at; nothing where there is only one.

    Examples
    --------
    >>> corrected(0.04, 28), corrected(0.04, 1)
    (' Corrected for looking at all 28 pairs, p = 0.0400.', '')
    """
    return f" Corrected for looking at all {n_pairs} pairs, {equals_p(p)}." if n_pairs > 1 else ""
