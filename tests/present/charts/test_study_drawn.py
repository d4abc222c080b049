"""Figures of studies: axes that can be read, series that can be distinguished, and boxes without lines through them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.made import scores_of
from tests.present.charts.pictures import Picture, studied, with_field

from betterthan.present.charts.chart import chart
from betterthan.results.study import StudyChart


def drawn(kind: str, marks: list[tuple[Any, ...]], fields: str = "panel series x y", **look: Any) -> Any:
    """The figure of a study that has these marks."""
    columns = dict(zip(fields.split(), map(tuple, zip(*marks, strict=True)), strict=True))
    figure = StudyChart(name="figure-1", title="Title", kind=kind, x="x", y="y", columns=columns, **look)
    return chart(replace(studied(("A", "B")), charts=(figure,)))


def axis_of(spec: Any, channel: str, name: str) -> dict[str, Any]:
    """The first encoding of a channel with this field, anywhere in a chart."""
    found = []

    def look(part: Any) -> None:
        if isinstance(part, dict):
            each = part.get(channel)
            found.extend([each] if isinstance(each, dict) and each.get("field") == name else [])
            for below in part.values():
                look(below)
        elif isinstance(part, list):
            for below in part:
                look(below)

    look(spec.to_dict())
    return found[0]


def test_columns_of_a_square_matrix_stand_in_the_order_of_its_rows():
    """Also where nothing is compared with itself, so that the first row begins with the second column."""
    names = ("A", "B", "C")
    cells = [("", row, column, 0.5) for row in names for column in names if row != column]
    placed = {cell["column"]: cell["x"] for cell in with_field(drawn("matrix", cells), "row", "column")}
    assert sorted(placed, key=placed.__getitem__) == list(names)


def test_small_numbers_have_a_logarithmic_axis_with_an_end():
    """What is smaller is drawn there, which the words below the title say; no words where nothing is."""
    marks = [("", "A", 1, 0.3), ("", "A", 2, 0.02), ("", "A", 3, 0.0)]
    picture = drawn("lines", marks, log_y=True, rule=0.005)
    scale = axis_of(picture, "y", "y")["scale"]
    assert (scale["type"], scale["clamp"]) == ("log", True)
    assert scale["domain"][0] == pytest.approx(1e-6 / 1.5)
    assert "drawn at 0.000001" in picture.to_dict()["description"]
    assert "drawn at" not in drawn("lines", marks[:2], log_y=True).to_dict()["description"]


@pytest.mark.parametrize(("lowest", "first"), [(0.1, 0.0), (0.8, 0.79), (-0.1, -0.155)])
def test_counts_and_shares_are_shown_from_zero(lowest, first):
    """Unless they are all far from it, or some lie below."""
    picture = drawn("lines", [("", "A", 1, lowest), ("", "A", 2, 1.0)])
    assert axis_of(picture, "y", "y")["scale"]["domain"][0] == pytest.approx(first, abs=0.005)


def test_no_two_of_many_series_look_alike():
    """Eleven series have eleven combinations of color and shape, and lines are dashed where colors begin again."""
    series = [f"S{i}" for i in range(11)]
    picture = drawn("lines", [("", name, x, float(x)) for name in series for x in (1, 2)])
    colors = axis_of(picture, "color", "series")["scale"]["range"]
    shapes = axis_of(picture, "shape", "series")["scale"]["range"]
    looks = {(colors[i % len(colors)], shapes[i]) for i in range(11)}
    assert len(looks) == 11
    lines = [layer for layer in picture.to_dict()["layer"] if layer["mark"]["type"] == "line"]
    assert ["strokeDash" in layer["mark"] for layer in lines] == [False] * 5 + [True] * 6


def test_whiskers_end_at_the_box():
    """From the low end to the first quartile, and from the third to the high end."""
    marks = [("", name, "10", 0.5, 0.1, 0.4, 0.6, 0.9) for name in ("A", "B")]
    picture = drawn("boxes", marks, "panel series x y low q1 q3 high")
    rules = [layer for layer in picture.to_dict()["layer"] if layer["mark"]["type"] == "rule"]
    ends = [(layer["encoding"]["y"]["field"], layer["encoding"]["y2"]["field"]) for layer in rules]
    assert ends == [("low", "q1"), ("q3", "high")]


def test_every_row_of_a_grid_has_numbers_at_its_vertical_axis():
    """The first one, too, although it begins with a histogram, whose own axis counts and is not shown."""
    points = [(1.0, 30.0), (2.0, 50.0), (3.0, 40.0)]
    marks = [
        (name, "news", str(i), point[k])
        for k, name in enumerate(("p", "q"))
        for i, point in enumerate(points)
    ]
    picture = Picture(drawn("grid", marks, pairs=(("p", "q", 0.5),)))
    beside = [text.words for text in picture.texts if text.words in ("1.5", "2.0", "2.5")]
    # At the horizontal axis of the first column, and at the vertical one of the first row.
    assert len(beside) >= 4


def test_the_names_of_the_halves_hide_no_scores():
    """Where scores lie in the corner, the words stand farther along the edge."""
    table = scores_of({"A": [100.0, 99.0, 98.0, 10.0, 20.0], "B": [10.0, 11.0, 12.0, 50.0, 90.0]})
    free = scores_of({"A": [60.0, 61.0, 62.0, 10.0, 20.0], "B": [50.0, 51.0, 52.0, 50.0, 90.0]})
    top = {}
    for name, each in (("table", table), ("free", free)):
        corners = [text for text in Picture(chart(each, "scatter")).texts if text.words == "A better"]
        top[name] = corners[0].y
    assert top["table"] > top["free"] + 10
