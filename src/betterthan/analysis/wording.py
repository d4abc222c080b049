"""Numbers inside sentences: digits follow uncertainty, thousands have commas."""

from __future__ import annotations

import math

_MOST_DECIMALS = 6
_LARGE = 1e15


def counted(n: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "segment"), counted(12345, "segment")
    ('1 segment', '12,345 segments')
    """
    return f"{amount(n, 0)} {noun}{'' if n == 1 else 's'}"


def amount(value: float, decimals: int) -> str:
    r"""Return `value` with this number of decimals, a true minus sign, and commas between thousands.

    Very large and very small numbers are written with a power of ten.

    Examples
    --------
    >>> amount(-1.25, 1), amount(2345, 0), amount(3e-9, 6)
    ('−1.2', '2,345', '3e-09')
    """
    if abs(value) >= _LARGE or (decimals == _MOST_DECIMALS and 0 < abs(value) < 10.0**-_MOST_DECIMALS):
        return f"{value:.2g}".replace("-", "−", value < 0)
    text = f"{abs(value):,.{decimals}f}"
    return f"−{text}" if value < 0 and text.strip("0.") else text


def decimals_for(uncertainty: float, value: float) -> int:
    """Return the number of decimals that show two digits of the uncertainty, and at least one digit of the value.

    Examples
    --------
    >>> decimals_for(1.9, 3.8), decimals_for(0.012, 1.0), decimals_for(25.0, 3.0), decimals_for(math.nan, 41.25)
    (1, 3, 0, 2)
    """
    known = math.isfinite(uncertainty) and uncertainty > 0
    seen = math.isfinite(value) and value != 0
    wanted = 1 - _place(uncertainty) if known else (3 - _place(value) if seen else 2)
    least = -_place(value) if seen else 0
    return min(_MOST_DECIMALS, max(0, wanted, least))


def _place(value: float) -> int:
    return math.floor(math.log10(abs(value)))


def share(value: float) -> str:
    """Return a share as a percentage with about two digits; a positive share is never shown as 0.

    Examples
    --------
    >>> share(0.123), share(0.0042), share(1.0), share(0.00001)
    ('12%', '0.42%', '100%', '<0.01%')
    """
    percent = 100 * value
    if 0 < percent < 0.01:
        return "<0.01%"
    return f"{percent:.0f}%" if percent >= 9.95 or percent == 0 else f"{percent:.2g}%"


def listing(parts: list[str]) -> str:
    """Join with commas and a final "and".

    Examples
    --------
    >>> listing(["mean", "median", "wins"])
    'mean, median and wins'
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
