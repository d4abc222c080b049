"""Swaps of whole segments where people did not judge everything, against a loop that forms every swapped metric."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest

from betterthan.errors import NotEstimable
from betterthan.kernels.metric_swaps.masks import draw_masks
from betterthan.kernels.metric_swaps.soft import soft_values_with_gaps


def literal_accuracy(metric, human_p):
    """Soft pairwise accuracy, each pair on the segments that both systems have."""
    terms = []
    for i, j in combinations(range(len(metric)), 2):
        if np.isnan(human_p[i, j]):
            continue
        d = [a - b for a, b in zip(metric[i], metric[j], strict=True) if not np.isnan(a - b)]
        power = sum(x * x for x in d)
        p = NormalDist().cdf(-sum(d) / power**0.5) if power > 0 else 0.5
        terms.append(1 - abs(human_p[i, j] - p))
    return sum(terms) / len(terms)


@pytest.mark.parametrize("seed", range(4))
def test_values_equal_those_of_formed_metrics(seed):
    """The same masks, one at a time; a pair without a human p-value is left out."""
    rng = np.random.default_rng(seed)
    k, m, n, b = 3, 5, 12, 7
    metrics = rng.normal(size=(k, m, n)) + np.arange(m)[:, None] / 3
    metrics[:, rng.random((m, n)) < 0.3] = np.nan
    human_p = rng.random((m, m))
    human_p[0, 3] = np.nan

    observed, portions = soft_values_with_gaps(metrics, human_p, [(b, np.random.default_rng(seed + 100))])
    values = np.concatenate(list(portions))

    masks = draw_masks("perm_inputs", b, (m, n), np.random.default_rng(seed + 100)).segments
    np.testing.assert_allclose(observed, [literal_accuracy(one, human_p) for one in metrics], atol=1e-12)
    for r, mask in enumerate(masks):
        for one in range(k):
            for other in range(k):
                swapped = np.where(mask, metrics[other], metrics[one])
                assert values[r, one, other] == pytest.approx(literal_accuracy(swapped, human_p), abs=1e-12)


def test_without_any_pair_there_is_no_value():
    """No two systems were judged together."""
    with pytest.raises(NotEstimable, match="no two systems were judged on the same segments"):
        soft_values_with_gaps(np.ones((2, 3, 4)), np.full((3, 3), np.nan), [(5, np.random.default_rng(0))])
