"""pass@k and pass^k by counting all subsets of k runs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from betterthan.kernels.runs.components import all_of, pass_at


@pytest.mark.parametrize("n", [1, 2, 5, 8])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_they_are_shares_of_subsets(n, k):
    """Literally, for every number of right runs."""
    for right in range(n + 1):
        answers = [1] * right + [0] * (n - right)
        subsets = list(combinations(answers, k))
        found = (
            pass_at(np.array([right]), np.array([n]), k)[0],
            all_of(np.array([right]), np.array([n]), k)[0],
        )
        if not subsets:
            assert np.isnan(found).all()
            continue
        assert found[0] == pytest.approx(np.mean([max(subset) for subset in subsets]))
        assert found[1] == pytest.approx(np.mean([min(subset) for subset in subsets]))


def test_large_numbers_stay_exact():
    """The formula of Chen et al. with whole numbers: 1 − C(190, 100) / C(200, 100)."""
    from math import comb

    expected = 1 - comb(190, 100) / comb(200, 100)
    assert pass_at(np.array([10]), np.array([200]), 100)[0] == pytest.approx(expected, rel=1e-12)
