"""Sign-flip tests against scipy.stats, an independent program."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from betterthan.kernels.sign_flips.bracket import sign_flip_bracket
from betterthan.kernels.sign_flips.exact import exact_sign_flip
from betterthan.kernels.sign_flips.permutation import permutation_block, share

ALTERNATIVES = ("two-sided", "greater", "less")


def total(values, axis):
    """The statistic."""
    return np.sum(values, axis=axis)


def scipy_pvalue(d, alternative):
    """All 2^n sign flips of a paired statistic, by scipy."""
    found = stats.permutation_test(
        (d,), total, permutation_type="samples", n_resamples=np.inf, alternative=alternative, vectorized=True
    )
    return found.pvalue


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(8))
def test_enumeration_is_that_of_scipy(seed, alternative):
    """Every permutation, every alternative, real and whole numbers, to 1e-12."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    d = rng.normal(size=n) + 0.4 if seed % 2 else rng.integers(-3, 5, n).astype(float)
    # scipy's two-sided p-value doubles the smaller side, which for a symmetric null is ours.
    p = exact_sign_flip(d, alternative=alternative).pvalue
    assert p == pytest.approx(scipy_pvalue(d, alternative), abs=1e-12)
    low, high, _ = sign_flip_bracket(d, alternative=alternative, n_frequencies=512)
    assert low <= scipy_pvalue(d, alternative) <= high


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("wins", "losses"), [(8, 2), (3, 9), (30, 30), (140, 90), (900, 700)])
def test_binary_scores_give_the_sign_test(wins, losses, alternative):
    """Right or wrong answers: the exact test is McNemar's, a binomial tail."""
    d = np.array([1.0] * wins + [-1.0] * losses + [0.0] * 7)
    wanted = stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
    assert exact_sign_flip(d, alternative=alternative).pvalue == pytest.approx(wanted, rel=1e-9)


def test_ranks_give_the_wilcoxon_signed_rank_test():
    """Differences 1, -2, 3, ... are their own signed ranks."""
    rng = np.random.default_rng(0)
    d = np.arange(1, 41) * rng.choice([-1, 1], 40, p=[0.3, 0.7])
    wanted = stats.wilcoxon(d, method="exact").pvalue
    assert exact_sign_flip(d.astype(float)).pvalue == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_flips_agree_with_scipy_on_a_pair(alternative):
    """Two programs, two random streams, one p-value."""
    rng = np.random.default_rng(1)
    goodness = rng.standard_t(4, size=(2, 120)) + np.array([[0.25], [0.0]])
    found = permutation_block(goodness, 20_000, rng, alternative=alternative)
    ours = share(found.greater + found.equal, 20_000)[0, 1]
    theirs = stats.permutation_test(
        (goodness[0] - goodness[1],),
        total,
        permutation_type="samples",
        n_resamples=20_000,
        alternative=alternative,
        vectorized=True,
        rng=np.random.default_rng(2),
    ).pvalue
    assert ours == pytest.approx(theirs, abs=5 * np.sqrt(2 * theirs / 20_000))
