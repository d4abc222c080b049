"""Numbers as people read them: digits follow uncertainty, thousands have commas."""

from __future__ import annotations

import math
from collections.abc import Iterable

MOST_DIGITS = 6


def digits_for(half_widths: Iterable[float], values: Iterable[float] = ()) -> int:
    """Return how many decimals show the typical half-width of an interval with two significant digits.

    Without any usable half-width, four significant digits of the largest value are shown.

    Examples
    --------
    >>> digits_for([0.8, 0.9]), digits_for([0.012]), digits_for([25.0]), digits_for([], [41.25])
    (2, 3, 0, 2)
    """
    widths = sorted(w for w in half_widths if math.isfinite(w) and w > 0)
    if widths:
        return _decimals(widths[len(widths) // 2], significant=2)
    sizes = [abs(v) for v in values if math.isfinite(v) and v != 0]
    return _decimals(max(sizes), significant=4) if sizes else 2


def _decimals(size: float, *, significant: int) -> int:
    return min(MOST_DIGITS, max(0, significant - 1 - math.floor(math.log10(size))))


def number(value: float | None, digits: int) -> str:
    r"""Return `value` with a fixed number of decimals; missing is "–", minus a true minus sign, tiny has an exponent.

    Examples
    --------
    >>> number(-1.234, 1), number(None, 2), number(1234567.0, 0), number(-3.14e-7, 6)
    ('−1.2', '–', '1,234,567', '−3.1e-07')
    """
    if value is None or math.isnan(value):
        return "–"
    if digits >= MOST_DIGITS and 0 < abs(value) < 10.0 ** (1 - MOST_DIGITS):  # else most of it would be zeros
        return f"{value:.2g}".replace("-", "−", value < 0)
    text = f"{abs(value):,.{digits}f}"
    negative = value < 0 and any(digit in "123456789" for digit in text)
    return f"−{text}" if negative else text


def interval(low: float | None, high: float | None, digits: int) -> str:
    """Return "low to high"; the word keeps negative limits readable.

    Examples
    --------
    >>> interval(-0.14, 0.32, 2)
    '−0.14 to 0.32'
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return "–"
    return f"{number(low, digits)} to {number(high, digits)}"


def percent(coverage: float) -> str:
    """Return a coverage or share as a percentage, without needless digits.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * coverage:.6g}%"
