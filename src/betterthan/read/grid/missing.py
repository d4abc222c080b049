"""Which words mean a missing value: one list for scores, systems, segments, judges and winners, in Python and SQL.

No other module may decide whether a cell is missing, so that "NA" is not a judge in one file and a gap in the next.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from betterthan.errors import ReadError

MISSING = frozenset(
    {"", "-", "--", "nan", "-nan", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "null", "none", "nil", "nat"}
)
"""Without case and surrounding blanks; what pandas, R, spreadsheets and databases write."""
_BLANKS = r"[\s\v\x1c-\x1f\x{85}\p{Z}]*"  # what `str.strip` leaves nothing of, as the engine spells it
_LONGEST = max(map(len, MISSING))


def is_missing(text: str | None) -> bool:
    """Say whether a cell holds nothing: empty, or one of the usual words for that.

    Examples
    --------
    >>> [is_missing(cell) for cell in (" NaN", "N/A", "NA", None, "0", "Nana")]
    [True, True, True, True, False, False]
    """
    if text is None:
        return True
    bare = text.strip()
    return len(bare) <= _LONGEST and bare.casefold() in MISSING


def missing_sql(expression: str) -> str:
    """Return SQL that says of a VARCHAR expression what :func:`is_missing` says of a text."""
    words = "|".join(sorted(map(re.escape, MISSING)))
    # Not IN, which the engine turns into a join that brings the rows out of their order.
    return f"regexp_full_match(lower({expression}), '{_BLANKS}(?:{words}){_BLANKS}')"


def missing_name(cell: str | None, what: str) -> str:
    """Say that a row names no system, segment or judge; where a word stands there, that it means a missing value.

    Examples
    --------
    >>> missing_name("  ", "system")
    'The row names no system. Fill the cell in or remove the row.'
    >>> print(missing_name("NA", "system"))
    "NA" means a missing value, so the row names no system. If it is a name, change it; else remove the row.
    """
    bare = (cell or "").strip()
    if not bare:
        return f"The row names no {what}. Fill the cell in or remove the row."
    why = f'"{bare}" means a missing value, so the row names no {what}.'
    return f"{why} If it is a name, change it; else remove the row."


def check_names(names: Mapping[str, str], *, path: str, line: int | None) -> None:
    """Refuse a row in which one of the names is missing; they are given by what they name.

    Raises
    ------
    ReadError
        With the line and what to do (BT105).
    """
    for what, cell in names.items():
        if is_missing(cell):
            raise ReadError(missing_name(cell, what), path=path, line=line, code="BT105")
