from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.everyday import examples, few
from threadpoolctl import threadpool_limits

from betterthan.kernels.sign_flips import permutation
from betterthan.kernels.sign_flips.exact import exact_sign_flip
from betterthan.kernels.sign_flips.permutation import (
    Tallies,
    add_one,
    centred_scores,
    mid_share,
    partial_sums,
    permutation_block,
    portions,
    random_signs,
    share,
)

ALTERNATIVES = ("two-sided", "greater", "less")


def literal_tallies(goodness, signs, alternative):
    """Loop over pairs and resamples in float64, ties within a relative 1e-11."""
    m = len(goodness)
    greater, equal = np.zeros((2, m, m), dtype=int)
    for a, b in itertools.product(range(m), repeat=2):
        d = np.nan_to_num(goodness[a] - goodness[b])
        for row in signs.astype(float):
            flipped, total = row @ d, d.sum()
            far = {
                "two-sided": abs(flipped) - abs(total),
                "greater": flipped - total,
                "less": total - flipped,
            }
            greater[a, b] += far[alternative] > 1e-11 * np.abs(d).sum()
            equal[a, b] += abs(far[alternative]) <= 1e-11 * np.abs(d).sum()
    return Tallies(greater, equal)


@st.composite
def score_tables(draw):
    """Small tables: real, whole, decimal, heavy-tailed, far from zero, with identical rows and gaps."""
    m, n = draw(st.integers(1, 5)), draw(st.integers(1, 70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["real", "binary", "stars", "decimal", "heavy", "far", "few_values"]))
    table = {
        "real": rng.normal(size=(m, n)),
        "binary": rng.integers(0, 2, (m, n)).astype(float),
        "stars": rng.integers(1, 6, (m, n)) / 2,
        "decimal": 85 + rng.integers(-9, 10, (m, n)) / 10,
        "heavy": rng.standard_cauchy((m, n)),
        "far": 1e6 + rng.normal(size=(m, n)),
        "few_values": rng.choice([np.sqrt(2), np.pi, np.e], (m, n)),
    }[kind]
    if draw(st.booleans()):
        table[-1] = table[0]
    if draw(st.booleans()):
        table[rng.random((m, n)) < 0.2] = np.nan
    return table


@given(score_tables(), st.sampled_from(ALTERNATIVES), st.integers(1, 40))
@settings(max_examples=examples(300))
def test_the_tallies_are_those_of_the_literal_loop(goodness, alternative, n_resamples):
    """The same signs give the same counts of greater and of equal, to the last one."""
    found = permutation_block(goodness, n_resamples, np.random.default_rng(7), alternative=alternative)
    signs = random_signs(n_resamples, goodness.shape[1], np.random.default_rng(7))
    wanted = literal_tallies(goodness, signs, alternative)
    np.testing.assert_array_equal(found.greater, wanted.greater)
    np.testing.assert_array_equal(found.equal, wanted.equal)


@pytest.mark.parametrize("unit", [1.0, 0.1, 1 / 3, np.sqrt(2)])
def test_exact_ties_of_large_tables_are_counted_exactly(unit):
    """Whole numbers in disguise: float32 would split their ties."""
    rng = np.random.default_rng(0)
    points = rng.integers(0, 3, (6, 900))
    signs = random_signs(300, 900, np.random.default_rng(1)).astype(np.int64)
    flipped = np.abs(np.einsum("rn,abn->abr", signs, points[:, None] - points[None]))
    total = np.abs(points.sum(axis=1)[:, None] - points.sum(axis=1))[:, :, None]
    found = permutation_block(unit * points, 300, np.random.default_rng(1))
    np.testing.assert_array_equal(found.greater, (flipped > total).sum(axis=2))
    np.testing.assert_array_equal(found.equal, (flipped == total).sum(axis=2))
    assert found.equal.sum() > 6 * 300


def test_ties_without_a_unit_are_decided_in_float64():
    """Systems that differ on a few segments tie often, and float32 cannot see it."""
    rng = np.random.default_rng(2)
    goodness = np.repeat(rng.normal(size=(1, 4000)), 3, axis=0)
    goodness[1, :4] += rng.normal(size=4)
    goodness[2, 10:13] -= rng.normal(size=3)
    found = permutation_block(goodness, 800, np.random.default_rng(3))
    wanted = literal_tallies(goodness, random_signs(800, 4000, np.random.default_rng(3)), "two-sided")
    np.testing.assert_array_equal(found.equal, wanted.equal)
    np.testing.assert_array_equal(found.greater, wanted.greater)
    assert found.equal[0, 1] > 50


@pytest.mark.parametrize("tail", [np.inf, 2.0, 1.0])
@pytest.mark.parametrize("threads", [1, 2])  # how a product is cut into pieces decides its rounding
@pytest.mark.parametrize("n", few([50, 200, 3000], 2))
def test_float32_stays_within_the_allowed_doubt(n, tail, threads):
    """The rounding of a float32 sum is a small part of what is allowed for."""
    rng = np.random.default_rng(n)
    goodness = rng.normal(size=(8, n)) if np.isinf(tail) else rng.standard_t(tail, size=(8, n))
    scores = centred_scores(goodness)
    signs = random_signs(500, n, rng)
    with threadpool_limits(threads):
        single = partial_sums(scores.values.astype(np.float32), scores.patterns, signs)[0]
    double = partial_sums(scores.values, scores.patterns, signs.astype(np.float64))[0]
    error = np.abs((single[:, None] - single[None]) - (double[:, None] - double[None])).max(axis=2)
    assert (error <= 0.5 * scores.doubt + 1e-300).all()


def test_monte_carlo_agrees_with_the_exact_value():
    """Twenty thousand flips, five standard errors."""
    goodness = np.random.default_rng(4).normal(size=(3, 15)) + np.array([[0.5], [0.2], [0]])
    found = permutation_block(goodness, 20_000, np.random.default_rng(5))
    for a, b in itertools.combinations(range(3), 2):
        p = exact_sign_flip(goodness[a] - goodness[b]).pvalue
        assert share(found.greater + found.equal, 20_000)[a, b] == pytest.approx(
            p, abs=5 * np.sqrt(p / 20_000)
        )


def test_blocks_add_up_whatever_the_portions(monkeypatch):
    """How a block is cut for memory is nobody's business."""
    goodness = np.random.default_rng(6).normal(size=(4, 130))
    whole = permutation_block(goodness, 100, np.random.default_rng(7))
    monkeypatch.setattr(permutation, "LARGEST_CHUNK", 33)
    parts = permutation_block(goodness, 100, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    scores = centred_scores(goodness)
    blocks = permutation_block(scores, 60, rng) + permutation_block(scores, 40, rng)
    for other in (parts, blocks):
        np.testing.assert_array_equal(whole.greater, other.greater)
        np.testing.assert_array_equal(whole.equal, other.equal)


def test_a_portion_never_outgrows_the_bytes_that_count_it():
    """A byte counts to 255, and eight are added side by side."""
    goodness = np.zeros((2, 3))
    found = permutation_block(goodness, 5000, np.random.default_rng(8))
    assert (found.equal == 5000).all()
    assert max(portions(10**6, 1)) <= 8 * 255
    assert sum(portions(12_345, 10**9)) == 12_345


@given(score_tables())
def test_one_sided_tallies_are_complementary(goodness):
    """What does not speak for A and is no tie speaks for B."""
    found = permutation_block(goodness, 50, np.random.default_rng(9), alternative="greater")
    np.testing.assert_array_equal(
        found.greater + found.greater.T + found.equal, np.where(np.eye(len(goodness)), found.equal, 50)
    )
    np.testing.assert_allclose(mid_share(found, 50) + mid_share(found, 50).T, 1.0)
    other = permutation_block(goodness, 50, np.random.default_rng(9), alternative="less")
    np.testing.assert_array_equal(found.greater.T, other.greater)


def test_renaming_systems_permutes_the_tallies():
    """The order of rows carries no meaning."""
    goodness = np.random.default_rng(10).normal(size=(5, 80))
    order = np.array([3, 0, 4, 1, 2])
    found = permutation_block(goodness, 200, np.random.default_rng(11), alternative="greater")
    other = permutation_block(goodness[order], 200, np.random.default_rng(11), alternative="greater")
    np.testing.assert_array_equal(found.greater[np.ix_(order, order)], other.greater)


@pytest.mark.parametrize("factor", [1e-200, 1e-9, 0.07, 1e8, 1e200])
def test_scale_and_difficulty_of_segments_do_not_matter(factor):
    """Only differences between systems count."""
    rng = np.random.default_rng(12)
    goodness = rng.integers(0, 5, (4, 60)).astype(float)
    found = permutation_block(goodness, 200, np.random.default_rng(13))
    other = permutation_block(
        factor * (goodness + 10 * rng.integers(0, 9, 60)), 200, np.random.default_rng(13)
    )
    np.testing.assert_array_equal(found.greater, other.greater)
    np.testing.assert_array_equal(found.equal, other.equal)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_scores_beyond_the_range_of_float32_are_no_trouble(factor):
    """They are brought to a moderate size by a power of two."""
    goodness = np.random.default_rng(16).normal(size=(3, 60))
    found = permutation_block(goodness, 200, np.random.default_rng(17))
    other = permutation_block(factor * goodness, 200, np.random.default_rng(17))
    np.testing.assert_array_equal(found.greater, other.greater)


def test_pvalues_are_never_zero_with_one_added():
    """(b + 1) / (B + 1) lies in (0, 1]; the literal share may be 0."""
    found = permutation_block(np.array([[9.0] * 40, [0.0] * 40]), 99, np.random.default_rng(14))
    counts = found.greater + found.equal
    assert add_one(counts, 99)[0, 1] == 0.01
    assert share(counts, 99)[0, 1] == 0.0
    assert add_one(counts, 99)[0, 0] == 1.0


def test_signs_are_fair_and_drawn_in_portions_alike():
    """Each bit is a coin; two portions continue the same stream."""
    signs = random_signs(4000, 70, np.random.default_rng(15))
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert np.abs(signs.mean(axis=0)).max() < 5 / np.sqrt(4000)
    assert np.abs(np.corrcoef(signs.T) - np.eye(70)).max() < 5.5 / np.sqrt(4000)
    rng = np.random.default_rng(15)
    np.testing.assert_array_equal(signs[:7], np.vstack([random_signs(3, 70, rng), random_signs(4, 70, rng)]))


def test_tallies_add_only_to_tallies():
    """A tuple would be glued on instead of added."""
    with pytest.raises(TypeError):
        operator.add(Tallies(np.zeros((1, 1)), np.zeros((1, 1))), (1, 2))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("decimals", [0, 3, 15])
def test_machine_code_tallies_the_same(monkeypatch, alternative, decimals):
    """To the last resample: with numba, and as if it were not there."""
    pytest.importorskip("numba")
    goodness = np.random.default_rng(decimals).normal(size=(9, 120)).round(decimals)
    with_machine_code = permutation_block(goodness, 500, np.random.default_rng(5), alternative=alternative)
    monkeypatch.setattr("betterthan.kernels.sign_flips.permutation.is_loaded", lambda: False)
    without = permutation_block(goodness, 500, np.random.default_rng(5), alternative=alternative)
    np.testing.assert_array_equal(with_machine_code.greater, without.greater)
    np.testing.assert_array_equal(with_machine_code.equal, without.equal)
