"""Word tags that several tests make."""

from __future__ import annotations

from typing import Any

import numpy as np

import betterthan as bt


def drawn_tags(m: int = 4, n: int = 40, *, seed: int = 0, share: float = 0.25, **options: Any) -> bt.WordTags:
    """Systems that find more and more of the BAD words, on sentences of 3 to 12 words."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(3, 13, n)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    gold = rng.random(offsets[-1]) < share
    finds = np.linspace(0.3, 0.7, m)[:, None]
    predicted = np.where(gold, rng.random((m, gold.size)) < finds, rng.random((m, gold.size)) < 0.1)
    fits = {
        "systems": [f"S{i}" for i in range(m)],
        "segments": [str(i + 1) for i in range(n)],
        "gold": gold,
        "predicted": predicted,
        "offsets": offsets,
    }
    return bt.WordTags(**fits | options)
