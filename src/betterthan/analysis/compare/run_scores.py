"""One score for each item of each system from its runs: the mean, pass@k or pass^k."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from betterthan.errors import TableError
from betterthan.kernels.runs.pass_at import all_of, pass_at
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

_PASS = re.compile(r"pass([@^])([1-9][0-9]{0,5})").fullmatch


class PassRule(NamedTuple):
    """One of k runs is right ("@"), or all of them ("^")."""

    name: str
    sign: str
    k: int


def pass_rule(by: object) -> PassRule | None:
    """Return the rule that "pass@5" or "pass^5" names; None for other aggregations.

    Examples
    --------
    >>> pass_rule("pass@5"), pass_rule("mean")
    (PassRule(name='pass@5', sign='@', k=5), None)
    """
    match = _PASS(by) if isinstance(by, str) else None
    return None if match is None else PassRule(match[0], match[1], int(match[2]))


def pass_scores(runs: Runs, rule: PassRule) -> Scores:
    """Return pass@k or pass^k of each item.

    Raises
    ------
    TableError
        When scores are not 0 and 1, lower is better, or an item has fewer than k runs.
    """
    if not ((runs.score == 0) | (runs.score == 1)).all() or not runs.higher_is_better:
        raise TableError(
            f'{rule.name} counts runs that are right: "{runs.name}" must be 1 for right and 0 for wrong.'
        )
    shape = (runs.n_systems, runs.n_segments)
    cell = runs.system * shape[1] + runs.segment
    size = shape[0] * shape[1]
    right = np.bincount(cell, weights=runs.score, minlength=size).reshape(shape)
    count = np.bincount(cell, minlength=size).reshape(shape)
    few = (count > 0) & (count < rule.k)
    if few.any():
        a, i = (int(place) for place in np.argwhere(few)[0])
        raise TableError(
            f"{rule.name} needs {rule.k} runs of every item; {int(few.sum()):,} have fewer, such as "
            f'item "{runs.segments[i]}" of {runs.systems[a]}, with {int(count[a, i])}.'
        )
    estimate = pass_at if rule.sign == "@" else all_of
    return runs.with_values(np.where(count > 0, estimate(right, count, rule.k), np.nan))
