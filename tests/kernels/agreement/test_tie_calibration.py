"""Accuracy with calibrated ties against a literal search in fractions, and numbers of the peer."""

import itertools
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.errors import BetterThanError
from betterthan.kernels.agreement import tau_tables, tie_calibration
from betterthan.kernels.agreement.correlation import LEVELS, cells_by_group
from betterthan.kernels.agreement.tau_tables import pair_table
from betterthan.kernels.agreement.tie_calibration import accuracy_at, calibrated_accuracy

FRACTIONS = [-2.5, -1.0, 0.0, 0.1, 0.2, 0.30000000000000004, 0.3, 1.0, 7.0]
cell = st.sampled_from(FRACTIONS) | st.integers(-3, 3).map(float) | st.just(np.nan)
both_tables = hnp.arrays(
    np.float64, st.tuples(st.just(2), st.integers(1, 5), st.integers(1, 5)), elements=cell
)


def literal_pairs(metric, human, level):
    """For each group that has a pair, (gap, both say the same, human tie) of every pair."""
    groups = []
    for x, h in zip(*cells_by_group(metric, human, level), strict=True):
        known = np.flatnonzero(~np.isnan(x))
        pairs = [
            (abs(x[i] - x[j]), (x[i] > x[j]) == (h[i] > h[j]) and x[i] != x[j] and h[i] != h[j], h[i] == h[j])
            for i, j in itertools.combinations(known, 2)
        ]
        groups.append(pairs)
    return groups


def literal_shares(groups, threshold):
    """The accuracy of each group as a fraction; None without pairs."""
    agree = [sum(tie if gap <= threshold else same for gap, same, tie in pairs) for pairs in groups]
    return [Fraction(int(a), len(pairs)) if pairs else None for a, pairs in zip(agree, groups, strict=True)]


def literal_curve(metric, human, level):
    """Thresholds in order and exact mean accuracies."""
    groups = literal_pairs(metric, human, level)
    used = [pairs for pairs in groups if pairs]
    thresholds = sorted({0.0} | {gap for pairs in used for gap, _, _ in pairs})
    means = [sum(literal_shares(used, t)) / len(used) for t in thresholds] if used else []
    return groups, thresholds, means


def drawn(m, n, *, missing=0.0, seed=0, decimals=None):
    """Error counts with many ties and a metric that follows them."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(m, n)) + rng.normal(size=n)
    human = np.round(2 * np.minimum(0, quality - 0.5))
    metric = quality + 0.7 * rng.normal(size=(m, n))
    metric[rng.random((m, n)) < missing] = np.nan
    return metric if decimals is None else np.round(metric, decimals), human


def agrees_with_literal(metric, human, level):
    """Exactly: the search, the accuracy at its end, and the curve."""
    groups, thresholds, means = literal_curve(metric, human, level)
    found = calibrated_accuracy(metric, human, level)
    assert found.n_groups == sum(bool(pairs) for pairs in groups)
    assert found.n_empty == sum(not pairs for pairs in groups)
    assert found.n_pairs == sum(map(len, groups))
    if not means:
        assert np.isnan([found.accuracy, found.threshold]).all()
        assert np.isnan(accuracy_at(metric, human, 0.0, level).accuracy)
        return
    best = max(means)
    assert found.accuracy == float(best)
    assert found.threshold == thresholds[means.index(best)]
    curve = [accuracy_at(metric, human, threshold, level).accuracy for threshold in thresholds]
    np.testing.assert_allclose(curve, [float(mean) for mean in means], rtol=0, atol=1e-15)
    at = accuracy_at(metric, human, found.threshold, level)
    assert at.accuracy == found.accuracy
    shares = [np.nan if s is None else float(s) for s in literal_shares(groups, found.threshold)]
    np.testing.assert_array_equal(at.per_group, shares)


@pytest.mark.parametrize("level", LEVELS)
@given(pair=both_tables)
def test_the_literal_search_finds_the_same(level, pair):
    """Missing cells, unequal and empty groups, gaps that differ in the last bit."""
    agrees_with_literal(*pair, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("decimals", [None, 1, 0])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_literal_search_finds_the_same_on_lifelike_scores(level, decimals, missing):
    """A metric on a fine, a coarse and a very coarse scale."""
    agrees_with_literal(*drawn(4, 8, missing=missing, decimals=decimals), level)


@pytest.mark.parametrize("bits", [7, 20])
@pytest.mark.parametrize("decimals", [None, 0])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_splitting_bins_again_and_blocks_change_nothing(bits, decimals, missing, monkeypatch):
    """As if four pairs were too many to sort, down to bins of single gaps."""
    metric, human = drawn(4, 8, missing=missing, decimals=decimals, seed=1)
    monkeypatch.setattr(tie_calibration, "_MOST_SORTED", 4)
    monkeypatch.setattr(tie_calibration, "_MOST_BIN_BITS", bits)
    monkeypatch.setattr(tau_tables, "_BLOCK", 8)
    for level in ("segment", "global"):
        agrees_with_literal(metric, human, level)


@pytest.mark.parametrize("outlier", [1e9, 1e308, -1e308])
def test_an_outlier_does_not_hide_the_rest(outlier):
    """All other gaps then share a bin, and a gap may even overflow."""
    metric, human = drawn(4, 15)
    metric[0, 3], metric[1, 3] = outlier, -outlier
    assert calibrated_accuracy(metric, human).threshold < 10
    with np.errstate(over="ignore"):
        agrees_with_literal(metric, human, "segment")


def sorted_search(metric, human, level):
    """One sort of all pairs of equal groups, with NumPy: a second opinion for sizes a loop cannot reach."""
    x, h = cells_by_group(metric, human, level)
    gaps, changes, start = [], [], 0
    for scores, gold in zip(x, h, strict=True):
        i, j = np.triu_indices(scores.size, 1)
        sign = np.sign(scores[i] - scores[j]) * np.sign(gold[i] - gold[j])
        gaps.append(np.abs(scores[i] - scores[j]))
        changes.append((gold[i] == gold[j]).astype(int) - (sign > 0))
        start += int((sign > 0).sum())
    gaps, changes = np.concatenate(gaps), np.concatenate(changes)
    order = np.argsort(gaps)
    gaps, totals = gaps[order], start + np.cumsum(changes[order])
    last = np.append(gaps[1:] != gaps[:-1], True)
    gaps, totals = np.append(0.0, gaps[last]), np.append(start, totals[last])
    return totals.max() / order.size, gaps[np.argmax(totals)]


@pytest.mark.parametrize("decimals", [None, 2])
@pytest.mark.parametrize("level", ["segment", "within_system", "global"])
def test_a_plain_sort_finds_the_same_on_many_pairs(level, decimals):
    """Up to 300 thousand pairs."""
    metric, human = drawn(6, 130, decimals=decimals, seed=2)
    found = calibrated_accuracy(metric, human, level)

    assert (found.accuracy, found.threshold) == sorted_search(metric, human, level)


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [None, 1])
def test_a_plain_sort_finds_the_same_on_twelve_million_pairs(decimals):
    """Ours stays within 700 MB of NumPy's memory."""
    metric, human = drawn(14, 1300, decimals=decimals, seed=3)
    tracemalloc.start()
    found = calibrated_accuracy(metric, human, "within_system")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (found.accuracy, found.threshold) == sorted_search(metric, human, "within_system")
    assert peak < 7e8


def test_the_peers_own_examples():
    """mt-metrics-eval, tau_optimization_test.py: two examples by hand and a regression example with holes."""
    metric = np.array([[0.0], [2], [6], [8]])
    human = np.array([[1.0], [2], [3], [4]])
    curve = [accuracy_at(metric, human, threshold).accuracy for threshold in (0, 2, 4, 6, 8)]
    assert curve == [6 / 6, 4 / 6, 3 / 6, 1 / 6, 0 / 6]
    found = calibrated_accuracy(metric, np.array([[1.0], [1], [1], [4]]))
    assert (found.accuracy, found.threshold) == (4 / 6, 4)

    x = np.nan
    rows = np.array([[0, 5, 2, 3, 2], [x, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [x, x, x, x, x]])
    gold = np.array([[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, x, 3, 2], [x, x, x, x, x]])
    found = calibrated_accuracy(rows.T, gold.T)
    assert found.accuracy == pytest.approx(0.4916666666666668, abs=1e-15)
    assert (found.threshold, found.n_groups, found.n_empty) == (1, 4, 1)
    printed = [0.4666666666666667, 0.4916666666666668, 0.38333333333333347, 0.29166666666666674]
    printed += [0.2666666666666667, 0.2, 0.15833333333333335, 0.15833333333333335, 0.1166666666666667]
    curve = [accuracy_at(rows.T, gold.T, threshold).accuracy for threshold in range(9)]
    np.testing.assert_allclose(curve, printed, rtol=0, atol=1e-15)


def test_accuracy_at_is_the_diagonal_of_the_table_of_pairs():
    """With one group size, the mean over segments is the share over all pairs."""
    metric, human = drawn(7, 30)
    table = pair_table(metric, human, metric_margin=0.4)

    assert accuracy_at(metric, human, 0.4).accuracy == np.trace(table) / table.sum()


@pytest.mark.parametrize("level", LEVELS)
def test_laws(level):
    """Order is indifferent, powers of two only scale the threshold, the human is its own best metric."""
    metric, human = drawn(6, 25, missing=0.1)
    found = calibrated_accuracy(metric, human, level)
    rng = np.random.default_rng(0)
    systems, segments = rng.permutation(6), rng.permutation(25)
    if level == "system":  # means of shuffled segments are rounded otherwise
        segments = np.arange(25)
    shuffled = calibrated_accuracy(metric[systems][:, segments], human[systems][:, segments], level)

    assert shuffled == found
    assert calibrated_accuracy(4 * metric, human, level) == found._replace(threshold=4 * found.threshold)
    assert calibrated_accuracy(-metric, -human, level) == found
    perfect = calibrated_accuracy(human, human, level)
    assert (perfect.accuracy, perfect.threshold) == (1.0, 0.0)
    assert found.accuracy >= accuracy_at(metric, human, 0.0, level).accuracy
    blind = np.where(np.isnan(metric), np.nan, 0.0)
    all_ties = accuracy_at(metric, human, np.inf, level).accuracy
    assert accuracy_at(blind, human, 0.0, level).accuracy == all_ties <= found.accuracy


def test_equal_thresholds_are_told_apart_exactly():
    """A gain and a loss of a third each cancel, though 1/3 is no float: 0 is as good as 2, and smaller."""
    metric = np.array([[0.0, 0.0], [1.0, 2.0], [30.0, 30.0]])
    human = np.array([[0.0, 5.0], [1.0, 5.0], [9.0, 9.0]])
    found = calibrated_accuracy(metric, human)

    assert accuracy_at(metric, human, 0.0).accuracy == accuracy_at(metric, human, 2.0).accuracy == 5 / 6
    assert found.threshold == 0.0


def test_weights_too_fine_for_64_bits_still_give_an_exact_accuracy(monkeypatch):
    """As if 20 bits were all there is; the accuracy is that of the threshold, and nearly the best."""
    metric, human = drawn(9, 60, missing=0.4, seed=5)
    exact = calibrated_accuracy(metric, human)
    monkeypatch.setattr(tie_calibration, "_LARGEST_SUM", 1 << 20)
    rounded = calibrated_accuracy(metric, human)

    assert rounded.accuracy == accuracy_at(metric, human, rounded.threshold).accuracy
    assert exact.accuracy - exact.n_pairs * 2.0**-20 * 2 <= rounded.accuracy <= exact.accuracy


def test_errors_say_what_to_do(monkeypatch):
    """A threshold below 0; more pairs than can be met in reasonable time."""
    metric, human = drawn(4, 9)
    with pytest.raises(BetterThanError, match=r"threshold must be 0 or more; it is -0.1"):
        accuracy_at(metric, human, -0.1)
    with pytest.raises(
        BetterThanError, match=r'level="global" has 224,985,078 pairs here, more than 200,000,000. Use'
    ):
        calibrated_accuracy(np.zeros((1, 21213)), np.zeros((1, 21213)), "global")
    monkeypatch.setattr(tie_calibration, "_MOST_PAIRS", 10)
    assert calibrated_accuracy(metric, human, "segment").n_pairs == 54
