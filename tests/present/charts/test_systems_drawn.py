"""What charts of systems show, against another way to each number."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.everyday import few
from tests.made import a_ranking, drawn_counts, drawn_matches, drawn_scores, scores_of
from tests.present.charts.pictures import Picture, made, subject, values, with_field

import betterthan as bt
from betterthan.present.charts.chart import chart
from betterthan.present.charts.pairs import cell_text, pair_scale, ties_words
from betterthan.present.geometry import bar_width, histogram


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
    assert any("1 of 3 systems has no interval." in words for words in Picture(drawn).words)


TABLES = {"scores": drawn_scores(4, 25), "battles": drawn_matches(4), "counts": drawn_counts(4)}


@pytest.mark.parametrize("by", few(["mean", "median", "win_rate", "bradley_terry"], 2))
def test_cells_show_what_was_tested(by):
    """A pair that differs is bold, and its number is on the side of the better system."""
    result = bt.compare(drawn_scores(5, 60, gap=0.45), by=by)
    cells = with_field(chart(result), "effect", "verdict")
    middle = pair_scale(result, 5).middle
    assert len(cells) == 20
    for cell in cells:
        pair = result.pair(cell["row"], cell["column"])
        assert cell["effect"] == pytest.approx(pair.effect)
        assert (cell["verdict"] == "significantly different") == (pair.verdict is not None)
        if pair.verdict is not None:
            assert (cell["effect"] > middle) == (pair.verdict == cell["row"])


def test_a_lead_by_mean_with_fewer_wins_is_positive():
    """A few large leads: the mean says A, most segments say B, and the matrix of means says A too."""
    rng = np.random.default_rng(2)
    gaps = np.where(np.arange(200) < 60, 4.0, -0.3) + 0.1 * rng.normal(size=200)
    result = bt.compare(scores_of({"A": gaps, "B": np.zeros(200)}))
    cell = next(cell for cell in with_field(chart(result), "effect", "verdict") if cell["row"] == "A")
    assert cell["wins"] < cell["losses"]
    assert (cell["effect"] > 0, cell["verdict"]) == (True, "significantly different")
    assert "Every pair: difference of means, row minus column" in Picture(chart(result)).words


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (scores_of([[1, 2, 3, 4], [1, 1, 5, 0]]), {"by": "bradley_terry"}, "Ties are left out."),
        (scores_of([[1, 2, 3, 4], [1, 1, 5, 0]]), {"test": "sign"}, "Ties are left out."),
        (scores_of([[1, 2, 3, 4], [1, 1, 5, 0]]), {"test": "sign", "ties": "half"}, "Ties count as half."),
        (scores_of([[1, 2, 3, 4], [0, 1, 5, 0]]), {"test": "sign"}, ""),
        (scores_of([[1, 2, 3, 4], [1, 1, 5, 0]]), {"by": "mean"}, ""),
        (drawn_matches(4), {}, "Ties count as half."),
        (drawn_matches(4), {"ties": "drop"}, "Ties are left out."),
    ],
)
def test_the_words_say_what_became_of_ties(table, options, words):
    """Of the policy that was used, and nothing where there are no ties or where they play no part."""
    assert ties_words(bt.compare(table, **options)) == words


@pytest.mark.parametrize("gap", [0.05, 1.5])
def test_probabilities_have_the_same_colours_in_every_figure(gap):
    """Whether systems are close or far from each other."""
    assert pair_scale(bt.compare(drawn_scores(3, 40, gap=gap), by="bradley_terry"), 3).reach == 0.5
    assert pair_scale(bt.compare(drawn_matches(3)), 3) == (True, 0.5, 0.5, 2)


@pytest.mark.parametrize(("largest", "decimals"), [(31.0, 1), (3.1, 2), (0.31, 3), (0.0031, 4), (3100.0, 0)])
def test_differences_have_three_digits(largest, decimals):
    """As far as four decimals allow."""
    result = bt.compare(scores_of({"A": [largest] * 3, "B": [0.0] * 3}))
    assert pair_scale(result, 2) == (False, 0.0, pytest.approx(largest), decimals)


@pytest.mark.parametrize("kind", TABLES)
def test_pairs_that_differ_are_bold(kind):
    """Both cells of a pair, as many as the result counts."""
    result = bt.compare(TABLES[kind])
    scale = pair_scale(result, 4)
    written = {cell_text(effect, scale, narrow=False) for effect in result.effect.ravel().tolist()}
    cells = [text for text in Picture(chart(result)).texts if text.words in written]
    assert sum(text.is_bold for text in cells) == 2 * result.n_different


@pytest.mark.parametrize("higher", few([True, False], 1))
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
    many = {1: "1 segment", 3: "3 segments"}
    verdict = f"B is better on {many[b]}, A on {a}" if swap else f"A is better on {many[a]}, B on {b}"
    assert f"{verdict}; equal on 0." in drawn.to_dict()["description"]


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


def axes_of(spec, channel):
    """Every encoding of a channel by a field with a scale, anywhere in a chart."""
    if isinstance(spec, list):
        for each in spec:
            yield from axes_of(each, channel)
    elif isinstance(spec, dict):
        axis = spec.get(channel)
        if isinstance(axis, dict) and "field" in axis and "scale" in axis:
            yield axis
        for each in spec.values():
            yield from axes_of(each, channel)


@pytest.mark.slow
def test_three_pairings_share_their_axes():
    """The same marginal scores, three verdicts."""
    x = np.arange(9.0)
    pairings = [scores_of({"A": x, "B": y}) for y in (x + 0.5, x[::-1] + 0.5, np.roll(x, 1) + 0.5)]
    drawn = chart(pairings, "scatter")
    picture = Picture(drawn)
    words = picture.words
    assert [f"A is better on {n} segments, B on {9 - n}; equal on 0." in words for n in (0, 4, 8)] == [
        True
    ] * 3
    places = Counter((text.x, text.y) for text in picture.texts if text.words == "A better")
    assert list(places.values()) == [2, 2, 2]  # once in each plane, over the halo of the same words
    planes = [axis["scale"]["domain"] for axis in axes_of(drawn.to_dict(), "x") if axis["field"] == "x"]
    assert len(planes) > 3
    assert all(domain == planes[0] for domain in planes)


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


def test_ties_of_ranks_do_not_cross():
    """Lines cross only where two systems change their order: tied ones keep that of the ranking before."""
    mean = bt.rank(bt.read_scores({"A": [3.0, 2.0], "B": [2.0, 1.0], "C": [1.0, 0.0]}), n_resamples=20)
    systems, rank = ("C", "B", "A"), np.array([1, 2, 2])
    tied = replace(mean, systems=systems, rank=rank)
    drawn = with_field(chart({"one": mean, "other": tied}, "ranks"), "column", "place")
    places = {(row["system"], row["column"]): row["place"] for row in drawn}
    assert [places[name, 1] for name in "ABC"] == [1.5, 2.5, 0.5]
    assert places["A", 1] < places["B", 1]  # as in the first ranking
