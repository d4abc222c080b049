"""Small words that several reports need: numbers of things, and p-values inside a sentence."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from betterthan.messages import Message
from betterthan.present.numbers import digits_for, pvalue
from betterthan.present.table import Table
from betterthan.tables.scores import Scores

LOST = "alone significant, but not after correction for all pairs"
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\w)")


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


def thousands(text: str) -> str:
    """Return a text of ours with thin spaces where other modules put commas between thousands.

    Examples
    --------
    >>> thousands("8,400 of 12,000 rows kept, 3,14 and x1,000 as they are").replace("\u202f", " ")
    '8 400 of 12 000 rows kept, 3,14 and x1,000 as they are'
    """
    if isinstance(text, Message):  # its options are still to be spelled
        return text
    return _THOUSANDS.sub(lambda found: found.group().replace(",", "\u202f"), text)


def one_pair(text: str) -> str:
    """Return a text about all pairs as it is said where two systems make a single one.

    Examples
    --------
    >>> one_pair("All 3 rankings order all 1 pair of systems alike.")
    'All 3 rankings order the one pair of systems alike.'
    """
    return text.replace("all 1 pair of", "the one pair of").replace("Of 1 pairs of", "Of 1 pair of")


def for_page(table: Table) -> Table:
    """Return a table written as the page writes: thin spaces between thousands, one pair; names stay as they are."""
    counts = {j for j, column in enumerate(table.columns) if column.kind == "count"}
    rows = tuple(
        tuple(
            thousands(cell) if j in counts and isinstance(cell, str) else cell for j, cell in enumerate(row)
        )
        for row in table.rows
    )
    words = tuple(thousands(one_pair(text)) for text in table.words)
    return replace(table, title=thousands(table.title), words=words, rows=rows)


def page_table(table: Table, unit_note: str) -> Table:
    """Return a table without the argument that chooses another unit: a page has none.

    Parameters
    ----------
    table : Table
        Its first line says the unit, where there is something to say.
    unit_note : str
        Which unit was used; empty where the table does not say it.
    """
    return replace(table, words=(unit_note, *table.words[1:])) if unit_note else table


def sentence(words: str) -> str:
    """Return words with a capital first letter.

    Examples
    --------
    >>> sentence("the one pair is")
    'The one pair is'
    """
    return words[:1].upper() + words[1:]


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
