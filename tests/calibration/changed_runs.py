"""What changed between two runs, in the web app: how often a system that did not change is called changed."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from tests.calibration import simulate
from tests.calibration.cells import Cell

from betterthan.web.worker.changes import changes


def change_claimed(shape, m, n, rng):
    """Whether any of m systems differs significantly from itself; both runs share the difficulty of segments."""
    runs = np.stack([simulate.EQUAL[shape](rng, 2, n) for _ in range(m)], axis=1)
    tests, _note = changes(*map(simulate.scores_of, runs))
    return float(any(test["is_significant"] for test in tests.values()))


CELLS = [
    Cell(
        table="web/any false change",
        row=f"{shape}, {m} system{'s' * (m > 1)}",
        column=f"{n} segments",
        trial=partial(change_claimed, shape, m, n),
        low=0.0,
        high=0.06,
        tables=2000 if m < 12 else 500,
        seconds=0.007 * m,
    )
    for shape, m, n in product(("normal", "binary"), (1, 4, 12, 30), (10, 30, 200))
    if m < 30 or n == 10
]
