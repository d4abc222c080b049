"""Each judge beside peers, on control items, and on repeated items."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from betterthan.kernels.judges.judge_screening import (
    JudgedItems,
    control_test,
    mean_of_repeats,
    peer_agreement,
    repeat_consistency,
)

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 20)), min_size=1, max_size=50)


def columns(rows):
    """Unit, judge and value as arrays."""
    unit, judge, value = zip(*rows, strict=True)
    return np.array(unit), np.array(judge), np.array(value, dtype=float)


@given(rows)
def test_repeats_are_averaged(rows):
    """One row for each unit and judge, with the mean."""
    cells = {}
    for unit, judge, value in rows:
        cells.setdefault((unit, judge), []).append(value)
    found = mean_of_repeats(*columns(rows))
    got = dict(zip(zip(found.unit.tolist(), found.judge.tolist(), strict=True), found.value, strict=True))
    assert got.keys() == cells.keys()
    for cell, values in cells.items():
        assert got[cell] == pytest.approx(statistics.fmean(values))


@given(rows)
def test_peers_are_those_of_a_plain_loop(rows):
    """Leave-one-out means, Pearson's correlation of SciPy, variance of the scaled differences."""
    judged = mean_of_repeats(*columns(rows))
    found = peer_agreement(judged, n_judges=5)
    cells = list(zip(*(column.tolist() for column in judged), strict=True))
    for judge in range(5):
        own, others, scaled = [], [], []
        for unit, who, value in cells:
            peers = [v for u, w, v in cells if u == unit and w != judge]
            if who == judge and peers:
                own.append(value)
                others.append(statistics.fmean(peers))
                scaled.append((value - others[-1]) * (len(peers) / (len(peers) + 1)) ** 0.5)
        assert found.n_shared[judge] == len(own)
        if not own:
            assert np.isnan(found.bias[judge])
            continue
        assert found.bias[judge] == pytest.approx(np.mean(np.subtract(own, others)), abs=1e-12)
        if len(own) < 2:
            assert np.isnan(found.variance[judge])
            continue
        assert found.variance[judge] == pytest.approx(statistics.variance(scaled), rel=1e-9, abs=1e-20)
        if np.ptp(own) > 0 and np.ptp(others) > 1e-9:
            assert found.correlation[judge] == pytest.approx(stats.pearsonr(own, others)[0], abs=1e-9)
        else:
            assert np.isnan(found.correlation[judge])


@given(rows, st.permutations(range(4)))
def test_renaming_judges_permutes_the_answer(rows, names):
    """Who is called what does not matter, nor does the order of rows."""
    plain = peer_agreement(mean_of_repeats(*columns(rows)), n_judges=4)
    renamed = [(unit, names[judge], value) for unit, judge, value in reversed(rows)]
    other = peer_agreement(mean_of_repeats(*columns(renamed)), n_judges=4)
    for one, two in zip(plain, other, strict=True):
        np.testing.assert_allclose(two[list(names)], one, rtol=1e-9, atol=1e-9)


def test_equal_judges_have_equal_variance_whatever_the_number_of_peers():
    """The scaling: noise of variance 1 is found as 1 beside one peer and beside seven."""
    rng = np.random.default_rng(1)
    for m in (2, 8):
        truth = rng.normal(size=4000) * 3
        value = truth[:, None] + rng.normal(size=(4000, m))
        unit, judge = np.repeat(np.arange(4000), m), np.tile(np.arange(m), 4000)
        found = peer_agreement(JudgedItems(unit, judge, value.ravel()), n_judges=m)
        np.testing.assert_allclose(found.variance, 1, atol=0.1)


@given(rows)
def test_repeats_within_judges_are_those_of_a_plain_loop(rows):
    """Pooled over the units that a judge judged more than once."""
    found = repeat_consistency(*columns(rows), n_judges=4)
    for judge in range(4):
        groups = {}
        for unit, who, value in rows:
            if who == judge:
                groups.setdefault(unit, []).append(value)
        freedom = sum(len(group) - 1 for group in groups.values())
        squares = sum(sum((v - statistics.fmean(group)) ** 2 for v in group) for group in groups.values())
        assert found.n[judge] == freedom
        if freedom:
            assert found.deviation[judge] == pytest.approx((squares / freedom) ** 0.5, abs=1e-9)
        else:
            assert np.isnan(found.deviation[judge])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40))
def test_the_control_test_is_the_signed_rank_test_of_scipy(rows):
    """Exact by SciPy's permutations where these are few enough; a judge without pairs has no answer."""
    judge, genuine, degraded = columns(rows)
    found = control_test(judge.astype(int), genuine.astype(float), degraded, n_judges=4)
    assert np.isnan(found.pvalue[3])
    for one in range(3):
        gaps = (genuine - degraded)[judge == one]
        assert found.n[one] == gaps.size
        if gaps.size == 0:
            assert np.isnan(found.pvalue[one])
            continue
        assert found.difference[one] == pytest.approx(gaps.mean())
        nonzero = gaps[gaps != 0]
        if nonzero.size == 0:
            assert found.pvalue[one] == 1
        elif 2 <= nonzero.size <= 10:
            expected = stats.wilcoxon(
                nonzero, alternative="greater", method=stats.PermutationMethod(n_resamples=1100)
            )
            assert found.pvalue[one] == pytest.approx(expected.pvalue)
