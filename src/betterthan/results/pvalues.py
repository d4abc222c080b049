"""P-values as they are written: in tables with four decimals, in sentences with their sign of equality, never as 0."""

from __future__ import annotations

import math

SMALLEST_P = 1e-4


def pvalue(value: float | None, smallest: float = SMALLEST_P) -> str:
    """Return a p-value with four decimals, never as 0.

    Examples
    --------
    >>> pvalue(0.03127), pvalue(3e-9), pvalue(1.0)
    ('0.0313', '<0.0001', '1.0000')
    """
    if value is None or math.isnan(value):
        return "–"
    return f"<{smallest:.4f}" if value < smallest else f"{value:.4f}"


def equals_p(p: float) -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> equals_p(0.0312), equals_p(1e-9), equals_p(1.0)
    ('p = 0.0312', 'p < 0.0001', 'p = 1')
    """
    if p < SMALLEST_P:
        return f"p < {SMALLEST_P:.4f}"
    return "p = 1" if round(p, 4) == 1 else f"p = {p:.4f}"
