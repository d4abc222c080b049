from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.everyday import examples

from betterthan.kernels.sign_flips import exact
from betterthan.kernels.sign_flips.exact import (
    Tail,
    convolution_tail,
    enumerated_tail,
    enumerated_tails,
    exact_sign_flip,
    fast_length,
    merged_sums,
    tilted_tail,
)

ALTERNATIVES = ("two-sided", "greater", "less")
whole_numbers = st.lists(st.integers(-6, 6), min_size=1, max_size=10)
awkward = st.lists(
    st.one_of(
        st.floats(-100, 100, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-3),
        st.sampled_from([0.1, 0.2, -0.3, 0.3, -0.1, 1e3, -1e3]),
    ),
    min_size=1,
    max_size=9,
)


def literal_tail(differences, alternative):
    """Loop over all sign vectors; exact rational arithmetic for whole numbers, a tolerance otherwise."""
    total, size = math.fsum(differences), math.fsum(abs(d) for d in differences)
    beyond = tied = 0
    for signs in itertools.product((1, -1), repeat=len(differences)):
        flipped = math.fsum(s * d for s, d in zip(signs, differences, strict=True))
        far = {"two-sided": abs(flipped) - abs(total), "greater": flipped - total, "less": total - flipped}
        beyond += far[alternative] > 1e-12 * size
        tied += abs(far[alternative]) <= 1e-12 * size
    return Tail(beyond / 2 ** len(differences), tied / 2 ** len(differences))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(differences=awkward)
@settings(max_examples=examples(150))
def test_the_exact_tail_is_the_count_over_all_sign_vectors(differences, alternative):
    """The slow loop and the fast count agree, with ties, zeros and decimals."""
    found = exact_sign_flip(np.array(differences), alternative=alternative)
    assert found == pytest.approx(literal_tail(differences, alternative), abs=1e-12)


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=24))
@settings(max_examples=examples(150))
def test_convolution_equals_enumeration(differences):
    """Two roads to the same count."""
    d = np.array(differences)
    assert convolution_tail(d) == pytest.approx(enumerated_tail(d.astype(float)), rel=1e-12, abs=1e-300)


@given(st.lists(st.integers(0, 60), min_size=2, max_size=200), st.floats(0.5, 1))
@settings(max_examples=examples(150))
def test_the_tilted_transform_equals_the_plain_convolution(sizes, level):
    """Relative accuracy, however small the tail."""
    whole = sum(sizes)
    threshold = math.ceil(level * whole)
    if whole == 0 or threshold >= whole:
        return
    chances = exact._subset_sums(np.sort(np.array(sizes)))
    plain = Tail(chances[threshold + 1 :].sum(), chances[threshold])
    assert tilted_tail(np.array(sizes), threshold).beyond == pytest.approx(plain.beyond, rel=1e-9)
    # An unreachable sum has probability 0, and the transform leaves its rounding error there.
    assert tilted_tail(np.array(sizes), threshold).tied == pytest.approx(
        plain.tied, rel=1e-9, abs=1e-10 * plain.beyond
    )


def test_small_tails_keep_their_digits():
    """A p-value of 1e-20 is right to nine digits, by both kinds of convolution."""
    wins, n = 90, 100
    exactly = Fraction(sum(math.comb(n, k) for k in range(wins, n + 1)), 2**n)
    d = np.array([1] * wins + [-1] * (n - wins))
    assert convolution_tail(d).pvalue == pytest.approx(float(exactly), rel=1e-12)
    assert tilted_tail(np.ones(n, dtype=np.int64), wins).pvalue == pytest.approx(float(exactly), rel=1e-9)
    assert float(exactly) < 1e-16


def test_many_differences_do_not_underflow():
    """Two thousand differences: halving is done in bulk, the probabilities still sum to 1."""
    chances = exact._subset_sums(np.sort(np.random.default_rng(0).integers(1, 9, 2000)))
    assert chances.sum() == pytest.approx(1, rel=1e-12)


def test_large_convolutions_take_the_tilted_road(monkeypatch):
    """The number of additions decides, not the answer."""
    d = np.random.default_rng(0).integers(-9, 10, 400)
    plain = convolution_tail(d)
    monkeypatch.setattr(exact, "MOST_ADDITIONS", 0)
    assert convolution_tail(d) == pytest.approx(plain, rel=1e-10)


def test_all_on_one_side_leaves_one_sign_vector():
    """Nothing is more extreme than winning everywhere."""
    assert convolution_tail(np.array([3, 0, 2, 1])) == Tail(0.0, 1 / 8)


def test_decimals_tie_as_they_should():
    """0.1 + 0.2 - 0.3 is zero to everybody but float64."""
    assert exact_sign_flip(np.array([0.1, 0.2, -0.3])).pvalue == 1.0
    assert exact_sign_flip(np.array([0.1, 0.2, -0.3]), alternative="greater").tied == 0.25


def test_zeros_and_missing_values_change_nothing():
    """A tied segment says nothing about which system is better."""
    d = np.array([1.5, -0.2, 3.1, 2.2])
    padded = np.array([0.0, 1.5, np.nan, -0.2, 3.1, 0.0, 2.2])
    assert exact_sign_flip(padded) == exact_sign_flip(d)
    assert exact_sign_flip(np.zeros(3)) == Tail(0.0, 1.0)


@given(awkward)
def test_one_sided_midpoints_add_up_to_one(differences):
    """The mid-p-value does not care who is called A."""
    d = np.array(differences)
    forth, back = (exact_sign_flip(sign * d, alternative="greater") for sign in (1, -1))
    assert forth.beyond + forth.tied / 2 + back.beyond + back.tied / 2 == pytest.approx(1)
    assert exact_sign_flip(d, alternative="less") == pytest.approx(back)


@given(awkward, st.sampled_from([1e-6, 0.3, 7.0, 1e6]))
def test_scale_does_not_matter(differences, factor):
    """Points or percent, the p-value is the same."""
    d = np.array(differences)
    assert exact_sign_flip(factor * d).pvalue == pytest.approx(exact_sign_flip(d).pvalue)


def test_forty_real_differences_are_in_reach_and_forty_one_are_not():
    """Beyond that a bracket must do; whole numbers go much further."""
    d = np.random.default_rng(1).normal(size=41)
    assert exact_sign_flip(d) is None
    assert exact_sign_flip(d[:25]) is not None
    assert 0 < exact_sign_flip(np.rint(10 * np.tile(d, 50))).pvalue <= 1


def test_enumeration_reaches_past_the_few():
    """As many real differences as the caller allows are counted in two halves."""
    d = np.random.default_rng(1).normal(size=31)
    assert exact_sign_flip(d, most_enumerated=30) is None
    assert 0 < exact_sign_flip(d[:30], most_enumerated=30).pvalue <= 1


def test_transforms_get_the_lengths_that_scipy_would_choose():
    """Smallest products of 2, 3 and 5, as scipy.fft.next_fast_len gives them for real data."""
    from scipy.fft import next_fast_len

    for n in [*range(1, 2000), 99_999, 1_000_003, 3_999_999]:
        assert fast_length(n) == next_fast_len(n, real=True)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("n", [1, 5, 12, 21])
def test_enumeration_counts_the_same_with_and_without_machine_code(n, strict, monkeypatch):
    """Sums are merged in order by the one and sorted by the other."""
    pytest.importorskip("numba")
    rng = np.random.default_rng(n)
    d = rng.standard_t(3, size=(30, n))
    d[:10] = np.rint(d[:10])
    found = []
    for is_loaded in (False, True):
        monkeypatch.setattr(exact, "is_loaded", lambda is_loaded=is_loaded: is_loaded)
        found.append(enumerated_tails(d, strict=strict))
    assert np.array_equal(*found)


@given(awkward)
def test_merged_sums_are_all_sums_in_order(differences):
    """The loop that numba compiles, as plain Python; equal sums and differences of 0 included."""
    sizes = np.abs(np.array(differences))
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=sizes.size)))
    found = merged_sums(sizes)
    assert (np.diff(found) >= 0).all()
    assert found == pytest.approx(np.sort(signs @ sizes), abs=1e-12 * sizes.sum() + 1e-300)
