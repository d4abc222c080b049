"""Few systems, many systems, long names: nothing is cut off, nothing grows without bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.made import a_ranking, drawn_scores
from tests.present.charts.pictures import Picture, made, mostly_slow, options, subject, values, with_field

import betterthan as bt
from betterthan.present.charts.chart import chart, chart_kinds
from betterthan.present.charts.drawing import names
from betterthan.present.charts.save import chart_bytes

LONG = tuple(f"A-very-long-laboratory-name/translation-model-{i:02}-large-instruct" for i in range(4))


def inside(picture):
    """Words that begin or end outside of the canvas."""
    return [
        text for text in picture.texts if not (0 <= text.x <= picture.width and 0 <= text.y <= picture.height)
    ]


@pytest.mark.parametrize("kind", mostly_slow(chart_kinds(), "ranking", "pairs", "quality"))
def test_long_names_are_shortened_and_stay_apart(kind):
    """All words stand on the canvas, and no picture is wider than a page."""
    picture = Picture(made(kind, LONG))
    assert not inside(picture)
    assert picture.width < 1000
    assert LONG[0] not in picture.source.split("<g", 1)[1]


@pytest.mark.parametrize("m", [1, 60, *(pytest.param(m, marks=pytest.mark.slow) for m in (3, 12))])
def test_a_ranking_of_few_or_many(m):
    """A row each, none over another."""
    picture = Picture(chart(a_ranking([f"S{i:02}" for i in range(m)], letters=("a",) * m)))
    assert not inside(picture)
    named = sorted(text.y for text in picture.texts if text.words.startswith("S") and len(text.words) == 3)
    assert len(named) == m
    assert all(np.diff(named) >= 15)


def test_more_than_a_hundred_systems_are_not_all_shown():
    """And the words say so."""
    picture = Picture(chart(a_ranking([f"S{i}" for i in range(130)], letters=("a",) * 130)))
    assert len(picture.marks("symbol")) == 2 * 100
    assert any("The best 100 of 130 systems are shown." in words for words in picture.words)


def test_ten_thousand_segments_become_a_density():
    """At most 40 × 40 cells, in which every segment is counted."""
    drawn = chart(drawn_scores(2, 10_000))
    cells = with_field(drawn, "right", "top")
    assert len(cells) <= 1600
    assert sum(cell["segments"] for cell in cells) == 10_000
    assert sum(len(table) for table in values(drawn)) < 2000
    assert len(chart_bytes(drawn, "json")) < 400_000


def test_equal_points_are_one_dot_with_a_size():
    """Counts of dots add up to the segments."""
    table = drawn_scores(2, 5000)
    dots = with_field(chart(replace(table, values=np.round(table.values))), "x", "y", "segments")
    assert len(dots) <= 1000
    assert sum(dot["segments"] for dot in dots) == 5000


def test_cells_too_small_for_numbers_have_dots():
    """So that significant differences are still seen without colour."""
    result = bt.compare(drawn_scores(16, 30, gap=0.3))
    picture = Picture(chart(result))
    assert len(picture.marks("symbol")) == 2 * result.n_different
    assert 0 < result.n_different < 16 * 15 / 2
    assert not inside(picture)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["A", "B"], ["A", "B"]),
        (["x" * 40, "x" * 40], ["x" * 17 + "…" + "x" * 16, "x" * 17 + "…" + "x" * 16 + " (2)"]),
        (["a\x1b[31mb", "a\nb"], ["a\\x1b[31mb", "a b"]),
        (["", " "], ["–", "– (2)"]),
    ],
)
def test_names_as_they_are_shown(given, shown):
    """Control characters are written out, and two names never look the same."""
    assert names(given) == shown


@pytest.mark.parametrize("most", [12, 20, 34])
def test_shortened_names_keep_what_tells_them_apart(most):
    """The number in the middle survives; no name is longer than allowed."""
    shown = names(LONG, most=most)
    assert all(len(name) <= most for name in shown)
    assert [f"0{i}" in name or f"{i}" in name for i, name in enumerate(shown)] == [True] * 4
    assert len(set(shown)) == 4


@pytest.mark.slow
def test_sixty_systems_in_a_matrix_stay_on_the_canvas():
    """Numbers above the columns are thinned out."""
    m = 60
    base = subject("pairs")
    grid = np.full((m, m), 0.6)
    fields = dict.fromkeys(("effect", "low", "high", "size", "wins", "ties", "losses"), grid)
    tests = {name: np.full((m, m), 0.5) for name in ("pvalue", "adjusted", "p_low", "p_high")}
    result = replace(base, systems=tuple(f"System-{i:02}" for i in range(m)), **fields, **tests)
    picture = Picture(chart(result))
    assert not inside(picture)
    assert len(picture.marks("rect")) == m * (m - 1)
    assert options("pairs") == {}
