"""The three generators draw what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from betterthan.studies.paired.paired_simulation import GENERATORS, GRID, Setting


def drawn(name, setting, seed=1):
    """One draw."""
    return GENERATORS[name](setting, np.random.default_rng(seed))


def test_the_grid_is_that_of_the_appendix():
    """A.2: 4 · 3 · 6 · 4 = 288 settings, 2,880 setups with ten data sets each."""
    assert len(GRID) == len(set(GRID)) == 288
    assert {s.types for s in GRID} == {1, 3, 5, 10}
    assert {s.outliers for s in GRID} == {0.0, 0.01, 0.025}
    assert {s.systems for s in GRID} == {2, 3, 5, 10, 25, 50}
    assert {s.segments for s in GRID} == {10, 30, 100, 200}


@pytest.mark.parametrize("name", GENERATORS)
def test_the_noise_has_variance_one(name):
    """Around the mean of its system and type, a score varies with standard deviation 1."""
    found = drawn(name, Setting(1, 0.0, 40, 2000))
    assert found.scores.std(axis=1).mean() == pytest.approx(1, abs=0.01)


def test_offsets_keep_differences_between_systems():
    """Section 4: the mean difference of two systems is that of their strengths, whatever the types."""
    found = drawn("offsets", Setting(5, 0.0, 6, 5000))
    differences = found.scores - found.scores[0]
    np.testing.assert_allclose(differences.mean(axis=1), found.strengths - found.strengths[0], atol=0.08)
    assert found.scores.std() > 10
    assert (found.strengths >= 0).all()
    assert (found.strengths <= 1).all()


def test_strengths_per_type_are_means_over_segments():
    """A.2 with E12: with 4 types on 6 segments, two types count twice."""
    setting = Setting(4, 0.0, 3, 6)
    own = np.random.default_rng(7).random((3, 4))
    expected = [np.mean([own[j, i % 4] for i in range(6)]) for j in range(3)]
    np.testing.assert_allclose(drawn("per_type", setting, seed=7).strengths, expected)


@pytest.mark.parametrize("name", ["offsets", "per_type"])
def test_scores_change_hands_on_a_share_of_the_segments(name):
    """A.2: the scores of an outlier are those of its segment, in another order; at least one, ⌊f n⌋ as a rule."""
    clean, with_some = drawn(name, Setting(2, 0.0, 30, 200)), drawn(name, Setting(2, 0.025, 30, 200))
    np.testing.assert_array_equal(np.sort(clean.scores, axis=0), np.sort(with_some.scores, axis=0))
    changed = (clean.scores != with_some.scores).any(axis=0)
    assert changed.sum() == 5
    assert (drawn(name, Setting(2, 0.01, 30, 10)).scores != drawn(name, Setting(2, 0.0, 30, 10)).scores).any()


def test_released_outliers_are_further_segments_against_the_truth():
    """⌊n / types⌋ segments a type, then outliers whose order scipy calls negatively correlated with the truth."""
    found = drawn("released", Setting(3, 0.025, 10, 200))
    assert found.strengths.sum() == pytest.approx(10)
    assert found.scores.shape == (10, 198 + 4)
    for column in found.scores[:, 198:].T:
        assert stats.kendalltau(column, found.strengths)[0] < 0
        assert (column >= 0).all()
        assert (column <= 100).all()
    assert drawn("released", Setting(1, 0.01, 4, 10)).scores.shape == (4, 11)
