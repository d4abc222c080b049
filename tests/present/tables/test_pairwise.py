"""What a comparison says in words, and how its table is drawn."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.made import drawn_scores, matches_of, scores_of

import betterthan as bt
from betterthan.present.renderers.render import render
from betterthan.present.tables.describe import describe

CLEAR, ALIKE = drawn_scores(2, 40, gap=2), scores_of(np.ones((2, 6)))


def words(result):
    """All that is said about the table but notes."""
    return " ".join(describe(result).prose)


def test_a_single_pair_is_a_sentence():
    """Who is better, by how much and by which test; or that there is no significant difference."""
    (verdict,) = describe(bt.compare(CLEAR)).verdict
    assert re.fullmatch(
        r"B is significantly better than A \(difference of means [\d.]+, 95% CI [\d.]+ to [\d.]+, p < 0.0001, "
        r"permutation test\)\.",
        verdict,
    )
    assert words(bt.compare(ALIKE)) == (
        "There is no significant difference between A and B (difference of means 0.00, 95% CI −0.45 to 0.45, "
        "p = 1, permutation test)."
    )


@pytest.mark.parametrize(
    ("correction", "said"),
    [
        ("none", "unadjusted"),
        ("bonferroni", "Bonferroni-adjusted"),
        ("holm", "Holm-adjusted"),
        ("benjamini_hochberg", "adjusted for the false discovery rate (Benjamini–Hochberg)"),
        ("max_statistic", "adjusted by the maximum statistic"),
    ],
)
def test_several_pairs_are_counted(correction, said):
    """With the correction, and with a column for it unless there is none."""
    found = bt.compare(drawn_scores(3, 20), correction=correction)
    headings = [column.heading for column in describe(found).columns]

    over = "" if correction == "none" else " for 3 pairs"
    (verdict,) = describe(found).verdict
    assert verdict == (
        f"{found.n_different} of 3 pairs differ significantly (p ≤ 0.05, permutation test, {said}{over})."
    )
    legend = "95% CI: for each difference by itself, not adjusted."
    assert describe(found).legend.startswith("P-values: " if correction == "none" else f"{legend} P-values: ")
    assert ("p adjusted" in headings) == (correction != "none")


@pytest.mark.parametrize(
    ("units", "n", "change"),
    [
        ("auto", "8 documents (40 segments).", "segments"),
        ("segments", "40 segments, although", "groups"),
    ],
)
@pytest.mark.parametrize("verb", [bt.compare, bt.rank])
def test_the_unit_comes_first_with_how_to_change_it(verb, units, n, change):
    """Where documents are known, whatever was asked for; and it is not repeated among the notes."""
    scores = drawn_scores(3, 40, groups=[f"d{i // 5}" for i in range(40)])
    table = describe(verb(scores, units=units))
    assert table.unit.startswith(f"Unit: {n} ")
    assert f'Use units="{change}" for ' in table.unit
    assert not [note for note in table.notes if note.startswith("Unit: ")]
    assert not describe(verb(drawn_scores(3, 40))).unit


@pytest.mark.parametrize("verb", [bt.compare, bt.rank])
def test_too_few_units_are_the_verdict(verb):
    """Three segments could not show anything: said first, once, instead of a verdict on the systems."""
    few = verb(drawn_scores(3, 3))
    table = describe(few)
    assert (
        "No pair could be significant at level 0.05: with 3 segments the smallest possible"
        in table.verdict[0]
    )
    assert "differ significantly (" not in words(few)
    assert not [note for note in table.notes if "could be significant" in note]


def test_intervals_of_all_differences_are_called_so():
    """The legend never says "by itself" of intervals that were widened for all pairs."""
    legend = describe(bt.compare(drawn_scores(3, 20), simultaneous=True)).legend
    assert legend.startswith("95% CI: simultaneous for all 3 differences. P-values: ")


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
    assert headings.index(heading) < headings.index("95% CI") < headings.index("p")


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


def test_a_pair_that_never_met_is_said_in_the_verdict():
    """The model may decide, but a reader must see at once that no match between the two did."""
    rows = [("A", "B", 1), ("A", "B", 1), ("B", "C", 1), ("B", "C", 1), ("A", "B", 0), ("B", "C", 0)] * 30
    told = describe(bt.compare(matches_of(rows), systems=("A", "C"))).verdict
    assert told[0].startswith("A is significantly better than C under the model (")
    assert told[1].startswith("A and C never met: their comparison relies on the model")
    among = describe(bt.compare(matches_of(rows))).verdict
    assert among[1].startswith("A and C never met")
    met = words(bt.compare(matches_of(rows), systems=("A", "B")))
    assert met.startswith("A is significantly better than B (P(A beats B) ")
    assert met.endswith("Wald test).")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "exact"}, ""),
        ({"test": "t"}, ""),
        ({"method": "monte_carlo", "n_resamples": 999}, "P-value: from random permutations, off by up to "),
        ({"by": "median"}, "P-value: from bootstrap samples, off by up to "),
        ({}, ""),
    ],
)
def test_p_values_say_how_they_were_found(options, said):
    """Those from resamples, with how far off they may be; of a value with no doubtful digit nothing is said."""
    scores = drawn_scores(2, 20 if options.get("method") == "exact" else 60, gap=0.3)
    table = bt.compare(scores, **options)
    legend = describe(table).legend
    assert legend.startswith(said) if said else not legend
    pair = table.pair("A", "B")
    assert pair.p_low <= pair.pvalue <= pair.p_high
    # What four decimals do not show is not worth words.
    assert (pair.p_high - pair.p_low > 1e-4) == ("off by" in said)


def test_many_pairs_count_how_p_values_were_found():
    """Behind the legend: how many in which way."""
    scores = scores_of({"A": np.arange(40.0), "B": np.arange(40.0) + 0.3, "C": np.arange(40.0) ** 1.1})
    legend = describe(bt.compare(scores)).legend
    assert legend.startswith("95% CI: for each difference by itself, not adjusted. P-values: ")
