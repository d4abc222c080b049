"""What a comparison says in words, and how its table is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import drawn_scores, scores_of

import betterthan as bt
from betterthan.present.describe import describe
from betterthan.present.render import render

CLEAR, ALIKE = drawn_scores(2, 40, gap=2), scores_of(np.ones((2, 6)))


def words(result):
    """What is said below the table."""
    return " ".join(describe(result).words)


def test_a_single_pair_is_a_sentence():
    """Who is better at which level, by which test; or that they cannot be told apart."""
    assert words(bt.compare(CLEAR)) == "B is better than A at level 0.05 (permutation test)."
    assert words(bt.compare(ALIKE)) == "A and B cannot be told apart at level 0.05."


@pytest.mark.parametrize(
    ("correction", "said"),
    [
        ("none", "uncorrected"),
        ("bonferroni", "Bonferroni-corrected"),
        ("holm", "Holm-corrected"),
        ("benjamini_hochberg", "false discovery rate (Benjamini–Hochberg)"),
        ("max_statistic", "corrected by the maximum statistic"),
    ],
)
def test_several_pairs_are_counted(correction, said):
    """With the correction, and with a column for it unless there is none."""
    found = bt.compare(drawn_scores(3, 20), correction=correction, n_resamples=99)
    headings = [column.heading for column in describe(found).columns]

    assert words(found) == f"{found.n_different} of 3 pairs are told apart at level 0.05, {said}."
    assert ("p adjusted" in headings) == (correction != "none")


def test_a_one_sided_question_is_said():
    """In the sentence below the table."""
    assert "one-sided (greater)" in words(bt.compare(drawn_scores(3, 20), alternative="greater"))


@pytest.mark.parametrize(
    ("test", "heading"),
    [
        ("sign", "P(beats)"),
        ("t", "difference"),
        ("wilcoxon", "median of differences"),
        ("mood", "difference of medians"),
    ],
)
def test_the_effect_has_a_heading_of_its_own(test, heading):
    """Effect first, then interval, then p."""
    headings = [column.heading for column in describe(bt.compare(CLEAR, test=test)).columns]

    assert headings[2] == heading
    assert headings.index(heading) < headings.index("95 %") < headings.index("p")


def test_numbers_that_are_missing_leave_no_nan_on_the_page():
    """A pair without segments is shown as missing in every format."""
    values = drawn_scores(3, 6).values.copy()
    values[0, :3], values[1, 3:] = np.nan, np.nan
    found = bt.compare(scores_of(values), missing="pairwise", test="t")

    for name in ("table", "markdown", "latex", "html", "csv", "json"):
        assert "nan" not in render(found, name).lower()


def test_wins_ties_and_losses_are_one_cell():
    """Won, tied, lost, seen from the first."""
    rows = describe(bt.compare(scores_of({"A": [3, 3, 2, 1], "B": [1, 1, 2, 2]}))).rows

    assert rows[0][4] == "2–1–1"
