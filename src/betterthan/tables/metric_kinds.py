"""Metrics that use no reference, recognized by their names."""

from __future__ import annotations

import re

_REFERENCE_FREE = re.compile(
    r"\[noref\]|(^|[^a-z])(qe|src|noref|refless|reference-?free|yisi-2|yisi2)([^a-z]|$)|kiwi",
    re.IGNORECASE,
)


def is_reference_free(metric: str) -> bool:
    """Whether the name says that a metric uses no reference: `QE`, `src`, `[noref]`, `Kiwi`, YiSi-2.

    A name that says nothing counts as using a reference.

    Examples
    --------
    >>> [is_reference_free(name) for name in ("COMET-QE", "metric[noref]", "UniTE-src", "YiSi-2", "cometkiwi-xl")]
    [True, True, True, True, True]
    >>> [is_reference_free(name) for name in ("COMET", "YiSi-1", "sentBLEU", "SQuEEze", "chrF")]
    [False, False, False, False, False]
    """
    return _REFERENCE_FREE.search(metric) is not None
