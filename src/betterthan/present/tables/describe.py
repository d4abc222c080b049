"""From a result to the one table that shows it."""

from __future__ import annotations

from betterthan.present.table import Table
from betterthan.present.tables.pairwise import pairwise_summary
from betterthan.results.base import Result
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.registry import RESULT_KINDS, load


def describe(result: Result) -> Table:
    """Return the :class:`Table` that shows `result`; which function makes it, the registry of results says.

    Examples
    --------
    >>> import betterthan as bt
    >>> describe(bt.rank(bt.read_scores({"A": [1.0, 3.0], "B": [2.0, 1.0]}))).title
    'Ranking by mean: score, higher is better'
    """
    kind = getattr(result, "kind", None)
    if kind not in RESULT_KINDS:
        raise TypeError(f"No table is known for {type(result).__name__}.")
    table: Table = load(RESULT_KINDS[kind].table)(result)
    return table


def summarize(result: Result) -> Table:
    """Return the table of `result` for reading: that of :func:`describe`, but of many pairs a matrix and the nearest.

    Examples
    --------
    >>> import betterthan as bt
    >>> pairs = bt.compare(bt.read_scores({name: [i, i + 1] for i, name in enumerate("ABCDEFGHIJ")}))
    >>> len(describe(pairs).rows), len(summarize(pairs).rows)
    (45, 9)
    """
    return pairwise_summary(result) if isinstance(result, PairwiseTable) else describe(result)
