"""Resampling kernels against slow literal loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from betterthan.kernels.resampling.resample import bootstrap_counts, unit_sums


@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32))
def test_every_resample_draws_as_many_units_as_there_are(n_resamples, n_units, seed):
    """Rows of the draw counts sum to the number of units."""
    counts = bootstrap_counts(n_resamples, n_units, np.random.default_rng(seed))

    assert counts.shape == (n_resamples, n_units)
    assert (counts.sum(axis=1) == n_units).all()
    assert (counts >= 0).all()


def test_draws_are_the_generators_own_draws():
    """The counts are those of the indices that the generator gives."""
    drawn = np.random.default_rng(7).integers(0, 5, size=(4, 5))
    expected = [[list(row).count(unit) for unit in range(5)] for row in drawn]

    assert bootstrap_counts(4, 5, np.random.default_rng(7)).tolist() == expected


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 12))
def test_unit_sums_equal_a_loop(seed, n_systems, n_segments):
    """Every segment is added to its own unit."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_systems, n_segments))
    unit = rng.integers(0, 3, n_segments)

    fast = unit_sums(values, unit, 3)

    slow = [[sum(row[i] for i in range(n_segments) if unit[i] == u) for u in range(3)] for row in values]
    np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-12)
