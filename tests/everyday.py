"""Sweeps and drawn examples: a few run every day, all of them in ``make slow``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], n: int = 2) -> list[Any]:
    """Leave `n` parameters for every day, spread evenly from the first to the last; the others are slow."""
    listed = list(values)
    last = len(listed) - 1
    kept = {round(i * last / max(n - 1, 1)) for i in range(n)}
    return [
        value if i in kept else pytest.param(value, marks=pytest.mark.slow) for i, value in enumerate(listed)
    ]


def examples(n: int) -> int:
    """Number of examples that Hypothesis draws: `n` in ``make slow``, which repeats these tests, else a quarter."""
    return n if os.environ.get("BETTERTHAN_EXAMPLES") == "many" else max(n // 4, 4)
