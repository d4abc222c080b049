"""Swaps for accuracy with calibrated ties and for pooled taus: literal loops, all swaps, SciPy, simulation."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.everyday import few
from tests.kernels.metric_swaps.tallying import accuracy_tallies_of_masks, swap_accuracy

from betterthan.errors import BetterThanError, TableError, UnknownName
from betterthan.kernels.agreement.tie_calibration import accuracy_at, calibrated_accuracy
from betterthan.kernels.metric_swaps.masks import draw_masks
from betterthan.kernels.metric_swaps.segments import closed_form
from betterthan.kernels.metric_swaps.segments_accuracy import pair_swap_pvalues, pairs_of, verdicts
from betterthan.kernels.sign_flips.permutation import add_one

SCHEMES = ("perm_inputs", "perm_systems", "perm_both", "perm_cells")
LEVELS = ("segment", "within_system", "global")


def campaign(k=3, m=4, n=5, seed=0, *, missing=0.0):
    """Coarse human scores with many ties, metrics in quarters so that gaps tie as well."""
    rng = np.random.default_rng(seed)
    human = np.round(rng.normal(size=(m, n)))
    metrics = np.round(4 * (human + rng.normal(size=(k, m, n)))) / 4
    human[rng.random((m, n)) < missing] = np.nan
    return metrics, human


def literal_groups(table, level):
    """Groups of cells as plain lists."""
    if level == "segment":
        return np.transpose(table).tolist()
    return table.tolist() if level == "within_system" else [np.ravel(table).tolist()]


def literal_verdicts(metric, human, threshold, level):
    """Right or wrong about every pair, group by group; groups without a pair are left out."""
    found = []
    for x, h in zip(literal_groups(metric, level), literal_groups(human, level), strict=True):
        verdicts = []
        for i, j in itertools.combinations(range(len(h)), 2):
            if not (np.isnan(h[i]) or np.isnan(h[j])):
                gap = x[i] - x[j]
                said = 0 if abs(gap) <= threshold else np.sign(gap)
                verdicts.append(bool(said == np.sign(h[i] - h[j])))
        if verdicts:
            found.append(verdicts)
    return found


def literal_accuracy(metric, human, level):
    """The best threshold by trying 0 and every gap, in exact fractions."""
    gaps = {0.0}
    for x in literal_groups(metric, level):
        gaps |= {abs(a - b) for a, b in itertools.combinations(x, 2)}
    best = Fraction(0)
    for threshold in gaps:
        verdicts = literal_verdicts(metric, human, threshold, level)
        best = max(best, sum((Fraction(sum(v), len(v)) for v in verdicts), Fraction(0)) / len(verdicts))
    return best


def literal_tallies(metrics, human, cells, level):
    """Swap, calibrate anew, compare."""
    k = len(metrics)
    human = np.where(np.isnan(metrics).any(axis=0), np.nan, human)
    found = len(cells) * np.eye(k, dtype=int)
    observed = [literal_accuracy(metric, human, level) for metric in metrics]
    for a, b in itertools.combinations(range(k), 2):
        for mask in cells:
            first = literal_accuracy(np.where(mask, metrics[b], metrics[a]), human, level)
            second = literal_accuracy(np.where(mask, metrics[a], metrics[b]), human, level)
            found[a, b] += first - second >= observed[a] - observed[b]
            found[b, a] += second - first >= observed[b] - observed[a]
    return found


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("scheme", few(SCHEMES, 2))
def test_tallies_are_those_of_the_loop(scheme, level, missing):
    """Same masks, same counts, every resample with the best of all thresholds; equal and unequal groups."""
    metrics, human = campaign(2 if level == "global" else 3, seed=SCHEMES.index(scheme), missing=missing)
    cells = draw_masks(scheme, 6, human.shape, np.random.default_rng(1)).cells()
    found = accuracy_tallies_of_masks(metrics, human, cells, level=level)
    np.testing.assert_array_equal(found, literal_tallies(metrics, human, cells, level))


@pytest.mark.parametrize(("scheme", "level"), [("perm_inputs", "segment"), ("perm_systems", "within_system")])
def test_whole_groups_take_half_the_work(scheme, level):
    """Where no pair is ever mixed, two of the four gaps suffice."""
    metrics, human = campaign(3, 6, 12, seed=2, missing=0.1)
    cells = draw_masks(scheme, 200, human.shape, np.random.default_rng(3)).cells()
    np.testing.assert_array_equal(
        accuracy_tallies_of_masks(metrics, human, cells, level=level, whole_groups=True),
        accuracy_tallies_of_masks(metrics, human, cells, level=level),
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_block_tallies_the_masks_it_draws(scheme):
    """The same random numbers, drawn by hand; a metric with a hole leaves that cell out for all."""
    metrics, human = campaign(3, 5, 8, seed=4)
    metrics[1, 2, 3] = np.nan
    cells = draw_masks(scheme, 40, human.shape, np.random.default_rng(5)).cells()
    found = swap_accuracy(metrics, human, scheme, 40, np.random.default_rng(5))
    np.testing.assert_array_equal(found, accuracy_tallies_of_masks(metrics, human, cells))
    human[2, 3] = np.nan
    np.testing.assert_array_equal(
        found, swap_accuracy(np.nan_to_num(metrics), human, scheme, 40, np.random.default_rng(5))
    )


def test_recalibrated_accuracies_are_those_of_the_calibration():
    """Another kernel sorts the gaps of each swapped metric afresh; the tallies agree on a larger campaign."""
    metrics, human = campaign(2, 8, 60, seed=6, missing=0.1)
    cells = draw_masks("perm_both", 30, human.shape, np.random.default_rng(7)).cells()
    gains = np.array(
        [
            calibrated_accuracy(np.where(mask, metrics[1], metrics[0]), human).accuracy
            - calibrated_accuracy(np.where(mask, metrics[0], metrics[1]), human).accuracy
            for mask in cells
        ]
    )
    observed = (
        calibrated_accuracy(metrics[0], human).accuracy - calibrated_accuracy(metrics[1], human).accuracy
    )
    found = accuracy_tallies_of_masks(metrics, human, cells)
    assert found[0, 1] == np.count_nonzero(gains >= observed - 1e-12)
    assert found[1, 0] == np.count_nonzero(gains <= observed + 1e-12)


def test_weights_beyond_whole_numbers_are_real_numbers():
    """Groups of so many sizes that no common multiple fits: tallies within a tolerance, here of clear cases."""
    rng = np.random.default_rng(8)
    m, n = 60, 58
    human = rng.normal(size=(m, n))
    for segment in range(n):
        human[segment + 2 :, segment] = np.nan
    assert pairs_of(human.T).weight.dtype == np.float64
    metrics = human + rng.normal(size=(2, m, n)) * np.array([0.3, 1.0])[:, None, None]
    cells = draw_masks("perm_cells", 10, human.shape, rng).cells()
    cells[0] = False
    found = accuracy_tallies_of_masks(metrics, human, cells)
    assert found[0, 1] == 1  # nobody swapped is a tie, whatever the rounding
    assert found[1, 0] == 10


def test_laws_of_recalibrated_swaps():
    """Renaming permutes, reordering and a common scale change nothing, blocks add up, ties count for both."""
    metrics, human = campaign(3, 5, 7, seed=9, missing=0.1)
    cells = draw_masks("perm_cells", 50, human.shape, np.random.default_rng(10)).cells()
    found = accuracy_tallies_of_masks(metrics, human, cells)
    assert np.all(found + found.T >= 50)
    np.testing.assert_array_equal(np.diag(found), 50)
    rng = np.random.default_rng(11)
    order, i, s = rng.permutation(3), rng.permutation(5), rng.permutation(7)
    again = accuracy_tallies_of_masks(metrics[order][:, i][:, :, s], human[i][:, s], cells[:, i][:, :, s])
    np.testing.assert_array_equal(again, found[np.ix_(order, order)])
    np.testing.assert_array_equal(accuracy_tallies_of_masks(8 * metrics - 4, 3 * human, cells), found)
    halves = [accuracy_tallies_of_masks(metrics, human, part) for part in (cells[:20], cells[20:])]
    np.testing.assert_array_equal(halves[0] + halves[1], found)


def test_no_pair_is_no_evidence():
    """Nothing judged twice on a segment: all resamples tie, and the closed form is undefined."""
    metrics, human = campaign(2, 3, 4)
    human[1:] = np.nan
    found = swap_accuracy(metrics, human, "perm_cells", 9, np.random.default_rng(0))
    np.testing.assert_array_equal(found, np.full((2, 2), 9))
    assert np.isnan(pair_swap_pvalues(metrics, human)).all()


@pytest.mark.parametrize("level", LEVELS)
def test_swapping_pairs_is_a_sign_test(level):
    """SciPy's binomial test on the pairs about which one of two metrics is right, thresholds from calibration."""
    metrics, human = campaign(3, 6, 9, seed=12)
    found = pair_swap_pvalues(metrics, human, level=level)
    right = [
        list(
            itertools.chain(
                *literal_verdicts(metric, human, calibrated_accuracy(metric, human, level).threshold, level)
            )
        )
        for metric in metrics
    ]
    for a, b in itertools.permutations(range(3), 2):
        won = sum(x and not y for x, y in zip(right[a], right[b], strict=True))
        lost = sum(y and not x for x, y in zip(right[a], right[b], strict=True))
        expected = stats.binomtest(won, won + lost, alternative="greater").pvalue
        assert found[a, b] == pytest.approx(expected, rel=1e-10)
    np.testing.assert_array_equal(np.diag(found), 1)


def test_swapping_pairs_by_hand():
    """Worked by hand: of 6 pairs one metric has all right, the other 1; 5 to 0 gives 1/32, and 0 of 5 gives 1."""
    human = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    wrong = np.array([[3.0, 3.0], [2.0, 1.0], [1.0, 2.0]])
    found = pair_swap_pvalues(np.stack([human, wrong]), human, thresholds=np.zeros(2))
    np.testing.assert_allclose(found, [[1, 1 / 32], [1, 1]])


def test_unequal_groups_weigh_their_pairs():
    """All swaps of the pairs counted one by one, each pair worth one over the pairs of its segment."""
    metrics, human = campaign(2, 3, 8, seed=13)
    human[2, [0, 3, 4, 5]] = np.nan
    found = pair_swap_pvalues(metrics, human)
    first, second = (
        literal_verdicts(metric, human, calibrated_accuracy(metric, human).threshold, "segment")
        for metric in metrics
    )
    differences = [
        Fraction(int(x) - int(y), len(a))
        for a, b in zip(first, second, strict=True)
        for x, y in zip(a, b, strict=True)
        if x != y
    ]
    assert len({abs(d) for d in differences}) > 1
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in itertools.product([1, -1], repeat=len(differences))
    ]
    assert found[0, 1] == pytest.approx(np.mean([s >= sum(differences) for s in sums]), abs=1e-12)
    assert found[1, 0] == pytest.approx(np.mean([s <= sum(differences) for s in sums]), abs=1e-12)


def test_metrics_that_are_right_alike_have_p_one():
    """A metric and its copy, with equal groups and with unequal ones."""
    metrics, human = campaign(1, 5, 9, seed=22)
    twins = np.concatenate([metrics, 2 * metrics])
    np.testing.assert_array_equal(pair_swap_pvalues(twins, human), np.ones((2, 2)))
    human[0, 0] = np.nan
    np.testing.assert_array_equal(pair_swap_pvalues(twins, human), np.ones((2, 2)))


@pytest.mark.slow
def test_many_unequal_groups_agree_with_sampling():
    """Sizes from 2 to 14 on 300 segments: within Monte Carlo error of 8000 flips."""
    metrics, human = campaign(2, 14, 300, seed=14, missing=0.3)
    found = pair_swap_pvalues(metrics, human)
    limits = np.array([calibrated_accuracy(metric, human).threshold for metric in metrics])
    right, wrong = verdicts(metrics.swapaxes(1, 2), human.T, limits)
    n_pairs = (right | wrong)[0].sum(axis=0)
    difference = (right[0].astype(float) - right[1])[:, n_pairs > 0] / n_pairs[n_pairs > 0]
    assert np.unique(n_pairs).size > 5
    difference = difference[difference != 0]
    rng = np.random.default_rng(15)
    flips = np.concatenate(
        [rng.choice([-1.0, 1.0], size=(1000, difference.size)) @ difference for _ in range(8)]
    )
    error = 4.5 * 0.5 / np.sqrt(flips.size)
    assert found[0, 1] == pytest.approx(np.mean(flips >= difference.sum() - 1e-9), abs=error)
    assert found[1, 0] == pytest.approx(np.mean(flips <= difference.sum() + 1e-9), abs=error)


def test_verdicts_add_up_to_the_accuracy():
    """The share of right verdicts of a segment is what the calibration kernel reports."""
    metrics, human = campaign(1, 6, 20, seed=16, missing=0.2)
    for threshold in (0.0, 0.5, 1.25):
        right, wrong = verdicts(metrics.swapaxes(1, 2), human.T, np.array([threshold]))
        shares = right[0].sum(axis=0) / (right | wrong)[0].sum(axis=0)
        np.testing.assert_allclose(shares, accuracy_at(metrics[0], human, threshold).per_group, rtol=1e-12)


def test_laws_of_swapped_pairs():
    """Renaming permutes, reordering and any scale of each metric change nothing."""
    metrics, human = campaign(4, 6, 15, seed=17)
    found = pair_swap_pvalues(metrics, human)
    rng = np.random.default_rng(18)
    order, i, s = rng.permutation(4), rng.permutation(6), rng.permutation(15)
    again = pair_swap_pvalues(metrics[order][:, i][:, :, s], human[i][:, s])
    np.testing.assert_allclose(again, found[np.ix_(order, order)], rtol=1e-12)
    scale = np.array([1.0, 2.0, 0.5, 16.0])[:, None, None]
    np.testing.assert_allclose(pair_swap_pvalues(metrics * scale, human), found, rtol=1e-12)


def test_errors_say_what_is_wrong():
    """Names, shapes, and more pairs than can be kept in order."""
    metrics, human = campaign(2, 4, 5)
    with pytest.raises(UnknownName, match=r'Unknown scheme "perm_input"\. Did you mean "perm_inputs"'):
        swap_accuracy(metrics, human, "perm_input", 9, np.random.default_rng(0))
    with pytest.raises(TableError, match=r"do not belong to human scores of shape \(5, 4\)"):
        pair_swap_pvalues(metrics, human.T)
    with pytest.raises(BetterThanError, match="12,502,500 pairs are too many"):
        pairs_of(np.zeros((1, 5001)))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_pvalues_of_exchangeable_metrics_are_uniform(scheme):
    """Two metrics drawn alike, 99 swaps each with thresholds anew, 800 campaigns."""
    rng = np.random.default_rng(21)
    found = []
    for _ in range(800):
        human = np.round(rng.normal(size=(6, 20)))
        metrics = human + rng.normal(size=(2, 6, 20))
        found.append(add_one(swap_accuracy(metrics, human, scheme, 99, rng), 99)[0, 1])
    for alpha in (0.05, 0.1, 0.25, 0.5):
        spread = 4 * np.sqrt(alpha * (1 - alpha) / 800)
        share = np.mean(np.array(found) <= alpha + 1e-9)
        assert share <= alpha + spread
        # Accuracies of few pairs tie, and systems alone have few masks; both only make p larger.
        assert share >= alpha - spread - (0.06 if scheme == "perm_systems" else 0.02)


@pytest.mark.slow
def test_swapping_pairs_rejects_too_often_and_swapping_segments_does_not():
    """As the docstring says: pairs of a segment are not independent, segments are."""
    rng = np.random.default_rng(23)
    by_pairs, by_segments = [], []
    for _ in range(600):
        human = np.round(rng.normal(size=(14, 100)))
        metrics = human + rng.normal(size=(2, 14, 100))
        limits = [calibrated_accuracy(metric, human).threshold for metric in metrics]
        accuracies = [accuracy_at(x, human, e).per_group for x, e in zip(metrics, limits, strict=True)]
        by_pairs.append(pair_swap_pvalues(metrics, human, thresholds=np.array(limits))[0, 1])
        by_segments.append(closed_form(np.stack(accuracies))[0, 1])
    spread = 4 * np.sqrt(0.05 * 0.95 / 600)
    assert np.mean(np.array(by_pairs) <= 0.05) > 0.05 + spread
    assert np.mean(np.array(by_segments) <= 0.05) < 0.05 + spread
