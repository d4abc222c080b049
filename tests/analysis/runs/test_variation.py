"""Shares of variance, and the advice on more runs or more items."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.made import drawn_runs, drawn_scores, runs_of

import betterthan as bt
from betterthan.errors import TableError


def made(own: float, run: float, rest: float, *, n: int = 100, n_runs: int = 4) -> bt.Runs:
    """Eight systems with these standard deviations of interaction, runs and residuals."""
    rng = np.random.default_rng(12)
    table = rng.normal(size=(1, n, 1)) + own * rng.normal(size=(8, n, 1))
    return runs_of(table + run * rng.normal(size=(8, 1, n_runs)) + rest * rng.normal(size=(8, n, n_runs)))


def test_shares_sum_to_one_and_lie_in_their_intervals():
    """Whatever the data."""
    found = bt.variation(drawn_runs())
    assert found.share.sum() == pytest.approx(1)
    assert ((found.low <= found.share) & (found.share <= found.high)).all()
    assert bt.variation(drawn_runs()) == found


def test_where_runs_vary_more_runs_help():
    """Four times as many halve the interval; items do nothing."""
    found = bt.variation(made(0.0, 1.0, 0.1))
    assert found.more_runs is not None
    assert found.more_runs.more == pytest.approx(12, abs=1)
    assert found.more_runs.low <= 12 <= found.more_runs.high
    assert found.more_items is not None
    assert math.isinf(found.more_items.more)
    assert "more items alone would not do it" in " ".join(str(found).split())


def test_where_items_vary_more_items_help():
    """And the other way round."""
    found = bt.variation(made(1.0, 0.0, 0.1))
    assert found.more_items is not None
    assert found.more_items.more == pytest.approx(300, abs=3)
    assert math.isinf(found.more_runs.more)
    assert "more runs alone would not do it" in " ".join(str(found).split())


def test_where_chance_varies_either_helps():
    """The sentence names both, with ranges."""
    found = bt.variation(made(0.0, 0.0, 1.0))
    assert 0.9 * 12 <= found.more_runs.more <= 1.3 * 12
    assert "of each system, or about" in " ".join(str(found).split())


def test_where_neither_is_enough_both_are():
    """The factor puts the variance of a difference at a quarter."""
    found = bt.variation(made(1.0, 0.5, 1.0, n=20))
    assert math.isinf(found.more_runs.more)
    assert math.isinf(found.more_items.more)
    own, run, rest = np.maximum(found.variance[2:], 0)
    f, n, r = found.times_both, found.n_items, found.n_runs
    quarter = (own / n + run / r + rest / (n * r)) / 4
    assert own / (f * n) + run / (f * r) + rest / (f**2 * n * r) == pytest.approx(quarter)
    assert f"{f:.1f} times as many of both" in " ".join(str(found).split())


def test_scores_are_a_single_run():
    """Systems, items and the rest, with a note."""
    found = bt.variation(drawn_scores())
    assert found.sources == ("system", "item", "residual")
    assert found.more_runs is None
    assert any("part of the residual" in note for note in found.notes)


def test_one_system_or_item_is_refused():
    """Nothing to compare."""
    with pytest.raises(TableError, match="two or more systems and items"):
        bt.variation(runs_of(np.ones((1, 3, 2)).cumsum().reshape(1, 3, 2)))
