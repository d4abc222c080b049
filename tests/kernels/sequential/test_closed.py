"""Closed testing with averages: equal to the definition over all sets of hypotheses."""

from itertools import combinations

import numpy as np
import pytest

from betterthan.kernels.sequential.betting import adjusted


@pytest.mark.parametrize("m", [1, 2, 3, 6])
def test_least_average_of_all_sets(m):
    """By enumeration, with ties."""
    rng = np.random.default_rng(m)
    for _ in range(20):
        values = np.round(np.exp(2 * rng.normal(size=m)), 1) + 0.1
        expected = [
            min(
                np.mean([values[i], *(values[j] for j in others)])
                for k in range(m)
                for others in combinations([j for j in range(m) if j != i], k)
            )
            for i in range(m)
        ]
        assert np.exp(adjusted(np.log(values))) == pytest.approx(expected)


def test_never_below_holm():
    """The correction of Holm for e-values divides by how many are not larger."""
    values = 3 * np.random.default_rng(0).normal(size=(50, 8))
    smaller = (values[:, None, :] <= values[:, :, None]).sum(axis=2)
    holm = values - np.log(smaller)
    assert (adjusted(values) >= holm - 1e-9).all()


def test_enormous_evidence_stays_finite():
    """Beyond what an exponential can hold."""
    found = adjusted(np.array([5000.0, 4000.0, 0.0]))
    assert np.isfinite(found).all()
    assert found[0] > 1000
