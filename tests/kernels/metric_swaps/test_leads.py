"""P-values from leads after swaps, and their correction over all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from betterthan.kernels.metric_swaps.masks import Leads, joined_leads, step_down_pvalues, two_sided_pvalues

K = 5
PAIRS = list(combinations(range(K), 2))


def random_leads(rng, n_resamples=199, shift=0.0):
    """Differences of five metrics, observed and after swaps."""
    values = rng.normal(size=(n_resamples + 1, K))
    values[0, 0] += shift
    leads = np.stack([values[:, a] - values[:, b] for a, b in PAIRS], axis=1)
    return Leads(leads[0], leads[1:], np.full(len(PAIRS), 1e-12), K)


def literal_step_down(leads):
    """The successive maxima, in a loop."""
    scale = np.sqrt((np.vstack([leads.observed, leads.swapped]) ** 2).mean(axis=0))
    statistic, draws = np.abs(leads.observed) / scale, np.abs(leads.swapped) / scale
    left, largest, found = list(np.argsort(-statistic)), 0.0, np.empty(len(PAIRS))
    while left:
        share = (np.sum(draws[:, left].max(axis=1) >= statistic[left[0]]) + 1) / (leads.n_resamples + 1)
        largest = max(largest, share)
        found[left.pop(0)] = largest
    return found


@pytest.mark.parametrize("shift", [0.0, 3.0, 9.0])
def test_successive_maxima_are_those_of_a_loop(shift):
    """And never below the p-value of the pair alone."""
    leads = random_leads(np.random.default_rng(int(shift)), shift=shift)
    found, alone = step_down_pvalues(leads), two_sided_pvalues(leads)
    expected = literal_step_down(leads)
    for place, (a, b) in enumerate(PAIRS):
        assert found[a, b] == found[b, a] == pytest.approx(expected[place])
    assert (found >= alone).all()


def test_two_sided_pvalues_keep_their_level_and_the_family_too():
    """Equal metrics: 5% of pairs, and at most 5% of families."""
    rng = np.random.default_rng(3)
    pairs, families = [], []
    for _ in range(1500):
        leads = random_leads(rng, n_resamples=39)
        first, second = np.triu_indices(K, 1)
        pairs.append((two_sided_pvalues(leads)[first, second] <= 0.05).mean())
        families.append((step_down_pvalues(leads) <= 0.05).any())
    assert np.mean(pairs) == pytest.approx(0.05, abs=0.012)
    assert 0.025 < np.mean(families) < 0.07


def test_many_pairs_do_not_put_significance_out_of_reach():
    """300 pairs of 25 metrics: Holm would lift 1 / 1,001 over 0.05."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(1000, 25))
    first, second = np.triu_indices(25, 1)
    value = np.arange(25.0)[::-1]
    leads = Leads(
        20 * (value[first] - value[second]), values[:, first] - values[:, second], np.full(300, 1e-12), 25
    )
    assert (step_down_pvalues(leads)[first, second] == 1 / 1001).all()


def test_what_is_undefined_counts_against_a_claim_and_not_against_others():
    """A swap without a value counts; a pair without a value is no claim."""
    swapped = np.array([[0.1, np.nan, 0.1]] * 19)
    leads = Leads(np.array([0.9, 0.9, np.nan]), swapped, np.full(3, 1e-12), 3)
    assert two_sided_pvalues(leads)[0, 1] == 1 / 20
    assert two_sided_pvalues(leads)[0, 2] == 1
    assert step_down_pvalues(leads)[0, 2] == 1
    without = Leads(np.array([0.9, 0.8, np.nan]), np.array([[0.1, 0.1, 99.0]] * 19), np.full(3, 1e-12), 3)
    assert step_down_pvalues(without)[0, 1] == 1 / 20


def test_blocks_join():
    """Halves are the whole."""
    leads = random_leads(np.random.default_rng(7))
    halves = [leads._replace(swapped=part) for part in (leads.swapped[:90], leads.swapped[90:])]
    np.testing.assert_array_equal(joined_leads(halves).swapped, leads.swapped)
    np.testing.assert_array_equal(leads.tallies(), sum(half.tallies() for half in halves))
