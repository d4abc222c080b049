"""Names from files are text: never elements of a picture, names of fields, or parts of expressions."""

from __future__ import annotations

import re

import pytest
from tests.present.charts.pictures import SVG, Picture, made, mostly_slow

from betterthan.present.charts.chart import chart_kinds

HOSTILE = (
    "<script>alert(1)</script>",
    '"]; alert(1); //',
    "datum['x'] + ${1}",
    "a.b[0]\\'&amp;",
)


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
    if kind not in ("metrics", "contributions", "agreement", "margins"):
        assert any("<script>" in words for words in picture.words)


@pytest.mark.parametrize("kind", mostly_slow(chart_kinds(), "ranking", "scatter", "judges"))
def test_fields_and_expressions_hold_nothing_from_users(kind):
    """Names of fields are ours; expressions are the same whatever the systems are called."""
    hostile, plain = made(kind, HOSTILE).to_dict(), made(kind).to_dict()
    assert all(
        re.fullmatch(r"[a-z_0-9]+", field) for field in parts(hostile, {"field"}) if isinstance(field, str)
    )
    expressions = {"filter", "expr", "test", "calculate", "signal", "labelExpr"}
    assert [str(each) for each in parts(hostile, expressions)] == [
        str(each) for each in parts(plain, expressions)
    ]
    assert not list(parts(hostile, {"url", "href"}))
    assert not list(parts(hostile, {"sort"}))


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
