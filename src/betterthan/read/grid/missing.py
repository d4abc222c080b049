"""What stands in a cell that holds nothing: the same words for scores, names, judges and winners, in Python and SQL."""

from __future__ import annotations

import re

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
