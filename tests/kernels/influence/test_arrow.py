"""Arrow's criteria counted by leaving out one thing after the other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import betterthan as bt
from betterthan.kernels.influence.diagnosis import arrow_counts, strengths_of

AGGREGATIONS = ("mean", "median", "win_rate", "bradley_terry")


def by_hand(goodness, aggregation):
    """Each pair, each third system, each segment, with everything computed again."""
    m, n = goodness.shape

    def sign(table, a, b):
        strength = strengths_of(table, aggregation)
        gap = strength[a] - strength[b]
        return 0 if abs(gap) < 1e-9 * np.abs(strength).max() else np.sign(gap)

    found = [0, 0, 0, 0]
    for a, b in combinations(range(m), 2):
        here = sign(goodness, a, b)
        for x, y, toward in ((a, b, here), (b, a, -here)):
            if (goodness[x] > goodness[y]).all():
                found[0] += 1
                found[1] += toward <= 0
        others = [[i for i in range(m) if i != third] for third in range(m) if third not in (a, b)]
        found[2] += any(sign(goodness[rest], rest.index(a), rest.index(b)) != here for rest in others)
        found[3] += any(sign(np.delete(goodness, s, axis=1), a, b) * here < 0 for s in range(n))
    return tuple(found)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize(("m", "n", "steps"), [(4, 7, 1000), (5, 8, 4), (3, 2, 3), (2, 9, 1000), (4, 10, 2)])
def test_counts_are_those_of_leaving_out_by_hand(aggregation, m, n, steps):
    """With and without ties, odd and even numbers of segments, and one system above another."""
    rng = np.random.default_rng(m * n)
    goodness = rng.integers(0, steps, (m, n)).astype(float)
    goodness[0] = goodness[1] + 1

    assert tuple(arrow_counts(goodness, aggregation)) == by_hand(goodness, aggregation)


def test_means_and_medians_depend_on_no_third_system_and_unanimity_is_kept():
    """Bradley–Terry may depend on third systems: the example of the paper, a cycle."""
    cycle = np.array([[1.0, 2, 3], [2, 3, 1], [3, 1, 2]])
    counts = {name: arrow_counts(cycle, name) for name in AGGREGATIONS}

    assert [counts[name].dependent for name in AGGREGATIONS] == [0, 0, 3, 3]
    assert all(counts[name].violated == 0 for name in AGGREGATIONS)


def test_diagnose_says_how_each_criterion_fares():
    """A dictator of the mean, a unanimous pair, and a third system that matters."""
    found = bt.diagnose({"A": [1.0, 1, 1, 9], "B": [2.0, 2, 2, 0], "C": [3.0, 3, 3, 1]})
    words = next(line for line in found.sentences if line.startswith("Arrow"))

    assert words.startswith(
        "Arrow's criteria: in 1 pair, one system is better on every segment, and every aggregation"
    )
    assert (
        "A single segment decides the order of a pair, which is reversed without it: 2 by the mean" in words
    )
    assert bt.Result.from_json(found.to_json()) == found
    cycle = " ".join(bt.diagnose({"A": [1.0, 2, 3], "B": [2.0, 3, 1], "C": [3.0, 1, 2]}).sentences)
    assert "changes the order of 3 pairs by the win rate and 3 pairs by Bradley–Terry" in cycle
