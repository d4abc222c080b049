from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.everyday import examples

from betterthan.kernels.sign_flips.bracket import sign_flip_bracket
from betterthan.kernels.sign_flips.exact import exact_sign_flip
from betterthan.kernels.sign_flips.permutation import random_signs

ALTERNATIVES = ("two-sided", "greater", "less")


@st.composite
def awkward_differences(draw):
    """Up to sixteen differences: light and heavy tails, whole numbers, ties, zeros."""
    n = draw(st.integers(1, 16))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["normal", "cauchy", "whole", "huge", "equal", "shifted"]))
    made = {
        "normal": rng.normal(size=n),
        "cauchy": rng.standard_cauchy(n),
        "whole": rng.integers(-3, 4, n).astype(float),
        "huge": np.exp(4 * rng.normal(size=n)) * rng.choice([-1, 1], n),
        "equal": rng.choice([-0.7, 0.7], n),
        "shifted": rng.normal(size=n) + 1.5,
    }[kind]
    made[rng.random(n) < 0.1] = 0.0
    return made


everything = given(awkward_differences(), st.sampled_from(ALTERNATIVES), st.sampled_from([1, 7, 128, 1000]))


@everything
@settings(max_examples=examples(200))
def test_the_exact_value_lies_inside(differences, alternative, n_frequencies):
    """Certified means certified: any data, any alternative, any number of frequencies."""
    check_bracket(differences, alternative, n_frequencies)


@pytest.mark.slow
@everything
@settings(max_examples=examples(2000))
def test_the_exact_value_always_lies_inside(differences, alternative, n_frequencies):
    """The same, many times."""
    check_bracket(differences, alternative, n_frequencies)


def check_bracket(differences, alternative, n_frequencies):
    """The bracket holds the exact p-value."""
    low, high, estimate = sign_flip_bracket(differences, alternative=alternative, n_frequencies=n_frequencies)
    p = exact_sign_flip(differences, alternative=alternative).pvalue
    assert low - 1e-15 <= p <= high + 1e-15
    assert 0 <= low <= estimate <= high <= 1


@pytest.mark.parametrize("n", [300, 1300])
def test_the_bracket_is_narrow_and_agrees_with_monte_carlo(n):
    """A width below 1e-4 for the default, where 200 000 permutations have an error of 6e-4."""
    rng = np.random.default_rng(n)
    d = rng.normal(size=n) * np.abs(rng.standard_t(4, size=n))
    d += 1.8 * np.sqrt((d**2).sum()) / n - d.mean()
    low, high, _ = sign_flip_bracket(d)
    assert high - low < 1e-4
    hits = sum(
        np.count_nonzero(np.abs(random_signs(20_000, n, rng) @ d.astype(np.float32)) >= d.sum())
        for _ in range(10)
    )
    error = 4.5 * np.sqrt(low / 200_000)
    assert low - error <= hits / 200_000 <= high + error


def test_more_frequencies_narrow_the_bracket():
    """In proportion."""
    d = np.random.default_rng(2).normal(size=100) + 0.15
    widths = [np.diff(sign_flip_bracket(d, n_frequencies=n)[:2])[0] for n in (500, 5000, 50_000)]
    assert widths[0] / widths[1] == pytest.approx(10, rel=0.05)
    assert widths[1] / widths[2] == pytest.approx(10, rel=0.05)


def test_the_estimate_is_better_than_the_bracket_says():
    """For 36 real differences, whose exact value is known, the centre is right to six digits."""
    d = np.random.default_rng(3).normal(size=36) + 0.2
    exact = exact_sign_flip(d)
    assert sign_flip_bracket(d).estimate == pytest.approx(exact.beyond + exact.tied / 2, abs=2e-6)


def test_a_hopeless_tail_is_bounded_by_hoeffding():
    """Winning everywhere by the same margin: p is 2^-99, and never 0."""
    low, high, _ = sign_flip_bracket(np.full(100, np.sqrt(2)))
    assert 0 < low <= 2.0**-99 <= high <= 2 * np.exp(-49)


def test_nothing_to_compare_gives_one():
    """Identical systems, and systems with equal sums."""
    assert sign_flip_bracket(np.zeros(4)) == (1.0, 1.0, 1.0)
    assert sign_flip_bracket(np.array([])) == (1.0, 1.0, 1.0)
    assert sign_flip_bracket(np.array([0.1, 0.2, -0.3])) == (1.0, 1.0, 1.0)


def test_missing_values_are_left_out():
    """A gap is not a zero of unknown sign."""
    d = np.array([1.2, -0.3, 0.7, 2.2])
    assert sign_flip_bracket(np.array([1.2, np.nan, -0.3, 0.7, 2.2])) == sign_flip_bracket(d)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_scale_does_not_matter(factor):
    """Not even where squares leave the range of floats."""
    d = np.random.default_rng(5).normal(size=50) + 0.3
    assert sign_flip_bracket(factor * d) == pytest.approx(sign_flip_bracket(d), rel=1e-9)
