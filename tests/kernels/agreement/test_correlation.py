"""Pearson, Spearman and Kendall along rows, and their means over groups; SciPy is the oracle."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from betterthan.errors import BetterThanError, UnknownName
from betterthan.kernels.agreement import correlation
from betterthan.kernels.agreement.correlation import (
    COEFFICIENTS,
    LEVELS,
    cells_by_group,
    grouped,
    kendall_b_rows,
    pearson,
    spearman,
    system_means,
)
from betterthan.kernels.agreement.kendall import kendall_b

ORACLES = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall_b": stats.kendalltau}
RANK_BASED = ("spearman", "kendall_b")
EVERY = pytest.mark.parametrize("name", sorted(COEFFICIENTS))

coarse = st.integers(-3, 3).map(float) | st.just(np.nan)
tables = hnp.arrays(np.float64, st.tuples(st.just(2), st.integers(1, 5), st.integers(0, 8)), elements=coarse)


def expected(name, x, y):
    """What SciPy says of the elements that both have; NaN where it would only warn."""
    both = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[both], y[both]
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return ORACLES[name](x, y).statistic


def drawn(m, n, *, seed=0, missing=0.1):
    """A metric and human scores with ties and holes."""
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 6, (m, n)).astype(float)
    metric = np.round(human + 3 * rng.normal(size=(m, n)), 1)
    metric[rng.random((m, n)) < missing] = np.nan
    human[rng.random((m, n)) < missing] = np.nan
    return metric, human


@EVERY
def test_scipy_says_the_same(name):
    """Random rows with ties and missing elements, of several lengths."""
    for k in (2, 3, 14, 60):
        x, y = drawn(40, k, seed=k)
        wanted = [expected(name, a, b) for a, b in zip(x, y, strict=True)]

        np.testing.assert_allclose(COEFFICIENTS[name](x, y), wanted, rtol=0, atol=1e-12)


@EVERY
@given(pair=tables)
def test_scipy_says_the_same_of_awkward_rows(name, pair):
    """Short rows on seven values: constant, empty and perfect ones are common."""
    wanted = [expected(name, a, b) for a, b in zip(*pair, strict=True)]

    np.testing.assert_allclose(COEFFICIENTS[name](*pair), wanted, rtol=0, atol=1e-12)


@EVERY
@given(pair=tables, seed=st.integers(0, 99))
def test_laws_of_a_correlation(name, pair, seed):
    """Symmetric, bounded, turns with the sign, and does not care for the order of elements."""
    coefficient = COEFFICIENTS[name]
    x, y = pair
    found = coefficient(x, y)
    order = np.random.default_rng(seed).permutation(x.shape[1])

    np.testing.assert_array_equal(found, coefficient(y, x))
    assert (np.abs(found[~np.isnan(found)]) <= 1).all()
    np.testing.assert_allclose(coefficient(-x, y), -found, rtol=0, atol=1e-15)
    np.testing.assert_allclose(coefficient(x[:, order], y[:, order]), found, rtol=0, atol=1e-15)
    with_itself = coefficient(x, x)
    assert (with_itself[~np.isnan(with_itself)] == 1).all()


@pytest.mark.parametrize("name", RANK_BASED)
def test_ranks_do_not_see_a_monotone_map(name):
    """Not even one that makes the scores infinite."""
    x, y = drawn(20, 12)
    bent = np.where(x == np.nanmax(x), np.inf, np.exp(x))

    np.testing.assert_array_equal(COEFFICIENTS[name](bent, y), COEFFICIENTS[name](x, y))


def test_golden_numbers():
    """Anscombe (1973), Graphs in statistical analysis, table 1: r = 0.816; and a rank sum of squares by hand."""
    x = np.array([10.0, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5])
    y = np.array([8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68])
    assert pearson(x, y) == pytest.approx(0.816, abs=5e-4)
    # Ten pairs without ties with Σd² = 194: 1 − 6 · 194 / 990 = −29/165.
    iq = np.array([106.0, 100, 86, 101, 99, 103, 97, 113, 112, 110])
    television = np.array([7.0, 27, 2, 50, 28, 29, 20, 12, 6, 17])
    assert spearman(iq, television) == pytest.approx(-29 / 165, abs=1e-15)


def exact_pearson(x, y):
    """The definition in fractions, with one square root at the end."""
    x, y = [Fraction(v) for v in x.tolist()], [Fraction(v) for v in y.tolist()]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    square = covariance**2 / (sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))
    return float(square) ** 0.5 * (1 if covariance > 0 else -1)


@pytest.mark.parametrize("scale", [1.0, 1e-310, 1e-200, 1e200, 1e307])
@pytest.mark.parametrize("shift", [0.0, 1e9, -1e15])
def test_no_scale_and_no_offset_spoils_pearson(scale, shift):
    """Even where squares overflow or vanish, or most digits are the same."""
    rng = np.random.default_rng(3)
    y = rng.normal(size=9)
    x = (y + rng.normal(size=9)) * scale if shift == 0 else np.round(1e3 * y) + shift

    assert pearson(x, y) == pytest.approx(exact_pearson(x, y), abs=1e-14)


def test_constant_is_exact():
    """Three times 0.1 is constant although its mean is not 0.1; one bit more is not constant."""
    y = np.array([1.0, 2, 4])
    x = np.full(3, 0.1)
    assert x.mean() != 0.1
    assert np.isnan(pearson(x, y))
    x[2] = np.nextafter(0.1, 1)
    assert pearson(x, y) == pytest.approx(exact_pearson(x, y), abs=1e-15)


def test_infinite_elements_have_no_deviation():
    """Pearson is undefined, and says so without a warning."""
    assert np.isnan(pearson(np.array([1.0, np.inf, 2]), np.array([1.0, 2, 3])))
    assert np.isnan(pearson(np.array([-np.inf, np.inf, 2]), np.array([1.0, 2, 3])))


@pytest.mark.parametrize("k", [1, 2, 13, 80])
def test_tau_of_rows_is_tau_row_by_row(k, monkeypatch):
    """The same bits, whether all pairs are compared or each row is sorted."""
    x, y = drawn(25, k, seed=k)
    wanted = np.array([kendall_b(a, b) for a, b in zip(x, y, strict=True)])

    np.testing.assert_array_equal(kendall_b_rows(x, y), wanted)
    monkeypatch.setattr(correlation, "_ALL_PAIRS_UP_TO", 1)
    np.testing.assert_array_equal(kendall_b_rows(x, y), wanted)


@EVERY
def test_blocks_and_memory_order_change_nothing(name, monkeypatch):
    """The same bits."""
    x, y = drawn(30, 11)
    whole = COEFFICIENTS[name](x, y)

    np.testing.assert_array_equal(COEFFICIENTS[name](np.asfortranarray(x), np.asfortranarray(y)), whole)
    monkeypatch.setattr(correlation, "_BLOCK", 40)
    np.testing.assert_array_equal(COEFFICIENTS[name](x, y), whole)


@EVERY
def test_leading_axes_are_broadcast(name):
    """Every metric with every human, as a loop would do it."""
    x, y = drawn(4, 9, seed=1)
    found = COEFFICIENTS[name](x[:, None], y[None])

    assert found.shape == (4, 4)
    np.testing.assert_array_equal(found, [[COEFFICIENTS[name](a, b) for b in y] for a in x])
    assert COEFFICIENTS[name](x[0], y[0]).shape == ()


def groups_of(metric, human, level):
    """The vectors that belong together, by plain loops."""
    m, n = metric.shape
    if level == "segment":
        return [(metric[:, s], human[:, s]) for s in range(n)]
    if level == "within_system":
        return [(metric[i], human[i]) for i in range(m)]
    if level == "global":
        return [(metric.ravel(), human.ravel())]
    shared = ~np.isnan(metric + human)
    rows = range(m)
    return [tuple(np.array([t[i][shared[i]].mean() for i in rows]) for t in (metric, human))]


@EVERY
@pytest.mark.parametrize("level", LEVELS)
def test_grouped_is_the_mean_of_scipys_coefficients(name, level):
    """Over the groups in which there is one; the others are counted."""
    metric, human = drawn(5, 12, missing=0.35)
    human[:, 3] = 4.0
    metric[:, 5] = np.nan
    found = grouped(name, metric, human, level)
    wanted = np.array([expected(name, x, y) for x, y in groups_of(metric, human, level)])

    np.testing.assert_allclose(found.per_group, wanted, rtol=0, atol=1e-12)
    assert found.value == pytest.approx(np.nanmean(wanted), abs=1e-12)
    assert found.n_undefined == np.isnan(wanted).sum()
    assert found.n_groups == np.isfinite(wanted).sum()
    assert level != "segment" or found.n_undefined >= 2


@EVERY
@pytest.mark.parametrize("level", ["segment", "within_system"])
def test_the_order_of_groups_does_not_matter(name, level):
    """The mean is rounded once: the same bits."""
    metric, human = drawn(7, 40)
    along = {"segment": 1, "within_system": 0}[level]
    order = np.random.default_rng(5).permutation(metric.shape[along])
    shuffled = grouped(name, metric.take(order, along), human.take(order, along), level)

    assert shuffled.value == grouped(name, metric, human, level).value


def test_a_callable_is_a_coefficient_too():
    """It sees groups × elements with the same holes on both sides."""
    metric, human = drawn(4, 6, missing=0.3)

    def share_of_holes(x, y):
        np.testing.assert_array_equal(np.isnan(x), np.isnan(y))
        return np.isnan(x).mean(axis=1)

    found = grouped(share_of_holes, metric, human, "segment")
    np.testing.assert_array_equal(found.per_group, np.isnan(metric + human).mean(axis=0))


def test_nothing_defined_is_nan():
    """One system correlates with nothing on a segment."""
    found = grouped("pearson", np.ones((1, 3)), np.ones((1, 3)), "segment")

    assert np.isnan(found.value)
    assert (found.n_groups, found.n_undefined) == (0, 3)


def test_means_are_over_shared_cells():
    """A system without a shared cell has none."""
    metric = np.array([[1.0, np.nan, 5.0], [2.0, 4.0, np.nan]])
    human = np.array([[10.0, 20.0, 30.0], [np.nan, np.nan, 7.0]])
    means = system_means(metric, human)

    np.testing.assert_array_equal(means, [[3.0, np.nan], [20.0, np.nan]])


def test_errors_say_what_to_do():
    """Shapes, levels and names."""
    square = np.zeros((2, 2))
    with pytest.raises(BetterThanError, match=r"shapes are \(2, 2\) and \(2, 3\). Align the tables"):
        grouped("pearson", square, np.zeros((2, 3)), "segment")
    with pytest.raises(BetterThanError, match=r"along the last axis; their shapes are \(3,\) and \(4,\)"):
        pearson(np.zeros(3), np.zeros(4))
    with pytest.raises(UnknownName, match=r'Unknown level "segmnt". Did you mean "segment"'):
        cells_by_group(square, square, "segmnt")
    with pytest.raises(UnknownName, match=r'Unknown coefficient "kendal_b". Did you mean "kendall_b"'):
        grouped("kendal_b", square, square, "segment")
