from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.everyday import examples

from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.kernels.sign_flips import permutation
from betterthan.kernels.sign_flips.permutation import permutation_block, random_signs
from betterthan.kernels.significance.counts_permutation import (
    counts_bootstrap_block,
    counts_permutation_block,
    linearised_differences,
)

ALTERNATIVES = ("two-sided", "greater", "less")


def f1(sums):
    """F1 from true positives, false positives, false negatives; 0/0 is undefined."""
    with np.errstate(invalid="ignore"):
        return 2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1] + sums[..., 2])


def mean(sums):
    """Score over number of segments."""
    return sums[..., 0] / sums[..., 1]


def literal_swaps(counts, signs, formula, alternative):
    """Swap segment by segment, add up, apply the formula."""
    m = len(counts)
    greater, equal = np.zeros((2, m, m), dtype=int)
    for a, b in itertools.product(range(m), repeat=2):
        total = formula(counts[a].sum(axis=0)) - formula(counts[b].sum(axis=0))
        for row in signs:
            swap = (row < 0)[:, None]
            left, right = np.where(swap, counts[b], counts[a]), np.where(swap, counts[a], counts[b])
            flipped = formula(left.sum(axis=0)) - formula(right.sum(axis=0))
            far = {
                "two-sided": abs(flipped) - abs(total),
                "greater": flipped - total,
                "less": total - flipped,
            }
            greater[a, b] += far[alternative] > 1e-11
            equal[a, b] += not abs(far[alternative]) > 1e-11
    return greater, equal


@given(st.integers(0, 10_000), st.sampled_from(ALTERNATIVES), st.booleans())
@settings(max_examples=examples(100))
def test_the_tallies_are_those_of_literal_swaps(seed, alternative, whole):
    """Partial sums of the systems stand for every swapped corpus, whole numbers or not."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, size=(3, 12, 3)).astype(float) if whole else rng.random((3, 12, 3))
    found = counts_permutation_block(
        counts, 20, np.random.default_rng(1), formula=f1, alternative=alternative
    )
    greater, equal = literal_swaps(counts, random_signs(20, 12, np.random.default_rng(1)), f1, alternative)
    np.testing.assert_array_equal(found.greater, greater)
    np.testing.assert_array_equal(found.equal, equal)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_mean_is_the_sign_flip_test(alternative):
    """Counts (score, 1) with a ratio give the tallies of the plain test on the same signs."""
    rng = np.random.default_rng(2)
    goodness = rng.integers(0, 5, (4, 90)).astype(float)
    counts = np.stack([goodness, np.ones_like(goodness)], axis=2)
    options = {"alternative": alternative}
    found = counts_permutation_block(counts, 150, np.random.default_rng(3), formula=mean, **options)
    plain = permutation_block(goodness, 150, np.random.default_rng(3), **options)
    np.testing.assert_array_equal(found.greater, plain.greater)
    np.testing.assert_array_equal(found.equal, plain.equal)


def test_an_undefined_resample_counts_as_a_tie():
    """A corpus without positives has no F1; that can only raise p."""
    counts = np.zeros((2, 2, 3))
    counts[0, 0, 0] = counts[1, 1, 1] = 1.0
    found = counts_permutation_block(counts, 40, np.random.default_rng(4), formula=f1)
    assert found.greater[0, 1] + found.equal[0, 1] == 40


def test_blocks_add_up_whatever_the_portions(monkeypatch):
    """Memory decides the portions, the stream decides the numbers."""
    counts = np.random.default_rng(5).poisson(2.0, size=(3, 70, 3)).astype(float)
    whole = counts_permutation_block(counts, 50, np.random.default_rng(6), formula=f1)
    boots = counts_bootstrap_block(counts, 50, np.random.default_rng(6), formula=f1)
    monkeypatch.setattr(permutation, "LARGEST_CHUNK", 13)
    parts = counts_permutation_block(counts, 50, np.random.default_rng(6), formula=f1)
    np.testing.assert_array_equal(whole.greater, parts.greater)
    np.testing.assert_array_equal(
        boots, counts_bootstrap_block(counts, 50, np.random.default_rng(6), formula=f1)
    )


def test_bootstrap_scores_are_the_formula_on_drawn_segments():
    """Drawing segments and pooling is draw counts times counts."""
    counts = np.random.default_rng(7).poisson(2.0, size=(3, 30, 3)).astype(float)
    found = counts_bootstrap_block(counts, 25, np.random.default_rng(8), formula=f1)
    weights = bootstrap_counts(25, 30, np.random.default_rng(8)).astype(int)
    for row, draws in zip(found, weights, strict=True):
        drawn = np.repeat(np.arange(30), draws)
        np.testing.assert_allclose(row, f1(counts[:, drawn].sum(axis=1)), rtol=1e-12)
    assert found.shape == (25, 3)
    assert counts_bootstrap_block(counts, 0, np.random.default_rng(8), formula=f1).shape == (0, 3)


def test_linear_scores_are_split_exactly():
    """Of the share of right answers every segment adds its own difference over the number of segments."""
    right = np.array([[1.0, 0, 1, 1, 0], [0, 0, 1, 0, 1]])
    counts = np.stack([right, np.ones((2, 5))], axis=2)

    found = linearised_differences(counts[0], counts[1], formula=mean)
    np.testing.assert_allclose(found, np.array([1, 0, 0, 1, -1]) / 5, rtol=1e-9, atol=1e-15)


@given(st.integers(0, 10_000))
def test_what_segments_add_sums_to_the_difference_and_turns_with_the_pair(seed):
    """A against B is B against A negated, and nothing of the observed difference is lost."""
    counts = np.random.default_rng(seed).poisson(3.0, size=(2, 25, 3)) + 1.0
    one, other = (linearised_differences(*pair, formula=f1) for pair in (counts, counts[::-1]))
    difference = f1(counts[0].sum(axis=0)) - f1(counts[1].sum(axis=0))

    np.testing.assert_array_equal(one, -other)
    if np.isnan(one).any():
        assert abs(difference) < 0.01
    else:
        assert one.sum() == pytest.approx(difference, rel=1e-9)


def test_what_segments_add_is_the_change_when_one_is_swapped():
    """Swapping a segment changes the difference of scores by twice what it adds, to second order in its share."""
    counts = np.random.default_rng(3).poisson(6.0, size=(2, 400, 3)) + 1.0
    counts[0, :, 0] += 1
    added = linearised_differences(counts[0], counts[1], formula=f1)
    totals = counts.sum(axis=1)
    gap = counts[0] - counts[1]
    swapped = f1(totals[0] - gap) - f1(totals[1] + gap)

    np.testing.assert_allclose(
        f1(totals[0]) - f1(totals[1]) - swapped, 2 * added, atol=0.01 * np.abs(added).max()
    )


def test_nothing_is_linear_where_the_score_is_undefined_or_too_curved():
    """Equal scores, a formula without a value halfway, and one whose slope halfway says nothing of the difference."""
    one, other = np.array([[1.0, 1], [0, 1]]), np.array([[0.0, 1], [1, 1]])
    assert np.isnan(linearised_differences(one, other, formula=mean)).all()
    with np.errstate(invalid="ignore"):
        undefined = linearised_differences(one, 0 * other, formula=lambda sums: np.log(sums[..., 0] - 0.6))
    assert np.isnan(undefined).all()
    steep = linearised_differences(one, 0 * other, formula=lambda sums: (sums[..., 0] > 0.9).astype(float))
    assert np.isnan(steep).all()
