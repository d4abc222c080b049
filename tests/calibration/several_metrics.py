"""Several metrics of the same answers: false differences by any of them, and false claims of being dominated."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from tests.calibration.cells import Cell

import betterthan as bt

METRICS = 3
FAR = 3.0
"""How far a system is behind by the metrics on which it is worse, in standard deviations of a latent score."""


def tables_of(rng, leads, n, *, binary):
    """One table per metric of the same answers, which share half of their variance; leads of shape (k, m)."""
    k, m = leads.shape
    answers = rng.standard_normal((m, n)) + rng.standard_normal(n)
    tables = []
    for metric in range(k):
        own = rng.standard_normal((m, n)) + rng.standard_normal(n)
        values = answers + own + leads[metric][:, None]
        tables.append(
            bt.Scores(
                name=f"metric {metric + 1}",
                systems=[f"s{i}" for i in range(m)],
                segments=[str(i) for i in range(n)],
                values=(values > 0).astype(float) if binary else values,
            )
        )
    return tables


def false_difference(m, binary, n, rng):
    """Whether any of m equal systems differs significantly from another by any metric."""
    found = bt.tradeoffs(tables_of(rng, np.zeros((METRICS, m)), n, binary=binary))
    return float(any(found.better(metric).any() for metric in found.metrics))


def false_dominance(m, binary, n, rng):
    """Whether a system is called dominated that equals the others by one metric, and is far worse by all others."""
    leads = np.zeros((METRICS, m))
    leads[1:, 0] = -FAR
    found = bt.tradeoffs(tables_of(rng, leads, n, binary=binary))
    return float(not found.may_be_on_front[found.systems.index("s0")])


CELLS = [
    Cell(
        table=f"tradeoffs/{quantity}",
        row=f"{m} systems, {'right or wrong' if binary else 'normal'}",
        column=f"{n} segments",
        trial=partial(trial, m, binary, n),
        low=0.0,
        high=0.06,
        tables=1000,
        seconds=0.02 * m,
    )
    for (quantity, trial), m, binary, n in product(
        (("any false difference", false_difference), ("false dominance", false_dominance)),
        (2, 5),
        (False, True),
        (30, 200),
    )
]
