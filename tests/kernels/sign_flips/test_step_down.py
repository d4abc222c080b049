from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.everyday import few

from betterthan.kernels.sign_flips import permutation
from betterthan.kernels.sign_flips.permutation import add_one, permutation_block, random_signs
from betterthan.kernels.sign_flips.step_down import family_of, max_statistic_block
from betterthan.kernels.significance.pvalues import step_down, stepped_pvalues


def literal_step_down(goodness, signs):
    """Loop over resamples and over pairs from the least significant up."""
    pairs = list(itertools.combinations(range(len(goodness)), 2))
    differences = {pair: np.nan_to_num(goodness[pair[0]] - goodness[pair[1]]) for pair in pairs}
    spread = {pair: np.sqrt((d**2).sum()) or 1.0 for pair, d in differences.items()}
    observed = {pair: abs(d.sum()) / spread[pair] for pair, d in differences.items()}
    order = sorted(pairs, key=lambda pair: -round(observed[pair], 12))
    counts = dict.fromkeys(pairs, 0)
    for row in signs.astype(float):
        largest = 0.0
        for pair in reversed(order):
            largest = max(largest, abs(row @ differences[pair]) / spread[pair])
            counts[pair] += largest >= observed[pair] - 1e-9
    adjusted, so_far = np.ones((len(goodness),) * 2), 0.0
    for a, b in order:
        so_far = max(so_far, (counts[a, b] + 1) / (len(signs) + 1))
        adjusted[a, b] = adjusted[b, a] = so_far
    return adjusted


def adjusted_pvalues(goodness, n_resamples, rng):
    """Tally and step down in one block."""
    family = family_of(goodness)
    reached = max_statistic_block(family, n_resamples, rng)
    return step_down(reached.together, family.statistics, n_resamples)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_the_adjusted_pvalues_are_those_of_the_literal_loop(seed, missing):
    """Successive maxima, one resample at a time."""
    rng = np.random.default_rng(seed)
    goodness = rng.normal(size=(5, 30)) * rng.gamma(2, size=(5, 1)) + 0.3 * np.arange(5)[:, None]
    goodness[rng.random((5, 30)) < missing] = np.nan
    found = adjusted_pvalues(goodness, 199, np.random.default_rng(1))
    wanted = literal_step_down(goodness, random_signs(199, 30, np.random.default_rng(1)))
    np.testing.assert_allclose(found, wanted)


@given(st.integers(0, 10_000), st.integers(2, 6), st.booleans())
def test_adjusting_never_helps_and_never_exceeds_bonferroni_by_much(seed, m, whole):
    """Between the raw p-value and the sum of the family's; monotone in the statistic."""
    rng = np.random.default_rng(seed)
    goodness = rng.normal(size=(m, 25)) + rng.normal(size=(m, 1))
    goodness = np.rint(2 * goodness) if whole else goodness
    raw = permutation_block(goodness, 499, np.random.default_rng(2))
    adjusted = adjusted_pvalues(goodness, 499, np.random.default_rng(2))
    assert (adjusted >= add_one(raw.greater + raw.equal, 499) - 1e-12).all()
    assert ((adjusted > 0) & (adjusted <= 1)).all()
    np.testing.assert_array_equal(adjusted, adjusted.T)
    upper = np.triu_indices(m, 1)
    order = np.argsort(family_of(goodness).statistics[upper])
    assert (np.diff(adjusted[upper][order]) <= 1e-12).all()
    # The chance that any of the family exceeds the largest statistic is at most the sum over the family.
    signs = random_signs(499, 25, np.random.default_rng(2)).astype(float)
    left, right = upper
    d = goodness[left] - goodness[right]
    spread = np.sqrt((d**2).sum(axis=1)).clip(1e-300)
    flipped = np.abs(signs @ d.T) / spread
    top = family_of(goodness).statistics[upper].max()
    assert adjusted[upper].min() <= (np.count_nonzero(flipped >= top - 1e-9) + 1) / 500 + 1e-12


def exact_reached(goodness, signs):
    """Who is reached alone and together, in whole numbers and float64."""
    left, right = np.triu_indices(len(goodness), 1)
    d = np.nan_to_num(goodness[left] - goodness[right])
    spread = np.sqrt((d**2).sum(axis=1))
    spread[spread == 0] = 1.0
    flipped, observed = np.abs(d @ signs.T.astype(float)), np.abs(d.sum(axis=1))
    slack = 1e-9 * np.abs(d).sum(axis=1)
    alone = np.count_nonzero(flipped >= (observed - slack)[:, None], axis=1)
    order = np.argsort(-(observed / spread).round(12), kind="stable")[::-1]
    largest = np.maximum.accumulate((flipped / spread[:, None])[order], axis=0)
    together = np.empty_like(alone)
    together[order] = np.count_nonzero(largest >= ((observed - slack) / spread)[order, None], axis=1)
    return alone, together


KINDS = {
    "continuous": np.copy,
    "ratings": lambda x: np.rint(2 * x),
    "right and wrong": lambda x: (x > 0).astype(float),
    "far from zero": lambda x: x + 1e6,
    "gaps": lambda x: np.where(x > 2, np.nan, x),
    "few differences": lambda x: x[:1] + x * (np.arange(x.shape[1]) < 4),
    "twins": lambda x: x[np.arange(len(x)) // 2] + 1e-5 * x,
}


@pytest.mark.parametrize("m", few([7, 40], 1))
@pytest.mark.parametrize("kind", KINDS)
def test_tallies_are_those_of_float64(kind, m):
    """Pairs one by one and in groups; sums that float32 cannot tell apart are recomputed."""
    rng = np.random.default_rng(8)
    goodness = KINDS[kind](rng.normal(size=(m, 60)) + 0.2 * rng.normal(size=(m, 1)))
    found = max_statistic_block(goodness, 300, np.random.default_rng(9))
    alone, together = exact_reached(goodness, random_signs(300, 60, np.random.default_rng(9)))
    upper = np.triu_indices(m, 1)
    np.testing.assert_array_equal(found.alone[upper], alone)
    statistics = family_of(goodness).statistics
    adjusted = step_down(found.together, statistics, 300)[upper]
    np.testing.assert_array_equal(adjusted, stepped_pvalues(together, statistics[upper], 300))
    raw = permutation_block(goodness, 300, np.random.default_rng(9))
    np.testing.assert_array_equal(found.alone, raw.greater + raw.equal)


def test_blocks_add_up(monkeypatch):
    """Two blocks of the same stream are one block, whatever the portions."""
    goodness = np.random.default_rng(3).normal(size=(4, 50))
    whole = max_statistic_block(goodness, 100, np.random.default_rng(4))
    rng = np.random.default_rng(4)
    np.testing.assert_array_equal(
        whole, np.add(max_statistic_block(goodness, 60, rng), max_statistic_block(goodness, 40, rng))
    )
    monkeypatch.setattr(permutation, "LARGEST_CHUNK", 17)
    np.testing.assert_array_equal(whole, max_statistic_block(goodness, 100, np.random.default_rng(4)))


def test_identical_systems_are_never_called_different():
    """No difference, statistic 0, adjusted p-value 1."""
    goodness = np.random.default_rng(5).normal(size=(3, 20))
    goodness[2] = goodness[0]
    assert family_of(goodness).statistics[0, 2] == 0
    assert adjusted_pvalues(goodness, 99, np.random.default_rng(6))[0, 2] == 1.0


def test_false_alarms_of_the_family_stay_at_their_level():
    """Eight equal systems, 600 tables: some pair is called different in about 5 % of them."""
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(600):
        goodness = rng.standard_t(3, size=(8, 40)) + rng.normal(size=40)
        alarms += adjusted_pvalues(goodness, 199, rng).min() <= 0.05
    assert 0.025 < alarms / 600 < 0.08


class TestNearlyTiedMaxima:
    """Systems with a score of 1e29 make statistics that single precision cannot tell apart in every resample."""

    @staticmethod
    def goodness(n: int):
        """120 systems, some with one such score and some with nothing else."""
        values = np.random.default_rng(2).normal(size=(120, n))
        values[:12, 0] += 1e29
        values[12:24] *= 1e28
        return values

    @pytest.mark.parametrize(
        ("n", "alone", "together"), [(8, 8_846_926, 14_399_950), (20, 8_308_756, 14_332_076)]
    )
    def test_memory_does_not_grow_with_the_pairs_in_doubt(self, n, alone, together):
        """The peak was 490 MB when all were listed at once; the counts are those of then."""
        family = family_of(self.goodness(n))
        tracemalloc.start()
        try:
            reached = max_statistic_block(family, 1000, np.random.default_rng(0))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 150 * 2**20
        assert (int(reached.alone.sum()), int(reached.together.sum())) == (alone, together)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_few_segments_have_few_distinct_resamples(missing):
    """Each is computed once and counts as often as it was drawn."""
    rng = np.random.default_rng(11)
    goodness = rng.normal(size=(6, 7)) + np.arange(6)[:, None] / 2
    goodness[rng.random(goodness.shape) < missing] = np.nan
    found = max_statistic_block(goodness, 2000, np.random.default_rng(1))
    alone, together = exact_reached(goodness, random_signs(2000, 7, np.random.default_rng(1)))
    upper = np.triu_indices(6, 1)
    np.testing.assert_array_equal(found.alone[upper], alone)
    np.testing.assert_array_equal(found.together[upper], together)
