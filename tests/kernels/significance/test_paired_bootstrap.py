"""The studentised bootstrap against slow literal loops."""

from __future__ import annotations

import numpy as np
import pytest

from betterthan.kernels.resampling.resample import bootstrap_counts, unit_sums
from betterthan.kernels.significance.paired_bootstrap import bootstrap_t_tallies


def literal_t(sums, sizes, centre):
    """The ratio of sums less a centre, over its linearised standard error."""
    mean = sums.sum() / sizes.sum()
    error = np.sqrt(((sums - mean * sizes) ** 2).sum()) / sizes.sum()
    return (mean - centre) / error


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("n_units", [6, 23])
def test_tallies_equal_a_loop_over_drawn_documents(alternative, n_units):
    """Documents of unequal length, drawn one by one."""
    rng = np.random.default_rng(n_units)
    unit = np.concatenate([np.arange(n_units), rng.integers(0, n_units, 40)])
    scores = rng.normal(size=(3, unit.size)) + np.array([0.4, 0.1, 0.0])[:, None]
    sums, sizes = unit_sums(scores, unit, n_units), np.bincount(unit).astype(float)
    weights = bootstrap_counts(200, n_units, rng)

    found = bootstrap_t_tallies(weights, sums, sizes, alternative=alternative)

    for a in range(3):
        for b in range(3):
            if a == b:
                assert found[a, b] == 200
                continue
            d = sums[a] - sums[b]
            t = literal_t(d, sizes, 0.0)
            drawn = [np.repeat(np.arange(n_units), w.astype(int)) for w in weights]
            stars = np.array([literal_t(d[i], sizes[i], d.sum() / sizes.sum()) for i in drawn])
            extreme = {"two-sided": abs(stars) >= abs(t), "greater": stars >= t, "less": stars <= t}
            assert found[a, b] == extreme[alternative].sum()


def test_swapping_systems_turns_greater_into_less():
    """The claim about (b, a) is the opposite claim about (a, b)."""
    rng = np.random.default_rng(1)
    sums, weights = rng.normal(size=(4, 9)), bootstrap_counts(300, 9, rng)

    greater = bootstrap_t_tallies(weights, sums, np.ones(9), alternative="greater")
    less = bootstrap_t_tallies(weights, sums, np.ones(9), alternative="less")

    assert (greater == less.T).all()


def test_equal_systems_and_constant_differences_have_no_spread():
    """No difference at all is never extreme by itself; a constant one is infinitely many errors from 0."""
    row = np.random.default_rng(2).normal(size=8)
    weights = bootstrap_counts(100, 8, np.random.default_rng(3))

    found = bootstrap_t_tallies(weights, np.stack([row, row, row + 1]), np.ones(8))

    assert found[0, 1] == 100
    assert found[0, 2] == found[2, 0] == 0
