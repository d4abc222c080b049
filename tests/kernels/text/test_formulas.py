"""BLEU, chrF and TER from sums: sacreBLEU's numbers, for any number of sums at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from betterthan.errors import BetterThanError, UnknownName
from betterthan.kernels.text.formulas import SMOOTHINGS, bleu_score, chrf_score, smoothing_constant, ter_score

MANY = 300


def bleu_sums(rng, n_orders, size=MANY):
    """Sums that texts can have: totals fall by order, matches are no more than totals, many zeros."""
    length = rng.integers(0, 12, size)
    totals = np.maximum(length[:, None] - np.arange(n_orders), 0)
    matches = np.minimum.accumulate(rng.binomial(totals, rng.choice([0.1, 0.5, 1.0], (size, 1))), axis=1)
    return np.column_stack([length, rng.integers(0, 12, size), matches, totals]).astype(np.float64)


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(
    ("smoothing", "value"),
    [("exp", None), ("none", None), ("floor", None), ("floor", 0.01), ("add-k", None), ("add-k", 0.5)],
)
@pytest.mark.parametrize("n_orders", [1, 2, 4, 6])
def test_bleu_is_that_of_sacrebleu(smoothing, value, n_orders, effective_order):
    """Every smoothing, order and effective order, sums of nothing included."""
    sums = bleu_sums(np.random.default_rng(n_orders), n_orders)
    ours = bleu_score(sums, smoothing=smoothing, smoothing_value=value, effective_order=effective_order)
    theirs = [
        BLEU.compute_bleu(
            correct=row[2 : 2 + n_orders].tolist(),
            total=row[2 + n_orders :].tolist(),
            sys_len=int(row[0]),
            ref_len=int(row[1]),
            smooth_method=smoothing,
            smooth_value=value,
            effective_order=effective_order,
            max_ngram_order=n_orders,
        ).score
        for row in sums
    ]
    assert np.count_nonzero(theirs) > MANY / 10
    np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=0)


@pytest.mark.parametrize("eps_smoothing", [False, True])
@pytest.mark.parametrize("beta", [1, 2, 3, 0.5])
@pytest.mark.parametrize("n_orders", [1, 6, 8])
def test_chrf_is_that_of_sacrebleu(n_orders, beta, eps_smoothing):
    """Both smoothings, to the last digit, with orders that one side lacks."""
    rng = np.random.default_rng(n_orders)
    ours, theirs = rng.integers(0, 8, (2, MANY, n_orders))
    matches = rng.binomial(np.minimum(ours, theirs), 0.6)
    sums = np.stack([ours, theirs, matches], axis=-1).reshape(MANY, -1).astype(np.float64)
    metric = CHRF(char_order=n_orders, beta=beta, eps_smoothing=eps_smoothing)
    expected = [metric._compute_f_score(row.tolist()) for row in sums]
    assert np.array_equal(chrf_score(sums, beta=beta, eps_smoothing=eps_smoothing), expected)


def test_ter_is_that_of_sacrebleu():
    """Empty references included."""
    sums = np.array([[e, r] for e in (0.0, 1.0, 7.0) for r in (0.0, 0.5, 3.0, 13.0)])
    expected = [TER()._compute_score_from_stats(row.tolist()).score for row in sums]
    assert np.array_equal(ter_score(sums), expected)


def test_numbers_printed_in_papers():
    """Snover et al. (2006), section 3: 4 edits, 13 words. Papineni et al. (2002), section 2.1: precision 2/7."""
    assert ter_score(np.array([4.0, 13.0])) == pytest.approx(100 * 4 / 13)
    assert bleu_score(np.array([7.0, 6.0, 2.0, 7.0])) == pytest.approx(100 * 2 / 7)


def test_bleu_by_hand():
    """Nine words for ten, precisions 8/9, 6/8, 4/7 and 2/6."""
    sums = np.array([9, 10, 8, 6, 4, 2, 9, 8, 7, 6])
    expected = 100 * math.exp(1 - 10 / 9) * (8 / 9 * 6 / 8 * 4 / 7 * 2 / 6) ** 0.25
    assert bleu_score(sums) == pytest.approx(expected, rel=1e-14)


FORMULAS = {
    "bleu": (bleu_score, np.array([9.0, 10, 8, 6, 4, 2, 9, 8, 7, 6]), 10),
    "chrf": (chrf_score, np.array([9.0, 10, 8, 8, 9, 5]), 6),
    "ter": (ter_score, np.array([3.0, 13]), 2),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_sum_with_a_gap_has_no_score(name):
    """NaN in any column gives NaN, also where nothing matches."""
    score, sums, k = FORMULAS[name]
    for i in range(k):
        for base in (sums, np.zeros(k)):
            gap = base.copy()
            gap[i] = np.nan
            assert np.isnan(score(gap))


@pytest.mark.parametrize("name", FORMULAS)
def test_many_sums_are_scored_as_one_by_one(name):
    """Whatever the shape, each sum has the bits it has alone; the number of copies of a corpus is no matter."""
    score, sums, k = FORMULAS[name]
    many = np.random.default_rng(1).integers(0, 9, (3, 5, k)).astype(np.float64)
    alone = [[float(score(many[i, j])) for j in range(5)] for i in range(3)]
    assert score(many).shape == (3, 5)
    assert np.array_equal(score(many), alone)
    assert np.array_equal(score(many.transpose(1, 0, 2)), np.transpose(alone))
    assert score(7 * sums) == pytest.approx(score(sums), rel=1e-13)


@given(st.integers(1, 9), st.integers(1, 40))
def test_a_copy_of_the_reference_is_perfect(n_orders, length):
    """All n-grams match: 100, whatever the length."""
    totals = np.maximum(length - np.arange(n_orders), 0)
    sums = np.concatenate([[length, length], totals, totals])
    assert bleu_score(sums, effective_order=True) == pytest.approx(100, rel=1e-13)
    assert chrf_score(np.repeat(totals, 3)) == pytest.approx(100, rel=1e-13)


def test_smoothing_is_checked():
    """An unknown smoothing, a value where none is used, and a value that is no amount are refused."""
    with pytest.raises(UnknownName, match='Did you mean "floor"'):
        smoothing_constant("flor")
    with pytest.raises(BetterThanError, match=r'smoothing="exp" does not use smoothing_value=0\.5'):
        smoothing_constant("exp", 0.5)
    for value in (0, -1.0, math.inf, math.nan):
        with pytest.raises(BetterThanError, match="smoothing_value must be a positive number"):
            smoothing_constant("floor", value)
    assert {name: smoothing_constant(name) for name in SMOOTHINGS} == {
        name: BLEU.SMOOTH_DEFAULTS[name] or 0.0 for name in BLEU.SMOOTH_DEFAULTS
    }
