"""Equal means differ by exactly 0, whatever is beside them in the table."""

from __future__ import annotations

import numpy as np

import betterthan as bt


def test_equal_means_have_a_difference_of_zero():
    """Two systems that are right equally often, on other items; the others only change how sums are rounded."""
    rng = np.random.default_rng(0)
    values = (rng.random((4, 120)) < 0.6).astype(float)
    values[1] = rng.permutation(values[0])
    table = bt.compare(
        bt.Scores(name="acc", systems=list("ABCD"), segments=list(map(str, range(120))), values=values)
    )
    assert values[0].mean() == values[1].mean()
    assert table.pair("A", "B").effect == 0.0


def test_small_differences_stay():
    """Only what rounding leaves is 0."""
    values = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0 + 1e-9], [4.0, 3.0, 2.0, 1.0]])
    table = bt.compare(bt.Scores(name="m", systems=list("ABC"), segments=list("1234"), values=values))
    assert table.pair("B", "A").effect > 0
