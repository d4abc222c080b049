"""Small words that several reports need: counts with their nouns, and p-values inside a sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from betterthan.messages import Message
from betterthan.present.numbers import digits_for, equals_p
from betterthan.present.table import Table
from betterthan.results.units import UNIT_LINE
from betterthan.tables.scores import Scores

LOST = "alone significant, but not after correction for all pairs"


def count(n: float) -> str:
    """Return a number with commas between thousands.

    Examples
    --------
    >>> count(4088), count(12), count(2.5)
    ('4,088', '12', '2.5')
    """
    return f"{n:,.10g}"


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return the noun or verb in the singular or the plural.

    Examples
    --------
    >>> plural(1, "system"), plural(3, "system"), plural(2, "scores", "score")
    ('system', 'systems', 'score')
    """
    return one if n == 1 else many or f"{one}s"


def page_table(table: Table) -> Table:
    """Return a table without the argument that chooses another unit: a page has none."""
    notes = tuple(map(_without_argument, table.notes))
    return replace(table, unit=_without_argument(table.unit), notes=notes)


def _without_argument(line: str) -> str:
    return str(line.fields["unit"]) if isinstance(line, Message) and line.code == UNIT_LINE else line


def number_different(n_different: int, n_pairs: int) -> str:
    """Say how many pairs differ significantly, as the end of a sentence.

    Examples
    --------
    >>> number_different(3, 28), number_different(1, 28), number_different(0, 1), number_different(1, 1)
    ('3 of 28 pairs are', '1 of 28 pairs is', 'the one pair is not', 'the one pair is')
    """
    if n_pairs == 1:
        return "the one pair is" if n_different else "the one pair is not"
    return f"{count(n_different)} of {count(n_pairs)} pairs {plural(n_different, 'is', 'are')}"


def corrected(p: float, n_pairs: int, *, lost: bool = False) -> str:
    """Say what the p-value of a pair becomes when all pairs are looked at; nothing where there is only one.

    Parameters
    ----------
    p : float
        After correction.
    n_pairs : int
    lost : bool
        Whether the pair taken alone was significant and is not after correction.

    Examples
    --------
    >>> corrected(0.04, 28), corrected(0.04, 1)
    (' Corrected for looking at all 28 pairs, p = 0.0400.', '')
    >>> corrected(0.0502, 3, lost=True)
    ' Corrected for looking at all 3 pairs, p = 0.0502: alone significant, but not after correction for all pairs.'
    """
    if n_pairs < 2:
        return ""
    end = f": {LOST}." if lost else "."
    return f" Corrected for looking at all {count(n_pairs)} pairs, {equals_p(p)}{end}"


def digits_of(scores: Scores) -> int:
    """Return how many decimals scores are shown with: none when all of them are whole numbers."""
    known = scores.values[~np.isnan(scores.values)]
    if (known == np.round(known)).all():
        return 0
    return max(1, digits_for([], [float(np.abs(known).max(initial=0))]))
