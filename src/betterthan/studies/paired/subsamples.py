"""Rules by which test sets are made smaller before mechanisms are compared on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from betterthan.arrays import IntArray

TEXT_SIZES = (10, 50, 100, 500, 1000, 5000)
"""Appendix A.3."""
CODE_SIZES = (10, 200, 500, 1000, 5000)
"""The released program."""
_SHARE, _LEAST = 0.2, 30


class SubsampleRule(NamedTuple):
    """How many segments of n are drawn.

    Attributes
    ----------
    title : str
    size : callable
        From n to the number of segments.
    replace : bool
        Whether a segment may be drawn twice.
    """

    title: str
    size: Callable[[int], int]
    replace: bool = False

    def draw(self, n: int, rng: np.random.Generator) -> IntArray:
        """Draw places of segments."""
        return rng.choice(n, min(n, self.size(n)), replace=self.replace)


def _all(n: int) -> int:
    return n


def _fifth(n: int) -> int:
    return max(2, round(_SHARE * n))


def _fifth_or_30(n: int) -> int:
    return max(_LEAST, int(_SHARE * n))


RULES = {
    "full": SubsampleRule("all segments", _all),
    "fifth": SubsampleRule("a fifth of the segments", _fifth),
    "fifth_or_30": SubsampleRule("a fifth of the segments, at least 30", _fifth_or_30),
    "bootstrap": SubsampleRule("as many segments, drawn with replacement", _all, replace=True),
}
"""By name. "full" needs no draw; "fifth_or_30" is that of the released program for figure 4a, "fifth" for 4b."""
