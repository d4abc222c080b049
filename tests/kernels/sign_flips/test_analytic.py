from __future__ import annotations

import numpy as np
import pytest
from tests.everyday import few

from betterthan.kernels.sign_flips.analytic import edgeworth_pvalues, pair_moments
from betterthan.kernels.sign_flips.bracket import sign_flip_bracket
from betterthan.kernels.sign_flips.exact import exact_sign_flip

ALTERNATIVES = ("two-sided", "greater", "less")


def approximations(d, unit=0.0, alternative="two-sided"):
    """Normal and Edgeworth p-values of one row of differences."""
    sums = [np.array([(d**power).sum()]) for power in (1, 2, 4)]
    options = {"unit": unit, "alternative": alternative}
    return np.array(
        [
            edgeworth_pvalues(*sums[:2], None, **options)[0],
            edgeworth_pvalues(*sums, **options)[0],
        ]
    )


def pushed(sizes, z, rng):
    """Signs for the sizes such that the sum is about z standard deviations."""
    signs = rng.choice([-1.0, 1.0], sizes.size)
    for i in rng.permutation(sizes.size):
        if signs @ sizes < z * np.sqrt(sizes @ sizes):
            signs[i] = 1.0
    return signs * sizes


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_moments_are_those_of_the_differences(missing):
    """Gram matrices instead of a loop over pairs."""
    rng = np.random.default_rng(0)
    goodness = 50 + rng.standard_t(3, size=(6, 200))
    goodness[rng.random(goodness.shape) < missing] = np.nan
    differences = np.nan_to_num(goodness[:, None] - goodness[None])
    found = pair_moments(goodness)
    np.testing.assert_allclose(found.total, differences.sum(axis=2), atol=1e-9)
    np.testing.assert_allclose(found.second, (differences**2).sum(axis=2), rtol=1e-10)
    np.testing.assert_allclose(found.fourth, (differences**4).sum(axis=2), rtol=1e-9)


def test_fourth_moments_can_be_left_out():
    """The normal approximation does not need them."""
    goodness = np.random.default_rng(7).normal(size=(3, 10))
    found = pair_moments(goodness, order=2)
    np.testing.assert_array_equal(found.second, pair_moments(goodness).second)
    assert np.isnan(found.fourth[0, 1])


def test_moments_of_near_twins_do_not_cancel():
    """Two systems a millionth apart, among others far away; and two identical ones."""
    rng = np.random.default_rng(1)
    goodness = rng.normal(size=(5, 100))
    goodness[1] = goodness[0] + 1e-6 * rng.normal(size=100)
    goodness[2] = goodness[0]
    found, d = pair_moments(goodness), goodness[0] - goodness[1]
    assert found.second[0, 1] == found.second[1, 0] == pytest.approx((d**2).sum(), rel=1e-8)
    assert found.fourth[1, 0] == pytest.approx((d**4).sum(), rel=1e-8)
    assert found.second[0, 2] == found.fourth[2, 0] == 0
    assert edgeworth_pvalues(found.total, found.second, None)[0, 2] == 1.0


# Bounds on the largest absolute error over the whole range of p, about twice what was measured.
@pytest.mark.parametrize(
    ("data", "n", "bounds"),
    few(
        [
            ("normal", 50, (2e-2, 3e-3)),
            ("normal", 100, (8e-3, 6e-4)),
            ("normal", 1000, (7e-4, 2e-5)),
            ("heavy", 100, (1.2e-1, 8e-2)),
            ("binary", 20, (3e-2, 2e-3)),
            ("binary", 1000, (4e-4, 1e-6)),
            ("stars", 50, (1.5e-2, 1.5e-3)),
            ("stars", 1000, (6e-4, 3e-6)),
        ],
        4,
        tuples=True,
    ),
)
def test_errors_stay_as_small_as_stated(data, n, bounds):
    """Against exact convolution where scores have a step, a narrow certified bracket where not."""
    rng = np.random.default_rng(n)
    worst = np.zeros(2)
    for z in np.linspace(0.05, 3.2, 25):
        sizes = {
            "normal": np.abs(rng.normal(size=n)),
            "heavy": np.abs(rng.standard_t(3, size=n)),
            "binary": rng.integers(0, 2, n).astype(float),
            "stars": np.abs(np.rint(1.5 * rng.normal(size=n))),
        }[data]
        d = pushed(sizes, z, rng)
        unit = 0.0 if data in {"normal", "heavy"} else 1.0
        truth = exact_sign_flip(d).pvalue if unit else sign_flip_bracket(d, n_frequencies=4096).estimate
        worst = np.maximum(worst, np.abs(approximations(d, unit) - truth))
    assert (worst <= bounds).all(), worst
    assert worst[1] <= worst[0]


def test_a_tail_that_turns_negative_is_not_taken_for_certainty():
    """Far out the Edgeworth correction overshoots below zero; the normal tail stands in for it."""
    d = np.concatenate([[60.0], np.full(39, 1.0)])
    normal, edgeworth = approximations(pushed(d, 4.5, np.random.default_rng(0)) + 0 * d)
    assert edgeworth > 1e-12
    assert edgeworth >= normal / 1e3


@pytest.mark.parametrize("unit", [0.0, 1.0])
def test_alternatives_are_consistent(unit):
    """Turning all signs exchanges the sides; two-sided is twice the smaller one."""
    d = np.rint(4 * np.random.default_rng(4).normal(size=60)) + 1
    forth, back = approximations(d, unit, "greater"), approximations(-d, unit, "greater")
    np.testing.assert_allclose(approximations(-d, unit, "less"), forth, rtol=1e-12)
    np.testing.assert_allclose(approximations(d, unit), np.minimum(2 * np.minimum(forth, back), 1), rtol=1e-9)
    if unit == 0:
        np.testing.assert_allclose(forth + back, 1.0, rtol=1e-9)


def test_lattice_one_sided_matches_the_exact_value_on_both_sides():
    """With its correction for continuity, above and below zero."""
    d = np.array([1.0] * 35 + [-1.0] * 25)
    for sign in (1, -1):
        truth = exact_sign_flip(sign * d, alternative="greater").pvalue
        assert approximations(sign * d, 1.0, "greater") == pytest.approx(truth, abs=1e-3)


def test_no_difference_at_all():
    """Identical systems: two-sided 1, one-sided ½ or, on a lattice, 1."""
    zero = np.zeros(7)
    assert approximations(zero).tolist() == [1.0, 1.0]
    assert approximations(zero, 0.0, "greater").tolist() == [0.5, 0.5]
    assert approximations(zero, 1.0, "greater").tolist() == [1.0, 1.0]


def test_scale_does_not_matter():
    """Points or percent."""
    d = np.random.default_rng(5).normal(size=50) + 0.2
    np.testing.assert_allclose(approximations(1e-7 * d), approximations(d), rtol=1e-9)
