"""All pairs reduced to one question: which systems differ from a baseline?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from betterthan.errors import unknown_name
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.results.pairwise import PairwiseTable


def against_baseline(pairs: PairwiseTable, baseline: str) -> PairwiseTable:
    """Return the pairs with p-values adjusted (Holm) for the comparisons with the baseline alone.

    Pairs without the baseline have no adjusted p-value and no verdict: they are not asked about.

    Parameters
    ----------
    pairs : PairwiseTable
        Two-sided, of all systems.
    baseline : str

    Raises
    ------
    UnknownName
        When there is no such system.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [3, 5, 4, 6, 5, 7], "B": [2, 3, 3, 3, 4, 5], "C": [2, 3, 3, 3, 4, 4]})
    >>> pairs = against_baseline(bt.compare(scores), "A")
    >>> pairs["A", "B"].adjusted, pairs["B", "C"].adjusted
    (0.0625, nan)
    """
    if baseline not in pairs.systems:
        raise unknown_name("system", baseline, pairs.systems)
    at = pairs.systems.index(baseline)
    others = np.arange(len(pairs.systems)) != at
    values = np.full_like(pairs.pvalue, np.nan)
    values[at, others] = values[others, at] = adjusted(pairs.pvalue[at, others], correction="holm")
    options = {**pairs.settings.options, "baseline": baseline, "adjust": "holm"}
    return replace(
        pairs, adjusted=values, correction="holm", settings=replace(pairs.settings, options=options)
    )
