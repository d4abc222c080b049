"""The page of a gate: the verdict first, every interval drawn, everything escaped."""

import re

import pytest

import betterthan as bt
from betterthan.present.renderers.gate_page import gate_page


@pytest.fixture
def result():
    """A baseline and a candidate whose names are markup, with slices."""
    rows = [[0, 1, 1, 0, 1] * 20, [0, 1, 1, 0, 1] * 19 + [0, 1, 0, 1, 0]]
    scores = bt.Scores(
        name="<b>right</b>",
        systems=["<i>old</i>", "new"],
        segments=[f"q{i}" for i in range(100)],
        values=rows,
    )
    return bt.gate(scores, margin=0.05, slices={"topic": ["law & order", "math"] * 50})


def test_the_page_says_the_verdict_first_and_draws_every_row(result):
    """A row, a picture and a verdict for each metric and slice, and the items that lost."""
    page = gate_page(result)
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", page)[1]
    assert heading.lower() == result.verdict
    assert page.count("<svg") == len(result) == 3
    assert all(item.item in page for item in result.worst)
    assert page.index("<h1") < page.index("<table")
    assert "prefers-color-scheme:dark" in page
    assert "http" not in page


def test_names_are_not_markup(result):
    """Of systems, metrics and slices."""
    page = gate_page(result)
    assert "<b>" not in page
    assert "<i>" not in page
    assert "law &amp; order" in page


def test_a_margin_of_zero_and_rows_without_interval():
    """Nothing is divided by the margin, and what is unknown is not drawn."""
    page = gate_page(bt.gate([0, 1, 1, 0, 1] * 20, [0, 1, 1, 0, 1] * 20, margin=0))
    assert "nan%" not in page
    groups = ["a"] * 20 + ["b"] * 20 + ["c"] * 20
    scores = bt.Scores(
        name="x",
        systems=["A", "B"],
        segments=list(map(str, range(60))),
        values=[[0, 1] * 30, [1, 1, 0] * 20],
        groups=groups,
    )
    page = gate_page(bt.gate(scores, margin=0.1, slices={"part": groups}))
    assert "nan%" not in page
    assert page.count("<circle") == 4
