"""Ranks with ties, and medians row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from betterthan.kernels.comparisons.tied_ranks import counted_medians, row_medians, tied_ranks

shapes = st.tuples(st.integers(1, 3), st.integers(0, 9))
tables = hnp.arrays(np.float64, shapes, elements=st.integers(0, 5).map(float))
with_gaps = hnp.arrays(np.float64, shapes, elements=st.integers(0, 5).map(float) | st.just(np.nan))


@given(tables)
def test_ranks_are_scipys(values):
    """First, last and middle places."""
    ranks = tied_ranks(values)

    for ours, method in ((ranks.low, "min"), (ranks.high, "max"), (ranks.middle, "average")):
        np.testing.assert_array_equal(ours, stats.rankdata(values, method=method, axis=1))


@given(with_gaps)
def test_medians_leave_out_what_is_missing(values):
    """NaN only where nothing is there."""
    expected = [np.median(row[~np.isnan(row)]) if (~np.isnan(row)).any() else np.nan for row in values]

    np.testing.assert_array_equal(row_medians(values), expected)


def test_a_tolerance_ties_what_rounding_split():
    """Relative to the largest."""
    values = np.array([0.3, 0.1 + 0.2, 0.4])

    assert tied_ranks(values).low.tolist() == [1, 2, 3]
    assert tied_ranks(values, tolerance=1e-12).low.tolist() == [1, 1, 3]


def test_medians_of_large_numbers_do_not_overflow():
    """Half of each is added."""
    assert row_medians(np.array([[2.0**1023, 2.0**1023 + 2.0**1022]]))[0] == 2.0**1023 * 1.25


@pytest.mark.parametrize("n", [1, 2, 7, 200, 1001])
@pytest.mark.parametrize("kind", ["bootstrap", "far from the middle", "few"])
def test_counted_medians_are_those_of_the_samples_written_out(n, kind):
    """Also where the median of a sample is far from that of the scores, and where scores are missing."""
    rng = np.random.default_rng(n)
    values = rng.normal(size=(3, n)).round(2)
    values[1, rng.random(n) < 0.3] = np.nan
    counts = rng.multinomial(n, np.full(n, 1 / n), size=9)
    if kind == "far from the middle":
        counts[:, values[0] < np.median(values[0])] = 0
    if kind == "few":
        counts[:, 1:] = 0
    found = counted_medians(values, counts.astype(float))
    for row, scores in enumerate(values):
        for sample, times in enumerate(counts):
            drawn = np.repeat(scores, times)
            drawn = drawn[~np.isnan(drawn)]
            assert found[sample, row] == pytest.approx(
                np.median(drawn) if drawn.size else np.nan, nan_ok=True
            )
