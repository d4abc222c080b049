"""Intervals of mean differences by documents, held against every sign vector and against the test they invert."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from betterthan.kernels.sign_flips import limits
from betterthan.kernels.sign_flips.all_pairs import certain_tails, pair_tails

KINDS = ("equal", "lognormal", "giant")


def drawn(kind, n_documents, *, m=2, seed=0, draw="normal"):
    """Sums of m systems by document, and the sizes of documents."""
    rng = np.random.default_rng([seed, n_documents])
    sizes = np.full(n_documents, 10.0)
    if kind == "lognormal":
        sizes = np.maximum(1, np.rint(np.exp(rng.normal(2, 1, n_documents))))
    if kind == "giant":
        sizes[0] = 10 * (n_documents - 1)
    if draw == "whole":
        return rng.binomial(sizes.astype(int), 0.3, size=(m, n_documents)).astype(float), sizes
    noise = rng.normal(size=(2, m, n_documents))
    return 0.2 * sizes * np.arange(m)[:, None] + np.sqrt(sizes) * noise[0] + 0.5 * sizes * noise[1], sizes


def found(sums, sizes, confidence=0.95, at=(0, 1)):
    """Limits of one pair, from a poor start."""
    left, right = (np.array([i]) for i in at)
    mean = (sums[left] - sums[right]).sum(axis=1) / sizes.sum()
    low, high = limits.sign_flip_limits(
        sums, sizes, confidence=confidence, start=(mean - 0.1, mean + 0.1), pairs=(left, right)
    )
    return float(low[0]), float(high[0])


def counted(d, sizes, delta):
    """P(|T| ≥ |t|) over all sign vectors where the mean difference is delta."""
    terms = d - delta * sizes
    signs = np.array(list(itertools.product((1, -1), repeat=d.size)))
    return np.mean(np.abs(signs @ terms) >= abs(terms.sum()) - 1e-9 * np.abs(terms).sum())


@pytest.mark.parametrize("draw", ["normal", "whole"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_documents", [6, 7, 10])
def test_limits_end_where_all_sign_vectors_begin_to_reject(kind, n_documents, draw):
    """A limit is a mean over a set of documents and not rejected; the next mean outside is."""
    sums, sizes = drawn(kind, n_documents, draw=draw)
    d = sums[0] - sums[1]
    sets = np.array(list(itertools.product((0.0, 1.0), repeat=n_documents)))[1:]
    means = np.unique((sets @ d) / (sets @ sizes))
    low, high = found(sums, sizes)

    for limit, outside in ((low, means[means < low - 1e-9]), (high, means[means > high + 1e-9][::-1])):
        assert counted(d, sizes, limit) > 0.05
        assert np.abs(means - limit).min() < 1e-9
        assert all(counted(d, sizes, mean) <= 0.05 for mean in outside[-1:])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_documents", [13, 16, 17, 18])
def test_more_documents_than_are_listed_at_once_have_the_same_limits(kind, n_documents):
    """From 17 documents on, p-values are inverted; where that is not enough, sign vectors are counted."""
    sums, sizes = drawn(kind, n_documents, seed=1)
    listed = limits.listed_limits((sums[0] - sums[1])[None], sizes, confidence=0.95)
    low, high = found(sums, sizes)

    assert (low, high) == pytest.approx(
        (listed[0][0], listed[1][0]), abs=0.01 * (listed[1] - listed[0])[0] / 2
    )


@pytest.mark.parametrize("confidence", [0.95, 0.99])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_documents", [25, 31, 45, 60])
def test_the_p_value_of_a_limit_is_alpha(kind, n_documents, confidence):
    """Found by the kernel of the test itself, or by its referee."""
    sums, sizes = drawn(kind, n_documents, seed=2)
    for limit in found(sums, sizes, confidence):
        moved = np.stack([sums[0] - limit * sizes, sums[1]])
        tails = pair_tails(moved, np.array([0]), np.array([1]), unit=0.0)
        p = tails.pvalue[0]
        if tails.high[0] - tails.low[0] > 1e-5:
            p = certain_tails((moved[0] - moved[1])[None], unit=0.0)[0, :2].mean()
        assert p == pytest.approx(1 - confidence, abs=1e-4)


def test_a_document_that_outweighs_all_others():
    """The signs of the largest four are tried one by one, and p is still alpha at both limits."""
    sums, sizes = drawn("lognormal", 50, seed=3)
    sums[0, 7] += 40 * np.abs(sums).sum()
    for limit in found(sums, sizes):
        low, high, _ = certain_tails((sums[0] - sums[1] - limit * sizes)[None], unit=0.0)[0]
        assert low - 1e-4 <= 0.05 <= high + 1e-4


@pytest.mark.parametrize("n_documents", [8, 15, 30, 60])
@pytest.mark.parametrize("kind", KINDS)
def test_limits_follow_shift_and_scale(kind, n_documents):
    """All scores of one system 3 higher, all differences 1000 times as large, systems in the other order."""
    sums, sizes = drawn(kind, n_documents, seed=4)
    low, high = found(sums, sizes)
    shifted = found(np.stack([sums[0] + 3 * sizes, sums[1]]), sizes)

    assert shifted == pytest.approx((low + 3, high + 3), abs=1e-6 * (high - low))
    assert found(1000 * sums, sizes) == pytest.approx((1000 * low, 1000 * high), rel=1e-6)
    assert found(sums, sizes, at=(1, 0)) == pytest.approx((-high, -low), abs=1e-6 * (high - low))


@pytest.mark.parametrize("n_documents", [8, 15, 40])
def test_a_pair_has_the_same_limits_among_others(n_documents):
    """Alone and among 12 systems, to the last bit but two."""
    sums, sizes = drawn("lognormal", n_documents, m=12, seed=5)
    left, right = np.triu_indices(12, 1)
    mean = (sums[left] - sums[right]).sum(axis=1) / sizes.sum()
    ends = limits.sign_flip_limits(
        sums, sizes, confidence=0.95, start=(mean - 0.1, mean + 0.1), pairs=(left, right)
    )
    for i in (0, 17, 65):
        alone = found(sums, sizes, at=(left[i], right[i]))
        assert (ends[0][i], ends[1][i]) == pytest.approx(alone, rel=1e-12)


def test_few_documents_reject_nothing():
    """Five documents have a smallest p-value of 0.0625: at 95% no difference is out of question, at 90% some are."""
    sums, sizes = drawn("equal", 5)

    assert found(sums, sizes) == (-math.inf, math.inf)
    assert np.isfinite(found(sums, sizes, confidence=0.9)).all()
    assert limits.has_limits(5, 0.9375)


def test_a_mean_of_zero_is_zero():
    """0.1 + 0.2 - 0.3 is not a difference: the sum is tied with 0, as in the test."""
    d = np.array([[0.1, 0.2, -0.3, 0.1, 0.2, -0.3]])
    low, high = limits.listed_limits(d, np.ones(6), confidence=0.5)

    assert low[0] <= 0 <= high[0]
    assert counted(d[0], np.ones(6), 0.0) == 1


@pytest.mark.parametrize("n_documents", [9, 17, 18])
@pytest.mark.parametrize("kind", KINDS)
def test_whole_numbers_are_counted_without_a_list(kind, n_documents):
    """Sorted by their size and sum, sets of documents give the limits that a list of their means gives."""
    sums, sizes = drawn(kind, n_documents, draw="whole")
    d = (sums[0] - sums[1]) / 4
    listed = limits.listed_limits(d[None], sizes, confidence=0.95)

    assert limits.sorted_limits(d, sizes, confidence=0.95) == pytest.approx((listed[0][0], listed[1][0]))
    assert limits.sorted_limits(d + 0.1 * np.sqrt(np.arange(n_documents)), sizes, confidence=0.95) is None


def test_thousands_of_documents():
    """2**G is no longer a number; two systems of single segments and some pairs of them."""
    sums, sizes = drawn("lognormal", 1500)
    low, high = found(sums, sizes)

    assert low < -0.2 < high
