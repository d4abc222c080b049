"""In a notebook, a result's text is returned and nothing is displayed beside it."""

from __future__ import annotations

import builtins
import sys
from types import ModuleType

import pytest
from tests.made import a_ranking

from betterthan.present.renderers.render import render


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
