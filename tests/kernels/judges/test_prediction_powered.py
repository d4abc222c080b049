"""Corrected means: equal to ppi_py and to textbook intervals, and laws of the estimator."""

import numpy as np
import pytest
from scipy import stats

from betterthan.kernels.judges.prediction_powered import Labeled, corrected_differences, corrected_mean

ITEM = np.arange(60)
JUDGE = np.sin(1.7 * ITEM) + 0.3 * np.cos(0.9 * ITEM)
HUMAN = np.where(ITEM < 20, 0.8 * JUDGE + 0.5 * np.cos(2.3 * ITEM) + 0.2, np.nan)


def fitted(judge=JUDGE, human=HUMAN, weight=None, unit=None, *, is_binary=False, confidence=0.95):
    """A corrected mean, by default with equal weights and every item its own unit."""
    n = judge.size
    data = Labeled(
        judge, human, np.ones(n) if weight is None else weight, np.arange(n) if unit is None else unit
    )
    return corrected_mean(data, n_units=n, confidence=confidence, is_binary=is_binary)


def test_the_mean_is_that_of_ppi_py():
    """ppi_py 0.2.3 takes the judge's mean over items without a label, so its lambda is ours times their share.

    Computed there: ppi_mean_pointestimate(H[:20], J[:20], J[20:], lam=0.8026052538772888 * 40 / 60), and ppi_mean_ci
    with the same, whose normal quantile and plug-in variance give 7% less than the interval for 20 labels.
    """
    found = fitted()
    assert found.slope == pytest.approx(0.8026052538772888, rel=1e-12)
    assert found.mean == pytest.approx(0.22287373, abs=5e-9)
    low, high = 0.00368749, 0.44205997
    assert found.low < low < high < found.high
    assert 1 < (found.high - found.low) / (high - low) < 1.1


def test_without_a_useful_judge_the_intervals_are_the_textbook_ones():
    """Student's for graded labels, Wilson's for right or wrong, with a judge that says the same everywhere."""
    flat = np.full(60, 3.0)
    symmetric = np.where(ITEM < 20, np.where(ITEM % 2, 1.0, -1.0) * (ITEM // 2 + 1), np.nan)
    found = fitted(flat, symmetric)
    error = stats.sem(symmetric[:20])
    assert found.slope == 0
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.95, 19, symmetric[:20].mean(), error))
    assert found.effective == pytest.approx(20)
    right = np.where(ITEM < 30, (ITEM % 10 < 8).astype(float), np.nan)
    found = fitted(flat, right, is_binary=True)
    known = stats.binomtest(24, 30).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((known.low, known.high))
    assert found.effective == pytest.approx(30)


def test_scale_and_direction_of_the_judge_do_not_matter():
    """The slope takes them up."""
    one, other = fitted(), fitted(50 - 7 * JUDGE)
    assert (other.mean, other.low, other.high) == pytest.approx((one.mean, one.low, one.high))
    assert other.slope == pytest.approx(-one.slope / 7)


def test_a_perfect_judge_gives_its_own_mean():
    """Of graded labels without an error; of right and wrong ones the interval stays open for unseen errors."""
    found = fitted(human=np.where(ITEM < 20, 2 * JUDGE + 1, np.nan))
    assert found.mean == pytest.approx(2 * JUDGE.mean() + 1)
    right = (ITEM % 5 > 0).astype(float)
    found = fitted(right, np.where(ITEM < 30, right, np.nan), is_binary=True)
    assert found.mean == pytest.approx(right.mean(), abs=0.01)
    assert 0.1 < found.high - found.low < 0.3


def test_weights_undo_unequal_probabilities():
    """With weights the labels count as if items had been drawn alike; their unit does not matter."""
    weight = np.where(ITEM % 2, 3.0, 1.0)
    one, other = fitted(weight=weight), fitted(weight=10 * weight)
    assert one.mean == pytest.approx(other.mean)
    assert one.human == pytest.approx(np.average(HUMAN[:20], weights=weight[:20]))


def test_duplicated_items_in_documents_say_nothing_new():
    """Every item twice, in one document with its copy, is as certain as once."""
    twice = np.repeat(ITEM, 2)
    data = Labeled(JUDGE[twice], HUMAN[twice], np.ones(120), twice)
    double = corrected_mean(data, n_units=60, confidence=0.95, is_binary=False)
    single = fitted()
    assert double.mean == pytest.approx(single.mean)
    assert (double.low, double.high) == pytest.approx((single.low, single.high))


@pytest.mark.parametrize("is_binary", [False, True])
def test_never_wider_than_the_labels_alone(is_binary):
    """Where the judge does not help, the answer is that of the labels."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        human = rng.normal(size=60)
        human = (human > 0).astype(float) if is_binary else human
        found = fitted(rng.normal(size=60), np.where(ITEM < 15, human, np.nan), is_binary=is_binary)
        assert found.high - found.low <= (found.human_high - found.human_low) * (1 + 1e-12)


def test_the_influence_has_the_variance_and_equal_systems_do_not_differ():
    """The difference of a system and itself is certain; of two with shared labels it is that of the differences."""
    found = fitted()
    assert found.influence @ found.influence == pytest.approx(found.variance)
    same = corrected_differences([found, found])
    assert same.pvalue[0, 1] == 1
    assert np.isnan(same.pvalue[0, 0])
    moved = corrected_differences([found, fitted(human=HUMAN + 0.5)])
    assert moved.pvalue[0, 1] == 0
