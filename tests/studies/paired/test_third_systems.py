"""Pairs whose order a third system changes: counted by wins where that is enough, against fits of every triple."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from betterthan.analysis.explain.diagnose import troubled_triples
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.studies.paired.independence import CLOSE, changes


@pytest.mark.parametrize("n_segments", [3, 7, 12, 30])
@pytest.mark.parametrize("is_tied", [False, True])
def test_counts_are_those_of_fits_of_every_triple(n_segments, is_tied):
    """The diagnosis fits each triple; here balanced ones are decided by whole numbers."""
    rng = np.random.default_rng(n_segments)
    for _ in range(6):
        scores = rng.normal(size=(9, n_segments)) + 0.3 * rng.normal(size=(9, 1))
        wins = win_counts(scores.round() if is_tied else scores).wins
        slow = troubled_triples(wins, [str(i) for i in range(9)])
        effects = Counter(triple.effect for triple in slow.found)
        found = changes(wins)
        assert (found.circles, found.flips, found.levels) == tuple(
            effects[effect] for effect in ("cycle", "flips", "levels")
        )
        assert (found.triples, found.without) == (slow.n_triples, slow.n_unfitted)
        close = sum(triple.effect != "cycle" and triple.alone <= CLOSE for triple in slow.found)
        assert found.close == close


def test_renaming_systems_changes_no_count():
    """Which system stands in which row does not matter."""
    rng = np.random.default_rng(5)
    wins = win_counts(rng.normal(size=(8, 11)).round(1)).wins
    order = rng.permutation(8)
    assert changes(wins) == changes(wins[np.ix_(order, order)])


def test_the_printed_scores_level_nobody():
    """Appendix F as printed, C = 3, 2, 1: no circle, and B stays above A."""
    wins = win_counts(np.array([[1.0, 2, 3], [2, 3, 1], [3, 2, 1]])).wins
    found = changes(wins)
    assert (found.circles, found.flips) == (0, 0)
    assert found.levels == 0


def test_two_systems_have_no_triple():
    """There is nothing to search."""
    assert changes(np.array([[0.0, 2.0], [1.0, 0.0]])).triples == 0
