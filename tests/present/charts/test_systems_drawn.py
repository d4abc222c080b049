"""What charts of systems show, against another way to each number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.made import a_ranking, drawn_counts, drawn_matches, drawn_scores, scores_of
from tests.present.charts.pictures import Picture, made, subject, values, with_field

import betterthan as bt
from betterthan.present.charts.differences import bar_width, histogram
from betterthan.present.charts.door import chart
from betterthan.present.charts.pairs import share_of_wins


def test_a_ranking_is_drawn_where_its_numbers_are():
    """Best on top, strengths and intervals as in the result, the possible best in colour."""
    result = subject("ranking")
    table = with_field(made("ranking"), "strength", "rank_low")
    assert [row["system"] for row in table] == list(result.systems)
    for field in ("strength", "low", "high", "rank", "rank_low", "rank_high"):
        assert [row[field] for row in table] == pytest.approx(getattr(result, field).tolist(), rel=1e-9)
    assert [row["best"] == "may be best" for row in table] == (result.rank_low == 1).tolist()


def test_an_interval_that_is_not_there_is_not_drawn():
    """Not as 0, and the words say so."""
    result = a_ranking(["A", "B", "C"], low=[59, np.nan, 49], high=np.array([61, np.nan, 51]))
    drawn = chart(result)
    assert [row["low"] for row in with_field(drawn, "strength")] == [59, None, 49]
    assert any("1 of 3 systems have no interval." in words for words in Picture(drawn).words)


@pytest.mark.parametrize("table", [drawn_scores(4, 25), drawn_matches(4), drawn_counts(4)], ids=type)
def test_shares_of_wins_add_up(table):
    """P(a beats b) and P(b beats a) are 1 together, of scores, battles and counts."""
    share = share_of_wins(bt.compare(table))
    off = ~np.eye(4, dtype=bool)
    assert (share + share.T)[off] == pytest.approx(1)


def test_shares_of_wins_are_counted():
    """Against a plain loop over segments, ties half."""
    table = scores_of([[1, 2, 3, 4], [1, 1, 5, 0]])
    better = sum((a > b) + (a == b) / 2 for a, b in zip(*table.values, strict=True)) / 4
    result = bt.compare(table)
    share = share_of_wins(result)[result.systems.index("A"), result.systems.index("B")]
    assert share == better == 0.625


def test_pairs_told_apart_are_bold():
    """Both cells of a pair, as many as the result counts."""
    result = bt.compare(drawn_scores(5, 60, gap=0.45))
    cells = [
        text for text in Picture(chart(result)).texts if text.words.startswith("0.") and len(text.words) == 4
    ]
    assert 0 < result.n_different < 10
    assert sum(text.is_bold for text in cells) == 2 * result.n_different


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("swap", [True, False])
def test_the_heavier_half_is_shaded(higher, swap):
    """Above the diagonal the system on the vertical axis has more points; who is better depends on the direction."""
    table = scores_of({"A": [1.0, 5.0, 6.0, 7.0], "B": [2.0, 4.0, 5.0, 6.0]}, higher_is_better=higher)
    drawn = chart(table, "scatter", systems=("B", "A") if swap else ("A", "B"))
    shade = with_field(drawn, "edge")
    assert (shade[0]["edge"] > shade[0]["y"]) == (not swap)
    corners = [text for text in Picture(drawn).texts if text.words.endswith(" better")]
    top = min(corners, key=lambda text: text.y).words
    assert top == f"{'A' if higher != swap else 'B'} better"
    a, b = (3, 1) if higher else (1, 3)
    verdict = f"B better on {b} segments, A on {a}" if swap else f"A better on {a} segments, B on {b}"
    assert f"{verdict}, equal on 0." in drawn.to_dict()["description"]


def test_level_halves_are_not_shaded():
    """As many segments above as below."""
    drawn = chart(scores_of([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]]))
    assert not Picture(drawn).marks("area")


def test_lines_stand_at_means_and_medians():
    """Of each system, on its own axis; segments without both scores are left out, and counted."""
    table = scores_of({"A": [0.0, 2.0, 10.0, np.nan], "B": [1.0, 1.0, 4.0, 7.0]})
    drawn = chart(table)
    lines = [tuple(t[0].items()) for t in values(drawn) if len(t) == 1 and set(t[0]) <= {"x", "y"}]
    assert set(lines) == {(("x", 2.0),), (("x", 1.0),), (("y", 4.0),), (("y", 2.0),)}
    assert "Left out for a missing score: 1 of 4 segments." in drawn.to_dict()["description"]


@pytest.mark.slow
def test_three_pairings_share_their_axes():
    """The same marginal scores, three verdicts."""
    x = np.arange(9.0)
    pairings = [scores_of({"A": x, "B": y}) for y in (x + 0.5, x[::-1] + 0.5, np.roll(x, 1) + 0.5)]
    drawn = chart(pairings, "scatter")
    words = Picture(drawn).words
    assert [f"A better on {n} segments, B on {9 - n}, equal on 0." in words for n in (0, 4, 8)] == [True] * 3
    assert words.count("A better") == 3


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=30))
def test_no_bar_mixes_wins_with_losses(thirds):
    """Every segment is in one bar that holds it; swapping the systems mirrors the picture."""
    difference = np.array(thirds, dtype=float) / 3
    one, other = histogram(difference), histogram(-difference)
    assert (one.low * one.high >= 0).all()
    assert one.segments[one.low >= 0].sum() == (difference > 0).sum()
    assert one.segments[one.high <= 0].sum() == (difference < 0).sum()
    for low, high, count in zip(*one, strict=True):
        inside = (difference != 0) & (difference >= low - 1e-9) & (difference <= high + 1e-9)
        assert inside.sum() >= count
    assert (-other.high[::-1]).tolist() == pytest.approx(one.low.tolist())
    assert other.segments[::-1].tolist() == one.segments.tolist()


def test_differences_are_drawn_in_the_direction_of_the_metric():
    """To the right the first system is better, also where lower is better; ties have a bar of their own."""
    table = scores_of({"A": [1.0, 3.0, 5.0], "B": [2.0, 5.0, 5.0]}, higher_is_better=False, name="TER")
    drawn = chart(table, "differences")
    bars = with_field(drawn, "high")
    assert [bar["outcome"] for bar in bars] == ["A better", "A better"]
    assert with_field(drawn, "outcome", "none")[0]["outcome"] == "A better"
    ties = next(t for t in values(drawn) if t[0].get("outcome") == "equal")
    assert ties[0]["segments"] == 1
    assert (
        "Solid line: mean difference, 1.00. Dashed line: median difference, 1.00."
        in drawn.to_dict()["description"]
    )


@pytest.mark.parametrize("span", [*range(1, 2000, 7), 59, 590, 5.9e-9, 1e-300, 1e300])
def test_bars_are_at_most_sixty_and_never_very_few(span):
    """Also just below a power of ten."""
    n = span / bar_width(np.array([0.0, span]))
    assert 58 / 2.6 < n <= 58
