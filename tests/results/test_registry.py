"""One entry in the registry is all that a kind of result needs to be read, rendered and drawn."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.results.every_kind import result_of
from tests.results.toy_result import CoinTosses

import betterthan as bt
from betterthan.present.charts.chart import chart_kinds
from betterthan.present.renderers.render import FORMATS, render
from betterthan.present.tables.describe import describe
from betterthan.results import registry
from betterthan.results.base import Result
from betterthan.results.registry import RESULT_KINDS, ResultChart, ResultKind, load

COINS = CoinTosses(
    coins=("penny", "dime"),
    heads=np.array([0.5, np.nan]),
    notes=("Tossed by hand.",),
    settings=bt.Settings(method="toss", options={}, data="abc", version="1"),
)
HERE = "tests.results.toy_result"
ENTRY = ResultKind(
    f"{HERE}:CoinTosses",
    f"{HERE}:coin_tosses_table",
    (ResultChart("coins", f"{HERE}:coin_tosses_chart"),),
)


@pytest.fixture
def registered(monkeypatch):
    """The one line that a new kind of result adds."""
    monkeypatch.setitem(RESULT_KINDS, "coin_tosses", ENTRY)


@pytest.mark.usefixtures("registered")
def test_a_new_kind_survives_json():
    """Text, dictionary, and back."""
    back = bt.Result.from_json(COINS.to_json())

    assert back == COINS
    assert [row.coin for row in back] == ["penny", "dime"]
    assert np.isnan(back["dime"].heads)
    assert back.best == "penny"


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("form", FORMATS)
def test_a_new_kind_is_rendered_in_every_format(form):
    """Each of them names the coins."""
    assert "penny" in render(COINS, form)
    assert "penny" in str(COINS)
    assert "penny" in COINS._repr_html_()


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_new_kind_becomes_a_frame(backend):
    """With a row a coin."""
    assert len(COINS.to_frame(backend)) == 2


@pytest.mark.usefixtures("registered")
def test_a_new_kind_is_drawn():
    """By plot() and by chart(), which know its name."""
    assert COINS.plot().to_dict()["title"]["text"] == "How fair are the coins?"
    assert bt.chart(COINS, "coins", title="Mine").to_dict()["title"]["text"] == "Mine"
    assert chart_kinds()["coins"].of is CoinTosses


def test_without_an_entry_nothing_is_known():
    """And the errors say so."""
    with pytest.raises(TypeError, match="No table is known for CoinTosses"):
        describe(COINS)
    with pytest.raises(bt.UnknownName, match='Unknown kind of result "coin_tosses"'):
        bt.Result.from_json(COINS.to_json())
    with pytest.raises(bt.TableError, match="No chart is known for CoinTosses"):
        COINS.plot()


@pytest.mark.parametrize("kind", RESULT_KINDS)
def test_every_entry_leads_to_what_it_names(kind):
    """The class has this kind, is public, and its table and charts exist."""
    entry = RESULT_KINDS[kind]
    kind_class = load(entry.result)

    assert issubclass(kind_class, Result)
    assert kind_class.kind == kind
    assert getattr(bt, kind_class.__name__) is kind_class
    assert callable(load(entry.table))
    assert all(callable(load(each.draw)) for each in entry.charts)
    assert ">>>" in kind_class.__doc__


def test_every_result_of_the_package_has_an_entry():
    """A class in `results` with a `kind` that is registered nowhere could not be read back."""
    folder = Path(registry.__file__).parent
    kinds = {
        statement.value.value
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and statement.target.id == "kind" and statement.value
    }
    assert kinds == set(RESULT_KINDS)


def test_names_of_charts_are_unique():
    """A chart is asked for by its name alone."""
    names = [each.name for entry in RESULT_KINDS.values() for each in entry.charts]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("kind", RESULT_KINDS)
def test_plot_draws_the_default_chart(kind, monkeypatch):
    """The first of the entry; results without any chart say so. That it is drawn well, tests of charts say."""
    result = result_of(kind)
    drawn = []
    for each in RESULT_KINDS[kind].charts:
        module, _, function = each.draw.partition(":")
        monkeypatch.setattr(
            f"{module}.{function}",
            lambda subject, _, name=each.name, **options: drawn.append((subject, name, options)),
        )
    if RESULT_KINDS[kind].charts:
        result.plot(title="Mine")
        assert drawn == [(result, RESULT_KINDS[kind].charts[0].name, {"title": "Mine"})]
    else:
        with pytest.raises(bt.TableError, match=f"No chart is known for {type(result).__name__}"):
            result.plot()


def test_plot_takes_the_options_of_chart():
    """Another theme, another title."""
    ranking = result_of("ranking")
    assert ranking.plot("ranking", theme="dark").to_dict() == bt.chart(ranking, theme="dark").to_dict()


def test_plot_says_what_to_install(monkeypatch):
    """Altair is an extra."""
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(bt.MissingExtra, match=r"pip install 'betterthan\[charts\]'"):
        result_of("ranking").plot()
