"""The classical tests, intervals and corrections against scipy and statsmodels."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from tests.made import means_without_one

from betterthan.kernels.agreement.kendall import _pair_by_pair, kendall_b, kendall_b_matrix
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.intervals.intervals import bca_interval, t_interval
from betterthan.kernels.significance.paired import differences, paired_t
from betterthan.kernels.significance.pvalues import adjusted, adjusted_pairs
from betterthan.kernels.significance.rank_tests import mood_median, sign_test, wilcoxon

ALTERNATIVES = ("two-sided", "greater", "less")
CLOSE = {"rtol": 1e-9, "atol": 1e-14}


def table(seed, m, n, *, kind, missing=0.0):
    """Scores with a common difficulty; of the kind real, eighths (ties) or binary."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n) + rng.normal(size=(m, n)) + np.linspace(0, 0.7, m)[:, None]
    if kind == "eighths":
        scores = np.round(scores * 2) / 8
    elif kind == "binary":
        scores = (scores > 0).astype(float)
    elif kind == "skewed":
        scores = np.exp(2 * scores)
    scores[rng.random((m, n)) < missing] = np.nan
    return scores


tables = st.builds(
    table,
    st.integers(0, 2**32),
    st.integers(2, 4),
    st.integers(3, 60),
    kind=st.sampled_from(["real", "eighths", "binary", "skewed"]),
    missing=st.sampled_from([0.0, 0.15]),
)


def pairs(scores):
    """All ordered pairs with the two systems' scores on the segments both have."""
    for a, b in itertools.permutations(range(len(scores)), 2):
        both = ~np.isnan(scores[a] + scores[b])
        yield a, b, scores[a, both], scores[b, both]


@given(tables, st.sampled_from(ALTERNATIVES))
def test_paired_t_is_scipys(scores, alternative):
    """Statistic, p-value and interval of ttest_rel, pair by pair."""
    ours = paired_t(scores, alternative=alternative)
    low, high = t_interval(ours.mean, ours.standard_error, ours.n, confidence=0.9)
    for a, b, x, y in pairs(scores):
        if x.size < 2 or np.ptp(x - y) == 0:
            continue
        theirs = stats.ttest_rel(x, y, alternative=alternative)
        np.testing.assert_allclose(ours.statistic[a, b], theirs.statistic, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(ours.pvalue[a, b], theirs.pvalue, **CLOSE)
        if alternative == "two-sided":
            interval = theirs.confidence_interval(0.9)
            np.testing.assert_allclose([low[a, b], high[a, b]], list(interval), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shift", [0.0, 1e3, -1e6])
@pytest.mark.parametrize("scale", [1.0, 1e-5, 1e-7])
def test_nearly_identical_systems_keep_their_digits(shift, scale):
    """The matrix product would lose them; so would scores far from zero."""
    rng = np.random.default_rng(3)
    base = rng.normal(size=200)
    # Rounded to a grid of halves of a power, so that shifting by a large number is exact.
    nudge = np.rint(rng.normal(size=(2, 200)) * 64) / 64
    grid = 2.0 ** np.floor(np.log2(scale * 2.0**-20))
    scores = np.array([base, base + scale * nudge[0], base + scale * nudge[1], base * 50])
    scores = np.rint(scores / grid) * grid + shift
    ours = paired_t(scores)
    for a, b, x, y in pairs(scores):
        theirs = stats.ttest_rel(x, y)
        np.testing.assert_allclose(ours.pvalue[a, b], theirs.pvalue, rtol=1e-9)


@given(tables, st.sampled_from(ALTERNATIVES))
def test_sign_test_is_the_binomial_test(scores, alternative):
    """Dropped ties, and the published reading with all segments in the denominator."""
    counts = win_counts(scores)
    dropped = sign_test(counts, alternative=alternative).pvalue
    published = sign_test(counts, ties="as_published", alternative=alternative).pvalue
    for a, b, x, y in pairs(scores):
        wins, losses = int((x > y).sum()), int((x < y).sum())
        if wins + losses:
            theirs = stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
            np.testing.assert_allclose(dropped[a, b], theirs, **CLOSE)
        if x.size:
            counted = max(wins, losses) if alternative == "two-sided" else wins
            if alternative == "less":
                # "less" is "b better than a": b's wins out of all segments.
                theirs = stats.binomtest(losses, x.size, alternative="greater").pvalue
            else:
                theirs = stats.binomtest(counted, x.size, alternative=alternative).pvalue
            np.testing.assert_allclose(published[a, b], theirs, **CLOSE)


@given(tables, st.sampled_from(ALTERNATIVES), st.sampled_from(["wilcox", "pratt"]), st.booleans())
def test_asymptotic_wilcoxon_is_scipys(scores, alternative, zeros, continuity):
    """Normal approximation with tie correction, both treatments of zeros, with and without continuity."""
    ours = wilcoxon(scores, zeros=zeros, method="asymptotic", continuity=continuity, alternative=alternative)
    for a, b, x, y in pairs(scores):
        if not np.any(x != y):
            continue
        theirs = stats.wilcoxon(
            x, y, zero_method=zeros, correction=continuity, alternative=alternative, method="asymptotic"
        )
        np.testing.assert_allclose(ours.pvalue[a, b], theirs.pvalue, **CLOSE)


@given(st.integers(0, 2**32), st.integers(1, 60), st.sampled_from(ALTERNATIVES))
def test_exact_wilcoxon_without_ties_is_scipys(seed, n, alternative):
    """Also above fifty segments when asked for."""
    scores = table(seed, 2, n, kind="real")
    ours = wilcoxon(scores, method="exact", alternative=alternative)
    theirs = stats.wilcoxon(scores[0], scores[1], alternative=alternative, method="exact")
    np.testing.assert_allclose(ours.pvalue[0, 1], theirs.pvalue, rtol=1e-9, atol=1e-15)
    statistic = (
        min(ours.statistic[0, 1], ours.statistic[1, 0])
        if alternative == "two-sided"
        else ours.statistic[0, 1]
    )
    assert statistic == theirs.statistic


@given(
    st.integers(0, 2**32),
    st.integers(2, 10),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from(["wilcox", "pratt"]),
)
def test_exact_wilcoxon_with_ties_is_scipys_permutation_test(seed, n, alternative, zeros):
    """Where scipy enumerates all signs; ours is a convolution and has no limit of thirteen."""
    scores = table(seed, 2, n, kind="eighths")
    assume(np.any(scores[0] != scores[1]))
    ours = wilcoxon(scores, zeros=zeros, method="exact", alternative=alternative)
    theirs = stats.wilcoxon(
        scores[0], scores[1], zero_method=zeros, alternative=alternative, method=stats.PermutationMethod()
    )
    np.testing.assert_allclose(ours.pvalue[0, 1], theirs.pvalue, rtol=1e-9)


@given(tables, st.sampled_from(["below", "above", "ignore"]), st.booleans())
def test_moods_test_is_scipys(scores, ties, continuity):
    """Including its refusal of empty tables, which is NaN here."""
    ours = mood_median(scores, ties=ties, continuity=continuity)
    exact = mood_median(scores, ties=ties, method="fisher")
    for a, b, x, y in pairs(scores):
        try:
            theirs = stats.median_test(x, y, ties=ties, correction=continuity)
        except ValueError:
            assert np.isnan(ours.pvalue[a, b])
            assert np.isnan(exact.pvalue[a, b])
            continue
        np.testing.assert_allclose(ours.pvalue[a, b], theirs.pvalue, **CLOSE)
        np.testing.assert_allclose(ours.statistic[a, b], theirs.statistic, rtol=1e-9, atol=1e-12)
        if ties != "ignore":  # equal columns: Fisher's two-sided p is twice the smaller tail
            fisher = stats.fisher_exact(theirs.table).pvalue
            np.testing.assert_allclose(exact.pvalue[a, b], fisher, rtol=1e-9)


@given(tables, st.sampled_from(["greater", "less"]))
def test_one_sided_fisher_is_scipys(scores, alternative):
    """In the direction asked."""
    ours = mood_median(scores, method="fisher", ties="ignore", alternative=alternative)
    for a, b, _, _ in pairs(scores):
        if np.isnan(ours.pvalue[a, b]):
            continue
        cells = [
            [ours.above[a, b], ours.above[b, a]],
            [ours.n[a, b] - ours.above[a, b], ours.n[b, a] - ours.above[b, a]],
        ]
        theirs = stats.fisher_exact(cells, alternative=alternative).pvalue
        np.testing.assert_allclose(ours.pvalue[a, b], theirs, rtol=1e-9)


@given(tables)
def test_kendall_b_is_scipys(scores):
    """By matrix product and by merging."""
    matrix, slow = kendall_b_matrix(scores), _pair_by_pair(scores)
    np.testing.assert_allclose(matrix, slow, rtol=1e-12, atol=1e-12)
    for a, b, x, y in pairs(scores):
        if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(matrix[a, b])
            continue
        theirs = stats.kendalltau(x, y).statistic
        np.testing.assert_allclose(matrix[a, b], theirs, rtol=1e-12, atol=1e-12)


def test_kendall_b_of_many_segments():
    """Thirty thousand segments with ties, by merging."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5000, size=(2, 30_000)).astype(float)
    np.testing.assert_allclose(kendall_b(x, y), stats.kendalltau(x, y).statistic, rtol=1e-10)


@pytest.mark.parametrize("kind", ["real", "skewed", "eighths"])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_bca_is_scipys_on_the_same_resamples(kind, confidence):
    """Means of differences, jackknife in closed form."""
    scores = table(7, 2, 40, kind=kind)
    gaps = scores[0] - scores[1]
    theirs = stats.bootstrap(
        (gaps,),
        np.mean,
        confidence_level=confidence,
        n_resamples=999,
        method="BCa",
        rng=np.random.default_rng(1),
    )
    low, high = bca_interval(
        theirs.bootstrap_distribution[:, None],
        np.array([gaps.mean()]),
        means_without_one(gaps[None, :]),
        confidence=confidence,
    )
    np.testing.assert_allclose([low[0], high[0]], list(theirs.confidence_interval), rtol=1e-9, atol=1e-12)


@given(
    st.lists(st.floats(1e-12, 1) | st.just(0.03) | st.just(np.nan), min_size=1, max_size=30),
    st.sampled_from([("bonferroni", "bonferroni"), ("holm", "holm"), ("benjamini_hochberg", "fdr_bh")]),
)
def test_corrections_are_statsmodels(values, names):
    """With ties, and with NaN outside the family."""
    pvalues = np.array(values)
    known = ~np.isnan(pvalues)
    ours = adjusted(pvalues, correction=names[0])
    assert np.array_equal(np.isnan(ours), ~known)
    if known.any():
        theirs = multipletests(pvalues[known], method=names[1])[1]
        np.testing.assert_allclose(ours[known], theirs, rtol=1e-12)


def test_the_family_of_a_matrix_is_its_upper_triangle():
    """m(m−1)/2 questions, not m² and not m(m−1)."""
    scores = table(5, 6, 50, kind="real")
    pvalues = paired_t(scores).pvalue
    above = np.triu_indices(6, 1)
    theirs = multipletests(pvalues[above], method="holm")[1]
    np.testing.assert_allclose(adjusted_pairs(pvalues, correction="holm")[above], theirs, rtol=1e-12)


@given(tables)
def test_moments_of_differences_are_numpys(scores):
    """Mean and deviation, pairwise complete."""
    found = differences(scores)
    for a, b, x, y in pairs(scores):
        assert found.n[a, b] == x.size
        if x.size > 1:
            np.testing.assert_allclose(found.mean[a, b], np.mean(x - y), rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(found.deviation[a, b], np.std(x - y, ddof=1), rtol=1e-9, atol=1e-12)
