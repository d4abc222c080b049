"""Soft pairwise accuracy of swapped metrics: literal loops, the two ways of counting, and the two kinds of p-values."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from tests.kernels.metric_swaps.tallying import swap_soft
from tests.kernels.metric_swaps.test_means import example, literal_tallies

from betterthan.errors import BetterThanError, UnknownName
from betterthan.kernels.agreement.soft_pairwise import (
    one_sided_pvalues,
    soft_pairwise_accuracy,
    standard_error_of_monte_carlo,
)
from betterthan.kernels.agreement.system_means import pairs_of
from betterthan.kernels.compiled import compiled
from betterthan.kernels.metric_swaps import soft as metric_swaps_analytic
from betterthan.kernels.metric_swaps import soft as metric_swaps_counts
from betterthan.kernels.metric_swaps import soft as metric_swaps_monte_carlo
from betterthan.kernels.metric_swaps.masks import SWAP_SCHEMES, draw_masks
from betterthan.kernels.metric_swaps.means import standardised
from betterthan.kernels.metric_swaps.soft import (
    analytic_values,
    count_loop,
    count_reached,
    counter_for,
    monte_carlo_values,
    packed_flips,
)
from betterthan.kernels.sign_flips.permutation import random_signs


def literal_soft(goodness, human_p, pvalue):
    """Eq. 1 with a p-value of each pair of differences."""
    gaps = [
        abs(human_p[i, j] - pvalue(goodness[i] - goodness[j]))
        for i, j in combinations(range(len(goodness)), 2)
        if not np.isnan(human_p[i, j])
    ]
    return 1 - np.mean(gaps)


def by_permutations(signs):
    """Share of sign flips with a sum at least the observed one."""
    return lambda d: np.mean(signs @ d >= d.sum() - 1e-10)


def by_normal_tail(d):
    """Normal tail of the sign-flip distribution, by scipy.stats."""
    second = np.sum(d**2)
    return 0.5 if second < 1e-20 else stats.norm.sf(d.sum() / np.sqrt(second))


def human_pvalues(human):
    """With a pair that people did not compare."""
    human_p = one_sided_pvalues(human, "analytic")
    human_p[1, 3] = np.nan
    return human_p


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("scheme", SWAP_SCHEMES)
def test_monte_carlo_tallies_are_those_of_the_literal_loop(scheme, discrete):
    """Same masks and signs: every swapped metric is formed and every p-value counted."""
    human, metrics = example(discrete=discrete)
    human_p = human_pvalues(human)
    found = swap_soft(
        metrics,
        human_p,
        scheme,
        20,
        np.random.default_rng(5),
        p_values="monte_carlo",
        n_permutations=60,
        signs_rng=np.random.default_rng(4),
    )
    signs = random_signs(60, human.shape[1], np.random.default_rng(4)).astype(float)
    cells = draw_masks(scheme, 20, human.shape, np.random.default_rng(5)).cells()
    wanted = literal_tallies(metrics, cells, lambda x: literal_soft(x, human_p, by_permutations(signs)))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("scheme", SWAP_SCHEMES)
def test_analytic_tallies_are_those_of_the_literal_loop(scheme, discrete):
    """Same masks: every swapped metric is formed, and scipy.stats gives the tail."""
    human, metrics = example(discrete=discrete)
    human_p = human_pvalues(human)
    found = swap_soft(metrics, human_p, scheme, 20, np.random.default_rng(5))
    cells = draw_masks(scheme, 20, human.shape, np.random.default_rng(5)).cells()
    wanted = literal_tallies(metrics, cells, lambda x: literal_soft(x, human_p, by_normal_tail))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("scheme", SWAP_SCHEMES)
def test_values_of_swapped_metrics_are_soft_pairwise_accuracy(scheme):
    """Value for value, by the functions that compute it for a single metric; both kinds of p-values."""
    human, metrics = example(shape=(3, 6, 80))
    human_p = one_sided_pvalues(human, "analytic")
    pairs = pairs_of(6)
    masks = draw_masks(scheme, 4, (6, 80), np.random.default_rng(2))
    flips = packed_flips(300, 80, np.random.default_rng(4))
    known = human_p[pairs.first, pairs.second]
    sampled = monte_carlo_values(metrics, known, pairs, flips, 0, masks)
    smooth = analytic_values(metrics, known, pairs, masks)
    for r, a, b in np.ndindex(4, 3, 3):
        swapped = np.where(masks.cells()[r], metrics[b], metrics[a])
        p = one_sided_pvalues(swapped, "monte_carlo", n_resamples=300, rng=np.random.default_rng(4))
        assert sampled[r, a, b] == pytest.approx(float(soft_pairwise_accuracy(p, human_p)), abs=1e-12)
        wanted = literal_soft(swapped, human_p, by_normal_tail)
        assert smooth[r, a, b] == pytest.approx(wanted, abs=1e-12)


def test_memory_decides_about_portions_only(monkeypatch):
    """Pairs of systems, resamples and permutations in small portions give the same values."""
    human, metrics = example(shape=(3, 6, 40))
    pairs = pairs_of(6)
    known = one_sided_pvalues(human, "analytic")[pairs.first, pairs.second]
    masks = draw_masks("perm_inputs", 5, (6, 40), np.random.default_rng(2))
    flips = packed_flips(50, 40, np.random.default_rng(4))
    smooth = analytic_values(metrics, known, pairs, masks)
    sampled = monte_carlo_values(metrics, known, pairs, flips, 0, masks)
    monkeypatch.setattr(metric_swaps_analytic, "SQUARES_BYTES", 4 * 8 * 3 * 40)
    monkeypatch.setattr(metric_swaps_analytic, "AT_ONCE", 2)
    monkeypatch.setattr(metric_swaps_monte_carlo, "AT_ONCE", 7)
    monkeypatch.setattr(metric_swaps_counts, "FLAG_BYTES", 1)
    np.testing.assert_allclose(analytic_values(metrics, known, pairs, masks), smooth, atol=1e-13)
    again = packed_flips(50, 40, np.random.default_rng(4))
    np.testing.assert_array_equal(again.bits, flips.bits)
    np.testing.assert_array_equal(monte_carlo_values(metrics, known, pairs, again, 0, masks), sampled)


@pytest.mark.parametrize(("k", "q"), [(1, 1), (3, 8), (5, 50), (4, 2500)])
def test_both_ways_of_counting_agree(k, q):
    """Eight flags at a time and plain loops, beyond what bytes can hold too."""
    rng = np.random.default_rng(q)
    pairs = pairs_of(3)
    swapped, base = np.rint(rng.normal(size=(2, k, 3, q)))
    if q > 2040:
        base[0] = np.array([-9.0, 0.0, 9.0])[:, None]  # reached by all permutations
    slack = np.full((k, 3), 1e-9)
    found = np.ones((3, k, k), dtype=np.int32)
    count_reached(swapped, base, pairs, slack, found)
    v = swapped[:, pairs.first] - swapped[:, pairs.second]
    b = base[:, pairs.first] - base[:, pairs.second]
    wanted = 1 + np.count_nonzero(v[None] <= (v - b)[:, None] + 1e-8, axis=3).transpose(2, 0, 1)
    np.testing.assert_array_equal(found, wanted)
    if q <= 50:
        slow = np.ones((3, k, k), dtype=np.int32)
        count_loop(swapped, base, pairs.first, pairs.second, slack, slow)
        np.testing.assert_array_equal(slow, wanted)


def test_machine_code_counts_the_same(monkeypatch):
    """Chosen when the work is worth it; without numba the same function as for small work."""
    pytest.importorskip("numba")
    rng = np.random.default_rng(1)
    pairs = pairs_of(4)
    swapped, base = rng.normal(size=(2, 6, 4, 333))
    slack = np.zeros((6, 6))
    counts = np.zeros((2, 6, 6, 6), dtype=np.int32)
    count_reached(swapped, base, pairs, slack, counts[0])
    counter_for(1e12)(swapped, base, pairs, slack, counts[1])
    np.testing.assert_array_equal(counts[0], counts[1])
    compiled.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)
    assert counter_for(1e12) is count_reached
    compiled.cache_clear()


def test_the_two_kinds_of_pvalues_agree_within_monte_carlo_error():
    """Two implementations that share nothing but the masks; the error falls as the permutations grow in number."""
    rng = np.random.default_rng(8)
    quality = 0.1 * rng.normal(size=(7, 1))
    human = quality + rng.normal(size=(7, 300))
    metrics = standardised(quality + rng.normal(size=(6, 7, 300)) * np.linspace(0.3, 2, 6)[:, None, None])
    human_p = one_sided_pvalues(human, "analytic")
    pairs = pairs_of(7)
    known = human_p[pairs.first, pairs.second]
    masks = draw_masks("perm_both", 20, (7, 300), rng)
    smooth = analytic_values(metrics, known, pairs, masks)
    for n_permutations in (100, 4000):
        flips = packed_flips(n_permutations, 300, np.random.default_rng(4))
        apart = monte_carlo_values(metrics, known, pairs, flips, 0, masks) - smooth
        bound = standard_error_of_monte_carlo(human_p, human_p, n_permutations)
        assert bound / 20 < np.sqrt(np.mean(apart**2)) < bound / 2
        assert np.abs(apart).max() < bound


def test_refusals_say_what_to_do():
    """No random numbers for the permutations, and a kind of p-values that does not exist."""
    human, metrics = example()
    human_p = one_sided_pvalues(human, "analytic")
    rng = np.random.default_rng(0)
    with pytest.raises(BetterThanError, match="signs_rng is None"):
        swap_soft(metrics, human_p, "perm_inputs", 9, rng, p_values="monte_carlo")
    with pytest.raises(UnknownName, match=r'Unknown kind of p-values "exact"'):
        swap_soft(metrics, human_p, "perm_inputs", 9, rng, p_values="exact")
