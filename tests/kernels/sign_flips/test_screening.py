"""Ranges of p-values hold the exact ones, and what follows from them is what follows from the p-values."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.analysis.pairs import permutation
from betterthan.kernels.sign_flips.exact import enumerated_tails
from betterthan.kernels.sign_flips.screening import moment_ranges, saddlepoint_ranges, tilted_ranges
from betterthan.kernels.significance.pvalues import adjusted, rejected

KINDS = {
    "normal": lambda rng, lead, shape: rng.normal(size=shape) + lead,
    "heavy": lambda rng, lead, shape: rng.standard_t(2, size=shape) + lead,
    "skewed": lambda rng, lead, shape: rng.exponential(size=shape) - 0.7 + lead / 2,
    "rounded": lambda rng, lead, shape: np.round(rng.normal(size=shape) + lead),
    "binary": lambda rng, lead, shape: np.where(rng.random(shape) < 0.5 + 0.4 * lead, 1.0, -1.0),
    "lumps": lambda rng, lead, shape: (
        np.where(rng.random(shape) < 0.2, 1.0, 0.03)
        * np.where(rng.random(shape) < 0.5 + 0.4 * lead, 1.0, -1.0)
    ),
}


def drawn(kind, seed, n, n_pairs=200):
    """Differences of pairs between a clear lead and none, and the exact p-values."""
    rng = np.random.default_rng(seed)
    d = KINDS[kind](rng, rng.uniform(0.1, 1.1, (n_pairs, 1)), (n_pairs, n))
    exact = np.minimum(1.0, 2 * enumerated_tails(d))
    scores = np.concatenate([d, np.zeros((1, n))])
    return scores, np.arange(n_pairs), np.full(n_pairs, n_pairs), exact


@pytest.mark.parametrize("n", [14, 20])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ranges", [moment_ranges, saddlepoint_ranges])
def test_ranges_hold_the_exact_pvalue(ranges, kind, n):
    """Against enumeration of all sign vectors."""
    scores, left, right, exact = drawn(kind, 1, n)
    found = ranges(scores, left, right)
    assert (found.low <= exact * (1 + 1e-9)).all()
    assert (exact <= found.high * (1 + 1e-9)).all()
    assert (found.high[found.high < 1] < 1e6 * found.low[found.high < 1]).any()


@pytest.mark.parametrize("frequencies", [40, 640])
@pytest.mark.parametrize("kind", ["normal", "heavy", "skewed"])
def test_tilted_inversion_has_a_small_relative_error(kind, frequencies):
    """Also where the p-value is about a millionth."""
    scores, left, right, exact = drawn(kind, 2, 30, n_pairs=60)
    found = tilted_ranges(scores, left, right, frequencies=frequencies)
    known = found.low > 0
    assert (exact[known] < 1e-4).any()
    assert known.mean() > 0.4
    error, stated = np.abs(exact - found.pvalue)[known], (found.high - found.low)[known] / 2
    assert (error <= 1.5 * stated).all()
    assert np.median(error / exact[known]) < 0.01


def test_differences_of_one_sign_are_exact():
    """Then only the observed signs and their opposite reach the sum; rounding errors count as ties."""
    scores = np.array([[0.3, 0.2, 0.5, 1.0], [0.1, 0.1, 0.1, 0.1], [0.3, 0.1, 0.5, 1.0]])
    found = saddlepoint_ranges(scores, np.array([0]), np.array([1]))
    assert found.low[0] == found.high[0] == 0.125
    nearly = saddlepoint_ranges(scores + [[0, 1e-17, 0, 0]] * 3, np.array([0]), np.array([2]))
    assert nearly.low[0] <= 1.0 == nearly.high[0]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "benjamini_hochberg", "none"])
def test_rejected_is_adjusted_at_alpha(correction):
    """With ties, nothing and everything rejected."""
    rng = np.random.default_rng(3)
    for power in (0.1, 1, 3, 9):
        p = np.round(rng.random(200) ** power, 4)
        expected = adjusted(p, correction=correction) <= 0.05
        assert (rejected(p, correction=correction, alpha=0.05) == expected).all()


@pytest.mark.parametrize("digits", [2, 3, 15])
@pytest.mark.parametrize("by", ["mean", "win_rate"])
def test_ranks_do_not_depend_on_screening(by, digits, monkeypatch):
    """Ranges, groups and clusters of 60 systems are those of the p-values of all 1,770 pairs."""
    rng = np.random.default_rng(4)
    values = 0.5 + 0.1 * rng.normal(size=(60, 1)) + 0.06 * rng.normal(size=(60, 30))
    names = [f"s{i}" for i in range(60)]
    scores = bt.Scores(
        name="x", systems=names, segments=[str(i) for i in range(30)], values=values.round(digits)
    )
    screened = bt.rank(scores, by=by)
    monkeypatch.setattr(permutation, "WORTH_SCREENING", 10**9)
    whole = bt.rank(scores, by=by)
    assert screened.to_json() == whole.to_json()
    assert len(set(screened.letters)) > 5


def test_many_segments_are_screened_too(monkeypatch):
    """Beyond 256 units the first ranges are followed by inversion at once."""
    rng = np.random.default_rng(5)
    values = 0.2 * rng.normal(size=(50, 1)) + rng.normal(size=(50, 400))
    scores = bt.Scores(
        name="x", systems=[f"s{i}" for i in range(50)], segments=[str(i) for i in range(400)], values=values
    )
    screened = bt.rank(scores)
    monkeypatch.setattr(permutation, "WORTH_SCREENING", 10**9)
    assert screened.to_json() == bt.rank(scores).to_json()
