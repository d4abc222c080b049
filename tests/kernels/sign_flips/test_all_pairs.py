"""Sign-flip p-values of all pairs: the same as by enumeration and convolution, with an error that holds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.everyday import few

from betterthan.kernels.sign_flips.all_pairs import (
    BOUND,
    CERTIFIED,
    EXACT,
    INVERSION,
    METHODS,
    certain_tail,
    lattice_unit,
    needs_referee,
    pair_tails,
)
from betterthan.kernels.sign_flips.exact import exact_sign_flip
from betterthan.kernels.sign_flips.fine_lattice import fine_lattice_tails
from betterthan.kernels.sign_flips.inversion import inverted_tails, is_clumped
from betterthan.results.pairwise import P_METHODS

ALL = np.array([0]), np.array([1])


def tails_of(d, *, strict=False):
    """The tails of one pair, whose differences are `d`."""
    both = np.stack([d, np.zeros(d.size)])
    return pair_tails(both, *ALL, unit=lattice_unit(both), strict=strict)


KINDS = {
    "normal": lambda rng, n: rng.normal(0.2, 1, n),
    "heavy": lambda rng, n: rng.standard_t(1.5, n) + 0.2,
    "skewed": lambda rng, n: rng.lognormal(0, 1, n) - rng.lognormal(0, 1, n) + 0.2,
    "penalties": lambda rng, n: rng.choice([0.0, 0, 0, 1, 5, 25], n) - rng.choice([0.0, 0, 1, 1, 5], n),
    "answers": lambda rng, n: rng.integers(-1, 2, n).astype(float),
    "one giant": lambda rng, n: np.append(rng.normal(0.2, 1, n - 1), rng.choice([-200.0, 30.0, 2000.0])),
    "three giants": lambda rng, n: np.append(rng.normal(0.2, 1, n - 3), [90.0, -50.0, 700.0]),
    "a giant penalty": lambda rng, n: np.append(rng.integers(-90, 99, n - 1), 3001.0).astype(float),
    "mostly ties": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.normal(0.3, 1, n)),
}


@pytest.mark.parametrize("kind", few(KINDS, 2))
@pytest.mark.parametrize("n", [5, 14, 20, 24, 28])
def test_p_values_are_exact_within_their_error(kind, n):
    """Against every sign vector, or every sum of whole numbers."""
    rng = np.random.default_rng(n)
    for _ in range(8):
        d = KINDS[kind](rng, n)
        truth, tails = exact_sign_flip(d).pvalue, tails_of(d)
        assert tails.low[0] * (1 - 1e-8) <= truth <= tails.high[0] * (1 + 1e-8)


LATTICES = {
    "penalties": lambda rng, n: rng.choice([0, 0, 0, 1, 5, 5, 10, 25], n) - rng.choice([0, 0, 5, 10], n),
    "few odd ones": lambda rng, n: np.where(rng.random(n) < 0.03, 1, 10 * rng.integers(-4, 6, n)),
    "outliers": lambda rng, n: rng.integers(-3, 4, n) * rng.choice([1, 1, 1, 30], n),
    "percent": lambda rng, n: rng.integers(0, 101, n) - rng.integers(0, 95, n),
}


@pytest.mark.parametrize("kind", few(LATTICES, 2))
@pytest.mark.parametrize("n", [20, 70, 150, 400])
def test_a_lattice_within_a_lattice_does_not_hide_an_error(kind, n):
    """Penalties of 5 and 10 with a few of 1 have a characteristic function that rises again at high frequencies."""
    rng = np.random.default_rng(n)
    for _ in range(12):
        d = LATTICES[kind](rng, n).astype(float)
        truth, tails = exact_sign_flip(d).pvalue, tails_of(d)
        assert tails.low[0] - 1e-9 * truth <= truth <= tails.high[0] + 1e-9 * truth


@pytest.mark.parametrize("kind", LATTICES)
@pytest.mark.parametrize("n", [40, 150, 1500])
def test_all_frequencies_of_a_fine_lattice_give_the_convolution(kind, n):
    """With thousands of frequencies too, most of which are left out on the way."""
    rng = np.random.default_rng(n)
    for _ in range(4):
        d = LATTICES[kind](rng, n).astype(float)
        step = float(np.gcd.reduce(np.abs(d).astype(int)))
        found = fine_lattice_tails(np.abs(d)[None], np.abs(d.sum())[None], np.array([step]))
        assert found.pvalue[0] == pytest.approx(exact_sign_flip(d).pvalue, abs=min(1e-11, found.error[0]))


@pytest.mark.parametrize(("n", "m"), [(1500, 3), (2000, 60)])
def test_grades_and_shares_of_wins_need_no_referee(n, m):
    """Grades from 0 to 100 repeat each other, and took a certified bracket of many milliseconds a pair."""
    rng = np.random.default_rng(m)
    goodness = np.clip(np.rint(rng.normal(70, 15, (3, n))), 0, 100) if m == 3 else rng.integers(0, m, (3, n))
    left, right = np.triu_indices(3, 1)
    for strict in (False, True):
        tails = pair_tails(goodness / (m - 1), left, right, unit=1 / (m - 1), strict=strict)
        assert not needs_referee(tails).any()
        for a, b, p in zip(left, right, tails.pvalue, strict=True):
            exact = exact_sign_flip((goodness[a] - goodness[b]).astype(float))
            assert p == pytest.approx(exact.beyond if strict else exact.pvalue, rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("n", [60, 200, 1000])
def test_whole_numbers_by_inversion_are_the_convolution(n):
    """On a lattice the sum over frequencies is exact, whatever the tail."""
    rng = np.random.default_rng(n)
    for shift in (0.0, 0.5, 1.5):
        d = np.rint(rng.normal(shift / np.sqrt(n) * 4, 4, n))
        truth, tails = exact_sign_flip(d).pvalue, tails_of(d)
        assert tails.pvalue[0] == pytest.approx(truth, rel=1e-6, abs=1e-11)


def test_one_sided_tails_leave_the_observed_sum_out():
    """P(|T| > |t|) of whole numbers, and of a handful of real ones."""
    rng = np.random.default_rng(0)
    for d in (
        rng.integers(-2, 4, 10).astype(float),
        rng.normal(size=9),
        rng.integers(-3, 5, 200).astype(float),
    ):
        truth = exact_sign_flip(d)
        assert tails_of(d, strict=True).pvalue[0] == pytest.approx(
            min(1.0, truth.beyond), rel=1e-4, abs=1e-11
        )


def test_far_out_a_bound_is_given_and_it_holds():
    """Forty wins in forty: the exact p-value is 2^-39, and Hoeffding's bound is above it."""
    d = np.full(200, 1.0)
    d[:3] = -1.0
    tails = tails_of(d)
    assert METHODS[tails.method[0]] == "bound"
    assert exact_sign_flip(d).pvalue <= tails.pvalue[0] < 1e-12


@pytest.mark.parametrize("kind", ["normal", "heavy", "skewed"])
def test_certified_brackets_hold_in_the_tail(kind):
    """On the grid of rounded differences, down to one in a million, against enumeration."""
    rng = np.random.default_rng(3)
    for _ in range(6):
        d = KINDS[kind](rng, 30)
        d = np.where(rng.random(30) < 0.85, np.abs(d), d)
        truth = exact_sign_flip(d).pvalue
        from betterthan.kernels.sign_flips.all_pairs import _grid_bracket

        low, high = _grid_bracket(np.abs(d), abs(float(d.sum())))
        assert low <= truth <= high
        assert truth < 1e-7 or high - low <= 0.3 * truth  # further out, a single sign vector is a step


def test_a_referee_is_exact_where_it_can_be():
    """Thirty differences are enumerated; three hundred real ones are bracketed."""
    rng = np.random.default_rng(4)
    assert certain_tail(rng.normal(size=30), unit=0.0)[2] == EXACT
    low, high, method = certain_tail(rng.normal(0.1, 1, size=300), unit=0.0)
    assert method == CERTIFIED
    assert low <= high


def test_lumps_are_left_to_the_referee():
    """Scores of 0, 1 and a few fractions sit on lumps that a few dozen frequencies do not resolve."""
    rng = np.random.default_rng(5)
    d = np.where(rng.random(200) < 0.9, rng.choice([-1.0, 1.0], 200), rng.normal(size=200) / 100)
    assert is_clumped(np.abs(d)[None])[0]
    tails = pair_tails(np.stack([d, 0 * d]), *ALL, unit=0.0)
    assert needs_referee(tails)[0]


def test_the_cut_of_the_work_changes_no_bit():
    """A pair alone has the p-value that it has among many."""
    goodness = np.random.default_rng(6).standard_t(2, size=(9, 150))
    left, right = np.triu_indices(9, 1)
    together = pair_tails(goodness, left, right, unit=0.0)
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        alone = pair_tails(goodness, np.array([a]), np.array([b]), unit=0.0)
        assert alone.pvalue[0] == together.pvalue[k]
        assert alone.high[0] == together.high[k]


def test_missing_scores_are_left_out():
    """A pair is compared on what both have."""
    d = np.random.default_rng(7).normal(0.3, 1, 40)
    gaps = np.insert(d, 4, np.nan)
    assert tails_of(gaps).pvalue[0] == pytest.approx(tails_of(d).pvalue[0], rel=1e-9)


def test_no_difference_has_p_one():
    """Identical systems, and differences that sum to nothing."""
    assert tails_of(np.zeros(30)).pvalue[0] == 1.0
    assert tails_of(np.array([1.0, -1.0] * 20)).pvalue[0] == 1.0


def test_the_inversion_converges_for_many_segments():
    """The stated error is far below what is shown."""
    d = np.random.default_rng(8).normal(0.05, 1, size=(3, 2000))
    tails = inverted_tails(np.abs(d), np.abs(d.sum(axis=1)), np.zeros(3))
    assert (tails.error < 1e-7).all()


def test_a_giant_difference_is_settled_without_a_referee():
    """One outlier of a system is in each of its pairs, and a referee takes a thousand times as long."""
    rng = np.random.default_rng(9)
    scores = rng.normal(size=(40, 80))
    scores[7, 3] = 900.0
    tails = pair_tails(scores, np.full(39, 7), np.delete(np.arange(40), 7), unit=0.0)
    assert not needs_referee(tails).any()
    low, high, method = certain_tail(scores[7] - scores[0], unit=0.0)
    assert METHODS[int(method)] == "certified"
    assert low <= tails.pvalue[0] <= high


def test_the_names_of_methods_are_those_of_results():
    """Kernels number their methods as results name them."""
    assert P_METHODS[: len(METHODS)] == METHODS
    assert METHODS[INVERSION] == "inversion"
    assert METHODS[BOUND] == "bound"
