"""False claims of `correct`, `rank` and `compare` about systems whose true means are equal, from few human labels."""

from __future__ import annotations

from functools import partial

import numpy as np
from tests.calibration.cells import Cell
from tests.calibration.corrections import KINDS, labeled
from tests.calibration.simulate import Rng

import betterthan as bt

ITEMS = 400


def any_difference(kind: str, labels: int, m: int, shared: bool, rng: Rng) -> float:  # noqa: FBT001
    """Whether any of m equal systems is called better; the judge favors the last one by a standard deviation."""
    quality = 0.6 * rng.normal(size=ITEMS) + 0.8 * rng.normal(size=(m, ITEMS))
    judged = 0.8 * quality + 0.6 * rng.normal(size=(m, ITEMS)) + np.linspace(0, 1, m)[:, None]
    judged = judged if kind in ("graded", "log-normal") else np.clip(np.round(3 + judged), 1, 5)
    order = np.argsort(rng.random((1 if shared else m, ITEMS)), axis=1)
    human = np.where(np.broadcast_to(order, (m, ITEMS)) < labels, labeled(kind, quality), np.nan)
    names = {"systems": [f"s{k}" for k in range(m)], "segments": [str(i) for i in range(ITEMS)]}
    tables = (
        bt.Scores(name=name, values=values, **names) for name, values in (("judge", judged), ("human", human))
    )
    found = bt.correct(*tables)
    claims = found.adjusted[np.triu_indices(m, 1)] <= 0.05
    pairs = bt.compare(found, workers=1)
    assert pairs.n_different == claims.sum(), "correct and compare disagree"
    return float(claims.any())


CELLS = [
    Cell(
        table="correct/any false difference",
        row=f"{m} equal systems, {kind}",
        column=f"{labels} labels{', same items' if shared else ''}",
        trial=partial(any_difference, kind, labels, m, shared),
        low=0.0,
        high=0.06,
        tables=1000,
        seconds=0.006 * m,
    )
    for m in (2, 5)
    for kind in KINDS
    for labels, shared in ((30, False), (30, True), (100, True))
]
