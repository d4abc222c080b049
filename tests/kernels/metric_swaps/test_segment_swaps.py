"""Swaps of metrics at the segment level against literal loops, all possible swaps, SciPy and simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from tests.everyday import few
from tests.kernels.metric_swaps.tallying import swap_segments, tallies_of_masks

from betterthan.errors import TableError, UnknownName
from betterthan.kernels.metric_swaps import segments as segment_swaps
from betterthan.kernels.metric_swaps.segments import closed_form, group_values
from betterthan.kernels.sign_flips.permutation import add_one

LEVELS = ("segment", "within_system", "global")
SCHEMES = ("perm_inputs", "perm_systems", "perm_both", "perm_cells")
ORACLES = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall_b": stats.kendalltau}


def masks(scheme, size, m, n, rng):
    """Who is swapped, written out cell by cell from the definition of each scheme."""
    found = np.zeros((size, m, n), dtype=bool)
    for r in range(size):
        rows, columns, cells = rng.random(m) < 0.5, rng.random(n) < 0.5, rng.random((m, n)) < 0.5
        for i in range(m):
            for s in range(n):
                found[r, i, s] = {
                    "perm_inputs": columns[s],
                    "perm_systems": rows[i],
                    "perm_both": rows[i] != columns[s],
                    "perm_cells": cells[i, s],
                }[scheme]
    return found


def groups_of(table, level):
    """Groups of cells as plain lists."""
    if level == "segment":
        return [list(column) for column in np.transpose(table)]
    return [list(row) for row in table] if level == "within_system" else [list(np.ravel(table))]


def literal_value(metric, human, coefficient, level):
    """Mean of SciPy's coefficient over the groups where it exists."""
    found = []
    for x, h in zip(groups_of(metric, level), groups_of(human, level), strict=True):
        both = [(a, b) for a, b in zip(x, h, strict=True) if not np.isnan(b)]
        if len({a for a, _ in both}) > 1 and len({b for _, b in both}) > 1:
            found.append(ORACLES[coefficient](*zip(*both, strict=True))[0])
    return np.mean(found) if found else np.nan


def literal_tallies(metrics, human, coefficient, level, cells):
    """Swap, compute, compare."""
    k = len(metrics)
    human = np.where(np.isnan(metrics).any(axis=0), np.nan, human)
    found = len(cells) * np.eye(k, dtype=int)
    observed = [literal_value(metric, human, coefficient, level) for metric in metrics]
    for a, b in itertools.combinations(range(k), 2):
        for mask in cells:
            first, second = (
                literal_value(np.where(mask, other, own), human, coefficient, level)
                for own, other in [(metrics[a], metrics[b]), (metrics[b], metrics[a])]
            )
            found[a, b] += not (first - second < observed[a] - observed[b] - 1e-9)
            found[b, a] += not (second - first < observed[b] - observed[a] - 1e-9)
    return found


def campaign(k=3, m=5, n=6, seed=0, *, missing=True, decimals=0):
    """Coarse scores, so that ties and constant groups come up, some cells not judged, one metric with a hole."""
    rng = np.random.default_rng(seed)
    human = np.round(rng.normal(size=(m, n)), decimals)
    metrics = np.round(human + rng.normal(size=(k, m, n)), decimals)
    if missing:
        human[rng.random((m, n)) < 0.15] = np.nan
        metrics[0, 1, 2] = np.nan
    return metrics, human


@pytest.mark.parametrize("coefficient", ORACLES)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("scheme", few(SCHEMES, 2))
def test_tallies_are_those_of_the_loop(coefficient, level, scheme):
    """Same masks, same counts, with ties, missing cells and groups that become constant by swapping."""
    metrics, human = campaign(seed=SCHEMES.index(scheme))
    cells = masks(scheme, 8, *human.shape, np.random.default_rng(7))
    found = tallies_of_masks(metrics, human, coefficient, level, cells)
    np.testing.assert_array_equal(found, literal_tallies(metrics, human, coefficient, level, cells))


@pytest.mark.parametrize("coefficient", ORACLES)
@pytest.mark.parametrize(("scheme", "level"), [("perm_inputs", "segment"), ("perm_systems", "within_system")])
def test_whole_groups_need_no_recomputation(coefficient, scheme, level):
    """The short way and the long way count the same, undefined groups included."""
    metrics, human = campaign(4, 4, 9, seed=3)
    cells = masks(scheme, 60, *human.shape, np.random.default_rng(8))
    short = tallies_of_masks(metrics, human, coefficient, level, cells, whole_groups=True)
    np.testing.assert_array_equal(short, tallies_of_masks(metrics, human, coefficient, level, cells))


@pytest.mark.parametrize("coefficient", ORACLES)
def test_the_closed_form_is_the_share_of_all_swaps(coefficient):
    """All 2⁸ swaps of segments, and SciPy's exact permutation test of the segments' coefficients."""
    metrics, human = campaign(3, 5, 8, seed=4, missing=False, decimals=3)
    bits = np.array(list(itertools.product([False, True], repeat=8)))
    cells = np.repeat(bits[:, None, :], 5, axis=1)
    per_segment = group_values(metrics, human, coefficient, "segment")
    found = closed_form(per_segment)
    shares = tallies_of_masks(metrics, human, coefficient, "segment", cells) / 256
    np.testing.assert_allclose(found, shares, atol=1e-12)
    for a, b in itertools.permutations(range(3), 2):
        oracle = stats.permutation_test(
            (per_segment[a], per_segment[b]),
            lambda x, y: np.mean(x - y),
            permutation_type="samples",
            alternative="greater",
            n_resamples=np.inf,
        )
        assert found[a, b] == pytest.approx(oracle.pvalue, abs=1e-12)


def test_the_closed_form_of_systems():
    """All 2⁶ swaps of systems at level "within_system"."""
    metrics, human = campaign(2, 6, 9, seed=5, missing=False, decimals=2)
    bits = np.array(list(itertools.product([False, True], repeat=6)))
    cells = np.repeat(bits[:, :, None], 9, axis=2)
    found = closed_form(group_values(metrics, human, "pearson", "within_system"))
    shares = tallies_of_masks(metrics, human, "pearson", "within_system", cells) / 64
    np.testing.assert_allclose(found, shares, atol=1e-12)


def test_the_closed_form_by_hand():
    """Worked by hand: differences .4, .4, .6, .1 all positive, 1 of 16 sign vectors; a fifth is undefined."""
    per_group = np.array([[0.5, 0.6, 0.9, 0.4, np.nan], [0.1, 0.2, 0.3, 0.3, 0.9]])
    np.testing.assert_allclose(closed_form(per_group), [[1, 1 / 16], [1, 1]])


def test_the_closed_form_of_many_groups_is_what_sampling_finds():
    """Beyond enumeration the certified bracket answers, within Monte Carlo error of 20 000 flips."""
    rng = np.random.default_rng(9)
    per_group = rng.normal(size=(3, 300)) + np.array([[0.1], [0.0], [-0.05]])
    found = closed_form(per_group)
    signs = rng.choice([-1.0, 1.0], size=(20_000, 300))
    for a, b in itertools.permutations(range(3), 2):
        difference = per_group[a] - per_group[b]
        share = np.mean(signs @ difference >= difference.sum())
        assert found[a, b] == pytest.approx(share, abs=4.5 * 0.5 / np.sqrt(20_000))


def test_the_closed_form_of_nothing_is_undefined():
    """No group that both metrics have; a metric that is never defined differs from itself by nothing known."""
    per_group = np.array([[0.5, np.nan], [np.nan, 0.3], [np.nan, np.nan]])
    found = closed_form(per_group)
    assert np.isnan(found[0, 1])
    assert np.isnan(found[2]).all()
    assert found[0, 0] == found[1, 1] == 1


@pytest.mark.parametrize("level", LEVELS)
def test_pearson_does_not_depend_on_origin_and_scale(level):
    """Sums of squares would cancel for scores of a million plus a little; such groups are computed from the cells."""
    metrics, human = campaign(3, 6, 10, seed=10, decimals=2)
    cells = masks("perm_both", 40, *human.shape, np.random.default_rng(11))
    expected = tallies_of_masks(metrics, human, "pearson", level, cells)
    far = metrics * 0.25 + 2.0**20
    np.testing.assert_array_equal(
        tallies_of_masks(far, human * 8 - 2.0**20, "pearson", level, cells), expected
    )


def test_sums_of_squares_that_cancel_are_mended():
    """A common centre far from two metrics that agree with each other: still what the plain way finds."""
    metrics, human = campaign(3, 6, 10, seed=12, decimals=2)
    metrics[2] += 1e7
    cells = masks("perm_cells", 40, *human.shape, np.random.default_rng(13))
    summed = tallies_of_masks(metrics, human, "pearson", "segment", cells)
    plain = tallies_of_masks(metrics, human, segment_swaps.pearson, "segment", cells)
    np.testing.assert_array_equal(summed, plain)


def test_any_function_of_rows_will_do():
    """A callable is a coefficient; this one is the mean gap, worked out by the loop as well."""
    metrics, human = campaign(2, 4, 5, seed=14, missing=False, decimals=2)
    cells = masks("perm_cells", 30, *human.shape, np.random.default_rng(15))

    def nearness(x, h):
        return -np.abs(x - h).mean(axis=-1)

    found = tallies_of_masks(metrics, human, nearness, "segment", cells)
    a, b = metrics
    expected = 0
    for mask in cells:
        mine, other = np.where(mask, b, a), np.where(mask, a, b)
        gain = np.abs(other - human).mean() - np.abs(mine - human).mean()
        expected += gain >= np.abs(b - human).mean() - np.abs(a - human).mean() - 1e-9
    assert found[0, 1] == expected


@pytest.mark.parametrize("coefficient", ORACLES)
@pytest.mark.parametrize("level", LEVELS)
def test_laws(coefficient, level):
    """Renaming permutes, reordering changes nothing, blocks add up, each resample counts for one side at least."""
    metrics, human = campaign(4, 5, 7, seed=16)
    cells = masks("perm_both", 30, *human.shape, np.random.default_rng(17))
    found = tallies_of_masks(metrics, human, coefficient, level, cells)
    assert np.all(found + found.T >= 30)
    np.testing.assert_array_equal(np.diag(found), 30)
    rng = np.random.default_rng(18)
    order, i, s = rng.permutation(4), rng.permutation(5), rng.permutation(7)
    again = tallies_of_masks(
        metrics[order][:, i][:, :, s], human[i][:, s], coefficient, level, cells[:, i][:, :, s]
    )
    np.testing.assert_array_equal(again, found[np.ix_(order, order)])
    halves = [tallies_of_masks(metrics, human, coefficient, level, part) for part in (cells[:11], cells[11:])]
    np.testing.assert_array_equal(halves[0] + halves[1], found)


def test_a_metric_against_its_copy_always_ties():
    """Two metrics with the same scores cannot be told apart, so every resample is a tie."""
    metrics, human = campaign(1, 5, 7, seed=19, missing=False)
    twins = np.concatenate([metrics, metrics])
    for coefficient, scheme in itertools.product(ORACLES, SCHEMES):
        found = swap_segments(twins, human, coefficient, "segment", scheme, 20, np.random.default_rng(0))
        np.testing.assert_array_equal(found, np.full((2, 2), 20))


def test_undefined_values_never_make_p_small():
    """Human scores that are all alike leave every coefficient undefined: all resamples count."""
    metrics, _ = campaign(2, 4, 5, seed=20, missing=False)
    cells = masks("perm_cells", 10, 4, 5, np.random.default_rng(21))
    for coefficient in ORACLES:
        found = tallies_of_masks(metrics, np.ones((4, 5)), coefficient, "segment", cells)
        np.testing.assert_array_equal(found, np.full((2, 2), 10))
    whole = tallies_of_masks(metrics, np.ones((4, 5)), "pearson", "segment", cells, whole_groups=True)
    np.testing.assert_array_equal(whole, np.full((2, 2), 10))


def test_errors_say_what_is_known():
    """Names and shapes."""
    metrics, human = campaign(2, 4, 5)
    with pytest.raises(UnknownName, match=r'Unknown coefficient "pearsn"\. Did you mean "pearson"'):
        group_values(metrics, human, "pearsn", "segment")
    with pytest.raises(UnknownName, match=r'Unknown level "segments"\. Did you mean "segment"'):
        group_values(metrics, human, "pearson", "segments")
    with pytest.raises(TableError, match=r"\(2, 4, 5\) do not belong to human scores of shape \(5, 4\)"):
        group_values(metrics, human.T, "pearson", "segment")


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_pvalues_of_exchangeable_metrics_are_uniform(level, scheme):
    """Two metrics drawn alike, 99 swaps, 1500 campaigns: no more rejections than promised, and no fewer by much."""
    rng = np.random.default_rng(22)
    found = []
    for _ in range(1500):
        human = rng.normal(size=(6, 15))
        metrics = human + rng.normal(size=(2, 6, 15))
        tallies = swap_segments(metrics, human, "pearson", level, scheme, 99, rng)
        found.append(add_one(tallies, 99)[0, 1])
    pvalues = np.array(found)
    for alpha in (0.05, 0.1, 0.25, 0.5, 0.75):
        spread = 4 * np.sqrt(alpha * (1 - alpha) / 1500)
        share = np.mean(pvalues <= alpha + 1e-9)
        assert share <= alpha + spread
        # Few systems give few values of p when only systems are swapped; then p may be too large.
        assert share >= alpha - spread - (0.05 if scheme == "perm_systems" else 0.0)
