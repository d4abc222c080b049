"""Swaps of segments for pooled taus against scores that are swapped and counted again."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from tests.kernels.metric_swaps.tallying import pooled_tallies_of_masks, swap_pooled

from betterthan.kernels.agreement.tau_tables import pair_tables_per_segment, tau
from betterthan.kernels.metric_swaps.masks import draw_masks

RULES = ("tau_ties_ignored", "tau_ties_soft", "tau_ties_hard", "tau_human_ties")


@pytest.mark.parametrize("rule", RULES)
def test_pooled_taus_are_those_of_swapped_scores(rule):
    """Adding up swapped tables is the same as swapping the scores and counting again."""
    rng = np.random.default_rng(19)
    human = np.round(rng.normal(size=(5, 12)))
    metrics = np.round(human + rng.normal(size=(3, 5, 12)))
    formula = partial(tau, rule=rule)
    tables = np.stack([pair_tables_per_segment(metric, human) for metric in metrics])
    masks = draw_masks("perm_inputs", 60, human.shape, np.random.default_rng(20)).segments

    def pooled(scores):
        return float(formula(pair_tables_per_segment(scores, human).sum(axis=0)))

    expected = 60 * np.eye(3, dtype=int)
    for a, b in itertools.permutations(range(3), 2):
        observed = pooled(metrics[a]) - pooled(metrics[b])
        for mask in masks:
            gain = pooled(np.where(mask, metrics[b], metrics[a])) - pooled(
                np.where(mask, metrics[a], metrics[b])
            )
            expected[a, b] += not gain < observed - 1e-9
    np.testing.assert_array_equal(pooled_tallies_of_masks(tables, formula, masks), expected)
    np.testing.assert_array_equal(swap_pooled(tables, formula, 60, np.random.default_rng(20)), expected)


def test_pooled_values_by_hand():
    """Worked by hand: 3 and 1 right of 4 on each of two segments; only swapping nothing reaches 3/4 - 1/4."""
    tables = np.array([[[3, 1], [3, 1]], [[1, 3], [1, 3]]])
    masks = np.array([[False, False], [True, False], [False, True], [True, True]])
    found = pooled_tallies_of_masks(tables, lambda c: c[..., 0] / c.sum(axis=-1), masks)
    np.testing.assert_array_equal(found, [[4, 1], [4, 4]])


def test_pooled_laws():
    """Renaming permutes, reordering segments changes nothing, blocks add up, and an empty denominator counts."""
    rng = np.random.default_rng(1)
    tables = rng.integers(0, 4, size=(3, 9, 3, 3))
    formula = partial(tau, rule="tau_ties_soft")
    masks = rng.random((50, 9)) < 0.5
    found = pooled_tallies_of_masks(tables, formula, masks)
    order, s = rng.permutation(3), rng.permutation(9)
    again = pooled_tallies_of_masks(tables[order][:, s], formula, masks[:, s])
    np.testing.assert_array_equal(again, found[np.ix_(order, order)])
    halves = [pooled_tallies_of_masks(tables, formula, part) for part in (masks[:20], masks[20:])]
    np.testing.assert_array_equal(halves[0] + halves[1], found)
    np.testing.assert_array_equal(pooled_tallies_of_masks(0 * tables, formula, masks), np.full((3, 3), 50))
