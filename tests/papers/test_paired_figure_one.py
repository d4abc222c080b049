"""The paired-evaluation paper (Peyrard, Zhao, Eger, West, ACL 2021): figure 1, proposition 1 and appendix F.

The figure's data are those behind the plot. The text around it gives other letters and numbers (a median of 10 against
7); with these data the medians are 11, 7 and 11, and C beats B on four segments of five. The appendix prints
C = 3, 2, 1, which does not give equal strengths under any rule for ties; C = 3, 1, 2 does.
"""

from __future__ import annotations

import numpy as np
import pytest

import betterthan as bt
from betterthan.examples.figure_one import figure_one
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.wins import win_counts


def scores(systems):
    """A table of these systems."""
    n = len(next(iter(systems.values())))
    segments = [str(i + 1) for i in range(n)]
    return bt.Scores(name="score", systems=list(systems), segments=segments, values=list(systems.values()))


FIGURE = scores(figure_one())


def test_all_means_are_equal():
    """9.2 for all three, so the mean sees no difference in any pair."""
    assert FIGURE.values.mean(axis=1).tolist() == [9.2, 9.2, 9.2]
    for pair in (("A", "B"), ("A", "C"), ("B", "C")):
        found = bt.explain(FIGURE, *pair)
        assert found.mean_difference == 0
        assert found.mechanism("mean").winner is None
        assert found.mechanism("mean").pvalue == 1


@pytest.mark.parametrize(
    ("pair", "by_median", "median_difference", "by_wins", "wins", "losses"),
    [
        (("A", "B"), "A", 4.0, "B", 1, 4),
        (("A", "C"), None, 0.0, "C", 1, 4),
        (("B", "C"), "C", -4.0, "C", 1, 4),
    ],
)
def test_medians_and_wins_of_the_figure(pair, by_median, median_difference, by_wins, wins, losses):
    """Only the pairing tells A and C apart, and it contradicts the medians for A and B."""
    found = bt.explain(FIGURE, *pair)

    assert found.mechanism("median").winner == by_median
    assert found.median_difference == median_difference
    assert found.mechanism("bradley_terry").winner == by_wins
    assert (found.wins, found.losses) == (wins, losses)
    assert found.mechanism("bradley_terry").pvalue == 0.375


def test_the_figures_disagreement_points_at_types_of_segments():
    """Median against Bradley–Terry: B is better on each type of segment and has the lower median."""
    found = bt.explain(FIGURE, "A", "B")

    assert (found.mean_case, found.median_case) == ("level", "disagree")
    assert found.reason == "types of segments"
    assert any("segment types" in sentence for sentence in found.sentences)


def test_bradley_terry_of_two_is_the_sign_of_the_median_of_differences():
    """Proposition 1 and appendix B: without ties the two always name the same winner."""
    rng = np.random.default_rng(11)
    for _ in range(50):
        x, y = rng.permutation(22).reshape(2, 11).astype(float)
        found = bt.explain(scores({"A": x, "B": y}), "A", "B")
        winner = "A" if found.median_of_differences > 0 else "B"
        assert found.mechanism("bradley_terry").winner == winner


def test_no_quantity_of_proposition_one_implies_another():
    """Every combination of signs of the three occurs."""
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(3000):
        x, y = rng.integers(0, 30, size=(2, 5)).astype(float)
        x[0] += rng.choice([0.0, 200.0, -200.0])
        quantities = (x.mean() - y.mean(), np.median(x) - np.median(y), np.median(x - y))
        seen.add(tuple(int(np.sign(q)) for q in quantities))
    assert {(a, b, c) for a in (1, -1) for b in (1, -1) for c in (1, -1)} <= seen


APPENDIX = {"A": [1.0, 2, 3], "B": [2.0, 3, 1]}


def test_b_alone_is_twice_as_strong_as_a():
    """Appendix F: relative strength 2/3."""
    found = bt.explain(scores(APPENDIX), "A", "B")

    assert found.mechanism("bradley_terry").winner == "B"
    assert (found.losses, found.wins) == (2, 1)


def test_a_third_system_levels_all():
    """With C = 3, 1, 2 every pair ends two to one, in a circle, and all strengths are equal."""
    found = bt.diagnose(scores({**APPENDIX, "C": [3.0, 1, 2]}))

    assert found.count("cycle") == 1
    assert found.count("levels") == 3
    assert ("B", "A", "C", "levels") in {(t.a, t.b, t.c, t.effect) for t in found.triples}
    assert all(t.alone == pytest.approx(2 / 3) for t in found.triples)
    assert "1 of 1 triple forms a cycle" in found.sentences[-1]


def test_the_printed_third_system_levels_nothing():
    """With C = 3, 2, 1 as printed the strengths are 0.253, 0.421 and 0.326, ties dropped: B stays ahead of A."""
    table = scores({**APPENDIX, "C": [3.0, 2, 1]})
    strength = np.exp(bradley_terry(win_counts(table.values).wins).log_strength)
    found = bt.diagnose(table)

    assert (strength / strength.sum()).round(3).tolist() == [0.253, 0.421, 0.326]
    assert found.triples == ()
