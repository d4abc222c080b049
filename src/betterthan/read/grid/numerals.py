"""Interpretation of a cell: a number, a missing value, or text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError

# Words for a missing value: one list for scores, systems, segments, judges and winners, in Python and SQL.
#
# No other module may decide whether a cell is missing, so that "NA" is not a judge in one file and missing in the next.


MISSING = frozenset(
    {"", "-", "--", "nan", "-nan", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "null", "none", "nil", "nat"}
)
"""Without case and surrounding blanks; what pandas, R, spreadsheets and databases write."""
_INVISIBLE = (
    r"[\s\v\x1c-\x1f\x{85}\p{Z}]*"  # white space of `str.strip` as a regular expression of the engine
)
_LONGEST = max(map(len, MISSING))


def is_missing(text: str | None) -> bool:
    """Return whether a cell is missing: empty, or one of the usual words.

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
    """Return SQL for a VARCHAR expression that is equivalent to :func:`is_missing`."""
    words = "|".join(sorted(map(re.escape, MISSING)))
    # Not IN, which the engine turns into a join that changes the order of the rows.
    return f"regexp_full_match(lower({expression}), '{_INVISIBLE}(?:{words}){_INVISIBLE}')"


def missing_name(cell: str | None, what: str) -> str:
    """Build the message for a row without a system, segment or judge, or with a word for a missing value.

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
    """Raise when one of the names of a row is missing; `names` maps roles to values.

    Raises
    ------
    ReadError
        With the line and a hint (BT105).
    """
    for what, cell in names.items():
        if is_missing(cell):
            raise ReadError(missing_name(cell, what), path=path, line=line, code="BT105")


# Parsing of numbers and missing values, for Python and for DuckDB.
#
# A column of numbers is a float array in which NaN is a missing cell and infinity marks a cell that is not a number:
# text, or a number too large to compute with. No score is infinite, so the mark is unambiguous.


Cells = Sequence[Any] | npt.NDArray[Any]
INFINITE = frozenset({"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"})
BOOLEANS = {"true": 1.0, "false": 0.0}
LARGEST = 1e30
"""Larger values overflow in single precision, and their powers in double; no measurement is as large."""
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_is_number = re.compile(_NUMBER).fullmatch
_BLANKS = " \t\r\n"


def parse(cell: Any) -> float:  # noqa: ANN401  (whatever a JSON line or a data frame holds)
    """Return the number in a cell, NaN for a missing one, infinity for anything else.

    Python's `float` takes "1_000" and digits of other scripts; here these are text.

    Examples
    --------
    >>> [parse(cell) for cell in (" 3.5 ", "", "N/A", None, True, "1_000", "1e200")]
    [3.5, nan, nan, nan, 1.0, inf, inf]
    """
    if isinstance(cell, str):
        text = cell.strip(_BLANKS)
        if _is_number(text):
            return _held(float(text))
        return math.nan if is_missing(text) else BOOLEANS.get(text.lower(), math.inf)
    if cell is None:
        return math.nan
    return _parse_object(cell)


def _parse_object(cell: object) -> float:
    try:
        # NA and NaT of pandas are not numbers; they are recognized by not being equal to themselves.
        is_number = isinstance(cell, Real | np.bool_) or _is_decimal(cell)
        return _held(float(cell)) if is_number else _unequal(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.inf


def _held(number: float) -> float:
    return math.inf if abs(number) > LARGEST else number


def _is_decimal(cell: object) -> bool:
    return type(cell).__name__ == "Decimal"


def _unequal(cell: object) -> float:
    if type(cell).__name__ in {"NAType", "NaTType"}:
        return math.nan
    return math.inf


class Spelled(str):
    """A JSON number that Python would format differently from the engine, or could not represent; without quotes."""

    __slots__ = ()


def spelled(number: float) -> str:
    """Format a finite number like JavaScript and the engine, with ".0" after an integer.

    Examples
    --------
    >>> [spelled(number) for number in (1e-05, 2.5e-07, 1e16, 1.5e21)]
    ['0.00001', '2.5e-7', '10000000000000000.0', '1.5e21']
    """
    digits, _, power = repr(number).partition("e")
    if not power:
        return digits
    if not _LEAST_FIXED <= abs(number) < _MOST_FIXED:
        return f"{digits}e{int(power)}"
    fixed = f"{Decimal(repr(number)):f}"
    return fixed if "." in fixed else f"{fixed}.0"


_LEAST_FIXED, _MOST_FIXED = 1e-6, 1e21  # ECMA-262, Number::toString


def parse_all(cells: Cells) -> FloatArray:
    """Parse a column; arrays of numbers are used unchanged, except for values that are too large."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub":
        return mark_large(cells.astype(np.float64))
    return np.fromiter(map(parse, cells), dtype=np.float64, count=len(cells))


def mark_large(values: FloatArray) -> FloatArray:
    """Replace values that are too large to compute with by infinity, in place; NaN stays."""
    values[np.abs(values) > LARGEST] = math.inf
    return values


def is_infinite(text: str) -> bool:
    """Whether a cell that is not a number is an infinite one rather than text."""
    bare = text.strip(_BLANKS)
    return bare.lower() in INFINITE or _is_number(bare) is not None


def how_large(text: str) -> str:
    """Describe such a cell.

    Examples
    --------
    >>> how_large("-inf"), how_large("1e200")
    ('is infinite', 'is too large to compute with')
    """
    return "is infinite" if math.isinf(float(text.strip(_BLANKS))) else "is too large to compute with"


def is_percent(text: str) -> bool:
    """Whether a cell is a number followed by a percent sign."""
    bare = text.strip()
    return bare.endswith("%") and _is_number(bare[:-1].rstrip()) is not None


def without_percent(text: str) -> str:
    """Return a cell without the percent sign at its end; any other text as it is."""
    return text.strip()[:-1].rstrip() if is_percent(text) else text


def number_sql(expression: str) -> str:
    """Return SQL equivalent to :func:`parse` for a VARCHAR expression, except for :func:`mark_large`."""
    text = f"trim({expression}, ' \t\r\n')"
    return (
        f"CASE WHEN {expression} IS NULL THEN 'nan'::DOUBLE "
        # Trimming costs ten times as much as matching, so only cells that do not match are trimmed.
        f"WHEN regexp_full_match({expression}, '{_NUMBER}') THEN TRY_CAST({expression} AS DOUBLE) "
        f"WHEN regexp_full_match({text}, '{_NUMBER}') THEN TRY_CAST({text} AS DOUBLE) "
        f"WHEN {missing_sql(expression)} THEN 'nan'::DOUBLE "
        f"WHEN lower({text}) = 'true' THEN 1.0 WHEN lower({text}) = 'false' THEN 0.0 "
        f"ELSE 'inf'::DOUBLE END"
    )
