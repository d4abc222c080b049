"""The choices of an analysis that can be defended, and those that make sense together."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from betterthan.analysis.units import has_documents
from betterthan.arrays import FloatArray
from betterthan.kernels.significance.pvalues import Correction
from betterthan.tables.scores import Scores

ALL_ITEMS, CAPPED, TRIMMED = "all", "capped", "without extremes"
ALL_SYSTEMS, ONLY_THOSE = "all", "only those"
SEGMENTS, DOCUMENTS = "segments", "documents"
CORRECTIONS: tuple[Correction, ...] = ("none", "bonferroni", "holm", "benjamini_hochberg")
_CAP = 0.01
_EXTREME = 0.02
_TRIM = 0.2
_LEAST_ITEMS = 20
"""With fewer items, one in fifty is none."""


def trimmed_mean(goodness: FloatArray) -> FloatArray:
    """Return the mean of each system without its lowest and highest 20% of scores; (m, n) to (m,).

    Examples
    --------
    >>> trimmed_mean(np.array([[1.0, 2.0, 3.0, 4.0, 90.0]]))
    array([3.])
    """
    n = goodness.shape[1]
    cut = int(_TRIM * n)
    return np.asarray(np.sort(goodness, axis=1)[:, cut : n - cut].mean(axis=1))


class Method(NamedTuple):
    """An aggregation with a test that belongs to it.

    Attributes
    ----------
    aggregation, test : str
        As shown.
    options : dict
        Those of :func:`betterthan.compare`.
    ties : str
        How ties are treated; empty where they need no treatment.
    takes_documents : bool
        Whether documents may be the units.
    """

    aggregation: str
    test: str
    options: dict[str, str | Callable[[FloatArray], FloatArray]]
    ties: str = ""
    takes_documents: bool = True


_METHODS = (
    Method("mean", "permutation", {"test": "permutation"}),
    Method("mean", "t", {"test": "t"}),
    Method("mean", "bootstrap", {"test": "bootstrap"}),
    Method("trimmed mean", "bootstrap", {"by": trimmed_mean}),
    Method("median", "bootstrap", {"by": "median"}),
    Method("median", "Mood", {"test": "mood"}, takes_documents=False),
    Method("median of differences", "Wilcoxon", {"test": "wilcoxon"}, takes_documents=False),
    Method("win rate", "permutation", {"by": "win_rate"}),
    Method("win rate", "sign", {"test": "sign"}, "drop", takes_documents=False),
    Method("win rate", "sign", {"test": "sign", "ties": "half"}, "half", takes_documents=False),
    Method("Bradley–Terry", "Wald", {"by": "bradley_terry", "ties": "half"}, "half"),
    Method("Bradley–Terry", "Wald", {"by": "bradley_terry", "ties": "drop"}, "drop"),
)


class Variant(NamedTuple):
    """A table and what was chosen to make it."""

    scores: Scores
    metric: str
    items: str
    systems: str
    units: str


def variants(tables: dict[str, Scores], named: tuple[str, ...]) -> Iterator[Variant]:
    """Yield every table: each metric, all or fewer items, all systems or only those of the claim, each unit."""
    for metric, scores in tables.items():
        for items, of_systems in itertools.product(_item_choices(scores), _system_choices(scores, named)):
            chosen = scores if of_systems == ALL_SYSTEMS else scores.select(named)
            table = with_items(chosen, items, named)
            for units in (SEGMENTS, DOCUMENTS) if has_documents(table) else (SEGMENTS,):
                yield Variant(table, metric, items, of_systems, units)


def methods(variant: Variant) -> tuple[Method, ...]:
    """Return the methods that differ on this table."""
    values = variant.scores.values
    has_ties = any((values[a] == values[b]).any() for a, b in itertools.combinations(range(len(values)), 2))
    ties = ("", "drop", "half") if has_ties else ("", "drop")
    return tuple(
        method
        for method in _METHODS
        if method.ties in ties and (variant.units == SEGMENTS or method.takes_documents)
    )


def _item_choices(scores: Scores) -> tuple[str, ...]:
    if scores.is_binary or scores.n_segments < _LEAST_ITEMS:
        return (ALL_ITEMS,)
    return ALL_ITEMS, CAPPED, TRIMMED


def _system_choices(scores: Scores, named: tuple[str, ...]) -> tuple[str, ...]:
    return (ALL_SYSTEMS, ONLY_THOSE) if len(named) < scores.n_systems else (ALL_SYSTEMS,)


def with_items(scores: Scores, items: str, named: tuple[str, ...]) -> Scores:
    """Return the table with outliers treated.

    * "capped": scores beyond the 1st and 99th percentile of all scores are set to these.
    * "without extremes": without the 2% of items on which the systems named differ most.
    """
    if items == CAPPED:
        low, high = np.quantile(scores.values, [_CAP, 1 - _CAP])
        return replace(scores, values=np.clip(scores.values, low, high))
    if items == TRIMMED:
        values = np.stack([scores.values[scores.systems.index(name)] for name in named])
        size = values.max(axis=0) - values.min(axis=0)
        n_left_out = int(np.ceil(_EXTREME * scores.n_segments))
        kept = np.sort(np.argsort(size, kind="stable")[: scores.n_segments - n_left_out])
        return scores.select(segments=[scores.segments[place] for place in kept])
    return scores
