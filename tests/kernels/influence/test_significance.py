"""The segments on which significance hangs, against trying all subsets."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import special, stats

from betterthan.kernels.influence.significance import undoes_sign_flips, undoes_sign_test

ALPHA = 0.1


def sign_flips(d):
    """Two-sided normal p of the sign-flip test."""
    return 2 * special.ndtr(-abs(d.sum()) / np.sqrt((d**2).sum())) if d.any() else 1.0


def signs(d):
    """Two-sided p of the sign test without ties."""
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    return stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0


TESTS = {undoes_sign_test: (signs, 1), undoes_sign_flips: (sign_flips, 1)}
gaps = hnp.arrays(np.float64, st.integers(4, 9), elements=st.integers(-3, 24).map(lambda k: k / 8))


def fewest(pvalue, d, least):
    """Brute force over all subsets; 0 when the test is not significant to begin with."""
    for k in range(d.size - least + 1):
        for removed in itertools.combinations(range(d.size), k):
            if pvalue(np.delete(d, removed)) > ALPHA:
                return k
    return None


@pytest.mark.parametrize("undoes", TESTS)
@given(d=gaps)
def test_the_removal_undoes_and_is_a_bound(undoes, d):
    """Exact for the sign test; for the others never fewer than the best, and exact when it says so."""
    pvalue, least = TESTS[undoes]
    found = undoes(d, alpha=ALPHA)
    best = fewest(pvalue, d, least)

    if best == 0 or best is None:
        assert not found.is_possible
        return
    if undoes is undoes_sign_test:
        assert found.is_exact
        assert found.n_removed == best
    if found.is_possible:
        assert best <= found.n_removed
        assert found.n_removed == best or not found.is_exact
        assert pvalue(np.delete(d, found.indices)) > ALPHA


def test_the_bound_is_mostly_the_answer():
    """Ninety in a hundred random tables at least, and one too many otherwise."""
    rng = np.random.default_rng(0)
    exact = found_any = 0
    for _ in range(80):
        d = rng.normal(size=8) + 1.0
        best = fewest(sign_flips, d, 1)
        if best:
            found = undoes_sign_flips(d, alpha=ALPHA)
            found_any += 1
            exact += found.n_removed == best
            assert best <= found.n_removed <= best + 1
    assert found_any > 30
    assert exact / found_any > 0.9


def test_large_tables_are_searched_quickly():
    """Twenty thousand segments; what is removed undoes the test."""
    d = np.random.default_rng(1).normal(size=20_000) + 0.05
    found = undoes_sign_flips(d, alpha=0.05)

    assert found.is_possible
    assert sign_flips(np.delete(d, found.indices)) > 0.05


def test_nothing_to_undo():
    """Not significant, no segments, or missing segments."""
    for undoes in TESTS:
        assert not undoes(np.array([1.0, -1.0, np.nan]), alpha=0.05).is_possible
        assert not undoes(np.array([np.nan]), alpha=0.05).is_possible
