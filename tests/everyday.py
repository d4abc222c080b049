"""Sweeps and drawn examples: a few run every day, all of them in ``make slow``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def few(values: Iterable[Any], n: int = 2, *, tuples: bool = False) -> list[Any]:
    """Leave `n` parameters for every day, spread evenly from the first to the last; the others are slow.

    With `tuples` each value holds several parameters.
    """
    listed = list(values)
    last = len(listed) - 1
    kept = {round(i * last / max(n - 1, 1)) for i in range(n)}
    return [value if i in kept else _slow(value, tuples=tuples) for i, value in enumerate(listed)]


def _slow(value: Any, *, tuples: bool) -> Any:
    if isinstance(value, ParameterSet):
        return pytest.param(*value.values, id=value.id, marks=[*value.marks, pytest.mark.slow])
    return pytest.param(*(value if tuples else [value]), marks=pytest.mark.slow)


def examples(n: int) -> int:
    """Number of examples that Hypothesis draws: `n` in ``make slow``, which repeats these tests, else a quarter."""
    return n if os.environ.get("BETTERTHAN_EXAMPLES") == "many" else max(n // 4, 4)
