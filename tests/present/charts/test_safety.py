"""Names from files are text: never elements of a picture, names of fields, or parts of expressions."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.present.charts.pictures import SVG, Picture, made, mostly_slow, studied, subject

import betterthan as bt
from betterthan.present.charts.chart import chart, chart_kinds
from betterthan.results.study import StudyChart

HOSTILE = (
    "<script>alert(1)</script>",
    '"]; alert(1); //',
    "datum['x'] + ${1}",
    "a.b[0]\\'&amp;",
)


# Kinds that name no system, with what they show instead.
WITHOUT_SYSTEMS = {
    "power": "differences of several sizes; a plan keeps no names of systems",
    "calibration": "tests and intervals",
    "judge_calibration": "bins of the judge's scores, of all systems together",
    "metrics": "metrics",
    "contributions": "a mark for each pair of systems, named where the pointer is",
    "agreement": "rankings",
    "margins": "how many pairs of outputs there are, whoever wrote them",
}
EXPRESSIONS = {"filter", "expr", "test", "calculate", "signal", "labelExpr"}


def parts(spec, names):
    """Everything that stands under one of these names, anywhere in a chart; data left aside."""
    if isinstance(spec, list):
        for each in spec:
            yield from parts(each, names)
    elif isinstance(spec, dict):
        for name, each in spec.items():
            if name in names:
                yield each
            if name not in ("datasets", "values"):
                yield from parts(each, names)


@pytest.mark.parametrize("kind", mostly_slow(chart_kinds(), "ranking", "spans", "tags"))
def test_a_name_that_is_a_script_shows_as_text(kind):
    """The picture has no element of its own making, and the name can be read."""
    picture = Picture(made(kind, HOSTILE))
    known = {
        "svg",
        "g",
        "rect",
        "path",
        "text",
        "tspan",
        "line",
        "defs",
        "linearGradient",
        "stop",
        "clipPath",
    }
    assert {element.tag.removeprefix(SVG) for element in picture.root.iter()} <= known
    assert "<script" not in picture.source
    assert any("<script>" in words for words in picture.words) == (kind not in WITHOUT_SYSTEMS)


@pytest.mark.parametrize("kind", mostly_slow(chart_kinds(), "ranking", "scatter", "judges"))
def test_fields_and_expressions_hold_nothing_from_users(kind):
    """Names of fields are ours; expressions are the same whatever the systems are called."""
    hostile, plain = made(kind, HOSTILE).to_dict(), made(kind).to_dict()
    assert all(
        re.fullmatch(r"[a-z_0-9]+", field) for field in parts(hostile, {"field"}) if isinstance(field, str)
    )
    same_program(hostile, plain)


def same_program(hostile, plain):
    """Expressions are the same, and neither addresses nor orders (which become expressions) are there at all."""
    assert [str(each) for each in parts(hostile, EXPRESSIONS)] == [
        str(each) for each in parts(plain, EXPRESSIONS)
    ]
    assert not list(parts(hostile, {"url", "href"}))
    assert not list(parts(hostile, {"sort"}))


def renamed(kind, names):
    """The subject of a kind that names no system, with these names of metrics, judges or rankings."""
    result = subject(kind)
    if kind == "margins":
        return replace(result, metric=names[0])
    if kind == "judge_calibration":
        return replace(result, judge=names[0], human=names[1])
    if kind == "agreement":
        return bt.agreement(dict(zip(names, subject("ranks").values(), strict=False)))
    return replace(result, metrics=names[: len(result.metrics)])


@pytest.mark.parametrize(
    "kind", mostly_slow(["metrics", "contributions", "agreement", "margins", "judge_calibration"], "margins")
)
def test_names_of_metrics_judges_and_rankings_are_text_too(kind):
    """In charts that name no system."""
    hostile, plain = (chart(renamed(kind, names), kind) for names in (HOSTILE, ("a", "b", "c", "d")))
    same_program(hostile.to_dict(), plain.to_dict())
    picture = Picture(hostile)
    assert any("<script" in words for words in picture.words)
    assert "<script" not in picture.source


@pytest.mark.parametrize("kind", ["lines", "bars", "boxes", "points", "matrix"])
def test_names_in_figures_of_studies_are_in_no_order(kind):
    """Neither those of series nor those on the horizontal axis."""

    def drawn(names):
        marks = [
            ("", series, i if kind == "points" else x, 0.5, 0.1, 0.4, 0.6, 0.9)
            for series in names
            for i, x in enumerate(names)
        ]
        fields = ["panel", "series", "x", "y", "low", "q1", "q3", "high"]
        columns = dict(zip(fields, map(tuple, zip(*marks, strict=True)), strict=True))
        figure = StudyChart(name="figure-1", title="Title", kind=kind, x="x", y="y", columns=columns)
        return chart(replace(studied(names), charts=(figure,))).to_dict()

    same_program(drawn(HOSTILE), drawn(("a", "b", "c", "d")))


@pytest.mark.parametrize(
    "name",
    mostly_slow(
        ["null", "true", "1e5", "NaN", "2020-01-01", "\u202eevil", "日本語", "\x00\x07"], "null", "\x00\x07"
    ),
)
def test_odd_names_are_drawn(name):
    """Words that look like other types stay words, and control characters do not break the picture."""
    shown = name if name.isprintable() else name.encode("unicode_escape").decode()
    assert shown in Picture(made("ranking", (name, "Birch", "Cedar"))).words
