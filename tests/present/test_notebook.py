"""In a notebook: text is returned, every table and result has a view, and charts need no network."""

from __future__ import annotations

import builtins
import re
import sys
from types import ModuleType
from typing import get_args

import pytest
from tests.made import a_ranking, drawn_counts, drawn_scores
from tests.made_tags import drawn_tags
from tests.present.charts.pictures import judged, subject

import betterthan as bt
from betterthan.present.charts.chart import chart_kinds
from betterthan.present.renderers.render import render
from betterthan.present.tables.inputs import MOST_ROWS, input_table
from betterthan.tables.any_table import AnyTable


class ZMQInteractiveShell:
    """Stands for the shell of a Jupyter kernel: rich goes by the name of the class."""


@pytest.fixture
def displayed(monkeypatch):
    """Everything that is displayed in the cell of a simulated notebook."""
    shown = []
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    display.display = shown.append
    ipython.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)
    return shown


def test_rich_takes_the_simulation_for_a_notebook(displayed):
    """Otherwise the tests below would prove nothing."""
    from rich.console import Console

    Console(force_jupyter=None).print("text")
    assert Console().is_jupyter
    assert displayed


def test_the_text_of_a_result_is_returned(displayed, capsys):
    """str(), print() and render() give the table that a terminal shows; nothing is displayed as a side effect."""
    ranking = a_ranking()
    text = str(ranking)

    assert "Aster" in text
    assert "Birch" in text
    assert render(ranking, "table") == text
    assert displayed == []
    assert capsys.readouterr().out == ""
    print(ranking)  # noqa: T201  (what a user types)
    assert capsys.readouterr().out == text + "\n"
    assert displayed == []


def shown() -> dict[str, object]:
    """Something of every kind that a notebook may show: all tables, a folder of the metrics task, all results."""
    scores = drawn_scores(3, 12, name="chrF <b>")
    texts = bt.Texts(
        systems=["A", "B"],
        segments=["1", "2"],
        outputs=[["x <i>", None], ["y", "z" * 300]],
        references=[["x", "z"]],
    )
    rows = {"left": ["A", "B", "A"], "right": ["B", "A", "B"], "winner": ["left", "left", "tie"]}
    folder = bt.MetricsFolder(
        name="test24", language_pair="en-de", segments=("1",), human={"mqm": scores}, metrics={"BLEU": scores}
    )
    tables = {
        "Scores": scores,
        "Counts": drawn_counts(),
        "Matches": bt.read_matches(rows),
        "Ratings": judged(("u", "v", "w")),
        "WordTags": drawn_tags(2),
        "Runs": bt.read_runs(
            {
                "item": ["1", "1", "2", "2"] * 2,
                "system": ["A"] * 4 + ["B"] * 4,
                "run": ["x", "y"] * 4,
                "score": [1, 0, 1, 1, 0, 0, 1, 0],
            }
        ),
        "Texts": texts,
        "MetricsFolder": folder,
    }
    kinds = (
        kind
        for kind in chart_kinds()
        if kind not in ("ranks", "scatter", "differences", "confusion", "spans")
    )
    return tables | {type(each).__name__: each for each in map(subject, kinds)}


def test_every_kind_of_table_and_result_is_shown():
    """A new kind must be added here."""
    assert {kind.__name__ for kind in get_args(AnyTable)} < set(shown())
    have_charts = {kind.of.__name__ for kind in chart_kinds().values()}
    assert have_charts <= set(shown())


@pytest.mark.parametrize("name", shown())
def test_whatever_is_shown_is_one_escaped_table(name):
    """A notebook gets a captioned table in HTML; text from files stays text."""
    html = shown()[name]._repr_html_()
    assert html.count("<table>") == 1
    assert "<caption>" in html
    assert html.count("<td") >= 2
    assert "<b>" not in html
    assert "<i>" not in html


def test_a_table_of_data_shows_its_numbers():
    """One row per system; a missing score is counted as missing, and a text that is not there is a dash."""
    tables = shown()
    assert input_table(tables["Matches"]).rows == (("A", 3, 1, 1, 1), ("B", 3, 1, 1, 1))
    gaps = bt.read_scores({"A": [1.0, float("nan"), 4.0], "B": [float("nan")] * 3})
    assert input_table(gaps).rows == (("A", 2, 2.5, 2.5, 1.0, 4.0), ("B", 0, None, None, None, None))
    first, second = input_table(tables["Texts"]).rows
    assert first == ("1", "x", "x <i>", "y")
    assert second[2] is None
    assert len(second[3]) == 160


def test_long_tables_are_cut_and_say_so():
    """A notebook shows a page, not a thousand rows."""
    table = input_table(drawn_scores(60, 3))
    assert len(table.rows) == MOST_ROWS
    assert table.legend == "The first 20 of 60 rows are shown."


def test_a_chart_is_drawn_without_a_network():
    """SVG and nothing to load, also after restyling; a renderer that the user chose is respected."""
    import altair as alt

    drawn = bt.chart(a_ranking())
    for each in (drawn, drawn.properties(title="Mine"), drawn.copy()):
        assert isinstance(each, alt.HConcatChart)
        bundle = each._repr_mimebundle_()
        assert list(bundle) == ["image/svg+xml"]
        linked = re.findall(r"https?://[^\"' ]+", bundle["image/svg+xml"])
        assert {link for link in linked if "www.w3.org" not in link} == set()
        assert "<script" not in bundle["image/svg+xml"]
    with alt.renderers.enable("json"):
        assert "image/svg+xml" not in drawn._repr_mimebundle_()
