"""All pairs reduced to one question: which systems differ from a baseline, by which metrics?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from betterthan.errors import unknown_name
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.results.pairwise import PairwiseTable


def against_baseline(tables: Sequence[PairwiseTable], baseline: str) -> list[PairwiseTable]:
    """Return the pairs of every metric with p-values adjusted (Holm) for the comparisons with the baseline alone.

    Those of all metrics are adjusted together. Pairs without the baseline have no adjusted p-value and no verdict: they
    are not asked about.

    Parameters
    ----------
    tables : sequence of PairwiseTable
        One for each metric, two-sided, of all systems.
    baseline : str

    Raises
    ------
    UnknownName
        When there is no such system.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [3, 5, 4, 6, 5, 7], "B": [2, 3, 3, 3, 4, 5], "C": [2, 3, 3, 3, 4, 4]})
    >>> (pairs,) = against_baseline([bt.compare(scores)], "A")
    >>> pairs["A", "B"].adjusted, pairs["B", "C"].adjusted
    (0.0625, nan)
    """
    asked = []
    for pairs in tables:
        if baseline not in pairs.systems:
            raise unknown_name("system", baseline, pairs.systems)
        at = pairs.systems.index(baseline)
        asked.append((at, np.arange(len(pairs.systems)) != at))
    own = [pairs.pvalue[at, others] for pairs, (at, others) in zip(tables, asked, strict=True)]
    every = adjusted(np.concatenate(own), correction="holm")
    parts = np.split(every, np.cumsum([part.size for part in own])[:-1])
    found = []
    for pairs, (at, others), part in zip(tables, asked, parts, strict=True):
        values = np.full_like(pairs.pvalue, np.nan)
        values[at, others] = values[others, at] = part
        options = {**pairs.settings.options, "baseline": baseline, "adjust": "holm"}
        found.append(
            replace(
                pairs, adjusted=values, correction="holm", settings=replace(pairs.settings, options=options)
            )
        )
    return found
