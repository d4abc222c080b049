"""How many segments a lead would need, when Holm corrects over all pairs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from tests.made import drawn_scores

from betterthan.analysis.rank.detectable import detectable, segments_needed
from betterthan.kernels.significance.paired import paired_t
from betterthan.kernels.significance.pvalues import adjusted


def drawn(m=4, n=60, gap=0.2):
    """Goodness of systems, the best first."""
    return drawn_scores(m, n, gap=gap).goodness[::-1]


def test_two_systems_need_what_one_comparison_needs():
    """No correction, so the number of `detectable`; at other levels and powers too."""
    goodness = drawn(2)
    for alpha, power in ((0.05, 0.8), (0.01, 0.9), (0.2, 0.5)):
        one = detectable(goodness[0] - goodness[1], alpha=alpha, power=power).n_needed
        assert segments_needed(goodness, alpha=alpha, power=power).tolist() == [one]


def test_the_number_solves_the_equation_of_holm():
    """Put in again: the level that remains when the pairs with larger effects are shown, and the power of that."""
    goodness = drawn(6, 80)
    needed = segments_needed(goodness)
    gaps = [goodness[a] - goodness[b] for a in range(6) for b in range(a + 1, 6)]
    effect = np.array([abs(d.mean()) / d.std(ddof=1) for d in gaps])
    neighbours = [abs(d.mean()) / d.std(ddof=1) for d in goodness[:-1] - goodness[1:]]
    for n, own in zip(needed, neighbours, strict=True):
        before = stats.norm.cdf(np.sqrt(n) * (effect - own)).sum() - 0.5
        reach = stats.norm.isf(0.05 / max(1.0, effect.size - before) / 2)
        assert stats.norm.sf(reach - np.sqrt(n - reach**2 / 2) * own) == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("means", [(1.0, 0, 0, 0), (0.6, 0.4, 0.2, 0), (2.0, 0.2, 0.1, 0)])
@pytest.mark.parametrize(("sets", "error"), [(200, 0.07), pytest.param(2000, 0, marks=pytest.mark.slow)])
def test_so_many_segments_show_the_lead_four_times_in_five(means, sets, error):
    """Test sets of that size; p-values of all pairs by the paired t-test, corrected by Holm.

    A little more often where leads are of one size: once one pair is shown, so are others. A share of 200 is known
    with a standard error of 0.028.
    """
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(4, 500))
    exact = np.linalg.svd(scores - scores.mean(axis=1, keepdims=True), full_matrices=False)[2] * np.sqrt(499)
    n = segments_needed(exact + np.array(means)[:, None])
    pairs = np.triu_indices(4, 1)
    for lead, size in enumerate(n):
        if np.isnan(size):
            continue
        drawn_sets = np.array(means)[:, None] + rng.normal(size=(sets, 4, int(size)))
        t = np.array([paired_t(one).statistic[pairs] for one in drawn_sets])
        column = next(i for i, pair in enumerate(zip(*pairs, strict=True)) if pair == (lead, lead + 1))
        shown = [
            adjusted(2 * stats.t.sf(np.abs(row), size - 1), correction="holm")[column] <= 0.05
            and row[column] > 0
            for row in t
        ]
        assert 0.77 - error < np.mean(shown) < 0.9 + error


def test_more_pairs_need_more_segments_and_never_more_than_bonferroni():
    """Between one comparison alone and one of all pairs."""
    goodness = drawn(5, 60)
    for number, (x, y) in zip(segments_needed(goodness), pairwise(goodness), strict=True):
        alone = detectable(x - y).n_needed
        bonferroni = detectable(x - y, alpha=0.05 / 10).n_needed
        assert alone <= number <= bonferroni


def test_the_unit_of_the_scores_does_not_matter():
    """Nor does an offset, nor which end is best."""
    goodness = drawn()
    needed = segments_needed(goodness)

    np.testing.assert_array_equal(segments_needed(1000 * goodness + 7), needed)
    np.testing.assert_array_equal(segments_needed(-goodness[::-1]), needed[::-1])


def test_what_never_varies_or_is_no_lead_has_no_number():
    """Equal systems, and a lead that is the same on every segment; the others keep theirs."""
    first = drawn()[0]
    goodness = np.stack([first + 1, first, first, drawn()[3]])
    needed = segments_needed(goodness)

    assert np.isnan(needed[:2]).all()
    assert math.isfinite(needed[2])
