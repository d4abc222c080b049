"""Phrases that several reports share: counts with their nouns, shortened names, p-values inside a sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from betterthan.messages import Message
from betterthan.present.numbers import digits_for
from betterthan.present.table import Table
from betterthan.results.settings import UNIT_LINE
from betterthan.tables.scores import Scores

LOST = "significant for this pair alone, but not after adjustment for all pairs"


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


def shortened(name: str, most: int) -> str:
    """Return a long name without its middle: beginnings and ends tell names of one family apart.

    Examples
    --------
    >>> shortened("a-very-long-name-of-a-system-v2.1", 16), shortened("short", 16)
    ('a-very-l…em-v2.1', 'short')
    """
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return f"{name[: most - 1 - tail]}…{name[-tail:]}"


def about(n: float) -> str:
    """Return a number of segments to two significant digits, with commas between thousands.

    Examples
    --------
    >>> about(1146), about(12), about(579276)
    ('1,100', '12', '580,000')
    """
    return f"{float(f'{n:.2g}'):,.0f}"


def page_table(table: Table) -> Table:
    """Return a table without the option that chooses another unit: a page has none."""
    notes = tuple(map(_without_argument, table.notes))
    return replace(table, unit=_without_argument(table.unit), notes=notes)


def _without_argument(line: str) -> str:
    return str(line.fields["unit"]) if isinstance(line, Message) and line.code == UNIT_LINE else line


def number_different(n_different: int, n_pairs: int) -> str:
    """Say how many pairs differ significantly, as the end of a sentence.

    Examples
    --------
    >>> number_different(3, 28), number_different(1, 28), number_different(0, 1), number_different(1, 1)
    ('3 of 28 pairs differ', '1 of 28 pairs differs', 'the two systems do not differ', 'the two systems differ')
    """
    if n_pairs == 1:
        return "the two systems differ" if n_different else "the two systems do not differ"
    return f"{count(n_different)} of {count(n_pairs)} pairs {plural(n_different, 'differs', 'differ')}"


def digits_of(scores: Scores) -> int:
    """Return how many decimals scores are shown with: none when all of them are whole numbers."""
    known = scores.values[~np.isnan(scores.values)]
    if (known == np.round(known)).all():
        return 0
    return max(1, digits_for([], [float(np.abs(known).max(initial=0))]))
