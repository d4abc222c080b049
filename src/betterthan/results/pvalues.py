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


def small_pvalue(p: float) -> str:
    """Write a p-value in a small cell, and never as 0 or 1 when it is neither.

    Examples
    --------
    >>> small_pvalue(0.0004), small_pvalue(0.004), small_pvalue(0.13), small_pvalue(0.998), small_pvalue(1.0)
    ('<.001', '.004', '.13', '>.99', '1')
    """
    if p < 0.001:
        return "<.001"
    if 0.995 <= p < 1:
        return ">.99"
    return "1" if p >= 1 else f"{p:.{3 if p < 0.01 else 2}f}".removeprefix("0")
